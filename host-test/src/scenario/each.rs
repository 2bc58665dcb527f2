//! `each`: one file, several scenarios.

use serde_json::{Map, Value};

/// The document once for each member of its `each`, with what the member is called.
pub fn expand(document: Value) -> Result<Vec<(Option<String>, Value)>, String> {
    let Value::Object(mut document) = document else { return Err("a scenario is a JSON object".to_owned()) };
    let Some(each) = document.shift_remove("each") else { return Ok(vec![(None, Value::Object(document))]) };
    let Value::Array(each) = each else { return Err("each: a list of objects".to_owned()) };
    if each.is_empty() {
        return Err("each: an empty list plays nothing".to_owned());
    }
    let document = Value::Object(document);
    let mut expanded = Vec::with_capacity(each.len());
    for (index, values) in each.iter().enumerate() {
        let Value::Object(values) = values else { return Err(format!("each[{index}]: an object")) };
        let filled = fill(&document, values).map_err(|error| format!("{error}, which each[{index}] does not give"))?;
        expanded.push((Some(label(index, values)), filled));
    }
    Ok(expanded)
}

fn label(index: usize, values: &Map<String, Value>) -> String {
    let short = values.iter().map(|(name, value)| format!("{name}={}", text(value))).collect::<Vec<_>>().join(" ");
    let short = short.chars().map(|c| if c.is_control() { ' ' } else { c }).take(60).collect::<String>();
    format!("{} {short}", index + 1)
}

fn fill(value: &Value, values: &Map<String, Value>) -> Result<Value, String> {
    Ok(match value {
        Value::String(template) => fill_text(template, values)?,
        Value::Array(list) => Value::Array(list.iter().map(|item| fill(item, values)).collect::<Result<_, _>>()?),
        Value::Object(members) => {
            let mut filled = Map::with_capacity(members.len());
            for (name, member) in members {
                filled.insert(text(&fill_text(name, values)?), fill(member, values)?);
            }
            Value::Object(filled)
        }
        other => other.clone(),
    })
}

fn fill_text(template: &str, values: &Map<String, Value>) -> Result<Value, String> {
    let lookup = |name: &str| values.get(name).ok_or_else(|| format!("`${{{name}}}`"));
    if let Some(name) = template.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'))
        && !name.contains('}')
    {
        return lookup(name).cloned();
    }
    let mut filled = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("${") {
        let Some((name, after)) = after.split_once('}') else { break };
        filled.push_str(before);
        filled.push_str(&text(lookup(name)?));
        rest = after;
    }
    filled.push_str(rest);
    Ok(Value::String(filled))
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn without_each_it_is_played_once() {
        assert_eq!(expand(json!({"a": "${b}"})).unwrap(), [(None, json!({"a": "${b}"}))]);
    }

    #[test]
    fn whole_strings_become_values_and_parts_become_text() {
        let document = json!({
            "each": [{"n": 5, "h": "Retry-After"}, {"n": [1, {"x": null}], "h": "RETRY-AFTER"}],
            "script": [{"headers": {"${h}": "${n}"}, "body": "a${n}b${h}"}]
        });
        let expanded = expand(document).unwrap();
        assert_eq!(expanded[0].0.as_deref(), Some("1 n=5 h=Retry-After"));
        assert_eq!(expanded[0].1, json!({"script": [{"headers": {"Retry-After": 5}, "body": "a5bRetry-After"}]}));
        assert_eq!(
            expanded[1].1,
            json!({"script": [{"headers": {"RETRY-AFTER": [1, {"x": null}]}, "body": "a[1,{\"x\":null}]bRETRY-AFTER"}]})
        );
    }

    #[test]
    fn a_name_without_a_value_is_a_mistake() {
        let error = expand(json!({"each": [{"a": 1}], "about": "${b}"})).unwrap_err();
        assert_eq!(error, "`${b}`, which each[0] does not give");
        assert!(expand(json!({"each": []})).is_err());
    }
}
