//! The command `supplier-test`. `lib.rs` says what it is for.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use supplier_test::bench;
use supplier_test::cli::{UNUSABLE, check, drill, run};
use supplier_test::conform;
use supplier_test::supplier::{demo, serve, workers};

/// Proves a supplier profile without a network and without waiting.
#[derive(Debug, Parser)]
#[command(name = "supplier-test", version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(run::Args),
    Drill(drill::Args),
    Check(check::Args),
    Serve(serve::Args),
    Demo(demo::Args),
    Bench(bench::Args),
    Conform(conform::Args),
    Workers(workers::Args),
}

fn main() -> ExitCode {
    let done = match &Cli::parse().command {
        Command::Run(args) => run::run(args),
        Command::Drill(args) => drill::run(args),
        Command::Check(args) => check::run(args),
        Command::Serve(args) => serve::run(args),
        Command::Demo(args) => demo::run(args),
        Command::Bench(args) => bench::run(args),
        Command::Conform(args) => conform::run(args),
        Command::Workers(args) => workers::run(args),
    };
    done.unwrap_or_else(|error| {
        eprintln!("supplier-test: {error:#}");
        UNUSABLE.into()
    })
}
