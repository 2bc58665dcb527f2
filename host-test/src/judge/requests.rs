//! The log of requests that reached the supplier.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Differences, show, show_body, show_bytes, signature};
use crate::report::Report;
use crate::scenario::{Case, ExpectedRequest, HeaderCheck};
use crate::script::Seen;

/// A request too many is denied so that the call ends; whatever differs then follows from it.
pub fn judge_number(case: &Case, report: &Report, found: &mut Differences) {
    if report.requests.iter().any(|seen| seen.unexpected) {
        let scripted: usize = case.scenario.script.iter().map(|entry| entry.times.unwrap_or(1)).sum();
        let came = report.requests.len();
        found.add(
            "script",
            format!("an entry for each request; it has {scripted}"),
            format!("{came} requests, and the test host denied what it had no answer for"),
        );
    }
}

pub fn judge(case: &Case, report: &Report, found: &mut Differences) {
    let Some(expected) = &case.scenario.requests else { return };
    if expected.len() != report.requests.len() {
        let seen = report.requests.iter().map(|seen| format!("{} {} at {} ms", seen.method, seen.target, seen.at_ms));
        let mut seen: Vec<_> = seen.take(20).collect();
        if report.requests.len() > seen.len() {
            seen.push("...".to_owned());
        }
        let got = format!("{}: {}", report.requests.len(), seen.join(", "));
        found.add("requests", format!("{} requests", expected.len()), got);
    }
    for (index, (expected, seen)) in expected.iter().zip(&report.requests).enumerate() {
        let path = format!("requests[{index}]");
        request(&path, expected, seen, found);
        if let Some(first) = expected.same_as.and_then(|other| report.requests.get(other)) {
            repeats(&format!("{path}.same_as"), case, first, seen, found);
        }
        if expected.signed {
            let verified = signature::verify(case, seen);
            found.check(
                verified.is_ok(),
                format!("{path}.signed"),
                "a fresh signature",
                verified.err().unwrap_or_default(),
            );
        }
    }
}

fn request(path: &str, expected: &ExpectedRequest, seen: &Seen, found: &mut Differences) {
    let at_ms = seen.at_ms;
    if let Some(expected) = expected.at_ms {
        found.check(at_ms == expected, format!("{path}.at_ms"), expected.to_string(), at_ms.to_string());
    }
    if let Some((low, high)) = expected.at_ms_between {
        let holds = (low..=high).contains(&at_ms);
        found.check(holds, format!("{path}.at_ms_between"), format!("[{low}, {high}]"), at_ms.to_string());
    }
    for (key, expected, got) in [
        ("method", &expected.method, &seen.method),
        ("target", &expected.target, &seen.target),
        ("authority", &expected.authority, &seen.authority),
        ("scheme", &expected.scheme, &seen.scheme),
    ] {
        if let Some(expected) = expected {
            found.check(expected == got, format!("{path}.{key}"), show(expected), show(got));
        }
    }
    headers(path, &expected.headers, |name| seen.lines(name), found);
    if let Some(expected) = &expected.body {
        let holds = expected.holds(&seen.body).unwrap_or(false);
        found.check(holds, format!("{path}.body"), show_body(expected), show_bytes(&seen.body));
    }
}

/// Also for the headers of a response.
pub fn headers<'a>(
    path: &str,
    expected: impl IntoIterator<Item = (&'a String, &'a HeaderCheck)>,
    lines: impl Fn(&str) -> Vec<String>,
    found: &mut Differences,
) {
    for (name, check) in expected {
        let lines = lines(name);
        if !check.holds(&lines) {
            let wanted = match check {
                HeaderCheck::Line(line) => format!("the line {}", show(line)),
                HeaderCheck::Lines(lines) => format!("the lines {lines:?}"),
                HeaderCheck::There(true) => "one line".to_owned(),
                HeaderCheck::There(false) | HeaderCheck::Absent(()) => "nothing".to_owned(),
            };
            let got = match lines.as_slice() {
                [] => "nothing".to_owned(),
                [line] => show(line),
                lines => format!("{lines:?}"),
            };
            found.add(format!("{path}.headers.{name}"), wanted, got);
        }
    }
}

/// A retry repeats the body and the key, whatever else is fresh.
fn repeats(path: &str, case: &Case, first: &Seen, again: &Seen, found: &mut Differences) {
    let same = first.body == again.body;
    found.check(same, format!("{path} (body)"), show_bytes(&first.body), show_bytes(&again.body));
    for name in idempotency_headers(case) {
        let (first, again) = (first.lines(&name), again.lines(&name));
        found.check(first == again, format!("{path} ({name})"), format!("{first:?}"), format!("{again:?}"));
    }
}

/// Every header that a profile of the scenario keeps keys in.
fn idempotency_headers(case: &Case) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for opening in &case.openings {
        let Ok(profile) = serde_json::from_str::<Value>(&opening.profile) else { continue };
        let operations = profile.get("operations").and_then(Value::as_object);
        let operations = operations.into_iter().flat_map(|operations| operations.values());
        for settings in std::iter::once(&profile).chain(operations) {
            names.extend(settings.pointer("/idempotency/header").and_then(Value::as_str).map(str::to_owned));
        }
    }
    names
}
