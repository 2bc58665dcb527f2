//! Compares what was seen with what must be seen.

mod partial;
mod requests;
mod results;
mod secrets;
mod signature;

use std::fmt;

use serde_json::Value;

use crate::report::{Problem, Report};
use crate::scenario::{Case, ExpectedProblem, OneOrMany};

/// One thing that is not as it must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Where the expectation stands: `requests[1].at_ms`. Empty for what holds always.
    pub path: String,
    pub expected: String,
    pub got: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: expected {}, got {}", self.path, self.expected, self.got)
    }
}

/// The differences so far.
#[derive(Debug, Default)]
struct Differences(Vec<Difference>);

impl Differences {
    fn add(&mut self, path: impl Into<String>, expected: impl Into<String>, got: impl Into<String>) {
        self.0.push(Difference { path: path.into(), expected: expected.into(), got: got.into() });
    }

    fn check(&mut self, holds: bool, path: impl Into<String>, expected: impl Into<String>, got: impl Into<String>) {
        if !holds {
            self.add(path, expected, got);
        }
    }
}

/// Empty if the scenario holds.
pub fn judge(case: &Case, report: &Report) -> Vec<Difference> {
    let mut found = Differences(invariants(case, report));
    opening(case, report, &mut found);
    requests::judge_number(case, report, &mut found);
    for (index, (call, played)) in case.scenario.calls.iter().zip(&report.calls).enumerate() {
        results::judge(&format!("calls[{index}].expect"), call, &played.outcome, &mut found);
    }
    requests::judge(case, report, &mut found);
    if let Some(span) = case.scenario.elapsed_ms {
        found.check(span.holds(report.elapsed_ms), "elapsed_ms", span.to_string(), report.elapsed_ms.to_string());
    }
    if let Some(expected) = &case.scenario.health {
        partial::judge_text("health", expected, &health(report), &mut found);
    }
    found.0
}

/// What holds always, whatever a scenario is about.
pub fn invariants(case: &Case, report: &Report) -> Vec<Difference> {
    let mut found = Differences::default();
    for fault in &report.faults {
        found.add("(always)", "no trap, no stuck call, no live resource", fault);
    }
    secrets::judge(case, report, &mut found);
    found.0
}

/// Several suppliers stand under their names.
fn health(report: &Report) -> String {
    match report.health.as_slice() {
        [(_, only)] => only.clone(),
        several => Value::from_iter(
            several.iter().map(|(name, text)| (name.clone(), serde_json::from_str(text).unwrap_or(Value::Null))),
        )
        .to_string(),
    }
}

fn opening(case: &Case, report: &Report, found: &mut Differences) {
    match (&case.scenario.problems, &report.problems) {
        (None, None) => {}
        (Some(_), None) => found.add("problems", "that `open` fails", "a supplier"),
        (None, Some(problems)) => found.add("problems", "that `open` succeeds", describe(problems)),
        (Some(expected), Some(got)) => problems("problems", expected, got, found),
    }
}

/// Exactly these, in any order.
fn problems(path: &str, expected: &[ExpectedProblem], got: &[Problem], found: &mut Differences) {
    let mut left: Vec<&Problem> = got.iter().collect();
    for (index, problem) in expected.iter().enumerate() {
        let fits = |got: &&Problem| {
            got.pointer == problem.pointer
                && got.code == problem.code
                && problem.says.iter().flat_map(OneOrMany::iter).all(|part| got.message.contains(part))
        };
        match left.iter().position(fits) {
            Some(position) => drop(left.remove(position)),
            None => {
                let says = problem.says.iter().flat_map(OneOrMany::iter).collect::<Vec<_>>().join("`, `");
                let says = if says.is_empty() { String::new() } else { format!(" saying `{says}`") };
                let expected = format!("{} at `{}`{says}", problem.code, problem.pointer);
                found.add(format!("{path}[{index}]"), expected, describe(got));
            }
        }
    }
    for problem in left {
        found.add(path, "no further problem", describe(std::slice::from_ref(problem)));
    }
}

fn describe(problems: &[Problem]) -> String {
    let describe = |problem: &Problem| format!("{} at `{}`: {}", problem.code, problem.pointer, problem.message);
    match problems {
        [] => "none".to_owned(),
        some => some.iter().map(describe).collect::<Vec<_>>().join("; "),
    }
}

/// A text as it is shown: cut where it is long, with what cannot be seen escaped.
fn show(text: &str) -> String {
    const MOST: usize = 300;
    let short: String = text.chars().take(MOST).collect();
    let more = text.len().saturating_sub(short.len());
    if more > 0 { format!("{short:?}... and {more} bytes more") } else { format!("{short:?}") }
}

pub(crate) fn show_bytes(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if text.len() <= 2000 => show(text),
        _ => format!("{} bytes with SHA-256 {}", bytes.len(), crate::scenario::digest(bytes)),
    }
}

fn show_body(check: &crate::scenario::BodyCheck) -> String {
    match check {
        crate::scenario::BodyCheck::Is(body) => body.bytes().map_or_else(|why| why, |bytes| show_bytes(&bytes)),
        crate::scenario::BodyCheck::Digest { length, sha256 } => format!("{length} bytes with SHA-256 {sha256}"),
    }
}

fn show_option<T: fmt::Debug>(value: Option<T>) -> String {
    value.map_or_else(|| "nothing".to_owned(), |value| format!("{value:?}"))
}

fn show_check<T: fmt::Debug>(check: &crate::scenario::Check<T>) -> String {
    match check {
        crate::scenario::Check::Ignored => "anything".to_owned(),
        crate::scenario::Check::Absent => "nothing".to_owned(),
        crate::scenario::Check::Is(value) => format!("{value:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expected(pointer: &str, code: &str, says: Option<&str>) -> ExpectedProblem {
        let says = says.map(|says| OneOrMany::One(says.to_owned()));
        ExpectedProblem { pointer: pointer.to_owned(), code: code.to_owned(), says }
    }

    fn got(pointer: &str, code: &str, message: &str) -> Problem {
        Problem { pointer: pointer.to_owned(), code: code.to_owned(), message: message.to_owned() }
    }

    #[test]
    fn problems_match_exactly_and_in_any_order() {
        let seen = [got("/a", "missing", "write a"), got("/b", "wrong-type", "a number")];
        let check = |wanted: &[ExpectedProblem]| {
            let mut found = Differences::default();
            problems("problems", wanted, &seen, &mut found);
            found.0.len()
        };
        assert_eq!(check(&[expected("/b", "wrong-type", Some("number")), expected("/a", "missing", None)]), 0);
        assert_eq!(check(&[expected("/a", "missing", None)]), 1);
        assert_eq!(check(&[expected("/a", "missing", Some("b")), expected("/b", "wrong-type", None)]), 2);
    }
}
