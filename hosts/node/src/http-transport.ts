import { isUtf8 } from "node:buffer";
import http, { type ClientRequest, type IncomingMessage } from "node:http";
import https from "node:https";
import { isIP, type Socket } from "node:net";
import { breakage, type Stage } from "./breakage.js";
import { checkObject, members } from "./check.js";
import type { Answered, Attempt, Broke, Headers, Transport } from "./transport.js";

export interface HttpTransportOptions {
  /** For `http:` suppliers, instead of an agent of our own. It must not limit its sockets. */
  readonly httpAgent?: http.Agent;
  /** For `https:` suppliers: a proxy's agent, or one with `ca`, `cert`, `key`. It must not limit its sockets. */
  readonly httpsAgent?: https.Agent;
}

const OPTIONS = members<HttpTransportOptions>({ httpAgent: true, httpsAgent: true });

/**
 * Node's own HTTP/1.1 client. Unlike `fetch` it neither rewrites the target nor adds headers; unlike undici it
 * accepts a `100 Continue`, and nock, msw and OpenTelemetry's HTTP instrumentation see it.
 */
export class HttpTransport implements Transport {
  readonly #agents: { readonly "http:": http.Agent; readonly "https:": https.Agent };
  readonly #own: http.Agent[];

  /** Throws a `TypeError` on other options, and for an agent that makes requests wait or is for the other scheme. */
  constructor(options: HttpTransportOptions = {}) {
    checkObject("the options of a transport", options, OPTIONS);
    checkSchemes(options);
    // Shorter than what most servers grant, so that an idle connection is rarely one that is being closed: a
    // POST on such a connection could not be repeated. Idle connections do not keep the process alive.
    const idle = { keepAlive: true, timeout: 4_000, scheduling: "lifo" } as const;
    this.#agents = {
      "http:": options.httpAgent ?? new http.Agent(idle),
      "https:": options.httpsAgent ?? new https.Agent(idle),
    };
    for (const agent of Object.values(this.#agents)) refuseQueue(agent);
    const given: unknown[] = [options.httpAgent, options.httpsAgent];
    this.#own = Object.values(this.#agents).filter((agent) => !given.includes(agent));
  }

  send(attempt: Attempt, signal: AbortSignal): Promise<Answered | Broke> {
    return new Promise((resolve) => {
      let request: ClientRequest;
      try {
        request = this.#start(attempt);
      } catch (error) {
        resolve({ answered: false, ...breakage(error, "connecting"), phase: "never" });
        return;
      }
      new Exchange(request, attempt, signal, resolve).begin();
    });
  }

  /** Ends every connection of its own agents, used ones too. */
  close(): void {
    for (const agent of this.#own) agent.destroy();
  }

  #start({ method, url, headers, body, caps }: Attempt): ClientRequest {
    const { protocol, authority, host, port, path } = split(url);
    const lines = [["Host", authority] as const, ...headers];
    if (body.length > 0 || !BODILESS.has(method)) lines.push(["Content-Length", String(body.length)]);
    const options: https.RequestOptions = {
      method,
      host,
      path,
      headers: byName(lines),
      agent: this.#agents[protocol],
      // The parser's limit has to let through what the caps allow; the caps themselves are checked below.
      maxHeaderSize: caps.header_bytes + 4_096,
    };
    if (port) options.port = port;
    if (protocol === "http:") return http.request(options);
    options.servername = isIP(host) ? "" : host;
    return https.request(options);
  }
}

/** One request and its response. Settles exactly once. */
class Exchange {
  #stage: Stage = "connecting";
  #head: { status: number; headers: Headers } | undefined;
  #settled = false;
  readonly #chunks: Buffer[] = [];
  #received = 0;

  constructor(
    readonly request: ClientRequest,
    readonly attempt: Attempt,
    readonly signal: AbortSignal,
    readonly resolve: (outcome: Answered | Broke) => void,
  ) {}

  begin(): void {
    const { request, signal } = this;
    // Node drops header lines beyond 2,000 without a word.
    request.maxHeadersCount = 0;
    request.once("socket", (socket) => this.#watch(socket));
    request.once("response", (response) => this.#receive(response));
    // Later errors too: without a listener they would be thrown.
    request.on("error", (error) => this.#fail(error));
    // An answer to CONNECT or an upgrade nobody asked for.
    request.once("connect", () => this.#break("maybe-sent", "http-upgrade-failed"));
    request.once("upgrade", () => this.#break("maybe-sent", "http-upgrade-failed"));
    signal.addEventListener("abort", this.#abort, { once: true });
    if (signal.aborted) this.#abort();
    else end(request, this.attempt.body);
  }

  /** Notes when the connection stands: from then on the request may have been read. */
  #watch(socket: Socket & { secureConnecting?: boolean }): void {
    const stands = () => {
      if (this.#stage === "connecting") this.#stage = "connected";
    };
    if (socket.secureConnecting) socket.once("secureConnect", stands);
    else if (socket.connecting) socket.once("connect", stands);
    else stands();
  }

  #receive(response: IncomingMessage): void {
    const status = response.statusCode ?? 0;
    const { caps } = this.attempt;
    this.#stage = "responding";
    this.#head = { status, headers: pairs(response.rawHeaders) };
    response.on("error", (error) => this.#fail(error));
    if (size(response.rawHeaders) > caps.header_bytes) {
      this.#break("too-large", "http-response-header-section-size");
      return;
    }
    const fails = status >= 400;
    const cap = fails ? caps.error_body_bytes : caps.body_bytes;
    response.on("data", (chunk: Buffer) => {
      if (this.#settled) return;
      this.#received += chunk.length;
      this.#chunks.push(chunk);
      if (this.#received <= cap) return;
      if (fails) this.#answer(cap);
      else this.#break("too-large", "http-response-body-size");
    });
    response.once("end", () => {
      if (response.complete) this.#answer(cap);
      else this.#break("maybe-sent", "http-response-incomplete");
    });
    response.once("close", () => this.#break("maybe-sent", "http-response-incomplete"));
  }

  #answer(cap: number): void {
    if (!this.#head) return;
    const [only] = this.#chunks;
    const whole = only && this.#chunks.length === 1 ? only : Buffer.concat(this.#chunks);
    this.#settle({ answered: true, ...this.#head, body: whole.subarray(0, cap) });
    // The rest of a long body is not worth reading, and the connection cannot be used again.
    if (this.#received > cap) this.request.destroy();
  }

  #fail(error: unknown): void {
    const { phase, code } = breakage(error, this.#stage);
    this.#break(phase, code);
  }

  #break(phase: Broke["phase"], code: string): void {
    this.#settle({ answered: false, phase, code, ...this.#head });
    this.request.destroy();
  }

  readonly #abort = (): void => {
    const phase = this.#stage === "connecting" ? "not-sent" : "maybe-sent";
    this.#break(phase, "connection-terminated");
  };

  #settle(outcome: Answered | Broke): void {
    if (this.#settled) return;
    this.#settled = true;
    this.signal.removeEventListener("abort", this.#abort);
    this.resolve(outcome);
  }
}

/** Without a body these carry no content-length (RFC 9110, 8.6). */
const BODILESS = new Set(["GET", "HEAD", "DELETE", "OPTIONS", "TRACE", "CONNECT"]);

const URL_PARTS = /^(https?:)\/\/((\[[^\]]+\]|[^/?#:]+)(?::(\d+))?)(.*)$/s;

/** Takes an absolute URL apart without normalising it, which `new URL` would do. */
function split(url: string) {
  const [, protocol, authority, bracketed, port, path] = URL_PARTS.exec(url) ?? [];
  if (!protocol || !authority || !bracketed) throw Object.assign(new Error(), { code: "ERR_INVALID_URL" });
  const host = bracketed.startsWith("[") ? bracketed.slice(1, -1) : bracketed;
  return { protocol: protocol as "http:" | "https:", authority, host, port, path: path || "/" };
}

/** A proxy's agent is of a class of its own and may serve both. */
function checkSchemes({ httpAgent, httpsAgent }: HttpTransportOptions): void {
  const isPlain = httpsAgent && Object.getPrototypeOf(httpsAgent) === http.Agent.prototype;
  if (httpAgent instanceof https.Agent || isPlain) {
    throw new TypeError(
      "`httpAgent` is for http: suppliers, `httpsAgent` for https: ones; one stands in the other's place",
    );
  }
}

/** A limit on sockets makes a signed request wait for its turn, and it may be stale when that comes. */
function refuseQueue(agent: http.Agent): void {
  if (agent.maxSockets === Infinity && agent.maxTotalSockets === Infinity) return;
  throw new TypeError(
    "the agent limits its sockets, so requests would wait after they were signed; leave maxSockets and maxTotalSockets at Infinity",
  );
}

/** As a string, which Node puts behind the headers and writes in one piece; each character is one byte. */
function end(request: ClientRequest, body: Uint8Array): void {
  if (body.length === 0) request.end();
  else if (body.length > ONE_PIECE) request.end(body);
  else request.end(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("latin1"), "latin1");
}

const ONE_PIECE = 65_536;

/**
 * Not as one flat list, though Node takes that too: OpenTelemetry's instrumentation turns a list into headers
 * named `0`, `1`, ... Lines of one field stay in order, under the spelling of the first.
 */
function byName(lines: Headers): Record<string, string | string[]> {
  const fields = new Map<string, { name: string; values: string[] }>();
  for (const [name, value] of lines) {
    const key = name.toLowerCase();
    const field = fields.get(key);
    if (field) field.values.push(asWritten(value));
    else fields.set(key, { name, values: [asWritten(value)] });
  }
  // Without a prototype: `__proto__` is a field name like any other.
  const object: Record<string, string | string[]> = Object.create(null);
  for (const { name, values } of fields.values())
    object[name] = values.length > 1 ? values : (values[0] ?? "");
  return object;
}

/** Node writes headers as ISO-8859-1, the policy means UTF-8. */
function asWritten(value: string): string {
  return NOT_ASCII.test(value) ? Buffer.from(value, "utf8").toString("latin1") : value;
}

/** Node reads headers as ISO-8859-1; what is UTF-8 is meant so. */
function asMeant(value: string): string {
  if (!NOT_ASCII.test(value)) return value;
  const bytes = Buffer.from(value, "latin1");
  return isUtf8(bytes) ? bytes.toString("utf8") : value;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII begins with them
const NOT_ASCII = /[^\x00-\x7f]/;

function pairs(raw: readonly string[]): Headers {
  const headers: [string, string][] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) headers.push([raw[i] ?? "", asMeant(raw[i + 1] ?? "")]);
  return headers;
}

/** In bytes, since each character of a raw header is one. */
function size(raw: readonly string[]): number {
  return raw.reduce((sum, text) => sum + text.length, 0);
}
