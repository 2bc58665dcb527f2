//! `supplier-test bench`: what the components cost, each row beside a reference that was
//! measured in the same run. Nothing here decides over a test.

mod client;
mod engine;
mod host;
mod table;

use std::env;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::components::{self, FOLDER_VARIABLE};
use crate::scenario::Component;
use table::Row;

/// Measures the components and the engine beside their references.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A tenth of the rounds: enough to see that it works.
    #[arg(long)]
    quick: bool,
    /// Rows as JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let rounds = if args.quick { 50 } else { 500 };
    let bare = beside("bare.wasm")?;
    let client = components::find(Component::Client)?;
    let engine = components::find(Component::Engine)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut rows =
        vec![size("size of the client component", &client, 350)?, size("size of the engine component", &engine, 250)?];
    rows.extend(runtime.block_on(client::rows(&client, &bare, &software_hmac(rounds / 10)?, rounds))?);
    rows.extend(engine::rows(&engine, rounds)?);
    if args.json {
        println!("{}", table::json(&rows));
    } else {
        print!("{}", table::text(&rows));
    }
    Ok(ExitCode::SUCCESS)
}

/// Medians of several things, measured in turn so that a busy moment meets all of them.
pub(crate) fn medians<const N: usize>(
    rounds: usize,
    mut turn: impl FnMut(usize) -> Result<Duration>,
) -> Result<[f64; N]> {
    let mut taken = [const { Vec::new() }; N];
    for round in 0..rounds {
        for (which, times) in taken.iter_mut().enumerate() {
            let time = turn(which)?;
            // The first tenth warms caches up.
            if round >= rounds / 10 {
                times.push(time.as_nanos() as f64 / 1_000.0);
            }
        }
    }
    Ok(taken.map(median))
}

/// Microseconds.
pub(crate) fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

pub(crate) fn timed<T>(f: impl FnOnce() -> T) -> (Duration, T) {
    let began = Instant::now();
    let value = f();
    (began.elapsed(), value)
}

fn size(what: &'static str, file: &std::path::Path, limit_kb: u32) -> Result<Row> {
    let bytes = std::fs::metadata(file)?.len();
    Ok(Row::at_most(what, "KB", bytes as f64 / 1_000.0, f64::from(limit_kb)))
}

/// Microseconds that HMAC-SHA256 of 1 MiB takes natively, without SHA instructions.
fn software_hmac(times: usize) -> Result<Vec<f64>> {
    let program = beside(&format!("software-hmac{}", env::consts::EXE_SUFFIX))?;
    let output = Command::new(&program).arg(times.max(5).to_string()).output().context("software-hmac")?;
    if !output.status.success() {
        bail!("{} failed: {}", program.display(), String::from_utf8_lossy(&output.stderr));
    }
    let lines = String::from_utf8_lossy(&output.stdout);
    Ok(lines.lines().filter_map(|line| line.parse::<f64>().ok()).map(|ns| ns / 1_000.0).collect())
}

/// A reference, which only `cargo xtask bench` builds.
fn beside(file: &str) -> Result<PathBuf> {
    let client = components::find(Component::Client)?;
    let path = client.with_file_name(file);
    if !path.is_file() {
        bail!(
            "{} is missing: run `cargo xtask bench`, which builds it ({FOLDER_VARIABLE} names the folder)",
            path.display()
        );
    }
    Ok(path)
}
