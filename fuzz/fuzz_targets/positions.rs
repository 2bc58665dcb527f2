//! A position comes back from wherever the caller kept it. The input is one as text, or the
//! JSON inside it, without the fingerprint of its request.
#![no_main]

use base64ct::{Base64UrlUnpadded, Encoding as _};
use libfuzzer_sys::{Corpus, fuzz_target};
use serde_json::Value;
use std::sync::LazyLock;
use supplier_engine::{Action, Body, Done, Event, FailureKind, Headers};
use supplier_fuzz::{Laws, World, knows_canaries, open, page};

const PROFILE: &str = include_str!("../src/dialects.json");

static LAWS: LazyLock<Laws> = LazyLock::new(|| Laws::read(PROFILE, None));

fuzz_target!(|input: &[u8]| -> Corpus {
    let text = String::from_utf8_lossy(input);
    if knows_canaries(&text) {
        return Corpus::Reject;
    }
    let supplier = open(PROFILE, None).expect("the profile is right");
    let mut world = World::new(supplier, *LAWS);
    for operation in [None, Some("by-header"), Some("by-query")] {
        resume(&mut world, operation, text.clone().into_owned());
        resume(&mut world, operation, encoded(input));
        if let Ok(Value::Object(mut map)) = serde_json::from_slice(input) {
            map.insert("r".to_owned(), fingerprint(&mut world, operation));
            resume(&mut world, operation, encoded(Value::Object(map).to_string().as_bytes()));
        }
    }
    Corpus::Keep
});

fn encoded(json: &[u8]) -> String {
    format!("sc1.{}", Base64UrlUnpadded::encode_string(json))
}

/// That of the request, out of a position which it got.
fn fingerprint(world: &mut World, operation: Option<&str>) -> Value {
    let headers = Headers(vec![("Link".into(), "</v2/x>; rel=next".into()), ("X-Next".into(), "x".into())]);
    let end = world.play(page(operation, None), [0; 16], |action| answer(action, &headers));
    let Ok(Done::Page { next: Some(next), .. }) = end else { panic!("the list goes on") };
    let json = Base64UrlUnpadded::decode_vec(next.strip_prefix("sc1.").expect("a version")).expect("base64");
    serde_json::from_slice::<Value>(&json).expect("JSON")["r"].clone()
}

fn answer(action: &Action, headers: &Headers) -> Option<(u64, Event)> {
    let Action::Send { wire, .. } = action else { return None };
    assert_eq!((wire.authority(), wire.https()), ("api.supplier.test", true), "another origin");
    let body = Body::Text(r#"{"items":[1]}"#.to_owned());
    Some((0, Event::Answered { status: 200, headers: headers.clone(), body }))
}

/// It is refused before anything is sent, or leads on to a page at the same origin. What is not
/// allowed in a URL is encoded once, in three bytes for each; from then on it does not grow.
fn resume(world: &mut World, operation: Option<&str>, position: String) {
    let most = 3 * position.len() + 1_024;
    if let Ok(next) = follow(world, operation, position, "9") {
        assert!(next.len() <= most, "a position grows to {} bytes, more than {most}", next.len());
        let most = next.len() + 1_024;
        match follow(world, operation, next, "10") {
            Ok(after) => assert!(after.len() <= most, "a position goes on growing, to {} bytes", after.len()),
            // The page's number came with the input.
            Err(code) => assert_eq!(code, "too-many-pages", "a position of ours is refused"),
        }
    }
}

/// The next position, whose cursor is `cursor`; the failure's code if this one is refused.
fn follow(world: &mut World, operation: Option<&str>, position: String, cursor: &str) -> Result<String, String> {
    let mut sent = false;
    let headers =
        Headers(vec![("Link".into(), format!("<?page={cursor}>; rel=next")), ("X-Next".into(), cursor.into())]);
    let end = world.play(page(operation, Some(position)), [0; 16], |action| {
        sent |= matches!(action, Action::Send { .. });
        answer(action, &headers)
    });
    match end {
        Ok(Done::Page { next, .. }) => Ok(next.expect("the list goes on")),
        Ok(other) => panic!("no page: {other:?}"),
        Err(failure) => {
            assert!(!sent, "refused late: {failure:?}");
            assert!(matches!(failure.kind, FailureKind::Invalid | FailureKind::BadResponse), "{failure:?}");
            Err(failure.code.to_string())
        }
    }
}
