//! The README's commands, as written: a reader's first minute must work.

use crate::{root, test::run};
use anyhow::{Context as _, Result, bail};
use std::fs;
use std::process::Command;

/// Runs every line of every `sh` block, but the test command, which is what runs this.
pub fn commands() -> Result<()> {
    let text = fs::read_to_string(root().join("README.md")).context("README.md")?;
    let commands = shell_lines(&text);
    if commands.is_empty() {
        bail!("README.md has no command");
    }
    for line in commands.iter().filter(|line| **line != "cargo xtask test") {
        println!("$ {line}");
        run(Command::new("sh").args(["-ec", line]).current_dir(root()))
            .with_context(|| format!("README.md: {line}"))?;
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
