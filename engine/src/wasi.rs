//! The error codes of wasi:http 0.2 and what each says about the request.

use crate::event::Phase;

macro_rules! codes {
    ($($variant:ident $name:literal $phase:ident;)*) => {
        /// One per case of `wasi:http/types.error-code`, payloads left out.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum ErrorCode { $($variant),* }

        impl ErrorCode {
            pub const ALL: &'static [ErrorCode] = &[$(ErrorCode::$variant),*];

            /// The case's name in lower case.
            pub fn name(self) -> &'static str {
                match self { $(ErrorCode::$variant => $name),* }
            }

            /// How far the attempt can have got (`cases.md`, D7 and B142).
            pub fn phase(self) -> Phase {
                match self { $(ErrorCode::$variant => Phase::$phase),* }
            }

            pub fn parse(name: &str) -> Option<ErrorCode> {
                Self::ALL.iter().copied().find(|code| code.name() == name)
            }
        }
    };
}

codes! {
    DnsTimeout "dns-timeout" NotSent;
    DnsError "dns-error" NotSent;
    DestinationNotFound "destination-not-found" NotSent;
    DestinationUnavailable "destination-unavailable" NotSent;
    DestinationIpProhibited "destination-ip-prohibited" Never;
    DestinationIpUnroutable "destination-ip-unroutable" NotSent;
    ConnectionRefused "connection-refused" NotSent;
    ConnectionTerminated "connection-terminated" MaybeSent;
    ConnectionTimeout "connection-timeout" NotSent;
    ConnectionReadTimeout "connection-read-timeout" MaybeSent;
    ConnectionWriteTimeout "connection-write-timeout" MaybeSent;
    ConnectionLimitReached "connection-limit-reached" NotSent;
    TlsProtocolError "tls-protocol-error" NotSent;
    TlsCertificateError "tls-certificate-error" Never;
    TlsAlertReceived "tls-alert-received" MaybeSent;
    HttpRequestDenied "http-request-denied" Never;
    HttpRequestLengthRequired "http-request-length-required" Never;
    HttpRequestBodySize "http-request-body-size" Never;
    HttpRequestMethodInvalid "http-request-method-invalid" Never;
    HttpRequestUriInvalid "http-request-uri-invalid" Never;
    HttpRequestUriTooLong "http-request-uri-too-long" Never;
    HttpRequestHeaderSectionSize "http-request-header-section-size" Never;
    HttpRequestHeaderSize "http-request-header-size" Never;
    HttpRequestTrailerSectionSize "http-request-trailer-section-size" Never;
    HttpRequestTrailerSize "http-request-trailer-size" Never;
    HttpResponseIncomplete "http-response-incomplete" MaybeSent;
    HttpResponseHeaderSectionSize "http-response-header-section-size" TooLarge;
    HttpResponseHeaderSize "http-response-header-size" TooLarge;
    HttpResponseBodySize "http-response-body-size" TooLarge;
    HttpResponseTrailerSectionSize "http-response-trailer-section-size" TooLarge;
    HttpResponseTrailerSize "http-response-trailer-size" TooLarge;
    HttpResponseTransferCoding "http-response-transfer-coding" MaybeSent;
    HttpResponseContentCoding "http-response-content-coding" MaybeSent;
    HttpResponseTimeout "http-response-timeout" MaybeSent;
    HttpUpgradeFailed "http-upgrade-failed" MaybeSent;
    HttpProtocolError "http-protocol-error" MaybeSent;
    LoopDetected "loop-detected" Never;
    ConfigurationError "configuration-error" Never;
    InternalError "internal-error" MaybeSent;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// B142: the table that people read is this one.
    #[test]
    fn every_code_is_documented() {
        let page = include_str!("../../docs/error-codes.md");
        let documented = page.lines().skip_while(|line| *line != "| code | phase |").skip(2);
        let named = |code: &ErrorCode| {
            let phase = match code.phase() {
                Phase::NotSent => "not-sent",
                Phase::MaybeSent => "maybe-sent",
                Phase::Never => "never",
                Phase::TooLarge => "too-large",
            };
            format!("| `{}` | `{phase}` |", code.name())
        };
        assert!(documented.eq(ErrorCode::ALL.iter().map(named)));
    }
}
