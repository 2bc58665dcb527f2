//! What a shared budget costs, in virtual time: `cargo xtask bench --sharing`. Each row stands beside
//! the same work where every worker has a budget of its own.
#![allow(clippy::disallowed_macros, reason = "a program for people, not the engine")]

#[path = "../tests/common/mod.rs"]
mod common;

use common::crowd::{Outcome, Plan, run};

/// Runs of each row, which are averaged.
const SEEDS: u64 = 3;

const PLAN: Plan = Plan { workers: 1, limit: 100, window: 1_000, calls: 1_000, ..Plan::CALM };

fn main() {
    let of = |workers, calls| Plan { workers, calls, ..PLAN };
    println!("Answers of the supplier take 50 to 300 ms, of the store 0.2 to 0.6 ms.");
    table(
        "100 calls a second allowed, so many workers",
        &[of(1, 100), of(6, 300), of(20, 1_000), of(50, 2_000)].map(|plan| (format!("{} workers", plan.workers), plan)),
    );
    // A fifth as many workers as calls a second, or six.
    let a_second =
        |limit: u64| Plan { workers: (limit as usize / 5).max(6), limit, calls: limit as usize * 10, ..PLAN };
    table(
        "So many calls a second allowed",
        &[100, 200, 300, 400, 600].map(|limit| (format!("{limit} a second"), a_second(limit))),
    );
    let far =
        |us: u64, limit| (format!("{} ms, {limit}/s", us as f64 / 1_000.0), Plan { trip: (us, us), ..a_second(limit) });
    table(
        "So long for the store's answers, so many calls a second allowed",
        &[
            (500, 300),
            (1_000, 150),
            (1_000, 300),
            (2_000, 75),
            (2_000, 150),
            (5_000, 30),
            (5_000, 60),
            (20_000, 8),
            (20_000, 15),
        ]
        .map(|(us, limit)| far(us, limit)),
    );
    let split = |groups| (format!("{groups} groups"), Plan { groups, ..far(2_000, 300).1 });
    table("2 ms, 300/s, in groups with a fixed part of the limit each", &[4, 10].map(split));
}

fn table(title: &str, rows: &[(String, Plan)]) {
    println!("\n{title}");
    let columns =
        ["", "ideal s", "shared s", "alone s", "429s", "alone", "trips", "store ms", "document"].map(str::to_owned);
    line(&columns);
    for (name, plan) in rows {
        let shared = average(plan);
        let alone = average(&Plan { shared: false, ..plan.clone() });
        line(&[
            name.clone(),
            format!("{:.1}", plan.ideal() as f64 / 1_000.0),
            format!("{:.1}", shared.seconds),
            format!("{:.1}", alone.seconds),
            format!("{:.1}", shared.refused),
            format!("{:.0}", alone.refused),
            format!("{:.2}", shared.trips),
            format!("{:.2}", shared.store_ms),
            format!("{:.0} B", shared.bytes),
        ]);
    }
}

fn line(columns: &[String; 9]) {
    let [name, rest @ ..] = columns;
    println!("{name:16}{}", rest.iter().map(|column| format!("{column:>10}")).collect::<String>());
}

struct Average {
    seconds: f64,
    refused: f64,
    /// An attempt.
    trips: f64,
    /// An attempt.
    store_ms: f64,
    /// The longest document's.
    bytes: f64,
}

fn average(plan: &Plan) -> Average {
    let runs: Vec<Outcome> = (1..=SEEDS).map(|seed| run(&Plan { seed, ..plan.clone() })).collect();
    let mean = |of: fn(&Outcome) -> f64| runs.iter().map(of).sum::<f64>() / SEEDS as f64;
    Average {
        seconds: mean(|run| run.elapsed as f64 / 1_000.0),
        refused: mean(|run| run.refused.len() as f64),
        trips: mean(Outcome::trips_an_attempt),
        store_ms: mean(Outcome::store_time_an_attempt),
        bytes: mean(|run| run.bytes as f64),
    }
}
