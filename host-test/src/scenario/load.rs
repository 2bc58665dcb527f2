//! From a file to scenarios that can be played, or to one clear message.

use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::Value;
use supplier_engine::Wall;

use super::profile::Opening;
use super::{Scenario, SupplierSpec, each};
use crate::dates;

/// One scenario, ready to be played.
#[derive(Clone, Debug)]
pub struct Case {
    /// Which of `each` it is.
    pub label: Option<String>,
    pub scenario: Scenario,
    pub openings: Vec<Opening>,
    /// Our wall clock at the start.
    pub clock: Wall,
    /// The supplier's.
    pub server_clock: Wall,
}

/// A file that is no scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    pub file: PathBuf,
    /// Where in it and what: `calls[0].send: ...`.
    pub message: String,
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file.display(), self.message)
    }
}

impl std::error::Error for Invalid {}

/// Reads a file: one case, or one for each member of its `each`.
pub fn read(file: &Path) -> Result<Vec<Case>, Invalid> {
    let invalid = |message: String| Invalid { file: file.to_owned(), message };
    let text = std::fs::read_to_string(file).map_err(|error| invalid(error.to_string()))?;
    let folder = file.parent().unwrap_or(Path::new(""));
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    parse(&text, &folder).map_err(invalid)
}

/// The same for a text; `folder` is where its profiles are looked for.
pub fn parse(text: &str, folder: &Path) -> Result<Vec<Case>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err("the file is empty".to_owned());
    }
    let document: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if is_profile(&document) {
        return Err("this is a profile, no scenario; look at it with `check`".to_owned());
    }
    let mut cases = Vec::new();
    for (label, document) in each::expand(document)? {
        let within = |message: String| match &label {
            Some(label) => format!("each[{label}]: {message}"),
            None => message,
        };
        let scenario: Scenario = serde_path_to_error::deserialize(document)
            .map_err(|error| within(format!("{}: {}", error.path(), error.inner())))?;
        cases.push(Case::new(label.clone(), scenario, folder).map_err(within)?);
    }
    Ok(cases)
}

/// Whether a document is a supplier's profile: its version is a number, where a scenario names one.
pub fn is_profile(document: &Value) -> bool {
    document.get("profile").is_some_and(Value::is_number) && document.get("scenario").is_none()
}

impl Case {
    pub fn new(label: Option<String>, scenario: Scenario, folder: &Path) -> Result<Case, String> {
        check(&scenario)?;
        let openings = match &scenario.suppliers {
            Some(suppliers) => suppliers
                .iter()
                .map(|(name, spec)| {
                    Opening::resolve(name, spec, folder).map_err(|error| format!("suppliers.{name}.{error}"))
                })
                .collect::<Result<Vec<_>, _>>()?,
            None => {
                let spec = SupplierSpec {
                    profile: scenario.profile.clone(),
                    patch: scenario.patch.clone(),
                    overrides: scenario.overrides.clone(),
                    credentials: scenario.credentials.clone(),
                };
                vec![Opening::resolve("main", &spec, folder)?]
            }
        };
        let clock = instant("clock", scenario.clock.as_deref())?;
        let server_clock = instant("server_clock", scenario.server_clock.as_deref())?;
        Ok(Case { label, scenario, openings, clock, server_clock })
    }
}

fn instant(key: &str, text: Option<&str>) -> Result<Wall, String> {
    let text = text.unwrap_or(super::NOON);
    dates::parse_rfc3339(text).ok_or_else(|| format!("{key}: write RFC 3339 such as `{}`, not `{text}`", super::NOON))
}

/// What the types do not say.
fn check(scenario: &Scenario) -> Result<(), String> {
    if scenario.scenario != 1 {
        return Err("scenario: only version 1 is known".to_owned());
    }
    if scenario.suppliers.is_some()
        && (scenario.profile.is_some() || scenario.patch.is_some() || scenario.credentials.is_some())
    {
        return Err("suppliers: each has its own `profile`, `patch`, `overrides` and `credentials`".to_owned());
    }
    if scenario.suppliers.as_ref().is_some_and(|suppliers| suppliers.is_empty()) {
        return Err("suppliers: an empty object opens nothing".to_owned());
    }
    if scenario.problems.is_some() && !scenario.calls.is_empty() {
        return Err("problems: where `open` must fail, there are no calls".to_owned());
    }
    if scenario.problems.is_none() && scenario.calls.is_empty() {
        return Err("calls: without `problems` there is at least one call".to_owned());
    }
    let engine_only = scenario.only == Some(super::Component::Engine);
    if scenario.workers.is_some_and(|workers| workers != 1) && !engine_only {
        return Err("workers: needs `\"only\": \"engine\"`".to_owned());
    }
    if !scenario.store.is_empty() && !engine_only {
        return Err("store: needs `\"only\": \"engine\"`".to_owned());
    }
    if scenario.workers == Some(0) {
        return Err("workers: at least one".to_owned());
    }
    if !scenario.forbid_headers.is_empty() && scenario.only != Some(super::Component::Client) {
        return Err("forbid_headers: needs `\"only\": \"client\"`".to_owned());
    }
    for (index, call) in scenario.calls.iter().enumerate() {
        let at = format!("calls[{index}]");
        call.check().map_err(|error| format!("{at}: {error}"))?;
        call.expectation().map_err(|error| format!("{at}.expect.{}: {}", error.path(), error.inner()))?;
        if (call.cancel_at_ms.is_some() || call.worker.is_some()) && !engine_only {
            return Err(format!("{at}: `cancel_at_ms` and `worker` need `\"only\": \"engine\"`"));
        }
        if call.worker.is_some_and(|worker| worker >= scenario.workers.unwrap_or(1)) {
            return Err(format!("{at}.worker: workers are counted from 0"));
        }
        match (&call.supplier, &scenario.suppliers) {
            (Some(name), Some(suppliers)) if suppliers.contains_key(name) => {}
            (Some(name), _) => return Err(format!("{at}.supplier: there is no supplier `{name}`")),
            (None, Some(_)) => return Err(format!("{at}: say which `supplier`")),
            (None, None) => {}
        }
    }
    for (index, entry) in scenario.script.iter().enumerate() {
        entry.check().map_err(|error| format!("script[{index}]: {error}"))?;
    }
    for (index, request) in scenario.requests.iter().flatten().enumerate() {
        if request.same_as.is_some_and(|other| other >= index) {
            return Err(format!("requests[{index}].same_as: the index of an earlier request"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        parse(text, Path::new("/nowhere")).map(|_| ()).unwrap_err()
    }

    fn with(members: &str) -> String {
        format!(r#"{{ "scenario": 1, "about": "x", {members} }}"#)
    }

    #[test]
    fn the_example_of_the_manual_is_a_scenario() {
        let manual = include_str!("../../SCENARIOS.md");
        let example = manual.split("```json\n").nth(1).unwrap().split("```").next().unwrap();
        let cases = parse(example, Path::new("/nowhere")).unwrap();
        assert_eq!(cases.len(), 1);
        assert_eq!(cases[0].scenario.calls.len(), 1);
        assert_eq!(cases[0].clock, Wall(1_772_452_800_000));
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        assert!(error("{").contains("line 1"));
        assert_eq!(error("\n"), "the file is empty");
        assert!(!error("\u{feff}{}").contains("line 1"));
        assert!(error(r#"{ "scenario": 1 }"#).contains("about"));
        let send = r#""calls": [{ "send": {} }]"#;
        for (text, says) in [
            (with(r#""calls": [{ "send": { "metod": "GET" } }]"#), "calls[0].send.metod: unknown field"),
            (with(r#""calls": [{ "send": {}, "page": {} }]"#), "calls[0]: write exactly one of"),
            (with(r#""calls": [{ "send": {}, "expect": { "verdit": "ok" } }]"#), "calls[0].expect.verdit: unknown"),
            (with(r#""calls": [{ "send": {}, "expect": { "failure": { "kind": "x" } } }]"#), "expect.failure.kind"),
            (with(r#""calls": [{ "send": { "position": "next" } }]"#), "`position` belongs to"),
            (with(r#""calls": [{ "send": {}, "supplier": "b" }]"#), "no supplier `b`"),
            (with(&format!(r#"{send}, "script": [{{ "status": 200, "silence": true }}]"#)), "script[0]: write exactly"),
            (with(&format!(r#"{send}, "script": [{{ "error": "dns" }}]"#)), "`dns` is no wasi:http error code"),
            (
                with(&format!(r#"{send}, "script": [{{ "status": 200, "times": 1000001 }}]"#)),
                "script[0]: `times` is at",
            ),
            (
                with(r#""calls": [{ "send": { "body": { "repeat": "ab", "times": 33554433 } } }]"#),
                "calls[0]: body: a repeated text has at most 67108864 bytes",
            ),
            (with(r#""calls": [{ "send": {}, "at_ms": 34560000001 }]"#), "calls[0]: `at_ms` and"),
            (with(&format!(r#"{send}, "clock": "noon""#)), "clock: write RFC 3339"),
            (with(&format!(r#"{send}, "workers": 2"#)), "workers: needs"),
            (with(&format!(r#"{send}, "profile": "unheard-of""#)), "there is no profiles/unheard-of.json"),
            (with(&format!(r#"{send}, "elapsed_ms": "5""#)), "elapsed_ms: a number of milliseconds or [low, high]"),
        ] {
            let message = error(&text);
            assert!(message.contains(says), "{message} does not say: {says}");
        }
    }
}
