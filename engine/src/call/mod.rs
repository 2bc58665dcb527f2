//! One call: the state machine that goes round from due to permit to answer.
//!
//! ```text
//!            Go                    Stored                     Answered, Broke
//!  Due ------------> reserving ------------> sending ------------------------> settling
//!   ^  wait                                                                       |
//!   +------------------------------- again ---------------------------------------+---> Done
//! ```

mod begin;
mod conclude;
mod failure;
mod outcome;
mod pace;
mod send;
mod wait;

use crate::entropy::Entropy;
use crate::event::{Action, Event, FailureKind, Phase, Why};
use crate::journal::Journal;
use crate::order::Due;
use crate::paging::Position;
use crate::profile::Policy;
use crate::retry::Repeatable;
use crate::sign::Draft;
use crate::supplier::Supplier;
use crate::time::{Mono, Ms, Now, Wall};
use outcome::Outcome;
use pace::{Answer, Swap};
use std::fmt;
use std::sync::Arc;

/// A call in progress. Nothing is held while it waits: drop it at any time.
pub struct Call {
    policy: Arc<Policy>,
    draft: Draft,
    /// For a page: where the walk stands.
    position: Option<Position>,
    repeatable: Repeatable,
    pool: String,
    pool_key: String,
    deadline: Ms,
    max_wait: Option<Ms>,
    entropy: Entropy,
    journal: Journal,
    began: Option<Mono>,
    attempts: u32,
    /// Swaps lost in a row.
    losses: u32,
    /// Signing time: a refused timestamp was answered with the supplier's.
    resynced: bool,
    /// The last status heard, and what the supplier asked to wait with it.
    last_status: Option<u16>,
    asked: Option<Ms>,
    state: State,
}

enum State {
    /// Not before the due's time, and not before the budget agrees.
    Waiting(Due, Why),
    /// The store has been asked for the pool's text, or to swap it for `text`.
    Reserving {
        due: Due,
        swap: Option<Swap>,
    },
    Sending(Flight),
    /// The store has been asked to note the outcome.
    Settling {
        outcome: Box<Outcome>,
        swap: Option<Swap>,
    },
    Ended,
}

/// An attempt on the wire.
struct Flight {
    lease: String,
    /// Nobody else was in flight when it was granted.
    sole: bool,
    sent: Now,
    signed_at: Option<Wall>,
    /// The timer ends with the call's deadline and not with the attempt's own.
    last_chance: bool,
}

impl Call {
    /// See `Supplier::step`.
    pub(crate) fn step(&mut self, supplier: &mut Supplier, event: Event, now: Now) -> Action {
        if self.began.is_none() {
            self.began = Some(now.mono);
            self.journal.begin(now);
            supplier.health.began();
        }
        match (std::mem::replace(&mut self.state, State::Ended), event) {
            (State::Ended, _) => self.out_of_turn(now),
            (state, Event::Cancel) => self.cancel(supplier, state, now),
            (State::Waiting(due, why), Event::Go) => self.go(supplier, due, why, now),
            // The store took its time; a lease that was won meanwhile expires by itself.
            (State::Reserving { .. }, Event::Stored { .. } | Event::StoreFailed { .. })
                if self.elapsed(now) >= self.deadline =>
            {
                self.late(supplier, now)
            }
            (State::Reserving { due, swap }, Event::Stored { won, current }) => {
                self.reserved(supplier, due, swap, Answer { won, current }, now)
            }
            (State::Reserving { due, .. }, Event::StoreFailed { .. }) => self.reserve_without_store(supplier, due, now),
            (State::Sending(flight), Event::Answered { status, headers, body }) => {
                let outcome = self.answered(supplier, flight, status, headers, body, now);
                self.settle(supplier, outcome, now)
            }
            (State::Sending(flight), Event::Broke { phase, code, head }) => {
                let outcome = self.broke(supplier, flight, phase, &code, head, now);
                self.settle(supplier, outcome, now)
            }
            (State::Settling { outcome, swap }, Event::Stored { won, current }) => {
                self.settled(supplier, outcome, swap, Answer { won, current }, now)
            }
            (State::Settling { outcome, .. }, Event::Go) => self.settle_again(supplier, outcome),
            (State::Settling { outcome, .. }, Event::StoreFailed { .. }) => {
                self.settle_without_store(supplier, *outcome, now)
            }
            _ => {
                supplier.health.failed(&self.failure(FailureKind::Internal, OUT_OF_TURN, String::new()), now);
                self.out_of_turn(now)
            }
        }
    }

    /// A wait is over, perhaps; then the budget decides.
    fn go(&mut self, supplier: &mut Supplier, due: Due, why: Why, now: Now) -> Action {
        let left = due.left(now.mono);
        if left > Ms::ZERO {
            return self.sleep(due, why, left);
        }
        if self.elapsed(now) >= self.deadline {
            return self.late(supplier, now);
        }
        self.pace(supplier, due, now)
    }

    fn late(&mut self, supplier: &mut Supplier, now: Now) -> Action {
        let message = "the call's deadline passed before the attempt could begin; give it more time".to_owned();
        self.fail(supplier, FailureKind::Cancelled, "deadline-passed", message, now)
    }

    fn cancel(&mut self, supplier: &mut Supplier, state: State, now: Now) -> Action {
        let in_flight = matches!(state, State::Sending(_));
        if let State::Sending(flight) = state {
            self.journal.ended(now);
            self.journal.verdict("cancelled", "cancel");
            supplier.pools.entry(&self.pool_key).doc.forget(&flight.lease);
        }
        if in_flight && self.repeatable == Repeatable::Unsafe {
            let message = "the caller gave up while the request was under way, and the supplier may have done it; \
                           find out before repeating it"
                .to_owned();
            return self.fail(supplier, FailureKind::UnknownOutcome, "cancelled", message, now);
        }
        let message = if in_flight && self.repeatable == Repeatable::Keyed {
            "the caller gave up while the request was under way, and the supplier may have done it; \
             repeat it with the same idempotency key"
        } else {
            "the caller gave up"
        };
        self.fail(supplier, FailureKind::Cancelled, "cancelled", message.to_owned(), now)
    }

    /// An event that does not answer the last action.
    fn out_of_turn(&mut self, now: Now) -> Action {
        let message =
            "the host reported something that does not answer the call's last action; this is a fault of the host"
                .to_owned();
        let mut failure = self.failure(FailureKind::Internal, OUT_OF_TURN, message);
        failure.journal = self.journal.close(OUT_OF_TURN, Some(now));
        Action::Done(Err(failure))
    }

    pub(crate) fn policy(&self) -> &Policy {
        &self.policy
    }

    pub(crate) fn draft(&self) -> &Draft {
        &self.draft
    }

    pub(crate) fn pool_key(&self) -> &str {
        &self.pool_key
    }

    pub(crate) fn repeatable_name(&self) -> &'static str {
        match self.repeatable {
            Repeatable::Idempotent => "idempotent",
            Repeatable::Keyed => "keyed",
            Repeatable::Unsafe => "unsafe",
        }
    }

    fn elapsed(&self, now: Now) -> Ms {
        self.began.map_or(Ms::ZERO, |began| now.mono.since(began))
    }
}

const OUT_OF_TURN: &str = "event-out-of-turn";

impl Phase {
    fn name(self) -> &'static str {
        match self {
            Phase::NotSent => "not-sent",
            Phase::MaybeSent => "maybe-sent",
            Phase::Never => "never",
            Phase::TooLarge => "too-large",
        }
    }
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("attempts", &self.attempts).finish_non_exhaustive()
    }
}
