//! The kinds of strings that profiles are made of: names, headers, pointers.

use super::read::{At, Kind, Problems, code};
use crate::field;
use crate::json::Pointer;
use serde_json::Value;
use std::borrow::Cow;

/// A string that is turned into something, or refused with a reason.
pub struct Parsed<T> {
    pub parse: fn(&str) -> Result<T, Cow<'static, str>>,
    wanted: &'static str,
    #[cfg_attr(not(feature = "schema"), allow(dead_code))]
    pub pattern: &'static str,
}

pub fn parsed<T>(
    parse: fn(&str) -> Result<T, Cow<'static, str>>,
    wanted: &'static str,
    pattern: &'static str,
) -> Parsed<T> {
    Parsed { parse, wanted, pattern }
}

impl<T> Kind for Parsed<T> {
    type Out = T;

    fn read(&self, value: &Value, at: &At, problems: &mut Problems) -> Option<T> {
        let Value::String(text) = value else {
            problems.wrong_type(at, value, self.wanted);
            return None;
        };
        match (self.parse)(text) {
            Ok(found) => Some(found),
            Err(message) => {
                problems.add(at, code::INVALID_VALUE, message);
                None
            }
        }
    }

    #[cfg(feature = "schema")]
    fn schema(&self) -> Value {
        match self.pattern {
            "" => serde_json::json!({ "type": "string" }),
            pattern => serde_json::json!({ "type": "string", "pattern": pattern }),
        }
    }
}

/// Any string.
pub fn text() -> Parsed<String> {
    parsed(|text| Ok(text.to_owned()), "a string", "")
}

/// A string with something in it.
pub fn some_text() -> Parsed<String> {
    parsed(
        |text| match text.is_empty() {
            true => Err("write at least one character".into()),
            false => Ok(text.to_owned()),
        },
        "a string",
        "^[\\s\\S]+$",
    )
}

/// A name that goes into keys and journals: lower case, so that nothing else need be said
/// about how it compares.
pub fn name() -> Parsed<String> {
    parsed(
        |text| {
            let legal = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"._-".contains(&b);
            match (1..=64).contains(&text.len()) && text.bytes().all(legal) {
                true => Ok(text.to_owned()),
                false => Err("write 1 to 64 characters of a-z, 0-9, \".\", \"_\" and \"-\"".into()),
            }
        },
        "a string",
        "^[a-z0-9._-]{1,64}$",
    )
}

/// The name of a credential, or of an operation.
pub fn label() -> Parsed<String> {
    parsed(
        |text| match is_label(text) {
            true => Ok(text.to_owned()),
            false => Err("write 1 to 64 letters, digits, \".\", \"_\" and \"-\"".into()),
        },
        "a string",
        "^[A-Za-z0-9._-]{1,64}$",
    )
}

pub fn is_label(text: &str) -> bool {
    let legal = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
    (1..=64).contains(&text.len()) && text.bytes().all(legal)
}

const TOKEN: &str = "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$";

/// The name of a header that is only read (RFC 9110, 5.1).
pub fn header_name() -> Parsed<String> {
    parsed(
        |text| match field::is_name(text) {
            true => Ok(text.to_owned()),
            false => Err("write a header name: letters, digits and \"-\"".into()),
        },
        "a header name",
        TOKEN,
    )
}

/// The name of a header that is sent.
pub fn sent_header_name() -> Parsed<String> {
    parsed(
        |text| match sendable(text) {
            None => Ok(text.to_owned()),
            Some(why) => Err(why.into()),
        },
        "a header name",
        TOKEN,
    )
}

/// Why a header of this name cannot be set.
pub fn sendable(name: &str) -> Option<&'static str> {
    if !field::is_name(name) {
        return Some("write a header name: letters, digits and \"-\"");
    }
    if field::is_reserved(name) {
        return Some("the component or the host sets this header itself; choose another one");
    }
    None
}

/// A JSON Pointer (RFC 6901).
pub fn pointer() -> Parsed<Pointer> {
    parsed(|text| Pointer::parse(text).map_err(Cow::Borrowed), "a JSON Pointer", "^(/([^~]|~[01])*)?$")
}

/// A JSON Pointer to a member: the whole document cannot be written.
pub fn member() -> Parsed<Pointer> {
    parsed(
        |text| match Pointer::parse(text) {
            Ok(pointer) if pointer.is_root() => Err("name a member, as in \"/cursor\"".into()),
            Ok(pointer) => Ok(pointer),
            Err(message) => Err(message.into()),
        },
        "a JSON Pointer",
        "^/([^~]|~[01])*$",
    )
}
