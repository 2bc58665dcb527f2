//! What the host's error codes mean to the policy.

use crate::bindings::wasi::http::types::{self, ErrorCode as Wasi};
use crate::bindings::wasi::io::streams::StreamError;
use supplier_engine::wasi::ErrorCode;
use supplier_engine::{Event, Headers, Phase};

/// The longest detail that is passed on, in characters.
const DETAIL: usize = 80;

/// Why an attempt brought no complete response.
pub struct Broke {
    phase: Phase,
    code: String,
    head: Option<(u16, Headers)>,
}

impl Broke {
    pub fn new(phase: Phase, code: impl Into<String>) -> Broke {
        Broke { phase, code: code.into(), head: None }
    }

    /// Our own timer: nobody can say how far the attempt got (`cases.md`, B137).
    pub fn timed_out() -> Broke {
        Broke::new(Phase::MaybeSent, "attempt-timeout")
    }

    /// Status and headers had arrived, so the request was sent, whatever the host says.
    pub fn after_head(mut self, status: u16, headers: Headers) -> Broke {
        self.phase = match self.phase {
            Phase::NotSent | Phase::MaybeSent | Phase::Never => Phase::MaybeSent,
            Phase::TooLarge => Phase::TooLarge,
        };
        self.head = Some((status, headers));
        self
    }

    pub fn into_event(self) -> Event {
        Event::Broke { phase: self.phase, code: self.code, head: self.head }
    }
}

impl From<ErrorCode> for Broke {
    fn from(code: ErrorCode) -> Broke {
        Broke::new(code.phase(), code.name())
    }
}

impl From<Wasi> for Broke {
    fn from(error: Wasi) -> Broke {
        let (code, detail) = classify(error);
        let mut broke = Broke::from(code);
        if let Some(detail) = detail.as_deref().map(one_line).filter(|detail| !detail.is_empty()) {
            broke.code.push(' ');
            broke.code.push_str(&detail);
        }
        broke
    }
}

/// A response's body that ended in an error. Where the host has no code for it, the one thing
/// known is that the body is not whole; wasmtime 48 has none for any error of a body.
impl From<StreamError> for Broke {
    fn from(error: StreamError) -> Broke {
        let code = match error {
            StreamError::LastOperationFailed(error) => types::http_error_code(&error),
            StreamError::Closed => None,
        };
        code.map_or_else(|| Broke::from(ErrorCode::HttpResponseIncomplete), Broke::from)
    }
}

/// Every case by name, so that a new one in a later wasi:http does not compile until somebody
/// has decided what it means.
fn classify(error: Wasi) -> (ErrorCode, Option<String>) {
    let code = match error {
        Wasi::DnsTimeout => ErrorCode::DnsTimeout,
        Wasi::DnsError(payload) => return (ErrorCode::DnsError, payload.rcode),
        Wasi::DestinationNotFound => ErrorCode::DestinationNotFound,
        Wasi::DestinationUnavailable => ErrorCode::DestinationUnavailable,
        Wasi::DestinationIpProhibited => ErrorCode::DestinationIpProhibited,
        Wasi::DestinationIpUnroutable => ErrorCode::DestinationIpUnroutable,
        Wasi::ConnectionRefused => ErrorCode::ConnectionRefused,
        Wasi::ConnectionTerminated => ErrorCode::ConnectionTerminated,
        Wasi::ConnectionTimeout => ErrorCode::ConnectionTimeout,
        Wasi::ConnectionReadTimeout => ErrorCode::ConnectionReadTimeout,
        Wasi::ConnectionWriteTimeout => ErrorCode::ConnectionWriteTimeout,
        Wasi::ConnectionLimitReached => ErrorCode::ConnectionLimitReached,
        Wasi::TlsProtocolError => ErrorCode::TlsProtocolError,
        Wasi::TlsCertificateError => ErrorCode::TlsCertificateError,
        Wasi::TlsAlertReceived(_) => ErrorCode::TlsAlertReceived,
        Wasi::HttpRequestDenied => ErrorCode::HttpRequestDenied,
        Wasi::HttpRequestLengthRequired => ErrorCode::HttpRequestLengthRequired,
        Wasi::HttpRequestBodySize(_) => ErrorCode::HttpRequestBodySize,
        Wasi::HttpRequestMethodInvalid => ErrorCode::HttpRequestMethodInvalid,
        Wasi::HttpRequestUriInvalid => ErrorCode::HttpRequestUriInvalid,
        Wasi::HttpRequestUriTooLong => ErrorCode::HttpRequestUriTooLong,
        Wasi::HttpRequestHeaderSectionSize(_) => ErrorCode::HttpRequestHeaderSectionSize,
        Wasi::HttpRequestHeaderSize(_) => ErrorCode::HttpRequestHeaderSize,
        Wasi::HttpRequestTrailerSectionSize(_) => ErrorCode::HttpRequestTrailerSectionSize,
        Wasi::HttpRequestTrailerSize(_) => ErrorCode::HttpRequestTrailerSize,
        Wasi::HttpResponseIncomplete => ErrorCode::HttpResponseIncomplete,
        Wasi::HttpResponseHeaderSectionSize(_) => ErrorCode::HttpResponseHeaderSectionSize,
        Wasi::HttpResponseHeaderSize(_) => ErrorCode::HttpResponseHeaderSize,
        Wasi::HttpResponseBodySize(_) => ErrorCode::HttpResponseBodySize,
        Wasi::HttpResponseTrailerSectionSize(_) => ErrorCode::HttpResponseTrailerSectionSize,
        Wasi::HttpResponseTrailerSize(_) => ErrorCode::HttpResponseTrailerSize,
        Wasi::HttpResponseTransferCoding(_) => ErrorCode::HttpResponseTransferCoding,
        Wasi::HttpResponseContentCoding(_) => ErrorCode::HttpResponseContentCoding,
        Wasi::HttpResponseTimeout => ErrorCode::HttpResponseTimeout,
        Wasi::HttpUpgradeFailed => ErrorCode::HttpUpgradeFailed,
        Wasi::HttpProtocolError => ErrorCode::HttpProtocolError,
        Wasi::LoopDetected => ErrorCode::LoopDetected,
        Wasi::ConfigurationError => ErrorCode::ConfigurationError,
        Wasi::InternalError(detail) => return (ErrorCode::InternalError, detail),
    };
    (code, None)
}

/// The host's own words, fit for a journal line: no control or line break, and not endless.
fn one_line(detail: &str) -> String {
    let words = detail.split(|c: char| c.is_control() || c.is_whitespace()).filter(|word| !word.is_empty());
    let mut line = String::new();
    for word in words {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > 4 * DETAIL {
            break;
        }
    }
    line.chars().take(DETAIL).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bindings::wasi::http::types::DnsErrorPayload;

    #[test]
    fn the_raw_rcode_is_kept() {
        // B140: a port exhaustion that the host calls a DNS error.
        let rcode = Some(String::from("address not available"));
        let broke = Broke::from(Wasi::DnsError(DnsErrorPayload { rcode, info_code: None }));
        assert_eq!(broke.code, "dns-error address not available");
        assert_eq!(broke.phase, Phase::NotSent);
    }

    #[test]
    fn a_detail_is_one_short_line() {
        let broke = Broke::from(Wasi::InternalError(Some(String::from("a\r\nb\u{7f}\u{85}c\t d"))));
        assert_eq!(broke.code, "internal-error a b c d");
        let broke = Broke::from(Wasi::InternalError(Some("é".repeat(5000))));
        assert_eq!(broke.code.chars().count(), "internal-error ".len() + DETAIL);
        assert_eq!(Broke::from(Wasi::InternalError(Some(String::from("\n")))).code, "internal-error");
    }

    #[test]
    fn a_head_proves_that_the_request_was_sent() {
        let broke = Broke::from(ErrorCode::ConnectionRefused).after_head(201, Headers::default());
        assert_eq!(broke.phase, Phase::MaybeSent);
        let broke = Broke::from(ErrorCode::HttpResponseBodySize).after_head(200, Headers::default());
        assert_eq!(broke.phase, Phase::TooLarge);
    }
}
