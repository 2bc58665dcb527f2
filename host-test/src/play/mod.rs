//! Plays one scenario against one component, in virtual time.

mod client;
mod engine;
mod walk;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use tokio::time::timeout;

use crate::clock::Clock;
use crate::components;
use crate::engine_driver::Engine;
use crate::host::Host;
use crate::report::{CallReport, Report};
use crate::scenario::{Case, Component};
use crate::script::Supplier;
pub(crate) use walk::{Walker, position};

/// Longer than the longest wait that the contract can carry (49 days). A call that has not
/// ended by then waits for something that never comes. It also is what keeps the paused
/// clock moving while nothing else would.
const STUCK: Duration = Duration::from_secs(100 * 24 * 3600);

/// The components that were asked for, compiled.
#[derive(Clone, Default)]
pub struct Components {
    client: Option<Host>,
    engine: Option<Engine>,
}

impl Components {
    pub fn load(which: &[Component]) -> Result<Components> {
        let mut loaded = Components::default();
        for component in which {
            loaded.load_file(*component, components::find(*component)?)?;
        }
        Ok(loaded)
    }

    /// Takes a component from a file that stands elsewhere.
    pub fn load_file(&mut self, component: Component, file: PathBuf) -> Result<()> {
        match component {
            Component::Client => self.client = Some(Host::load(&file)?),
            Component::Engine => self.engine = Some(Engine::load(&file)?),
        }
        Ok(())
    }
}

/// Plays a scenario on a runtime of its own, whose clock is paused: nothing takes real time.
pub fn play(case: &Case, component: Component, components: &Components) -> Result<Report> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build()?;
    runtime.block_on(async {
        let clock = Clock::start(case.clock, case.server_clock);
        let supplier = Supplier::new(case, clock.clone());
        let mut report = Report::default();
        let played = match component {
            Component::Client => {
                let host = components.client.as_ref().context("the client component was not loaded")?;
                timeout(STUCK, client::play(case, host, &supplier, &mut report)).await
            }
            Component::Engine => {
                let engine = components.engine.as_ref().context("the engine component was not loaded")?;
                timeout(STUCK, engine::play(case, engine, &supplier, &mut report)).await
            }
        };
        match played {
            Ok(Ok(())) => {}
            Ok(Err(error)) => report.faults.push(format!("{error:#}")),
            Err(_) => report.faults.push("a call did not end: it waits for something that never comes".to_owned()),
        }
        report.requests = supplier.log();
        report.elapsed_ms = report.calls.iter().map(|call| call.ended_ms).max().unwrap_or(0);
        Ok(report)
    })
}

/// Times around what a call came to.
async fn timed<E>(
    clock: &Clock,
    call: impl Future<Output = Result<crate::report::Outcome, E>>,
) -> Result<CallReport, E> {
    let began_ms = clock.elapsed_ms();
    let outcome = call.await?;
    Ok(CallReport { began_ms, ended_ms: clock.elapsed_ms(), outcome })
}

/// Which call of a scenario it is, for messages.
fn at(index: usize) -> String {
    format!("calls[{index}]")
}
