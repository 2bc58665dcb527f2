//! One table for every complete response.

use super::Repeatable;
use crate::http::{Body, Headers};
use crate::json::{self, Pointer};
use crate::profile::{Policy, Retry, Rule, RuleVerdict, Source, StatusMatch, When};
use serde_json::Value;

/// A complete response, or one from 400 on whose body was cut.
pub(crate) struct Answer<'a> {
    pub status: u16,
    pub headers: &'a Headers,
    pub body: &'a Body,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Hand the response over under this name.
    Final(String),
    /// Worth another attempt.
    Again,
    /// Our timestamp was refused: once more with the supplier's time.
    Resync,
    /// The supplier may have done it, and doing it twice may be wrong.
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Judgement {
    pub verdict: Verdict,
    /// Where it comes from: a JSON Pointer into the profile, or `status`.
    pub by: String,
    /// The supplier said that a limit is reached.
    pub limited: bool,
    /// The rule's own floor under the wait, in milliseconds.
    pub min_wait_ms: u32,
}

/// Judges a response. Rules come first, in order; then `never`, then the statuses to retry.
pub(crate) fn classify(policy: &Policy, method: Repeatable, answer: &Answer<'_>) -> Judgement {
    for (index, rule) in policy.rules.iter().enumerate() {
        if holds(&rule.when, answer) {
            return by_rule(policy, rule, index, method, answer);
        }
    }
    by_status(policy, method, answer)
}

/// Whether the supplier has refused the request unseen, so that even an unsafe one may be
/// repeated.
pub(crate) fn refused(retry: &Retry, answer: &Answer<'_>) -> bool {
    retry.refused_by.iter().any(|when| holds(when, answer))
}

fn by_rule(policy: &Policy, rule: &Rule, index: usize, method: Repeatable, answer: &Answer<'_>) -> Judgement {
    let verdict = match rule.verdict {
        RuleVerdict::Fail => Verdict::Final(rule.code.clone().unwrap_or_else(|| "rejected".to_owned())),
        RuleVerdict::Throttled => Verdict::Again,
        RuleVerdict::ResyncClock => Verdict::Resync,
        // A rule knows more than `replays_errors` does.
        RuleVerdict::Retry if method == Repeatable::Keyed => Verdict::Again,
        RuleVerdict::Retry => again(policy, method, answer),
        RuleVerdict::UnknownOutcome if method == Repeatable::Unsafe => Verdict::Unknown,
        RuleVerdict::UnknownOutcome => Verdict::Again,
    };
    let limited = rule.verdict == RuleVerdict::Throttled;
    Judgement { verdict, by: format!("/rules/{index}"), limited, min_wait_ms: rule.min_wait_ms }
}

fn by_status(policy: &Policy, method: Repeatable, answer: &Answer<'_>) -> Judgement {
    let retry = &policy.retry;
    let status = answer.status;
    let (verdict, by) = match status {
        200..=299 | 304 => (Verdict::Final("ok".to_owned()), "status"),
        300..=399 => (Verdict::Final("redirect".to_owned()), "status"),
        _ if retry.never(status) => (Verdict::Final("rejected".to_owned()), "/retry/never"),
        _ if retry.lists(status) => (again(policy, method, answer), "/retry/statuses"),
        _ if method == Repeatable::Unsafe && (status == 408 || status >= 500) => (Verdict::Unknown, "status"),
        403 => (Verdict::Final("forbidden".to_owned()), "status"),
        _ => (Verdict::Final("rejected".to_owned()), "status"),
    };
    Judgement { verdict, by: by.to_owned(), limited: status == 429, min_wait_ms: 0 }
}

/// A status that is to be retried, if this request may be.
fn again(policy: &Policy, method: Repeatable, answer: &Answer<'_>) -> Verdict {
    let server_error = answer.status >= 500;
    if refused(&policy.retry, answer) {
        return Verdict::Again;
    }
    match method {
        Repeatable::Idempotent => Verdict::Again,
        // The supplier would only replay the stored error (`cases.md`, B84).
        Repeatable::Keyed if server_error && replays_errors(policy) => Verdict::Final("rejected".to_owned()),
        Repeatable::Keyed => Verdict::Again,
        Repeatable::Unsafe if server_error || answer.status == 408 || answer.status < 400 => Verdict::Unknown,
        Repeatable::Unsafe => Verdict::Final("rejected".to_owned()),
    }
}

fn replays_errors(policy: &Policy) -> bool {
    policy.idempotency.as_ref().is_some_and(|idempotency| idempotency.replays_errors)
}

/// A conjunction: everything that is given must hold.
fn holds(when: &When, answer: &Answer<'_>) -> bool {
    (when.status.is_empty() || when.status.iter().any(|status| status.matches(answer.status)))
        && when.header.iter().all(|(name, values)| header_holds(answer.headers, name, values.as_deref()))
        && when.body_contains.as_ref().is_none_or(|part| contains(answer.body.as_bytes(), part.as_bytes()))
        && body_holds(&when.body, answer.body)
}

fn header_holds(headers: &Headers, name: &str, values: Option<&[String]>) -> bool {
    let Some(found) = headers.get(name) else { return false };
    values.is_none_or(|values| values.iter().any(|value| value == found.trim()))
}

fn contains(body: &[u8], part: &[u8]) -> bool {
    part.is_empty() || body.windows(part.len()).any(|window| window == part)
}

fn body_holds(wanted: &[(Pointer, Option<Vec<Value>>)], body: &Body) -> bool {
    if wanted.is_empty() {
        return true;
    }
    let pointers: Vec<&Pointer> = wanted.iter().map(|(pointer, _)| pointer).collect();
    let Some(text) = body.as_text() else { return false };
    let Ok(found) = json::capture(text, &pointers) else { return false };
    wanted.iter().zip(found).all(|((_, values), raw)| match (raw, values) {
        (None, _) => false,
        (Some(_), None) => true,
        (Some(raw), Some(values)) => values.iter().any(|value| equals(value, raw)),
    })
}

/// Compares with the raw text of a scalar.
fn equals(value: &Value, raw: &str) -> bool {
    match value {
        Value::String(text) => json::string(raw).is_some_and(|found| found == *text),
        Value::Null => raw == "null",
        // As it is written: `1` and `1.0` are different codes.
        other => format!("{other}") == raw,
    }
}

/// Whether judging a response below 400, and one from 400 on, can need its body.
pub(crate) fn sees_bodies(policy: &Policy) -> (bool, bool) {
    let waits = policy.retry.server_wait.iter().any(|wait| matches!(wait.from, Source::Body(_)));
    let mut sees = (false, waits);
    let conditions = policy.rules.iter().map(|rule| &rule.when).chain(&policy.retry.refused_by);
    for when in conditions.filter(|when| !when.body.is_empty() || when.body_contains.is_some()) {
        sees.0 |= may_match(&when.status, |class, code| class < 4 && code < 400);
        sees.1 |= may_match(&when.status, |class, code| class >= 4 && code >= 400);
    }
    // A wait in a body below 400 is looked for only where a rule retries such a status.
    let retries_ok = |rule: &Rule| may_match(&rule.when.status, |class, code| class < 4 && code < 400);
    sees.0 |= waits && policy.rules.iter().any(retries_ok);
    sees
}

fn may_match(statuses: &[StatusMatch], side: impl Fn(u16, u16) -> bool) -> bool {
    statuses.is_empty()
        || statuses.iter().any(|status| match status {
            StatusMatch::Code(code) => side(code / 100, *code),
            StatusMatch::Class(class) => side(u16::from(*class), u16::from(*class).saturating_mul(100)),
        })
}
