import { isUint8Array } from "node:util/types";
import { at, type Cancel } from "./cancel.js";
import { kindOf, members } from "./check.js";
import type { Action, EngineCall } from "./engine.js";
import { failed } from "./errors.js";
import { carried } from "./request.js";
import { SupplierResponse } from "./response.js";
import type { Store, Swap } from "./store.js";
import type { Answered, Attempt, Broke, Phase, Transport } from "./transport.js";

/** What a call needs of the world. */
export interface World {
  readonly transport: Transport;
  readonly store: Store | undefined;
  readonly onStoreMissing: () => void;
  /** Told why the store failed. */
  readonly onStoreFault: (error: unknown) => void;
  readonly onAttempt: ((attempt: AttemptEvent) => void) | undefined;
  readonly onWait: ((wait: WaitEvent) => void) | undefined;
}

/** An attempt that has just ended. Names no path, query or secret. */
export interface AttemptEvent {
  /** Counts the first request of the call as 1. */
  readonly n: number;
  readonly method: string;
  readonly host: string;
  readonly tookMs: number;
  /** Of a response, also of one whose body never came whole. */
  readonly status?: number;
  /** Why no complete response came, and how far the attempt got. */
  readonly code?: string;
  readonly phase?: string;
}

/** A wait that begins. */
export interface WaitEvent {
  readonly ms: number;
  /** As in the journal: `retry-after`, `reset`, `backoff`, `budget`, ... */
  readonly why: string;
}

/** How a call ended: the engine's last action, and the response that the host kept. */
export interface Ended {
  readonly action: Action;
  /** Of the last attempt, if it was answered. */
  readonly response: SupplierResponse | undefined;
}

/** What the engine is told next. */
type Event = (wallMs: number, monoMs: number) => Action;

/** The conversation with the engine: it decides, this sends, waits and stores. */
export async function drive(call: EngineCall, world: World, cancel: Cancel): Promise<Ended> {
  const go: Event = (wall, mono) => call.go(wall, mono);
  const giveUp: Event = (wall, mono) => call.cancel(wall, mono);
  let response: SupplierResponse | undefined;
  let attempts = 0;
  // Whether the engine is about to hand an answer over: that is worth more than a cancellation.
  let answered = false;
  let next = cancel.reason ? giveUp : go;
  for (;;) {
    const began = performance.now();
    const action = next(Date.now(), began);
    if (action.step === "reply" || action.step === "page" || action.step === "failed") {
      return { action, response };
    }
    if (cancel.reason && !(answered && action.step === "store")) {
      next = giveUp;
    } else if (action.step === "send") {
      const detail = JSON.parse(action.detail) as SendDetail;
      const outcome = await exchange(detail, action, world.transport, cancel);
      attempts += 1;
      world.onAttempt?.(attemptEvent(attempts, detail, outcome, performance.now() - began));
      answered = outcome.answered;
      response = outcome.answered ? new SupplierResponse(outcome) : undefined;
      next = cancel.reason && !answered ? giveUp : told(call, outcome, detail.want);
    } else if (action.step === "wait") {
      world.onWait?.({ ms: action.ms, why: (JSON.parse(action.detail) as WaitEvent).why });
      await cancel.sleep(began + action.ms);
      answered = false;
      next = cancel.reason ? giveUp : go;
    } else {
      next = await asked(call, world, action, cancel);
      if (cancel.reason && !answered) next = giveUp;
    }
  }
}

type SendDetail = Omit<Attempt, "body"> & {
  readonly want: { readonly ok: boolean; readonly error: boolean };
};

/** One attempt, under its timer. Settles whatever the transport does. */
async function exchange(
  detail: SendDetail,
  { body, base64, ms }: Action,
  transport: Transport,
  cancel: Cancel,
): Promise<Answered | Broke> {
  const attempt = { ...detail, body: Buffer.from(body, base64 ? "base64" : "utf8") };
  const abort = new AbortController();
  let timedOut = false;
  let stopTimer = () => {};
  const outcome = await cancel.interruptible<Answered | Broke>((resolve) => {
    const giveUp = () => {
      abort.abort();
      setImmediate(resolve, lost("connection-terminated"));
    };
    stopTimer = at(performance.now() + ms, () => {
      timedOut = true;
      giveUp();
    });
    const sent = (async () => transport.send(attempt, abort.signal))();
    sent.then(resolve, () => resolve(lost("internal-error")));
    return giveUp;
  });
  stopTimer();
  demandOutcome(outcome);
  return timedOut && !outcome.answered ? { ...outcome, code: "attempt-timeout" } : outcome;
}

/** A transport of the caller's may answer anything, a `Response` of `fetch` for one. */
function demandOutcome(outcome: unknown): void {
  const fault = faultOf((outcome ?? {}) as Partial<Record<keyof Answered | keyof Broke, unknown>>);
  if (!fault) return;
  const [, name, value, right] = fault;
  const message =
    `the transport's send resolved to ${kindOf(outcome)}, whose \`${name}\` is ${kindOf(value)} in place of ${right}: ` +
    "give { answered: true, status, headers, body } or { answered: false, phase, code }; the request may have been sent";
  throw failed({ kind: "internal", code: "transport-result", message });
}

type Demand = readonly [isMet: boolean, name: string, value: unknown, right: string];

function faultOf(outcome: Partial<Record<keyof Answered | keyof Broke, unknown>>): Demand | undefined {
  const { answered, status, headers, body, phase, code } = outcome;
  const demands: readonly Demand[] =
    answered === true
      ? [
          [Number.isInteger(status), "status", status, "an integer"],
          [isPairs(headers), "headers", headers, "pairs of strings"],
          [isUint8Array(body), "body", body, "a Uint8Array"],
        ]
      : [
          [answered === false, "answered", answered, "true or false"],
          [PHASES.has(phase), "phase", phase, [...PHASES].join(", ")],
          [typeof code === "string", "code", code, "a string"],
          [status === undefined || Number.isInteger(status), "status", status, "an integer"],
          [headers === undefined || isPairs(headers), "headers", headers, "pairs of strings"],
        ];
  return demands.find(([isMet]) => !isMet);
}

function isPairs(headers: unknown): boolean {
  const isText = (value: unknown) => typeof value === "string";
  const isPair = (pair: unknown) => Array.isArray(pair) && pair.length === 2 && pair.every(isText);
  return Array.isArray(headers) && headers.every(isPair);
}

const PHASES: ReadonlySet<unknown> = members<Record<Phase, unknown>>({
  "not-sent": true,
  "maybe-sent": true,
  never: true,
  "too-large": true,
});

/** Whoever does not know must assume that the supplier has seen the request. */
function lost(code: string): Broke {
  return { answered: false, phase: "maybe-sent", code };
}

function told(call: EngineCall, outcome: Answered | Broke, want: SendDetail["want"]): Event {
  const headers = JSON.stringify(outcome.headers ?? []);
  if (!outcome.answered) {
    return (wall, mono) => call.broke(outcome.phase, outcome.code, outcome.status, headers, wall, mono);
  }
  const wanted = outcome.status < 400 ? want.ok : want.error;
  const { body, base64 } = wanted ? carried(outcome.body) : { body: "", base64: false };
  return (wall, mono) => call.answered(outcome.status, headers, body, base64, wall, mono);
}

interface StoreDetail {
  readonly key: string;
  readonly expect?: string | null;
  readonly value?: string | null;
  readonly ttl_ms: number;
}

async function asked(
  call: EngineCall,
  { store, onStoreMissing, onStoreFault }: World,
  action: Action,
  cancel: Cancel,
): Promise<Event> {
  const failing = (code: string): Event => {
    return (wall, mono) => call.storeFailed(code, wall, mono);
  };
  if (!store) {
    onStoreMissing();
    return failing("no-store");
  }
  const { key, expect, value, ttl_ms } = JSON.parse(action.detail) as StoreDetail;
  const answer = async (): Promise<Swap> => {
    if (typeof value !== "string") return { won: true, current: text(await store.load(key, action.ms)) };
    const { won, current } = await store.compareAndSwap(key, expect ?? undefined, value, ttl_ms, action.ms);
    return { won: won === true, current: text(current) };
  };
  return cancel.interruptible((resolve) => {
    const stop = at(performance.now() + action.ms, () => resolve(failing("store-timeout")));
    const settle = (event: Event) => {
      stop();
      resolve(event);
    };
    answer().then(
      ({ won, current }) => settle((wall, mono) => call.stored(won, current, wall, mono)),
      (error: unknown) => {
        onStoreFault(error);
        settle(failing("store-unavailable"));
      },
    );
    return () => settle(failing("cancelled"));
  });
}

/** What a store says stands under a key; many say `null` for nothing. */
function text(current: unknown): string | undefined {
  if (current === undefined || current === null) return undefined;
  if (typeof current === "string") return current;
  throw new TypeError(`a store must answer with a string or undefined, not ${kindOf(current)}`);
}

function attemptEvent(
  n: number,
  detail: SendDetail,
  outcome: Answered | Broke,
  tookMs: number,
): AttemptEvent {
  const host = detail.url.split("/", 3)[2] ?? "";
  const seen = { n, method: detail.method, host, tookMs };
  if (outcome.answered) return { ...seen, status: outcome.status };
  const { code, phase, status } = outcome;
  return status === undefined ? { ...seen, code, phase } : { ...seen, code, phase, status };
}
