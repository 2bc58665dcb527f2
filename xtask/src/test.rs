//! `cargo xtask test`: what CI runs, one step after the other, each with its time.

use crate::{cargo, cases, component, examples, fuzz, packages, readme, tools, wasmtime_cli};
use anyhow::{Result, bail};
use std::ffi::OsString;
use std::process::Command;
use std::time::Instant;

type Step = (&'static str, fn() -> Result<()>);

/// Runs every step, or those whose name is given.
pub fn test(only: &[OsString]) -> Result<()> {
    let steps: [Step; 16] = [
        ("format", format),
        ("components", components),
        ("clippy", clippy),
        ("tests", tests),
        ("cases", cases::list),
        ("schemas", schemas),
        ("fuzz", fuzz::briefly),
        ("deny", deny),
        ("readme", readme::commands),
        ("examples", examples::acme_freight),
        ("python", packages::python),
        ("node", packages::node),
        ("php", packages::php),
        ("sharing", readme::sharing),
        ("conform", packages::conformance),
        ("command-line", wasmtime_cli::command_line),
    ];
    if let Some(unknown) = only.iter().find(|name| !steps.iter().any(|(step, _)| step == name)) {
        bail!("no step is called `{}`; they are {}", unknown.display(), steps.map(|(name, _)| name).join(", "));
    }
    let began = Instant::now();
    for (name, step) in steps.iter().filter(|(name, _)| only.is_empty() || only.iter().any(|wanted| wanted == name)) {
        println!("==> {name}");
        let start = Instant::now();
        step()?;
        println!("==> {name}: done in {:.0} s", start.elapsed().as_secs_f64());
    }
    println!("==> all steps passed in {:.0} s", began.elapsed().as_secs_f64());
    Ok(())
}

fn format() -> Result<()> {
    run(cargo().args(["fmt", "--all", "--check"]))
}

fn components() -> Result<()> {
    component::build().map(|_| ())
}

fn clippy() -> Result<()> {
    run(cargo().args(["clippy", "--release", "--workspace", "--all-targets", "--", "-D", "warnings"]))
}

/// Unit and property tests, and every scenario against the built components.
fn tests() -> Result<()> {
    let components = crate::target_dir().join("components");
    // One by one: together their features would differ from those of `supplier-test` alone, and
    // wasmtime would be built a second time.
    for package in ["supplier-engine", "supplier-http", "supplier-command", "xtask", "supplier-test"] {
        run(cargo().args(["test", "--release", "--package", package]).env("SUPPLIER_COMPONENTS", &components))?;
    }
    Ok(())
}

/// The schemas that are checked in are those of the types, and what both components hand out in
/// all scenarios keeps to them.
fn schemas() -> Result<()> {
    run(cargo().args(["test", "--release", "--package", "supplier-engine", "--features", "schema"]))?;
    let documents = crate::target_dir().join("documents.jsonl");
    let mut play = cargo();
    play.args(["run", "--quiet", "--release", "--package", "supplier-test", "--", "run", "scenarios", "--documents"]);
    run(play.arg(&documents).env("SUPPLIER_COMPONENTS", crate::target_dir().join("components")))?;
    let mut validate = cargo();
    validate.args(["run", "--quiet", "--release", "--package", "supplier-engine", "--example", "validate", "--"]);
    run(validate.arg(&documents))
}

/// Licences, bans and sources; advisories where their database can be reached.
fn deny() -> Result<()> {
    let deny = tools::cargo_deny()?;
    run(Command::new(&deny).current_dir(crate::root()).args(["check", "licenses", "bans", "sources"]))?;
    let advisories = Command::new(&deny).current_dir(crate::root()).args(["check", "advisories"]).output()?;
    if advisories.status.success() {
        println!("advisories: none");
        return Ok(());
    }
    let said = String::from_utf8_lossy(&advisories.stderr);
    if said.contains("failed to fetch advisory database") || said.contains("failed to load advisory database") {
        println!("advisories: not checked, their database cannot be reached from here");
        return Ok(());
    }
    bail!("cargo deny check advisories:\n{said}")
}

pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status()?;
    if !status.success() {
        bail!("{command:?} failed ({status})");
    }
    Ok(())
}
