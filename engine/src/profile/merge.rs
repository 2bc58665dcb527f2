//! JSON Merge Patch (RFC 7396), and reading the two texts that it is applied to.

use super::read::{At, Problems, code};
use serde_json::{Map, Value};

/// The profile with its overrides in it.
pub fn document(profile: &str, overrides: Option<&str>, problems: &mut Problems) -> Option<Value> {
    let base = parse(profile, "the profile", problems);
    let patch = overrides.map(|text| parse(text, "the overrides", problems));
    let mut base = base?;
    if let Some(patch) = patch {
        merge(&mut base, patch?);
    }
    Some(base)
}

/// The message says what is wrong and where; of a syntax error serde_json never repeats the text.
fn parse(text: &str, what: &str, problems: &mut Problems) -> Option<Value> {
    match serde_json::from_str(text.strip_prefix('\u{feff}').unwrap_or(text)) {
        Ok(value @ Value::Object(_)) => Some(value),
        Ok(value) => {
            problems.wrong_type(&At::ROOT, &value, &format!("an object as {what}"));
            None
        }
        Err(error) => {
            let message = format!("{what} cannot be read as JSON: {error}");
            problems.add(&At::ROOT, code::INVALID_JSON, message);
            None
        }
    }
}

/// RFC 7396, 2: null removes, objects are merged, everything else replaces. The parser's
/// limit on nesting bounds the recursion.
pub fn merge(target: &mut Value, patch: Value) {
    let Value::Object(patch) = patch else {
        *target = patch;
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Value::Object(target) = target else { return };
    for (key, value) in patch {
        if value.is_null() {
            target.shift_remove(&key);
        } else {
            merge(target.entry(key).or_insert(Value::Null), value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of RFC 7396, appendix A.
    #[test]
    fn examples_of_the_rfc() {
        for (original, patch, result) in [
            (r#"{"a":"b"}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
            (r#"{"a":"b"}"#, r#"{"b":"c"}"#, r#"{"a":"b","b":"c"}"#),
            (r#"{"a":"b"}"#, r#"{"a":null}"#, r#"{}"#),
            (r#"{"a":"b","b":"c"}"#, r#"{"a":null}"#, r#"{"b":"c"}"#),
            (r#"{"a":["b"]}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
            (r#"{"a":"c"}"#, r#"{"a":["b"]}"#, r#"{"a":["b"]}"#),
            (r#"{"a":{"b":"c"}}"#, r#"{"a":{"b":"d","c":null}}"#, r#"{"a":{"b":"d"}}"#),
            (r#"{"a":[{"b":"c"}]}"#, r#"{"a":[1]}"#, r#"{"a":[1]}"#),
            (r#"["a","b"]"#, r#"["c","d"]"#, r#"["c","d"]"#),
            (r#"{"a":"b"}"#, r#"["c"]"#, r#"["c"]"#),
            (r#"{"a":"foo"}"#, r#"null"#, r#"null"#),
            (r#"{"a":"foo"}"#, r#""bar""#, r#""bar""#),
            (r#"{"e":null}"#, r#"{"a":1}"#, r#"{"e":null,"a":1}"#),
            (r#"[1,2]"#, r#"{"a":"b","c":null}"#, r#"{"a":"b"}"#),
            (r#"{}"#, r#"{"a":{"bb":{"ccc":null}}}"#, r#"{"a":{"bb":{}}}"#),
        ] {
            let mut target: Value = serde_json::from_str(original).unwrap();
            merge(&mut target, serde_json::from_str(patch).unwrap());
            assert_eq!(target, serde_json::from_str::<Value>(result).unwrap(), "{original} {patch}");
        }
    }

    #[test]
    fn both_texts_are_judged() {
        let mut problems = Problems::default();
        assert!(document("{\n  \"CANARY", Some("[]"), &mut problems).is_none());
        let found: Vec<_> = problems.0.iter().map(|p| (p.pointer.as_str(), p.code, p.message.as_str())).collect();
        assert_eq!(found.len(), 2);
        assert_eq!(
            found[0],
            (
                "",
                code::INVALID_JSON,
                "the profile cannot be read as JSON: EOF while parsing a string at line 2 column 9"
            )
        );
        assert_eq!(found[1].1, code::WRONG_TYPE);
    }
}
