//! Against the engine component: several workers may share a budget, and calls may overlap.

use std::cell::RefCell;
use std::collections::BTreeMap;

use anyhow::{Result, anyhow};
use futures::FutureExt;
use futures::future::join_all;
use tokio::sync::oneshot;

use super::walk::{self, Walker};
use super::{at, timed};
use crate::engine_driver::{Engine, Handle, SharedStore, Worker};
use crate::entropy::Entropy;
use crate::host::Trap;
use crate::report::{CallReport, Outcome, Report};
use crate::scenario::{Call, Case, Component, Request, What};
use crate::script::Supplier;

/// A worker and the suppliers that are open in it.
struct Open<'a> {
    worker: Worker,
    handles: BTreeMap<&'a str, Handle>,
}

pub async fn play(case: &Case, engine: &Engine, supplier: &Supplier, report: &mut Report) -> Result<()> {
    let scenario = &case.scenario;
    let shared = SharedStore::new(supplier.clock.clone(), &scenario.store);
    let mut workers = Vec::new();
    for index in 0..scenario.workers.unwrap_or(1) {
        let worker = engine.worker(supplier.clone(), shared.clone(), Entropy::new(scenario.entropy, index))?;
        let mut handles = BTreeMap::new();
        for opening in &case.openings {
            match worker.open(opening).map_err(|Trap(why)| anyhow!("open trapped: {why}"))? {
                Ok(handle) => drop(handles.insert(opening.name.as_str(), handle)),
                Err(problems) => {
                    report.problems = Some(problems);
                    return Ok(());
                }
            }
        }
        workers.push(Open { worker, handles });
    }
    for (index, played) in calls(case, supplier, &workers).await.into_iter().enumerate() {
        match played {
            Ok(played) => report.calls.push(played),
            Err(Trap(why)) => report.faults.push(format!("{}: the component trapped: {why}", at(index))),
        }
    }
    for (index, open) in workers.iter().enumerate() {
        for (name, handle) in &open.handles {
            let health = open.worker.health(*handle).map_err(|Trap(why)| anyhow!("health trapped: {why}"))?;
            if index == 0 {
                report.health.push(((*name).to_owned(), health));
            }
            report.documents.extend(open.worker.take_documents());
            open.worker.close(*handle).map_err(|Trap(why)| anyhow!("drop trapped: {why}"))?;
        }
    }
    Ok(())
}

/// Plays all calls. In a scenario that is the engine's alone, one with `at_ms` begins then;
/// all others begin when the one before has ended.
async fn calls(case: &Case, supplier: &Supplier, workers: &[Open<'_>]) -> Vec<Result<CallReport, Trap>> {
    let overlap = case.scenario.only == Some(Component::Engine);
    let last_next = RefCell::new(None);
    let mut before = None;
    let mut playing = Vec::new();
    for (index, call) in case.scenario.calls.iter().enumerate() {
        let (ended, end) = oneshot::channel::<()>();
        let previous = before.replace(end.shared());
        let open = &workers[call.worker.unwrap_or(index % workers.len())]; // checked when the file was read
        let last_next = &last_next;
        playing.push(async move {
            if let Some(previous) = previous
                && !(overlap && call.at_ms.is_some())
            {
                let _ = previous.await; // an end that was never told is an end, too
            }
            supplier.clock.sleep_until(call.at_ms.unwrap_or(0)).await;
            let played = timed(&supplier.clock, one(open, call, last_next)).await;
            let _ = ended.send(()); // nobody waits for the last one
            played
        });
    }
    join_all(playing).await
}

async fn one(open: &Open<'_>, call: &Call, last_next: &RefCell<Option<String>>) -> Result<Outcome, Trap> {
    let handle = open.handles[call.supplier.as_deref().unwrap_or("main")]; // checked when the file was read
    let worker = &open.worker;
    let cancel = call.cancel_at_ms;
    let page = async |request: &Request, position: Option<String>| {
        let outcome = worker.call(handle, request, position.as_deref(), true, cancel).await?;
        if let Outcome::Page(page) = &outcome {
            last_next.borrow_mut().clone_from(&page.next);
        }
        Ok(outcome)
    };
    match call.what().map_err(Trap)? {
        What::Send(request) => worker.call(handle, request, None, false, cancel).await,
        What::Explain(request) => worker.explain(handle, request),
        What::SetCredentials(values) => {
            let values = values.iter().map(|(name, value)| (name.clone(), value.clone())).collect::<Vec<_>>();
            Ok(Outcome::CredentialsSet(worker.set_credentials(handle, &values)?))
        }
        What::Page(request) => {
            let position = walk::position(request, &last_next.borrow())?;
            page(request, position).await
        }
        What::Walk(request) => {
            let mut walker = Walker::new(request, &last_next.borrow())?;
            while walker.goes_on() {
                let position = walker.position.clone();
                walker.take(page(request, position).await?);
            }
            Ok(walker.finish())
        }
    }
}
