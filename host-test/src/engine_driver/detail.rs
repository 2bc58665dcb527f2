//! The JSON that crosses the engine's boundary.

use data_encoding::BASE64;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::report::{Failure, Outcome};
use crate::scenario::Request;

/// Of `step::send`.
#[derive(Debug, Deserialize)]
pub struct Send {
    pub method: String,
    pub url: String,
    pub headers: Vec<(String, String)>,
    pub caps: Caps,
    pub want: Want,
}

#[derive(Debug, Deserialize)]
pub struct Caps {
    pub body_bytes: usize,
    pub error_body_bytes: usize,
    pub header_bytes: usize,
}

#[derive(Debug, Deserialize)]
pub struct Want {
    pub ok: bool,
    pub error: bool,
}

/// Of `step::store`.
#[derive(Debug, Deserialize)]
pub struct Store {
    pub key: String,
    pub expect: Option<String>,
    pub value: Option<String>,
    pub ttl_ms: u64,
}

/// Of `step::reply`.
#[derive(Debug, Deserialize)]
pub struct Reply {
    pub verdict: String,
    pub retry_after_ms: Option<u32>,
    pub journal: Value,
}

/// Of `step::page`.
#[derive(Debug, Deserialize)]
pub struct Page {
    pub count: u32,
    pub next: Option<String>,
    pub journal: Value,
}

/// Of `step::failed`.
#[derive(Debug, Deserialize)]
pub struct Failed {
    pub kind: String,
    pub code: String,
    pub message: String,
    pub retry_after_ms: Option<u32>,
    pub status: Option<u16>,
    #[serde(default)]
    pub journal: Value,
}

impl Failed {
    pub fn into_failure(self) -> Failure {
        Failure {
            kind: self.kind,
            code: self.code,
            message: self.message,
            retry_after_ms: self.retry_after_ms,
            status: self.status,
            response: None,
            journal: self.journal.to_string(),
        }
    }
}

/// A request as `begin` and `explain` take it: JSON, body, and whether that is base64.
pub fn request(request: &Request, position: Option<&str>, page: bool) -> (String, String, bool) {
    let mut document = json!({
        "method": request.method(),
        "target": request.target(),
        "query": request.query.0,
        "headers": request.headers.0,
        "operation": request.operation,
        "idempotency_key": request.idempotency_key,
        "deadline_ms": request.deadline_ms,
        "max_wait_ms": request.max_wait_ms,
        "goal": if page { "page" } else { "reply" },
        "position": position,
    });
    if let Value::Object(members) = &mut document {
        members.retain(|_, value| !value.is_null());
    }
    // Read once before (`Call::check`).
    let (body, base64) = encode(request.body.bytes().unwrap_or_default());
    (document.to_string(), body, base64)
}

/// A failure of `explain` stands under `failure`.
pub fn explanation(text: String) -> Outcome {
    #[derive(Deserialize)]
    struct Failing {
        failure: Failed,
    }
    match serde_json::from_str::<Failing>(&text) {
        Ok(failing) => Outcome::Failure(failing.failure.into_failure()),
        Err(_) => Outcome::Explained(text),
    }
}

/// Text as it is, everything else as base64.
pub fn encode(bytes: Vec<u8>) -> (String, bool) {
    match String::from_utf8(bytes) {
        Ok(text) => (text, false),
        Err(error) => (BASE64.encode(error.as_bytes()), true),
    }
}

pub fn decode(text: String, base64: bool) -> Result<Vec<u8>, String> {
    if !base64 {
        return Ok(text.into_bytes());
    }
    BASE64.decode(text.as_bytes()).map_err(|error| format!("the body that the engine gave is not base64: {error}"))
}
