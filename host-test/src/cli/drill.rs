//! `supplier-test drill`: plays one fault and prints the timeline.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail};
use clap::Parser;
use serde_json::{Map, Value, json};
use supplier_engine::Wall;
use supplier_engine::wasi::ErrorCode;

use super::reset::{self, Reset};
use super::run::Which;
use super::{DIFFERS, PASSED, sample};
use crate::dates;
use crate::judge::invariants;
use crate::play::{Components, play};
use crate::report::{CallReport, Outcome, Report};
use crate::scenario::{ACME, Case, NOON, Scenario};
use crate::style::Style;
use crate::timeline::{self, Counts};

/// Play one fault, then success, and print what the client does.
///
/// Time is virtual: a wait of an hour is over at once.
#[derive(Debug, Parser)]
pub struct Args {
    /// A status (429) or a wasi:http error code (connection-terminated). Several are played one after the other.
    #[arg(long, value_name = "STATUS|ERROR-CODE", required = true)]
    respond: Vec<String>,
    /// The fault says that nothing is left until then: `+5s`, `+500ms`, `+2m`, or seconds since 1970.
    #[arg(long, value_name = "WHEN", value_parser = Reset::parse, allow_hyphen_values = true)]
    reset: Option<Reset>,
    /// The fault carries this Retry-After.
    #[arg(long, value_name = "N")]
    retry_after: Option<String>,
    #[arg(long, default_value = "GET")]
    method: String,
    /// Path and query below the base URL.
    #[arg(long, default_value = "/orders")]
    target: String,
    /// Idempotency key.
    #[arg(long)]
    key: Option<String>,
    /// Request body; an order when the method is POST, PUT or PATCH.
    #[arg(long, value_name = "TEXT")]
    body: Option<String>,
    /// The supplier's profile; a made-up freight supplier when absent. Its credentials get values made for tests.
    #[arg(long, value_name = "FILE")]
    profile: Option<PathBuf>,
    /// Both clocks at the start, RFC 3339.
    #[arg(long, value_name = "TIME", default_value = NOON)]
    clock: String,
    /// What to drill.
    #[arg(long, value_enum, default_value_t = Which::Client)]
    component: Which,
    /// Print JSON in place of the timeline.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let case = case(args)?;
    let components = Components::load(args.component.components())?;
    let style = Style::stdout();
    let mut sound = true;
    for component in args.component.components() {
        let began = Instant::now();
        let report = play(&case, *component, &components)?;
        let faults = invariants(&case, &report);
        sound &= faults.is_empty();
        if let Some(problems) = &report.problems {
            let said = problems.iter().map(|problem| format!("{}: {}", problem.pointer, problem.message));
            bail!("the profile cannot be opened:\n  {}", said.collect::<Vec<_>>().join("\n  "));
        }
        match report.calls.first() {
            Some(played) if args.json => println!("{}", as_json(played, &report)),
            Some(played) => {
                println!("{}", style.strong(&title(args)));
                print!("{}", timeline::call(played, style));
                println!("{}", timeline::summary(played, style));
                let took = format!("({} ms of real time)", began.elapsed().as_millis());
                println!("{}", style.faint(&took));
            }
            None => println!("{}", style.bad("no result")),
        }
        print!("{}", timeline::differences(&faults, style));
    }
    Ok(if sound { PASSED } else { DIFFERS.into() })
}

/// The drill as a scenario: the faults, then success.
fn case(args: &Args) -> Result<Case> {
    let (text, folder) = match &args.profile {
        None => (ACME.to_owned(), PathBuf::new()),
        Some(file) => {
            let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
            (text, file.parent().unwrap_or(Path::new("")).to_owned())
        }
    };
    let profile: Map<String, Value> = serde_json::from_str(&text).context("the profile is no JSON object")?;
    let credentials = sample::credentials(&text, None);
    let start = dates::parse_rfc3339(&args.clock).with_context(|| format!("--clock: write {NOON}"))?;
    let profile = Value::Object(profile);
    let mut script = Vec::new();
    for (index, respond) in args.respond.iter().enumerate() {
        script.push(fault(args, &profile, respond, index, start)?);
    }
    script.push(json!({ "status": 200, "headers": { "Date": "now" }, "body": { "json": { "ok": true } } }));
    let writes = ["POST", "PUT", "PATCH"].contains(&args.method.as_str());
    let body = args.body.as_deref().unwrap_or(if writes { r#"{"sku":"A1","qty":2}"# } else { "" });
    let mut send = json!({ "method": args.method, "target": args.target, "body": body });
    if let Some(key) = &args.key {
        send["idempotency_key"] = key.as_str().into();
    }
    let scenario: Scenario = serde_json::from_value(json!({
        "scenario": 1,
        "about": "drill",
        "profile": profile,
        "credentials": credentials,
        "clock": args.clock,
        "server_clock": args.clock,
        "calls": [{ "send": send }],
        "script": script,
    }))?;
    Case::new(None, scenario, &folder).map_err(|error| anyhow!(error))
}

fn fault(args: &Args, profile: &Value, respond: &str, index: usize, start: Wall) -> Result<Value> {
    let Ok(status) = respond.parse::<u16>() else {
        if ErrorCode::parse(respond).is_none() {
            bail!("--respond {respond}: a status such as 429, or a wasi:http error code such as connection-terminated");
        }
        return Ok(json!({ "error": respond }));
    };
    let mut headers = vec![("Date".to_owned(), "now".to_owned())];
    headers.extend(args.retry_after.iter().map(|value| ("Retry-After".to_owned(), value.clone())));
    if let Some(reset) = args.reset {
        // Later faults are played when the resets before them have passed.
        let now = (0..index).fold(start, |now, _| Wall(now.0.max(reset.at(now).0)));
        headers.extend(reset::headers(profile, now, reset.at(now)).map_err(|error| anyhow!(error))?);
    }
    Ok(json!({ "status": status, "headers": headers, "body": { "json": { "error": "drill" } } }))
}

fn title(args: &Args) -> String {
    let mut title = format!("drill: {}", args.respond.join(", "));
    match args.reset {
        Some(Reset::InMs(ms)) => title.push_str(&format!(" with a reset {} away", timeline::seconds(ms))),
        Some(Reset::AtS(seconds)) => title.push_str(&format!(" with a reset at {seconds}")),
        None => {}
    }
    if let Some(value) = &args.retry_after {
        title.push_str(&format!(" with Retry-After: {value}"));
    }
    title
}

fn as_json(played: &CallReport, report: &Report) -> Value {
    let counts = Counts::of(played);
    let journal = played.outcome.journals().first().and_then(|journal| serde_json::from_str::<Value>(journal).ok());
    let requests = report.requests.iter().map(|seen| {
        let lines = seen.headers.iter().map(|(name, value)| json!([name, String::from_utf8_lossy(value)]));
        json!({
            "at_ms": seen.at_ms,
            "method": seen.method,
            "target": seen.target,
            "headers": lines.collect::<Vec<_>>(),
            "answer": seen.answer.as_ref().map(|answered| answered.what.as_str()),
        })
    });
    let mut object = json!({
        "requests": requests.collect::<Vec<_>>(),
        "waits_ms": counts.waits,
        "elapsed_ms": played.ended_ms.saturating_sub(played.began_ms),
        "journal": journal,
    });
    match &played.outcome {
        Outcome::Reply(reply) => {
            object["verdict"] = reply.verdict.as_str().into();
            object["status"] = reply.response.status.into();
            object["retry_after_ms"] = reply.retry_after_ms.into();
        }
        outcome => {
            object["failure"] = outcome.failure().map_or(Value::Null, |failure| {
                json!({
                    "kind": failure.kind,
                    "code": failure.code,
                    "message": failure.message,
                    "status": failure.status,
                    "retry_after_ms": failure.retry_after_ms,
                })
            });
        }
    }
    object
}
