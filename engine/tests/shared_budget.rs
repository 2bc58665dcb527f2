//! Workers that share one budget through a store (design: the shared budget). The figures are those
//! of the reference simulation: none may be refused after the first window, in as much time.

mod common;

use common::crowd::{Outcome, Plan, run};
use proptest::prelude::*;

/// Every order is done, with so many 429s and store trips an attempt at most, and little later than
/// can be.
fn assert_calm(plan: &Plan, refused: usize, trips: f64) {
    let allowed = plan.ideal() * 11 / 10;
    assert_calm_within(plan, refused, trips, allowed);
}

fn assert_calm_within(plan: &Plan, refused: usize, trips: f64, allowed: u64) {
    for seed in 1..=5 {
        let outcome = run(&Plan { seed, ..plan.clone() });
        let per_attempt = outcome.trips_an_attempt();
        assert_eq!((outcome.done, outcome.applied.len()), (plan.calls, plan.calls), "{outcome:?}");
        assert!(outcome.refused.len() <= refused, "seed {seed}: {} refused", outcome.refused.len());
        assert!(per_attempt <= trips, "seed {seed}: {per_attempt:.2} trips an attempt, {trips} allowed");
        assert!(outcome.elapsed <= allowed, "seed {seed}: {} ms, {allowed} allowed", outcome.elapsed);
    }
}

#[test]
fn one_worker() {
    assert_calm(&Plan { workers: 1, ..Plan::CALM }, 0, 2.5);
}

#[test]
fn six_workers() {
    assert_calm(&Plan::CALM, 0, 5.0);
}

#[test]
fn fifty_workers() {
    assert_calm(&Plan { workers: 50, limit: 100, calls: 500, ..Plan::CALM }, 0, 5.0);
}

/// The simulation: 931 refusals where each has a budget of its own.
#[test]
fn fifty_workers_and_a_hundred_a_second() {
    let plan = Plan { workers: 50, limit: 100, window: 1_000, calls: 2_000, ..Plan::CALM };
    assert_calm(&plan, 0, 5.0);
    let alone = run(&Plan { shared: false, ..plan.clone() });
    assert!(alone.refused.len() > 400, "{} refused without sharing, which shows nothing", alone.refused.len());
    assert_eq!(alone.trips, 0);
    assert_calm(&Plan { limit_header: false, ..plan }, 0, 5.0);
}

#[test]
fn twenty_workers_with_wrong_clocks() {
    assert_calm(&Plan { workers: 20, limit: 50, calls: 300, skew: 30_000, ..Plan::CALM }, 2, 5.0);
}

#[test]
fn twenty_workers_of_which_some_die() {
    // A lease that nobody gives back costs the others a window and looks at the store.
    assert_calm_within(
        &Plan { workers: 20, limit: 50, calls: 300, crashes: 50, timer: 10_000, ..Plan::CALM },
        2,
        6.0,
        75_000,
    );
}

#[test]
fn twenty_workers_and_a_stranger_who_takes_one_a_second() {
    assert_calm_within(&Plan { workers: 20, limit: 50, calls: 300, foreign: 1, ..Plan::CALM }, 12, 5.0, 75_000);
}

/// It takes most of a window for an answer, and who waits for one looks at the store meanwhile.
#[test]
fn twenty_workers_and_a_slow_supplier() {
    assert_calm_within(
        &Plan { workers: 20, limit: 50, calls: 300, latency: (1_000, 9_000), ..Plan::CALM },
        0,
        10.0,
        95_000,
    );
}

/// What one key bears where a trip to its store takes half a millisecond.
const BUSY: Plan = Plan { workers: 60, limit: 300, window: 1_000, calls: 3_000, trip: (500, 500), ..Plan::CALM };

#[test]
fn three_hundred_a_second_on_one_key() {
    assert_calm_within(&BUSY, 0, 5.0, BUSY.ideal() + 2_500);
}

/// Beyond that: groups with a key and a part of the limit each. Their windows are their own, so that
/// one may begin within the supplier's.
#[test]
fn more_than_one_key_bears() {
    let far = Plan { trip: (2_000, 2_000), ..BUSY };
    assert_calm_within(&Plan { groups: 4, ..far }, 8, 5.0, BUSY.ideal() + 2_500);
}

#[test]
fn the_document_stays_small() {
    let bytes = |workers| run(&Plan { workers, limit: 100, calls: 300, ..Plan::CALM }).bytes;
    let (one, fifty) = (bytes(1), bytes(50));
    assert!(one <= 200, "{one} bytes with one worker");
    assert!(fifty <= one + 49 * 45, "{fifty} bytes with fifty, {one} with one");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    /// Without skew, crash or foreigner, what is granted and in flight fits the limit in every
    /// window, however the steps of the workers fall between each other.
    #[test]
    fn never_more_than_the_limit(
        seed: u64,
        workers in 1usize..12,
        limit in 1u64..20,
        slow in 1u64..3_000,
        trip in 1u64..200_000,
        limit_header: bool,
    ) {
        let plan = Plan { workers, limit, calls: 40, seed, latency: (1, slow), trip: (0, trip), limit_header, ..Plan::CALM };
        let Outcome { done, refused, windows, .. } = run(&plan);
        prop_assert_eq!(done, 40);
        prop_assert_eq!(refused, Vec::<u64>::new());
        prop_assert!(windows.values().all(|spent| *spent <= limit));
    }
}
