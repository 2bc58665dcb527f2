//! The script of a scenario over real HTTP and in real time, for clients that are tested
//! from outside. Afterwards the log of requests is judged as far as real time allows.
//!
//! The supplier's clock starts at the scenario's `server_clock` with the first request, so
//! absolute times in the script keep their meaning for clients that read `Date`. Our own
//! wall clock is not ours to set: `clock`, `entropy` and `clock_jump_ms` have no effect, and
//! a wasi:http error code is a connection that ends.

use std::collections::BTreeSet;
use std::iter::repeat_n;
use std::net::TcpListener;
use std::sync::OnceLock;
use std::time::Duration;

use anyhow::{Result, anyhow};
use serde_json::Value;
use supplier_engine::Wall;

use super::clock;
use super::exchange::{Answer, Delivery, End};
use super::server::{self, Running, Service};
use super::signature::Verifier;
use super::wire::{Head, Request};
use crate::clock::Clock;
use crate::judge::{self, Difference};
use crate::report;
use crate::scenario::Case;
use crate::script::{self, Piece, Plan, Seen, Supplier};

/// Real clients are late by a little: processes start, connections open.
const LATE_MS: u64 = 1500;
/// Rounding may make them early by so much.
const EARLY_MS: u64 = 5;

/// Plays one case to whoever connects.
pub struct Replay {
    case: Case,
    /// Starts with the first request.
    supplier: OnceLock<Supplier>,
}

/// Which request it is, and what it gets.
pub struct Ticket {
    index: usize,
    plan: Plan,
}

impl Replay {
    pub fn start(case: Case, port: u16) -> Result<Running<Replay>> {
        Replay::start_on(case, server::listen(port)?)
    }

    pub fn start_on(case: Case, listener: TcpListener) -> Result<Running<Replay>> {
        if case.scenario.workers.is_some_and(|n| n > 1) || case.openings.len() > 1 {
            return Err(anyhow!("a scenario with several workers or suppliers cannot be served"));
        }
        Running::start_on(Replay { case, supplier: OnceLock::new() }, listener)
    }

    /// The path of the profile's `base_url`, below which the requests are expected.
    pub fn base_path(&self) -> String {
        let profile = self.case.openings.first().and_then(|o| serde_json::from_str::<Value>(&o.profile).ok());
        let base = profile.as_ref().and_then(|p| p.get("base_url")).and_then(Value::as_str).unwrap_or_default();
        let after_scheme = base.split_once("://").map_or("", |(_, rest)| rest);
        after_scheme.split_once('/').map(|(_, path)| format!("/{path}")).unwrap_or_default()
    }

    /// Whether every entry of the script was used and answered.
    pub fn is_over(&self) -> bool {
        let entries: usize = self.case.scenario.script.iter().map(|entry| entry.times.unwrap_or(1)).sum();
        let log = self.log();
        log.len() >= entries && log.iter().all(|seen| seen.answer.is_some())
    }

    pub fn log(&self) -> Vec<Seen> {
        self.supplier.get().map(Supplier::log).unwrap_or_default()
    }

    /// What was not as the scenario's `requests` say.
    pub fn judge(&self) -> Vec<Difference> {
        let mut differences = self.signatures();
        let report = report::Report { requests: self.log(), ..report::Report::default() };
        differences.extend(judge::judge(&self.in_real_time(), &report));
        differences
    }

    /// Signatures that do not hold, of those requests whose signature the scenario looks at.
    pub fn signatures(&self) -> Vec<Difference> {
        let requests = self.log();
        let mut differences = Vec::new();
        let signed = self.signed_requests();
        for (index, seen) in requests.iter().enumerate().filter(|(index, _)| signed.contains(index)) {
            if let Some(Err(flaw)) =
                self.verifier().map(|verifier| verifier.verify(&head_of(seen), &seen.body, seen.ours.0))
            {
                let path = format!("requests[{index}].signed");
                differences.push(Difference { path, expected: "a fresh signature".into(), got: flaw.text() });
            }
        }
        differences
    }

    fn supplier(&self) -> &Supplier {
        let start = || Clock::start(Wall(clock::Clock::default().now_ms()), self.case.server_clock);
        self.supplier.get_or_init(|| Supplier::new(&self.case, start()))
    }

    /// The same scenario without what only virtual time can promise.
    fn in_real_time(&self) -> Case {
        let mut case = self.case.clone();
        let signing = self.signing_headers();
        case.scenario.calls.clear();
        case.scenario.problems = None;
        case.scenario.health = None;
        case.scenario.elapsed_ms = None;
        for request in case.scenario.requests.iter_mut().flatten() {
            if let Some(at) = request.at_ms.take() {
                request.at_ms_between = Some((at.saturating_sub(EARLY_MS), at.saturating_add(LATE_MS)));
            }
            (request.authority, request.scheme, request.signed) = (None, None, false);
            request.headers.retain(|name, _| !signing.contains(&name.to_ascii_lowercase()));
        }
        case
    }

    /// Requests whose signature the scenario looks at, by value or as `signed`.
    fn signed_requests(&self) -> BTreeSet<usize> {
        let signing = self.signing_headers();
        let looks = |names: Vec<&String>| names.iter().any(|name| signing.contains(&name.to_ascii_lowercase()));
        let requests = self.case.scenario.requests.iter().flatten().enumerate();
        let requests = requests.filter(|(_, r)| r.signed || looks(r.headers.keys().collect())).map(|(index, _)| index);
        // Of a request that is answered early, the body is not known.
        let script = self.case.scenario.script.iter();
        let early: Vec<bool> = script.flat_map(|entry| repeat_n(entry.early, entry.times.unwrap_or(1))).collect();
        requests.filter(|index| !early.get(*index).is_some_and(|early| *early)).collect()
    }

    /// In lower case; they hold times that are not the scenario's.
    fn signing_headers(&self) -> BTreeSet<String> {
        let Some(profile) = self.profile() else { return BTreeSet::new() };
        let headers = profile.pointer("/signing/headers").and_then(Value::as_object);
        headers.into_iter().flat_map(|headers| headers.keys()).map(|name| name.to_ascii_lowercase()).collect()
    }

    /// For the one scheme that is verified here; others are only compared in virtual time.
    fn verifier(&self) -> Option<Verifier> {
        let profile = self.profile()?;
        let parts = profile.pointer("/signing/string_to_sign")?;
        let headers = profile.pointer("/signing/headers")?.as_object()?;
        let (header, _) = headers.iter().find(|(_, template)| **template == "t={timestamp},{signatures}")?;
        if *parts != serde_json::json!(["{timestamp}", ".", "{body}"]) {
            return None;
        }
        let key = profile.pointer("/signing/key")?;
        if key.get("decode").is_some_and(|decode| decode != "utf8") || key.get("strip_prefix").is_some() {
            return None;
        }
        let credentials = self.case.openings.first()?.credentials.iter().map(|(_, value)| value.clone());
        // The supplier's clock is whatever the script's `Date` says.
        let theirs = profile.pointer("/signing/clock").is_some_and(|clock| clock == "supplier");
        let tolerance_ms = if theirs { i64::MAX } else { 5_000 };
        Some(Verifier { header: header.clone(), secrets: credentials.collect(), tolerance_ms })
    }

    fn profile(&self) -> Option<Value> {
        serde_json::from_str(&self.case.openings.first()?.profile).ok()
    }

    fn play(&self, ticket: &Ticket) -> Answer {
        let supplier = self.supplier();
        let (index, plan) = (ticket.index, &ticket.plan);
        let mut answer = match plan.head(&supplier.clock) {
            script::Head::Error { code, .. } => {
                supplier.answered(index, code);
                Answer::dropped()
            }
            script::Head::Silence => {
                supplier.answered(index, "silence");
                Answer::new(200).deliver(Delivery::Silence)
            }
            script::Head::Response { status, headers } => {
                supplier.answered(index, status.to_string());
                let mut answer = Answer::new(status).deliver(delivery(plan.pieces()));
                answer.headers = headers;
                if let Delivery::Endless = answer.delivery
                    && let Some(Piece::Endless(bytes)) = plan.pieces().into_iter().next()
                {
                    answer.body = bytes.to_vec();
                }
                answer
            }
        };
        answer.after = plan.after();
        answer
    }
}

impl Service for Replay {
    type Ticket = Ticket;

    fn begin(&self, head: &Head) -> Result<Ticket, Answer> {
        let supplier = self.supplier();
        let mut seen = supplier.seen();
        seen.method = head.method.clone();
        seen.scheme = "http".into();
        seen.authority = head.values("host").collect::<Vec<_>>().join(", ");
        seen.target = head.target.clone();
        // Back to the bytes: heads are read as ISO-8859-1.
        let bytes = |value: &str| value.chars().map(|c| u8::try_from(c).unwrap_or(b'?')).collect();
        seen.headers = head.lines.iter().map(|(name, value)| (name.clone(), bytes(value))).collect();
        let (index, plan) = supplier.arrive(seen);
        let ticket = Ticket { index, plan };
        if ticket.plan.early() { Err(self.play(&ticket)) } else { Ok(ticket) }
    }

    fn answer(&self, ticket: Ticket, request: &Request) -> Answer {
        self.supplier().receive(ticket.index, &request.body);
        self.play(&ticket)
    }

    fn written(&self, _: &Head, _: &Answer) {}

    fn malformed(&self, why: &'static str) {
        eprintln!("supplier-test: a request that is none: {why}");
    }
}

fn delivery(pieces: Vec<Piece>) -> Delivery {
    let (mut chunks, mut pause, mut end) = (Vec::new(), Duration::ZERO, End::Whole);
    for piece in pieces {
        match piece {
            Piece::Bytes(bytes) => chunks.push(bytes.to_vec()),
            // The same between each two chunks.
            Piece::Pause(between) => pause = between,
            Piece::Endless(_) => return Delivery::Endless,
            Piece::Break(_) => end = End::Cut,
            Piece::Stall => end = End::Stall,
        }
    }
    Delivery::Chunks { chunks, pause, end }
}

fn head_of(seen: &Seen) -> Head {
    let text = |value: &Vec<u8>| value.iter().map(|b| char::from(*b)).collect();
    Head {
        method: seen.method.clone(),
        target: seen.target.clone(),
        version: "HTTP/1.1".into(),
        lines: seen.headers.iter().map(|(name, value)| (name.clone(), text(value))).collect(),
        arrived: std::time::Instant::now(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::thread::sleep;

    use super::*;
    use crate::scenario;
    use crate::supplier::client::{send, signed};

    const SCENARIO: &str = r#"{ "scenario": 1, "about": "One wait, then success.",
        "calls": [{ "send": { "method": "POST", "target": "/orders", "body": "{}", "idempotency_key": "k" } }],
        "script": [{ "status": 503, "headers": { "Retry-After": "1", "Date": "now" }, "body": "no" },
                   { "status": 200, "body": { "chunks": ["{", "}"], "every_ms": 5 } }, { "error": "connection-terminated" }],
        "requests": [{ "at_ms": 0, "method": "POST", "target": "/v2/orders", "signed": true },
                     { "at_ms": 1000, "headers": { "Idempotency-Key": "k" }, "same_as": 0 },
                     { "at_ms_between": [1000, 9000], "headers": { "X-Signature": "t=1772452800,v1=00" } }] }"#;

    /// Plays the client: three requests with a pause before the second.
    fn play(pause_ms: u64, body: &str) -> Vec<String> {
        let case = scenario::parse(SCENARIO, Path::new("/nowhere")).unwrap().remove(0);
        let replay = Replay::start(case, 0).unwrap();
        assert_eq!(replay.service.base_path(), "/v2");
        let at = replay.address;
        let order = |body: &str| send(at, &signed(at, "POST", "/v2/orders", &["Idempotency-Key: k"], body));
        let first = order("{}").unwrap();
        assert_eq!((first.status, first.header("Retry-After")), (503, Some("1")));
        assert!(first.header("Date").unwrap().starts_with("Mon, 02 Mar 2026 12:00:0"));
        sleep(Duration::from_millis(pause_ms));
        assert_eq!(order(body).unwrap().header("Transfer-Encoding"), Some("chunked"));
        assert!(!replay.service.is_over());
        assert!(order("{}").is_none());
        assert!(replay.service.is_over());
        replay.service.judge().into_iter().map(|difference| difference.path).collect()
    }

    #[test]
    fn who_does_as_the_scenario_says_has_no_differences() {
        assert_eq!(play(1000, "{}"), [""; 0]);
    }

    #[test]
    fn who_is_early_or_changes_the_body_is_told() {
        let found = play(0, "{ }");
        assert!(found.contains(&"requests[1].at_ms_between".to_owned()), "{found:?}");
        assert!(found.contains(&"requests[1].same_as (body)".to_owned()), "{found:?}");
    }
}
