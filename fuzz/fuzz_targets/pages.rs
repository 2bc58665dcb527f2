//! Bodies and the JSON pointers that lead into them. The input: pointers to items, cursor and
//! flag, one a line, then the body.
#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use serde_json::{Value, json};
use supplier_engine::{Action, Body, Done, Event, Goal, Headers};
use supplier_fuzz::{Laws, World, get, knows_canaries, open};

const PROFILE: &str = include_str!("../../scenarios/profiles/acme.json");

/// Where a cursor may go: patches on `pages`.
const PLACES: [&str; 5] = [
    r#"{}"#,
    r#"{ "send_as": { "query": "cursor", "encoded": true } }"#,
    r#"{ "send_as": { "query": null, "header": "X-Cursor" } }"#,
    r#"{ "send_as": { "query": null, "body": "/page/cursor" } }"#,
    r#"{ "send_as": { "query": null, "url": true }, "cursor": { "body": null, "url_body": "/next" } }"#,
];

fuzz_target!(|input: &str| -> Corpus {
    if knows_canaries(input) {
        return Corpus::Reject;
    }
    let mut parts = input.splitn(4, '\n');
    let mut part = || parts.next().unwrap_or_default();
    let (items, cursor, more, body) = (part(), part(), part(), part());
    let places = PLACES.iter().enumerate().map(|(index, place)| {
        let mut place: Value = serde_json::from_str(place).expect("the patches are JSON");
        if let Some(url) = place.pointer_mut("/cursor/url_body") {
            *url = cursor.into();
        }
        (format!("to-{index}"), json!({ "pages": place }))
    });
    let mut profile: Value = serde_json::from_str(PROFILE).expect("the profile is JSON");
    profile["pages"] = json!({
        "items": items, "cursor": { "body": cursor }, "more": more, "send_as": { "query": "cursor" }
    });
    profile["operations"] = places.collect::<serde_json::Map<_, _>>().into();
    let profile = profile.to_string();
    let Ok(supplier) = open(&profile, None) else { return Corpus::Keep };
    let mut world = World::new(supplier, Laws::read(&profile, None));
    for place in 0..PLACES.len() {
        let operation = format!("to-{place}");
        if let Some(next) = read(&mut world, &operation, items, body) {
            follow(&mut world, &operation, next, body);
        }
    }
    Corpus::Keep
});

fn list(operation: &str, position: Option<String>) -> Goal {
    let mut request = get();
    request.operation = Some(operation.to_owned());
    request.idempotency_key = Some("key".to_owned());
    request.method = "POST".to_owned();
    request.body = Body::Text(r#"{ "page": {"size": 1.0} }"#.to_owned());
    Goal::Page { request, position }
}

fn answered(body: &str) -> Option<(u64, Event)> {
    Some((0, Event::Answered { status: 200, headers: Headers::default(), body: Body::Text(body.to_owned()) }))
}

/// The items are a verbatim piece of the body, and the right one.
fn read(world: &mut World, operation: &str, pointer: &str, body: &str) -> Option<String> {
    let end = world.play(list(operation, None), [0; 16], |action| match action {
        Action::Send { .. } => answered(body),
        _ => None,
    });
    let Ok(Done::Page { items, count, next, .. }) = end else { return None };
    assert!(body.contains(&items), "items that do not stand in the body");
    // serde_json alone refuses some numbers and strings that JSON allows.
    if let Ok(whole) = serde_json::from_str::<Value>(body.trim_start_matches('\u{feff}')) {
        let right = whole.pointer(pointer).and_then(Value::as_array).expect("the pointer leads to an array");
        assert_eq!(right.len(), count as usize);
        assert_eq!(serde_json::from_str::<Vec<Value>>(&items).ok().as_ref(), Some(right));
    }
    next
}

/// The next page is asked for at the same origin, by a whole request.
fn follow(world: &mut World, operation: &str, next: String, body: &str) {
    assert!(next.len() <= 1_024 + 4 * body.len(), "a position of {} bytes", next.len());
    let _ = world.play(list(operation, Some(next)), [0; 16], |action| match action {
        Action::Send { wire, .. } => {
            assert_eq!(wire.authority(), "api.supplier.test");
            let sent = wire.body().as_text().expect("the body is text");
            let sent: Value = serde_json::from_str(sent).expect("the body is still JSON");
            assert_eq!(sent.pointer("/page/size"), Some(&json!(1.0)));
            assert_eq!(sent.pointer("/page/cursor").is_some(), operation == "to-3");
            answered(body)
        }
        _ => None,
    });
}
