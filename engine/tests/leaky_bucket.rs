//! A supplier whose bucket leaks and tells `used/limit` only: after the burst a call leaves when
//! its place has come back, not when the whole bucket is empty, and none is refused.

mod common;

use common::{Reply, World, get};
use proptest::prelude::*;
use supplier_engine::Goal;

/// Milliseconds until one place comes back.
const EACH: u64 = 500;

/// A strict supplier, counted in milliseconds of leaking.
#[derive(Default)]
struct Bucket {
    full_until: u64,
    refused: usize,
}

impl Bucket {
    fn answer(&mut self, arrives: u64, limit: u64, after: u64) -> Reply {
        let level = self.full_until.saturating_sub(arrives);
        let fits = level + EACH <= limit * EACH;
        if fits {
            self.full_until = arrives + level + EACH;
        } else {
            self.refused += 1;
        }
        let used = format!("{}/{limit}", self.full_until.saturating_sub(arrives).div_ceil(EACH));
        Reply { after, ..Reply::status(if fits { 200 } else { 429 }, &[("x-calls", &used)], "") }
    }
}

fn world() -> World {
    World::new(
        r#"{"limits":[{"reader":"fraction","name":"bucket","header":"X-Calls","refill_per_s":2}],"retry":{"jitter":0}}"#,
    )
}

/// Plays as many calls as there are trips, one after another.
fn play(limit: u64, trips: &[(u64, u64)]) -> (World, Bucket) {
    let (mut world, mut bucket) = (world(), Bucket::default());
    for (there, back) in trips {
        let _ =
            world.play(Goal::Reply(get("/x")), [0; 16], |_, sent| bucket.answer(sent.at + there, limit, there + back));
    }
    (world, bucket)
}

#[test]
fn a_call_waits_for_one_place() {
    let (world, bucket) = play(4, &[(0, 0); 7]);
    assert_eq!(world.sent.iter().map(|sent| sent.at).collect::<Vec<_>>(), [0, 0, 0, 0, 500, 1_000, 1_500]);
    assert_eq!(bucket.refused, 0);
}

/// A refusal without Retry-After waits for one place too.
#[test]
fn a_refused_call_waits_for_one_place() {
    let mut world = world();
    let _ = world.play(Goal::Reply(get("/x")), [0; 16], |n, _| match n {
        0 => Reply::status(429, &[("x-calls", "42/40")], ""),
        _ => Reply::status(200, &[("x-calls", "40/40")], ""),
    });
    assert_eq!(world.waits, [1_500]);
}

proptest! {
    #[test]
    fn none_is_refused_and_none_waits_for_the_whole_bucket(
        limit in 1u64..8,
        trips in prop::collection::vec((0u64..400, 0u64..400), 1..20),
    ) {
        let (world, bucket) = play(limit, &trips);
        prop_assert_eq!(bucket.refused, 0);
        for pair in world.sent.windows(2) {
            // The way there and back, and a place.
            prop_assert!(pair[1].at - pair[0].at <= 800 + EACH, "{} ms between two", pair[1].at - pair[0].at);
        }
    }
}
