//! Many scenarios: finding their files, playing and judging each.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::judge::{Difference, judge};
use crate::play::{Components, play};
use crate::report::Report;
use crate::scenario::{Case, Component, Invalid, is_profile, read};

/// Every scenario file at a path: the file itself, or all `.json` files below a folder but
/// profiles and what stands in folders named `profiles`. Sorted.
pub fn files(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        fs::metadata(path)?;
        return Ok(vec![path.to_owned()]);
    }
    let mut files = Vec::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let path = entry.path();
            let is_scenario =
                |path: &Path| path.extension().is_some_and(|extension| extension == "json") && path.is_file();
            // A link to a folder may lead back here.
            if entry.file_type()?.is_dir() {
                if path.file_name().is_some_and(|name| name != "profiles") {
                    folders.push(path);
                }
            } else if is_scenario(&path) && !is_profile_file(&path) {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// A file that cannot be read is left to whoever says why.
fn is_profile_file(path: &Path) -> bool {
    let document = fs::read(path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    document.is_some_and(|document| is_profile(&document))
}

/// One case against one component.
#[derive(Clone, Debug)]
pub struct Trial {
    /// `retry/429.json [2 status=502] (client)`
    pub name: String,
    pub file: PathBuf,
    pub case: Case,
    pub component: Component,
}

/// What came of it.
#[derive(Debug)]
pub struct Verdict {
    pub report: Report,
    pub differences: Vec<Difference>,
    pub took: Duration,
}

impl Verdict {
    pub fn passed(&self) -> bool {
        self.differences.is_empty()
    }
}

/// The trials of a file; their names begin with its path below `root`.
pub fn trials(file: &Path, root: &Path, components: &[Component]) -> Result<Vec<Trial>, Invalid> {
    let short = file.strip_prefix(root).unwrap_or(file).display().to_string();
    let mut trials = Vec::new();
    for case in read(file)? {
        for component in components {
            if case.scenario.only.is_some_and(|only| only != *component) {
                continue;
            }
            let label = case.label.as_ref().map(|label| format!(" [{label}]")).unwrap_or_default();
            let name = format!("{short}{label} ({})", component.name());
            trials.push(Trial { name, file: file.to_owned(), case: case.clone(), component: *component });
        }
    }
    Ok(trials)
}

impl Trial {
    pub fn run(&self, components: &Components) -> anyhow::Result<Verdict> {
        let began = Instant::now();
        let report = play(&self.case, self.component, components)?;
        let differences = judge(&self.case, &report);
        Ok(Verdict { report, differences, took: began.elapsed() })
    }
}
