//! What the engine asks for, as hosts read it: `schemas/detail.schema.json`. Written by hand,
//! straight into one text; members that are absent are left out.

use crate::wit;
use base64ct::{Base64, Encoding as _};
use supplier_engine::{Action, Body, Caps, Done, Failure, Headers, Ms, Signed, Want};

pub fn action(action: Action) -> wit::Action {
    match action {
        Action::Send { wire, timer, caps, want } => {
            let (body, base64) = carried(wire.body());
            wit::Action { step: wit::Step::Send, ms: timer.saturated(), detail: send(&wire, caps, want), body, base64 }
        }
        Action::Wait { ms, why } => bare(wit::Step::Wait, ms, Object::new().text("why", why.name()).close()),
        Action::Store { key, expect, value, ttl, patience } => {
            let detail = Object::new()
                .text("key", &key)
                .some("expect", expect.as_deref())
                .some("value", value.as_deref())
                .number("ttl_ms", ttl.saturated())
                .number("patience_ms", patience.saturated())
                .close();
            bare(wit::Step::Store, patience, detail)
        }
        Action::Done(Ok(Done::Reply { verdict, retry_after, journal })) => {
            let detail = Object::new()
                .text("verdict", &verdict)
                .millis("retry_after_ms", retry_after)
                .json("journal", &journal)
                .close();
            bare(wit::Step::Reply, Ms::ZERO, detail)
        }
        Action::Done(Ok(Done::Page { items, count, next, journal })) => {
            let detail =
                Object::new().number("count", count).some("next", next.as_deref()).json("journal", &journal).close();
            wit::Action { step: wit::Step::Page, ms: 0, detail, body: items, base64: false }
        }
        Action::Done(Err(failure)) => bare(wit::Step::Failed, Ms::ZERO, failed(&failure)),
    }
}

/// `explain` has one text to return, so a failure is a member of it.
pub fn unexplained(failure: &Failure) -> String {
    Object::new().json("failure", &failed(failure)).close()
}

fn bare(step: wit::Step, ms: Ms, detail: String) -> wit::Action {
    wit::Action { step, ms: ms.saturated(), detail, body: String::new(), base64: false }
}

fn carried(body: &Body) -> (String, bool) {
    match body {
        Body::Text(text) => (text.clone(), false),
        Body::Bytes(bytes) => (Base64::encode_string(bytes), true),
    }
}

fn send(wire: &Signed, caps: Caps, want: Want) -> String {
    let size = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX);
    let caps = Object::new()
        .number("body_bytes", size(caps.body_bytes))
        .number("error_body_bytes", size(caps.error_body_bytes))
        .number("header_bytes", size(caps.header_bytes))
        .close();
    let want = Object::new().truth("ok", want.ok).truth("error", want.error).close();
    Object::new()
        .text("method", wire.method())
        .text("url", &wire.url())
        .json("headers", &pairs(wire.headers()))
        .json("caps", &caps)
        .json("want", &want)
        .close()
}

fn failed(failure: &Failure) -> String {
    Object::new()
        .text("kind", failure.kind.name())
        .text("code", &failure.code)
        .text("message", &failure.message)
        .millis("retry_after_ms", failure.retry_after)
        .some_number("status", failure.status.map(u32::from))
        .json("journal", &failure.journal)
        .close()
}

fn pairs(headers: &Headers) -> String {
    let mut json = String::from("[");
    for (name, value) in &headers.0 {
        json.push_str(if json.len() == 1 { "[" } else { ",[" });
        quote(&mut json, name);
        json.push(',');
        quote(&mut json, value);
        json.push(']');
    }
    json.push(']');
    json
}

/// A JSON object in the making.
struct Object(String);

impl Object {
    fn new() -> Object {
        Object(String::with_capacity(256))
    }

    fn json(mut self, name: &str, value: &str) -> Object {
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        quote(&mut self.0, name);
        self.0.push(':');
        self.0.push_str(if value.is_empty() { "null" } else { value });
        self
    }

    fn text(self, name: &str, value: &str) -> Object {
        let mut quoted = String::with_capacity(value.len().saturating_add(2));
        quote(&mut quoted, value);
        self.json(name, &quoted)
    }

    fn some(self, name: &str, value: Option<&str>) -> Object {
        match value {
            Some(value) => self.text(name, value),
            None => self,
        }
    }

    fn number(self, name: &str, value: u32) -> Object {
        self.json(name, &value.to_string())
    }

    fn some_number(self, name: &str, value: Option<u32>) -> Object {
        match value {
            Some(value) => self.number(name, value),
            None => self,
        }
    }

    fn millis(self, name: &str, value: Option<Ms>) -> Object {
        self.some_number(name, value.map(Ms::saturated))
    }

    fn truth(self, name: &str, value: bool) -> Object {
        self.json(name, if value { "true" } else { "false" })
    }

    fn close(mut self) -> String {
        self.0.push_str(if self.0.is_empty() { "{}" } else { "}" });
        self.0
    }
}

/// A JSON string (RFC 8259, section 7), in pieces as long as they can be.
fn quote(json: &mut String, text: &str) {
    json.push('"');
    for piece in text.split_inclusive(|c: char| c < ' ' || c == '"' || c == '\\') {
        let escaped = piece.chars().next_back().filter(|&c| c < ' ' || c == '"' || c == '\\');
        let Some(special) = escaped else {
            json.push_str(piece);
            continue;
        };
        json.push_str(piece.strip_suffix(special).unwrap_or(piece));
        match special {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            '\n' => json.push_str("\\n"),
            control => json.push_str(&format!("\\u{:04x}", u32::from(control))),
        }
    }
    json.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use supplier_engine::{FailureKind, Why};

    fn told(action: &wit::Action) -> Value {
        serde_json::from_str(&action.detail).unwrap()
    }

    #[test]
    fn any_text_survives_quoting() {
        let nasty: String = (0u8..=127).map(char::from).chain("é\u{2028}😀\"\\".chars()).collect();
        for text in [nasty.as_str(), "", "plain", "\"", "a\nb"] {
            let mut json = String::new();
            quote(&mut json, text);
            assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
        }
    }

    #[test]
    fn each_step_has_its_detail() {
        let wait = action(Action::Wait { ms: Ms(u64::MAX), why: Why::Reset });
        assert_eq!((wait.step, wait.ms, told(&wait)), (wit::Step::Wait, u32::MAX, json!({"why": "reset"})));

        let load = Action::Store { key: String::from("k"), expect: None, value: None, ttl: Ms(7), patience: Ms(250) };
        let load = action(load);
        assert_eq!(load.ms, 250);
        assert_eq!(told(&load), json!({"key": "k", "ttl_ms": 7, "patience_ms": 250}));

        let journal = String::from(r#"{"attempts":[]}"#);
        let page = Done::Page { items: String::from("[1.0]"), count: 1, next: None, journal: journal.clone() };
        let page = action(Action::Done(Ok(page)));
        assert_eq!((page.step, page.body.as_str()), (wit::Step::Page, "[1.0]"));
        assert_eq!(told(&page), json!({"count": 1, "journal": {"attempts": []}}));

        let reply = Done::Reply { verdict: String::from("ok"), retry_after: Some(Ms::ZERO), journal };
        let reply = action(Action::Done(Ok(reply)));
        assert_eq!(told(&reply), json!({"verdict": "ok", "retry_after_ms": 0, "journal": {"attempts": []}}));
    }

    #[test]
    fn a_failure_is_told_whole() {
        let failure = Failure {
            kind: FailureKind::UnknownOutcome,
            code: String::from("maybe-applied"),
            message: String::from("\"x\""),
            retry_after: None,
            status: Some(201),
            journal: String::new(),
        };
        let told: Value = serde_json::from_str(&unexplained(&failure)).unwrap();
        assert_eq!(
            told["failure"],
            json!({"kind": "unknown-outcome", "code": "maybe-applied", "message": "\"x\"", "status": 201, "journal": null})
        );
    }
}
