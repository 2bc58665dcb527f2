//! The components: compiled for wasm32-unknown-unknown, so that they import what the contract
//! says and nothing else, then encoded.

use crate::toolchain::{TARGET, Toolchain};
use anyhow::{Context as _, Result, bail};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use wit_component::ComponentEncoder;

/// Package, and the name of the file that people load.
const COMPONENTS: [(&str, &str); 3] = [
    ("supplier-client", "supplier_client.wasm"),
    ("supplier-engine-component", "supplier_engine.wasm"),
    ("supplier-command", "supplier.wasm"),
];

/// What the verb `bench` measures the client component against; not part of the product.
const REFERENCES: [(&str, &str); 1] = [("bare-signing-guest", "bare.wasm")];

/// Measures the same hash natively, on the processor alone.
const SOFTWARE_HMAC: &str = "software-hmac";

/// The profile of the workspace for the components.
const PROFILE: &str = "guest";

/// Builds what is not up to date and returns the folder; says what it has built.
pub fn build() -> Result<PathBuf> {
    build_all(&COMPONENTS)
}

/// What stands in the folder, with sizes.
pub fn list() -> Result<()> {
    let folder = build()?;
    for (_, file) in COMPONENTS {
        let path = folder.join(file).canonicalize()?;
        println!("{} {} KB", path.display(), fs::metadata(&path)?.len().div_ceil(1000));
    }
    Ok(())
}

/// The same, and the references of the verb `bench` beside them.
pub fn build_with_references() -> Result<PathBuf> {
    let folder = build()?;
    // On their own, so that they cannot change the features of what is measured.
    build_all(&REFERENCES)?;
    let target = crate::target_dir().join("software");
    let mut cargo = crate::cargo();
    cargo.args(["build", "--quiet", "--release", "--package", SOFTWARE_HMAC, "--target-dir"]).arg(&target);
    let status = cargo.env("RUSTFLAGS", r#"--cfg sha2_backend="soft""#).env_remove("CARGO_ENCODED_RUSTFLAGS").status();
    if !status.context("cargo cannot be started")?.success() {
        bail!("{SOFTWARE_HMAC} does not compile (see above)");
    }
    let built = target.join("release").join(SOFTWARE_HMAC).with_extension(env::consts::EXE_EXTENSION);
    let beside = folder.join(SOFTWARE_HMAC).with_extension(env::consts::EXE_EXTENSION);
    fs::copy(&built, beside).with_context(|| format!("{} cannot be copied", built.display()))?;
    Ok(folder)
}

fn build_all(components: &[(&str, &str)]) -> Result<PathBuf> {
    let toolchain = Toolchain::find()?;
    let folder = crate::target_dir().join("components");
    if components.iter().any(|(_, file)| !folder.join(file).exists()) {
        eprintln!("xtask: building the components, about a minute: {}", toolchain.describe());
    }
    let modules = compile(&toolchain, components)?;
    fs::create_dir_all(&folder).with_context(|| format!("{} cannot be created", folder.display()))?;
    for (package, file) in components {
        let module = modules.join(package.replace('-', "_")).with_extension("wasm");
        let written = encode(&module, &folder.join(file)).with_context(|| format!("{package} is no component"))?;
        if let Some(size) = written {
            eprintln!("xtask: built {file}, {} KB", size.div_ceil(1000));
        }
    }
    Ok(folder)
}

fn compile(toolchain: &Toolchain, components: &[(&str, &str)]) -> Result<PathBuf> {
    let folder = crate::target_dir().join(toolchain.folder());
    let mut cargo = toolchain.cargo();
    cargo.args(["build", "--quiet", "--profile", PROFILE, "--target", TARGET, "--target-dir"]).arg(&folder);
    for (package, _) in components {
        cargo.args(["--package", package]);
    }
    let status = cargo.status().context("cargo cannot be started")?;
    if !status.success() {
        bail!("the components do not compile (see above)");
    }
    Ok(folder.join(TARGET).join(PROFILE))
}

/// Writes only what has changed, whose size it returns: hosts cache compiled components by the
/// file's time.
fn encode(module: &Path, component: &Path) -> Result<Option<usize>> {
    let module = fs::read(module).with_context(|| format!("{} cannot be read", module.display()))?;
    // The bindings have embedded the world's type, so there is no other input.
    let bytes = ComponentEncoder::default().validate(true).module(&module)?.encode()?;
    if fs::read(component).ok().as_deref() == Some(&bytes) {
        return Ok(None);
    }
    fs::write(component, &bytes).with_context(|| format!("{} cannot be written", component.display()))?;
    Ok(Some(bytes.len()))
}
