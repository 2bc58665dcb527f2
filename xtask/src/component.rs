//! The components: compiled for wasm32-unknown-unknown, so that they import what the contract
//! says and nothing else, then encoded.

use crate::toolchain::{TARGET, Toolchain};
use anyhow::{Context as _, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use wit_component::ComponentEncoder;

/// Package, and the name of the file that people load.
const COMPONENTS: [(&str, &str); 2] =
    [("supplier-client", "supplier_client.wasm"), ("supplier-engine-component", "supplier_engine.wasm")];

/// The profile of the workspace for the components.
const PROFILE: &str = "guest";

/// Builds what is not up to date and returns the folder.
pub fn build() -> Result<PathBuf> {
    let toolchain = Toolchain::find()?;
    println!("xtask: components: {}", toolchain.describe());
    let modules = compile(&toolchain)?;
    let folder = crate::target_dir().join("components");
    fs::create_dir_all(&folder).with_context(|| format!("{} cannot be created", folder.display()))?;
    for (package, file) in COMPONENTS {
        let module = modules.join(package.replace('-', "_")).with_extension("wasm");
        let size = encode(&module, &folder.join(file)).with_context(|| format!("{package} is no component"))?;
        println!("xtask: {file} {} KB", size.div_ceil(1000));
    }
    Ok(folder)
}

fn compile(toolchain: &Toolchain) -> Result<PathBuf> {
    let folder = crate::target_dir().join(toolchain.folder());
    let mut cargo = toolchain.cargo();
    cargo.args(["build", "--quiet", "--profile", PROFILE, "--target", TARGET, "--target-dir"]).arg(&folder);
    for (package, _) in COMPONENTS {
        cargo.args(["--package", package]);
    }
    let status = cargo.status().context("cargo cannot be started")?;
    if !status.success() {
        bail!("the components do not compile (see above)");
    }
    Ok(folder.join(TARGET).join(PROFILE))
}

/// Writes only what has changed: hosts cache compiled components by the file's time.
fn encode(module: &Path, component: &Path) -> Result<usize> {
    let module = fs::read(module).with_context(|| format!("{} cannot be read", module.display()))?;
    // The bindings have embedded the world's type, so there is no other input.
    let bytes = ComponentEncoder::default().validate(true).module(&module)?.encode()?;
    if fs::read(component).ok().as_deref() != Some(&bytes) {
        fs::write(component, &bytes).with_context(|| format!("{} cannot be written", component.display()))?;
    }
    Ok(bytes.len())
}
