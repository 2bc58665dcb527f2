//! `supplier-test serve`: a supplier on a loopback port, until somebody has seen enough.

use std::env;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tokio::sync::oneshot;

use super::catalogue::Catalogue;
use super::clock::Clock;
use super::fault::Schedule;
use super::replay::Replay;
use super::signature::Verifier;
use super::strict::{Strict, StrictConfig};
use crate::scenario;
use crate::style::Style;
use crate::timeline;

/// How often it is looked whether enough has come.
const LOOK: Duration = Duration::from_millis(20);
/// After the script of a scenario: requests that come now are too many.
const AFTERMATH: Duration = Duration::from_millis(500);

/// The strict supplier, or the script of a scenario, over real HTTP on 127.0.0.1.
///
/// The first line on standard output is `listening on http://127.0.0.1:PORT/v2`. It ends with
/// Ctrl-C, SIGTERM, `--requests`, or when the pipe that is its standard input closes; then it
/// prints its report and exits with 1 if there was any violation.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// A scenario whose script is replayed in real time and whose `requests` are judged.
    pub scenario: Option<PathBuf>,
    /// 0: any free port.
    #[arg(long, default_value_t = 0)]
    pub port: u16,
    /// Requests in a window.
    #[arg(long, default_value_t = 1000)]
    pub limit: u64,
    /// Length of a window; it ends at the next whole second after that.
    #[arg(long, default_value_t = 1000, value_name = "MS")]
    pub window_ms: u64,
    /// `none`, `demo`, or a list such as `503@7,503+1@20,429+2@30,drop@12,drop-applied@orders:1,cut@every:50`.
    #[arg(long, default_value = "none")]
    pub faults: Schedule,
    /// Consignments in the list.
    #[arg(long, default_value_t = 40_000)]
    pub items: u32,
    /// Items on a page where the client asks for no `limit`.
    #[arg(long, default_value_t = 100)]
    pub page_size: u32,
    /// Environment variable with a signing secret; may be given again for a second key
    /// [default: the secret `test_secret_a`].
    #[arg(long, value_name = "NAME")]
    pub secret_env: Vec<String>,
    /// How old a signature may be.
    #[arg(long, default_value_t = 300_000, value_name = "MS")]
    pub tolerance_ms: u32,
    /// How far the supplier's clock is ahead of ours.
    #[arg(long, default_value_t = 0, allow_negative_numbers = true, value_name = "MS")]
    pub clock_offset_ms: i64,
    /// End after so many requests.
    #[arg(long, value_name = "N")]
    pub requests: Option<u64>,
    /// Also write the report, as JSON, to this file.
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    match &args.scenario {
        Some(file) => replay(args, file),
        None => strict(args),
    }
}

fn strict(args: &Args) -> Result<ExitCode> {
    let config = StrictConfig {
        verifier: Verifier {
            header: "X-Signature".into(),
            secrets: secrets(&args.secret_env)?,
            tolerance_ms: i64::from(args.tolerance_ms),
        },
        limit: args.limit,
        window_ms: args.window_ms,
        catalogue: Catalogue { total: args.items, page_size: args.page_size },
        faults: args.faults.clone(),
        clock: Clock { offset_ms: args.clock_offset_ms },
    };
    let running = Strict::start(config, args.port)?;
    announce(&format!("{}/v2", running.origin()))?;
    let enough = || args.requests.is_some_and(|most| running.service.report().requests >= most);
    wait(enough, LOOK)?;
    let report = running.service.report();
    let json = report.to_json();
    println!("{json}");
    if let Some(file) = &args.report {
        std::fs::write(file, json + "\n").with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(if report.clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn replay(args: &Args, file: &std::path::Path) -> Result<ExitCode> {
    let mut cases = scenario::read(file)?;
    if cases.len() != 1 {
        bail!("{}: a scenario with `each` is several; serve one of them", file.display());
    }
    let running = Replay::start(cases.remove(0), args.port)?;
    announce(&format!("{}{}", running.origin(), running.service.base_path()))?;
    wait(|| running.service.is_over(), AFTERMATH)?;
    let differences = running.service.judge();
    print!("{}", timeline::differences(&differences, Style::stdout()));
    let (requests, found) = (running.service.log().len(), differences.len());
    println!("{requests} requests, {found} differences");
    Ok(if differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn secrets(names: &[String]) -> Result<Vec<String>> {
    if names.is_empty() {
        return Ok(vec![scenario::TEST_SECRET.into()]);
    }
    names.iter().map(|name| env::var(name).with_context(|| format!("the environment variable {name}"))).collect()
}

/// Programs read this line, so it must not stay in a buffer.
fn announce(base_url: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "listening on {base_url}")?;
    out.flush()?;
    Ok(())
}

/// Returns when somebody stops us, or `grace` after `enough` says so.
fn wait(enough: impl Fn() -> bool, grace: Duration) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let enough = async {
            while !enough() {
                tokio::time::sleep(LOOK).await;
            }
            tokio::time::sleep(grace).await;
        };
        tokio::select! {
            _ = enough => {}
            _ = tokio::signal::ctrl_c() => {}
            _ = terminated() => {}
            _ = stdin_closed() => {}
        }
    });
    // A thread may still wait for standard input: it must not keep us.
    runtime.shutdown_background();
    Ok(())
}

#[cfg(unix)]
async fn terminated() {
    match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
        Ok(mut signal) => drop(signal.recv().await),
        Err(_) => std::future::pending().await,
    }
}

#[cfg(not(unix))]
async fn terminated() {
    std::future::pending().await
}

/// Only a pipe: `/dev/null` and a terminal say nothing about who started us.
async fn stdin_closed() {
    if !stdin_is_a_pipe() {
        return std::future::pending().await;
    }
    let (closed, wait) = oneshot::channel();
    std::thread::spawn(move || {
        let mut sink = [0; 1024];
        while matches!(std::io::stdin().lock().read(&mut sink), Ok(n) if n > 0) {}
        let _ = closed.send(());
    });
    let _ = wait.await;
}

#[cfg(unix)]
fn stdin_is_a_pipe() -> bool {
    use std::os::unix::fs::FileTypeExt;
    std::fs::metadata("/dev/stdin").is_ok_and(|m| m.file_type().is_fifo() || m.file_type().is_socket())
}

#[cfg(not(unix))]
fn stdin_is_a_pipe() -> bool {
    false
}
