//! The events, one after the other.

use super::random::Random;
use super::{Outcome, Plan, Trouble};
use crate::common::{T0, post, supplier};
use serde_json::json;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use supplier_engine::{Action, Body, Call, Done, Event, Goal, Headers, Mono, Now, Supplier, Wall};

struct Worker {
    supplier: Supplier,
    version: u64,
    /// The order in its hands.
    call: Option<(usize, Call)>,
    clock: i64,
    /// Since when it waits for the store.
    asked: Option<u64>,
}

enum Turn {
    Start,
    Report(Box<Event>),
    /// The request reaches the supplier.
    Arrive {
        back: u64,
    },
    /// The action reaches the store.
    Swap(Swap),
    Stranger,
}

struct Swap {
    key: String,
    expect: Option<String>,
    value: Option<String>,
    back: u64,
    in_time: bool,
}

/// Instants in microseconds.
pub struct Crowd<'a> {
    plan: &'a Plan,
    random: Random,
    workers: Vec<Worker>,
    queue: BinaryHeap<Reverse<(u64, u64)>>,
    turns: BTreeMap<u64, (usize, Turn)>,
    serial: u64,
    store: BTreeMap<String, String>,
    orders: Vec<usize>,
    killed: usize,
    /// `Trouble::Text` and `Trouble::Away` have happened.
    happened: bool,
    pub outcome: Outcome,
}

impl<'a> Crowd<'a> {
    pub fn new(plan: &'a Plan) -> Crowd<'a> {
        let mut random = Random::new(plan.seed);
        let clock = |index: usize, random: &mut Random| match plan.off.get(index) {
            Some(off) => *off,
            None => random.within((0, 2 * plan.skew.unsigned_abs())) as i64 - plan.skew,
        };
        let worker = |index| Worker {
            supplier: open(plan, index, 1),
            version: 1,
            call: None,
            clock: clock(index, &mut random),
            asked: None,
        };
        let mut crowd = Crowd {
            plan,
            workers: (0..plan.workers).map(worker).collect(),
            random,
            queue: BinaryHeap::new(),
            turns: BTreeMap::new(),
            serial: 0,
            store: BTreeMap::new(),
            orders: (0..plan.calls).rev().collect(),
            killed: 0,
            happened: false,
            outcome: Outcome::default(),
        };
        for worker in 0..plan.workers {
            let at = crowd.random.within((0, 50_000));
            crowd.push(at, worker, Turn::Start);
        }
        if plan.foreign > 0 {
            crowd.push(0, 0, Turn::Stranger);
        }
        crowd
    }

    fn push(&mut self, at: u64, worker: usize, turn: Turn) {
        self.serial += 1;
        self.turns.insert(self.serial, (worker, turn));
        self.queue.push(Reverse((at, self.serial)));
    }

    /// Whether anything was left to happen.
    pub fn turn(&mut self) -> bool {
        let Some(Reverse((at, id))) = self.queue.pop() else { return false };
        if let Some((worker, turn)) = self.turns.remove(&id) {
            self.happen(at, worker, turn);
        }
        true
    }

    fn happen(&mut self, at: u64, worker: usize, turn: Turn) {
        match turn {
            Turn::Start => self.start(at, worker),
            Turn::Report(event) => self.step(at, worker, *event),
            Turn::Arrive { back } => self.arrive(at, worker, back),
            Turn::Swap(swap) => self.swap(at, worker, swap),
            Turn::Stranger if self.outcome.done < self.plan.calls => {
                self.take(at / 1_000);
                let next = self.random.within((1, 2_000_000 / self.plan.foreign));
                self.push(at + next, 0, Turn::Stranger);
            }
            Turn::Stranger => {}
        }
    }

    fn start(&mut self, at: u64, worker: usize) {
        if let Trouble::Deploy { from, each } = self.plan.trouble
            && self.workers[worker].version == 1
            && at / 1_000 >= from + each * worker as u64
        {
            self.workers[worker].supplier = open(self.plan, worker, 2);
            self.workers[worker].version = 2;
        }
        if let Some(order) = self.orders.pop() {
            let mut request = post("/orders", "{}");
            request.idempotency_key = Some(format!("order-{order}"));
            let entropy = self.random.bytes();
            let call = self.workers[worker].supplier.begin(Goal::Reply(request), entropy);
            self.workers[worker].call = Some((order, call.expect("a request that can be sent")));
            self.step(at, worker, Event::Go);
        } else if self.outcome.done < self.plan.calls {
            // Somebody may still die and leave an order.
            self.push(at + 100_000, worker, Turn::Start);
        }
    }

    fn step(&mut self, at: u64, index: usize, event: Event) {
        let worker = &mut self.workers[index];
        let Some((order, mut call)) = worker.call.take() else { return };
        let wall = Wall(T0 + (at / 1_000) as i64 + worker.clock);
        let now = Now { wall, mono: Mono(at / 1_000 + 7_000 * index as u64) };
        let action = worker.supplier.step(&mut call, event, now);
        let is_about_the_store = matches!(&action, Action::Store { .. })
            || matches!(&action, Action::Wait { why, .. } if why.name() == "contention");
        match (worker.asked, is_about_the_store) {
            (None, true) => worker.asked = Some(at),
            (Some(asked), false) => {
                self.outcome.in_store += at - asked;
                worker.asked = None;
            }
            _ => {}
        }
        if let Action::Done(end) = action {
            let Ok(Done::Reply { verdict, journal, .. }) = end else { panic!("order {order}: {end:?}") };
            assert_eq!(verdict, "ok", "{journal}");
            self.outcome.done += 1;
            self.outcome.without_store += usize::from(journal.contains("store-unavailable"));
            self.outcome.elapsed = self.outcome.elapsed.max(at / 1_000);
            return self.push(at, index, Turn::Start);
        }
        worker.call = Some((order, call));
        match action {
            Action::Wait { ms, .. } => self.push(at + ms.0 * 1_000, index, Turn::Report(Box::new(Event::Go))),
            Action::Store { key, expect, value, patience, .. } => {
                self.ask(at, index, Swap { key, expect, value, back: 0, in_time: true }, patience.0 * 1_000);
            }
            _ => self.send(at, index),
        }
    }

    fn send(&mut self, at: u64, worker: usize) {
        self.outcome.attempts += 1;
        let latency = self.random.within(self.plan.latency) * 1_000;
        let dies = match self.plan.trouble {
            Trouble::Killed { from, count } => at / 1_000 >= from && self.killed < count,
            _ => self.random.next() % 1_000 < self.plan.crashes,
        };
        // The way there and the way back differ: who is sent later may arrive earlier.
        let there = self.random.within((0, latency));
        if !dies {
            return self.push(at + there, worker, Turn::Arrive { back: latency - there });
        }
        self.killed += 1;
        let Some((order, _)) = self.workers[worker].call.take() else { return };
        // Half of the time the request still arrives.
        if self.random.next().is_multiple_of(2) && self.take((at + there) / 1_000) {
            self.outcome.applied.insert(order);
        }
        self.orders.push(order);
        self.workers[worker].supplier = open(self.plan, worker, self.workers[worker].version);
        self.push(at + 1_000_000, worker, Turn::Start);
    }

    /// Whether the limit has room.
    fn take(&mut self, at: u64) -> bool {
        let spent = self.outcome.windows.entry(at / self.plan.window).or_default();
        let granted = *spent < self.plan.limit;
        *spent += u64::from(granted);
        granted
    }

    fn arrive(&mut self, at: u64, worker: usize, back: u64) {
        let now = at / 1_000;
        let granted = self.take(now);
        match (&self.workers[worker].call, granted) {
            (Some((order, _)), true) => drop(self.outcome.applied.insert(*order)),
            _ => self.outcome.refused.push(now),
        }
        let window = now / self.plan.window;
        let left = self.plan.limit - self.outcome.windows.get(&window).copied().unwrap_or_default();
        let reset = (T0 as u64 + (window + 1) * self.plan.window) / 1_000;
        let mut headers = Headers::default();
        headers.push("x-ratelimit-remaining", left.to_string());
        headers.push("x-ratelimit-reset", reset.to_string());
        if self.plan.limit_header {
            headers.push("x-ratelimit-limit", self.plan.limit.to_string());
        }
        headers.push("date", http_date(T0 / 1_000 + (now / 1_000) as i64));
        let status = if granted { 200 } else { 429 };
        let event = Event::Answered { status, headers, body: Body::default() };
        self.push(at + back, worker, Turn::Report(Box::new(event)));
    }

    fn ask(&mut self, at: u64, worker: usize, mut swap: Swap, patience: u64) {
        self.outcome.trips += 1;
        let now = at / 1_000;
        let trip = match self.plan.trouble {
            Trouble::Away { from, to } if (from..to).contains(&now) => {
                let event = Event::StoreFailed { code: "refused".into() };
                return self.push(at + 100, worker, Turn::Report(Box::new(event)));
            }
            Trouble::Slow { from, to, ms } if (from..to).contains(&now) => ms * 1_000,
            _ => self.random.within(self.plan.trip),
        };
        if trip > patience {
            let event = Event::StoreFailed { code: "timeout".into() };
            self.push(at + patience, worker, Turn::Report(Box::new(event)));
            // It is carried out all the same, and nobody hears of it.
            swap.in_time = false;
        }
        swap.back = trip / 2;
        self.push(at + trip - trip / 2, worker, Turn::Swap(swap));
    }

    fn swap(&mut self, at: u64, worker: usize, Swap { key, expect, value, back, in_time }: Swap) {
        match self.plan.trouble {
            Trouble::Away { to, .. } if at / 1_000 >= to && !self.happened => {
                self.store.clear();
                self.happened = true;
            }
            Trouble::Text { at: when, text } if at / 1_000 >= when && !self.happened => {
                self.store.values_mut().for_each(|value| text.clone_into(value));
                self.happened = true;
            }
            _ => {}
        }
        let current = self.store.get(&key);
        let won = value.is_none() || expect.as_ref() == current;
        if let (true, Some(value)) = (won, value) {
            self.outcome.bytes = self.outcome.bytes.max(value.len());
            self.store.insert(key.clone(), value);
        }
        if in_time {
            let current = self.store.get(&key).cloned();
            self.push(at + back, worker, Turn::Report(Box::new(Event::Stored { won, current })));
        }
    }
}

/// With as little jitter as the reference simulation has.
fn open(plan: &Plan, index: usize, version: u64) -> Supplier {
    let mut overrides = json!({
        "account": format!("v{version}.{}", index % plan.groups),
        "budget": { "shared": plan.shared },
        "retry": {
            "max_attempts": 50,
            "deadline_ms": 4_000_000,
            "max_server_wait_ms": 4_000_000,
            "jitter": 0.025,
            "attempt_timeout_ms": plan.timer,
        },
    });
    if plan.groups > 1 {
        let (limit, window) = (plan.limit / plan.groups as u64, plan.window / 1_000);
        overrides["limits"] = json!([{ "reader": "static", "name": "share", "limit": limit, "window_s": window }]);
    }
    supplier(&overrides.to_string())
}

/// IMF-fixdate of a second on 2 March 2026 or shortly after.
fn http_date(seconds: i64) -> String {
    supplier_engine::date::format(supplier_engine::date::TimestampFormat::Rfc1123, seconds * 1_000)
}
