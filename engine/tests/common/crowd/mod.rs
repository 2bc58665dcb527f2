//! Workers that share one limit, against a strict fixed-window supplier, event by event in virtual
//! time. Their orders are idempotent, as their keys say; a worker that dies leaves its order to
//! another.

mod play;
mod random;

use play::Crowd;
use std::collections::{BTreeMap, BTreeSet};

/// Durations and instants in milliseconds, but for `trip`.
#[derive(Clone, Debug)]
pub struct Plan {
    pub workers: usize,
    pub limit: u64,
    pub window: u64,
    pub calls: usize,
    /// Of the supplier's answers.
    pub latency: (u64, u64),
    /// Of the store's answers, in microseconds.
    pub trip: (u64, u64),
    /// Without it everybody has a budget of their own.
    pub shared: bool,
    /// So many groups of workers, each with a budget and a fixed part of the limit.
    pub groups: usize,
    /// Wrong clocks, by so much at most.
    pub skew: i64,
    /// The first workers' clocks, in place of `skew`.
    pub off: &'static [i64],
    /// Of 1,000 attempts, how many lose their worker before the answer.
    pub crashes: u64,
    /// Requests of a stranger to the same limit, a second.
    pub foreign: u64,
    pub limit_header: bool,
    /// An attempt's timer.
    pub timer: u64,
    pub trouble: Trouble,
    pub seed: u64,
}

impl Plan {
    /// Six workers share ten requests in ten seconds, and nothing goes wrong.
    pub const CALM: Plan = Plan {
        workers: 6,
        limit: 10,
        window: 10_000,
        calls: 60,
        latency: (50, 300),
        trip: (200, 600),
        shared: true,
        groups: 1,
        skew: 0,
        off: &[],
        crashes: 0,
        foreign: 0,
        limit_header: true,
        timer: 30_000,
        trouble: Trouble::Nothing,
        seed: 1,
    };
}

/// What breaks meanwhile.
#[derive(Clone, Copy, Debug)]
pub enum Trouble {
    Nothing,
    /// The store is away, and comes back empty.
    Away {
        from: u64,
        to: u64,
    },
    /// The store takes so long for each answer.
    Slow {
        from: u64,
        to: u64,
        ms: u64,
    },
    /// So many workers die, each with a lease in its hands.
    Killed {
        from: u64,
        count: usize,
    },
    /// This is found under the key.
    Text {
        at: u64,
        text: &'static str,
    },
    /// One worker after the other, `each` apart, is replaced by one of another format's version,
    /// which has another key.
    Deploy {
        from: u64,
        each: u64,
    },
}

#[derive(Debug, Default)]
pub struct Outcome {
    /// Orders that their workers know to be done.
    pub done: usize,
    /// Orders that the supplier has carried out.
    pub applied: BTreeSet<usize>,
    /// When the supplier refused.
    pub refused: Vec<u64>,
    /// Requests that the supplier granted, by window.
    pub windows: BTreeMap<u64, u64>,
    pub attempts: usize,
    pub trips: usize,
    /// Microseconds that attempts stood waiting for the store, and for their turn at it.
    pub in_store: u64,
    /// Of the longest document.
    pub bytes: usize,
    /// Calls that went without the store for a while.
    pub without_store: usize,
    pub elapsed: u64,
}

impl Plan {
    /// The last window's orders may still be under way.
    pub fn ideal(&self) -> u64 {
        (self.calls as u64).div_ceil(self.limit).saturating_sub(1) * self.window
    }

    /// When the trouble is over.
    pub fn over(&self) -> u64 {
        match self.trouble {
            Trouble::Nothing => 0,
            Trouble::Away { to, .. } | Trouble::Slow { to, .. } => to,
            Trouble::Killed { from, .. } => from,
            Trouble::Text { at, .. } => at,
            Trouble::Deploy { from, each } => from + each * self.workers as u64,
        }
    }

    /// When the budget is whole again: one window and one lease later.
    pub fn healed(&self) -> u64 {
        self.over() + self.window + self.timer + 2_000
    }
}

impl Outcome {
    pub fn trips_an_attempt(&self) -> f64 {
        self.trips as f64 / self.attempts.max(1) as f64
    }

    /// In milliseconds.
    pub fn store_time_an_attempt(&self) -> f64 {
        self.in_store as f64 / 1_000.0 / self.attempts.max(1) as f64
    }

    pub fn refused_after(&self, at: u64) -> usize {
        self.refused.iter().filter(|refused| **refused >= at).count()
    }
}

pub fn run(plan: &Plan) -> Outcome {
    let mut crowd = Crowd::new(plan);
    while crowd.turn() {}
    crowd.outcome
}
