//! What a play came to, as flat facts that can be compared between hosts: `requests[0].target`
//! to its text. Times are no facts; the supplier's own address is written `SUPPLIER`.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use crate::judge::{Difference, show_bytes};
use crate::report::{Failure, Outcome, Report, Response};
use crate::script::Seen;

/// Real hosts are late: connections open, a `Date` counts whole seconds, the machine is busy.
pub const LATE_MS: u64 = 1_500;

pub type Facts = BTreeMap<String, String>;

/// Headers that carry the connection, not the policy: every HTTP library has its own way.
pub const OF_THE_CONNECTION: [&str; 4] = ["host", "content-length", "transfer-encoding", "connection"];

/// `authority` is where the supplier stood.
pub fn facts(report: &Report, authority: &str) -> Facts {
    let mut facts = Noted { facts: Facts::new(), authority };
    if let Some(problems) = &report.problems {
        let mut told: Vec<_> = problems.iter().map(|p| format!("{} {}: {}", p.pointer, p.code, p.message)).collect();
        told.sort();
        facts.note("problems", told.join("; "));
    }
    facts.note("requests", report.requests.len().to_string());
    for (index, seen) in report.requests.iter().enumerate() {
        facts.request(&format!("requests[{index}]"), seen);
    }
    for (index, call) in report.calls.iter().enumerate() {
        facts.outcome(&format!("results[{index}]"), &call.outcome);
    }
    facts.facts
}

/// Facts that two plays share; where their values differ, only that there is one.
pub fn stable(one: &Facts, other: &Facts) -> BTreeMap<String, Option<String>> {
    let value = |path: &String, value: &String| (other.get(path)? == value).then(|| value.clone());
    one.iter().map(|(path, text)| (path.clone(), value(path, text))).collect()
}

/// Where `got` is not as `wanted`.
pub fn differences(wanted: &BTreeMap<String, Option<String>>, got: &Facts) -> Vec<Difference> {
    let differing = wanted.iter().filter_map(|(path, wanted)| {
        let (expected, got) = match (wanted, got.get(path)) {
            (Some(wanted), Some(got)) if wanted == got => return None,
            (None, Some(_)) => return None,
            (Some(wanted), Some(got)) if path.ends_with(".retry_after_ms") && close(wanted, got) => return None,
            (wanted, got) => (wanted.as_deref().unwrap_or("anything"), got.map_or("nothing", String::as_str)),
        };
        Some(Difference { path: path.clone(), expected: expected.into(), got: got.into() })
    });
    differing.collect()
}

/// What is left to wait shrinks while time passes, and a `Date` counts whole seconds.
fn close(wanted: &str, got: &str) -> bool {
    let number = |text: &str| text.parse::<u64>().ok();
    number(wanted).zip(number(got)).is_some_and(|(wanted, got)| wanted.abs_diff(got) <= LATE_MS)
}

struct Noted<'a> {
    facts: Facts,
    authority: &'a str,
}

impl Noted<'_> {
    fn note(&mut self, path: impl Into<String>, value: impl AsRef<str>) {
        self.facts.insert(path.into(), value.as_ref().replace(self.authority, "SUPPLIER"));
    }

    fn request(&mut self, path: &str, seen: &Seen) {
        self.note(format!("{path}.method"), &seen.method);
        self.note(format!("{path}.target"), &seen.target);
        self.note(format!("{path}.body"), show_bytes(&seen.body));
        for (name, _) in &seen.headers {
            let name = name.to_ascii_lowercase();
            if !OF_THE_CONNECTION.contains(&name.as_str()) {
                let lines = seen.lines(&name);
                self.note(format!("{path}.headers.{name}"), lines.join(" | "));
            }
        }
    }

    fn outcome(&mut self, path: &str, outcome: &Outcome) {
        match outcome {
            Outcome::Reply(reply) => {
                self.note(format!("{path}.verdict"), &reply.verdict);
                self.note(format!("{path}.retry_after_ms"), number(reply.retry_after_ms));
                self.response(path, &reply.response);
            }
            Outcome::Page(page) => {
                self.note(format!("{path}.items"), &page.items);
                self.note(format!("{path}.count"), page.count.to_string());
                self.note(format!("{path}.next"), page.next.is_some().to_string());
            }
            Outcome::Walk(walk) => {
                // How pages are joined is the reader's affair, what stands between the commas is not.
                let items: Vec<&RawValue> = serde_json::from_str(&walk.items).unwrap_or_default();
                self.note(format!("{path}.items"), items.iter().map(|item| item.get()).collect::<Vec<_>>().join(","));
                self.note(format!("{path}.count"), items.len().to_string());
                self.note(format!("{path}.pages"), walk.pages.to_string());
                self.note(format!("{path}.ended"), walk.ended.to_string());
                if let Some(failure) = &walk.failure {
                    self.failure(&format!("{path}.failure"), failure);
                }
            }
            Outcome::Failure(failure) => self.failure(&format!("{path}.failure"), failure),
            Outcome::Explained(_) | Outcome::CredentialsSet(_) => {}
        }
    }

    fn failure(&mut self, path: &str, failure: &Failure) {
        self.note(path, format!("{} {}", failure.kind, failure.code));
        self.note(format!("{path}.status"), number(failure.status));
        self.note(format!("{path}.retry_after_ms"), number(failure.retry_after_ms));
        match &failure.response {
            Some(response) => self.response(&format!("{path}.response"), response),
            None => self.note(format!("{path}.response"), "none"),
        }
    }

    fn response(&mut self, path: &str, response: &Response) {
        self.note(format!("{path}.status"), response.status.to_string());
        self.note(format!("{path}.body"), show_bytes(&response.body));
    }
}

fn number<N: ToString>(number: Option<N>) -> String {
    number.map_or_else(|| "none".to_owned(), |number| number.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{CallReport, Page};

    fn report(items: &str) -> Report {
        let page = Page { items: items.into(), count: 1, next: None, headers: Vec::new(), journal: String::new() };
        let call = CallReport { began_ms: 0, ended_ms: 0, outcome: Outcome::Page(page) };
        Report { calls: vec![call], ..Report::default() }
    }

    #[test]
    fn a_digit_more_is_a_difference() {
        let one = facts(&report("[1.0]"), "127.0.0.1:1");
        let other = facts(&report("[1.00]"), "127.0.0.1:1");
        assert_eq!(differences(&stable(&one, &one), &one), []);
        let found = differences(&stable(&one, &one), &other);
        assert_eq!((found.len(), found[0].path.as_str()), (1, "results[0].items"));
        assert_eq!(differences(&stable(&one, &other), &one), [], "what is never the same twice need only be there");
    }

    #[test]
    fn the_port_is_no_difference() {
        let one = facts(&report(r#"["http://127.0.0.1:1/a"]"#), "127.0.0.1:1");
        let other = facts(&report(r#"["http://127.0.0.1:2/a"]"#), "127.0.0.1:2");
        assert_eq!(one, other);
    }
}
