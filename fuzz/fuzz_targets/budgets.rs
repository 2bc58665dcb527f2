//! The shared budget's document as any worker, or nobody of ours, may have left it. Each line
//! of the input is what the store answers: a text (a load gets it, a swap is lost to it), `=`
//! (the swap is won, a load gets what was written last), `!` (it fails), or nothing.
#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use serde_json::Value;
use std::sync::LazyLock;
use supplier_engine::{Action, Body, Event, Goal, Headers, Supplier};
use supplier_fuzz::{Laws, NOW, World, get, knows_canaries, open};

const PROFILE: &str = include_str!("../src/dialects.json");
const SHARED: &str = r#"{ "budget": { "shared": true },
    "limits": [
        { "reader": "ietf" },
        { "reader": "static", "name": "fixed", "limit": 3, "window_s": 60 },
        { "reader": "fields", "name": "epoch-s", "limit": "X-RateLimit-Limit", "remaining": "X-RateLimit-Remaining",
          "reset": "X-RateLimit-Reset", "reset_unit": "epoch-s" }
    ] }"#;

static LAWS: LazyLock<Laws> = LazyLock::new(|| Laws::read(PROFILE, Some(SHARED)));

fuzz_target!(|input: &str| -> Corpus {
    if knows_canaries(input) {
        return Corpus::Reject;
    }
    let mut world = World::new(shared(), *LAWS);
    let mut lines = input.lines();
    let earliest = input.lines().map(present).min().unwrap_or(NOW);
    let mut kept = None;
    let answers = [
        (429, vec![("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "1772452830"), ("Retry-After", "2")]),
        (200, vec![("RateLimit", r#""a";r=3;t=60"#), ("RateLimit-Policy", r#""a";q=10;w=60"#)]),
    ];
    for _ in 0..2 {
        let mut answers = answers.iter();
        let _ = world.play(Goal::Reply(get()), [0x80; 16], |action| match action {
            Action::Send { .. } => {
                let (status, headers) = answers.next()?;
                let headers = Headers(headers.iter().map(|&(name, value)| (name.into(), value.into())).collect());
                Some((40, Event::Answered { status: *status, headers, body: Body::default() }))
            }
            Action::Store { expect, value, .. } => {
                if let Some(text) = value {
                    document(text, input);
                    if let Some(before) = expect {
                        keeps(before, text, earliest);
                    }
                }
                let event = match (lines.next()?, value) {
                    ("", _) => Event::Stored { won: value.is_none(), current: None },
                    ("!", _) => Event::StoreFailed { code: "timeout".to_owned() },
                    ("=", Some(text)) => {
                        kept = Some(text.clone());
                        Event::Stored { won: true, current: Some(text.clone()) }
                    }
                    ("=", None) => Event::Stored { won: true, current: kept.clone() },
                    (text, _) => Event::Stored { won: value.is_none(), current: Some(text.to_owned()) },
                };
                Some((3, event))
            }
            _ => None,
        });
    }
    Corpus::Keep
});

fn shared() -> Supplier {
    open(PROFILE, Some(SHARED)).expect("the profile is right")
}

/// What is written can be read again by another worker, says the same there, and does not grow
/// beyond what came in.
fn document(text: &str, input: &str) {
    assert!(text.len() <= 6 * input.len() + 4_096, "a document of {} bytes", text.len());
    let before: Value = serde_json::from_str(text).expect("a document is JSON");
    assert!(before["q"].is_u64(), "a document counts");
    let mut reader = World::new(shared(), *LAWS);
    let mut loads = 0;
    let _ = reader.play(Goal::Reply(get()), [0; 16], |action| match action {
        Action::Store { value: None, .. } if loads < 3 => {
            loads += 1;
            Some((0, Event::Stored { won: true, current: Some(text.to_owned()) }))
        }
        Action::Store { value: Some(next), .. } => {
            assert!(loads > 0, "swaps what it has not seen");
            assert!(keeps(text, next, present(text)), "the document was not understood");
            None
        }
        _ => None,
    });
}

/// Who has heard no `Date` yet takes the document's for the present.
fn present(text: &str) -> i64 {
    let document: Value = serde_json::from_str(text).unwrap_or_default();
    document["s"].as_i64().map_or(NOW, |date| date.min(NOW))
}

/// Whether a document is one grant after another; if it is, it has that one's windows.
fn keeps(before: &str, after: &str, now: i64) -> bool {
    let [before, after] = [before, after].map(|text| serde_json::from_str::<Value>(text).unwrap_or_default());
    let (Some(grants), Some(windows)) = (before["q"].as_u64(), before["w"].as_object()) else { return false };
    let is_next = after["q"].as_u64() == Some(grants.wrapping_add(1));
    if !is_next || !before["f"].as_array().is_some_and(|leases| leases.iter().all(is_lease)) {
        return false;
    }
    for (name, window) in windows {
        // One that ends after more than 400 days is nobody's: it may go.
        let is_far = window["t"].as_i64().is_some_and(|t| t > now.saturating_add(400 * 86_400_000));
        assert!(is_far || after["w"].get(name).is_some(), "the window {name} is lost");
    }
    true
}

fn is_lease(lease: &Value) -> bool {
    lease.as_array().is_some_and(|lease| {
        matches!(lease.as_slice(), [id, end, cost, grants] if id.is_string() && end.is_i64() && cost.is_u64() && grants.is_u64())
    })
}
