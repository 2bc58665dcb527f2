//! One scenario played by one host in real time, and what differed.

use std::time::Duration;

use anyhow::Result;

use super::choose::Chosen;
use super::facts::{self, Facts, LATE_MS};
use super::hosts::Host;
use super::rehearse::since_the_first;
use super::relax;
use crate::judge::{Difference, judge};
use crate::report::Report;
use crate::scenario::Case;
use crate::supplier::replay::Replay;
use crate::supplier::server;

/// Rounding may make them early by so much.
const EARLY_MS: u64 = 5;
/// A worker that says nothing for so long hangs.
const PATIENCE: Duration = Duration::from_secs(30);

/// One cell of the table.
#[derive(Debug, Default)]
pub struct Cell {
    pub differences: Vec<Difference>,
}

/// A play that can be judged.
pub struct Played {
    case: Case,
    report: Report,
    signatures: Vec<Difference>,
    pub facts: Facts,
}

impl Cell {
    pub fn holds(&self) -> bool {
        self.differences.is_empty()
    }

    pub fn failed(why: &anyhow::Error) -> Cell {
        let got = format!("{why:#}");
        Cell { differences: vec![Difference { path: "(worker)".into(), expected: "a result".into(), got }] }
    }

    /// `reference` is what came of the same scenario in the Rust host.
    pub fn judge(chosen: &Chosen, played: &Played, reference: Option<&Facts>) -> Cell {
        let mut differences = judge(&relax::real_time(&played.case), &played.report);
        differences.extend(played.signatures.iter().cloned());
        differences.extend(times(&chosen.rehearsal.due, &played.report));
        let wanted = &chosen.rehearsal.facts;
        let mut more = facts::differences(wanted, &played.facts);
        more.extend(added(chosen, &played.facts));
        if let Some(reference) = reference {
            let same =
                |path: &String| Some((path.clone(), wanted.get(path)?.as_ref().and(reference.get(path).cloned())));
            let wanted = reference.keys().filter_map(same).collect();
            more.extend(facts::differences(&wanted, &played.facts));
        }
        for one in more {
            if !differences.iter().any(|told| told.path == one.path || told.path.ends_with(&format!(".{}", one.path))) {
                differences.push(one);
            }
        }
        Cell { differences }
    }
}

pub fn play(chosen: &Chosen, host: &mut Host) -> Result<Played> {
    let listener = server::listen(0)?;
    let authority = listener.local_addr()?.to_string();
    let case = chosen.source.at(&authority)?;
    let replay = Replay::start_on(case.clone(), listener)?;
    let mut report = host.play(&case, PATIENCE)?;
    report.requests = replay.service.log();
    let signatures = replay.service.signatures();
    let facts = facts::facts(&report, &authority);
    Ok(Played { case, report, signatures, facts })
}

/// Never earlier than the right time, and not much later.
fn times(due: &[(u64, u64)], report: &Report) -> Vec<Difference> {
    let late = |(index, (at, (earliest, latest)))| {
        let (low, high): (u64, u64) = (u64::saturating_sub(earliest, EARLY_MS), latest + LATE_MS);
        (!(low..=high).contains(&at)).then(|| Difference {
            path: format!("requests[{index}].at_ms"),
            expected: format!("[{low}, {high}]"),
            got: at.to_string(),
        })
    };
    since_the_first(report).into_iter().zip(due.iter().copied()).enumerate().filter_map(late).collect()
}

/// Headers that the policy did not set.
fn added(chosen: &Chosen, got: &Facts) -> Vec<Difference> {
    let wanted = &chosen.rehearsal.facts;
    let added = got.iter().filter(|(path, _)| path.contains(".headers.") && !wanted.contains_key(*path));
    added.map(|(path, line)| Difference { path: path.clone(), expected: "nothing".into(), got: line.clone() }).collect()
}
