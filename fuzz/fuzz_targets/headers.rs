//! What a supplier may write into its header fields: every unit of waits and resets, HTTP-dates,
//! structured fields, `Link`, cursors. The input is the head of a response, one field a line,
//! its status first.
#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use std::sync::LazyLock;
use supplier_engine::{Action, Body, Done, Event, FailureKind, Goal, Headers, Ms};
use supplier_fuzz::{Laws, World, get, knows_canaries, open, page};

const PROFILE: &str = include_str!("../src/dialects.json");

static LAWS: LazyLock<Laws> = LazyLock::new(|| Laws::read(PROFILE, None));

fuzz_target!(|input: &str| -> Corpus {
    if knows_canaries(input) {
        return Corpus::Reject;
    }
    let (status, headers) = head(input);
    let supplier = open(PROFILE, None).expect("the profile is right");
    let mut world = World::new(supplier, *LAWS);

    // Twice the same answer, then a good one.
    let mut answers = [status, status, 200].into_iter();
    let mut waited = None;
    let begin = world.mono;
    let end = world.play(Goal::Reply(get()), [0; 16], |action| match action {
        Action::Send { .. } => {
            let status = answers.next()?;
            Some((7, Event::Answered { status, headers: headers.clone(), body: Body::Text("{}".to_owned()) }))
        }
        _ => None,
    });
    if world.mono > begin + 14 {
        waited = Some(world.mono - begin);
    }
    floor(status, &headers, waited, &end.map(|_| ()).map_err(|failure| (failure.kind, failure.retry_after)));

    for operation in [None, Some("by-header"), Some("by-query")] {
        walk(&mut world, operation, &headers);
    }
    Corpus::Keep
});

fn head(text: &str) -> (u16, Headers) {
    let mut lines = text.lines();
    let status = lines.next().and_then(|line| line.trim().parse().ok()).unwrap_or(429);
    let fields = lines.filter_map(|line| line.split_once(':'));
    (
        status,
        Headers(fields.map(|(name, value)| (name.to_owned(), value.trim_matches([' ', '\t']).to_owned())).collect()),
    )
}

/// Whole seconds in `Retry-After` are a floor; the oracle is three lines of its own.
fn floor(status: u16, headers: &Headers, waited: Option<u64>, end: &Result<(), (FailureKind, Option<Ms>)>) {
    if !matches!(status, 429 | 503) {
        return;
    }
    let Some(value) = headers.get("retry-after") else { return };
    if value.is_empty() || value.len() > 9 || !value.bytes().all(|b| b.is_ascii_digit()) {
        return;
    }
    let asked = value.bytes().fold(0, |sum: u64, digit| sum * 10 + u64::from(digit - b'0')) * 1_000;
    match end {
        Ok(()) => assert!(waited.unwrap_or(0) >= 2 * asked, "waited {waited:?}, asked for twice {asked}"),
        Err((_, Some(Ms(told)))) => assert!(*told >= asked, "tells {told}, asked for {asked}"),
        Err(failure) => panic!("{failure:?} says nothing of {asked} ms"),
    }
}

/// Two pages; the second is asked for where these fields say.
fn walk(world: &mut World, operation: Option<&str>, headers: &Headers) {
    let mut position = None;
    for _ in 0..2 {
        let answer = |action: &Action| match action {
            Action::Send { wire, .. } => {
                assert_eq!(wire.authority(), "api.supplier.test", "another origin");
                assert!(wire.https());
                let body = Body::Text(r#"{"items":[1]}"#.to_owned());
                Some((0, Event::Answered { status: 200, headers: headers.clone(), body }))
            }
            _ => None,
        };
        let Ok(Done::Page { items, count, next, .. }) = world.play(page(operation, position), [0xff; 16], answer)
        else {
            return;
        };
        assert_eq!((items.as_str(), count), ("[1]", 1));
        let Some(next) = next else { return };
        assert!(next.len() <= 256 * 1024, "a position of {} bytes", next.len());
        position = Some(next);
    }
}
