//! Taking turns: a reservation in the pool's document before every attempt, and its
//! settlement after. In memory both are immediate; with a shared store each is a
//! compare-and-swap, and the loser starts from the winner's text.

use super::outcome::Outcome;
use super::{Call, State};
use crate::budget::{Doc, Reservation, Settlement, Want};
use crate::event::{Action, FailureKind, Why};
use crate::limits::{Reader, Static};
use crate::order::{Due, Grant};
use crate::profile::StoreFailure;
use crate::supplier::Supplier;
use crate::time::{Ms, Now, Theirs};

/// A swap under way: the document as it will be.
pub(super) struct Swap {
    doc: Doc,
    text: String,
    /// For a reservation: what it grants.
    grant: Option<Grant>,
}

/// What the store said.
pub(super) struct Answer {
    pub won: bool,
    pub current: Option<String>,
}

/// After so many lost swaps an outcome is not noted; its lease expires by itself.
const LOSSES: u32 = 8;

impl Call {
    /// Asks the budget for a permit.
    pub(super) fn pace(&mut self, supplier: &mut Supplier, due: Due, now: Now) -> Action {
        if !self.uses_store(supplier, now) {
            return self.reserve_in_memory(supplier, due, now);
        }
        if !supplier.pools.entry(&self.pool_key).loaded {
            self.state = State::Reserving { due, swap: None };
            return self.load(supplier);
        }
        self.reserve_in_store(supplier, due, false, now)
    }

    fn uses_store(&self, supplier: &mut Supplier, now: Now) -> bool {
        supplier.profile.budget.shared && !supplier.pools.entry(&self.pool_key).store_is_left_alone(now.mono)
    }

    fn reserve_in_memory(&mut self, supplier: &mut Supplier, due: Due, now: Now) -> Action {
        let mut doc = std::mem::take(&mut supplier.pools.entry(&self.pool_key).doc);
        let reservation = self.reserve(supplier, &mut doc, &due, now);
        supplier.pools.entry(&self.pool_key).doc = doc;
        match reservation {
            Reservation::Grant(grant) => self.send(supplier, due.granted(grant), now),
            Reservation::Wait { ms, asked, why } => {
                let plan = self.plan_pace(ms, asked, why);
                self.wait(supplier, &plan, now)
            }
        }
    }

    fn load(&self, supplier: &Supplier) -> Action {
        self.store(supplier, None, None, Ms::ZERO)
    }

    /// `fresh`: the text at hand came from the store just now.
    fn reserve_in_store(&mut self, supplier: &mut Supplier, due: Due, fresh: bool, now: Now) -> Action {
        let pool = supplier.pools.entry(&self.pool_key);
        let mut doc = pool.doc.clone();
        let expect = pool.text.clone();
        match self.reserve(supplier, &mut doc, &due, now) {
            Reservation::Grant(grant) => {
                let (text, ttl) = (doc.text(), doc.useful_for(self.theirs(supplier, now)));
                let swap = Swap { doc, text: text.clone(), grant: Some(grant) };
                self.state = State::Reserving { due, swap: Some(swap) };
                self.store(supplier, expect, Some(text), ttl)
            }
            // Never decide to wait on a text that may be stale.
            Reservation::Wait { .. } if !fresh => {
                self.state = State::Reserving { due, swap: None };
                self.load(supplier)
            }
            Reservation::Wait { ms, asked, why } => {
                let plan = self.plan_pace(ms, asked, why);
                self.wait(supplier, &plan, now)
            }
        }
    }

    /// The store has answered a load or a swap.
    pub(super) fn reserved(
        &mut self,
        supplier: &mut Supplier,
        due: Due,
        swap: Option<Swap>,
        answer: Answer,
        now: Now,
    ) -> Action {
        let pool = supplier.pools.entry(&self.pool_key);
        match swap {
            Some(Swap { doc, text, grant: Some(grant) }) if answer.won => {
                pool.doc = doc;
                pool.text = Some(text);
                self.losses = 0;
                self.send(supplier, due.granted(grant), now)
            }
            Some(_) => {
                pool.load(answer.current, now.mono);
                match self.contention() {
                    // The text will have changed again: it is loaded after the pause. However
                    // long that goes on, nothing is sent unpaced while the store answers.
                    Some(pause) => {
                        supplier.pools.entry(&self.pool_key).loaded = false;
                        self.state = State::Waiting(due.later(now.mono.plus(pause)), Why::Contention);
                        self.journal.waits(pause, Why::Contention, now);
                        Action::Wait { ms: pause, why: Why::Contention }
                    }
                    None => self.reserve_in_store(supplier, due, true, now),
                }
            }
            None => {
                pool.load(answer.current, now.mono);
                self.reserve_in_store(supplier, due, true, now)
            }
        }
    }

    /// The store cannot be used: go on alone, or not at all.
    pub(super) fn reserve_without_store(&mut self, supplier: &mut Supplier, due: Due, now: Now) -> Action {
        self.leave_store(supplier, now);
        if supplier.profile.budget.store_failure == StoreFailure::Closed {
            let message = "the shared budget cannot be reached, and the profile forbids to send without it \
                           (budget.store_failure); see to the store"
                .to_owned();
            return self.fail(supplier, FailureKind::Internal, "store-unavailable", message, now);
        }
        self.reserve_in_memory(supplier, due, now)
    }

    /// Notes an attempt's outcome in the pool, then goes on with it.
    pub(super) fn settle(&mut self, supplier: &mut Supplier, outcome: Outcome, now: Now) -> Action {
        if !self.uses_store(supplier, now) {
            return self.settle_in_memory(supplier, outcome, now);
        }
        self.losses = 0;
        self.settle_in_store(supplier, Box::new(outcome), now)
    }

    fn settle_in_memory(&mut self, supplier: &mut Supplier, outcome: Outcome, now: Now) -> Action {
        let theirs = self.theirs(supplier, now);
        supplier.pools.entry(&self.pool_key).doc.settle(&outcome.settlement, theirs);
        self.conclude(supplier, outcome, now)
    }

    fn settle_in_store(&mut self, supplier: &mut Supplier, outcome: Box<Outcome>, now: Now) -> Action {
        let theirs = self.theirs(supplier, now);
        let pool = supplier.pools.entry(&self.pool_key);
        let mut doc = pool.doc.clone();
        let expect = pool.text.clone();
        doc.settle(&outcome.settlement, theirs);
        let (text, ttl) = (doc.text(), doc.useful_for(theirs));
        let swap = Swap { doc, text: text.clone(), grant: None };
        self.state = State::Settling { outcome, swap: Some(swap) };
        self.store(supplier, expect, Some(text), ttl)
    }

    /// A pause between two swaps of a settlement is over.
    pub(super) fn settle_again(&mut self, supplier: &Supplier, outcome: Box<Outcome>) -> Action {
        self.state = State::Settling { outcome, swap: None };
        self.load(supplier)
    }

    /// The store has answered the load or swap of a settlement.
    pub(super) fn settled(
        &mut self,
        supplier: &mut Supplier,
        outcome: Box<Outcome>,
        swap: Option<Swap>,
        answer: Answer,
        now: Now,
    ) -> Action {
        let pool = supplier.pools.entry(&self.pool_key);
        match swap {
            Some(swap) if answer.won => {
                pool.doc = swap.doc;
                pool.text = Some(swap.text);
                self.losses = 0;
                self.conclude(supplier, *outcome, now)
            }
            None => {
                pool.load(answer.current, now.mono);
                self.settle_in_store(supplier, outcome, now)
            }
            Some(_) => {
                pool.load(answer.current, now.mono);
                match self.contention() {
                    _ if self.losses >= LOSSES => {
                        self.journal.note("store-contended", None, None);
                        self.losses = 0;
                        self.conclude(supplier, *outcome, now)
                    }
                    Some(pause) => {
                        self.state = State::Settling { outcome, swap: None };
                        Action::Wait { ms: pause, why: Why::Contention }
                    }
                    None => self.settle_in_store(supplier, outcome, now),
                }
            }
        }
    }

    /// The outcome stays in memory; the lease in the store expires by itself.
    pub(super) fn settle_without_store(&mut self, supplier: &mut Supplier, outcome: Outcome, now: Now) -> Action {
        self.leave_store(supplier, now);
        self.settle_in_memory(supplier, outcome, now)
    }

    fn leave_store(&mut self, supplier: &mut Supplier, now: Now) {
        self.journal.note("store-unavailable", None, None);
        supplier.pools.entry(&self.pool_key).leave_store(now.mono);
    }

    /// A swap was lost: a pause from the third in a row on, of 1 to 10 ms and growing.
    fn contention(&mut self) -> Option<Ms> {
        self.losses = self.losses.saturating_add(1);
        let times = u64::from(self.losses.min(LOSSES)).checked_sub(2).filter(|times| *times > 0)?;
        Some(Ms(1).plus(self.entropy.up_to(Ms(9 * times))))
    }

    fn store(&self, supplier: &Supplier, expect: Option<String>, value: Option<String>, ttl: Ms) -> Action {
        let patience = Ms(u64::from(supplier.profile.budget.patience_ms));
        Action::Store { key: self.pool_key.clone(), expect, value, ttl, patience }
    }

    fn reserve(&mut self, supplier: &mut Supplier, doc: &mut Doc, due: &Due, now: Now) -> Reservation {
        let theirs = self.theirs(supplier, now);
        let limits = supplier.profile.limits.iter().filter(|limit| limit.pool == self.pool);
        let fixed: Vec<&Static> = limits
            .clone()
            .filter_map(|limit| match &limit.reader {
                Reader::Static(fixed) => Some(fixed),
                _ => None,
            })
            .collect();
        let retry = &self.policy.retry;
        let want = Want {
            lease: self.entropy.lease(self.attempts.saturating_add(1)),
            cost: u64::from(self.policy.cost),
            timer: Ms(u64::from(retry.attempt_timeout_ms)),
            margin: Ms(u64::from(retry.reset_margin_ms)),
            reported: limits.count() > fixed.len(),
            fixed: &fixed,
            sure: supplier.clock.heard() || doc.newest == Theirs(0),
            ours: !supplier.clock.heard(),
        };
        if due.is_forced() {
            return Reservation::Grant(doc.grant(&want, theirs));
        }
        doc.reserve(&want, theirs, &mut self.entropy)
    }

    /// The supplier's time, as well as this pool knows it: never earlier than the newest `Date`
    /// in its document, and, while we have heard none ourselves, counted from when we first saw
    /// that one. It may wait too long once; it never sends early.
    pub(super) fn theirs(&self, supplier: &mut Supplier, now: Now) -> Theirs {
        let heard = supplier.clock.theirs(now);
        let own = supplier.clock.at(now.mono);
        let pool = supplier.pools.entry(&self.pool_key);
        let at = match (heard, pool.sighted) {
            (Some(heard), _) => heard,
            (None, Some((newest, then))) => newest.plus(now.mono.since(then)),
            (None, None) => own,
        };
        at.max(pool.doc.newest)
    }
}

/// What the settlement of an attempt is made of; see `outcome`.
pub(super) fn lease_only(lease: String, spent: crate::budget::Spent) -> Settlement {
    Settlement { lease, sole: false, spent, date: None, seen: Vec::new(), closed: None, silent_until: None }
}
