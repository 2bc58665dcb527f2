//! Between the contract's types and the report's.

use super::bindings::exports::supplier::client::client;
use super::bindings::supplier::client::types;
use crate::report;
use crate::scenario::Request;

/// A scenario's request as the component takes it. Its body was read once before
/// (`Call::check`).
pub fn wire_request(request: &Request) -> client::Request {
    let body = match String::from_utf8(request.body.bytes().unwrap_or_default()) {
        Ok(text) => client::Body::Text(text),
        Err(error) => client::Body::Bytes(error.into_bytes()),
    };
    client::Request {
        method: request.method().to_owned(),
        target: request.target().to_owned(),
        query: request.query.0.clone(),
        headers: request.headers.0.clone(),
        body,
        operation: request.operation.clone(),
        idempotency_key: request.idempotency_key.clone(),
        deadline_ms: request.deadline_ms,
        max_wait_ms: request.max_wait_ms,
    }
}

pub fn credentials(credentials: &[(String, String)]) -> Vec<types::Credential> {
    credentials.iter().map(|(name, value)| types::Credential { name: name.clone(), value: value.clone() }).collect()
}

pub fn problems(problems: Vec<types::Problem>) -> Vec<report::Problem> {
    let convert = |types::Problem { pointer, code, message }| report::Problem { pointer, code, message };
    problems.into_iter().map(convert).collect()
}

impl From<client::Response> for report::Response {
    fn from(response: client::Response) -> report::Response {
        let body = match response.body {
            client::Body::Text(text) => text.into_bytes(),
            client::Body::Bytes(bytes) => bytes,
        };
        report::Response { status: response.status, headers: response.headers, body }
    }
}

impl From<client::Reply> for report::Reply {
    fn from(reply: client::Reply) -> report::Reply {
        report::Reply {
            response: reply.response.into(),
            verdict: reply.verdict,
            retry_after_ms: reply.retry_after_ms,
            journal: reply.journal,
        }
    }
}

impl From<client::Page> for report::Page {
    fn from(page: client::Page) -> report::Page {
        report::Page {
            items: page.items,
            count: page.count,
            next: page.next,
            headers: page.headers,
            journal: page.journal,
        }
    }
}

impl From<client::Failure> for report::Failure {
    fn from(failure: client::Failure) -> report::Failure {
        report::Failure {
            kind: kind(failure.kind).to_owned(),
            code: failure.code,
            message: failure.message,
            retry_after_ms: failure.retry_after_ms,
            status: failure.status,
            response: failure.response.map(report::Response::from),
            journal: failure.journal,
        }
    }
}

fn kind(kind: client::FailureKind) -> &'static str {
    match kind {
        client::FailureKind::Invalid => "invalid",
        client::FailureKind::Denied => "denied",
        client::FailureKind::Throttled => "throttled",
        client::FailureKind::Unavailable => "unavailable",
        client::FailureKind::UnknownOutcome => "unknown-outcome",
        client::FailureKind::BadResponse => "bad-response",
        client::FailureKind::Cancelled => "cancelled",
        client::FailureKind::Internal => "internal",
    }
}
