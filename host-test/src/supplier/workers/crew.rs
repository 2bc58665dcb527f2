//! Six processes drain one list of orders: one worker takes the next order when it is done with
//! the one before. Everybody's attempts are told by the journals of their calls.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::Plan;
use crate::conform::worker::Worker;
use crate::journal::Journal;
use crate::scenario::{ACME, TEST_SECRET};
use crate::supplier::clock::Clock;
use crate::supplier::fault::{self, Schedule};
use crate::supplier::{Report, Strict, StrictConfig};

const PATIENCE: Duration = Duration::from_secs(60);

/// One of them.
#[derive(Clone, Debug)]
pub struct Member {
    /// `python 2`
    pub name: String,
    pub command: String,
}

/// One attempt of an order.
#[derive(Clone, Copy, Debug)]
pub struct Attempt {
    pub member: usize,
    /// Since the start.
    pub at: Duration,
    pub status: Option<u16>,
}

/// What came of a run.
#[derive(Debug)]
pub struct Run {
    pub elapsed: Duration,
    pub attempts: Vec<Attempt>,
    pub report: Report,
    /// Calls that went without their store for a while.
    pub without_store: usize,
    /// Orders that were given to another worker, since theirs was killed.
    pub handed_on: usize,
    /// Workers that were replaced by others.
    pub replaced: usize,
}

/// Where the workers' budget stands.
#[derive(Clone, Copy, Debug)]
pub enum Store<'a> {
    /// Everybody has one of their own.
    None,
    Redis(&'a str),
    Folder(&'a Path),
}

/// How a worker is started.
#[derive(Clone, Debug)]
pub struct Start {
    pub command: String,
    /// The first line that it is given.
    pub opening: Value,
}

/// What happens meanwhile.
pub trait Meanwhile: Sync {
    /// Changes how a worker is started.
    fn start(&self, _member: usize, _start: &mut Start) {}

    /// Whether the worker is to be replaced before it takes its next order.
    fn replaces(&self, _member: usize) -> bool {
        false
    }

    /// Whether the worker that was just handed order `number` is to be killed with it in its hands.
    fn kills(&self, _number: usize) -> bool {
        false
    }

    /// Once, beside the run.
    fn happens(&self) -> Result<()> {
        Ok(())
    }
}

/// Nothing.
pub struct Peace;

impl Meanwhile for Peace {
    /// A machine that is busy with other things is no fault of the store's.
    fn start(&self, _member: usize, start: &mut Start) {
        start.opening["overrides"]["budget"]["patience_ms"] = json!(5_000);
    }
}

pub fn run(plan: &Plan, crew: &[Member], store: Store<'_>, meanwhile: &dyn Meanwhile) -> Result<Run> {
    let faults = if plan.slow { vec![(fault::Kind::Slow, fault::At::Every(1))] } else { Vec::new() };
    let faults = Schedule(faults);
    let config = StrictConfig { limit: plan.limit, window_ms: plan.window_ms, faults, ..StrictConfig::default() };
    let supplier = Strict::start(config, 0)?;
    let opening = opening(&supplier.origin(), store);
    let begin = |index: usize| -> Result<Worker> {
        let mut begin = Start { command: crew[index].command.clone(), opening: opening.clone() };
        meanwhile.start(index, &mut begin);
        let mut worker = Worker::start(&begin.command)?;
        worker.play(&begin.opening, PATIENCE).with_context(|| crew[index].name.clone())?;
        Ok(worker)
    };
    let workers = (0..crew.len()).map(begin).collect::<Result<Vec<Worker>>>()?;
    let (next, again) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let (attempts, without_store) = (Mutex::new(Vec::new()), AtomicUsize::new(0));
    let (handed_on, replaced) = (AtomicUsize::new(0), AtomicUsize::new(0));
    // The supplier's windows end at whole seconds.
    thread::sleep(until_the_next_second());
    let (start, together) = (Instant::now(), Barrier::new(crew.len()));
    let work = |index: usize, mut worker: Worker| -> Result<()> {
        together.wait();
        loop {
            let back = again.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let number = back.unwrap_or_else(|| next.fetch_add(1, Ordering::Relaxed));
            if number >= plan.orders {
                return Ok(());
            }
            if meanwhile.replaces(index) {
                worker = begin(index)?;
                replaced.fetch_add(1, Ordering::Relaxed);
            }
            let began = start.elapsed();
            if meanwhile.kills(number) {
                worker.hand_over(&order(number))?;
                // Long enough to be sent, too short to be answered.
                thread::sleep(Duration::from_millis(60));
                drop(worker);
                again.lock().unwrap_or_else(PoisonError::into_inner).push(number);
                handed_on.fetch_add(1, Ordering::Relaxed);
                worker = begin(index)?;
                continue;
            }
            let result = worker.play(&order(number), PATIENCE).with_context(|| crew[index].name.clone())?;
            let journal = journal(&result)?;
            if journal.notes.iter().any(|note| note.code == "store-unavailable") {
                without_store.fetch_add(1, Ordering::Relaxed);
            }
            let mut attempts = attempts.lock().unwrap_or_else(PoisonError::into_inner);
            attempts.extend(journal.attempts.iter().map(|attempt| Attempt {
                member: index,
                at: began + Duration::from_millis(attempt.at_ms),
                status: attempt.status,
            }));
        }
    };
    thread::scope(|scope| {
        let beside = scope.spawn(|| meanwhile.happens());
        let workers: Vec<_> =
            workers.into_iter().enumerate().map(|(i, worker)| scope.spawn(move || work(i, worker))).collect();
        // A panic of a thread is a defect of this program; it shows as one.
        for ended in workers.into_iter().chain([beside]) {
            ended.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        }
        anyhow::Ok(())
    })?;
    Ok(Run {
        elapsed: start.elapsed(),
        attempts: attempts.into_inner().unwrap_or_else(PoisonError::into_inner),
        report: supplier.service.report(),
        without_store: without_store.into_inner(),
        handed_on: handed_on.into_inner(),
        replaced: replaced.into_inner(),
    })
}

/// What a worker is opened with; every one with the same.
fn opening(origin: &str, store: Store<'_>) -> Value {
    let (redis, folder) = match store {
        Store::None => (None, None),
        Store::Redis(url) => (Some(url), None),
        Store::Folder(folder) => (None, Some(folder)),
    };
    let overrides = json!({
        "base_url": format!("{origin}/v2"),
        "budget": { "shared": redis.is_some() || folder.is_some() },
        // Waits for a share are no failures of the supplier's: nobody gives up.
        "retry": { "max_attempts": 50, "attempt_timeout_ms": 1500 },
    });
    json!({
        "profile": ACME,
        "overrides": overrides,
        "credentials": { "signing-secret": TEST_SECRET },
        "redis": redis,
        "folder": folder,
    })
}

/// Its key is what is ordered: whoever sends it again orders nothing twice.
fn order(number: usize) -> Value {
    let body = json!({ "reference": format!("PO-{number}"), "sku": "A1", "qty": 1 }).to_string();
    json!({ "method": "POST", "target": "/orders", "body": body, "idempotency_key": format!("PO-{number}") })
}

fn journal(result: &Value) -> Result<Journal> {
    if result.get("verdict").and_then(Value::as_str) != Some("ok") {
        bail!("an order came to nothing: {result}");
    }
    let journal = result.get("journal").context("a result without a journal")?;
    Journal::read(&journal.to_string()).with_context(|| format!("no journal: {journal}"))
}

fn until_the_next_second() -> Duration {
    let within = Clock::default().now_ms().rem_euclid(1000);
    Duration::from_millis(u64::try_from(1000 - within).unwrap_or(0))
}
