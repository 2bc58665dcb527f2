//! One line an attempt, one line a wait.

use std::fmt::Write;

use supplier_engine::Wall;

use super::summary::{milliseconds, seconds};
use crate::dates;
use crate::journal::{Attempt, Journal, Note, Wait};
use crate::report::CallReport;
use crate::script::Seen;
use crate::style::Style;

pub enum Row {
    Attempt { at_ms: u64, what: String, signed: Option<String>, answer: String, verdict: String, rule: Option<String> },
    Beside { text: String, refused: bool },
}

/// From the journals that a call brought.
pub fn of_call(played: &CallReport) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut began_ms = played.began_ms;
    for journal in played.outcome.journals() {
        let Some(journal) = Journal::read(journal) else {
            rows.push(Row::Beside { text: "(a journal that cannot be read)".to_owned(), refused: true });
            continue;
        };
        for attempt in &journal.attempts {
            rows.extend(attempt.waits.iter().map(wait));
            rows.push(row(began_ms, attempt, &journal.method));
        }
        rows.extend(journal.waits.iter().map(wait));
        rows.extend(journal.notes.iter().map(note));
        began_ms = began_ms.saturating_add(journal.elapsed_ms);
    }
    rows
}

/// From the supplier's side, where no journal came back.
pub fn of_log(requests: &[Seen]) -> Vec<Row> {
    let row = |(index, seen): (usize, &Seen)| Row::Attempt {
        at_ms: seen.at_ms,
        what: format!("#{} {}", index + 1, seen.method),
        signed: None,
        answer: match &seen.answer {
            Some(answered) => {
                format!("{} in {}", answered.what, milliseconds(answered.at_ms.saturating_sub(seen.at_ms)))
            }
            None => "no answer".to_owned(),
        },
        verdict: if seen.unexpected { "not in the script".to_owned() } else { String::new() },
        rule: None,
    };
    requests.iter().enumerate().map(row).collect()
}

fn row(began_ms: u64, attempt: &Attempt, method: &str) -> Row {
    let came = match (&attempt.status, &attempt.code) {
        (Some(status), None) => status.to_string(),
        (Some(status), Some(code)) => format!("{status}, then {code}"),
        (None, Some(code)) => code.clone(),
        (None, None) => "nothing".to_owned(),
    };
    let detail = attempt.detail.as_ref().map(|detail| format!(" ({detail})")).unwrap_or_default();
    Row::Attempt {
        at_ms: began_ms.saturating_add(attempt.at_ms),
        what: format!("#{} {method}", attempt.n),
        signed: attempt.signed_at_ms.map(|at| format!("signed {}", dates::time_of_day(Wall(at)))),
        answer: format!("{came}{detail} in {}", milliseconds(attempt.took_ms)),
        verdict: attempt.verdict.clone(),
        // What is no pointer into the profile says nothing that the verdict does not.
        rule: attempt.rule.clone().filter(|rule| rule.starts_with('/')),
    }
}

fn wait(wait: &Wait) -> Row {
    match &wait.refused {
        None => Row::Beside { text: format!("waits {}: {}", seconds(wait.ms), wait.why), refused: false },
        Some(code) => {
            let text = format!("would wait {}: {}, which is refused: {code}", seconds(wait.ms), wait.why);
            Row::Beside { text, refused: true }
        }
    }
}

fn note(note: &Note) -> Row {
    let from = note.from.as_ref().map(|from| format!(" in {from}")).unwrap_or_default();
    let raw = note.raw.as_ref().map(|raw| format!(": {raw}")).unwrap_or_default();
    Row::Beside { text: format!("note: {}{from}{raw}", note.code), refused: false }
}

pub fn render(rows: &[Row], style: Style) -> String {
    let width = |of: fn(&Row) -> &str| rows.iter().map(|row| of(row).chars().count()).max().unwrap_or(0);
    let (what_width, signed_width, answer_width) = (width(what_of), width(signed_of), width(answer_of));
    let mut text = String::new();
    for row in rows {
        match row {
            Row::Beside { text: beside, refused } => {
                let beside = if *refused { style.bad(beside) } else { style.faint(beside) };
                let _ = writeln!(text, "              {beside}");
            }
            Row::Attempt { at_ms, what, signed, answer, verdict, rule } => {
                let mut line = format!("{:>12}  {what:what_width$}", seconds(*at_ms));
                if signed_width > 0 {
                    let signed = signed.as_deref().unwrap_or_default();
                    let _ = write!(line, "  {}", style.faint(&format!("{signed:signed_width$}")));
                }
                let _ = write!(line, "  -> {answer:answer_width$}  {}", paint(verdict, style));
                if let Some(rule) = rule {
                    let _ = write!(line, " {}", style.faint(&format!("({rule})")));
                }
                text.push_str(line.trim_end());
                text.push('\n');
            }
        }
    }
    text
}

fn what_of(row: &Row) -> &str {
    if let Row::Attempt { what, .. } = row { what } else { "" }
}

fn signed_of(row: &Row) -> &str {
    if let Row::Attempt { signed: Some(signed), .. } = row { signed } else { "" }
}

fn answer_of(row: &Row) -> &str {
    if let Row::Attempt { answer, .. } = row { answer } else { "" }
}

fn paint(verdict: &str, style: Style) -> String {
    match verdict {
        "ok" => style.good(verdict),
        "throttled" | "retry" | "resync-clock" => style.doubtful(verdict),
        _ => style.bad(verdict),
    }
}
