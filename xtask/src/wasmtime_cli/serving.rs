//! A strict supplier in a process of its own, for as long as it is needed.

use anyhow::{Context as _, Result, bail};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

pub struct Serving {
    pub base_url: String,
    child: Child,
    stdout: BufReader<ChildStdout>,
}

impl Serving {
    pub fn start(supplier_test: &Path, args: &[&str]) -> Result<Serving> {
        let mut command = Command::new(supplier_test);
        let piped = command.arg("serve").args(args).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = piped.spawn().context("supplier-test cannot be started")?;
        let mut stdout = BufReader::new(child.stdout.take().context("its standard output")?);
        let mut line = String::new();
        stdout.read_line(&mut line)?;
        let base_url = line.trim().strip_prefix("listening on ").map(str::to_owned);
        Ok(Serving { base_url: base_url.with_context(|| format!("supplier-test serve said {line:?}"))?, child, stdout })
    }

    /// Ends it; every violation that it has seen is an error.
    pub fn finish(mut self) -> Result<()> {
        drop(self.child.stdin.take());
        let mut report = String::new();
        self.stdout.read_to_string(&mut report)?;
        let status = self.child.wait()?;
        if !status.success() {
            bail!("the supplier has something to complain about: {report}");
        }
        Ok(())
    }
}

/// Also where a check has failed.
impl Drop for Serving {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
