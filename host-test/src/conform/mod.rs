//! `supplier-test conform`: every language package plays the same scenarios over real HTTP and in
//! real time, beside the client component under wasmtime. Which scenarios make sense there is
//! [chosen](choose) by a rule; what must be seen is the scenario's own expectation, the
//! [rehearsal](rehearse) in virtual time, and what the Rust host got.

mod cell;
mod choose;
mod facts;
mod hosts;
mod job;
mod promises;
mod rehearse;
mod relax;
mod source;
mod table;
mod walk;
pub mod worker;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use anyhow::{Context, Result};

use crate::cli::{DIFFERS, PASSED, UNUSABLE};
use crate::components;
use crate::languages::Languages;
use crate::play::Components;
use crate::scenario::Component;
use crate::stock::Stock;
use crate::style::Style;
use crate::suite;
use cell::Cell;
use choose::{Chosen, Left, REHEARSED};
use hosts::{Host, Named, Player};
use source::Source;
use table::{Row, Table};

/// Scenarios that are played at the same time: waits dominate.
const LANES: usize = 6;

/// Play scenarios in real time through the packages of other languages.
///
/// Each package is a worker: one JSON job a line on standard input, one JSON result a line on
/// standard output. Prints the table of scenarios by hosts. Exit code 0: no cell differs; 1: one
/// does; 2: a file or an argument is wrong.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Scenario files, or folders of them; `scenarios` when none is given.
    paths: Vec<PathBuf>,
    #[command(flatten)]
    languages: Languages,
    /// Print the table as JSON.
    #[arg(long)]
    json: bool,
    /// Print which scenarios are left out, and why, and play none.
    #[arg(long)]
    left_out: bool,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let sources = sources(&args.paths)?;
    let components = Components::load(&[REHEARSED])?;
    let (mut chosen, mut left) = (Vec::new(), BTreeMap::<Left, usize>::new());
    for (name, source) in sources {
        match source.and_then(|source| choose::choose(source, &components)) {
            Ok(one) => chosen.push(one),
            Err(why) => {
                *left.entry(why).or_default() += 1;
                if args.left_out {
                    println!("{name}: {why}");
                }
            }
        }
    }
    if args.left_out {
        return Ok(PASSED);
    }
    if chosen.is_empty() && left.is_empty() {
        eprintln!("supplier-test: no scenario is there");
        return Ok(UNUSABLE.into());
    }
    let named = hosts(args)?;
    let table = Table {
        hosts: named.iter().map(|host| host.name).collect(),
        scenarios: play_all(&chosen, &named),
        silent: chosen.iter().filter(|one| one.rehearsal.due.is_empty()).count(),
        left,
        promises: promises::keep(&named),
        walk: walk::walk(&named),
    };
    if args.json {
        println!("{:#}", table.json());
    } else {
        print!("{}", table.text(Style::stdout()));
    }
    Ok(if table.holds() { PASSED } else { DIFFERS.into() })
}

fn hosts(args: &Args) -> Result<Vec<Named>> {
    let stock = Arc::new(Stock::load(&components::find(Component::Client)?)?);
    let mut hosts = vec![Named { name: "rust", player: Player::Stock(stock) }];
    for (name, command) in args.languages.commands() {
        hosts.extend(command.clone().map(|command| Named { name, player: Player::Command(command) }));
    }
    Ok(hosts)
}

fn sources(paths: &[PathBuf]) -> Result<Vec<(String, Result<Source, Left>)>> {
    let default = [PathBuf::from("scenarios")];
    let mut sources = Vec::new();
    for path in if paths.is_empty() { &default } else { paths } {
        let root = if path.is_dir() { path.as_path() } else { path.parent().unwrap_or(Path::new("")) };
        for file in suite::files(path).with_context(|| path.display().to_string())? {
            sources.extend(Source::read(&file, root)?);
        }
    }
    Ok(sources)
}

/// In lanes, each with workers of its own; within a lane all hosts play at the same time.
fn play_all(chosen: &[Chosen], named: &[Named]) -> Vec<Row> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(BTreeMap::new());
    thread::scope(|scope| {
        for _ in 0..LANES.min(chosen.len()) {
            scope.spawn(|| {
                let mut hosts: Vec<Host> = named.iter().map(Host::new).collect();
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(one) = chosen.get(index) else { break };
                    let row = row(one, &mut hosts);
                    done.lock().unwrap_or_else(PoisonError::into_inner).insert(index, row);
                }
            });
        }
    });
    done.into_inner().unwrap_or_else(PoisonError::into_inner).into_values().collect()
}

fn row(chosen: &Chosen, hosts: &mut [Host]) -> Row {
    let played: Vec<_> = thread::scope(|scope| {
        let playing: Vec<_> = hosts.iter_mut().map(|host| scope.spawn(|| cell::play(chosen, host))).collect();
        // A panic of a thread is a defect of this program; it shows as one.
        playing
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    // The Rust host comes first.
    let reference = played.first().and_then(|first| first.as_ref().ok()).map(|rust| rust.facts.clone());
    let cells = played.iter().enumerate().map(|(index, played)| match played {
        Ok(played) => Cell::judge(chosen, played, reference.as_ref().filter(|_| index > 0)),
        Err(why) => Cell::failed(why),
    });
    Row { name: chosen.source.name.clone(), cells: cells.collect() }
}
