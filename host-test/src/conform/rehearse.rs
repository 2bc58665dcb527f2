//! A play in virtual time before the one in real time: it says whether the scenario holds where
//! our clock and the jitter are not the scenario's, how long it takes, and which facts are the
//! same each time.

use std::collections::BTreeMap;

use supplier_engine::Wall;

use super::choose::{Left, REHEARSED};
use super::facts::{self, facts};
use super::relax;
use super::source::Source;
use crate::judge::judge;
use crate::play::{Components, play};
use crate::report::Report;
use crate::scenario::{Case, Cut, Entropy, EntropyName};

const DAY_MS: i64 = 24 * 3600 * 1000;

#[derive(Clone, Debug, Default)]
pub struct Rehearsal {
    /// For each request: earliest and latest, since the first one.
    pub due: Vec<(u64, u64)>,
    /// What must be seen; `None` where it is different each time.
    pub facts: BTreeMap<String, Option<String>>,
    /// The whole play, with the most jitter.
    pub longest_ms: u64,
}

pub fn rehearse(source: &Source, components: &Components) -> Result<Rehearsal, Left> {
    const AUTHORITY: &str = "127.0.0.1:65535";
    let staged = source.at(AUTHORITY).map_err(|_| Left::Origin)?;
    let elsewhen = at(relax::other_clock(&staged), 100 * DAY_MS + 345, 0, EntropyName::Zero);
    holds(&elsewhen, components).ok_or(Left::Rehearsal)?;
    let mut closing = elsewhen.clone();
    all_errors_close_the_connection(&mut closing);
    let one = holds(&closing, components).ok_or(Left::Code)?;
    let mut again = at(staged, 200 * DAY_MS + 678, 499, EntropyName::Max);
    all_errors_close_the_connection(&mut again);
    let other = play(&again, REHEARSED, components).map_err(|_| Left::Rehearsal)?;
    if one.requests.len() != other.requests.len() || one.calls.len() != other.calls.len() {
        return Err(Left::Rehearsal);
    }
    let [first, second] = [&one, &other].map(since_the_first);
    Ok(Rehearsal {
        due: first.iter().zip(&second).map(|(a, b)| (*a.min(b), *a.max(b))).collect(),
        facts: facts::stable(&facts(&one, AUTHORITY), &facts(&other, AUTHORITY)),
        longest_ms: one.elapsed_ms.max(other.elapsed_ms),
    })
}

/// When each request arrived, since the first one.
pub fn since_the_first(report: &Report) -> Vec<u64> {
    let first = report.requests.first().map_or(0, |seen| seen.at_ms);
    report.requests.iter().map(|seen| seen.at_ms.saturating_sub(first)).collect()
}

fn holds(case: &Case, components: &Components) -> Option<Report> {
    let report = play(case, REHEARSED, components).ok()?;
    judge(case, &report).is_empty().then_some(report)
}

fn at(mut case: Case, ours_ahead_ms: i64, theirs_ahead_ms: i64, entropy: EntropyName) -> Case {
    case.clock = Wall(case.clock.0.saturating_add(ours_ahead_ms));
    case.server_clock = Wall(case.server_clock.0.saturating_add(theirs_ahead_ms));
    case.scenario.entropy = Entropy::Named(entropy);
    case
}

/// Over real HTTP a fault is a connection that ends, before a response or within it.
fn all_errors_close_the_connection(case: &mut Case) {
    for entry in &mut case.scenario.script {
        if entry.error.is_some() {
            (entry.error, entry.detail) = (Some("connection-terminated".into()), None);
        }
        if entry.cut().is_some() {
            entry.cut = Some(Cut::Is(true));
        }
    }
}
