//! What an attempt's outcome says about its pool.

use super::doc::{Doc, Window};
use crate::limits::Refill;
use crate::time::{Ms, Theirs};

/// Windows in one document.
const MOST_WINDOWS: usize = 32;

/// One attempt's outcome, in the pool's terms.
#[derive(Clone, Debug)]
pub(crate) struct Settlement {
    pub lease: String,
    /// Nobody else was in flight when it was granted.
    pub sole: bool,
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
    pub refill: Refill,
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
                window.refund(cost);
            }
        }
        let date = outcome.date.unwrap_or(self.newest);
        // Only who was alone all the time has heard of every grant: one from before it may have
        // reached the supplier after it.
        let newest = mine.is_some_and(|lease| lease.seq == self.grants);
        let alone = outcome.sole && newest && self.leases.is_empty() && date >= self.newest;
        let others = self.in_flight();
        for seen in &outcome.seen {
            if self.has_room_for(&seen.window, now) {
                self.note(seen, alone, others);
            }
        }
        self.hear(date);
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

    /// A supplier that names its windows anew all the time must not fill the document: one that
    /// is over makes room, and if none is, the newcomer is not counted.
    fn has_room_for(&mut self, name: &str, now: Theirs) -> bool {
        if self.windows.len() < MOST_WINDOWS || self.windows.contains_key(name) {
            return true;
        }
        let is_over = |window: &Window| window.reset.is_none_or(|reset| reset <= now);
        let over = self.windows.iter().find(|(_, window)| is_over(window)).map(|(name, _)| name.clone());
        over.is_some_and(|name| self.windows.remove(&name).is_some())
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
        window.refill = seen.refill;
        if let Refill::Each(each) = seen.refill {
            window.on_our_clock = seen.on_our_clock;
            window.level(left, reset, each, alone, others);
            return;
        }
        // Such a reset moves with every answer: only a count that rose tells of a new window.
        if seen.refill == Refill::ByReset && window.reset.is_some() && !(alone && window.left < Some(left)) {
            window.correct(left, alone, others);
            return;
        }
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
            if window.opens(1).is_some_and(|opens| opens > closed.until) {
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

    /// A report on a bucket that leaks. Our level is right unless somebody else spends too, and
    /// then the report is higher by a place or more.
    fn level(&mut self, left: u64, reset: Theirs, each: Ms, alone: bool, others: u64) {
        let higher = self.left.and(self.reset).is_none_or(|known| reset > known.plus(each));
        if alone || higher {
            self.left = Some(left.saturating_sub(others));
            self.reset = Some(reset.plus(Ms(each.0.saturating_mul(others))));
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// An answer that says so many are left, of a window whose end is counted from the answer.
    fn answer(doc: &mut Doc, at: i64, left: u64) {
        let seen = Seen {
            window: "day".into(),
            limit: Some(10),
            left: Some(left),
            reset: Some(Theirs(at + 60_000)),
            refill: Refill::ByReset,
            granule: Ms(2_000),
            on_our_clock: false,
        };
        let outcome = Settlement {
            sole: doc.leases.len() == 1,
            lease: doc.leases.first().map(|lease| lease.id.clone()).unwrap_or_default(),
            spent: Spent::Yes,
            date: None,
            seen: vec![seen],
            closed: None,
            silent_until: None,
        };
        doc.settle(&outcome, Theirs(at));
    }

    /// The newest of the grants.
    fn lease(doc: &mut Doc, id: &str) {
        doc.grants += 1;
        doc.leases.push(super::super::doc::Lease { id: id.into(), end: Theirs(200_000), cost: 1, seq: doc.grants });
        doc.windows.values_mut().for_each(|window| window.spend(1, Theirs(0)));
    }

    #[test]
    fn a_reset_that_moves_with_every_answer_is_no_new_window() {
        let mut doc = Doc::default();
        for (at, left) in [(0, 8), (1_000, 7), (30_000, 6)] {
            lease(&mut doc, "a");
            answer(&mut doc, at, left);
            let window = &doc.windows["day"];
            assert_eq!((window.left, window.reset), (Some(left), Some(Theirs(60_000))), "at {at}");
        }
        lease(&mut doc, "a");
        answer(&mut doc, 40_000, 9);
        let window = &doc.windows["day"];
        assert_eq!((window.left, window.reset), (Some(9), Some(Theirs(100_000))), "a count that rose is one");
    }

    #[test]
    fn an_old_answer_does_not_give_back_what_others_spend() {
        let mut doc = Doc::default();
        lease(&mut doc, "a");
        answer(&mut doc, 0, 8);
        lease(&mut doc, "b");
        lease(&mut doc, "c");
        answer(&mut doc, 5_000, 7);
        assert_eq!(doc.windows["day"].left, Some(6));
        assert_eq!(doc.windows["day"].reset, Some(Theirs(60_000)));
    }
}
