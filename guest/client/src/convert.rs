//! Between the generated types of the contract and the engine's.

use crate::wit;
use supplier_engine::{Body, Credential, Failure, FailureKind, Headers, Ms, Problem, Request};
use supplier_http::Response;

pub fn credentials(given: Vec<wit::Credential>) -> Vec<Credential> {
    given.into_iter().map(|credential| Credential { name: credential.name, value: credential.value }).collect()
}

pub fn problems(found: Vec<Problem>) -> Vec<wit::Problem> {
    found
        .into_iter()
        .map(|problem| wit::Problem {
            pointer: problem.pointer,
            code: problem.code.to_owned(),
            message: problem.message,
        })
        .collect()
}

pub fn request(given: wit::Request) -> Request {
    Request {
        method: given.method,
        target: given.target,
        query: given.query,
        headers: Headers(given.headers),
        // `bytes` may hold UTF-8 all the same; to the policy it is text then.
        body: match given.body {
            wit::Body::Text(text) => Body::Text(text),
            wit::Body::Bytes(bytes) => Body::from_bytes(bytes),
        },
        operation: given.operation,
        idempotency_key: given.idempotency_key,
        deadline: given.deadline_ms.map(|ms| Ms(u64::from(ms))),
        max_wait: given.max_wait_ms.map(|ms| Ms(u64::from(ms))),
    }
}

pub fn response(response: Response) -> wit::Response {
    wit::Response {
        status: response.status,
        headers: response.headers.0,
        body: match response.body {
            Body::Text(text) => wit::Body::Text(text),
            Body::Bytes(bytes) => wit::Body::Bytes(bytes),
        },
    }
}

pub fn failure(failure: Failure, last: Option<Response>) -> wit::Failure {
    wit::Failure {
        kind: kind(failure.kind),
        code: failure.code,
        message: failure.message,
        retry_after_ms: failure.retry_after.map(Ms::saturated),
        status: failure.status,
        response: last.map(response),
        journal: failure.journal,
    }
}

/// What `once` says of a profile that cannot be opened: it has no list of problems to return.
pub fn unopened(problems: &[Problem]) -> wit::Failure {
    let mut message = String::from("the profile or its credentials cannot be used: ");
    for (nth, problem) in problems.iter().enumerate() {
        let separator = if nth == 0 { "" } else { "; " };
        let place = if problem.pointer.is_empty() { "the profile" } else { &problem.pointer };
        message.push_str(&format!("{separator}{place}: {} ({})", problem.message, problem.code));
    }
    stopped(wit::FailureKind::Invalid, "invalid-profile", message)
}

/// The engine ended a call in a way that this call cannot end in: a bug, but no trap.
pub fn unexpected(what: &str) -> wit::Failure {
    stopped(wit::FailureKind::Internal, "internal", format!("supplier-client has a bug: {what}; please report it"))
}

/// A failure that no call stands behind, so its journal is an empty object.
fn stopped(kind: wit::FailureKind, code: &str, message: String) -> wit::Failure {
    wit::Failure {
        kind,
        code: code.to_owned(),
        message,
        retry_after_ms: None,
        status: None,
        response: None,
        journal: String::from("{}"),
    }
}

fn kind(kind: FailureKind) -> wit::FailureKind {
    match kind {
        FailureKind::Invalid => wit::FailureKind::Invalid,
        FailureKind::Denied => wit::FailureKind::Denied,
        FailureKind::Throttled => wit::FailureKind::Throttled,
        FailureKind::Unavailable => wit::FailureKind::Unavailable,
        FailureKind::UnknownOutcome => wit::FailureKind::UnknownOutcome,
        FailureKind::BadResponse => wit::FailureKind::BadResponse,
        FailureKind::Cancelled => wit::FailureKind::Cancelled,
        FailureKind::Internal => wit::FailureKind::Internal,
    }
}
