//! Reading JSON into types: every problem at once, each with its pointer, none quoting a value.

use crate::Problem;
use serde_json::{Map, Value};
use std::fmt::Write;

/// Where in the profile a value stands. Linked, so that a pointer is only built for a problem.
#[derive(Clone, Copy)]
pub struct At<'a> {
    parent: Option<&'a At<'a>>,
    token: Token<'a>,
}

#[derive(Clone, Copy)]
enum Token<'a> {
    Key(&'a str),
    Index(usize),
}

impl<'a> At<'a> {
    /// The whole document.
    pub const ROOT: At<'static> = At { parent: None, token: Token::Index(0) };

    pub fn key(&'a self, key: &'a str) -> At<'a> {
        At { parent: Some(self), token: Token::Key(key) }
    }

    pub fn index(&'a self, index: usize) -> At<'a> {
        At { parent: Some(self), token: Token::Index(index) }
    }

    /// RFC 6901.
    pub fn pointer(&self) -> String {
        let Some(parent) = self.parent else { return String::new() };
        let mut pointer = parent.pointer();
        match self.token {
            Token::Key(key) => push_key(&mut pointer, key),
            Token::Index(index) => {
                let _ = write!(pointer, "/{index}");
            }
        }
        pointer
    }
}

/// Appends one reference token, escaped.
pub fn push_key(pointer: &mut String, key: &str) {
    pointer.push('/');
    for c in key.chars() {
        match c {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            c => pointer.push(c),
        }
    }
}

/// What was found so far.
#[derive(Default)]
pub struct Problems(pub Vec<Problem>);

impl Problems {
    pub fn add(&mut self, at: &At, code: &'static str, message: impl Into<String>) {
        self.add_at(at.pointer(), code, message);
    }

    pub fn add_at(&mut self, pointer: String, code: &'static str, message: impl Into<String>) {
        self.0.push(Problem { pointer, code, message: message.into() });
    }

    /// A value of the wrong JSON type.
    pub fn wrong_type(&mut self, at: &At, found: &Value, wanted: &str) {
        self.add(at, code::WRONG_TYPE, format!("found {}; write {wanted}", describe(found)));
    }
}

/// Every code that a problem can have.
pub mod code {
    /// The profile or its overrides are no JSON text.
    pub const INVALID_JSON: &str = "invalid-json";
    /// A required key is not there.
    pub const MISSING: &str = "missing";
    /// A key that has no meaning here.
    pub const UNKNOWN_KEY: &str = "unknown-key";
    /// Another JSON type than this key takes.
    pub const WRONG_TYPE: &str = "wrong-type";
    /// A number, a text or a list beyond its limits.
    pub const OUT_OF_RANGE: &str = "out-of-range";
    /// The right type, but not a value that this key takes.
    pub const INVALID_VALUE: &str = "invalid-value";
    /// Two settings contradict each other.
    pub const CONFLICT: &str = "conflict";
    /// The profile names a credential that was not given.
    pub const UNKNOWN_CREDENTIAL: &str = "unknown-credential";
    /// A credential's value cannot be right.
    pub const INVALID_SECRET: &str = "invalid-secret";
    /// A known thing that this version does not do.
    pub const UNSUPPORTED: &str = "unsupported";

    #[cfg(test)]
    pub const ALL: [&str; 10] = [
        INVALID_JSON,
        MISSING,
        UNKNOWN_KEY,
        WRONG_TYPE,
        OUT_OF_RANGE,
        INVALID_VALUE,
        CONFLICT,
        UNKNOWN_CREDENTIAL,
        INVALID_SECRET,
        UNSUPPORTED,
    ];
}

/// Names the type only: a string may be a secret in the wrong place.
fn describe(value: &Value) -> &'static str {
    match value {
        Value::Null => "null (leave the key out instead)",
        Value::Bool(true) => "true",
        Value::Bool(false) => "false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// How a value of one kind is read, and what its JSON Schema is.
///
/// `read` returns `None` only after it has added a problem.
pub trait Kind {
    type Out;

    fn read(&self, value: &Value, at: &At, problems: &mut Problems) -> Option<Self::Out>;

    #[cfg(feature = "schema")]
    fn schema(&self) -> Value;
}

/// An object's keys while they are being taken.
pub struct Keys<'a> {
    pub map: &'a Map<String, Value>,
    pub at: &'a At<'a>,
}

/// A key of an object: its kind, and what happens when it is not there.
pub trait Field {
    type Out;

    fn take(&self, key: &str, keys: &Keys, problems: &mut Problems) -> Option<Self::Out>;

    /// The property's schema, and whether it must be there.
    #[cfg(feature = "schema")]
    fn property(&self) -> (Value, bool);
}

/// Says of which type a field is, where nothing else does.
#[cfg(feature = "schema")]
pub fn of_type<T, F: Field<Out = T>>(field: F) -> F {
    field
}

pub struct Required<K>(K);
pub struct Optional<K>(K);
pub struct Defaulted<K>(&'static str, K);

pub fn required<K: Kind>(kind: K) -> Required<K> {
    Required(kind)
}

pub fn optional<K: Kind>(kind: K) -> Optional<K> {
    Optional(kind)
}

/// `json` is read like a value in the profile, so that one text serves reader and schema.
pub fn default<K: Kind>(json: &'static str, kind: K) -> Defaulted<K> {
    Defaulted(json, kind)
}

impl<K: Kind> Field for Required<K> {
    type Out = K::Out;

    fn take(&self, key: &str, keys: &Keys, problems: &mut Problems) -> Option<K::Out> {
        match keys.map.get(key) {
            Some(value) => self.0.read(value, &keys.at.key(key), problems),
            None => {
                problems.add(&keys.at.key(key), code::MISSING, format!("\"{key}\" is required here"));
                None
            }
        }
    }

    #[cfg(feature = "schema")]
    fn property(&self) -> (Value, bool) {
        (self.0.schema(), true)
    }
}

impl<K: Kind> Field for Optional<K> {
    type Out = Option<K::Out>;

    fn take(&self, key: &str, keys: &Keys, problems: &mut Problems) -> Option<Option<K::Out>> {
        match keys.map.get(key) {
            Some(value) => self.0.read(value, &keys.at.key(key), problems).map(Some),
            None => Some(None),
        }
    }

    #[cfg(feature = "schema")]
    fn property(&self) -> (Value, bool) {
        (self.0.schema(), false)
    }
}

impl<K: Kind> Field for Defaulted<K> {
    type Out = K::Out;

    fn take(&self, key: &str, keys: &Keys, problems: &mut Problems) -> Option<K::Out> {
        let at = keys.at.key(key);
        match keys.map.get(key) {
            Some(value) => self.1.read(value, &at, problems),
            None => self.1.read(&parsed(self.0), &at, problems),
        }
    }

    #[cfg(feature = "schema")]
    fn property(&self) -> (Value, bool) {
        let mut schema = self.1.schema();
        if let Value::Object(schema) = &mut schema {
            schema.insert("default".into(), parsed(self.0));
        }
        (schema, false)
    }
}

/// The defaults are literals of this crate; a test reads them all.
fn parsed(json: &str) -> Value {
    serde_json::from_str(json).unwrap_or(Value::Null)
}

/// The entry of `known` that is nearest to `found`, if it is near enough to be a slip.
pub fn nearest<'a>(found: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let found: Vec<char> = found.to_ascii_lowercase().replace(['_', ' '], "-").chars().take(64).collect();
    let allowed = (found.len() / 3).clamp(1, 3);
    known
        .map(|name| (distance(&found, &name.to_ascii_lowercase().replace('_', "-")), name))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Levenshtein's.
fn distance(left: &[char], right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.iter().enumerate() {
        let mut diagonal = i;
        let mut before = i + 1;
        for (cell, b) in row.iter_mut().skip(1).zip(&right) {
            let change = diagonal + usize::from(a != b);
            diagonal = *cell;
            before = change.min(diagonal + 1).min(before + 1);
            *cell = before;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(left.len())
}

/// `"a", "b" or "c"`.
pub fn alternatives<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = names.map(|name| format!("\"{name}\"")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        Some((last, _)) => last.clone(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_are_escaped() {
        let root = At::ROOT;
        let (a, b);
        a = root.key("a/b~c");
        b = a.index(3);
        assert_eq!(b.pointer(), "/a~1b~0c/3");
        assert_eq!(root.pointer(), "");
    }

    #[test]
    fn slips_are_recognised() {
        let known = ["max_attempts", "statuses", "jitter"];
        assert_eq!(nearest("max_attempt", known.into_iter()), Some("max_attempts"));
        assert_eq!(nearest("maxAttempts", known.into_iter()), Some("max_attempts"));
        assert_eq!(nearest("Jiter", known.into_iter()), Some("jitter"));
        assert_eq!(nearest("colour", known.into_iter()), None);
        assert_eq!(nearest("", known.into_iter()), None);
    }
}
