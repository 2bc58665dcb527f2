//! Every attempt is signed after its last wait (`cases.md`, B57, B93).

mod common;

use common::{Reply, World, get, post};
use proptest::prelude::*;
use supplier_engine::{Goal, Request};

/// The signed timestamp, in seconds.
fn signed(signature: &str) -> i64 {
    let t = signature.split(',').next().and_then(|part| part.strip_prefix("t="));
    t.and_then(|t| t.parse().ok()).expect("a signature begins with its time")
}

fn any_reply() -> impl Strategy<Value = Reply> {
    let status = prop_oneof![Just(429u16), Just(502), Just(503), Just(504)];
    (status, 0u64..20_000, prop::option::of(0u32..50), prop::option::of(0i64..50)).prop_map(
        |(status, after, wait, reset)| {
            let mut reply = Reply { after, ..Reply::status(status, &[], "{}") };
            if let common::Answer::Status(_, headers, _) = &mut reply.event {
                if let Some(wait) = wait {
                    headers.push(("retry-after", wait.to_string()));
                }
                if let Some(reset) = reset {
                    headers.push(("x-ratelimit-remaining", "0".into()));
                    headers.push(("x-ratelimit-reset", (common::T0 / 1_000 + reset).to_string()));
                }
            }
            reply
        },
    )
}

proptest! {
    #[test]
    fn never_older_than_the_last_wait(
        replies in prop::collection::vec(any_reply(), 1..8),
        entropy: [u8; 16],
        calls in 1usize..4,
    ) {
        let mut world = World::new(r#"{"retry":{"max_attempts":8,"deadline_ms":600000}}"#);
        for _ in 0..calls {
            let request = Request { idempotency_key: Some("k".into()), ..post("/orders", "{}") };
            let answers = replies.clone();
            let first = world.sent.len();
            let _ = world.play(Goal::Reply(request), entropy, |n, _| {
                answers.get(n - first).cloned().unwrap_or_else(|| Reply::status(200, &[], "{}"))
            });
        }
        for sent in &world.sent {
            // To the second, the timestamp is that of the very moment of sending.
            prop_assert_eq!(signed(&sent.signature), sent.wall.div_euclid(1_000));
        }
    }
}

#[test]
fn the_wall_clock_is_read_at_every_attempt() {
    let mut world = World::new("{}");
    let done = world.send(get("/orders"), |n, _| match n {
        0 => Reply::status(503, &[("retry-after", "5")], ""),
        _ => Reply::status(200, &[], "{}"),
    });
    assert!(done.is_ok());
    let times: Vec<i64> = world.sent.iter().map(|sent| signed(&sent.signature)).collect();
    assert_eq!(times, [1_772_452_800, 1_772_452_805]);
}
