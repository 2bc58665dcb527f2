//! Files below the folders that were given with `wasmtime run --dir`.

use crate::bindings::wasi::filesystem::preopens;
use crate::bindings::wasi::filesystem::types::{
    Descriptor, DescriptorFlags, DescriptorType, ErrorCode, OpenFlags, PathFlags,
};
use crate::output;
use crate::stop::Stop;

/// A whole file.
pub fn bytes(path: &str) -> Result<Vec<u8>, Stop> {
    optional(path)?.ok_or_else(|| cannot("be found", path))
}

/// A whole file that is UTF-8.
pub fn text(path: &str) -> Result<String, Stop> {
    utf8(bytes(path)?, path)
}

/// The same; `None` if there is no such file.
pub fn optional_text(path: &str) -> Result<Option<String>, Stop> {
    optional(path)?.map(|bytes| utf8(bytes, path)).transpose()
}

/// Whether `replace` will find a place to write to; it is better known before anything is sent.
pub fn demand_writable(path: &str) -> Result<(), Stop> {
    let (folder, name) = place(path)?;
    let beside = beside(&name);
    let made = create(&folder, &beside).and_then(|_| folder.unlink_file_at(&beside));
    made.map_err(|_| cannot("be written", path))
}

/// Replaces a file in one go: whoever reads it sees the old text or the new one.
pub fn replace(path: &str, text: &str) -> Result<(), Stop> {
    let failed =
        |_| Stop::unwritten(format!("{path} cannot be written; is the disk full, or another run writing there?"));
    let (folder, name) = place(path)?;
    let beside = beside(&name);
    let file = create(&folder, &beside).map_err(failed)?;
    let mut rest = text.as_bytes();
    let mut offset: u64 = 0;
    while !rest.is_empty() {
        let taken = file.write(rest, offset).map_err(failed)?;
        offset = offset.saturating_add(taken);
        rest = usize::try_from(taken).ok().and_then(|taken| rest.get(taken..)).unwrap_or_default();
    }
    file.sync_data().map_err(failed)?;
    drop(file);
    folder.rename_at(&beside, &folder, &name).map_err(failed)
}

/// The new text stands here until it is whole.
fn beside(name: &str) -> String {
    format!("{name}.new")
}

fn create(folder: &Descriptor, name: &str) -> Result<Descriptor, ErrorCode> {
    folder.open_at(PathFlags::empty(), name, OpenFlags::CREATE | OpenFlags::TRUNCATE, DescriptorFlags::WRITE)
}

/// Removes a file; one that is not there is as good.
pub fn remove(path: &str) -> Result<(), Stop> {
    let (folder, name) = place(path)?;
    match folder.unlink_file_at(&name) {
        Ok(()) | Err(ErrorCode::NoEntry) => Ok(()),
        Err(_) => Err(cannot("be removed", path)),
    }
}

fn optional(path: &str) -> Result<Option<Vec<u8>>, Stop> {
    let (folder, name) = place(path)?;
    let opened = folder.open_at(PathFlags::SYMLINK_FOLLOW, &name, OpenFlags::empty(), DescriptorFlags::READ);
    let file = match opened {
        Ok(file) => file,
        Err(ErrorCode::NoEntry) => return Ok(None),
        Err(_) => return Err(cannot("be opened", path)),
    };
    if file.get_type().is_ok_and(|kind| kind == DescriptorType::Directory) {
        return Err(Stop::unusable(format!("{path} is a folder, not a file")));
    }
    let stream = file.read_via_stream(0).map_err(|_| cannot("be read", path))?;
    output::drain(&stream).map(Some).map_err(|_| cannot("be read", path))
}

fn utf8(bytes: Vec<u8>, path: &str) -> Result<String, Stop> {
    String::from_utf8(bytes).map_err(|_| Stop::unusable(format!("{path} is not UTF-8")))
}

fn cannot(done: &str, path: &str) -> Stop {
    Stop::unusable(format!("{path} cannot {done}"))
}

/// The folder that a path is in, of those that were given, and its name in there.
fn place(path: &str) -> Result<(Descriptor, String), Stop> {
    let given = preopens::get_directories();
    let names: Vec<_> = given.iter().map(|(_, name)| name.clone()).collect();
    let inside = given.into_iter().filter_map(|(folder, name)| Some((below(&name, path)?.to_owned(), folder)));
    // The nearest of several folders leaves the shortest name.
    let nearest = inside.min_by_key(|(name, _)| name.len());
    nearest.map(|(name, folder)| (folder, name)).ok_or_else(|| Stop::unusable(outside(path, &names)))
}

/// A path is written as it begins in `--dir`: `/srv/a.json` is not in `.`, wherever that is.
fn outside(path: &str, given: &[String]) -> String {
    if given.is_empty() {
        return format!("{path} cannot be reached: no folder was given; add `--dir .` to `wasmtime run`");
    }
    let given = given.join("`, `");
    format!(
        "{path} is in none of the folders that were given with --dir (`{given}`), as it is written; \
         begin the path like one of them, or add `--dir FOLDER`"
    )
}

/// What is left of `path` inside of `folder`; no way out of it is followed, the host refuses.
fn below<'a>(folder: &str, path: &'a str) -> Option<&'a str> {
    let path = path.strip_prefix("./").unwrap_or(path);
    let folder = folder.strip_prefix("./").unwrap_or(folder).trim_end_matches('/');
    if folder.is_empty() || folder == "." {
        return (!path.starts_with('/')).then_some(path);
    }
    path.strip_prefix(folder)?.strip_prefix('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_looked_for_in_the_folders_that_were_given() {
        assert_eq!(below(".", "a/b.json"), Some("a/b.json"));
        assert_eq!(below(".", "./b.json"), Some("b.json"));
        assert_eq!(below(".", "/etc/passwd"), None);
        assert_eq!(below("/srv/shop", "/srv/shop/b.json"), Some("b.json"));
        assert_eq!(below("profiles/", "profiles/b.json"), Some("b.json"));
        assert_eq!(below("profiles", "profiles-of-others/b.json"), None);
    }
}
