//! Taking a permit from the budget, or learning how long to wait for one.

use super::GRACE;
use super::doc::{Doc, Lease};
use crate::entropy::Entropy;
use crate::event::Why;
use crate::limits::{Refill, Static};
use crate::order::Grant;
use crate::time::{Ms, Theirs};

/// What an attempt asks of its pool.
pub(crate) struct Want<'a> {
    pub lease: String,
    pub cost: u64,
    /// The attempt's own timer.
    pub timer: Ms,
    /// Added to every reset.
    pub margin: Ms,
    /// Whether any reader can report what is left. Without one nothing is probed.
    pub reported: bool,
    /// Windows that stand in the profile and not on the wire.
    pub fixed: &'a [&'a Static],
    /// Whether the supplier's time is known, or nobody knows better than we: only then may a
    /// window be opened afresh without asking.
    pub sure: bool,
    /// `now` comes from our clock.
    pub ours: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reservation {
    Grant(Grant),
    /// `asked` is the supplier's number alone; `ms` has the margin on top. Jitter comes later.
    Wait {
        ms: Ms,
        asked: Option<Ms>,
        why: Why,
    },
}

impl Doc {
    /// Reserves in place, if there is something to reserve.
    pub(crate) fn reserve(&mut self, want: &Want<'_>, now: Theirs, entropy: &mut Entropy) -> Reservation {
        self.expire(now);
        if self.closed_until > now {
            let ms = now.until(self.closed_until);
            return Reservation::Wait { ms, asked: Some(ms), why: Why::Budget };
        }
        self.roll(want, now);
        if let Some(wait) = self.refusal(want, now, entropy) {
            return wait;
        }
        Reservation::Grant(self.grant(want, now))
    }

    /// Takes the permit without asking.
    pub(crate) fn grant(&mut self, want: &Want<'_>, now: Theirs) -> Grant {
        let sole = self.leases.is_empty();
        for window in self.windows.values_mut() {
            window.spend(want.cost, now);
        }
        // Round the end, in a document with an absurd number: each has to differ from the one before.
        self.grants = self.grants.wrapping_add(1);
        if want.reported || !want.fixed.is_empty() {
            let end = now.plus(want.timer).plus(GRACE);
            self.leases.push(Lease { id: want.lease.clone(), end, cost: want.cost, seq: self.grants });
        }
        Grant { lease: want.lease.clone(), sole }
    }

    /// Opens windows that have ended, and lets the places leak that have come back.
    fn roll(&mut self, want: &Want<'_>, now: Theirs) {
        let in_flight = self.in_flight();
        for window in self.windows.values_mut() {
            if let (Refill::Each(each), Some(reset)) = (window.refill, window.reset) {
                let taken = now.until(reset.plus(want.margin)).0.div_ceil(each.0.max(1));
                let limit = window.limit.unwrap_or(0);
                window.left = window.left.map(|_| limit.saturating_sub(taken));
            } else if window.reset.is_some_and(|reset| reset.plus(want.margin) <= now) {
                let most = (window.most > 0).then_some(window.most);
                let limit = window.limit.or(most).filter(|_| want.sure);
                window.left = limit.map(|limit| limit.saturating_sub(in_flight));
                window.reset = None;
            }
        }
        for fixed in want.fixed {
            let window = self.windows.entry(fixed.name.clone()).or_default();
            if window.reset.is_none() {
                window.limit = Some(u64::from(fixed.limit));
                window.left = Some(u64::from(fixed.limit).saturating_sub(in_flight));
                window.reset = Some(now.plus(Ms(u64::from(fixed.window_s).saturating_mul(1_000))));
                window.on_our_clock = want.ours;
            }
        }
    }

    fn refusal(&self, want: &Want<'_>, now: Theirs, entropy: &mut Entropy) -> Option<Reservation> {
        let mut unknown = want.reported && self.windows.len() == want.fixed.len();
        let mut longest = None;
        for window in self.windows.values() {
            match (window.left, window.reset) {
                (None, _) => unknown = true,
                (Some(left), _) if left >= want.cost => {}
                // Nothing can ever be left for a cost above the limit: the supplier decides.
                (Some(_), _) if window.limit.is_some_and(|limit| limit < want.cost) => {}
                (Some(_), Some(_)) => longest = longest.max(window.opens(want.cost)),
                // Spent since it opened, and its end not yet reported by those in flight. If
                // all of them are gone, somebody has to ask.
                (Some(_), None) if self.leases.is_empty() => {}
                (Some(_), None) => return Some(poll(entropy)),
            }
        }
        if let Some(reset) = longest {
            let asked = now.until(reset);
            return Some(Reservation::Wait { ms: asked.plus(want.margin), asked: Some(asked), why: Why::Budget });
        }
        // One at a time asks what is left; if its answer is lost, its lease ends.
        let asked = unknown && self.silent_until <= now && !self.leases.is_empty();
        asked.then(|| poll(entropy))
    }
}

/// 50 to 150 ms, until the one that asks has an answer.
fn poll(entropy: &mut Entropy) -> Reservation {
    Reservation::Wait { ms: Ms(50).plus(entropy.up_to(Ms(100))), asked: None, why: Why::Probe }
}
