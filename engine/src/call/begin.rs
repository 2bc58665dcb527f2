//! Checking a request before anything happens.

use super::{Call, State};
use crate::Goal;
use crate::entropy::Entropy;
use crate::event::{Failure, FailureKind, Why};
use crate::field;
use crate::http::{Body, Headers, Request};
use crate::journal::Journal;
use crate::json;
use crate::order::Due;
use crate::paging::{Fault, Next, Placed, Position, fingerprint, place};
use crate::profile::{Idempotency, Place, Policy, Profile};
use crate::retry::Repeatable;
use crate::sign::Draft;
use crate::time::{Mono, Ms};
use crate::uri;
use std::sync::Arc;

/// A request that cannot be sent: kind, code, what is wrong and what to do.
type Refusal = (FailureKind, &'static str, String);

impl Call {
    /// See `Supplier::begin`.
    pub(crate) fn begin(profile: &Profile, goal: Goal, entropy: [u8; 16]) -> Result<Call, Failure> {
        let (request, position) = match goal {
            Goal::Reply(request) => (request, None),
            Goal::Page { request, position } => (request, Some(position)),
        };
        let mut journal = Journal::new(
            &profile.supplier,
            profile.base_url.authority(),
            if field::is_name(&request.method) { &request.method } else { "?" },
            request.operation.clone().filter(|name| profile.operations.contains_key(name)),
        );
        match Call::check(profile, request, position, &mut journal) {
            Ok(Checked { policy, draft, position, repeatable, deadline, max_wait }) => {
                let pool = policy.pool.clone().unwrap_or_else(|| "default".to_owned());
                Ok(Call {
                    pool_key: pool_key(profile, &pool),
                    policy,
                    draft,
                    position,
                    repeatable,
                    pool,
                    deadline,
                    max_wait,
                    entropy: Entropy::new(entropy),
                    journal,
                    began: None,
                    attempts: 0,
                    losses: 0,
                    resynced: false,
                    last_status: None,
                    asked: None,
                    state: State::Waiting(Due::at(Mono(0)), Why::Budget),
                })
            }
            Err((kind, code, message)) => {
                let message = journal.says(&message);
                Err(Failure {
                    kind,
                    code: code.to_owned(),
                    message,
                    retry_after: None,
                    status: None,
                    journal: journal.close(code, None),
                })
            }
        }
    }

    fn check(
        profile: &Profile,
        request: Request,
        position: Option<Option<String>>,
        journal: &mut Journal,
    ) -> Result<Checked, Refusal> {
        let policy = match &request.operation {
            None => profile.policy.clone(),
            Some(name) => match profile.operations.get(name) {
                Some(policy) => policy.clone(),
                None => {
                    return Err(invalid(
                        "invalid-request",
                        "the profile has no such operation; see its \"operations\"",
                    ));
                }
            },
        };
        // RFC 9110, 9.1: methods are case-sensitive, and none is registered in lower case.
        let is_shouted = !request.method.bytes().any(|b| b.is_ascii_lowercase());
        if !field::is_name(&request.method) || !is_shouted || matches!(request.method.as_str(), "CONNECT" | "TRACE") {
            return Err(invalid(
                "invalid-request",
                "the method is not one that can be sent; write GET, POST, ..., in upper case",
            ));
        }
        let path_and_query = uri::join(&profile.base_url, &request.target, &request.query)
            .map_err(|why| invalid("invalid-path", why))?;
        check_headers(profile, &policy, &request.headers)?;
        if request.deadline == Some(Ms::ZERO) {
            return Err(invalid(
                "invalid-request",
                "a deadline of 0 ms leaves no time; leave it out for the profile's",
            ));
        }
        if request.body.len() > policy.caps.request_body_bytes as usize {
            return Err(invalid("request-too-large", "the body is longer than caps.request_body_bytes allows"));
        }
        let keyed = request.idempotency_key.is_some();
        let repeatable = Repeatable::of(&request.method, keyed);
        let deadline = request.deadline.unwrap_or(Ms(u64::from(policy.retry.deadline_ms)));
        let max_wait = request.max_wait;
        let position = match position {
            None => None,
            Some(text) => Some(check_position(profile, &policy, &request, text.as_deref())?),
        };
        if let Some(position) = &position {
            journal.on_page(position.pages.saturating_add(1));
        }
        let mut placed = Placed { path_and_query, headers: request.headers, body: request.body };
        if let Some(position) = position.as_ref().filter(|position| position.pages > 0) {
            let pages = policy.pages.as_ref().ok_or_else(no_pages)?;
            placed = place(pages, &profile.base_url, &position.next, placed)
                .map_err(|why| invalid("invalid-position", why))?;
        }
        place_key(policy.idempotency.as_ref(), request.idempotency_key.as_deref(), &request.method, &mut placed)?;
        let draft = Draft {
            method: request.method,
            path_and_query: placed.path_and_query,
            headers: placed.headers,
            body: Arc::new(placed.body),
            idempotency_key: request.idempotency_key,
        };
        Ok(Checked { policy, draft, position, repeatable, deadline, max_wait })
    }
}

struct Checked {
    policy: Arc<Policy>,
    draft: Draft,
    position: Option<Position>,
    repeatable: Repeatable,
    deadline: Ms,
    max_wait: Option<Ms>,
}

fn invalid(code: &'static str, message: &str) -> Refusal {
    (FailureKind::Invalid, code, message.to_owned())
}

fn no_pages() -> Refusal {
    invalid("invalid-request", "the profile does not say how this operation pages; give it \"pages\"")
}

/// Refuses, never repairs (`cases.md`, B70, B81, B128, B132).
fn check_headers(profile: &Profile, policy: &Policy, headers: &Headers) -> Result<(), Refusal> {
    let mut bytes = 0usize;
    for (index, (name, value)) in headers.0.iter().enumerate() {
        if !field::is_name(name) {
            let message = format!("the name of header {index} (from 0) is not a token (RFC 9110, 5.1)");
            return Err((FailureKind::Invalid, "invalid-header", message));
        }
        if !field::is_value(value) {
            let message =
                format!("the value of header {name} has a control character or white space around it (RFC 9110, 5.5)");
            return Err((FailureKind::Invalid, "invalid-header", message));
        }
        if field::is_reserved(name) || profile.owns_header(policy, name) {
            let message = format!("the header {name} belongs to the profile or to the host; leave it out");
            return Err((FailureKind::Invalid, "reserved-header", message));
        }
        bytes = bytes.saturating_add(name.len()).saturating_add(value.len());
    }
    if bytes > policy.caps.header_bytes as usize {
        return Err(invalid("request-headers-too-large", "the headers are longer than caps.header_bytes allows"));
    }
    Ok(())
}

fn check_position(
    profile: &Profile,
    policy: &Policy,
    request: &Request,
    text: Option<&str>,
) -> Result<Position, Refusal> {
    if policy.pages.is_none() {
        return Err(no_pages());
    }
    let of = fingerprint(&profile.supplier, request);
    let Some(text) = text else { return Ok(Position::start(of)) };
    let position = Position::parse(text, &of).map_err(|fault| match fault {
        Fault::Unreadable => invalid("invalid-position", "the position is not one that a page gave; start without one"),
        Fault::Foreign => invalid("foreign-position", "the position belongs to another supplier, operation or request"),
    })?;
    match &position.next {
        Next::Stuck(code) => Err(stuck(code)),
        _ => Ok(position),
    }
}

/// The page before this one could not be followed; its items were handed over.
fn stuck(code: &str) -> Refusal {
    let (code, message) = match code {
        "cursor-not-advancing" => (
            "cursor-not-advancing",
            "the supplier gave a cursor that it gave before, so the list would never end; \
             set pages.allow_repeated_cursor if it means to",
        ),
        "cross-origin-next" => (
            "cross-origin-next",
            "the link to the next page leads to another origin, and nothing that carries a credential goes there",
        ),
        "too-many-pages" => ("too-many-pages", "the list goes on beyond pages.max_pages; raise it, or ask for less"),
        "cursor-too-long" => ("cursor-too-long", "the cursor is longer than 64 KiB"),
        _ => ("bad-page", "the page says that the list goes on, and gives no usable way to the next page"),
    };
    (FailureKind::BadResponse, code, message.to_owned())
}

/// The key is sent as the caller gave it, with every attempt, or not at all.
fn place_key(rule: Option<&Idempotency>, key: Option<&str>, method: &str, placed: &mut Placed) -> Result<(), Refusal> {
    let (rule, key) = match (rule, key) {
        (None, None) => return Ok(()),
        (Some(rule), None) if rule.required && !matches!(method, "GET" | "HEAD" | "OPTIONS") => {
            return Err(invalid(
                "idempotency-key-required",
                "the profile wants an idempotency key for this; give a stable one",
            ));
        }
        (Some(_), None) => return Ok(()),
        (None, Some(_)) => {
            return Err(invalid(
                "invalid-request",
                "the profile says nowhere how this supplier takes an idempotency key",
            ));
        }
        (Some(rule), Some(key)) => (rule, key),
    };
    if key.is_empty() || key.len() > rule.max_length as usize {
        let message = format!("the idempotency key must have 1 to {} bytes", rule.max_length);
        return Err((FailureKind::Invalid, "invalid-request", message));
    }
    if !field::is_value(key) {
        return Err(invalid("invalid-header", "the idempotency key has a control character or white space around it"));
    }
    match &rule.place {
        Place::Header(name) => {
            let value = if rule.quoted { field::sf_string(key) } else { Some(key.to_owned()) };
            let value = value.ok_or_else(|| invalid("invalid-header", "the idempotency key must be ASCII text"))?;
            placed.headers.push(name.as_str(), value);
        }
        Place::Body(pointer) => {
            let body = placed.body.as_text().and_then(|body| json::splice(body, pointer, &json::quote(key)).ok());
            let body = body.ok_or_else(|| {
                invalid("invalid-request", "the body is not a JSON object that the idempotency key can be put into")
            })?;
            placed.body = Body::Text(body);
        }
    }
    Ok(())
}

/// Names a budget among all that share a store. No secret, and the format's version first.
fn pool_key(profile: &Profile, pool: &str) -> String {
    format!("sc1:{}:{}:{}:{pool}", profile.supplier, profile.base_url.origin_key(), profile.account)
}
