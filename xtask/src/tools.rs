//! Tools that are not part of Rust: taken from the PATH, or installed once below `target`.

use crate::{cargo, target_dir, test::run};
use anyhow::Result;
use std::path::PathBuf;
use std::process::Command;

const CARGO_DENY: &str = "cargo-deny@0.20.2";

/// The version that the test host embeds.
const WASMTIME: &str = "wasmtime-cli@48.0.8";

/// What `-S http`, `--invoke` and `wasmtime compile` need, and no more.
const WASMTIME_FEATURES: &str = "run,compile,wasi-http,cranelift,component-model,parallel-compilation";

/// Path of cargo-deny.
pub fn cargo_deny() -> Result<PathBuf> {
    let on_path = PathBuf::from("cargo-deny");
    if Command::new(&on_path).arg("--version").output().is_ok_and(|output| output.status.success()) {
        return Ok(on_path);
    }
    let tools = target_dir().join("tools");
    let installed = tools.join("bin/cargo-deny");
    if !installed.exists() {
        println!("installing {CARGO_DENY} into target/tools; once, about five minutes");
        run(cargo().args(["install", "--quiet", "--locked", CARGO_DENY, "--root"]).arg(&tools))?;
    }
    Ok(installed)
}

/// `faketime`, which starts a program with a wrong clock: of the system's package of that name.
pub fn faketime() -> Result<()> {
    if Command::new("faketime").arg("--version").output().is_ok() {
        return Ok(());
    }
    eprintln!("xtask: installing faketime");
    run(Command::new("apt-get").args(["update", "-qq"]))?;
    run(Command::new("apt-get").args(["install", "-y", "-qq", "--no-install-recommends", "faketime"]))
}

/// Path of the wasmtime command, always ours: what is documented is tested with one version.
pub fn wasmtime() -> Result<PathBuf> {
    let tools = target_dir().join("tools");
    let installed = tools.join("bin/wasmtime");
    if !installed.exists() {
        println!("installing {WASMTIME} into target/tools; once, about ten minutes");
        let mut install = cargo();
        install.args(["install", "--quiet", "--locked", WASMTIME, "--bin", "wasmtime", "--no-default-features"]);
        // Half the time to build; what it runs here is not measured.
        install.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1");
        run(install.args(["--features", WASMTIME_FEATURES, "--root"]).arg(&tools))?;
    }
    Ok(installed)
}
