//! Workers that share one budget while something breaks: every order is done, and done once, and
//! the budget is whole again within one window and one lease.

mod common;

use common::crowd::{Outcome, Plan, Trouble, run};

/// Ten windows' work.
const PLAN: Plan = Plan { limit: 20, window: 3_000, calls: 200, latency: (100, 300), timer: 1_500, ..Plan::CALM };

/// In the second window.
const AT: u64 = 3_300;

/// Nothing lost, and whole again in time; `meanwhile` are the 429s allowed until then.
fn assert_healed(plan: &Plan, meanwhile: usize) -> Vec<Outcome> {
    let of_seed = |seed| {
        let plan = Plan { seed, ..plan.clone() };
        let outcome = run(&plan);
        let what = plan.trouble;
        assert_eq!((outcome.done, outcome.applied.len()), (plan.calls, plan.calls), "{what:?}, seed {seed}");
        let late = outcome.refused_after(plan.healed());
        assert_eq!(late, 0, "{what:?}, seed {seed}: refused at {:?}, whole at {}", outcome.refused, plan.healed());
        assert!(outcome.refused.len() <= meanwhile, "{what:?}, seed {seed}: refused at {:?}", outcome.refused);
        // The work goes on after that, or nothing was shown.
        assert!(outcome.elapsed > plan.healed() + plan.window, "{what:?}: over after {} ms", outcome.elapsed);
        outcome
    };
    (1..=20).map(of_seed).collect()
}

#[test]
fn nothing() {
    assert_healed(&PLAN, 0);
}

#[test]
fn the_store_is_away_and_comes_back_empty() {
    let outcomes = assert_healed(&Plan { trouble: Trouble::Away { from: AT, to: AT + 1_000 }, ..PLAN }, 40);
    assert!(outcomes.iter().all(|outcome| outcome.without_store > 0));
}

#[test]
fn workers_die_with_a_lease_in_hand() {
    assert_healed(&Plan { trouble: Trouble::Killed { from: AT, count: 3 }, ..PLAN }, 0);
}

#[test]
fn a_clock_ten_minutes_off() {
    for off in [&[600_000][..], &[-600_000], &[600_000, -600_000], &[600_000; 6], &[-600_000; 6]] {
        // Until the first answer has told the time, it takes others for gone.
        let outcomes = assert_healed(&Plan { off, ..PLAN }, 2);
        assert!(outcomes.iter().all(|outcome| outcome.refused_after(PLAN.window) == 0), "off by {off:?}");
    }
}

#[test]
fn a_worker_with_a_fast_clock_dies_with_the_first_lease() {
    for off in [&[600_000; 6][..], &[-600_000; 6], &[600_000], &[-600_000]] {
        assert_healed(&Plan { off, trouble: Trouble::Killed { from: 0, count: 1 }, ..PLAN }, 0);
    }
}

/// Within its patience a slow store costs time alone.
#[test]
fn a_store_that_takes_its_time() {
    for ms in [10, 50, 100] {
        let outcomes = assert_healed(&Plan { trouble: Trouble::Slow { from: AT, to: AT + 3_000, ms }, ..PLAN }, 0);
        assert!(outcomes.iter().all(|outcome| outcome.without_store == 0));
    }
}

/// What it was asked happens all the same, after everybody has gone on without it.
#[test]
fn a_store_that_answers_when_nobody_waits_any_more() {
    let outcomes = assert_healed(&Plan { trouble: Trouble::Slow { from: AT, to: AT + 1_000, ms: 400 }, ..PLAN }, 40);
    assert!(outcomes.iter().all(|outcome| outcome.without_store > 0));
}

#[test]
fn garbage_under_the_key() {
    for text in ["", "{\"w\":\u{1F4A5} no budget", "[]", "{}", "null", r#"{"q":1,"w":[],"f":{}}"#] {
        assert_healed(&Plan { trouble: Trouble::Text { at: AT, text }, ..PLAN }, 20);
    }
}

/// It can be read, and means nothing that can be.
#[test]
fn a_document_with_absurd_numbers() {
    for text in [
        r#"{"p":9007199254740991,"q":1,"w":{},"f":[]}"#,
        r#"{"s":9007199254740991,"q":1,"w":{},"f":[]}"#,
        r#"{"q":18446744073709551615,"u":9007199254740991,"w":{},"f":[["x",9007199254740991,1,1]]}"#,
        r#"{"q":1,"w":{"requests":{"l":0,"r":0,"t":9007199254740991}},"f":[]}"#,
    ] {
        assert_healed(&Plan { trouble: Trouble::Text { at: AT, text }, ..PLAN }, 20);
    }
}

/// The format's version stands in the key: until the last worker is replaced there are two budgets.
#[test]
fn two_versions_of_the_format_in_one_deploy() {
    assert_healed(&Plan { trouble: Trouble::Deploy { from: AT, each: 600 }, ..PLAN }, 60);
}

/// Against that rule, one of another version writes under our key.
#[test]
fn a_document_of_another_version_under_our_key() {
    for text in [
        r#"{"v":2,"grants":9,"windows":[{"name":"requests","left":3}]}"#,
        r#"{"v":2,"q":9,"w":{"requests":{"l":20,"r":[3],"t":"soon"}},"f":[{"id":"a","end":1}]}"#,
    ] {
        assert_healed(&Plan { trouble: Trouble::Text { at: AT, text }, ..PLAN }, 20);
    }
}
