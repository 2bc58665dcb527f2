//! `docs/command-line.md`, as a reader follows it: its files, and every `sh` block.

use super::{Bench, path_with};
use crate::{root, test::run};
use anyhow::{Context as _, Result, ensure};
use std::fs;
use std::process::Command;

const PAGE: &str = "docs/command-line.md";

/// Where the page's supplier listens; replaced by wherever ours does.
const ADDRESS: &str = "http://127.0.0.1:8080/v2";

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
    let blocks = blocks(&read()?, "sh");
    ensure!(blocks.len() >= 3, "{PAGE} has {} blocks of commands", blocks.len());
    let path = path_with(&[&bench.wasmtime, &bench.supplier_test])?;
    for block in &blocks {
        print!("{block}");
        let mut shell = Command::new("sh");
        shell.args(["-ec", block]).current_dir(&bench.folder).env("PATH", &path);
        if block.contains("--invoke") {
            // wasmtime exits with 0 for `err(...)` too.
            let output = shell.output()?;
            let printed = String::from_utf8_lossy(&output.stdout).into_owned();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            ensure!(printed.starts_with("ok({response: {status: 200"), "--invoke printed {printed:?} {said}");
        } else {
            run(&mut shell).with_context(|| format!("{PAGE}: {block}"))?;
        }
    }
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
