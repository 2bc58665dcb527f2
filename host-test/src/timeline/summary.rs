//! The line below a timeline.

use super::ending;
use crate::journal::Journal;
use crate::report::CallReport;
use crate::style::Style;

/// What a call took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub requests: usize,
    /// Each wait, in milliseconds.
    pub waits: Vec<u64>,
}

impl Counts {
    pub fn of(played: &CallReport) -> Counts {
        let mut counts = Counts::default();
        for journal in played.outcome.journals().into_iter().filter_map(Journal::read) {
            counts.requests += journal.attempts.len();
            counts.waits.extend(journal.waited().map(|wait| wait.ms));
        }
        counts
    }
}

/// `ok after 5.000 s: 2 requests, 1 wait of 5.000 s, verdict ok`
pub fn summary(played: &CallReport, style: Style) -> String {
    let Counts { requests, waits } = Counts::of(played);
    let (good, ending) = ending(&played.outcome);
    let word = if good { style.good("ok") } else { style.bad("not ok") };
    let after = seconds(played.ended_ms.saturating_sub(played.began_ms));
    let requests = match requests {
        0 => "no request".to_owned(),
        1 => "1 request".to_owned(),
        n => format!("{n} requests"),
    };
    let total = seconds(waits.iter().fold(0, |sum: u64, ms| sum.saturating_add(*ms)));
    let waited = match waits.len() {
        0 => "no wait".to_owned(),
        1 => format!("1 wait of {total}"),
        n => format!("{n} waits of {total} together"),
    };
    let mut line = format!("{word} after {after}: {requests}, {waited}, {ending}");
    if let Some(failure) = played.outcome.failure() {
        line.push_str(&format!("\n    {}", failure.message));
    }
    line
}

/// `5.000 s`
pub fn seconds(ms: u64) -> String {
    format!("{}.{:03} s", ms / 1000, ms % 1000)
}

/// `12 ms`, or seconds where that is shorter to read.
pub fn milliseconds(ms: u64) -> String {
    if ms < 1000 { format!("{ms} ms") } else { seconds(ms) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Failure, Outcome, Reply, Response};
    use crate::timeline::call;

    const JOURNAL: &str = r#"{ "journal": 1, "supplier": "acme-freight", "host": "h", "method": "POST", "began_ms": 1772452800000,
        "elapsed_ms": 5000, "outcome": "ok", "attempts": [
        { "n": 1, "at_ms": 0, "signed_at_ms": 1772452800000, "took_ms": 0, "status": 429, "verdict": "throttled",
          "rule": "/retry/statuses" },
        { "n": 2, "at_ms": 5000, "waits": [{ "at_ms": 0, "ms": 5000, "why": "reset" }], "signed_at_ms": 1772452805000,
          "took_ms": 12, "status": 200, "verdict": "ok" }] }"#;

    fn reply() -> CallReport {
        let response = Response { status: 200, ..Response::default() };
        let (verdict, journal) = ("ok".to_owned(), JOURNAL.to_owned());
        let outcome = Outcome::Reply(Reply { response, verdict, retry_after_ms: None, journal });
        CallReport { began_ms: 0, ended_ms: 5012, outcome }
    }

    #[test]
    fn a_call_that_waited_once() {
        let expected = "     0.000 s  #1 POST  signed 12:00:00Z  -> 429 in 0 ms   throttled (/retry/statuses)\n              \
                        waits 5.000 s: reset\n     5.000 s  #2 POST  signed 12:00:05Z  -> 200 in 12 ms  ok\n";
        assert_eq!(call(&reply(), Style::PLAIN), expected);
        let line = "ok after 5.012 s: 2 requests, 1 wait of 5.000 s, verdict ok";
        assert_eq!(summary(&reply(), Style::PLAIN), line);
    }

    #[test]
    fn a_wait_that_was_refused() {
        let journal = r#"{ "method": "GET", "attempts": [{ "n": 1, "status": 429, "verdict": "throttled" }],
            "waits": [{ "ms": 3600000, "why": "retry-after", "refused": "wait-too-long" }] }"#;
        let failure = Failure {
            kind: "throttled".to_owned(),
            code: "wait-too-long".to_owned(),
            message: "come back later".to_owned(),
            journal: journal.to_owned(),
            ..Failure::default()
        };
        let played = CallReport { began_ms: 0, ended_ms: 0, outcome: Outcome::Failure(failure) };
        assert!(
            call(&played, Style::PLAIN)
                .ends_with("              would wait 3600.000 s: retry-after, which is refused: wait-too-long\n")
        );
        assert_eq!(
            summary(&played, Style::PLAIN),
            "not ok after 0.000 s: 1 request, no wait, throttled wait-too-long\n    come back later"
        );
    }
}
