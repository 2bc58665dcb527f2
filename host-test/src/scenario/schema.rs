//! The JSON Schema of scenarios, for editors.

use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use serde_json::{Map, Value, json};

use super::{Expect, Scenario};

/// As it is checked in at `schemas/scenario.schema.json`.
pub fn schema() -> String {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    generator.subschema_for::<Expect>(); // `Call` refers to it
    let mut schema = generator.into_root_schema_for::<Scenario>();
    Placeholders.transform(&mut schema);
    let definitions = schema.ensure_object().entry("$defs").or_insert_with(|| Value::Object(Map::new()));
    definitions[PLACEHOLDER] = json!({
        "description": "A value of `each`.",
        "type": "string",
        "pattern": "^\\$\\{[^}]+\\}$"
    });
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}

const PLACEHOLDER: &str = "Placeholder";

/// Where any value may stand, `${name}` may.
struct Placeholders;

impl Transform for Placeholders {
    fn transform(&mut self, schema: &mut Schema) {
        transform_subschemas(self, schema);
        let Some(members) = schema.as_object_mut() else { return };
        if let Some(Value::Object(properties)) = members.get_mut("properties") {
            let by_name = properties.iter_mut().filter(|(name, _)| !FIXED.contains(&name.as_str()));
            by_name.for_each(|(_, property)| allow(property));
        }
        for key in ["items", "additionalProperties"] {
            members.get_mut(key).filter(|value| value.is_object()).into_iter().for_each(allow);
        }
        if let Some(Value::Array(items)) = members.get_mut("prefixItems") {
            items.iter_mut().for_each(allow);
        }
    }
}

/// Read before `each` is.
const FIXED: [&str; 3] = ["$schema", "scenario", "each"];

fn allow(schema: &mut Value) {
    if schema.get("type") == Some(&json!("string")) && schema.get("enum").is_none() {
        return;
    }
    let inner = schema.take();
    let mut outer = json!({ "anyOf": [inner, { "$ref": format!("#/$defs/{PLACEHOLDER}") }] });
    for key in ["description", "default"] {
        if let Some(moved) = outer["anyOf"][0].as_object_mut().and_then(|inner| inner.shift_remove(key)) {
            outer[key] = moved;
        }
    }
    *schema = outer;
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    /// `UPDATE_SCHEMAS=1 cargo test` writes it anew.
    #[test]
    fn the_checked_in_schema_is_fresh() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../schemas/scenario.schema.json");
        let fresh = super::schema();
        if std::env::var_os("UPDATE_SCHEMAS").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &fresh).unwrap();
        }
        let checked_in = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(checked_in == fresh, "stale: run UPDATE_SCHEMAS=1 cargo test --release --package supplier-test schema");
    }
}
