//! `cargo xtask cases`: which tests show each case of docs/cases.md. A case without one, and a
//! test for a case that does not exist, are errors.

use crate::root;
use anyhow::{Context as _, Result, bail};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

const LIST: &str = "docs/cases.md";
/// Where tests may name a case in a comment or in their own name.
const TESTS: [&str; 7] = [
    "engine/src",
    "engine/tests",
    "host-test/src",
    "host-test/tests",
    "hosts/node/test",
    "hosts/php/tests",
    "hosts/python/tests",
];
const LANGUAGES: [&str; 4] = ["rs", "py", "mjs", "php"];

/// Case number to the tests that name it.
type Tests = BTreeMap<u16, BTreeSet<String>>;

pub fn list() -> Result<()> {
    let titles = titles(&fs::read_to_string(root().join(LIST)).context(LIST)?)?;
    let mut tests = Tests::new();
    scenarios(&root().join("scenarios"), &mut tests)?;
    for folder in TESTS {
        comments(&root().join(folder), &mut tests)?;
    }
    for (case, title) in &titles {
        println!("B{case:02} {title}");
        for test in tests.get(case).into_iter().flatten() {
            println!("      {test}");
        }
    }
    let without: Vec<_> =
        titles.keys().filter(|case| !tests.contains_key(case)).map(|case| format!("B{case:02}")).collect();
    let unknown: Vec<_> = tests.iter().filter(|(case, _)| !titles.contains_key(case)).collect();
    if let Some((case, tests)) = unknown.first() {
        bail!("{tests:?} names B{case:02}, which is not in {LIST}");
    }
    if !without.is_empty() {
        bail!("no test names {}", without.join(", "));
    }
    println!("{} cases, each with a test", titles.len());
    Ok(())
}

fn titles(list: &str) -> Result<BTreeMap<u16, String>> {
    let mut titles = BTreeMap::new();
    for line in list.lines().filter(|line| line.starts_with("| B")) {
        let mut cells = line.split('|').skip(1).map(str::trim);
        let case = cells.next().and_then(|cell| cell.strip_prefix('B')).and_then(|number| number.parse().ok());
        let (Some(case), Some(title)) = (case, cells.next()) else { bail!("{LIST}: `{line}` is no row of a case") };
        if titles.insert(case, title.to_owned()).is_some() {
            bail!("{LIST} has B{case:02} twice");
        }
    }
    Ok(titles)
}

/// Scenarios name their cases in the key `case`.
fn scenarios(folder: &Path, tests: &mut Tests) -> Result<()> {
    for file in files(folder)?.iter().filter(|file| file.extension().is_some_and(|extension| extension == "json")) {
        let scenario: Value =
            serde_json::from_str(&fs::read_to_string(file)?).with_context(|| file.display().to_string())?;
        for case in scenario["case"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            let number = case.strip_prefix('B').and_then(|number| number.parse().ok());
            tests
                .entry(number.with_context(|| format!("{}: `{case}`", file.display()))?)
                .or_default()
                .insert(name(file));
        }
    }
    Ok(())
}

fn comments(folder: &Path, tests: &mut Tests) -> Result<()> {
    let is_source = |file: &&std::path::PathBuf| {
        file.extension().is_some_and(|extension| LANGUAGES.iter().any(|language| extension == *language))
    };
    for file in files(folder)?.iter().filter(is_source) {
        let source = fs::read_to_string(file).with_context(|| file.display().to_string())?;
        // In a Rust module only what stands below this line is a test.
        let is_all_test = !folder.ends_with("src") || file.file_stem().is_some_and(|stem| stem == "tests");
        let from = if is_all_test { Some(0) } else { source.find("#[cfg(test)]") };
        for case in from.map(|from| named(&source[from..])).into_iter().flatten() {
            tests.entry(case).or_default().insert(name(file));
        }
    }
    Ok(())
}

/// `B57` and its like, not part of a longer word.
fn named(text: &str) -> Vec<u16> {
    text.split(|letter: char| !letter.is_ascii_alphanumeric())
        .filter_map(|word| word.strip_prefix('B'))
        .filter(|number| (2..=3).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit()))
        .filter_map(|number| number.parse().ok())
        .collect()
}

fn name(file: &Path) -> String {
    file.strip_prefix(root()).unwrap_or(file).display().to_string()
}

/// All files below a folder.
fn files(folder: &Path) -> Result<Vec<std::path::PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else {
            found.push(path);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_is_a_word_of_its_own() {
        assert_eq!(named("/// B57, (B101): not AB12, B1, B1234 or SHA256"), [57, 101]);
    }

    #[test]
    fn a_row_twice_is_found() {
        assert_eq!(titles("| B01 | One. |\n| | **x** |").expect("rows")[&1], "One.");
        assert!(titles("| B01 | a |\n| B01 | b |").is_err());
    }
}
