//! `cargo xtask fuzz [--seconds N] [TARGETS]`: every target on its kept corpus and for a while
//! longer, one line each. What it finds is kept below `fuzz/artifacts` and fails the run.

use crate::{cargo, root, target_dir, test};
use anyhow::{Context as _, Result, bail};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const CARGO_FUZZ: &str = "cargo-fuzz@0.13.2";

/// Seconds for one target in CI.
const SHORT: u32 = 10;

/// Runs the targets that are named, or all.
pub fn fuzz(args: &[OsString]) -> Result<()> {
    let (seconds, wanted) = parse(args)?;
    let known = targets()?;
    if let Some(unknown) = wanted.iter().find(|name| !known.contains(name)) {
        bail!("no target is called `{unknown}`; they are {}", known.join(", "));
    }
    let tool = cargo_fuzz()?;
    build(&tool)?;
    println!("{:<10} {:>9} {:>6} {:>6} {:>7}  for {seconds} s each", "target", "runs", "cov", "ft", "corpus");
    let failed: Vec<_> = known
        .iter()
        .filter(|name| wanted.is_empty() || wanted.contains(name))
        .map(|name| run(name, seconds))
        .collect::<Result<Vec<_>>>()?
        .into_iter()
        .flatten()
        .collect();
    if !failed.is_empty() {
        bail!("findings in {}; see fuzz/README.md for what to do with them", failed.join(", "));
    }
    Ok(())
}

/// The same as a step of the verb `test`.
pub fn briefly() -> Result<()> {
    fuzz(&[])
}

fn parse(args: &[OsString]) -> Result<(u32, Vec<String>)> {
    let mut args = args.iter().map(|arg| arg.to_string_lossy().into_owned());
    let (mut seconds, mut wanted) = (SHORT, Vec::new());
    while let Some(arg) = args.next() {
        if arg == "--seconds" {
            let number = args.next().context("--seconds is followed by a number")?;
            seconds = number.parse().with_context(|| format!("`{number}` is no number of seconds"))?;
        } else {
            wanted.push(arg);
        }
    }
    Ok((seconds, wanted))
}

/// Names of the targets, in alphabetical order.
fn targets() -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(root().join("fuzz/fuzz_targets"))? {
        let path = entry?.path();
        names.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
    }
    names.sort();
    Ok(names)
}

/// Path of cargo-fuzz, installed below `target` if it is not there.
fn cargo_fuzz() -> Result<PathBuf> {
    let tools = target_dir().join("tools");
    let installed = tools.join("bin/cargo-fuzz");
    if !installed.exists() {
        println!("installing {CARGO_FUZZ} into target/tools; once, about a minute");
        test::run(cargo().args(["install", "--quiet", "--locked", CARGO_FUZZ, "--root"]).arg(&tools))?;
    }
    Ok(installed)
}

/// Without sanitizers: the engine has no unsafe code for them to watch, and they need a nightly
/// compiler.
fn build(tool: &Path) -> Result<()> {
    let cargo = cargo();
    let status = Command::new(tool)
        .current_dir(root().join("fuzz"))
        .env("CARGO", cargo.get_program())
        .args(["fuzz", "build", "--sanitizer", "none", "--target-dir"])
        .arg(target_dir().join("fuzz"))
        .status()?;
    if !status.success() {
        bail!("cargo fuzz build failed ({status})");
    }
    Ok(())
}

/// Runs one target on a copy of its corpus, which thus stays as it is; its name if it failed.
fn run(name: &str, seconds: u32) -> Result<Option<String>> {
    let (fuzz, target_dir) = (root().join("fuzz"), target_dir().join("fuzz"));
    let fresh = target_dir.join("corpus").join(name);
    let findings = fuzz.join("artifacts").join(name);
    fs::create_dir_all(&fresh)?;
    fs::create_dir_all(&findings)?;
    let corpus = fuzz.join("corpus").join(name);
    let kept = fs::read_dir(&corpus).with_context(|| format!("{} cannot be read", corpus.display()))?.count();
    // CI tries the same inputs each time; who looks for more gives it more time.
    let seed = if seconds == SHORT { 1 } else { 0 };
    let output = Command::new(binary(name)?)
        .arg(format!("-seed={seed}"))
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-artifact_prefix={}/", findings.display()))
        .args(["-timeout=20", "-rss_limit_mb=1024", "-max_len=8192", "-verbosity=1"])
        .args([&fresh, &corpus])
        .output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    // `#1234	DONE   cov: 56 ft: 78 corp: ...`
    let last = said.lines().rfind(|line| line.starts_with('#') && line.contains("cov:")).unwrap_or_default();
    let number = |key: &str| last.split_once(key).and_then(|(_, rest)| rest.split_whitespace().next()).unwrap_or("?");
    let runs = number("#");
    println!("{name:<10} {runs:>9} {:>6} {:>6} {kept:>7}", number("cov:"), number("ft:"));
    if output.status.success() {
        return Ok(None);
    }
    let what: Vec<_> =
        said.lines().skip_while(|line| !line.contains("panicked at") && !line.contains("ERROR")).collect();
    println!("{}", what.iter().take(40).copied().collect::<Vec<_>>().join("\n"));
    Ok(Some(name.to_owned()))
}

/// `cargo fuzz` builds for a named target, whose folder it does not tell.
fn binary(name: &str) -> Result<PathBuf> {
    let folders = fs::read_dir(target_dir().join("fuzz"))?.filter_map(|entry| Some(entry.ok()?.path()));
    folders
        .map(|folder| folder.join("release").join(name))
        .find(|path| path.is_file())
        .with_context(|| format!("cargo fuzz did not build {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments() {
        let parsed = |args: &[&str]| parse(&args.iter().map(OsString::from).collect::<Vec<_>>());
        assert_eq!(parsed(&[]).unwrap(), (SHORT, vec![]));
        assert_eq!(parsed(&["pages", "--seconds", "600"]).unwrap(), (600, vec!["pages".to_owned()]));
        assert!(parsed(&["--seconds"]).is_err());
        assert!(parsed(&["--seconds", "soon"]).is_err());
    }

    /// A target without a kept corpus would begin from nothing in every run.
    #[test]
    fn every_target_has_a_corpus() {
        for name in targets().unwrap() {
            let corpus = root().join("fuzz/corpus").join(&name);
            assert!(fs::read_dir(corpus).is_ok_and(|files| files.count() > 0), "{name}");
        }
    }
}
