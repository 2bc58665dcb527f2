import { setMaxListeners } from "node:events";
import { isUint8Array } from "node:util/types";
import { type AttemptEvent, drive, type WaitEvent, type World } from "./call.js";
import { Cancel } from "./cancel.js";
import { checkFunction, checkMethods, checkObject, checkText, kindOf, members } from "./check.js";
import { type Credentials, drop, type EngineSupplier, openSupplier, replaceCredentials } from "./engine.js";
import { entropy } from "./entropy.js";
import { type FailureKind, failed, SupplierError } from "./errors.js";
import { HttpTransport } from "./http-transport.js";
import type { Health, Journal } from "./journal.js";
import { encode, type Goal, type SupplierRequest } from "./request.js";
import { Page, Reply, type SupplierResponse } from "./response.js";
import type { Store } from "./store.js";
import type { Transport } from "./transport.js";

type Document = string | Uint8Array | object;

export interface ClientOptions {
  /** The supplier's profile: an object, or its JSON text, also as the bytes of a file. */
  readonly profile: Document;
  /** JSON Merge Patch on the profile, for what differs between staging and production. */
  readonly overrides?: Document | undefined;
  /** Values of the credentials that the profile names. */
  readonly credentials?: Credentials;
  /** `new HttpTransport()` if absent. One that is given stays open when the client is closed. */
  readonly transport?: Transport;
  /** Where a shared budget stands; without one this client paces itself alone. */
  readonly store?: Store;
  /** Parses the items of a page, instead of `JSON.parse`, which rounds numbers beyond 2^53. */
  readonly parse?: (json: string) => unknown;
  /** Called after each attempt. What it throws becomes a process warning. */
  readonly onAttempt?: (attempt: AttemptEvent) => void;
  /** Called when a wait begins. */
  readonly onWait?: (wait: WaitEvent) => void;
  /** Called with the journal of each call, whether it went well or not. */
  readonly onJournal?: (journal: Journal) => void;
}

const OPTIONS = members<ClientOptions>({
  profile: true,
  overrides: true,
  credentials: true,
  transport: true,
  store: true,
  parse: true,
  onAttempt: true,
  onWait: true,
  onJournal: true,
});

/**
 * One supplier. Make one per process and keep it: pacing, the supplier's clock and connections live in it.
 * Calls may overlap; waits of one do not delay another.
 */
export class SupplierClient implements Disposable {
  readonly #world: World;
  readonly #ownTransport: boolean;
  readonly #onJournal: ((journal: Journal) => void) | undefined;
  readonly #parse: (json: string) => unknown;
  readonly #running = new Set<Cancel>();
  readonly #profile: string;
  readonly #overrides: string | undefined;
  #credentials: Credentials;
  #supplier: EngineSupplier | undefined;
  #closed = false;

  /** Throws a `ProfileError` with every mistake of profile, overrides and credentials; a `TypeError` on other options. */
  constructor(options: ClientOptions) {
    checkOptions(options);
    this.#profile = jsonText("profile", options.profile);
    this.#overrides = options.overrides === undefined ? undefined : jsonText("overrides", options.overrides);
    this.#credentials = checked(options.credentials ?? {});
    this.#supplier = openSupplier(this.#profile, this.#overrides, this.#credentials);
    this.#ownTransport = !options.transport;
    this.#world = {
      transport: options.transport ?? new HttpTransport(),
      store: options.store,
      onStoreMissing: once(() => warn(NO_STORE)),
      onStoreFault: warn,
      onAttempt: safely(options.onAttempt),
      onWait: safely(options.onWait),
    };
    this.#parse = options.parse ?? JSON.parse;
    this.#onJournal = safely(options.onJournal);
  }

  /**
   * Sends one request and returns the response that ends the call, 4xx and 5xx included: look at `ok` or
   * `verdict`. Throws a `SupplierError` where no response can be handed over, or that alone would mislead.
   */
  async send(request: SupplierRequest): Promise<Reply> {
    const { detail, response } = await this.#call<ReplyDetail>(request, { goal: "reply" });
    return new Reply(response, detail);
  }

  /** Reads one page: the first, or the one at the `next` of the page before it. Throws on whatever is no page. */
  async page<Item = unknown>(request: SupplierRequest, position?: string | null): Promise<Page<Item>> {
    const { detail, body, response } = await this.#call<PageDetail>(request, { goal: "page", position });
    return new Page<Item>(body, response, detail, this.#parse);
  }

  /** Reads page after page, each when it is asked for. Keep `page.next` to go on another day. */
  async *pages<Item = unknown>(
    request: SupplierRequest,
    position?: string | null,
  ): AsyncGenerator<Page<Item>, void> {
    let next = position;
    do {
      const page = await this.page<Item>(request, next);
      yield page;
      next = page.next;
    } while (next !== undefined);
  }

  /** Reads item after item. No more than one page is in memory. */
  async *items<Item = unknown>(
    request: SupplierRequest,
    position?: string | null,
  ): AsyncGenerator<Item, void> {
    for await (const page of this.pages<Item>(request, position)) yield* page.items;
  }

  /** Replaces all credentials, for rotation. On a `ProfileError` the old ones stay in force. */
  setCredentials(credentials: Credentials): void {
    const given = checked(credentials);
    replaceCredentials(this.#opened(), given);
    this.#credentials = given;
  }

  /** Counts by outcome and the state of each pool. */
  health(): Health {
    return JSON.parse(this.#opened().health()) as Health;
  }

  /** What `send` would do, secrets blanked out: headers, string to sign, settings, waits. Sends nothing. */
  explain(request: SupplierRequest): Record<string, unknown> {
    const { json, body, base64 } = encode(request, { goal: "reply" });
    const told = JSON.parse(this.#opened().explain(json, body, base64, Date.now(), performance.now()));
    if (told.failure) throw failed(told.failure);
    return told;
  }

  /** Cancels what is running and ends connections. A process can also simply come to its end. */
  close(): void {
    this.#closed = true;
    for (const cancel of this.#running) cancel.cancel(new Error("the client was closed"));
    if (this.#ownTransport) this.#world.transport.close?.();
    if (this.#supplier && this.#running.size === 0) drop(this.#supplier);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  async #call<Detail extends { journal: Journal }>(request: SupplierRequest, goal: Goal) {
    const { json, body, base64 } = encode(request, goal);
    const supplier = this.#opened();
    const cancel = new Cancel();
    const stopListening = listen(request.signal, cancel);
    this.#running.add(cancel);
    try {
      const call = supplier.begin(json, body, base64, entropy());
      const { action, response } = await drive(call, this.#world, cancel);
      drop(call);
      if (action.step !== "failed" && response) {
        const detail = JSON.parse(action.detail) as Detail;
        this.#onJournal?.(detail.journal);
        return { detail, body: action.body, response };
      }
      const detail = JSON.parse(action.detail) as FailedDetail;
      this.#onJournal?.(detail.journal);
      throw failure(detail, response, cancel);
    } catch (error) {
      throw error instanceof SupplierError ? error : this.#trapped(error, supplier);
    } finally {
      this.#running.delete(cancel);
      stopListening();
    }
  }

  #opened(): EngineSupplier {
    if (this.#closed) {
      throw failed({
        kind: "cancelled",
        code: "closed",
        message: "the client was closed: nothing was sent; make another",
      });
    }
    this.#supplier ??= openSupplier(this.#profile, this.#overrides, this.#credentials);
    return this.#supplier;
  }

  /** After a trap an instance is dead. The next call gets another; what the old one knew of budget and clock is lost. */
  #trapped(cause: unknown, supplier: EngineSupplier): SupplierError {
    if (this.#supplier === supplier) this.#supplier = undefined;
    const message =
      "the engine stopped in the middle of the call, please report this; if a request was sent, find out what came of it before repeating it";
    return failed({ kind: "internal", code: "engine-trap", message, cause });
  }
}

/** Details of the steps that end a call: `schemas/detail.schema.json`. */
interface ReplyDetail {
  verdict: string;
  retry_after_ms?: number | null;
  journal: Journal;
}

interface PageDetail {
  count: number;
  next?: string | null;
  journal: Journal;
}

interface FailedDetail {
  kind: FailureKind;
  code: string;
  message: string;
  retry_after_ms?: number | null;
  status?: number | null;
  journal: Journal;
}

function failure(
  detail: FailedDetail,
  response: SupplierResponse | undefined,
  cancel: Cancel,
): SupplierError {
  const error = failed({
    kind: detail.kind,
    code: detail.code,
    message: detail.message,
    retryAfterMs: detail.retry_after_ms ?? undefined,
    status: detail.status ?? undefined,
    response,
    journal: detail.journal,
    cause: cancel.reason?.cause,
  });
  if (cancel.reason && error.kind === "cancelled") error.name = "AbortError";
  return error;
}

/** Returns what ends the listening: a signal often outlives many calls. */
function listen(signal: AbortSignal | undefined, cancel: Cancel): () => void {
  if (!signal) return () => {};
  const onAbort = () => cancel.cancel(signal.reason);
  // Many calls may share one signal, and that is no leak: each takes its listener away when it ends.
  setMaxListeners(0, signal);
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  return () => signal.removeEventListener("abort", onAbort);
}

/** A fault in a hook of the caller's must not change what happens to a call. */
function safely<T>(hook: ((told: T) => void) | undefined): ((told: T) => void) | undefined {
  if (!hook) return undefined;
  return (told) => {
    try {
      hook(told);
    } catch (error) {
      warn(error);
    }
  };
}

const NO_STORE =
  "the profile shares its budget, and the client was given no `store`: that counts as one that failed";

function once(action: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) action();
    isDone = true;
  };
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error), "SupplierClientWarning");
}

function checkOptions(options: ClientOptions): void {
  checkObject("the options of a client", options, OPTIONS);
  const { transport, store, parse, onAttempt, onWait, onJournal } = options;
  checkMethods(
    "`transport`",
    transport,
    ["send"],
    "for a proxy or a certificate give `new HttpTransport(...)`",
  );
  checkMethods("`store`", store, ["load", "compareAndSwap"], "for Redis give `new RedisStore(client)`");
  const functions = { parse, onAttempt, onWait, onJournal };
  for (const [name, given] of Object.entries(functions)) checkFunction(`\`${name}\``, given);
}

/** A copy: what happens to the caller's object later changes nothing here. */
function checked(credentials: Credentials): Credentials {
  if (typeof credentials !== "object" || credentials === null || Array.isArray(credentials)) {
    throw new TypeError(`\`credentials\` must be an object from names to values, not ${kindOf(credentials)}`);
  }
  for (const [name, value] of Object.entries(credentials)) {
    if (value !== undefined) checkText(`the credential "${name}"`, value);
  }
  return { ...credentials };
}

function jsonText(name: string, document: Document): string {
  if (isUint8Array(document)) return Buffer.from(document).toString("utf8");
  if (typeof document === "object" && document !== null) return JSON.stringify(document);
  if (typeof document === "string" && document.includes("{")) return document;
  const found = typeof document === "string" ? "text that is none" : kindOf(document);
  throw new TypeError(
    `\`${name}\` must be an object or JSON text, not ${found}; a file is read with readFileSync`,
  );
}
