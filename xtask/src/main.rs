//! `cargo xtask VERB`: everything that takes more than one command. Each verb sets up what it
//! needs and says in one line what it does.

mod cases;
mod component;
mod examples;
mod fuzz;
mod packages;
mod readme;
mod test;
mod toolchain;
mod tools;
mod wasmtime_cli;

use anyhow::{Context as _, Result, bail};
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const USAGE: &str = "\
usage: cargo xtask VERB [ARGS]

  bench   measure the components, each number beside a reference: cargo xtask bench --quick;
          --sharing: what a shared budget costs
  build   build the components into target/components
  cases   list the cases with their tests
  check   check a profile: cargo xtask check PROFILE
  conform play the scenarios through the language packages, in real time
  demo    show the client against a strict supplier; --workers: six workers that share one limit
  drill   play one fault: cargo xtask drill --respond 429 --reset +5s
  fuzz    fuzz the engine: cargo xtask fuzz [--seconds N] [TARGETS]
  run     play scenarios: cargo xtask run [FILES]
  serve   serve a strict supplier, or a scenario, on a loopback port
  test    what CI runs; cargo xtask test STEP runs one step
";

fn main() -> ExitCode {
    let mut args = env::args_os().skip(1);
    let verb = args.next().unwrap_or_default();
    match perform(verb.to_str().unwrap_or_default(), args.collect()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn perform(verb: &str, args: Vec<OsString>) -> Result<ExitCode> {
    match verb {
        "build" => component::list().map(|()| ExitCode::SUCCESS),
        "bench" if args.iter().any(|arg| arg == "--sharing") => packages::sharing_cost(),
        "bench" => test_host(verb, &args, component::build_with_references()?),
        "cases" => cases::list().map(|()| ExitCode::SUCCESS),
        "demo" if args.iter().any(|arg| arg == "--workers") => packages::workers(&args),
        "check" | "demo" | "drill" | "run" | "serve" => test_host(verb, &args, component::build()?),
        "conform" => packages::conform(&args),
        "fuzz" => fuzz::fuzz(&args).map(|()| ExitCode::SUCCESS),
        "test" => test::test(&args).map(|()| ExitCode::SUCCESS),
        "" | "help" | "-h" | "--help" => {
            print!("{USAGE}");
            Ok(ExitCode::SUCCESS)
        }
        unknown => bail!("unknown verb `{unknown}`\n\n{USAGE}"),
    }
}

/// Hands a verb over to `supplier-test`, which finds the components it is to play against.
fn test_host(verb: &str, args: &[OsString], components: PathBuf) -> Result<ExitCode> {
    let mut run = cargo();
    // Paths are those of whoever calls, and where they stand.
    run.current_dir(env::current_dir().context("the folder that this runs in")?);
    run.args(["run", "--manifest-path"]).arg(root().join("Cargo.toml"));
    if target_dir().join("release/supplier-test").exists() {
        eprintln!("xtask: building supplier-test, a minute where it has changed");
        run.arg("--quiet");
    } else {
        eprintln!("xtask: building supplier-test with wasmtime; once, about ten minutes on two cores");
    }
    run.args(["--release", "--package", "supplier-test", "--", verb]).args(args).env("SUPPLIER_COMPONENTS", components);
    hand_over(run)
}

/// In our place, so that whoever ends us ends what we have started.
#[cfg(unix)]
fn hand_over(mut program: Command) -> Result<ExitCode> {
    Err(std::os::unix::process::CommandExt::exec(&mut program))
        .with_context(|| format!("{program:?} cannot be started"))
}

#[cfg(not(unix))]
fn hand_over(mut program: Command) -> Result<ExitCode> {
    // One that a signal ended has failed.
    let status = program.status().with_context(|| format!("{program:?}"))?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
}

/// The cargo that runs this, in the workspace.
fn cargo() -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root());
    // Said by the `cargo run` that runs us. `ring` is built anew whenever it differs, and everything
    // above it, so that `cargo build` and `cargo xtask` would undo each other's work.
    cargo.env_remove("CARGO_MANIFEST_DIR");
    cargo
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn target_dir() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |dir| root().join(dir))
}
