/** Name and value pairs in wire order; a name may occur more than once. */
export type Headers = readonly (readonly [name: string, value: string])[];

/** One attempt, signed. It is stale soon: send it at once, exactly as it is, once. */
export interface Attempt {
  readonly method: string;
  /** Absolute. What follows the authority is the request target, byte for byte. */
  readonly url: string;
  /** Every header but `host`, `content-length` and `connection`, which the transport adds. */
  readonly headers: Headers;
  /** Empty for none. */
  readonly body: Uint8Array;
  readonly caps: Caps;
}

/** What may be read of one response, in bytes. */
export interface Caps {
  /** Body of a response below 400; one byte more is `too-large`. */
  readonly body_bytes: number;
  /** Body of a response from 400 on; what is longer is cut here and counts as answered. */
  readonly error_body_bytes: number;
  /** Names and values together; one byte more is `too-large`. */
  readonly header_bytes: number;
}

/**
 * How far a broken attempt got. `not-sent`: the supplier cannot have seen the request. `maybe-sent`: it may
 * have, or the transport does not know. `never`: no attempt can succeed. `too-large`: the response is longer
 * than the caps.
 */
export type Phase = "not-sent" | "maybe-sent" | "never" | "too-large";

export interface Answered {
  readonly answered: true;
  readonly status: number;
  readonly headers: Headers;
  /** As it came, without decompression. */
  readonly body: Uint8Array;
}

export interface Broke {
  readonly answered: false;
  readonly phase: Phase;
  /** A wasi:http error code in lower case where one fits, optionally a space and a detail without secrets. */
  readonly code: string;
  /** Status and headers, if they had arrived. */
  readonly status?: number;
  readonly headers?: Headers;
}

/**
 * Carries attempts over the network. Whoever writes one promises: target and headers untouched; no redirects,
 * retries, cookies, cache or decompression; no queue in front of the connection; caps enforced while reading;
 * a body shorter than its content-length is `broke`; when `signal` aborts, the exchange ends and the promise
 * settles at once. It resolves in every case; a rejection counts as `maybe-sent`.
 */
export interface Transport {
  send(attempt: Attempt, signal: AbortSignal): Promise<Answered | Broke>;
  /** Ends idle connections. */
  close?(): void;
}
