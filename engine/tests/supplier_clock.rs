//! The supplier's clock is judged by whole seconds in answers that took their time. Whatever the
//! way of the latency, a request that waits for a reset is never sent before it.

mod common;

use common::{Reply, T0, World, get};
use proptest::prelude::*;
use supplier_engine::Goal;
use supplier_engine::date::{self, TimestampFormat};

/// Milliseconds to the supplier and back.
type Trip = (u64, u64);

/// Plays calls until the limit is spent and one more, which has to wait for the reset; returns
/// by how much that one left after it, on the supplier's clock.
fn lateness(offset: i64, pauses: &[u64], trips: &[Trip], last: Trip, ahead: i64) -> i64 {
    let theirs = |mono: u64| T0 + offset + mono as i64;
    let mut world = World::new(r#"{"retry":{"jitter":0,"reset_margin_ms":0}}"#);
    // Whole seconds, as the header has them.
    let mut reset = 0;
    let mut play = |world: &mut World, (there, back): Trip, left: &str| {
        let end = world.play(Goal::Reply(get("/x")), [0; 16], |_, sent| {
            let answered = theirs(sent.at + there);
            reset = reset.max((answered / 1_000 + ahead) * 1_000);
            let date = date::format(TimestampFormat::Rfc1123, answered / 1_000 * 1_000);
            let until = (reset / 1_000).to_string();
            let headers = [("date", &*date), ("x-ratelimit-remaining", left), ("x-ratelimit-reset", &*until)];
            Reply { after: there + back, ..Reply::status(200, &headers, "") }
        });
        assert!(end.is_ok(), "{end:?}");
    };
    for (trip, pause) in trips.iter().zip(pauses) {
        play(&mut world, *trip, "5");
        world.mono += pause;
    }
    play(&mut world, last, "0");
    let due = reset;
    let _ = world.play(Goal::Reply(get("/x")), [0; 16], |_, _| Reply::status(200, &[], ""));
    theirs(world.sent.last().map_or(0, |sent| sent.at)) - due
}

proptest! {
    #[test]
    fn never_before_the_reset_and_little_after(
        offset in -100_000_000i64..100_000_000,
        calls in prop::collection::vec((0u64..3_000, (0u64..2_000, 0u64..2_000)), 0..6),
        last in (0u64..2_000, 0u64..2_000),
        ahead in 4i64..30,
    ) {
        let (pauses, trips): (Vec<u64>, Vec<Trip>) = calls.into_iter().unzip();
        let late = lateness(offset, &pauses, &trips, last, ahead);
        prop_assert!(late >= 0, "{} ms before the reset", -late);
        let latest = last.1 + 1_000;
        prop_assert!(late as u64 <= latest, "{} ms after the reset, of {}", late, latest);
    }
}

/// All of the latency on the way there, and an answer at the very start of a second: the middle
/// of the exchange would be 100 ms ahead.
#[test]
fn one_way_latency() {
    assert_eq!(lateness(-200, &[], &[], (200, 0), 5), 0);
}
