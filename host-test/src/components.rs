//! Where the built components are.

use std::env;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::scenario::Component;

/// Names a folder that holds the component files.
pub const FOLDER_VARIABLE: &str = "SUPPLIER_COMPONENTS";

/// A component file that is nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotBuilt {
    file: &'static str,
    places: Vec<PathBuf>,
}

impl fmt::Display for NotBuilt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let places = self.places.iter().map(|place| place.display().to_string()).collect::<Vec<_>>().join(", ");
        write!(f, "{} is not in {places}: run `cargo xtask build`, or set {FOLDER_VARIABLE}", self.file)
    }
}

impl std::error::Error for NotBuilt {}

pub fn file_name(component: Component) -> &'static str {
    match component {
        Component::Client => "supplier_client.wasm",
        Component::Engine => "supplier_engine.wasm",
    }
}

/// The file of a component: in `SUPPLIER_COMPONENTS`, else where `cargo xtask build` puts it,
/// else beside this executable.
pub fn find(component: Component) -> Result<PathBuf, NotBuilt> {
    find_in(component, folders())
}

fn find_in(component: Component, folders: Vec<PathBuf>) -> Result<PathBuf, NotBuilt> {
    let file = file_name(component);
    match folders.iter().map(|folder| folder.join(file)).find(|path| path.is_file()) {
        Some(path) => Ok(path),
        None => Err(NotBuilt { file, places: folders }),
    }
}

fn folders() -> Vec<PathBuf> {
    if let Some(folder) = env::var_os(FOLDER_VARIABLE) {
        return vec![folder.into()];
    }
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(".")).join("target"),
        PathBuf::from,
    );
    let mut folders = vec![target.join("components")];
    if let Some(beside) = env::current_exe().ok().as_deref().and_then(Path::parent) {
        folders.push(beside.to_owned());
    }
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_says_what_to_run() {
        let error = find_in(Component::Engine, vec!["a".into(), "b".into()]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "supplier_engine.wasm is not in a, b: run `cargo xtask build`, or set SUPPLIER_COMPONENTS"
        );
    }
}
