import { isUtf8 } from "node:buffer";

type Value = string | number | boolean | undefined;
type Pairs = Iterable<readonly [string, string]>;

/** One request, as the caller means it. What the profile adds is not in it. */
export interface SupplierRequest {
  /** `GET` if absent. */
  readonly method?: string;
  /** Path below the profile's `base_url`, starting with `/`, already percent-encoded. */
  readonly target: string;
  /** Unencoded: an object, whose arrays repeat a name, or pairs (`URLSearchParams`, `Map`). */
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
  /** For the whole call, waits included; the profile's `deadline_ms` if absent. */
  readonly deadlineMs?: number;
  /** The longest single wait this call accepts. 0: never wait, fail and say how long it would have been. */
  readonly maxWaitMs?: number;
  /** Ends the call at once, in a wait or in an attempt. */
  readonly signal?: AbortSignal;
}

export type Goal =
  | { readonly goal: "reply" }
  | { readonly goal: "page"; readonly position?: string | undefined };

/** A request as the engine takes it: `schemas/request.schema.json`, and the body beside it. */
export interface Encoded {
  readonly json: string;
  readonly body: string;
  readonly base64: boolean;
}

export function encode(request: SupplierRequest, goal: Goal): Encoded {
  const headers = pairs(request.headers);
  let body = request.body ?? "";
  if (request.json !== undefined) {
    if (request.body !== undefined) throw new TypeError("give either `body` or `json`");
    body = JSON.stringify(request.json);
    if (!headers.some(([name]) => name.toLowerCase() === "content-type")) {
      headers.push(["content-type", "application/json"]);
    }
  }
  const json = JSON.stringify({
    method: request.method ?? "GET",
    target: request.target,
    query: pairs(request.query),
    headers,
    operation: request.operation,
    idempotency_key: request.idempotencyKey,
    deadline_ms: millis("deadlineMs", request.deadlineMs),
    max_wait_ms: millis("maxWaitMs", request.maxWaitMs),
    ...goal,
  });
  return { json, ...carried(body) };
}

/** Texts cross to the engine as they are; bytes that are no text, in base64. */
export function carried(body: string | Uint8Array): { body: string; base64: boolean } {
  if (typeof body === "string") return { body, base64: false };
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return isUtf8(bytes)
    ? { body: bytes.toString("utf8"), base64: false }
    : { body: bytes.toString("base64"), base64: true };
}

function pairs(given: SupplierRequest["query"] | SupplierRequest["headers"]): [string, string][] {
  if (!given) return [];
  if (Symbol.iterator in given) return [...(given as Pairs)].map(([name, value]) => [name, value]);
  return Object.entries(given).flatMap(([name, value]) =>
    [value]
      .flat()
      .filter((value) => value !== undefined)
      .map((value): [string, string] => [name, String(value)]),
  );
}

/** JSON has no NaN and no Infinity, and `null` would mean the profile's own number. */
function millis(name: string, value: number | undefined): number | undefined {
  if (value === undefined || Number.isFinite(value)) return value;
  throw new TypeError(`\`${name}\` must be a number of milliseconds`);
}
