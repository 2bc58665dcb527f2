//! The whole list of the strict supplier, 40,000 items, read by each host through the faults of
//! the demo: every byte as it was sent, and no violation.

use std::path::Path;
use std::thread;
use std::time::Duration;

use anyhow::Result;
use serde_json::json;
use serde_json::value::RawValue;

use super::cell::Cell;
use super::hosts::{Host, Named};
use super::table::Row;
use crate::judge::Difference;
use crate::report::Outcome;
use crate::scenario;
use crate::supplier::catalogue::{Catalogue, Sum};
use crate::supplier::demo;
use crate::supplier::fault::Schedule;
use crate::supplier::{Strict, StrictConfig};

const LIST: Catalogue = Catalogue { total: 40_000, page_size: 100 };
/// A signature that was made before a wait for the next window would be older.
const TOLERANCE_MS: i64 = 2_000;
const PATIENCE: Duration = Duration::from_secs(180);

pub fn walk(named: &[Named]) -> Vec<Row> {
    let cells: Vec<Cell> = thread::scope(|scope| {
        let walking: Vec<_> = named.iter().map(|host| scope.spawn(|| one(host))).collect();
        // A panic of a thread is a defect of this program; it shows as one.
        let ended = walking.into_iter().map(|one| one.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        ended.map(|cell| cell.unwrap_or_else(|why| Cell::failed(&why))).collect()
    });
    vec![Row { name: "GET /consignments, 400 pages".into(), cells }]
}

fn one(named: &Named) -> Result<Cell> {
    let mut config = StrictConfig {
        limit: 100,
        window_ms: 2_000,
        catalogue: LIST,
        faults: Schedule::demo(),
        ..StrictConfig::default()
    };
    config.verifier.tolerance_ms = TOLERANCE_MS;
    let supplier = Strict::start(config, 0)?;
    let text = json!({ "scenario": 1, "about": "The whole list.", "calls": [
        { "walk": { "target": "/consignments", "query": { "limit": LIST.page_size.to_string() } } }
    ] });
    let mut case = scenario::parse(&text.to_string(), Path::new("/")).map_err(anyhow::Error::msg)?.remove(0);
    case.openings = vec![demo::opening(&supplier.origin())];
    let report = Host::new(named).play(&case, PATIENCE)?;
    let mut cell = Cell::default();
    let mut check = |path: &str, expected: String, got: String| {
        if expected != got {
            cell.differences.push(Difference { path: path.into(), expected, got });
        }
    };
    let Some(Outcome::Walk(walk)) = report.calls.first().map(|call| &call.outcome) else {
        check("walk", "a walk".into(), format!("{report:?}"));
        return Ok(cell);
    };
    if let Some(failure) = &walk.failure {
        check("walk.failure", "none".into(), format!("{} {}: {}", failure.kind, failure.code, failure.message));
    }
    let mut sum = Sum::default();
    let items: Vec<&RawValue> = serde_json::from_str(&walk.items)?;
    items.iter().for_each(|item| sum.item(item.get()));
    check("walk.pages", (LIST.total / LIST.page_size).to_string(), walk.pages.to_string());
    check("walk.count", LIST.total.to_string(), items.len().to_string());
    check("walk.items (SHA-256)", LIST.checksum(), sum.hex());
    let seen = supplier.service.report();
    for finding in &seen.findings {
        check(
            &format!("violation at request {}", finding.request),
            "none".into(),
            format!("{:?}: {}", finding.kind, finding.detail),
        );
    }
    Ok(cell)
}
