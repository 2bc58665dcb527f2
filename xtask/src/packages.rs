//! The language packages below `hosts`: set up once, and used by the verbs that need all three.

use crate::{cargo, component, root, target_dir, test::run, tools};
use anyhow::{Context as _, Result};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// A package, and the command that starts one of its programs, below the project's folder.
struct Package {
    name: &'static str,
    command: &'static str,
    extension: &'static str,
}

const PACKAGES: [Package; 3] = [
    Package { name: "python", command: "target/python/venv/bin/python", extension: "py" },
    Package { name: "node", command: "node", extension: "mjs" },
    Package { name: "php", command: "php", extension: "php" },
];

impl Package {
    /// Installs what is missing; the package's own `ci.sh` knows what that is.
    fn set_up(&self) -> Result<()> {
        eprintln!("xtask: setting up hosts/{}", self.name);
        let script = format!("hosts/{}/ci.sh", self.name);
        run(Command::new("bash").args([&script, "setup"]).current_dir(root())).context(script)
    }

    /// The command that runs `hosts/NAME/PROGRAM`.
    fn program(&self, program: &str) -> String {
        format!("{} hosts/{}/{program}.{}", self.command, self.name, self.extension)
    }
}

/// The packages' own checks, as steps of the verb `test`.
pub fn python() -> Result<()> {
    checks("python")
}

pub fn node() -> Result<()> {
    checks("node")
}

pub fn php() -> Result<()> {
    checks("php")
}

fn checks(name: &str) -> Result<()> {
    build()?;
    let script = format!("hosts/{name}/ci.sh");
    run(Command::new("bash").arg(&script).current_dir(root())).context(script)
}

/// Plays the scenarios through all packages, in real time: `cargo xtask conform [SCENARIOS]`.
pub fn conform(args: &[OsString]) -> Result<ExitCode> {
    let mut conform = with_programs("conform", "conformance")?;
    conform.args(args);
    crate::hand_over(conform)
}

/// Six workers in three languages share one limit: `cargo xtask demo --workers`.
pub fn workers(args: &[OsString]) -> Result<ExitCode> {
    if args.iter().any(|arg| arg == "--faults") {
        tools::faketime()?;
    }
    let args = args.iter().filter(|arg| *arg != "--workers");
    let mut workers = with_programs("workers", "examples/worker")?;
    workers.args(args);
    crate::hand_over(workers)
}

/// What sharing costs: `cargo xtask bench --sharing`. First in virtual time, then over a real Redis.
pub fn sharing_cost() -> Result<ExitCode> {
    run(cargo().args(["bench", "--quiet", "--package", "supplier-engine", "--bench", "sharing"]))?;
    println!("\nOver Redis on this machine, one after the other");
    let mut workers = with_programs("workers", "examples/worker")?;
    workers.arg("--cost");
    crate::hand_over(workers)
}

/// `conform` as a step of the verb `test`.
pub fn conformance() -> Result<()> {
    run(&mut with_programs("conform", "conformance")?)
}

/// `supplier-test VERB` with each package's program of that name.
fn with_programs(verb: &str, program: &str) -> Result<Command> {
    let mut test_host = ready(verb)?;
    for package in &PACKAGES {
        test_host.arg(format!("--{}", package.name)).arg(package.program(program));
    }
    Ok(test_host)
}

/// Everything is built and set up; the command runs `supplier-test VERB` where its workers find it.
fn ready(verb: &str) -> Result<Command> {
    let components = build()?;
    for package in &PACKAGES {
        package.set_up()?;
    }
    let target = target_dir();
    let mut test_host = Command::new(target.join("release/supplier-test"));
    test_host
        .arg(verb)
        .current_dir(root())
        .env("SUPPLIER_COMPONENTS", components)
        .env("SUPPLIER_CACHE", root().join("target/python/cache"))
        .env("SUPPLIER_CLIENT_HOME", root().join("target/php/home"));
    Ok(test_host)
}

/// What every package is tried against.
fn build() -> Result<PathBuf> {
    let components = component::build()?;
    run(cargo().args(["build", "--quiet", "--release", "--package", "supplier-test"]))?;
    Ok(components)
}
