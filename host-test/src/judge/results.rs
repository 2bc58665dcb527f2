//! What callers got.

use serde_json::Value;

use super::requests::headers;
use super::{Differences, partial, problems, show, show_body, show_bytes, show_check, show_option};
use crate::report::{self, Outcome, Page, Reply, Walk};
use crate::scenario::{Call, Check, Expect, ExpectedResponse, Failure, OneOrMany};

pub fn judge(path: &str, call: &Call, outcome: &Outcome, found: &mut Differences) {
    if call.explain.is_some() {
        return explanation(path, call, outcome, found);
    }
    // Read once before (`scenario::load`).
    let expect = call.expectation().unwrap_or_default();
    hides(path, &expect, outcome, found);
    journal(path, &expect, outcome, found);
    match (&expect.failure, outcome.failure()) {
        (Some(expected), Some(got)) => failure(&format!("{path}.failure"), expected, got, found),
        (Some(expected), None) => found.add(format!("{path}.failure"), describe_expected(expected), describe(outcome)),
        (None, Some(got)) => found.add(format!("{path}.failure"), "no failure", describe_failure(got)),
        (None, None) => {}
    }
    match outcome {
        Outcome::Reply(got) => reply(path, &expect, got, found),
        Outcome::Page(got) => page(path, &expect, got, found),
        Outcome::Walk(got) => walk(path, &expect, got, found),
        Outcome::CredentialsSet(result) => match (&expect.problems, result) {
            (Some(expected), Err(got)) => problems(&format!("{path}.problems"), expected, got, found),
            (Some(_), Ok(())) => found.add(format!("{path}.problems"), "problems", "new credentials in force"),
            (None, Err(got)) => found.add(format!("{path}.problems"), "none", super::describe(got)),
            (None, Ok(())) => {}
        },
        Outcome::Failure(_) => {
            if expect.failure.is_some() && (expect.verdict != Check::Ignored || expect.items != Check::Ignored) {
                found.add(path, "either a failure or a result", "both expected, so nothing can pass");
            }
        }
        Outcome::Explained(_) => {}
    }
}

/// The whole of `expect` is matched against it, unless it says that it must fail.
fn explanation(path: &str, call: &Call, outcome: &Outcome, found: &mut Differences) {
    let Some(expect) = &call.expect else {
        if let Some(got) = outcome.failure() {
            found.add(path, "an explanation", describe_failure(got));
        }
        return;
    };
    match (outcome, expect.get("failure")) {
        (Outcome::Failure(got), Some(expected)) => match serde_json::from_value(expected.clone()) {
            Ok(expected) => failure(&format!("{path}.failure"), &expected, got, found),
            Err(error) => found.add(format!("{path}.failure"), "what a failure must be", error.to_string()),
        },
        (Outcome::Failure(got), None) => found.add(path, "an explanation", describe_failure(got)),
        (Outcome::Explained(_), Some(_)) => found.add(path, "a failure", "an explanation"),
        (Outcome::Explained(text), None) => {
            let mut expect = expect.clone();
            if let Some(hidden) = expect.shift_remove("hides") {
                for text in hidden.as_array().into_iter().flatten().filter_map(Value::as_str) {
                    hide(path, text, outcome, found);
                }
            }
            partial::judge_text(path, &Value::Object(expect), text, found);
        }
        _ => found.add(path, "an explanation", describe(outcome)),
    }
}

fn reply(path: &str, expect: &Expect, got: &Reply, found: &mut Differences) {
    let verdict = &got.verdict;
    found.check(
        expect.verdict.holds(Some(verdict)),
        format!("{path}.verdict"),
        show_check(&expect.verdict),
        show(verdict),
    );
    let status = got.response.status;
    found.check(
        expect.status.holds(Some(&status)),
        format!("{path}.status"),
        show_check(&expect.status),
        status.to_string(),
    );
    let after = got.retry_after_ms.map(u64::from);
    let holds = expect.retry_after_ms.holds(after.as_ref());
    found.check(holds, format!("{path}.retry_after_ms"), show_check(&expect.retry_after_ms), show_option(after));
    if let Some(body) = &expect.body {
        let holds = body.holds(&got.response.body).unwrap_or(false);
        found.check(holds, format!("{path}.body"), show_body(body), show_bytes(&got.response.body));
    }
    headers(path, &expect.headers, |name| got.response.lines(name), found);
    not_a_page(path, expect, "a reply", found);
}

fn page(path: &str, expect: &Expect, got: &Page, found: &mut Differences) {
    items(path, &expect.items, &got.items, found);
    if let Some(count) = expect.count {
        found.check(count == u64::from(got.count), format!("{path}.count"), count.to_string(), got.count.to_string());
    }
    if let Some(next) = expect.next {
        found.check(
            next == got.next.is_some(),
            format!("{path}.next"),
            next.to_string(),
            got.next.is_some().to_string(),
        );
    }
    headers(path, &expect.headers, |name| report::lines(&got.headers, name), found);
    let no_reply = expect.verdict == Check::Ignored && expect.status == Check::Ignored && expect.body.is_none();
    found.check(no_reply, path, "a reply", "a page");
}

fn walk(path: &str, expect: &Expect, got: &Walk, found: &mut Differences) {
    items(path, &expect.items, &got.items, found);
    if let Some(count) = expect.count {
        found.check(count == u64::from(got.count), format!("{path}.count"), count.to_string(), got.count.to_string());
    }
    if let Some(pages) = expect.pages {
        found.check(pages == got.pages, format!("{path}.pages"), pages.to_string(), got.pages.to_string());
    }
    if let Some(ended) = expect.ended {
        found.check(ended == got.ended, format!("{path}.ended"), ended.to_string(), got.ended.to_string());
    }
}

fn not_a_page(path: &str, expect: &Expect, got: &str, found: &mut Differences) {
    let asks =
        expect.items != Check::Ignored || expect.count.is_some() || expect.pages.is_some() || expect.ended.is_some();
    found.check(!asks, path, "a page", got);
}

fn items(path: &str, expected: &Check<Value>, got: &str, found: &mut Differences) {
    let path = format!("{path}.items");
    match expected {
        Check::Ignored => {}
        Check::Absent => found.add(path, "nothing", show(got)),
        Check::Is(Value::String(text)) => found.check(text == got, path, show(text), show(got)),
        Check::Is(value) => match serde_json::from_str(got) {
            Ok(got) => found.check(partial::same(value, &got), path, value.to_string(), got.to_string()),
            Err(error) => found.add(path, "JSON", format!("{} ({error})", show(got))),
        },
    }
}

fn failure(path: &str, expected: &Failure, got: &report::Failure, found: &mut Differences) {
    if let Some(kind) = expected.kind {
        found.check(kind.name() == got.kind, format!("{path}.kind"), kind.name(), describe_failure(got));
    }
    if let Some(code) = &expected.code {
        found.check(*code == got.code, format!("{path}.code"), code, describe_failure(got));
    }
    let holds = expected.status.holds(got.status.as_ref());
    found.check(holds, format!("{path}.status"), show_check(&expected.status), show_option(got.status));
    let after = got.retry_after_ms.map(u64::from);
    let holds = expected.retry_after_ms.holds(after.as_ref());
    found.check(holds, format!("{path}.retry_after_ms"), show_check(&expected.retry_after_ms), show_option(after));
    for part in expected.says.iter().flat_map(OneOrMany::iter) {
        found.check(got.message.contains(part), format!("{path}.says"), show(part), show(&got.message));
    }
    let path = format!("{path}.response");
    match (&expected.response, &got.response) {
        (None, _) | (Some(ExpectedResponse::There(true)), Some(_)) | (Some(ExpectedResponse::There(false)), None) => {}
        (Some(ExpectedResponse::There(there)), got) => {
            found.add(path, there.to_string(), got.is_some().to_string());
        }
        (Some(ExpectedResponse::Is { .. }), None) => found.add(path, "a response", "nothing"),
        (Some(ExpectedResponse::Is { status, body }), Some(got)) => {
            if let Some(status) = status {
                found.check(
                    *status == got.status,
                    format!("{path}.status"),
                    status.to_string(),
                    got.status.to_string(),
                );
            }
            if let Some(body) = body {
                let holds = body.holds(&got.body).unwrap_or(false);
                found.check(holds, format!("{path}.body"), show_body(body), show_bytes(&got.body));
            }
        }
    }
}

fn journal(path: &str, expect: &Expect, outcome: &Outcome, found: &mut Differences) {
    let Some(expected) = &expect.journal else { return };
    let path = format!("{path}.journal");
    match outcome.journals().last() {
        Some(journal) => partial::judge_text(&path, expected, journal, found),
        None => found.add(path, "a journal", describe(outcome)),
    }
}

fn hides(path: &str, expect: &Expect, outcome: &Outcome, found: &mut Differences) {
    for text in &expect.hides {
        hide(path, text, outcome, found);
    }
}

fn hide(path: &str, text: &str, outcome: &Outcome, found: &mut Differences) {
    for (place, shown) in outcome.texts() {
        found.check(!shown.contains(text), format!("{path}.hides"), format!("no {} in the {place}", show(text)), shown);
    }
}

fn describe(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Reply(reply) => format!("a reply: {}, verdict {}", reply.response.status, reply.verdict),
        Outcome::Page(page) => format!("a page of {}", page.count),
        Outcome::Walk(walk) => format!("{} pages with {} items", walk.pages, walk.count),
        Outcome::Failure(failure) => describe_failure(failure),
        Outcome::Explained(_) => "an explanation".to_owned(),
        Outcome::CredentialsSet(Ok(())) => "new credentials in force".to_owned(),
        Outcome::CredentialsSet(Err(problems)) => super::describe(problems),
    }
}

fn describe_failure(failure: &report::Failure) -> String {
    format!("{} {}: {}", failure.kind, failure.code, failure.message)
}

fn describe_expected(failure: &Failure) -> String {
    let kind = failure.kind.map_or("a failure", crate::scenario::Kind::name);
    format!("{kind} {}", failure.code.as_deref().unwrap_or_default()).trim_end().to_owned()
}
