//! What an adapter promises (hosts that bring their own HTTP), line by line, against the probes of
//! the strict supplier. Its report says what it found in the requests, whatever a line is about.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::{Value, json};

use super::cell::Cell;
use super::hosts::{Host, Named};
use super::table::Row;
use crate::judge::Difference;
use crate::report::{CallReport, Outcome, Response};
use crate::scenario::{self, Case};
use crate::supplier::probe::COMPRESSED;
use crate::supplier::report::Report;
use crate::supplier::{Strict, StrictConfig, server};

const PATIENCE: Duration = Duration::from_secs(30);

/// One line of the contract.
struct Promise {
    line: &'static str,
    /// On the scenarios' profile.
    patch: fn() -> Value,
    calls: fn() -> Value,
    /// Nobody listens at the supplier's port.
    down: bool,
    check: fn(&Kept<'_>) -> Result<(), String>,
}

/// What came of the calls.
struct Kept<'a> {
    host: &'static str,
    calls: &'a [CallReport],
    supplier: &'a Report,
    took: Duration,
}

pub fn keep(named: &[Named]) -> Vec<Row> {
    PROMISES.iter().map(|promise| row(promise, named)).collect()
}

fn row(promise: &Promise, named: &[Named]) -> Row {
    let cells = thread::scope(|scope| {
        let playing: Vec<_> = named.iter().map(|host| scope.spawn(|| one(promise, host))).collect();
        // A panic of a thread is a defect of this program; it shows as one.
        let ended = playing.into_iter().map(|one| one.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        ended.map(|cell| cell.unwrap_or_else(|why| Cell::failed(&why))).collect()
    });
    Row { name: promise.line.into(), cells }
}

fn one(promise: &Promise, named: &Named) -> Result<Cell> {
    let supplier = Strict::start(StrictConfig::default(), 0)?;
    let origin = if promise.down { format!("http://{}", nobody()?) } else { supplier.origin() };
    let mut host = Host::new(named);
    // Whatever is loaded on first use is no part of an exchange.
    let warm = case(&origin, &json!({}), &json!([{ "send": { "target": "https://elsewhere.test/" } }]))?;
    host.play(&warm, PATIENCE)?;
    let case = case(&origin, &(promise.patch)(), &(promise.calls)())?;
    let began = Instant::now();
    let played = host.play(&case, PATIENCE)?;
    let took = began.elapsed();
    let seen = supplier.service.report();
    let kept = Kept { host: named.name, calls: &played.calls, supplier: &seen, took };
    let mut wrong = Vec::new();
    if let Some(problems) = &played.problems {
        wrong.push(format!("problems: {problems:?}"));
    } else if let Err(why) = (promise.check)(&kept) {
        wrong.push(why);
    }
    wrong.extend(seen.findings.iter().map(|found| format!("{:?}: {}", found.kind, found.detail)));
    let differs = |got: String| Difference { path: "(promise)".into(), expected: promise.line.into(), got };
    Ok(Cell { differences: wrong.into_iter().map(differs).collect() })
}

/// An address at which nobody listens.
fn nobody() -> Result<std::net::SocketAddr> {
    Ok(server::listen(0)?.local_addr()?)
}

fn case(origin: &str, patch: &Value, calls: &Value) -> Result<Case> {
    let text = json!({
        "scenario": 1, "about": "A promise of the adapters.", "patch": patch,
        "overrides": { "base_url": format!("{origin}/v2") }, "calls": calls,
    });
    Ok(scenario::parse(&text.to_string(), Path::new("/")).map_err(anyhow::Error::msg)?.remove(0))
}

impl Kept<'_> {
    fn response(&self, index: usize) -> Result<&Response, String> {
        match &self.outcome(index)? {
            Outcome::Reply(reply) => Ok(&reply.response),
            other => Err(format!("no reply, but {other:?}")),
        }
    }

    fn outcome(&self, index: usize) -> Result<&Outcome, String> {
        self.calls.get(index).map(|call| &call.outcome).ok_or_else(|| "no result".into())
    }

    /// What `/echo` saw.
    fn echo(&self, index: usize) -> Result<Value, String> {
        serde_json::from_slice(&self.response(index)?.body).map_err(|error| error.to_string())
    }

    fn failure(&self, kind: &str, code: &str) -> Result<(), String> {
        let outcome = self.outcome(0)?;
        let failure = outcome.failure().ok_or_else(|| format!("no failure, but {outcome:?}"))?;
        same("the failure", format!("{kind} {code}"), format!("{} {}", failure.kind, failure.code))
    }

    fn requests(&self, expected: u64) -> Result<(), String> {
        same("requests", expected, self.supplier.requests)
    }

    /// Between the attempt's timer and what a machine that is busy adds to it.
    fn within(&self, timer_ms: u64) -> Result<(), String> {
        let took = u64::try_from(self.took.as_millis()).unwrap_or(u64::MAX);
        let fits = (timer_ms.saturating_sub(20)..timer_ms + 400).contains(&took);
        if fits { Ok(()) } else { Err(format!("took {took} ms where the timer is {timer_ms} ms")) }
    }
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, expected: T, got: T) -> Result<(), String> {
    if expected == got { Ok(()) } else { Err(format!("{what}: expected {expected:?}, got {got:?}")) }
}

fn nothing() -> Value {
    json!({})
}

/// One attempt of 500 ms.
fn once() -> Value {
    json!({ "retry": { "max_attempts": 1, "attempt_timeout_ms": TIMER_MS } })
}

const TIMER_MS: u64 = 500;

fn get(target: &str) -> Value {
    json!([{ "send": { "target": target } }])
}

fn post(target: &str) -> Value {
    json!([{ "send": { "method": "POST", "target": target, "body": "{}" } }])
}

const HEADERS: [(&str, &str); 5] =
    [("X-Kept", "as it is"), ("x-lower", "1"), ("X-Twice", "1"), ("X-Twice", "2"), ("Accept", "application/json")];

const PROMISES: [Promise; 20] = [
    Promise {
        line: "the raw target is untouched",
        patch: nothing,
        calls: || {
            json!([{ "send": { "target": "/echo/a%2fb/%7Ec/d;e=f,g/!$&'()*+:@/.x",
                "query": [["q", "a b+c&d=\u{e9}%/?"], ["none", ""], ["q", "[2]"]] } }])
        },
        down: false,
        check: |kept| {
            let right = "/v2/echo/a%2fb/%7Ec/d;e=f,g/!$&'()*+:@/.x?q=a%20b%2Bc%26d%3D%C3%A9%25%2F%3F&none=&q=%5B2%5D";
            same("the target", &json!(right), &kept.echo(0)?["target"])
        },
    },
    Promise {
        line: "the header set is verbatim",
        patch: nothing,
        calls: || json!([{ "send": { "target": "/echo", "headers": HEADERS } }]),
        down: false,
        check: |kept| {
            let echo = kept.echo(0)?;
            let lines: Vec<(String, String)> = serde_json::from_value(echo["headers"].clone()).unwrap_or_default();
            // wasi:http folds the names of the Rust host; the packages send them as they are.
            let spelled = |name: &str| if kept.host == "rust" { name.to_ascii_lowercase() } else { name.to_owned() };
            let ours = |name: &str| HEADERS.iter().any(|(n, _)| n.eq_ignore_ascii_case(name));
            let sent = lines.iter().filter(|(name, _)| ours(name)).cloned().collect::<Vec<_>>();
            let mut right: Vec<_> = HEADERS.iter().map(|(n, v)| (spelled(n), (*v).to_owned())).collect();
            let mut got = sent.clone();
            // Lines of one name keep their order; names among each other need not.
            right.sort_by(|(a, _), (b, _)| a.cmp(b));
            got.sort_by(|(a, _), (b, _)| a.cmp(b));
            same("the lines", right, got)?;
            let known = ["host", "content-length", "connection", "user-agent", "x-signature"];
            let added = lines.iter().find(|(n, _)| !ours(n) && !known.contains(&n.to_ascii_lowercase().as_str()));
            same("a header of the adapter's own", None, added)
        },
    },
    Promise {
        line: "a body arrives byte by byte, under its length",
        patch: nothing,
        calls: || json!([{ "send": { "method": "PUT", "target": "/echo", "body": { "base64": "AP8KDQqAwyj/AA==" } } }]),
        down: false,
        check: |kept| {
            let right = scenario::digest(&[0, 0xff, 10, 13, 10, 0x80, 0xc3, 0x28, 0xff, 0]);
            let echo = kept.echo(0)?;
            same("the body", &json!(right), &echo["body_sha256"])?;
            same("chunked requests", if kept.host == "rust" { kept.supplier.chunked } else { 0 }, kept.supplier.chunked)
        },
    },
    Promise {
        line: "no redirect is followed",
        patch: nothing,
        calls: || get("/redirect"),
        down: false,
        check: |kept| {
            same("the status", 302, kept.response(0)?.status)?;
            kept.requests(1)
        },
    },
    Promise {
        line: "no retry but the policy's",
        patch: || json!({ "retry": { "max_attempts": 2, "base_delay_ms": 10 } }),
        calls: || get("/drop"),
        down: false,
        check: |kept| kept.requests(2),
    },
    Promise {
        line: "no cookie is kept",
        patch: nothing,
        calls: || json!([{ "send": { "target": "/echo" } }, { "send": { "target": "/echo" } }]),
        down: false,
        check: |kept| {
            let lines = kept.echo(1)?["headers"].to_string().to_ascii_lowercase();
            same("a Cookie line", false, lines.contains("\"cookie\""))
        },
    },
    Promise {
        line: "no cache",
        patch: nothing,
        calls: || json!([{ "send": { "target": "/cacheable" } }, { "send": { "target": "/cacheable" } }]),
        down: false,
        check: |kept| same("times that it was asked", &json!(2), &kept.echo(1)?["seen"]),
    },
    Promise {
        line: "no transparent decompression",
        patch: nothing,
        calls: || get("/compressed"),
        down: false,
        check: |kept| {
            let response = kept.response(0)?;
            same("the body", COMPRESSED, &response.body)?;
            same("its coding", vec!["gzip".to_owned()], response.lines("content-encoding"))
        },
    },
    Promise {
        line: "the timer covers the whole exchange: a body that drips",
        patch: once,
        calls: || get("/slow"),
        down: false,
        check: |kept| {
            kept.failure("unavailable", "attempt-timeout")?;
            kept.within(TIMER_MS)
        },
    },
    Promise {
        line: "the timer covers the whole exchange: half a body",
        patch: once,
        calls: || get("/stall"),
        down: false,
        check: |kept| {
            kept.failure("unavailable", "attempt-timeout")?;
            kept.within(TIMER_MS)
        },
    },
    Promise {
        line: "the timer covers the whole exchange: silence",
        patch: once,
        calls: || get("/silence"),
        down: false,
        check: |kept| {
            kept.failure("unavailable", "attempt-timeout")?;
            kept.within(TIMER_MS)
        },
    },
    Promise {
        line: "caps while reading: below 400 an over-long body is refused",
        patch: || json!({ "caps": { "body_bytes": 100_000 } }),
        calls: || get("/endless"),
        down: false,
        check: |kept| {
            kept.failure("bad-response", "response-too-large")?;
            kept.requests(1)
        },
    },
    Promise {
        line: "caps while reading: a body as long as the cap is whole",
        patch: || json!({ "caps": { "body_bytes": 100_000 } }),
        calls: || get("/bytes/100000"),
        down: false,
        check: |kept| same("bytes", 100_000, kept.response(0)?.body.len()),
    },
    Promise {
        line: "caps while reading: from 400 on the body is cut and answered",
        patch: || json!({ "caps": { "error_body_bytes": 1000 } }),
        calls: || get("/bytes/100000/422"),
        down: false,
        check: |kept| {
            same("the status", 422, kept.response(0)?.status)?;
            same("bytes", 1000, kept.response(0)?.body.len())
        },
    },
    Promise {
        line: "never sent: a refused connection is retried for an unsafe request",
        patch: || json!({ "retry": { "max_attempts": 2, "base_delay_ms": 10 } }),
        calls: || post("/echo"),
        down: true,
        check: |kept| kept.failure("unavailable", "connection-refused"),
    },
    Promise {
        line: "maybe sent: a connection that ends without an answer",
        patch: nothing,
        calls: || post("/drop"),
        down: false,
        check: |kept| {
            kept.failure("unknown-outcome", "maybe-applied")?;
            kept.requests(1)
        },
    },
    Promise {
        line: "maybe sent: a body that ends early, with the status that came",
        patch: nothing,
        calls: || post("/cut"),
        down: false,
        check: |kept| {
            kept.failure("unknown-outcome", "maybe-applied")?;
            same("the status", Some(200), kept.outcome(0)?.failure().and_then(|failure| failure.status))?;
            kept.requests(1)
        },
    },
    Promise {
        line: "maybe sent: the timer of an unsafe request",
        patch: once,
        calls: || post("/silence"),
        down: false,
        check: |kept| {
            kept.failure("unknown-outcome", "maybe-applied")?;
            kept.within(TIMER_MS)
        },
    },
    Promise {
        line: "an answer to HEAD ends with its head",
        patch: once,
        calls: || json!([{ "send": { "method": "HEAD", "target": "/bytes/1000" } }]),
        down: false,
        check: |kept| same("bytes", 0, kept.response(0)?.body.len()),
    },
    Promise {
        line: "204 and 304 have no body and end at once",
        patch: once,
        calls: || json!([{ "send": { "target": "/status/204" } }, { "send": { "target": "/status/304" } }]),
        down: false,
        check: |kept| {
            same("bytes", 0, kept.response(0)?.body.len())?;
            same("the status", 304, kept.response(1)?.status)
        },
    },
];
