import type { Journal } from "./journal.js";
import type { SupplierResponse } from "./response.js";

/** Who has to act. Closed: a `switch` may be exhaustive. */
export type FailureKind =
  | "invalid"
  | "denied"
  | "throttled"
  | "unavailable"
  | "unknown-outcome"
  | "bad-response"
  | "cancelled"
  | "internal";

export interface Failure {
  readonly kind: FailureKind;
  readonly code: string;
  readonly message: string;
  readonly retryAfterMs?: number | undefined;
  readonly status?: number | undefined;
  readonly response?: SupplierResponse | undefined;
  readonly journal?: Journal | undefined;
  readonly cause?: unknown;
}

/** Why no reply or page can be handed over. One subclass for each `kind`. */
export abstract class SupplierError extends Error {
  abstract readonly kind: FailureKind;
  /** The precise reason: `wait-too-long`, `maybe-applied`, ... New ones may come. */
  readonly code: string;
  /** When it is worth calling again, where the supplier gave a number. */
  readonly retryAfterMs: number | undefined;
  /** The last status heard, also of a response whose body never came whole. */
  readonly status: number | undefined;
  // Private, so that printing the error prints neither.
  readonly #response: SupplierResponse | undefined;
  readonly #journal: Journal | undefined;

  constructor(failure: Failure) {
    super(failure.message, failure.cause === undefined ? undefined : { cause: failure.cause });
    this.name = new.target.name;
    this.code = failure.code;
    this.retryAfterMs = failure.retryAfterMs;
    this.status = failure.status;
    this.#response = failure.response;
    this.#journal = failure.journal;
  }

  /** The complete response of the last attempt, if there was one. */
  get response(): SupplierResponse | undefined {
    return this.#response;
  }

  /** Every attempt and every wait of the call. */
  get journal(): Journal | undefined {
    return this.#journal;
  }
}

/** The request cannot be sent as it is. Nothing was sent. */
export class InvalidRequestError extends SupplierError {
  readonly kind = "invalid";
}

/** The supplier or this host refused. Repeating it changes nothing. */
export class DeniedError extends SupplierError {
  readonly kind = "denied";
}

/** A limit: wait `retryAfterMs`, then call again. */
export class ThrottledError extends SupplierError {
  readonly kind = "throttled";
}

/** No complete response came, though it may come later. */
export class UnavailableError extends SupplierError {
  readonly kind = "unavailable";
}

/** The supplier may have done what an unsafe request asked for. Find out before repeating it. */
export class UnknownOutcomeError extends SupplierError {
  readonly kind = "unknown-outcome";
}

/** A response came, and it is not what the profile says it should be. */
export class BadResponseError extends SupplierError {
  readonly kind = "bad-response";
}

/** The call's deadline or its `signal` ended it. With a signal, `name` is `AbortError`, as in Node's own API. */
export class CancelledError extends SupplierError {
  readonly kind = "cancelled";
}

/** A fault of this host, its clock or its configuration. */
export class InternalError extends SupplierError {
  readonly kind = "internal";
}

const CLASSES = {
  invalid: InvalidRequestError,
  denied: DeniedError,
  throttled: ThrottledError,
  unavailable: UnavailableError,
  "unknown-outcome": UnknownOutcomeError,
  "bad-response": BadResponseError,
  cancelled: CancelledError,
  internal: InternalError,
} satisfies Record<FailureKind, unknown>;

export function failed(failure: Failure): SupplierError {
  return new (CLASSES[failure.kind] ?? InternalError)(failure);
}

/** One mistake in a profile, its overrides or a credential. */
export interface Problem {
  /** JSON Pointer into the profile with its overrides applied. */
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

/** The profile or the credentials are not usable; `problems` has every mistake. */
export class ProfileError extends Error {
  override readonly name = "ProfileError";

  constructor(readonly problems: readonly Problem[]) {
    const lines = problems.map(({ pointer, message }) => `\n  ${pointer || "(profile)"}: ${message}`);
    super(`the profile or its credentials cannot be used:${lines.join("")}`);
  }
}

/** The engine's files are missing or of another version. */
export class LoadError extends Error {
  override readonly name = "LoadError";
}
