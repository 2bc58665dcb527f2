//! Why the command ends early, and the exit codes that scripts branch on.

use crate::output;
use std::fmt::Write as _;
use supplier_engine::{Failure, FailureKind, Problem};

/// The command cannot begin: its arguments, a file, the profile or a credential.
const UNUSABLE: u8 = 2;

/// The supplier answered, and the verdict is not `ok`.
const REJECTED: u8 = 3;

/// The supplier answered, the answer is one to try again, and the attempts are spent.
const EXHAUSTED: u8 = 4;

/// What came could not be written to where it was to go.
const UNWRITTEN: u8 = 5;

#[derive(Debug, PartialEq, Eq)]
pub enum Stop {
    /// With an exit code, and lines for standard error.
    Failed { code: u8, lines: Vec<String> },
    /// Whoever read standard output has seen enough (`| head`): no failure of ours.
    Unread,
}

impl Stop {
    pub fn unusable(line: impl Into<String>) -> Stop {
        Stop::Failed { code: UNUSABLE, lines: vec![line.into()] }
    }

    pub fn unwritten(line: String) -> Stop {
        Stop::Failed { code: UNWRITTEN, lines: vec![line] }
    }

    /// All problems of a profile or its credentials; there is at least one. One of the whole text
    /// says itself which text that is.
    pub fn problems(problems: &[Problem]) -> Stop {
        let line = |Problem { pointer, code, message }: &Problem| match pointer.as_str() {
            "" => format!("{message} ({code})"),
            pointer => format!("{pointer}: {message} ({code})"),
        };
        Stop::Failed { code: UNUSABLE, lines: problems.iter().map(line).collect() }
    }

    /// A reply that is none of the good ones.
    pub fn verdict(verdict: &str, status: Option<u16>, retry_after_ms: Option<u32>) -> Stop {
        let code = if verdict == "exhausted" { EXHAUSTED } else { REJECTED };
        let mut line = verdict.to_owned();
        if let Some(status) = status {
            append(&mut line, format_args!(": the supplier answered {status}"));
        }
        Stop::Failed { code, lines: vec![with_retry(line, retry_after_ms)] }
    }

    pub fn bug(what: &str) -> Stop {
        let line = format!("internal: supplier.wasm has a bug: {what}; please report it");
        Stop::Failed { code: kind_code(FailureKind::Internal), lines: vec![line] }
    }

    /// One more line, for what a person can do about it.
    pub fn with(mut self, line: String) -> Stop {
        if let Stop::Failed { lines, .. } = &mut self {
            lines.push(line);
        }
        self
    }

    /// Says it on standard error and returns the exit code.
    pub fn report(self) -> u8 {
        match self {
            Stop::Unread => 0,
            Stop::Failed { code, lines } => {
                lines.iter().for_each(|line| output::say(line));
                code
            }
        }
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Stop {
        let line = format!("{}: {} ({})", failure.kind.name(), failure.message, failure.code);
        let line = with_retry(line, failure.retry_after.map(|ms| ms.saturated()));
        Stop::Failed { code: kind_code(failure.kind), lines: vec![line] }
    }
}

fn kind_code(kind: FailureKind) -> u8 {
    match kind {
        FailureKind::Invalid => 10,
        FailureKind::Denied => 11,
        FailureKind::Throttled => 12,
        FailureKind::Unavailable => 13,
        FailureKind::UnknownOutcome => 14,
        FailureKind::BadResponse => 15,
        FailureKind::Cancelled => 16,
        FailureKind::Internal => 17,
    }
}

fn with_retry(mut line: String, retry_after_ms: Option<u32>) -> String {
    if let Some(ms) = retry_after_ms {
        append(&mut line, format_args!("; retry after {ms} ms"));
    }
    line
}

fn append(line: &mut String, more: std::fmt::Arguments<'_>) {
    // Writing into memory cannot fail.
    let _ = line.write_fmt(more);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spent_call_has_a_code_of_its_own() {
        let stop = Stop::verdict("exhausted", Some(429), Some(0));
        let line = String::from("exhausted: the supplier answered 429; retry after 0 ms");
        assert_eq!(stop, Stop::Failed { code: 4, lines: vec![line] });
        let line = String::from("forbidden: the supplier answered 403");
        assert_eq!(Stop::verdict("forbidden", Some(403), None), Stop::Failed { code: 3, lines: vec![line] });
    }
}
