//! What it came to, for people and for programs.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use serde::Serialize;

use super::walk::Walked;
use crate::journal::Journal;
use crate::style::Style;
use crate::supplier::catalogue::Catalogue;
use crate::supplier::report::{Kind, Report};

/// The most linear memory that a walk of any length may take.
const MEMORY_CAP: usize = 2 * 1024 * 1024;

#[derive(Debug, Serialize)]
pub struct Summary {
    pub summary: u32,
    /// Everything below is as it must be.
    pub good: bool,
    /// What is not, in words.
    pub wrong: Vec<String>,
    pub elapsed_ms: u64,
    pub requests: u64,
    pub by_status: BTreeMap<String, u64>,
    pub injected: BTreeMap<String, u64>,
    /// Attempts beyond the first of each call.
    pub retries: u64,
    pub waits: u64,
    pub waited_ms: u64,
    /// How often for which reason.
    pub waits_by_reason: BTreeMap<String, u64>,
    pub pages: u32,
    pub items: u64,
    pub checksum_matches: bool,
    pub orders: Option<u64>,
    /// Orders answered from an earlier result.
    pub replayed: u64,
    pub violations: BTreeMap<Kind, u64>,
    pub memory_page_2: usize,
    pub memory_peak: usize,
}

impl Summary {
    pub fn new(walked: &Walked, report: &Report, catalogue: Catalogue, elapsed: Duration) -> Summary {
        let mut summary = Summary {
            summary: 1,
            good: true,
            wrong: Vec::new(),
            elapsed_ms: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
            requests: report.requests,
            by_status: report.by_status.clone(),
            injected: report.injected.clone(),
            retries: 0,
            waits: 0,
            waited_ms: 0,
            waits_by_reason: BTreeMap::new(),
            pages: walked.pages,
            items: walked.items,
            checksum_matches: walked.checksum == catalogue.checksum(),
            orders: walked.orders,
            replayed: report.replayed,
            violations: report.violations.clone(),
            memory_page_2: walked.memory_page_2,
            memory_peak: walked.memory_peak,
        };
        summary.add_journals(walked);
        summary.judge(walked, report, catalogue);
        summary
    }

    pub fn is_good(&self) -> bool {
        self.good
    }

    pub fn to_json(&self) -> String {
        // Plain maps with text keys: there is nothing that could fail.
        serde_json::to_string_pretty(self).expect("a summary is JSON")
    }

    pub fn rows(&self, style: Style) -> String {
        let count = |kind: Kind| self.violations.get(&kind).copied().unwrap_or_default();
        let signatures = count(Kind::Signature) + count(Kind::StaleSignature);
        let limits = count(Kind::Limit) + count(Kind::RetryAfter);
        let others = self.violations.values().sum::<u64>() - signatures - limits;
        let orders = self.orders.map_or("unknown".into(), |n| n.to_string());
        let checksum = if self.checksum_matches { "every byte as sent" } else { "other bytes than were sent" };
        let flat = if self.memory_page_2 == self.memory_peak { ", flat from page 2" } else { "" };
        let rows = [
            ("requests", format!("{} ({})", self.requests, joined(&self.by_status))),
            ("faults on purpose", joined(&self.injected)),
            ("retries", self.retries.to_string()),
            ("waits", format!("{}, {} ({})", self.waits, seconds(self.waited_ms), joined(&self.waits_by_reason))),
            ("items", format!("{} on {} pages, {checksum}", self.items, self.pages)),
            ("orders", format!("{orders}; {} repeated and answered from the first", self.replayed)),
            ("signature violations", signatures.to_string()),
            ("limit violations", limits.to_string()),
            ("other violations", others.to_string()),
            ("peak guest memory", format!("{:.2} MiB{flat}", self.memory_peak as f64 / 1048576.0)),
            ("time", seconds(self.elapsed_ms)),
        ];
        let mut text = String::new();
        for (name, value) in rows {
            let _ = writeln!(text, "{}  {value}", style.strong(&format!("{name:<20}")));
        }
        for wrong in &self.wrong {
            let _ = writeln!(text, "{}", style.bad(wrong));
        }
        if self.good {
            let _ = writeln!(text, "{}", style.good("all as it must be"));
        }
        text
    }

    fn add_journals(&mut self, walked: &Walked) {
        let outcomes = walked.calls.iter().flat_map(|call| call.played.outcome.journals());
        for journal in outcomes.filter_map(Journal::read) {
            self.retries += (journal.attempts.len() as u64).saturating_sub(1);
            for wait in journal.waited() {
                self.waits += 1;
                self.waited_ms += wait.ms;
                *self.waits_by_reason.entry(wait.why.clone()).or_default() += 1;
            }
        }
    }

    fn judge(&mut self, walked: &Walked, report: &Report, catalogue: Catalogue) {
        let mut wrong = Vec::new();
        for call in &walked.calls {
            if let Some(failure) = call.played.outcome.failure() {
                wrong.push(format!("{}: {} {}: {}", call.name, failure.kind, failure.code, failure.message));
            }
        }
        if self.items != u64::from(catalogue.total) {
            wrong.push(format!("{} items instead of {}", self.items, catalogue.total));
        } else if !self.checksum_matches {
            wrong.push("the items are not those that the supplier sent".into());
        }
        if self.orders != Some(1) {
            wrong.push(format!("{} orders instead of 1", self.orders.map_or("unknown".into(), |n| n.to_string())));
        }
        for finding in report.findings.iter().take(10) {
            wrong.push(format!("request {}: {:?}: {}", finding.request, finding.kind, finding.detail));
        }
        if self.memory_peak > MEMORY_CAP {
            wrong.push(format!("{} bytes of guest memory, more than {MEMORY_CAP}", self.memory_peak));
        }
        self.good = wrong.is_empty() && report.clean;
        self.wrong = wrong;
    }
}

fn joined(counts: &BTreeMap<String, u64>) -> String {
    if counts.is_empty() {
        return "none".into();
    }
    counts.iter().map(|(name, count)| format!("{count} x {name}")).collect::<Vec<_>>().join(", ")
}

fn seconds(ms: u64) -> String {
    format!("{}.{} s", ms / 1000, ms / 100 % 10)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::supplier::report::Finding;

    const LIST: Catalogue = Catalogue { total: 7, page_size: 5 };

    fn walked() -> Walked {
        Walked {
            pages: 2,
            items: 7,
            checksum: LIST.checksum(),
            orders: Some(1),
            memory_peak: 1 << 20,
            ..Walked::default()
        }
    }

    fn wrong(change: impl FnOnce(&mut Walked, &mut Report)) -> Vec<String> {
        let (mut walked, mut report) = (walked(), Report::default());
        change(&mut walked, &mut report);
        let summary = Summary::new(&walked, &report, LIST, Duration::ZERO);
        assert_eq!(summary.is_good(), summary.wrong.is_empty());
        summary.wrong
    }

    #[test]
    fn nothing_is_wrong_with_a_good_run() {
        assert_eq!(wrong(|_, _| {}), [""; 0]);
    }

    #[test]
    fn each_of_these_fails_the_demo() {
        assert!(wrong(|walked, _| walked.items = 6)[0].contains("6 items instead of 7"));
        assert!(wrong(|walked, _| walked.checksum.clear())[0].contains("not those that the supplier sent"));
        assert!(wrong(|walked, _| walked.orders = Some(2))[0].contains("2 orders instead of 1"));
        assert!(wrong(|walked, _| walked.orders = None)[0].contains("unknown orders"));
        assert!(wrong(|walked, _| walked.memory_peak = MEMORY_CAP + 1)[0].contains("guest memory"));
        for kind in Kind::ALL {
            let finding = Finding { request: 3, at_ms: 0, kind, detail: "so".into() };
            assert!(wrong(|_, report| report.find(finding))[0].contains("request 3"));
        }
    }
}
