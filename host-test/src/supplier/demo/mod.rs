//! `supplier-test demo`: the built component against the strict supplier, over real
//! wasi:http and with real clocks.

mod progress;
mod summary;
mod walk;

use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, bail};
use serde_json::json;

use super::catalogue::Catalogue;
use super::fault::Schedule;
use super::strict::{Strict, StrictConfig};
use crate::components;
use crate::report::CallReport;
use crate::scenario::{ACME, Component, Opening, TEST_SECRET};
use crate::stock::Stock;
use crate::style::Style;
use crate::timeline;
use progress::Progress;
use summary::Summary;

/// Signatures may be two seconds old. The waits for the next window take longer, so one that
/// was made before its wait would be refused.
const TOLERANCE_MS: i64 = 2000;
const PAGE_SIZE: u32 = 100;

/// Runs the built client component against a strict supplier with real HTTP and real time.
///
/// An order, then a list page by page, while the supplier answers 503 and 429, drops
/// connections and loses the answer to the order. Exits with 1 if the supplier found any
/// violation, or an item is missing, or an order exists twice, or memory grew.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// 40 pages instead of 400.
    #[arg(long)]
    pub short: bool,
    /// Print the summary as JSON, and nothing else.
    #[arg(long)]
    pub json: bool,
}

/// One call that is worth showing, or not.
pub struct Call {
    pub name: String,
    pub played: CallReport,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let file = components::find(Component::Client)?;
    let pages = if args.short { 40 } else { 400 };
    let mut config = StrictConfig {
        limit: if args.short { 20 } else { 100 },
        window_ms: 2000,
        catalogue: Catalogue { total: pages * PAGE_SIZE, page_size: PAGE_SIZE },
        faults: Schedule::demo(),
        ..StrictConfig::default()
    };
    config.verifier.tolerance_ms = TOLERANCE_MS;
    let catalogue = config.catalogue;
    let supplier = Strict::start(config, 0)?;
    let progress = Progress::new(args.json);
    progress.say(&format!("a strict supplier listens on {}/v2", supplier.origin()));

    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (walked, elapsed) = runtime.block_on(async {
        let compiling = Instant::now();
        let mut guest = Stock::load(&file)?.instantiate().await?;
        if let Err(problems) = guest.open(&opening(&supplier.origin())).await? {
            let told = problems.iter().map(|p| format!("{} {}: {}", p.pointer, p.code, p.message));
            bail!("the profile of the demo has problems: {}", told.collect::<Vec<_>>().join("; "));
        }
        progress.say(&format!("the component was compiled and opened in {:.1} s", compiling.elapsed().as_secs_f64()));
        let started = Instant::now();
        let walked = walk::walk(&mut guest, pages, started, &progress).await?;
        anyhow::Ok((walked, started.elapsed()))
    })?;
    progress.end();

    let summary = Summary::new(&walked, &supplier.service.report(), catalogue, elapsed);
    if args.json {
        println!("{}", summary.to_json());
    } else {
        let style = Style::stdout();
        print!("{}", interesting(&walked.calls, style));
        print!("\n{}", summary.rows(style));
    }
    Ok(if summary.is_good() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The profile of the scenarios, for the strict supplier at `origin`: impatient, so that its faults
/// take little time.
pub fn opening(origin: &str) -> Opening {
    let overrides = json!({
        "base_url": format!("{origin}/v2"),
        "signing": { "tolerance_s": 2 },
        "retry": { "base_delay_ms": 50, "max_delay_ms": 1000, "attempt_timeout_ms": 1500 },
    });
    Opening {
        name: "main".into(),
        profile: ACME.into(),
        overrides: Some(overrides.to_string()),
        credentials: vec![("signing-secret".into(), TEST_SECRET.into())],
    }
}

/// The timeline of the calls that took more than one attempt, or waited.
fn interesting(calls: &[Call], style: Style) -> String {
    let mut text = String::new();
    for Call { name, played } in calls {
        let counts = timeline::Counts::of(played);
        if counts.requests > 1 || !counts.waits.is_empty() || played.outcome.failure().is_some() {
            text.push_str(&format!("\n{}\n", style.strong(name)));
            text.push_str(&timeline::call(played, style));
        }
    }
    text
}
