//! Partial matches on JSON: objects by the keys given, lists element by element and of equal
//! length; null means absent.

use serde_json::Value;

use super::{Differences, show};

/// Against a text that must be JSON.
pub fn judge_text(path: &str, expected: &Value, text: &str, found: &mut Differences) {
    match serde_json::from_str(text) {
        Ok(got) => judge(path, expected, Some(&got), found),
        Err(error) => found.add(path, "JSON", format!("{} ({error})", show(text))),
    }
}

pub fn judge(path: &str, expected: &Value, got: Option<&Value>, found: &mut Differences) {
    match (expected, got) {
        (Value::Null, None | Some(Value::Null)) => {}
        (Value::Object(members), Some(Value::Object(got))) => {
            for (name, member) in members {
                judge(&format!("{path}.{name}"), member, got.get(name), found);
            }
        }
        (Value::Array(items), Some(Value::Array(got))) => {
            if items.len() != got.len() {
                found.add(path, format!("{} elements", items.len()), format!("{}", Value::Array(got.clone())));
                return;
            }
            for (index, (item, got)) in items.iter().zip(got).enumerate() {
                judge(&format!("{path}[{index}]"), item, Some(got), found);
            }
        }
        (expected, Some(got)) if same(expected, got) => {}
        (expected, got) => {
            let expected = if expected.is_null() { "nothing".to_owned() } else { expected.to_string() };
            found.add(path, expected, got.map_or_else(|| "nothing".to_owned(), Value::to_string));
        }
    }
}

/// Whole equality; `5` is `5.0`.
pub fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || (a.as_f64().is_some() && a.as_f64() == b.as_f64()),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| same(a, b)))
        }
        (a, b) => a == b,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn differences(expected: Value, got: Value) -> Vec<String> {
        let mut found = Differences::default();
        judge("j", &expected, Some(&got), &mut found);
        found.0.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn objects_by_the_keys_given() {
        assert!(differences(json!({"a": {"b": 1}}), json!({"a": {"b": 1.0, "c": 2}, "d": 3})).is_empty());
        assert!(differences(json!({"a": null}), json!({"b": 1})).is_empty());
        assert_eq!(differences(json!({"a": null}), json!({"a": 1})), ["j.a: expected nothing, got 1"]);
        assert_eq!(differences(json!({"a": 1}), json!({})), ["j.a: expected 1, got nothing"]);
    }

    #[test]
    fn lists_element_by_element_and_of_equal_length() {
        assert!(differences(json!([{"a": 1}, {}]), json!([{"a": 1, "b": 2}, {"c": 3}])).is_empty());
        assert_eq!(differences(json!([{}]), json!([{}, 1])), ["j: expected 1 elements, got [{},1]"]);
        assert_eq!(differences(json!([1, 2]), json!([1, 3])), ["j[1]: expected 2, got 3"]);
    }
}
