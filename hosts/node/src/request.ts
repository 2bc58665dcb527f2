import { isUtf8 } from "node:buffer";
import { isUint8Array } from "node:util/types";
import { checkObject, checkText, kindOf, members } from "./check.js";

type Value = string | number | bigint | boolean | undefined;
type Pairs = Iterable<readonly [string, string]>;

/** One request, as the caller means it. What the profile adds is not in it. */
export interface SupplierRequest {
  /** `GET` if absent. */
  readonly method?: string;
  /** Path below the profile's `base_url`, starting with `/`, already percent-encoded. */
  readonly target: string;
  /** Unencoded: an object, whose arrays repeat a name, or pairs (`URLSearchParams`, `Map`). `undefined` is left out. */
  readonly query?: Readonly<Record<string, Value | readonly Value[]>> | Pairs;
  /** An object or pairs (`Headers`, `Map`). What the profile or the transport sets is refused. */
  readonly headers?: Readonly<Record<string, string | undefined>> | Pairs;
  readonly body?: string | Uint8Array;
  /** Instead of `body`: sent as JSON text, with `content-type: application/json` unless `headers` has one. */
  readonly json?: unknown;
  /** Name of an entry of the profile's `operations`. */
  readonly operation?: string;
  /** Makes an unsafe request safe to repeat. From the work's own identity (an order number), never a random number. */
  readonly idempotencyKey?: string;
  /** For the whole call, waits included, rounded up; the profile's `deadline_ms` if absent. */
  readonly deadlineMs?: number;
  /** The longest single wait this call accepts. 0: never wait, fail and say how long it would have been. */
  readonly maxWaitMs?: number;
  /** Ends the call at once, in a wait or in an attempt. */
  readonly signal?: AbortSignal;
}

const MEMBERS = members<SupplierRequest>({
  method: true,
  target: true,
  query: true,
  headers: true,
  body: true,
  json: true,
  operation: true,
  idempotencyKey: true,
  deadlineMs: true,
  maxWaitMs: true,
  signal: true,
});

export type Goal =
  | { readonly goal: "reply" }
  | { readonly goal: "page"; readonly position?: string | null | undefined };

/** A request as the engine takes it: `schemas/request.schema.json`, and the body beside it. */
export interface Encoded {
  readonly json: string;
  readonly body: string;
  readonly base64: boolean;
}

/** Throws a `TypeError` on what no request can have. */
export function encode(request: SupplierRequest, goal: Goal): Encoded {
  checkObject("a request", request, MEMBERS);
  const { method = "GET", target, operation, idempotencyKey, deadlineMs, maxWaitMs, signal } = request;
  checkText("`method`", method);
  checkText("`target`", target);
  if (operation !== undefined) checkText("`operation`", operation);
  if (idempotencyKey !== undefined) checkText("`idempotencyKey`", idempotencyKey);
  if (goal.goal === "page" && goal.position != null) checkText("a position", goal.position);
  if (signal && !(signal instanceof EventTarget)) {
    throw new TypeError(`\`signal\` must be an AbortSignal, not ${kindOf(signal)}`);
  }
  const headers = pairs("headers", request.headers);
  const body = bodyOf(request);
  if (request.json !== undefined && !headers.some(([name]) => name.toLowerCase() === "content-type")) {
    headers.push(["content-type", "application/json"]);
  }
  const json = JSON.stringify({
    method,
    target,
    query: pairs("query", request.query),
    headers,
    operation,
    idempotency_key: idempotencyKey,
    deadline_ms: millis("deadlineMs", deadlineMs),
    max_wait_ms: millis("maxWaitMs", maxWaitMs),
    ...goal,
  });
  return { json, ...carried(body) };
}

function bodyOf({ body, json }: SupplierRequest): string | Uint8Array {
  if (json === undefined) {
    const given: unknown = body ?? "";
    if (typeof given === "string" || isUint8Array(given)) return given;
    throw new TypeError(
      `\`body\` must be a string or a Uint8Array, not ${kindOf(given)}; give \`json\` for what is to become JSON`,
    );
  }
  if (body !== undefined) throw new TypeError("give either `body` or `json`, not both");
  return jsonText(json);
}

function jsonText(json: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(json);
  } catch (cause) {
    // A BigInt, a circle.
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new TypeError(`\`json\` cannot be written as JSON: ${why}`, { cause });
  }
  if (text === undefined) throw new TypeError(`\`json\` cannot be ${kindOf(json)}`);
  return text;
}

/** Texts cross to the engine as they are; bytes that are no text, in base64. */
export function carried(body: string | Uint8Array): { body: string; base64: boolean } {
  if (typeof body === "string") return { body, base64: false };
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return isUtf8(bytes)
    ? { body: bytes.toString("utf8"), base64: false }
    : { body: bytes.toString("base64"), base64: true };
}

function pairs(
  what: "query" | "headers",
  given: SupplierRequest["query"] | SupplierRequest["headers"],
): [string, string][] {
  if (given === undefined || given === null) return [];
  if (typeof given !== "object") {
    throw new TypeError(`\`${what}\` must be an object or pairs, not ${kindOf(given)}`);
  }
  const several: [unknown, unknown][] =
    Symbol.iterator in given ? [...given].map((one) => pair(what, one)) : Object.entries(given);
  return several.flatMap(([name, value]) => {
    checkText(`a name in \`${what}\``, name);
    return [value]
      .flat()
      .filter((one) => one !== undefined)
      .map((one): [string, string] => [name as string, scalar(`\`${what}\`, \`${name}\``, one)]);
  });
}

function pair(what: string, given: unknown): [unknown, unknown] {
  if (Array.isArray(given) && given.length === 2) return given as [unknown, unknown];
  throw new TypeError(`\`${what}\` must hold pairs of a name and a value, not ${kindOf(given)}`);
}

function scalar(what: string, value: unknown): string {
  const isScalar = ["string", "boolean", "bigint"].includes(typeof value) || Number.isFinite(value);
  if (isScalar) return String(value);
  const found = typeof value === "number" ? String(value) : kindOf(value);
  throw new TypeError(
    `${what} must be a string, a number or a boolean, not ${found}; undefined leaves it out`,
  );
}

/** The engine counts whole milliseconds in 32 bits, which is 49 days: whoever gives more does not mean a number. */
function millis(name: string, value: number | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "number" && value >= 0) return Math.min(Math.ceil(value), 0xffff_ffff);
  const found = typeof value === "number" ? String(value) : kindOf(value);
  throw new TypeError(`\`${name}\` must be a number of milliseconds from 0 on, not ${found}`);
}
