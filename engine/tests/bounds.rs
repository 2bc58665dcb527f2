//! Bounds on what a supplier or another worker can make grow; the fuzz targets assert them too.

mod common;

use common::{Reply, World, get};
use supplier_engine::{Action, Event, FailureKind, Goal, Ms, Why};

const SHARED: &str = r#"{ "budget": { "shared": true } }"#;

/// Another worker's probe that never ends: a poll every 50 ms or more for two minutes.
#[test]
fn polls_do_not_fill_the_journal() {
    let mut world = World::new(SHARED);
    let text = r#"{"q":1,"w":{},"f":[["a.1",1773452800000,1,1]]}"#;
    let mut call = world.supplier.begin(Goal::Reply(get("/a")), [0; 16]).expect("the request is right");
    let mut event = Event::Go;
    let mut polls = 0;
    let failure = loop {
        event = match world.supplier.step(&mut call, event, world.now()) {
            Action::Store { .. } => Event::Stored { won: true, current: Some(text.to_owned()) },
            Action::Wait { ms: Ms(ms), why } => {
                assert_eq!(why, Why::Probe);
                polls += 1;
                world.mono += ms;
                Event::Go
            }
            Action::Done(end) => break end.expect_err("nobody answers"),
            other => panic!("{other:?}"),
        };
    };
    assert_eq!((failure.kind, failure.code.as_str(), polls), (FailureKind::Cancelled, "deadline-would-pass", 2_399));
    assert!(failure.journal.len() < 8 * 1024, "{} bytes", failure.journal.len());
    assert!(failure.journal.contains(r#""ms":116800,"#), "the polls after the 63rd are one wait: {}", failure.journal);
}

/// Not with a timer of 0 ms, which only looks like a timeout of the supplier's.
#[test]
fn nothing_is_sent_when_the_store_answers_after_the_deadline() {
    for fails in [false, true] {
        let mut world = World::new(SHARED);
        let mut request = get("/a");
        request.deadline = Some(Ms(200));
        let mut call = world.supplier.begin(Goal::Reply(request), [0; 16]).expect("the request is right");
        let now = world.now();
        assert!(matches!(world.supplier.step(&mut call, Event::Go, now), Action::Store { value: None, .. }));
        world.mono += 200;
        let late = if fails {
            Event::StoreFailed { code: "timeout".to_owned() }
        } else {
            Event::Stored { won: true, current: None }
        };
        match world.supplier.step(&mut call, late, world.now()) {
            Action::Done(Err(failure)) => assert_eq!(failure.code, "deadline-passed"),
            other => panic!("{other:?}"),
        }
    }
}

/// Three windows of a new name in every answer.
#[test]
fn windows_of_ever_new_names_do_not_fill_the_budget() {
    let mut world = World::new(r#"{ "limits": [{ "reader": "ietf" }] }"#);
    for round in 0..100 {
        let field = format!(r#""a{round}";r=900;t=60, "b{round}";r=900;t=600, "c{round}";r=900;t=600"#);
        let end = world.send(get("/a"), |_, _| Reply::status(200, &[("RateLimit", &field)], "{}"));
        end.expect("every answer is good");
    }
    let health = world.supplier.health();
    assert_eq!(health.matches(r#""reset_in_ms""#).count(), 32, "{health}");
}
