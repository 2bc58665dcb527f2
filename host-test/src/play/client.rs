//! Against the client component: calls run one after the other, as its host is blocked.

use std::collections::BTreeMap;

use anyhow::{Result, anyhow};

use super::walk::{self, Walker};
use super::{at, timed};
use crate::entropy::Entropy;
use crate::host::{Handle, Host, Instance, Trap, wire_request};
use crate::report::{Outcome, Report};
use crate::scenario::{Call, Case, Request, What};
use crate::script::Supplier;

pub async fn play(case: &Case, host: &Host, supplier: &Supplier, report: &mut Report) -> Result<()> {
    let scenario = &case.scenario;
    let entropy = Entropy::new(scenario.entropy, 0);
    let mut instance = host.instantiate(supplier.clone(), entropy, &scenario.forbid_headers).await?;
    let mut handles = BTreeMap::new();
    for opening in &case.openings {
        let opened = instance.open(opening).await.map_err(|Trap(why)| anyhow!("open trapped: {why}"))?;
        match opened {
            Ok(handle) => drop(handles.insert(opening.name.as_str(), handle)),
            Err(problems) => {
                report.problems = Some(problems);
                return Ok(());
            }
        }
    }
    let mut last_next = None;
    for (index, call) in scenario.calls.iter().enumerate() {
        let handle = handles[call.supplier.as_deref().unwrap_or("main")]; // names were checked when the file was read
        supplier.clock.sleep_until(call.at_ms.unwrap_or(0)).await;
        let playing = timed(&supplier.clock, one(&mut instance, handle, call, &mut last_next));
        let played = playing.await.map_err(|Trap(why)| anyhow!("{}: the component trapped: {why}", at(index)))?;
        report.calls.push(played);
        let live = instance.live_resources();
        if !live.is_empty() {
            report.faults.push(format!("{}: {} live resources: {}", at(index), live.len(), live.join(", ")));
        }
    }
    for (name, handle) in handles {
        let health = instance.health(handle).await.map_err(|Trap(why)| anyhow!("health trapped: {why}"))?;
        report.health.push((name.to_owned(), health));
        instance.close(handle).await.map_err(|Trap(why)| anyhow!("drop trapped: {why}"))?;
    }
    Ok(())
}

async fn one(
    instance: &mut Instance,
    handle: Handle,
    call: &Call,
    last_next: &mut Option<String>,
) -> Result<Outcome, Trap> {
    match call.what().map_err(Trap)? {
        What::Send(request) => instance.send(handle, &wire_request(request)).await,
        What::Explain(request) => instance.explain(handle, &wire_request(request)).await,
        What::SetCredentials(values) => {
            let values = values.iter().map(|(name, value)| (name.clone(), value.clone())).collect::<Vec<_>>();
            Ok(Outcome::CredentialsSet(instance.set_credentials(handle, &values).await?))
        }
        What::Page(request) => {
            let position = walk::position(request, last_next)?;
            page(instance, handle, request, position.as_deref(), last_next).await
        }
        What::Walk(request) => {
            let mut walker = Walker::new(request, last_next)?;
            while walker.goes_on() {
                let position = walker.position.clone();
                walker.take(page(instance, handle, request, position.as_deref(), last_next).await?);
            }
            Ok(walker.finish())
        }
    }
}

async fn page(
    instance: &mut Instance,
    handle: Handle,
    request: &Request,
    position: Option<&str>,
    last_next: &mut Option<String>,
) -> Result<Outcome, Trap> {
    let outcome = instance.page(handle, &wire_request(request), position).await?;
    if let Outcome::Page(page) = &outcome {
        last_next.clone_from(&page.next);
    }
    Ok(outcome)
}
