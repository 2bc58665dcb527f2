//! Tools that are not part of Rust: taken from the PATH, or installed once below `target`.

use crate::{cargo, target_dir, test::run};
use anyhow::Result;
use std::path::PathBuf;
use std::process::Command;

const CARGO_DENY: &str = "cargo-deny@0.20.2";

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
