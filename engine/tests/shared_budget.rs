//! Workers that share one budget through a store, against a strict fixed-window supplier, event
//! by event in virtual time (design: the shared budget). The figures are those of the reference
//! simulation: none may be refused after the first window.

mod common;

use common::{get, supplier};
use proptest::prelude::*;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use supplier_engine::{Action, Body, Call, Done, Event, Goal, Headers, Mono, Now, Supplier, Wall};

/// Milliseconds; the supplier's clock is `T0 + now`.
const T0: i64 = common::T0;

struct Plan {
    workers: usize,
    limit: u64,
    window: u64,
    calls: usize,
    latency: (u64, u64),
    skew: i64,
    /// Of 1,000 attempts, how many lose their worker before the answer.
    crashes: u64,
    limit_header: bool,
    seed: u64,
}

#[derive(Debug, Default)]
struct Outcome {
    done: usize,
    refused: usize,
    /// Requests of the supplier's windows, by window.
    windows: BTreeMap<u64, u64>,
    attempts: usize,
    trips: usize,
    elapsed: u64,
}

enum Turn {
    Start,
    Report(Box<Event>),
    /// The request reaches the supplier.
    Arrive(u64),
    Swap {
        expect: Option<String>,
        value: Option<String>,
    },
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn within(&mut self, (low, high): (u64, u64)) -> u64 {
        low + self.next() % (high - low + 1)
    }
}

fn run(plan: &Plan) -> Outcome {
    let mut random = Random(plan.seed | 1);
    let open = || {
        supplier(
            r#"{"budget":{"shared":true},"retry":{"max_attempts":50,"deadline_ms":4000000,"max_server_wait_ms":4000000}}"#,
        )
    };
    let mut workers: Vec<Supplier> = (0..plan.workers).map(|_| open()).collect();
    let skews: Vec<i64> =
        (0..plan.workers).map(|_| random.within((0, 2 * plan.skew as u64)) as i64 - plan.skew).collect();
    let mut calls: Vec<Option<Call>> = (0..plan.workers).map(|_| None).collect();
    let mut queue = BinaryHeap::new();
    let mut turns = BTreeMap::new();
    let mut serial = 0u64;
    let mut push = |queue: &mut BinaryHeap<_>, turns: &mut BTreeMap<u64, Turn>, at: u64, worker: usize, turn: Turn| {
        serial += 1;
        turns.insert(serial, turn);
        queue.push(Reverse((at, serial, worker)));
    };
    for worker in 0..plan.workers {
        push(&mut queue, &mut turns, random.within((0, 50)), worker, Turn::Start);
    }
    let (mut store, mut left) = (None::<String>, plan.calls);
    let mut outcome = Outcome::default();
    while let Some(Reverse((at, id, worker))) = queue.pop() {
        let Some(turn) = turns.remove(&id) else { continue };
        outcome.elapsed = at;
        let event = match turn {
            Turn::Start => {
                if left == 0 {
                    continue;
                }
                left -= 1;
                let mut entropy = [0; 16];
                entropy[..8].copy_from_slice(&random.next().to_be_bytes());
                entropy[8..].copy_from_slice(&random.next().to_be_bytes());
                calls[worker] = workers[worker].begin(Goal::Reply(get("/x")), entropy).ok();
                Event::Go
            }
            Turn::Report(event) => *event,
            Turn::Swap { expect, value } => {
                outcome.trips += 1;
                let won = value.is_none() || expect == store;
                if let (true, Some(value)) = (won, value) {
                    store = Some(value);
                }
                Event::Stored { won, current: store.clone() }
            }
            Turn::Arrive(latency) => {
                let window = at / plan.window;
                let spent = outcome.windows.entry(window).or_default();
                let taken = *spent < plan.limit;
                if taken {
                    *spent += 1;
                } else {
                    outcome.refused += 1;
                }
                let mut headers = Headers::default();
                let reset = (T0 as u64 + (window + 1) * plan.window) / 1_000;
                headers.push("x-ratelimit-remaining", (plan.limit - *spent).to_string());
                headers.push("x-ratelimit-reset", reset.to_string());
                if plan.limit_header {
                    headers.push("x-ratelimit-limit", plan.limit.to_string());
                }
                headers.push("date", http_date(T0 / 1_000 + (at / 1_000) as i64));
                let status = if taken { 200 } else { 429 };
                let event = Event::Answered { status, headers, body: Body::default() };
                push(&mut queue, &mut turns, at + latency / 2, worker, Turn::Report(Box::new(event)));
                continue;
            }
        };
        let now = Now { wall: Wall(T0 + at as i64 + skews[worker]), mono: Mono(at + 7_000 * worker as u64) };
        let Some(call) = calls[worker].as_mut() else { continue };
        match workers[worker].step(call, event, now) {
            Action::Send { .. } => {
                outcome.attempts += 1;
                let latency = random.within(plan.latency);
                if random.next() % 1_000 < plan.crashes {
                    // The worker dies with its lease; half of the time the request still arrives.
                    if random.next().is_multiple_of(2) {
                        *outcome.windows.entry((at + latency / 2) / plan.window).or_default() += 1;
                    }
                    workers[worker] = open();
                    outcome.done += 1;
                    push(&mut queue, &mut turns, at + 1_000, worker, Turn::Start);
                } else {
                    push(&mut queue, &mut turns, at + latency / 2, worker, Turn::Arrive(latency));
                }
            }
            Action::Wait { ms, .. } => {
                push(&mut queue, &mut turns, at + ms.0, worker, Turn::Report(Box::new(Event::Go)))
            }
            Action::Store { expect, value, .. } => {
                let trip = random.within((0, 1));
                push(&mut queue, &mut turns, at + trip, worker, Turn::Swap { expect, value });
            }
            Action::Done(end) => {
                assert!(matches!(&end, Ok(Done::Reply { verdict, .. }) if verdict == "ok"), "{end:?}");
                outcome.done += 1;
                push(&mut queue, &mut turns, at, worker, Turn::Start);
            }
        }
    }
    outcome
}

/// IMF-fixdate of a second on 2 March 2026 or shortly after.
fn http_date(seconds: i64) -> String {
    supplier_engine::date::format(supplier_engine::date::TimestampFormat::Rfc1123, seconds * 1_000)
}

const BASE: Plan = Plan {
    workers: 6,
    limit: 10,
    window: 10_000,
    calls: 60,
    latency: (50, 300),
    skew: 0,
    crashes: 0,
    limit_header: true,
    seed: 1,
};

fn assert_calm(plan: &Plan, refused: usize, trips: f64) {
    let outcome = run(plan);
    let ideal = (plan.calls as u64).div_ceil(plan.limit).saturating_sub(1) * plan.window;
    let per_attempt = outcome.trips as f64 / outcome.attempts.max(1) as f64;
    assert_eq!(outcome.done, plan.calls, "{outcome:?}");
    assert!(outcome.refused <= refused, "{} refused, {refused} allowed", outcome.refused);
    assert!(per_attempt <= trips, "{per_attempt:.2} trips an attempt, {trips} allowed");
    assert!(outcome.elapsed <= ideal + ideal / 10 + 2 * plan.window + 2_000, "{} ms, ideal {ideal}", outcome.elapsed);
}

#[test]
fn one_worker() {
    assert_calm(&Plan { workers: 1, ..BASE }, 0, 2.5);
}

#[test]
fn six_workers() {
    assert_calm(&BASE, 0, 5.0);
}

#[test]
fn fifty_workers() {
    assert_calm(&Plan { workers: 50, limit: 100, calls: 500, ..BASE }, 0, 5.0);
}

#[test]
fn twenty_workers_with_wrong_clocks() {
    assert_calm(&Plan { workers: 20, limit: 50, calls: 300, skew: 30_000, ..BASE }, 6, 5.0);
}

#[test]
fn twenty_workers_of_which_some_die() {
    assert_calm(&Plan { workers: 20, limit: 50, calls: 300, crashes: 50, ..BASE }, 6, 5.0);
}

#[test]
fn without_a_limit_header() {
    assert_calm(&Plan { workers: 20, limit: 50, calls: 300, limit_header: false, ..BASE }, 6, 5.0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// Without skew, crash or foreigner, what is granted fits the limit in every window.
    #[test]
    fn never_more_than_the_limit(seed: u64, workers in 1usize..12, limit in 1u64..20, slow in 1u64..3_000) {
        let plan = Plan { workers, limit, calls: 40, seed, latency: (1, slow), ..BASE };
        let outcome = run(&plan);
        prop_assert_eq!(outcome.done, 40);
        prop_assert_eq!(outcome.refused, 0);
        prop_assert!(outcome.windows.values().all(|spent| *spent <= limit));
    }
}
