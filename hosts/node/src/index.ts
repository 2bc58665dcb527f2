export type { AttemptEvent, WaitEvent } from "./call.js";
export { type ClientOptions, SupplierClient } from "./client.js";
export type { Credentials } from "./engine.js";
export {
  BadResponseError,
  CancelledError,
  DeniedError,
  type Failure,
  type FailureKind,
  InternalError,
  InvalidRequestError,
  LoadError,
  type Problem,
  ProfileError,
  SupplierError,
  ThrottledError,
  UnavailableError,
  UnknownOutcomeError,
} from "./errors.js";
export { FileStore } from "./file-store.js";
export { HttpTransport, type HttpTransportOptions } from "./http-transport.js";
export type { Health, Journal, JournalAttempt, JournalWait } from "./journal.js";
export { type IoRedis, type NodeRedis, RedisStore } from "./redis-store.js";
export type { SupplierRequest } from "./request.js";
export { Page, Reply, SupplierResponse } from "./response.js";
export { MemoryStore, type Store, type Swap } from "./store.js";
export type { Answered, Attempt, Broke, Caps, Headers, Phase, Transport } from "./transport.js";
