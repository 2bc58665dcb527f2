//! The script's error codes as wasmtime's.

use supplier_engine::wasi::ErrorCode;
use wasmtime_wasi_http::Error;

/// `detail` fills the payload of those codes that carry a text.
pub fn error(code: &str, detail: Option<String>) -> Error {
    let Some(code) = ErrorCode::parse(code) else {
        return Error::InternalError(Some(format!("no wasi:http error code: {code}")));
    };
    match code {
        ErrorCode::DnsTimeout => Error::DnsTimeout,
        ErrorCode::DnsError => Error::DnsError { rcode: detail, info_code: None },
        ErrorCode::DestinationNotFound => Error::DestinationNotFound,
        ErrorCode::DestinationUnavailable => Error::DestinationUnavailable,
        ErrorCode::DestinationIpProhibited => Error::DestinationIpProhibited,
        ErrorCode::DestinationIpUnroutable => Error::DestinationIpUnroutable,
        ErrorCode::ConnectionRefused => Error::ConnectionRefused,
        ErrorCode::ConnectionTerminated => Error::ConnectionTerminated,
        ErrorCode::ConnectionTimeout => Error::ConnectionTimeout,
        ErrorCode::ConnectionReadTimeout => Error::ConnectionReadTimeout,
        ErrorCode::ConnectionWriteTimeout => Error::ConnectionWriteTimeout,
        ErrorCode::ConnectionLimitReached => Error::ConnectionLimitReached,
        ErrorCode::TlsProtocolError => Error::TlsProtocolError,
        ErrorCode::TlsCertificateError => Error::TlsCertificateError,
        ErrorCode::TlsAlertReceived => Error::TlsAlertReceived { alert_id: None, alert_message: detail },
        ErrorCode::HttpRequestDenied => Error::HttpRequestDenied,
        ErrorCode::HttpRequestLengthRequired => Error::HttpRequestLengthRequired,
        ErrorCode::HttpRequestBodySize => Error::HttpRequestBodySize(None),
        ErrorCode::HttpRequestMethodInvalid => Error::HttpRequestMethodInvalid,
        ErrorCode::HttpRequestUriInvalid => Error::HttpRequestUriInvalid,
        ErrorCode::HttpRequestUriTooLong => Error::HttpRequestUriTooLong,
        ErrorCode::HttpRequestHeaderSectionSize => Error::HttpRequestHeaderSectionSize(None),
        ErrorCode::HttpRequestHeaderSize => Error::HttpRequestHeaderSize { field_name: detail, field_size: None },
        ErrorCode::HttpRequestTrailerSectionSize => Error::HttpRequestTrailerSectionSize(None),
        ErrorCode::HttpRequestTrailerSize => Error::HttpRequestTrailerSize { field_name: detail, field_size: None },
        ErrorCode::HttpResponseIncomplete => Error::HttpResponseIncomplete,
        ErrorCode::HttpResponseHeaderSectionSize => Error::HttpResponseHeaderSectionSize(None),
        ErrorCode::HttpResponseHeaderSize => Error::HttpResponseHeaderSize { field_name: detail, field_size: None },
        ErrorCode::HttpResponseBodySize => Error::HttpResponseBodySize(None),
        ErrorCode::HttpResponseTrailerSectionSize => Error::HttpResponseTrailerSectionSize(None),
        ErrorCode::HttpResponseTrailerSize => Error::HttpResponseTrailerSize { field_name: detail, field_size: None },
        ErrorCode::HttpResponseTransferCoding => Error::HttpResponseTransferCoding(detail),
        ErrorCode::HttpResponseContentCoding => Error::HttpResponseContentCoding(detail),
        ErrorCode::HttpResponseTimeout => Error::HttpResponseTimeout,
        ErrorCode::HttpUpgradeFailed => Error::HttpUpgradeFailed,
        ErrorCode::HttpProtocolError => Error::HttpProtocolError,
        ErrorCode::LoopDetected => Error::LoopDetected,
        ErrorCode::ConfigurationError => Error::ConfigurationError,
        ErrorCode::InternalError => Error::InternalError(detail),
    }
}
