//! One look at a document for many pointers.
//!
//! Objects and arrays are walked only where a pointer leads; everything else is skipped by
//! serde_json's scanner, which keeps its nesting in memory and not on the stack.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::{Pointer, is_space};

/// The text is not one JSON document. Says nothing about where: the document may hold secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

/// Cuts out the raw text of each pointer's target, `None` where there is none.
///
/// The whole document is checked to be JSON; a BOM before it is accepted (B122). Of several
/// members with one name the last counts, as in most parsers. The text is gone through once
/// for each level that the pointers have in common with it, whatever their number.
pub fn capture<'a>(json: &'a str, pointers: &[&Pointer]) -> Result<Vec<Option<&'a str>>, Malformed> {
    let json = json.strip_prefix('\u{feff}').unwrap_or(json);
    let mut found = vec![None; pointers.len()];
    let all = (0..pointers.len()).collect();
    let mut walk = Walk { pointers, found: &mut found };
    walk.value(json, all, 0).map_err(|_| Malformed)?;
    Ok(found)
}

/// One look for all pointers at once. A pointer is named by its place in the list.
struct Walk<'p, 'a> {
    pointers: &'p [&'p Pointer],
    found: &'p mut Vec<Option<&'a str>>,
}

impl<'a> Walk<'_, 'a> {
    /// Looks at one value that `wanted` lead to or through, `depth` tokens down.
    fn value(&mut self, raw: &'a str, wanted: Vec<usize>, depth: usize) -> serde_json::Result<()> {
        let (here, below): (Vec<_>, Vec<_>) = wanted.into_iter().partition(|&p| self.token(p, depth).is_none());
        let mut json = serde_json::Deserializer::from_str(raw);
        if !here.is_empty() {
            let text = <&RawValue as serde::Deserialize>::deserialize(&mut json)?.get();
            json.end()?;
            here.into_iter().for_each(|p| self.set(p, Some(text)));
            return if below.is_empty() { Ok(()) } else { self.value_below(text, below, depth) };
        }
        self.value_below(raw, below, depth)
    }

    /// As `value`, when every pointer goes on. The first byte tells what to walk, because
    /// serde_json refuses scalars that JSON allows (1e999, lone surrogates) unless skipped.
    fn value_below(&mut self, raw: &'a str, wanted: Vec<usize>, depth: usize) -> serde_json::Result<()> {
        // An earlier member of the same name may have been looked into.
        wanted.iter().for_each(|&p| self.set(p, None));
        let mut json = serde_json::Deserializer::from_str(raw);
        let level = Level { walk: self, wanted, depth };
        match raw.trim_start_matches(is_space).bytes().next() {
            Some(b'{') => json.deserialize_map(level)?,
            Some(b'[') => json.deserialize_seq(level)?,
            _ => json.deserialize_ignored_any(IgnoredAny).map(|_| ())?,
        }
        json.end()
    }

    fn token(&self, pointer: usize, depth: usize) -> Option<&str> {
        self.pointers.get(pointer)?.tokens().get(depth).map(String::as_str)
    }

    fn set(&mut self, pointer: usize, text: Option<&'a str>) {
        if let Some(found) = self.found.get_mut(pointer) {
            *found = text;
        }
    }
}

/// One object or array on the way of some pointers.
struct Level<'w, 'p, 'a> {
    walk: &'w mut Walk<'p, 'a>,
    wanted: Vec<usize>,
    depth: usize,
}

impl Level<'_, '_, '_> {
    fn matching(&self, is: impl Fn(&str) -> bool) -> Vec<usize> {
        self.wanted.iter().copied().filter(|&p| self.walk.token(p, self.depth).is_some_and(&is)).collect()
    }
}

impl<'a> Visitor<'a> for Level<'_, '_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or array")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(matching) = map.next_key_seed(Key(&self))? {
            if matching.is_empty() {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let raw: &'a RawValue = map.next_value()?;
            self.walk.value(raw.get(), matching, self.depth + 1).map_err(A::Error::custom)?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut seq: A) -> Result<(), A::Error> {
        let mut index = 0usize;
        loop {
            let matching = self.matching(|token| index_of(token) == Some(index));
            if matching.is_empty() {
                if seq.next_element::<IgnoredAny>()?.is_none() {
                    return Ok(());
                }
            } else {
                let Some(raw) = seq.next_element::<&'a RawValue>()? else { return Ok(()) };
                self.walk.value(raw.get(), matching, self.depth + 1).map_err(A::Error::custom)?;
            }
            index = index.saturating_add(1);
        }
    }
}

/// Reads a member's name and tells which pointers go through it. Compares bytes, so that a
/// name that no Rust string can hold is skipped instead of refused.
struct Key<'l, 'w, 'p, 'a>(&'l Level<'w, 'p, 'a>);

impl<'a> DeserializeSeed<'a> for Key<'_, '_, '_, 'a> {
    type Value = Vec<usize>;

    fn deserialize<D: Deserializer<'a>>(self, name: D) -> Result<Vec<usize>, D::Error> {
        name.deserialize_bytes(self)
    }
}

impl<'a> Visitor<'a> for Key<'_, '_, '_, 'a> {
    type Value = Vec<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a member name")
    }

    fn visit_bytes<E>(self, name: &[u8]) -> Result<Vec<usize>, E> {
        Ok(self.0.matching(|token| token.as_bytes() == name))
    }
}

/// The index that a token means: RFC 6901, section 4 (no leading zeros, no sign).
fn index_of(token: &str) -> Option<usize> {
    let digits = token.bytes().all(|b| b.is_ascii_digit());
    let canonical = token == "0" || !token.starts_with('0');
    if digits && canonical { token.parse().ok() } else { None }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::json::{array, splice};
    use proptest::prelude::*;

    fn pointer(text: &str) -> Pointer {
        Pointer::parse(text).unwrap()
    }

    fn one<'a>(json: &'a str, at: &str) -> Option<&'a str> {
        capture(json, &[&pointer(at)]).unwrap().pop().unwrap()
    }

    #[test]
    fn pointers_of_rfc_6901_section_5() {
        let json = r#"{"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6, " ": 7, "m~n": 8}"#;
        let table = [
            ("", json),
            ("/foo", r#"["bar", "baz"]"#),
            ("/foo/0", r#""bar""#),
            ("/", "0"),
            ("/a~1b", "1"),
            ("/c%d", "2"),
            ("/e^f", "3"),
            ("/g|h", "4"),
            ("/i\\j", "5"),
            ("/k\"l", "6"),
            ("/ ", "7"),
            ("/m~0n", "8"),
        ];
        let pointers: Vec<_> = table.iter().map(|(at, _)| pointer(at)).collect();
        let found = capture(json, &pointers.iter().collect::<Vec<_>>()).unwrap();
        for ((at, right), found) in table.iter().zip(found) {
            assert_eq!(found, Some(*right), "{at}");
        }
    }

    #[test]
    fn what_is_cut_keeps_its_text() {
        let json = "\u{feff} {\"data\" : [ 1.10, 1e999 ,{\"b\":1,\"a\":2}\n] ,\"n\":12345678901234567890} ";
        assert_eq!(one(json, "/data"), Some("[ 1.10, 1e999 ,{\"b\":1,\"a\":2}\n]"));
        assert_eq!(one(json, "/data/0"), Some("1.10"));
        assert_eq!(one(json, "/n"), Some("12345678901234567890"));
        assert_eq!(one(json, ""), Some(json.trim_start_matches('\u{feff}').trim()));
    }

    #[test]
    fn what_is_not_there() {
        let json = r#"{"a":[10,11],"s":"x","n":null,"big":1e999,"lone":"\ud800","\udfff":1,"o":{}}"#;
        for at in ["/b", "/a/2", "/a/-", "/a/01", "/a/+1", "/a/", "/s/0", "/n/x", "/big/x", "/lone/x", "/o/x"] {
            assert_eq!(one(json, at), None, "{at}");
        }
        assert_eq!(one(json, "/n"), Some("null"));
        assert_eq!(one(json, "/a/1"), Some("11"));
        assert_eq!(one(json, "/lone"), Some(r#""\ud800""#));
        assert_eq!(capture("[]", &[]), Ok(vec![]));
    }

    #[test]
    fn the_last_of_equal_names_counts() {
        let json = r#"{"a":{"b":1},"c":5,"a":{"d":2}}"#;
        assert_eq!(one(json, "/a/b"), None);
        assert_eq!(one(json, "/a/d"), Some("2"));
        assert_eq!(one(r#"{"a":1,"\u0061":2}"#, "/a"), Some("2"));
        assert_eq!(one(r#"{"a":{"b":1},"a":7}"#, "/a/b"), None);
    }

    /// B122: what stands after or around the target is checked as well.
    #[test]
    fn a_document_that_is_not_json() {
        let broken = [
            "",
            " ",
            "\u{feff}",
            "<html>",
            "{",
            "{}x",
            "[1]]",
            r#"{"a":1,}"#,
            r#"{"a":1}{"#,
            r#"{"a":1,"b":tru}"#,
            r#"{"a":1,"b":"\x"}"#,
            "{\"a\":1,\"b\":\"\u{1}\"}",
            "NaN",
            "01",
            "\u{feff}\u{feff}{}",
        ];
        for json in broken {
            for at in ["", "/a", "/b", "/0", "/a/b"] {
                assert_eq!(capture(json, &[&pointer(at)]), Err(Malformed), "{json} {at}");
            }
        }
    }

    /// A supplier cannot overflow the stack: deep values are skipped without recursion.
    #[test]
    fn deep_nesting() {
        let deep = ["{\"x\":", &"[".repeat(100_000), &"]".repeat(100_000), ",\"y\":1}"].concat();
        assert_eq!(one(&deep, "/y"), Some("1"));
        assert_eq!(one(&deep, "/x").map(str::len), Some(200_000));
        assert_eq!(one(&deep, "").map(str::len), Some(deep.len()));
        assert_eq!(array(one(&deep, "/x").unwrap()).unwrap().count, 1);
        let long = "/x".to_owned() + &"/0".repeat(63);
        assert_eq!(one(&deep, &long).map(str::len), Some(200_000 - 2 * 63));
        let open = "[".repeat(100_000);
        assert_eq!(capture(&open, &[&pointer("/0")]), Err(Malformed));
        let objects = ["{\"x\":".repeat(100_000), "1".to_owned(), "}".repeat(100_000)].concat();
        assert!(one(&objects, "/x/x").is_some());
        assert!(splice(&objects, &pointer("/x/y"), "1").is_ok());
    }

    /// Any JSON, with names that pointers find hard.
    pub fn value() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            any::<bool>().prop_map(Into::into),
            any::<i64>().prop_map(Into::into),
            ".{0,4}".prop_map(Into::into),
        ];
        leaf.prop_recursive(4, 32, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Into::into),
                prop::collection::btree_map("[ab~/]{0,2}", inner, 0..5)
                    .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        /// serde_json's own pointers find the same.
        #[test]
        fn as_serde_json(value in value(), ats in prop::collection::vec("(/[ab0-2]{1,2}){0,3}", 0..4)) {
            let json = value.to_string();
            let pointers: Vec<_> = ats.iter().map(|at| pointer(at)).collect();
            let found = capture(&json, &pointers.iter().collect::<Vec<_>>()).unwrap();
            for (at, found) in ats.iter().zip(found) {
                let found = found.map(|raw| serde_json::from_str::<serde_json::Value>(raw).unwrap());
                prop_assert_eq!(found.as_ref(), value.pointer(at));
            }
        }
    }
}
