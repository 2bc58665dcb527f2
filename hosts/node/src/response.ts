import type { Journal } from "./journal.js";
import type { Headers } from "./transport.js";

/** A complete response. Its body is whole, so reading it does not wait. */
export class SupplierResponse {
  readonly status: number;
  /** In wire order, names as they came. */
  readonly headers: Headers;
  /** As it came, without decompression. Of an error response it may have been cut (`caps.error_body_bytes`). */
  readonly body: Uint8Array;

  constructor({ status, headers, body }: { status: number; headers: Headers; body: Uint8Array }) {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }

  /** The lines of a field joined by `, `; `undefined` if there is none. */
  header(name: string): string | undefined {
    const wanted = name.toLowerCase();
    const lines = this.headers.filter(([name]) => name.toLowerCase() === wanted);
    return lines.length > 0 ? lines.map(([, value]) => value).join(", ") : undefined;
  }

  text(): string {
    return new TextDecoder().decode(this.body);
  }

  /** Throws a `SyntaxError` if the body is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: as in `Response.json`
  json(): any {
    return JSON.parse(this.text());
  }
}

/** The response that ended a call, and what it means. */
export class Reply extends SupplierResponse {
  /** `ok`, `redirect`, `forbidden`, `exhausted`, `rejected`, or the `code` of the profile's rule. */
  readonly verdict: string;
  /** What the supplier asked to wait before the next request, where it gave a number; 0 is a number. */
  readonly retryAfterMs: number | undefined;
  /** Every attempt and every wait of the call. */
  readonly journal: Journal;

  constructor(
    response: SupplierResponse,
    detail: { verdict: string; retry_after_ms?: number | null; journal: Journal },
  ) {
    super(response);
    this.verdict = detail.verdict;
    this.retryAfterMs = detail.retry_after_ms ?? undefined;
    this.journal = detail.journal;
  }

  /** 2xx or 304, and no rule of the profile says otherwise. */
  get ok(): boolean {
    return this.verdict === "ok";
  }
}

/** One page of a list. */
export class Page<Item = unknown> {
  /** JSON array, cut out of the body unchanged: numbers keep their digits. */
  readonly json: string;
  readonly count: number;
  /** Where to go on, now or in next week's job; `undefined` at the end of the list. */
  readonly next: string | undefined;
  readonly response: SupplierResponse;
  readonly journal: Journal;
  readonly #parse: (json: string) => unknown;
  #items: Item[] | undefined;

  constructor(
    json: string,
    response: SupplierResponse,
    detail: { count: number; next?: string | null; journal: Journal },
    parse: (json: string) => unknown,
  ) {
    this.#parse = parse;
    this.json = json;
    this.count = detail.count;
    this.next = detail.next ?? undefined;
    this.response = response;
    this.journal = detail.journal;
  }

  /** Parsed on first use. */
  get items(): Item[] {
    this.#items ??= this.#parse(this.json) as Item[];
    return this.#items;
  }
}
