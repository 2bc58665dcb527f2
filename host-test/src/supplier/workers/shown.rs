//! Two runs side by side, and who sent when.

use std::fmt::Write;
use std::time::Duration;

use super::Plan;
use super::crew::{Member, Run};
use crate::style::Style;

/// A column of the timeline.
const COLUMN: Duration = Duration::from_millis(250);

pub fn side_by_side(plan: &Plan, crew: usize, alone: &Run, shared: &Run, style: Style) -> String {
    let mut text = String::new();
    let ideal = format!("{:.1} s", plan.ideal(crew).as_secs_f64());
    let rows: [(&str, [String; 2]); 6] = [
        ("orders", [alone, shared].map(|run| run.report.orders.to_string())),
        ("requests", [alone, shared].map(|run| run.report.requests.to_string())),
        ("429s", [alone, shared].map(|run| run.refused().to_string())),
        ("429s after the first window", [alone, shared].map(|run| run.refused_after(plan.period()).to_string())),
        ("violations", [alone, shared].map(|run| run.report.total().to_string())),
        ("time", [alone, shared].map(|run| format!("{:.1} s (ideal {ideal})", run.elapsed.as_secs_f64()))),
    ];
    let _ = writeln!(text, "{}", style.strong(&format!("{:<30}{:<24}one shared budget", "", "each by itself")));
    for (name, [alone, shared]) in rows {
        let _ = writeln!(text, "{name:<30}{alone:<24}{shared}");
    }
    text
}

/// A row for each worker, a column for each quarter of a second: how many answers, `x` where a 429
/// is among them.
pub fn timeline(crew: &[Member], run: &Run, style: Style) -> String {
    let mut text = String::new();
    let columns = run.elapsed.div_duration_f64(COLUMN).ceil() as usize;
    for (index, member) in crew.iter().enumerate() {
        let _ = write!(text, "{:<10}", member.name);
        for column in 0..columns {
            let within = run
                .attempts
                .iter()
                .filter(|attempt| attempt.member == index && attempt.at.div_duration_f64(COLUMN) as usize == column);
            let (count, refused) = within.fold((0, false), |(n, x), a| (n + 1, x || a.status == Some(429)));
            let _ = match (count, refused) {
                (0, _) => write!(text, "{}", style.faint("\u{b7}")),
                (_, true) => write!(text, "{}", style.bad("x")),
                (1..=9, false) => write!(text, "{}", style.good(&count.to_string())),
                (_, false) => write!(text, "{}", style.good("+")),
            };
        }
        let _ = writeln!(text);
    }
    text
}

impl Run {
    pub fn refused(&self) -> usize {
        self.refused_after(Duration::ZERO)
    }

    pub fn refused_after(&self, at: Duration) -> usize {
        self.attempts.iter().filter(|attempt| attempt.status == Some(429) && attempt.at >= at).count()
    }
}
