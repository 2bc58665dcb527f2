//! `supplier-test check`: what a profile means, before anything is sent.

mod warnings;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow, bail};
use clap::Parser;
use serde_json::{Value, json};
use supplier_engine::{Body, Credential, Failure, Headers, Mono, Ms, Now, Problem, Supplier};

use super::{DIFFERS, PASSED, sample};
use crate::dates;
use crate::scenario::{NOON, Request, merge};
use crate::style::Style;
use crate::timeline::seconds;
use warnings::{Warning, warnings};

/// Check a profile: its problems, what deserves a second look, the retry schedule that it
/// means, and the string to sign of a sample request.
///
/// Exit code 0: it can be opened; 1: it has problems; 2: it cannot be read.
#[derive(Debug, Parser)]
pub struct Args {
    profile: PathBuf,
    /// A merge patch on the profile, as `open` takes it.
    #[arg(long, value_name = "FILE")]
    overrides: Option<PathBuf>,
    /// The sample request: METHOD TARGET, or a file as in `send` of a scenario.
    #[arg(long, num_args = 1..=2, value_names = ["FILE|METHOD", "TARGET"])]
    request: Vec<String>,
    /// Print JSON in place of text.
    #[arg(long)]
    json: bool,
}

/// Everything that is said about a profile.
struct Checked {
    problems: Vec<Problem>,
    warnings: Vec<Warning>,
    explanation: Option<Result<Value, Failure>>,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let profile = read(&args.profile)?;
    if serde_json::from_str::<Value>(&profile).is_ok_and(|document| document.get("scenario").is_some()) {
        bail!("{}: this is a scenario, no profile; play it with `run`", args.profile.display());
    }
    let overrides = args.overrides.as_deref().map(read).transpose()?;
    let request = sample_request(args)?;
    let checked = check(&profile, overrides.as_deref(), &request);
    if args.json {
        println!("{}", as_json(&checked));
    } else {
        print(args, &checked, &request, Style::stdout());
    }
    Ok(if checked.problems.is_empty() { PASSED } else { DIFFERS.into() })
}

fn read(file: &Path) -> Result<String> {
    std::fs::read_to_string(file).with_context(|| file.display().to_string())
}

fn check(profile: &str, overrides: Option<&str>, request: &Request) -> Checked {
    let credentials = sample::credentials(profile, overrides);
    let credentials: Vec<_> = credentials.into_iter().map(|(name, value)| Credential { name, value }).collect();
    match Supplier::open(profile, overrides, &credentials) {
        Err(problems) => Checked { problems, warnings: Vec::new(), explanation: None },
        Ok(supplier) => {
            let explained = supplier.explain(&engine_request(request), noon());
            let explanation = explained.map(|text| serde_json::from_str(&text).unwrap_or(Value::String(text)));
            let warnings = warnings(&effective(profile, overrides));
            Checked { problems: Vec::new(), warnings, explanation: Some(explanation) }
        }
    }
}

/// The profile with its overrides applied.
fn effective(profile: &str, overrides: Option<&str>) -> Value {
    let mut profile = serde_json::from_str(profile).unwrap_or_default();
    if let Some(Value::Object(patch)) = overrides.and_then(|text| serde_json::from_str(text).ok()) {
        merge(&mut profile, &patch);
    }
    profile
}

fn noon() -> Now {
    Now { wall: dates::parse_rfc3339(NOON).unwrap_or_default(), mono: Mono(0) }
}

fn sample_request(args: &Args) -> Result<Request> {
    match args.request.as_slice() {
        [] => Ok(Request::default()),
        [method, target] => {
            Ok(Request { method: Some(method.clone()), target: Some(target.clone()), ..Request::default() })
        }
        [file, ..] => {
            let text = read(Path::new(file))?;
            let request = serde_path_to_error::deserialize(&mut serde_json::Deserializer::from_str(&text));
            request.map_err(|error| anyhow!("{file}: {}: {}", error.path(), error.inner()))
        }
    }
}

fn engine_request(request: &Request) -> supplier_engine::Request {
    let milliseconds = |ms: Option<u32>| ms.map(|ms| Ms(ms.into()));
    supplier_engine::Request {
        method: request.method().to_owned(),
        target: request.target().to_owned(),
        query: request.query.0.clone(),
        headers: Headers(request.headers.0.clone()),
        body: Body::from_bytes(request.body.bytes().unwrap_or_default()),
        operation: request.operation.clone(),
        idempotency_key: request.idempotency_key.clone(),
        deadline: milliseconds(request.deadline_ms),
        max_wait: milliseconds(request.max_wait_ms),
    }
}

fn print(args: &Args, checked: &Checked, request: &Request, style: Style) {
    let name = args.profile.display();
    match checked.problems.len() {
        0 => println!("{name}: {}", style.good("no problems")),
        1 => println!("{name}: {}", style.bad("1 problem")),
        n => println!("{name}: {}", style.bad(&format!("{n} problems"))),
    }
    for Problem { pointer, code, message } in &checked.problems {
        let pointer = if pointer.is_empty() { "(document)" } else { pointer };
        println!("  {}  {code}: {message}", style.strong(pointer));
    }
    for Warning { pointer, message } in &checked.warnings {
        println!("  {} {}  {message}", style.doubtful("warning"), style.strong(pointer));
    }
    match &checked.explanation {
        None => {}
        Some(Err(failure)) => println!("\nthe sample request cannot be sent: {}", failure.message),
        Some(Ok(explanation)) => print_explanation(explanation, request, style),
    }
}

fn print_explanation(explanation: &Value, request: &Request, style: Style) {
    let text = |key: &str| explanation.get(key).and_then(Value::as_str);
    let number = |key: &str| explanation.get(key).and_then(Value::as_u64).unwrap_or(0);
    println!("\n{}", style.strong("retries, where the supplier names no time"));
    let mut at = 0;
    println!("  attempt 1  at once");
    let delays = explanation.get("backoff_ms").and_then(Value::as_array).into_iter().flatten();
    for (index, delay) in delays.filter_map(Value::as_u64).enumerate() {
        at += delay;
        if at >= number("deadline_ms") {
            println!("  attempt {}  never: the call's time is over before it", index + 2);
            break;
        }
        println!("  attempt {}  after a wait of {}, at {} or a little later", index + 2, seconds(delay), seconds(at));
    }
    println!(
        "  an attempt has {}, the call {}; a wait that the supplier asks for may take {}",
        seconds(number("attempt_timeout_ms")),
        seconds(number("deadline_ms")),
        seconds(number("max_server_wait_ms")),
    );
    let heading = format!("{} {} at {NOON}", request.method(), request.target());
    println!("\n{}", style.strong(&heading));
    println!("  {} {}", text("method").unwrap_or_default(), text("url").unwrap_or_default());
    for header in explanation.get("headers").and_then(Value::as_array).into_iter().flatten() {
        let part = |index: usize| header.get(index).and_then(Value::as_str).unwrap_or_default();
        println!("  {}: {}", part(0), part(1));
    }
    if let Some(problem) = text("problem") {
        println!("  {}", style.bad(problem));
    }
    match text("string_to_sign") {
        Some(signed) => println!("\n{}\n{}", style.strong("string to sign"), indent(signed)),
        None => println!("\nnothing is signed"),
    }
}

fn indent(text: &str) -> String {
    text.split('\n').map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

fn as_json(checked: &Checked) -> Value {
    let problem =
        |problem: &Problem| json!({ "pointer": problem.pointer, "code": problem.code, "message": problem.message });
    let warning = |warning: &Warning| json!({ "pointer": warning.pointer, "message": warning.message });
    let (explanation, failure) = match &checked.explanation {
        None => (None, None),
        Some(Ok(explanation)) => (Some(explanation), None),
        Some(Err(failure)) => (None, Some(json!({ "code": failure.code, "message": failure.message }))),
    };
    json!({
        "problems": checked.problems.iter().map(problem).collect::<Vec<_>>(),
        "warnings": checked.warnings.iter().map(warning).collect::<Vec<_>>(),
        "explanation": explanation,
        "failure": failure,
    })
}
