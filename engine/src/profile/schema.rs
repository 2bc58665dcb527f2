//! The JSON Schema of a profile (draft 2020-12), from the same declarations as its reader.

use super::object::{Choice, Object};
use super::{Document, Policy, part_kind};
use serde_json::{Map, Value, json};

/// The schema that is checked in as `schemas/profile.schema.json`.
pub fn schema() -> Value {
    let Value::Object(document) = object::<Document>() else { return Value::Null };
    let mut schema = Map::new();
    schema.insert("$schema".into(), "https://json-schema.org/draft/2020-12/schema".into());
    schema.insert("title".into(), "Supplier profile".into());
    schema.extend(document);
    schema.insert("$defs".into(), json!({ "part": part_kind::definition() }));
    Value::Object(schema)
}

/// An object that `object!` declares.
pub fn object<T: Object>() -> Value {
    build::<T>(None)
}

/// An object of a union whose member `tag` is always `name`.
pub fn tagged_object<T: Object>((tag, about): (&'static str, &'static str), name: &'static str) -> Value {
    build::<T>(Some((tag, json!({ "const": name, "description": about }))))
}

fn build<T: Object>(tag: Option<(&'static str, Value)>) -> Value {
    let (about, declared) = T::properties();
    let mut properties = Map::new();
    let mut required = Vec::new();
    if let Some((name, schema)) = tag {
        properties.insert(name.into(), schema);
        required.push(Value::from(name));
    }
    for (name, doc, schema, is_required) in declared {
        properties.insert(name.into(), described(schema, &doc));
        if is_required {
            required.push(Value::from(name));
        }
    }
    properties.insert("$schema".into(), json!({ "type": "string" }));
    properties.insert("notes".into(), json!({ "description": "A comment; it is not read." }));
    let mut schema = json!({ "type": "object", "description": clean(&about), "properties": properties });
    if !required.is_empty() {
        schema["required"] = Value::Array(required);
    }
    schema["additionalProperties"] = Value::Bool(false);
    schema
}

/// One of a few strings.
pub fn choice<T: Choice>() -> Value {
    let names: Vec<&str> = T::ALL.iter().map(|(name, _)| *name).collect();
    json!({ "type": "string", "enum": names, "$comment": T::about().join(" ") })
}

/// One property of an object, without its description.
pub fn section<T: Object>(name: &str) -> Value {
    let (_, properties) = T::properties();
    properties.into_iter().find(|(key, ..)| *key == name).map_or(Value::Null, |(_, _, schema, _)| schema)
}

/// The operations: merge patches on a policy.
pub fn operations() -> Value {
    json!({
        "type": "object",
        "properties": { "$schema": { "type": "string" }, "notes": {} },
        "propertyNames": keys("^[A-Za-z0-9._-]{1,64}$"),
        "additionalProperties": patch(object::<Policy>()),
    })
}

/// Keys that are the profile's own, and the two that may stand everywhere.
pub fn keys(pattern: &str) -> Value {
    json!({ "anyOf": [{ "pattern": pattern }, { "enum": ["$schema", "notes"] }] })
}

/// What a merge patch on an object may be: nothing is required, and null removes.
fn patch(schema: Value) -> Value {
    let Value::Object(mut schema) = schema else { return schema };
    schema.remove("required");
    schema.remove("default");
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        for property in properties.values_mut() {
            let description = property.as_object_mut().and_then(|p| p.remove("description"));
            *property = json!({ "anyOf": [patch(property.take()), { "type": "null" }] });
            if let Some(description) = description {
                property["description"] = description;
            }
        }
    }
    Value::Object(schema)
}

/// The key's own description goes before that of its type.
fn described(schema: Value, doc: &str) -> Value {
    let Value::Object(mut schema) = schema else { return schema };
    schema.insert("description".into(), clean(doc).into());
    Value::Object(schema)
}

fn clean(doc: &str) -> String {
    doc.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    /// Made anew by `cargo run -p supplier-engine --features schema --example schema`.
    #[test]
    fn the_file_is_fresh() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../schemas/profile.schema.json");
        let file = std::fs::read_to_string(path).unwrap_or_default();
        let fresh = serde_json::to_string_pretty(&super::schema()).unwrap() + "\n";
        assert!(file == fresh, "schemas/profile.schema.json is stale: see this test's comment");
    }
}
