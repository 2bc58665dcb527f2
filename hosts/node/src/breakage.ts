import type { Phase } from "./transport.js";

/** Where an exchange was when it broke. */
export type Stage = "connecting" | "connected" | "responding";

export interface Breakage {
  readonly phase: Phase;
  readonly code: string;
}

/** Names of wasi:http for what Node says before a connection stands. Nothing was sent then. */
const CONNECTING: Record<string, string> = {
  ECONNREFUSED: "connection-refused",
  ECONNRESET: "connection-terminated",
  ENOTFOUND: "dns-error",
  EAI_AGAIN: "dns-error",
  EAI_FAIL: "dns-error",
  EAI_NODATA: "dns-error",
  EAI_NONAME: "dns-error",
  ETIMEDOUT: "connection-timeout",
  EHOSTUNREACH: "destination-ip-unroutable",
  ENETUNREACH: "destination-ip-unroutable",
  ENETDOWN: "destination-ip-unroutable",
  EHOSTDOWN: "destination-unavailable",
  EADDRNOTAVAIL: "connection-limit-reached",
  EMFILE: "connection-limit-reached",
  ENFILE: "connection-limit-reached",
  EPROTO: "tls-protocol-error",
};

/** What Node says on a connection that stands. The request may have been read. */
const CONNECTED: Record<string, string> = {
  ECONNRESET: "connection-terminated",
  ECONNABORTED: "connection-terminated",
  EPIPE: "connection-terminated",
  ETIMEDOUT: "connection-read-timeout",
  HPE_INVALID_TRANSFER_ENCODING: "http-response-transfer-coding",
  HPE_INVALID_CHUNK_SIZE: "http-response-transfer-coding",
};

/** What Node refuses to put on the wire, at any time. */
const REFUSED: Record<string, string> = {
  ERR_INVALID_URL: "http-request-uri-invalid",
  ERR_UNESCAPED_CHARACTERS: "http-request-uri-invalid",
  ERR_INVALID_HTTP_TOKEN: "http-request-method-invalid",
  ERR_INVALID_CHAR: "http-request-denied",
  ERR_INVALID_PROTOCOL: "configuration-error",
};

/** Why OpenSSL, or Node after it, does not trust a certificate (`X509_V_ERR_*` without its prefix). */
const CERTIFICATE =
  /^(CERT_|UNABLE_TO_(GET_ISSUER|GET_CRL|VERIFY|DECRYPT_C|DECODE)|DEPTH_ZERO_|SELF_SIGNED_|CRL_|INVALID_(CA|PURPOSE)|PATH_LENGTH_|HOSTNAME_MISMATCH|ERR_TLS_CERT_)/;

/** Maps an error of Node's to what it says about the request. Unknown means that it may have been sent. */
export function breakage(error: unknown, stage: Stage): Breakage {
  const native = nativeCode(error);
  const as = (phase: Phase, code: string): Breakage => ({ phase, code: native ? `${code} ${native}` : code });
  const refused = REFUSED[native];
  if (refused) return as("never", refused);
  if (native === "HPE_HEADER_OVERFLOW") return as("too-large", "http-response-header-section-size");
  if (stage === "connecting") {
    if (CERTIFICATE.test(native)) return as("never", "tls-certificate-error");
    if (native.includes("_ALERT_")) return as("not-sent", "tls-alert-received");
    if (native.startsWith("ERR_SSL_")) return as("not-sent", "tls-protocol-error");
    return as("not-sent", CONNECTING[native] ?? "destination-unavailable");
  }
  if (native.includes("_ALERT_")) return as("maybe-sent", "tls-alert-received");
  if (stage === "responding" && !native.startsWith("HPE_"))
    return as("maybe-sent", "http-response-incomplete");
  const code = CONNECTED[native] ?? (native.startsWith("HPE_") ? "http-protocol-error" : "internal-error");
  return as("maybe-sent", code);
}

function nativeCode(error: unknown): string {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : "";
}
