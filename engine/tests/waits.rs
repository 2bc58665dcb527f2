//! The shape of waits: never earlier than asked, never beyond the deadline, always bounded.

mod common;

use common::{Answer, Reply, T0, World, get};
use proptest::prelude::*;
use supplier_engine::{Done, FailureKind, Goal, Phase, Request};

fn seeded(jitter: u64) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[8..].copy_from_slice(&jitter.to_be_bytes());
    bytes
}

proptest! {
    /// `cases.md`, B27 and B18: jitter only adds.
    #[test]
    fn b27_a_number_is_a_floor(seconds in 1u64..40, jitter: u64) {
        let mut world = World::new("{}");
        let _ = world.play(Goal::Reply(get("/x")), seeded(jitter), |n, _| match n {
            0 => Reply::status(429, &[("retry-after", &seconds.to_string())], ""),
            _ => Reply::status(200, &[], ""),
        });
        let asked = seconds * 1_000;
        prop_assert_eq!(world.sent.len(), 2);
        let waited = world.sent[1].at - world.sent[0].at;
        // The back-off of the first retry is 500 ms, below every number here.
        prop_assert!((asked..=asked + asked.min(8_000) / 4).contains(&waited), "{} for {}", waited, asked);
    }

    /// `cases.md`, B19: two independent stops, whatever comes.
    #[test]
    fn b19_attempts_and_time_are_bounded(
        replies in prop::collection::vec((0usize..7, 0u64..40_000, 0i64..100), 0..12),
        jumps in prop::collection::vec(-1_000_000i64..1_000_000, 12),
        jitter: u64,
        deadline in 1u64..200_000,
    ) {
        let mut world = World::new("{}");
        let request = Request { deadline: Some(supplier_engine::Ms(deadline)), ..get("/x") };
        let mut wall = T0;
        let mut turn = 0;
        let end = world.play(Goal::Reply(request), seeded(jitter), |n, sent| {
            wall += jumps.get(n).copied().unwrap_or(0);
            turn += 1;
            let (kind, after, number) = replies.get(n).copied().unwrap_or((0, 0, 0));
            let reset = ((T0 + sent.at as i64) / 1_000 + number).to_string();
            let event = match kind {
                0 => Answer::Status(429, vec![("retry-after", "0".into())], String::new()),
                1 => Answer::Status(503, vec![("retry-after", number.to_string())], String::new()),
                2 => Answer::Status(429, vec![("x-ratelimit-remaining", "0".into()), ("x-ratelimit-reset", reset)], String::new()),
                3 => Answer::Status(429, vec![("retry-after", "Mon, 02 Mar 2026 11:00:00 GMT".into())], String::new()),
                4 => Answer::Status(502, vec![("date", "Mon, 02 Mar 2026 12:00:00 GMT".into())], String::new()),
                5 => Answer::Broken(Phase::NotSent, "connection-refused"),
                _ => Answer::Broken(Phase::MaybeSent, "connection-terminated"),
            };
            Reply { after, event }
        });
        prop_assert!(world.sent.len() <= 4);
        prop_assert!(world.mono <= deadline, "{} ms of {}", world.mono, deadline);
        let ended = matches!(&end, Ok(Done::Reply { verdict, .. }) if verdict == "exhausted")
            || matches!(&end, Err(failure) if matches!(failure.kind,
                FailureKind::Cancelled | FailureKind::Throttled | FailureKind::Unavailable));
        prop_assert!(ended, "{:?}", end);
    }

    /// An attempt never gets more time than is left.
    #[test]
    fn b93_the_timer_is_the_smaller_of_both(deadline in 1u64..60_000, first in 0u64..60_000) {
        let mut world = World::new(r#"{"retry":{"base_delay_ms":1,"max_delay_ms":1}}"#);
        let request = Request { deadline: Some(supplier_engine::Ms(deadline)), ..get("/x") };
        let _ = world.play(Goal::Reply(request), seeded(0), |_, _| Reply { after: first, ..Reply::status(502, &[], "") });
        for sent in &world.sent {
            prop_assert_eq!(sent.timer, 30_000.min(deadline - sent.at));
        }
    }

    /// `cases.md`, B32: a reset 20 s ahead is 20 s, in every unit.
    #[test]
    fn b32_one_wait_in_every_unit(unit in 0usize..8, ahead in 1i64..40) {
        let at = T0 / 1_000 + ahead;
        let (name, text) = match unit {
            0 => ("delta-s", ahead.to_string()),
            1 => ("delta-ms", (ahead * 1_000).to_string()),
            2 => ("delta-float", format!("{ahead}.0")),
            3 => ("epoch-s", at.to_string()),
            4 => ("epoch-ms", (at * 1_000).to_string()),
            5 => ("epoch-float", format!("{at}.000")),
            6 => ("go-duration", format!("{ahead}s")),
            _ => ("iso8601", format!("2026-03-02T12:00:{ahead:02}Z")),
        };
        let patch = format!(r#"{{"limits":[{{"reader":"fields","name":"r","remaining":"X-Left","reset":"X-Reset","reset_unit":"{name}"}}],
            "retry":{{"base_delay_ms":1}}}}"#);
        let mut world = World::new(&patch);
        let _ = world.play(Goal::Reply(get("/x")), seeded(0), |n, _| match n {
            0 => Reply::status(429, &[("x-left", "0"), ("x-reset", &text), ("date", "Mon, 02 Mar 2026 12:00:00 GMT")], ""),
            _ => Reply::status(200, &[], ""),
        });
        prop_assert_eq!(&world.waits, &vec![ahead as u64 * 1_000]);
    }
}

#[test]
fn b27_waits_spread() {
    let mut seen = std::collections::BTreeSet::new();
    for jitter in 1..200u64 {
        let mut world = World::new("{}");
        let _ =
            world.play(Goal::Reply(get("/x")), seeded(jitter.wrapping_mul(0x9e37_79b9_7f4a_7c15)), |n, _| match n {
                0 => Reply::status(429, &[("retry-after", "3")], ""),
                _ => Reply::status(200, &[], ""),
            });
        seen.insert(world.waits[0]);
    }
    assert!(seen.len() > 100, "200 calls waited {} different times", seen.len());
}
