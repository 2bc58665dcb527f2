//! Profiles, with overrides behind a NUL: read or refused, never a panic, and whatever is
//! accepted can be explained, sent and ended.
#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use serde_json::Value;
use supplier_engine::{Action, Body, Event, Goal, Headers, Request};
use supplier_fuzz::{CANARY, Laws, World, assert_silent, get, knows_canaries, open, page};

fuzz_target!(|input: &str| -> Corpus {
    if knows_canaries(input) {
        return Corpus::Reject;
    }
    let (profile, overrides) = match input.split_once('\0') {
        Some((profile, overrides)) => (profile, Some(overrides)),
        None => (input, None),
    };
    let supplier = match open(profile, overrides) {
        Ok(supplier) => supplier,
        Err(problems) => {
            assert!(!problems.is_empty());
            let bytes: usize = problems.iter().map(|problem| problem.pointer.len() + problem.message.len()).sum();
            assert!(bytes <= 64 * 1024 + 512 * input.len() * (1 + depth(input)), "{bytes} bytes of problems");
            for problem in &problems {
                assert!(problem.pointer.is_empty() || problem.pointer.starts_with('/'), "{problem:?}");
                assert!(!problem.code.is_empty() && !problem.message.is_empty(), "{problem:?}");
                assert_silent(&problem.message);
                assert_silent(&problem.pointer);
            }
            return Corpus::Keep;
        }
    };
    let mut world = World::new(supplier, Laws::read(profile, overrides));
    let now = world.now();
    match world.supplier.explain(&get(), now) {
        Ok(text) => {
            assert!(!text.contains(CANARY), "an explanation with a secret");
            let _: Value = serde_json::from_str(&text).expect("an explanation is JSON");
        }
        Err(failure) => assert!(!failure.message.contains(CANARY)),
    }
    let write = Request { method: "POST".to_owned(), body: Body::Text("{}".to_owned()), ..get() };
    for goal in [Goal::Reply(get()), Goal::Reply(write), page(None, None)] {
        let mut statuses = [503, 429, 401, 200].into_iter();
        let _ = world.play(goal, [0x55; 16], |action| match action {
            Action::Send { .. } => {
                let status = statuses.next()?;
                let headers = Headers(vec![("Retry-After".into(), "1".into())]);
                Some((5, Event::Answered { status, headers, body: Body::Text(r#"{"items":[]}"#.to_owned()) }))
            }
            Action::Store { value: None, .. } => Some((1, Event::Stored { won: true, current: None })),
            Action::Store { .. } => Some((1, Event::Stored { won: true, current: None })),
            _ => None,
        });
    }
    Corpus::Keep
});

/// How deeply a text can be nested: a pointer is as long as its way.
fn depth(text: &str) -> usize {
    text.bytes().filter(|byte| matches!(byte, b'{' | b'[')).count().min(128)
}
