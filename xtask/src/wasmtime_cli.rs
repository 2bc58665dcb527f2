//! The command and the client component under the real wasmtime CLI, against the strict
//! supplier over real HTTP: what `docs/command-line.md` says, line by line.

mod document;
mod serving;

use crate::{component, target_dir, test::run, tools};
use anyhow::{Context as _, Result, ensure};
use serving::Serving;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const VARIABLE: &str = "SUPPLIER_CREDENTIAL_SIGNING_SECRET";
const SECRET: &str = "test_secret_a";

/// More linear memory than this is refused: the list has to flow. Its text is 5 MB.
const MEMORY: &str = "max-memory-size=4194304";

/// Every check, one after the other.
pub fn command_line() -> Result<()> {
    let bench = Bench::new()?;
    bench.walk()?;
    bench.resumes()?;
    bench.ends_quietly()?;
    bench.failures()?;
    bench.unwritten()?;
    bench.unusable()?;
    document::commands(&bench)
}

/// A folder as a user has it: the components, a profile, and the programs.
struct Bench {
    folder: PathBuf,
    wasmtime: PathBuf,
    supplier_test: PathBuf,
}

impl Bench {
    fn new() -> Result<Bench> {
        let components = component::build()?;
        let wasmtime = tools::wasmtime()?;
        run(crate::cargo().args(["build", "--quiet", "--release", "--package", "supplier-test"]))?;
        let folder = target_dir().join("command-line");
        if folder.exists() {
            fs::remove_dir_all(&folder).context("target/command-line cannot be removed")?;
        }
        fs::create_dir_all(&folder).context("target/command-line cannot be created")?;
        for file in ["supplier.wasm", "supplier_client.wasm"] {
            fs::copy(components.join(file), folder.join(file)).with_context(|| file.to_owned())?;
        }
        for (name, text) in document::files()? {
            fs::write(folder.join(&name), text).context(name)?;
        }
        Ok(Bench { folder, wasmtime, supplier_test: target_dir().join("release/supplier-test") })
    }

    /// A supplier, and `here.json` beside the profile, the overrides that lead to it.
    fn serve(&self, args: &[&str]) -> Result<Serving> {
        let serving = Serving::start(&self.supplier_test, args)?;
        self.overrides(&serving.base_url, 3)?;
        Ok(serving)
    }

    fn overrides(&self, base_url: &str, attempts: u32) -> Result<()> {
        let retry = serde_json::json!({ "max_attempts": attempts, "base_delay_ms": 50, "jitter": 0 });
        let overrides = serde_json::json!({ "base_url": base_url, "retry": retry });
        fs::write(self.folder.join("here.json"), overrides.to_string()).context("here.json")
    }

    fn supplier(&self, line: &str) -> Command {
        let mut command = Command::new(&self.wasmtime);
        command.current_dir(&self.folder).env(VARIABLE, SECRET).stdin(Stdio::null());
        command.args(["run", "-S", "http", "-W", MEMORY, "--dir", ".", "--env", VARIABLE, "supplier.wasm"]);
        command.args(line.split(' ')).args(["--profile", "acme.json", "--overrides", "here.json"]);
        command
    }

    /// A shell in the folder that finds our wasmtime before any other.
    fn shell(&self, script: &str) -> Result<Command> {
        let ours = self.wasmtime.parent().into_iter().map(Path::to_owned);
        let before = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths(ours.chain(std::env::split_paths(&before))).context("PATH")?;
        let mut command = Command::new("sh");
        command.args(["-ec", script]).current_dir(&self.folder).env("PATH", path);
        Ok(command)
    }

    /// Runs to its end and looks at the exit code.
    fn ends(&self, line: &str, code: i32) -> Result<Output> {
        println!("$ supplier {line}");
        let output = self.supplier(line).output().context("wasmtime cannot be started")?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.code() == Some(code), "{} in place of {code}: {said}", output.status);
        ensure!(!said.contains(SECRET), "the secret stands on standard error");
        Ok(output)
    }

    /// All 40,000 items, each once and in order, in bounded memory, without a violation.
    fn walk(&self) -> Result<()> {
        let serving = self.serve(&["--faults", "503@7,503+1@20,429+1@31,cut@50"])?;
        let output = self.ends("items /consignments --query limit=100 --journal", 0)?;
        ensure!(lines(&output.stdout)?.len() == 40_000, "{} items", lines(&output.stdout)?.len());
        ensure!(ids(&output.stdout)?.is_sorted(), "items are not in order");
        let journals = lines(&output.stderr)?;
        ensure!(journals.len() == 400, "{} journals for 400 pages", journals.len());
        ensure!(journals.iter().all(|journal| journal["journal"] == 1), "a line on standard error is no journal");
        serving.finish()
    }

    fn resumes(&self) -> Result<()> {
        let serving = self.serve(&["--items", "1000"])?;
        let position = self.folder.join("walk.position");
        let first = self.ends("items /consignments --position-file walk.position --pages 4", 0)?;
        ensure!(position.exists(), "no position was kept");
        let second = self.ends("items /consignments --position-file walk.position", 0)?;
        ensure!(!position.exists(), "the position outlived the list");
        let all = [ids(&first.stdout)?, ids(&second.stdout)?];
        ensure!(all[0].len() == 400 && all[1].len() == 600, "{} and {} items", all[0].len(), all[1].len());
        ensure!(all.concat().windows(2).all(|pair| pair[0] < pair[1]), "an item came twice");

        let cut = self.ends("items /consignments --limit 250", 0)?;
        ensure!(lines(&cut.stdout)?.len() == 250, "{} items", lines(&cut.stdout)?.len());
        let said = String::from_utf8_lossy(&cut.stderr);
        let position = said.split('\'').nth(1).with_context(|| format!("no position in: {said}"))?;
        let on = self.ends(&format!("items /consignments --limit 1 --position {position}"), 0)?;
        ensure!(ids(&on.stdout)? == ids(&first.stdout)?[200..201], "that page does not begin the rest");
        serving.finish()
    }

    /// Like `| head -n 3`.
    fn ends_quietly(&self) -> Result<()> {
        let serving = self.serve(&[])?;
        let mut child = self.supplier("items /consignments").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let stdout = child.stdout.take().context("standard output")?;
        let read = BufReader::new(stdout).lines().take(3).collect::<Result<Vec<_>, _>>()?;
        let mut said = String::new();
        child.stderr.take().context("standard error")?.read_to_string(&mut said)?;
        let status = child.wait()?;
        ensure!(read.len() == 3 && status.success() && said.is_empty(), "{status}: {said}");
        serving.finish()
    }

    /// One supplier and one exit code each.
    fn failures(&self) -> Result<()> {
        let order = r#"send POST /orders --body {"reference":"PO-1","sku":"A1","qty":1}"#;
        let keyed = format!("{order} --key PO-1");
        for (faults, line, code, said) in [
            ("drop-applied@1", order, 14, "unknown-outcome: "),
            ("drop-applied@1", &keyed, 0, ""),
            ("429+30@1", "items /consignments --max-wait-ms 0", 12, "retry after "),
            ("503@every:1", "send GET /consignments", 4, "exhausted: the supplier answered 503"),
            ("503@every:1", "items /consignments", 13, "unavailable: "),
            ("none", "items /nowhere", 11, "`send` with the same request prints the response"),
            ("none", "send GET /nowhere", 3, "rejected: the supplier answered 404"),
            ("none", "send GET /../admin", 10, "invalid: "),
            ("stall@1", "items /consignments --deadline-ms 300", 16, "cancelled: "),
        ] {
            let serving = self.serve(&["--faults", faults])?;
            let output = self.ends(line, code)?;
            let stderr = String::from_utf8_lossy(&output.stderr);
            ensure!(stderr.contains(said), "{line}: {stderr:?} does not say {said:?}");
            serving.finish()?;
        }
        // Nobody listens on a port that was given back.
        let gone = self.serve(&[])?.base_url.clone();
        self.overrides(&gone, 2)?;
        self.ends("send GET /orders/count", 13).map(|_| ())
    }

    /// Exit code 2, and nothing is sent.
    fn unusable(&self) -> Result<()> {
        let output = self.supplier("check").env_remove(VARIABLE).output()?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        ensure!(output.status.code() == Some(2) && said.contains(VARIABLE), "{}: {said}", output.status);
        fs::write(self.folder.join("here.json"), r#"{ "retry": { "max_attempt": 3 }, "pages": { "items": 7 } }"#)?;
        let output = self.ends("check", 2)?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        ensure!(said.contains("/retry/max_attempt") && said.contains("/pages/items"), "not every problem: {said}");
        fs::write(self.folder.join("garbage.position"), "sc1.nonsense")?;
        self.overrides("http://127.0.0.1:9", 1)?;
        for (line, code, says) in [
            ("fetch /", 2, "no verb is called `fetch`; there are send, items and check"),
            ("send GET / --limit 3", 2, "--limit is for `items`"),
            ("send POST / --body -", 2, "standard input is `--body-file -`"),
            ("send GET / --body-file /etc/hostname", 2, "folders that were given with --dir (`.`)"),
            ("items / --position-file .", 2, ". is a folder"),
            ("items / --position-file nowhere/a.position", 2, "nowhere/a.position cannot be written"),
            ("items / --position-file garbage.position", 10, "remove garbage.position to begin the list anew"),
        ] {
            let said = self.ends(line, code)?.stderr;
            let said = String::from_utf8_lossy(&said);
            ensure!(said.contains(says), "{line}: {said:?} does not say {says:?}");
        }
        Ok(())
    }

    /// A disk that is full is no reader that has seen enough.
    fn unwritten(&self) -> Result<()> {
        let serving = self.serve(&[])?;
        for (line, advice) in [
            ("items /consignments --limit 3", "the last line may be torn"),
            ("send GET /orders/count", "the request was sent, and the supplier answered 200"),
        ] {
            let full = fs::File::create("/dev/full").context("/dev/full")?;
            let output = self.supplier(line).stdout(full).stderr(Stdio::piped()).spawn()?.wait_with_output()?;
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let is_said = said.contains("standard output cannot be written") && said.contains(advice);
            ensure!(output.status.code() == Some(5) && is_said, "{line}: {}: {said}", output.status);
        }
        serving.finish()
    }
}

fn lines(text: &[u8]) -> Result<Vec<serde_json::Value>> {
    let text = std::str::from_utf8(text)?;
    text.lines().map(|line| serde_json::from_str(line).with_context(|| format!("no JSON: {line}"))).collect()
}

/// The id of every item, in order.
fn ids(text: &[u8]) -> Result<Vec<String>> {
    let items = lines(text)?;
    items.iter().map(|item| item["id"].as_str().map(str::to_owned).context("an item without an id")).collect()
}
