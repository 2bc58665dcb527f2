//! A package's worker: one JSON job a line on its standard input, one JSON result a line on its
//! standard output.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use serde_json::Value;

/// How much of what a worker said on standard error is kept.
const SAID: usize = 2000;

pub struct Worker {
    child: Child,
    jobs: Option<ChildStdin>,
    results: Receiver<String>,
    said: Arc<Mutex<VecDeque<u8>>>,
}

impl Worker {
    /// Words of `command` are split at spaces.
    pub fn start(command: &str) -> Result<Worker> {
        let mut words = command.split_whitespace();
        let program = words.next().context("an empty command")?;
        let mut child = Command::new(program)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("`{command}` cannot be started"))?;
        let (stdout, stderr) = (child.stdout.take().context("its output")?, child.stderr.take().context("its errors")?);
        let (told, results) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if told.send(line).is_err() {
                    break;
                }
            }
        });
        let said = Arc::new(Mutex::new(VecDeque::new()));
        let kept = said.clone();
        std::thread::spawn(move || keep(stderr, &kept));
        Ok(Worker { jobs: child.stdin.take(), child, results, said })
    }

    /// Hands over a job and waits for its result. After an error the worker is of no more use.
    pub fn play(&mut self, job: &Value, patience: Duration) -> Result<Value> {
        self.hand_over(job)?;
        match self.results.recv_timeout(patience) {
            Ok(line) => serde_json::from_str(&line).with_context(|| format!("no result, but: {line}")),
            Err(RecvTimeoutError::Timeout) => bail!("no result within {} s", patience.as_secs()),
            Err(RecvTimeoutError::Disconnected) => Err(self.gone()),
        }
    }

    /// Hands over a job and waits for nothing.
    pub fn hand_over(&mut self, job: &Value) -> Result<()> {
        let jobs = self.jobs.as_mut().context("its input is closed")?;
        let handed = writeln!(jobs, "{job}").and_then(|()| jobs.flush());
        handed.map_err(|_| self.gone())
    }

    fn gone(&mut self) -> anyhow::Error {
        let ended = self.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
        // What it said last may still be on its way.
        std::thread::sleep(Duration::from_millis(50));
        let said: Vec<u8> = self.said.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect();
        anyhow!("the worker ended ({ended}): {}", String::from_utf8_lossy(&said).trim())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        drop(self.jobs.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn keep(mut stderr: impl Read, kept: &Mutex<VecDeque<u8>>) {
    let mut bytes = [0; 1024];
    while let Ok(read @ 1..) = stderr.read(&mut bytes) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(&bytes[..read]);
        let over = kept.len().saturating_sub(SAID);
        kept.drain(..over);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use serde_json::json;

    use super::*;

    const SECOND: Duration = Duration::from_secs(5);

    #[test]
    fn a_job_a_line_a_result_a_line() {
        let mut worker = Worker::start("cat").unwrap();
        for id in 0..3 {
            assert_eq!(worker.play(&json!({ "id": id }), SECOND).unwrap()["id"], id);
        }
    }

    #[test]
    fn one_that_ends_or_is_silent_is_told() {
        let ended = Worker::start("ls /nowhere-at-all").unwrap().play(&json!({}), SECOND).unwrap_err().to_string();
        assert!(ended.contains("the worker ended") && ended.contains("nowhere-at-all"), "{ended}");
        let silent = Worker::start("sleep 9").unwrap().play(&json!({}), Duration::from_millis(10));
        assert_eq!(silent.unwrap_err().to_string(), "no result within 0 s");
        assert!(Worker::start("/no/such/program").is_err());
    }
}
