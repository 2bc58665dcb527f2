//! JSON as text: values are cut out of a document and put into one without writing the rest
//! anew, so that numbers keep their digits, members their order and strings their escapes.

mod capture;
mod pointer;

use std::fmt;

use serde::de::{Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde_json::value::RawValue;

pub use capture::{Malformed, capture};
pub use pointer::Pointer;

/// Why a value could not be put into a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpliceError {
    /// The document is not JSON.
    NotJson,
    /// What should hold the new member is not there, or is no object.
    NoParent,
}

/// What paging needs of a JSON array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Array<'a> {
    /// Number of elements.
    pub count: u32,
    /// Raw text of the first element.
    pub first: Option<&'a str>,
    /// Raw text of the last element.
    pub last: Option<&'a str>,
}

/// The raw text of a JSON string, unescaped; `None` if it is none, or holds a lone surrogate,
/// which no Rust string can.
pub fn string(raw: &str) -> Option<String> {
    serde_json::from_str(raw).ok()
}

/// What a scalar says: a string unescaped, a number, `true` or `false` as it stands. `None`
/// for `null`, arrays, objects and whatever is not JSON.
pub fn scalar(raw: &str) -> Option<String> {
    let raw = raw.trim_matches(is_space);
    match raw.bytes().next()? {
        b'"' => string(raw),
        b't' | b'f' | b'-' | b'0'..=b'9' => {
            serde_json::from_str::<IgnoredAny>(raw).ok()?;
            Some(raw.to_owned())
        }
        _ => None,
    }
}

/// The elements of an array; `None` if the text is none.
pub fn array(raw: &str) -> Option<Array<'_>> {
    let mut json = serde_json::Deserializer::from_str(raw);
    let array = json.deserialize_seq(Elements).ok()?;
    json.end().ok()?;
    Some(array)
}

/// Replaces the target of a pointer by a JSON text, or adds it as the last member of its
/// parent object, which must be there. Every other byte stays. An empty document counts as
/// `{}`.
pub fn splice(json: &str, at: &Pointer, value: &str) -> Result<String, SpliceError> {
    let json = if json.trim_matches(is_space).is_empty() { "{}" } else { json };
    let parent = at.split_last();
    let way = parent.as_ref().map_or(at, |(way, _)| way);
    let found = capture(json, &[at, way]).map_err(|_| SpliceError::NotJson)?;
    let target = found.first().copied().flatten();
    let holder = found.get(1).copied().flatten();

    if let Some(target) = target {
        return replaced(json, target, value).ok_or(SpliceError::NotJson);
    }
    let (Some(holder), Some((_, name))) = (holder, parent) else { return Err(SpliceError::NoParent) };
    let members = holder.strip_prefix('{').and_then(|text| text.strip_suffix('}')).ok_or(SpliceError::NoParent)?;
    let kept = members.trim_end_matches(is_space);
    let tail = members.get(kept.len()..).unwrap_or_default();
    let comma = if kept.is_empty() { "" } else { "," };
    let object = ["{", kept, comma, &quote(name), ":", value, tail, "}"].concat();
    replaced(json, holder, &object).ok_or(SpliceError::NotJson)
}

/// A text as a JSON string literal.
pub fn quote(text: &str) -> String {
    // Writing a string into memory cannot fail.
    serde_json::to_string(text).unwrap_or_default()
}

/// White space of RFC 8259.
fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

/// `whole` with `part`, which is a slice of it, replaced.
fn replaced(whole: &str, part: &str, by: &str) -> Option<String> {
    let start = (part.as_ptr() as usize).checked_sub(whole.as_ptr() as usize)?;
    let end = start.checked_add(part.len())?;
    Some([whole.get(..start)?, by, whole.get(end..)?].concat())
}

struct Elements;

impl<'a> Visitor<'a> for Elements {
    type Value = Array<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut seq: A) -> Result<Array<'a>, A::Error> {
        let mut array = Array { count: 0, first: None, last: None };
        while let Some(element) = seq.next_element::<&'a RawValue>()? {
            array.count = array.count.saturating_add(1);
            array.first = array.first.or(Some(element.get()));
            array.last = Some(element.get());
        }
        Ok(array)
    }
}

#[cfg(test)]
mod tests {
    use super::capture::tests::value;
    use super::*;
    use proptest::prelude::*;

    fn pointer(text: &str) -> Pointer {
        Pointer::parse(text).unwrap()
    }

    #[test]
    fn strings_and_scalars() {
        assert_eq!(string(r#""a\"\u00e9\ud83d\ude00""#).as_deref(), Some("a\"é😀"));
        assert_eq!(string(r#""\ud800""#), None);
        assert_eq!(string("1"), None);
        let table = [
            ("\"x\"", Some("x")),
            ("\"\"", Some("")),
            ("1.50", Some("1.50")),
            ("-1e5", Some("-1e5")),
            ("9007199254740993", Some("9007199254740993")),
            ("true", Some("true")),
            ("null", None),
            ("[]", None),
            ("{}", None),
            ("", None),
            ("01", None),
            ("truth", None),
        ];
        for (raw, right) in table {
            assert_eq!(scalar(raw).as_deref(), right, "{raw}");
        }
    }

    #[test]
    fn arrays() {
        assert_eq!(array("[ ]"), Some(Array { count: 0, first: None, last: None }));
        assert_eq!(array("[ {\"a\": 1.0} ]").unwrap().last, Some("{\"a\": 1.0}"));
        let three = array("[1, [2,3] ,\"x\"]").unwrap();
        assert_eq!((three.count, three.first, three.last), (3, Some("1"), Some("\"x\"")));
        for raw in ["{}", "null", "", "[1", "[1]x", "\"[]\""] {
            assert_eq!(array(raw), None, "{raw}");
        }
    }

    #[test]
    fn splicing() {
        let table = [
            ("", "/cursor", Ok("{\"cursor\":7}")),
            (" \n", "/cursor", Ok("{\"cursor\":7}")),
            ("{ }", "/c", Ok("{\"c\":7 }")),
            ("{ \"a\" : 1.0 \n}", "/c", Ok("{ \"a\" : 1.0,\"c\":7 \n}")),
            ("{ \"a\" : 1.0 }", "/a", Ok("{ \"a\" : 7 }")),
            ("{\"o\":{\"a\":1}, \"z\":2}", "/o/b\"/1", Err(SpliceError::NoParent)),
            ("{\"o\":{\"a\":1}, \"z\":2}", "/o/b\"", Ok("{\"o\":{\"a\":1,\"b\\\"\":7}, \"z\":2}")),
            ("{\"l\":[1,2]}", "/l/1", Ok("{\"l\":[1,7]}")),
            ("{\"l\":[1,2]}", "/l/2", Err(SpliceError::NoParent)),
            ("{\"l\":[1,2]}", "/l/-", Err(SpliceError::NoParent)),
            ("{\"a\":1,\"a\":2}", "/a", Ok("{\"a\":1,\"a\":7}")),
            (" [1] ", "", Ok(" 7 ")),
            ("", "", Ok("7")),
            ("[]", "/c", Err(SpliceError::NoParent)),
            ("null", "/c", Err(SpliceError::NoParent)),
            ("{\"p\":null}", "/p/c", Err(SpliceError::NoParent)),
            ("{", "/c", Err(SpliceError::NotJson)),
            ("a=b", "/c", Err(SpliceError::NotJson)),
        ];
        for (json, at, right) in table {
            assert_eq!(splice(json, &pointer(at), "7").as_deref(), right.as_ref().copied(), "{json} {at}");
        }
    }

    #[test]
    fn quoting() {
        assert_eq!(quote("a\"\\\n\u{1}é"), "\"a\\\"\\\\\\n\\u0001é\"");
    }

    proptest! {
        #[test]
        fn never_panics(json in ".{0,64}", at in "(/[a-c0-2~]{0,2}){0,3}", new in ".{0,8}") {
            let _ = (string(&json), scalar(&json), array(&json));
            prop_assert_eq!(string(&quote(&json)), Some(json.clone()));
            if let Ok(at) = Pointer::parse(&at) {
                let valid = serde_json::from_str::<IgnoredAny>(&json).is_ok();
                prop_assert_eq!(capture(&json, &[&at]).is_ok(), valid);
                let _ = splice(&json, &at, &new);
            }
        }

        #[test]
        fn json_like_text_never_panics(json in r#"[\[\]{}",:\\ u0-9aetrufnl]{0,24}"#, at in "(/[a0]{0,2}){0,3}") {
            let valid = serde_json::from_str::<IgnoredAny>(&json).is_ok();
            let at = pointer(&at);
            prop_assert_eq!(capture(&json, &[&at]).is_ok(), valid);
            let _ = (splice(&json, &at, "1"), array(&json), scalar(&json));
        }

        /// What was put in is found there, and nothing else has changed.
        #[test]
        fn spliced_is_captured(value in value(), at in "(/[ab0-2]{1,2}){0,3}") {
            let json = value.to_string();
            let at = pointer(&at);
            if let Ok(spliced) = splice(&json, &at, "\"new\"") {
                prop_assert_eq!(capture(&spliced, &[&at]).unwrap(), vec![Some("\"new\"")]);
            }
        }

    }
}
