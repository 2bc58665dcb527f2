//! A signed request as a resource of wasi:http. Nothing is added to what was signed but the
//! length of the body, and nothing is left out.

use crate::bindings::wasi::http::types::{Fields, HeaderError, Method, OutgoingRequest, RequestOptions, Scheme};
use crate::clock;
use crate::fault::Broke;
use supplier_engine::wasi::ErrorCode;
use supplier_engine::{Ms, Phase, Signed};

pub fn request(wire: &Signed) -> Result<OutgoingRequest, Broke> {
    let request = OutgoingRequest::new(fields(wire)?);
    request.set_method(&method(wire.method())).map_err(|()| Broke::from(ErrorCode::HttpRequestMethodInvalid))?;
    let scheme = if wire.https() { Scheme::Https } else { Scheme::Http };
    let placed = request
        .set_scheme(Some(&scheme))
        .and_then(|()| request.set_authority(Some(wire.authority())))
        .and_then(|()| request.set_path_with_query(Some(wire.path_and_query())));
    placed.map_err(|()| Broke::from(ErrorCode::HttpRequestUriInvalid))?;
    Ok(request)
}

/// Hints: hosts apply them differently or not at all (`cases.md`, B136), so the attempt's own
/// timer decides. Never 0 (B138), and never the host's defaults of many minutes. Connecting
/// gets a little less: a host that says "not connected" before our timer says nothing knows
/// more than we do, and such a request may be sent again.
pub fn options(timer: Ms) -> RequestOptions {
    let whole = Some(clock::nanos(Ms(timer.0.max(1))));
    let connect = Some(clock::nanos(Ms(timer.0.saturating_sub(timer.0 / 8).max(1))));
    let options = RequestOptions::new();
    // An option that the host does not know is no loss.
    let _ = options.set_connect_timeout(connect);
    let _ = options.set_first_byte_timeout(whole);
    let _ = options.set_between_bytes_timeout(whole);
    options
}

fn fields(wire: &Signed) -> Result<Fields, Broke> {
    let length = content_length(wire);
    let mut entries: Vec<(String, Vec<u8>)> =
        wire.headers().0.iter().map(|(name, value)| (name.clone(), value.clone().into_bytes())).collect();
    if let Some(length) = &length {
        entries.push((CONTENT_LENGTH.to_owned(), length.clone().into_bytes()));
    }
    // One crossing where all is well; the slow way finds out what the host does not like.
    match Fields::from_list(&entries) {
        Ok(fields) => Ok(fields),
        Err(_) => one_by_one(&entries),
    }
}

/// A host may forbid `content-length` and frame the body by itself. Any other header that it
/// refuses ends the attempt: unsigned or unkeyed, a request is not the one that was meant
/// (`cases.md`, B134).
fn one_by_one(entries: &[(String, Vec<u8>)]) -> Result<Fields, Broke> {
    let fields = Fields::new();
    for (name, value) in entries {
        match fields.append(name, value) {
            Ok(()) => {}
            Err(HeaderError::Forbidden) if name == CONTENT_LENGTH => {}
            Err(HeaderError::Forbidden | HeaderError::InvalidSyntax | HeaderError::Immutable) => {
                return Err(Broke::new(Phase::Never, format!("host-forbids-header {name}")));
            }
        }
    }
    Ok(fields)
}

const CONTENT_LENGTH: &str = "content-length";

/// Computed from the bytes that are sent, so it cannot differ from them (B135). Methods that
/// expect a body announce an empty one too (RFC 9110, 8.6).
fn content_length(wire: &Signed) -> Option<String> {
    let expected = matches!(wire.method(), "POST" | "PUT" | "PATCH");
    let length = wire.body().len();
    (expected || length > 0).then(|| length.to_string())
}

fn method(name: &str) -> Method {
    match name {
        "GET" => Method::Get,
        "HEAD" => Method::Head,
        "POST" => Method::Post,
        "PUT" => Method::Put,
        "DELETE" => Method::Delete,
        "CONNECT" => Method::Connect,
        "OPTIONS" => Method::Options,
        "TRACE" => Method::Trace,
        "PATCH" => Method::Patch,
        other => Method::Other(other.to_owned()),
    }
}
