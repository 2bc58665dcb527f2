//! Who plays: the client component under wasmtime with the stock sender, or a package's worker.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use tokio::time::timeout;

use super::job;
use super::worker::Worker;
use crate::host::wire_request;
use crate::play::{Walker, position};
use crate::report::{CallReport, Outcome, Report};
use crate::scenario::{Case, Request, What};
use crate::stock::{Guest, Stock};

/// One column of the table.
#[derive(Clone)]
pub struct Named {
    pub name: &'static str,
    pub player: Player,
}

#[derive(Clone)]
pub enum Player {
    Stock(Arc<Stock>),
    /// A command that starts a worker.
    Command(String),
}

/// One that is ready; a worker serves one job after the other.
pub struct Host {
    named: Named,
    worker: Option<Worker>,
}

impl Host {
    pub fn new(named: &Named) -> Host {
        Host { named: named.clone(), worker: None }
    }

    /// Opens the supplier and makes all calls. The log of requests is not in the report. A worker
    /// that failed is started afresh for the next case.
    pub fn play(&mut self, case: &Case, patience: Duration) -> Result<Report> {
        match &self.named.player {
            Player::Stock(stock) => {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
                let played = runtime.block_on(async { timeout(patience, self::stock(stock, case)).await });
                played.map_err(|_| anyhow!("no result within {} s", patience.as_secs()))?
            }
            Player::Command(command) => {
                let mut worker = match self.worker.take() {
                    Some(worker) => worker,
                    None => Worker::start(command)?,
                };
                let report = job::report(&worker.play(&job::job(case)?, patience)?)?;
                self.worker = Some(worker);
                Ok(report)
            }
        }
    }
}

async fn stock(stock: &Stock, case: &Case) -> Result<Report> {
    let mut report = Report::default();
    let mut guest = stock.instantiate().await?;
    if let Err(problems) = guest.open(case.openings.first().context("a scenario without a supplier")?).await? {
        report.problems = Some(problems);
        return Ok(report);
    }
    let mut next = None;
    for call in &case.scenario.calls {
        let outcome = match call.what().map_err(anyhow::Error::msg)? {
            What::Send(request) => match guest.send(&wire_request(request)).await? {
                Ok(reply) => Outcome::Reply(reply.into()),
                Err(failure) => Outcome::Failure(failure.into()),
            },
            What::Page(request) => {
                let position = position(request, &next).map_err(|trap| anyhow!("{}", trap.0))?;
                page(&mut guest, request, position.as_deref(), &mut next).await?
            }
            What::Walk(request) => {
                let mut walker = Walker::new(request, &next).map_err(|trap| anyhow!("{}", trap.0))?;
                while walker.goes_on() {
                    let position = walker.position.clone();
                    walker.take(page(&mut guest, request, position.as_deref(), &mut next).await?);
                }
                walker.finish()
            }
            What::Explain(_) | What::SetCredentials(_) => return Err(anyhow!("not a call that sends")),
        };
        report.calls.push(CallReport { began_ms: 0, ended_ms: 0, outcome });
    }
    Ok(report)
}

async fn page(
    guest: &mut Guest,
    request: &Request,
    position: Option<&str>,
    next: &mut Option<String>,
) -> Result<Outcome> {
    Ok(match guest.page(&wire_request(request), position).await? {
        Ok(page) => {
            next.clone_from(&page.next);
            Outcome::Page(page.into())
        }
        Err(failure) => Outcome::Failure(failure.into()),
    })
}
