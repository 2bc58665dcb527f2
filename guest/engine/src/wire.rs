//! What hosts say, as the engine hears it.

use crate::wit;
use base64ct::{Base64, Encoding as _};
use supplier_engine::{Body, Credential, Event, Failure, FailureKind, Headers, Mono, Now, Phase, Problem, Wall};

pub fn credentials(given: Vec<wit::Credential>) -> Vec<Credential> {
    given.into_iter().map(|credential| Credential { name: credential.name, value: credential.value }).collect()
}

pub fn problems(found: Vec<Problem>) -> Vec<wit::Problem> {
    found
        .into_iter()
        .map(|problem| wit::Problem {
            pointer: problem.pointer,
            code: problem.code.to_owned(),
            message: problem.message,
        })
        .collect()
}

/// Instants as hosts count them. `as` saturates, and makes 0 of NaN: a wall clock of 1970 is
/// one that the policy refuses to sign with.
pub fn now(wall_ms: f64, mono_ms: f64) -> Now {
    Now { wall: Wall(wall_ms as i64), mono: Mono(mono_ms as u64) }
}

pub fn entropy(hex: &str) -> Result<[u8; 16], Failure> {
    let bytes = base16ct::mixed::decode_vec(hex).ok().and_then(|bytes| bytes.try_into().ok());
    bytes.ok_or_else(|| invalid_request("`entropy` must be 32 hex digits, fresh for every call"))
}

pub fn body(text: String, base64: bool) -> Option<Body> {
    if base64 { Base64::decode_vec(&text).ok().map(Body::from_bytes) } else { Some(Body::Text(text)) }
}

/// An answer that cannot be read is one that did not come whole, and the code says whose
/// mistake that is.
pub fn answered(status: u16, headers: &str, text: String, base64: bool) -> Event {
    let Some(headers) = pairs(headers) else {
        return unreadable(status, Headers::default(), "host-defect headers are not a JSON array of pairs of strings");
    };
    match body(text, base64) {
        Some(body) => Event::Answered { status, headers, body },
        None => unreadable(status, headers, "host-defect body is not base64"),
    }
}

fn unreadable(status: u16, headers: Headers, code: &str) -> Event {
    Event::Broke { phase: Phase::MaybeSent, code: code.to_owned(), head: Some((status, headers)) }
}

/// Headers that cannot be read are left out: how far the attempt got matters more.
pub fn broke(phase: wit::Phase, code: String, status: Option<u16>, headers: &str) -> Event {
    let phase = match phase {
        wit::Phase::NotSent => Phase::NotSent,
        wit::Phase::MaybeSent => Phase::MaybeSent,
        wit::Phase::Never => Phase::Never,
        wit::Phase::TooLarge => Phase::TooLarge,
    };
    let head = status.map(|status| (status, pairs(headers).unwrap_or_default()));
    Event::Broke { phase, code, head }
}

pub fn invalid_request(message: impl Into<String>) -> Failure {
    Failure {
        kind: FailureKind::Invalid,
        code: String::from("invalid-request"),
        message: message.into(),
        retry_after: None,
        status: None,
        journal: String::from("{}"),
    }
}

fn pairs(json: &str) -> Option<Headers> {
    serde_json::from_str(json).ok().map(Headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_of_any_kind_are_taken() {
        let at = |wall, mono| now(wall, mono);
        assert_eq!(at(1_772_452_800_000.7, 12.9), Now { wall: Wall(1_772_452_800_000), mono: Mono(12) });
        assert_eq!(at(f64::NAN, f64::NAN), Now::default());
        assert_eq!(at(-5.0, -5.0), Now { wall: Wall(-5), mono: Mono(0) });
        assert_eq!(at(f64::INFINITY, f64::INFINITY), Now { wall: Wall(i64::MAX), mono: Mono(u64::MAX) });
    }

    #[test]
    fn entropy_is_sixteen_bytes() {
        assert_eq!(entropy("000102030405060708090A0b0c0d0e0f").unwrap(), std::array::from_fn(|n| n as u8));
        for hex in ["", "00", "g00102030405060708090a0b0c0d0e0f", "000102030405060708090a0b0c0d0e0f00"] {
            assert_eq!(entropy(hex).unwrap_err().code, "invalid-request");
        }
    }

    #[test]
    fn an_unreadable_answer_may_have_been_sent() {
        let heard = answered(200, r#"[["A","1"],["a","2"]]"#, String::from("/w=="), true);
        assert!(matches!(heard, Event::Answered { status: 200, headers, body: Body::Bytes(bytes) }
            if headers.lines("a").count() == 2 && bytes == [0xff]));
        for (headers, body) in [("{}", ""), ("[[1,2]]", ""), ("", ""), ("[]", "/w"), ("[]", "?")] {
            let heard = answered(503, headers, body.to_owned(), true);
            assert!(
                matches!(&heard, Event::Broke { phase: Phase::MaybeSent, head: Some((503, _)), .. }),
                "{headers} {body}: {heard:?}"
            );
        }
    }

    #[test]
    fn a_head_is_a_status_and_maybe_headers() {
        assert!(matches!(
            broke(wit::Phase::NotSent, String::new(), None, "nonsense"),
            Event::Broke { phase: Phase::NotSent, head: None, .. }
        ));
        assert!(matches!(broke(wit::Phase::MaybeSent, String::new(), Some(200), ""),
            Event::Broke { phase: Phase::MaybeSent, head: Some((200, headers)), .. } if headers.0.is_empty()));
    }
}
