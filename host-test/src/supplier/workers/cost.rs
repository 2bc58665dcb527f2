//! What sharing costs over a real Redis on this machine, beside the same work without it.

use std::process::ExitCode;

use anyhow::Result;

use super::crew::{Member, Peace, Run, Store, run};
use super::redis::Redis;
use super::{Plan, done_once};
use crate::cli::{DIFFERS, PASSED};

/// Nobody waits for the limit, and the supplier answers at once.
const PLAN: Plan = Plan { orders: 600, limit: 1_000_000, window_ms: 60_000, slow: false };
/// Trips of an attempt while nobody else is there.
const ALONE: f64 = 2.5;

/// One worker of each language, then all of them. The times are this machine's; the exit code says
/// whether the trips are few.
pub fn measure(crew: &[Member], redis: &Redis) -> Result<ExitCode> {
    println!("{:12}{:>12}{:>12}{:>10}{:>12}", "", "by itself", "shared", "trips", "orders/s");
    let mut code = PASSED;
    let singles = crew.iter().filter(|member| member.name.ends_with(" 1")).map(|member| vec![member.clone()]);
    for crew in singles.chain([crew.to_vec()]) {
        let alone = run(&PLAN, &crew, Store::None, &Peace)?;
        redis.reset_count()?;
        let shared = run(&PLAN, &crew, Store::Redis(&redis.url()), &Peace)?;
        let trips = redis.trips()? as f64 / shared.attempts.len().max(1) as f64;
        let name = if crew.len() == 1 { crew[0].name.clone() } else { format!("{} workers", crew.len()) };
        println!(
            "{name:12}{:>9.2} ms{:>9.2} ms{trips:>10.2}{:>12.0}",
            per_order(&alone, crew.len()),
            per_order(&shared, crew.len()),
            PLAN.orders as f64 / shared.elapsed.as_secs_f64()
        );
        let wrong = [("by itself", &alone), ("shared", &shared)].map(|(name, run)| done_once(&PLAN, name, run));
        for one in wrong.into_iter().flatten() {
            println!("{one}");
            code = DIFFERS.into();
        }
        if crew.len() == 1 && trips > ALONE {
            println!("more than {ALONE} trips of one worker");
            code = DIFFERS.into();
        }
    }
    println!("An order is a process's turn at the list, one call of one attempt, and its answer.");
    Ok(code)
}

/// Milliseconds that an order takes its worker.
fn per_order(run: &Run, crew: usize) -> f64 {
    run.elapsed.as_secs_f64() * 1_000.0 * crew as f64 / PLAN.orders as f64
}
