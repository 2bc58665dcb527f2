//! `supplier-test run`: plays scenarios.

use std::io::{self, IsTerminal, Write};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::{Parser, ValueEnum};
use serde_json::{Value, json};

use super::{DIFFERS, PASSED, UNUSABLE, junit};
use crate::play::Components;
use crate::scenario::Component;
use crate::style::Style;
use crate::suite::{self, Trial, Verdict};
use crate::timeline;

/// Play scenarios against the built components, in virtual time.
///
/// Exit code 0: all passed; 1: something differed; 2: a file is no scenario.
#[derive(Debug, Parser)]
pub struct Args {
    /// Scenario files, or folders of them; `scenarios` when none is given.
    paths: Vec<PathBuf>,
    /// What to play them against.
    #[arg(long, value_enum, default_value_t = Which::Both)]
    component: Which,
    /// Write the results as JUnit XML, too.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Print the results as JSON in place of text.
    #[arg(long)]
    json: bool,
    /// Write every JSON document that the components handed out or took, one a line, beside the
    /// name of its schema: journals, health reports, and what crosses the engine's boundary.
    #[arg(long, value_name = "FILE")]
    documents: Option<PathBuf>,
    /// Show the timelines of those that pass, too.
    #[arg(long)]
    timeline: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Which {
    Client,
    Engine,
    Both,
}

impl Which {
    pub fn components(self) -> &'static [Component] {
        match self {
            Which::Client => &[Component::Client],
            Which::Engine => &[Component::Engine],
            Which::Both => &Component::BOTH,
        }
    }
}

/// A trial that was played, or a reason why it could not be.
pub struct Played {
    pub trial: Trial,
    pub verdict: Result<Verdict>,
}

impl Played {
    pub fn passed(&self) -> bool {
        self.verdict.as_ref().is_ok_and(Verdict::passed)
    }
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let began = Instant::now();
    let (trials, invalid) = gather(args)?;
    let which = args.component.components();
    let components = Components::load(which)?;
    let played = play_all(trials, &components);
    if let Some(file) = &args.junit {
        std::fs::write(file, junit::xml(&played, &invalid)).with_context(|| file.display().to_string())?;
    }
    if let Some(file) = &args.documents {
        std::fs::write(file, documents(&played)).with_context(|| file.display().to_string())?;
    }
    if args.json {
        println!("{}", as_json(&played, &invalid));
    } else {
        print(&played, &invalid, args.timeline, began);
    }
    Ok(if !invalid.is_empty() {
        UNUSABLE.into()
    } else if played.iter().all(Played::passed) {
        PASSED
    } else {
        DIFFERS.into()
    })
}

/// The trials of all files, and what is wrong with those that are no scenarios.
fn gather(args: &Args) -> Result<(Vec<Trial>, Vec<String>)> {
    let default = [PathBuf::from("scenarios")];
    let paths = if args.paths.is_empty() { &default } else { args.paths.as_slice() };
    let (mut trials, mut invalid) = (Vec::new(), Vec::new());
    for path in paths {
        let files = suite::files(path).with_context(|| path.display().to_string())?;
        if files.is_empty() {
            invalid.push(format!("{}: no scenario is there", path.display()));
        }
        for file in files {
            match suite::trials(&file, Path::new(""), args.component.components()) {
                Ok(some) => trials.extend(some),
                Err(error) => invalid.push(error.to_string()),
            }
        }
    }
    Ok((trials, invalid))
}

/// On every processor; the order is kept.
fn play_all(trials: Vec<Trial>, components: &Components) -> Vec<Played> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(trials.len()));
    let workers = thread::available_parallelism().map_or(1, NonZero::get).min(trials.len());
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(trial) = trials.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let verdict = trial.run(components);
                    let mut done = done.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                    done.push((trial.name.clone(), verdict));
                    progress(done.len(), trials.len());
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    progress_over();
    let take = |trial: Trial| {
        let at = done.iter().position(|(name, _)| *name == trial.name)?;
        Some(Played { trial, verdict: done.swap_remove(at).1 })
    };
    trials.into_iter().filter_map(take).collect()
}

fn progress(done: usize, of: usize) {
    if io::stderr().is_terminal() {
        eprint!("\r{done} of {of}");
        let _ = io::stderr().flush(); // a progress line that is late harms nobody
    }
}

fn progress_over() {
    if io::stderr().is_terminal() {
        eprint!("\r\x1b[K");
    }
}

fn print(played: &[Played], invalid: &[String], all: bool, began: Instant) {
    let style = Style::stdout();
    for played in played.iter().filter(|played| all || !played.passed()) {
        print!("{}", describe(played, style));
    }
    for message in invalid {
        println!("{} {message}", style.bad("INVALID"));
    }
    let passed = played.iter().filter(|played| played.passed()).count();
    let failed = played.len() - passed;
    let took = began.elapsed().as_secs_f64();
    let invalid = if invalid.is_empty() { String::new() } else { format!("{} invalid files, ", invalid.len()) };
    let counts = format!("{passed} passed, {failed} failed");
    let counts = if failed == 0 { style.good(&counts) } else { style.bad(&counts) };
    println!("in {took:.1} s: {invalid}{counts}");
}

/// What a person has to see of one trial.
pub fn describe(played: &Played, style: Style) -> String {
    let Trial { name, case, .. } = &played.trial;
    let about = &case.scenario.about;
    match &played.verdict {
        Err(error) => format!("{} {name}: {error:#}\n", style.bad("FAILED")),
        Ok(verdict) => {
            let word = if verdict.passed() { style.good("ok") } else { style.bad("FAILED") };
            let timeline = timeline::scenario(case, &verdict.report, style);
            let differences = timeline::differences(&verdict.differences, style);
            format!("{word} {}: {about}\n{timeline}{differences}", style.strong(name))
        }
    }
}

fn documents(played: &[Played]) -> String {
    let mut lines = String::new();
    for played in played {
        let Ok(verdict) = &played.verdict else { continue };
        for document in verdict.report.all_documents() {
            let text = serde_json::from_str(&document.text).unwrap_or(Value::String(document.text));
            let line = json!({ "scenario": played.trial.name, "schema": document.schema, "document": text });
            lines.push_str(&format!("{line}\n"));
        }
    }
    lines
}

fn as_json(played: &[Played], invalid: &[String]) -> Value {
    let scenario = |played: &Played| {
        let mut object = json!({
            "name": played.trial.name,
            "file": played.trial.file,
            "about": played.trial.case.scenario.about,
            "case": played.trial.case.scenario.case,
            "component": played.trial.component.name(),
            "passed": played.passed(),
        });
        match &played.verdict {
            Err(error) => object["error"] = format!("{error:#}").into(),
            Ok(verdict) => {
                let differences = verdict.differences.iter();
                object["differences"] = differences
                    .map(|one| json!({ "path": one.path, "expected": one.expected, "got": one.got }))
                    .collect();
                object["requests"] = verdict.report.requests.len().into();
                object["elapsed_ms"] = verdict.report.elapsed_ms.into();
                object["took_s"] = verdict.took.as_secs_f64().into();
            }
        }
        object
    };
    let passed = played.iter().filter(|played| played.passed()).count();
    json!({
        "passed": passed,
        "failed": played.len() - passed,
        "invalid": invalid,
        "scenarios": played.iter().map(scenario).collect::<Vec<_>>(),
    })
}
