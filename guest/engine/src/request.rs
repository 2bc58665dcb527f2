//! The request that a host gives as JSON. Read without a tree in between, and completely: what
//! is not understood is refused, never ignored.

use crate::wire::{self, invalid_request};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::error::Category;
use std::fmt;
use supplier_engine::{Failure, Goal, Headers, Ms, Request};

pub fn goal(json: &str, body: String, base64: bool) -> Result<Goal, Failure> {
    let mut asked = Asked::read(json)?;
    let Some(body) = wire::body(body, base64) else {
        return Err(invalid_request("the body is not base64 (RFC 4648, section 4, with padding)"));
    };
    asked.request.body = body;
    if asked.page {
        return Ok(Goal::Page { request: asked.request, position: asked.position });
    }
    match asked.position {
        None => Ok(Goal::Reply(asked.request)),
        Some(_) => Err(invalid_request("`position` goes with `\"goal\": \"page\"`")),
    }
}

#[derive(Default)]
struct Asked {
    request: Request,
    page: bool,
    position: Option<String>,
}

impl Asked {
    /// Messages name keys and what they must be, never what was given: it may be a secret.
    fn read(json: &str) -> Result<Asked, Failure> {
        // What is wrong inside an object is said in words of our own, everything else in
        // serde's, and those quote what they found.
        if !json.trim_start().starts_with('{') {
            return Err(invalid_request("the request must be a JSON object"));
        }
        serde_json::from_str(json).map_err(|error| match error.classify() {
            Category::Data => invalid_request(format!("the request: {error}")),
            Category::Syntax | Category::Eof | Category::Io => {
                invalid_request(format!("the request is not JSON: line {}, column {}", error.line(), error.column()))
            }
        })
    }
}

impl<'de> Deserialize<'de> for Asked {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Asked, D::Error> {
        from.deserialize_map(AskedVisitor)
    }
}

struct AskedVisitor;

impl<'de> Visitor<'de> for AskedVisitor {
    type Value = Asked;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Asked, A::Error> {
        let mut asked = Asked::default();
        let mut method = None;
        let mut target = None;
        let request = &mut asked.request;
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "method" => method = Some(value(&mut map, "`method` must be a string")?),
                "target" => target = Some(value(&mut map, "`target` must be a string")?),
                "query" => {
                    request.query = value(&mut map, "`query` must be a list of pairs of strings")?;
                }
                "headers" => {
                    request.headers = Headers(value(&mut map, "`headers` must be a list of pairs of strings")?);
                }
                "operation" => request.operation = value(&mut map, "`operation` must be a string or null")?,
                "idempotency_key" => {
                    request.idempotency_key = value(&mut map, "`idempotency_key` must be a string or null")?;
                }
                "deadline_ms" => request.deadline = millis(&mut map, "`deadline_ms` must be milliseconds or null")?,
                "max_wait_ms" => request.max_wait = millis(&mut map, "`max_wait_ms` must be milliseconds or null")?,
                "goal" => {
                    const GOAL: &str = "`goal` must be \"reply\" or \"page\"";
                    asked.page = match value::<String, _>(&mut map, GOAL)?.as_str() {
                        "reply" => false,
                        "page" => true,
                        _ => return Err(say(GOAL)),
                    };
                }
                "position" => asked.position = value(&mut map, "`position` must be a string or null")?,
                unknown => return Err(say(&format!("unknown key `{}`", named(unknown)))),
            }
        }
        asked.request.method = method.ok_or_else(|| say("`method` is missing"))?;
        asked.request.target = target.ok_or_else(|| say("`target` is missing"))?;
        Ok(asked)
    }
}

fn value<'de, T: Deserialize<'de>, A: MapAccess<'de>>(map: &mut A, wanted: &str) -> Result<T, A::Error> {
    map.next_value().map_err(|_| say(wanted))
}

fn millis<'de, A: MapAccess<'de>>(map: &mut A, wanted: &str) -> Result<Option<Ms>, A::Error> {
    Ok(value::<Option<Millis>, A>(map, wanted)?.map(|millis| Ms(u64::from(millis.0))))
}

/// A whole number of milliseconds. Some encoders write `5000.0` for a whole float.
struct Millis(u32);

impl<'de> Deserialize<'de> for Millis {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Millis, D::Error> {
        from.deserialize_any(MillisVisitor)
    }
}

struct MillisVisitor;

impl Visitor<'_> for MillisVisitor {
    type Value = Millis;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("milliseconds")
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Millis, E> {
        Ok(Millis(u32::try_from(number).unwrap_or(u32::MAX)))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Millis, E> {
        // `as` saturates.
        if number >= 0.0 && number.fract() == 0.0 { Ok(Millis(number as u32)) } else { Err(say("milliseconds")) }
    }
}

fn say<E: Error>(words: &str) -> E {
    E::custom(words)
}

/// An unknown key as a message may show it.
fn named(key: &str) -> String {
    key.chars().filter(|c| !c.is_control()).take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use supplier_engine::Body;

    fn refusal(json: &str) -> String {
        let failure = goal(json, String::new(), false).unwrap_err();
        assert_eq!(failure.code, "invalid-request");
        failure.message
    }

    #[test]
    fn a_whole_request_is_read() {
        let json = r#" {"method":"POST","target":"/o","query":[["a","1"],["a","2"]],"headers":[["X-A","b"]],
            "operation":"order","idempotency_key":"o-1","deadline_ms":5000.0,"max_wait_ms":99999999999,
            "goal":"page","position":"p"} "#;
        let Ok(Goal::Page { request, position }) = goal(json, String::from("{}"), false) else { panic!() };
        assert_eq!(position.as_deref(), Some("p"));
        assert_eq!((request.method.as_str(), request.target.as_str()), ("POST", "/o"));
        assert_eq!(request.query.len(), 2);
        assert_eq!(request.headers.get("x-a").as_deref(), Some("b"));
        assert_eq!(request.body, Body::Text(String::from("{}")));
        assert_eq!((request.deadline, request.max_wait), (Some(Ms(5000)), Some(Ms(u64::from(u32::MAX)))));
        assert_eq!((request.operation.as_deref(), request.idempotency_key.as_deref()), (Some("order"), Some("o-1")));
    }

    #[test]
    fn nulls_are_absent() {
        let json = r#"{"method":"GET","target":"/","operation":null,"idempotency_key":null,"deadline_ms":null,"max_wait_ms":null,"position":null}"#;
        let Ok(Goal::Reply(request)) = goal(json, String::from("AP8="), true) else { panic!() };
        assert_eq!(request.deadline, None);
        assert_eq!(request.body, Body::Bytes(vec![0, 0xff]));
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for (json, says) in [
            ("", "must be a JSON object"),
            ("[]", "must be a JSON object"),
            ("\"s3cret\"", "must be a JSON object"),
            ("{", "not JSON"),
            (r#"{"method":"GET","target":"/"} x"#, "not JSON"),
            (r#"{"target":"/"}"#, "`method` is missing"),
            (r#"{"method":"GET"}"#, "`target` is missing"),
            (r#"{"method":"GET","target":"/","idempotencyKey":"x"}"#, "unknown key `idempotencyKey`"),
            (r#"{"method":"GET","target":"/","headers":{"a":"s3cret"}}"#, "`headers` must be"),
            (r#"{"method":"GET","target":"/","headers":[["a"]]}"#, "`headers` must be"),
            (r#"{"method":"GET","target":"/","query":"s3cret"}"#, "`query` must be"),
            (r#"{"method":"GET","target":"/","deadline_ms":-1}"#, "`deadline_ms` must be"),
            (r#"{"method":"GET","target":"/","deadline_ms":1.5}"#, "`deadline_ms` must be"),
            (r#"{"method":"GET","target":"/","max_wait_ms":"s3cret"}"#, "`max_wait_ms` must be"),
            (r#"{"method":"GET","target":"/","goal":"s3cret"}"#, "`goal` must be"),
            (r#"{"method":"GET","target":"/","position":"p"}"#, "`position` goes with"),
        ] {
            let message = refusal(json);
            assert!(message.contains(says), "{json}: {message}");
            assert!(!message.contains("s3cret"), "{message}");
        }
        assert!(refusal(&format!(r#"{{"method":{}"#, "[".repeat(100_000))).contains("`method` must be"));
    }

    #[test]
    fn a_body_must_be_base64_where_it_says_so() {
        let refused = goal(r#"{"method":"PUT","target":"/"}"#, String::from("?"), true).unwrap_err();
        assert!(refused.message.contains("base64"));
    }
}
