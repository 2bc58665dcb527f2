//! `docs/command-line.md`, as a reader follows it: its files, and every `sh` block.

use super::Bench;
use crate::{root, test::run};
use anyhow::{Context as _, Result, ensure};
use std::fs;

const PAGE: &str = "docs/command-line.md";

/// Where the page's supplier listens; replaced by wherever ours does.
const ADDRESS: &str = "http://127.0.0.1:8080/v2";

/// The reader's checkout; replaced by this one.
const CHECKOUT: &str = "CHECKOUT=~/supplier-client";

/// Name and text of every file that the page shows.
pub fn files() -> Result<Vec<(String, String)>> {
    let page = read()?;
    let files = page.split("<!-- file: ").skip(1).filter_map(|rest| {
        let (name, rest) = rest.split_once(" -->\n")?;
        Some((name.to_owned(), blocks(rest, "json").into_iter().next()?))
    });
    Ok(files.collect())
}

/// Runs the page's commands; `once` at its end must have printed a reply.
pub fn commands(bench: &Bench) -> Result<()> {
    let serving = bench.serve(&[])?;
    for (name, text) in files()? {
        fs::write(bench.folder.join(&name), text.replace(ADDRESS, &serving.base_url)).context(name)?;
    }
    let (invoke, shell): (Vec<_>, Vec<_>) =
        blocks(&read()?, "sh").into_iter().partition(|block| block.contains("--invoke"));
    let shell = shell.concat().replace(CHECKOUT, &format!("CHECKOUT='{}'", root().display()));
    ensure!(shell.contains("CHECKOUT='"), "{PAGE} has no `{CHECKOUT}`");
    ensure!(invoke.len() == 1, "{PAGE} has {} blocks with --invoke", invoke.len());
    // One shell, as the reader has: a block uses what an earlier one has set.
    print!("{shell}");
    run(&mut bench.shell(&shell)?).context(PAGE)?;
    // wasmtime exits with 0 for `err(...)` too.
    print!("{}", invoke.concat());
    let output = bench.shell(&invoke.concat())?.output()?;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(printed.starts_with("ok({response: {status: 200"), "--invoke printed {printed:?} {said}");
    serving.finish()
}

fn read() -> Result<String> {
    fs::read_to_string(root().join(PAGE)).context(PAGE)
}

/// The text of every fenced block of a language.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let opening = format!("```{language}\n");
    let rests = page.split(&opening).skip(1);
    rests.filter_map(|rest| rest.split_once("```").map(|(block, _)| block.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_one_language() {
        let page = "a\n```json\n{}\n```\n```sh\nls\n```\n```text\nrm\n```\n```sh\npwd\n```\n";
        assert_eq!(blocks(page, "sh"), ["ls\n", "pwd\n"]);
    }
}
