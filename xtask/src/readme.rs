//! The commands of the README and of pages that are for no one language, as written: a reader's
//! first minute must work.

use crate::{root, test::run};
use anyhow::{Context as _, Result, bail};
use std::fs;
use std::process::Command;

pub fn commands() -> Result<()> {
    run_page("README.md")
}

/// Those of `docs/sharing.md`: workers in three languages and what can break, and what it costs.
pub fn sharing() -> Result<()> {
    run_page("docs/sharing.md")
}

/// Runs every line of every `sh` block, but the test command, which is what runs this.
fn run_page(page: &str) -> Result<()> {
    let text = fs::read_to_string(root().join(page)).with_context(|| page.to_owned())?;
    let commands = shell_lines(&text);
    if commands.is_empty() {
        bail!("{page} has no command");
    }
    for line in commands.iter().filter(|line| **line != "cargo xtask test") {
        println!("$ {line}");
        run(Command::new("sh").args(["-ec", line]).current_dir(root())).with_context(|| format!("{page}: {line}"))?;
    }
    Ok(())
}

fn shell_lines(text: &str) -> Vec<&str> {
    let mut inside = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        match line.trim_end() {
            "```sh" => inside = true,
            "```" => inside = false,
            line if inside && !line.is_empty() && !line.starts_with('#') => lines.push(line),
            _ => {}
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_commands_and_nothing_else() {
        let text = "a\n```sh\n# one\ncargo xtask demo\n\n```\n```json\n{}\n```\n```sh\nls\n```\n";
        assert_eq!(shell_lines(text), ["cargo xtask demo", "ls"]);
    }
}
