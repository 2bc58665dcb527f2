//! What an attempt's outcome says about its pool.

use super::doc::{Doc, Window};
use crate::time::{Ms, Theirs};

/// One attempt's outcome, in the pool's terms.
#[derive(Clone, Debug)]
pub(crate) struct Settlement {
    pub lease: String,
    pub spent: Spent,
    /// The answer's `Date`, if it can be trusted.
    pub date: Option<Theirs>,
    pub seen: Vec<Seen>,
    pub closed: Option<Closed>,
    /// The answer could have reported and did not.
    pub silent_until: Option<Theirs>,
}

/// Whether the supplier counts the attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spent {
    Yes,
    /// It never saw it: the cost goes back.
    No,
}

/// One window as an answer reported it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub window: String,
    pub limit: Option<u64>,
    pub left: Option<u64>,
    pub reset: Option<Theirs>,
    /// Resets closer together than this are the same one.
    pub granule: Ms,
    /// `reset` was counted from our clock, since the supplier's is not known.
    pub on_our_clock: bool,
}

/// The supplier wants nothing before `until`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Closed {
    pub until: Theirs,
    /// It said so in so many words (`Retry-After`), which outranks the windows' resets.
    pub outranks: bool,
}

impl Doc {
    pub(crate) fn settle(&mut self, outcome: &Settlement, now: Theirs) {
        self.expire(now);
        let mine = self.leases.iter().position(|lease| lease.id == outcome.lease).map(|at| self.leases.remove(at));
        if outcome.spent == Spent::No {
            let cost = mine.as_ref().map_or(0, |lease| lease.cost);
            for window in self.windows.values_mut() {
                window.left = window.left.map(|left| left.saturating_add(cost));
            }
        }
        let date = outcome.date.unwrap_or(self.newest);
        let alone = self.leases.is_empty() && mine.is_some_and(|lease| lease.seq == self.grants) && date >= self.newest;
        let others = self.in_flight();
        for seen in &outcome.seen {
            self.note(seen, alone, others);
        }
        self.newest = self.newest.max(date);
        if let Some(until) = outcome.silent_until {
            self.silent_until = self.silent_until.max(until);
        }
        if let Some(closed) = outcome.closed {
            self.close(closed);
        }
    }

    /// An attempt whose outcome nobody will hear; it counts as spent.
    pub(crate) fn forget(&mut self, lease: &str) {
        self.leases.retain(|held| held.id != lease);
    }

    fn note(&mut self, seen: &Seen, alone: bool, others: u64) {
        // A report without a reset opens no window: what it says may be over already.
        let Some(reset) = seen.reset else { return };
        let window = self.windows.entry(seen.window.clone()).or_default();
        if seen.limit.is_some() {
            window.limit = seen.limit;
        }
        let Some(left) = seen.left else { return };
        window.most = window.most.max(left.saturating_add(1));
        let half = seen.granule.0 / 2;
        let newer = window.reset.is_none_or(|known| reset > known.plus(Ms(half)));
        let same = window.reset.is_some_and(|known| reset.0.abs_diff(known.0) <= half);
        if newer {
            window.on_our_clock = seen.on_our_clock;
            window.begin(left, reset, others);
        } else if same {
            window.correct(left, alone, others);
        }
    }

    fn close(&mut self, closed: Closed) {
        self.closed_until = self.closed_until.max(closed.until);
        if !closed.outranks {
            return;
        }
        for window in self.windows.values_mut() {
            if window.reset.is_some_and(|reset| reset > closed.until) {
                window.left = None;
            }
        }
    }
}

impl Window {
    /// The supplier counts in a new window. Where we opened it ourselves, `left` has counted
    /// every grant since.
    fn begin(&mut self, left: u64, reset: Theirs, others: u64) {
        let counted = self.left.filter(|_| self.reset.is_none());
        self.left = Some(counted.map_or(left.saturating_sub(others), |counted| counted.min(left)));
        self.reset = Some(reset);
    }

    /// A report on the window that is already counted. Our count is exact unless somebody else
    /// spends too, and then the report is lower.
    fn correct(&mut self, left: u64, alone: bool, others: u64) {
        if alone {
            self.left = Some(left);
        } else if self.left.is_none_or(|known| left < known) {
            self.left = Some(left.saturating_sub(others));
        }
    }
}
