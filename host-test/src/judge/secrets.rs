//! No credential and no signature stands in anything that people read.

use data_encoding::{BASE64, BASE64URL_NOPAD, HEXLOWER};

use super::Differences;
use crate::report::Report;
use crate::scenario::{Case, What};

/// Shorter values stand in texts by chance.
const SHORTEST: usize = 6;

pub fn judge(case: &Case, report: &Report, found: &mut Differences) {
    let canaries = canaries(case);
    for (place, text) in texts(report) {
        for (name, canary) in &canaries {
            if text.contains(canary.as_str()) {
                // The text itself is shown: whoever reads this has to find the place.
                found.add("(always)", format!("no value of the credential `{name}` in {place}"), text.clone());
            }
        }
        if has_signature(&text) {
            found.add("(always)", format!("no signature in {place}"), text);
        }
    }
}

fn texts(report: &Report) -> Vec<(String, String)> {
    let mut texts = Vec::new();
    for (index, call) in report.calls.iter().enumerate() {
        // The position may hold the supplier's own cursor, and it is checked like all else.
        for (place, text) in call.outcome.texts() {
            texts.push((format!("the {place} of calls[{index}]"), text.to_owned()));
        }
    }
    texts.extend(report.health.iter().map(|(name, text)| (format!("the health of {name}"), text.clone())));
    for problem in report.problems.iter().flatten() {
        texts.push(("a problem".to_owned(), format!("{} {}", problem.pointer, problem.message)));
    }
    texts
}

/// Every credential's value as it is, in hex and in base64.
fn canaries(case: &Case) -> Vec<(String, String)> {
    let opened = case.openings.iter().flat_map(|opening| opening.credentials.clone());
    let replaced = case.scenario.calls.iter().filter_map(|call| match call.what() {
        Ok(What::SetCredentials(values)) => Some(values.clone()),
        _ => None,
    });
    let mut canaries = Vec::new();
    for (name, value) in opened.chain(replaced.flatten()).filter(|(_, value)| value.len() >= SHORTEST) {
        for form in [
            HEXLOWER.encode(value.as_bytes()),
            BASE64.encode(value.as_bytes()),
            BASE64URL_NOPAD.encode(value.as_bytes()),
            value,
        ] {
            canaries.push((name.clone(), form));
        }
    }
    canaries.sort();
    canaries.dedup();
    canaries
}

/// `v1=` and at least eight hex digits.
fn has_signature(text: &str) -> bool {
    let digits = |rest: &str| rest.bytes().take(8).filter(u8::is_ascii_hexdigit).count();
    text.match_indices("v1=").any(|(at, found)| digits(&text[at + found.len()..]) == 8)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::report::{CallReport, Failure, Outcome};

    fn found(message: &str) -> usize {
        let text = r#"{ "scenario": 1, "about": "x", "calls": [{ "send": {} }] }"#;
        let case = crate::scenario::parse(text, Path::new("/nowhere")).unwrap().remove(0);
        let outcome = Outcome::Failure(Failure { message: message.to_owned(), ..Failure::default() });
        let calls = vec![CallReport { began_ms: 0, ended_ms: 0, outcome }];
        let mut found = Differences::default();
        judge(&case, &Report { calls, ..Report::default() }, &mut found);
        found.0.len()
    }

    #[test]
    fn finds_values_and_signatures() {
        assert_eq!(found("nothing"), 0);
        assert_eq!(found("it was test_secret_a"), 1);
        assert_eq!(found("it was dGVzdF9zZWNyZXRfYQ=="), 2);
        assert_eq!(found("t=1,v1=c13b0000ff"), 1);
        assert_eq!(found("v1={signature}"), 0);
    }
}
