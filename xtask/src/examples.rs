//! `examples/`: what a user's own CI runs, read out of its workflow file and run here.

use crate::{component, root, target_dir, test::run};
use anyhow::{Context as _, Result, ensure};
use std::fs;
use std::process::Command;

const FOLDER: &str = "examples/acme-freight";

/// Every step of the workflow that calls `supplier-test`, with it on the PATH.
pub fn acme_freight() -> Result<()> {
    let folder = root().join(FOLDER);
    let components = component::build()?;
    run(crate::cargo().args(["build", "--quiet", "--release", "--package", "supplier-test"]))?;
    let workflow = fs::read_to_string(folder.join(".github/workflows/supplier.yml")).context("its workflow")?;
    let readme = fs::read_to_string(folder.join("README.md")).context("its README.md")?;
    let commands = commands(&workflow);
    ensure!(commands.len() >= 2, "{FOLDER}: the workflow checks nothing");
    let before = std::env::var_os("PATH").unwrap_or_default();
    let programs = fs::canonicalize(target_dir().join("release"))?;
    let path = std::env::join_paths(std::iter::once(programs).chain(std::env::split_paths(&before)))?;
    for command in commands {
        ensure!(readme.contains(command), "{FOLDER}/README.md does not name `{command}`");
        println!("$ {command}");
        let mut shell = Command::new("sh");
        shell.args(["-ec", command]).current_dir(&folder).env("PATH", &path).env("SUPPLIER_COMPONENTS", &components);
        run(&mut shell).with_context(|| format!("{FOLDER}: {command}"))?;
    }
    Ok(())
}

fn commands(workflow: &str) -> Vec<&str> {
    let runs = workflow.lines().filter_map(|line| line.trim().strip_prefix("run: "));
    runs.filter(|command| command.starts_with("supplier-test ")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_the_steps_that_call_the_test_host() {
        let workflow =
            "steps:\n  - run: |\n      cargo xtask build\n  - name: a\n    run: supplier-test check p.json\n";
        assert_eq!(commands(workflow), ["supplier-test check p.json"]);
    }
}
