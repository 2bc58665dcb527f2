//! Names and values in order: written as an object, or as a list of pairs where a name
//! occurs more than once.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Number;

use super::body;

#[derive(Clone, Debug, PartialEq)]
pub struct Pairs<V>(pub Vec<(String, V)>);

impl<V> Default for Pairs<V> {
    fn default() -> Pairs<V> {
        Pairs(Vec::new())
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Pairs<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Pairs<V>, D::Error> {
        deserializer.deserialize_any(PairsVisitor(PhantomData))
    }
}

impl<V: JsonSchema> JsonSchema for Pairs<V> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Pairs_of_{}", V::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let value = generator.subschema_for::<V>();
        json_schema!({ "anyOf": [
            { "type": "object", "additionalProperties": value },
            { "type": "array", "items": {
                "type": "array", "prefixItems": [{ "type": "string" }, value], "minItems": 2, "maxItems": 2 } }
        ] })
    }
}

struct PairsVisitor<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de>> Visitor<'de> for PairsVisitor<V> {
    type Value = Pairs<V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or a list of [name, value] pairs")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs<V>, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(Pairs(pairs))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Pairs<V>, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = list.next_element()? {
            pairs.push(pair);
        }
        Ok(Pairs(pairs))
    }
}

/// A header of a scripted response. A list stands for several lines.
#[derive(Clone, Debug, PartialEq, serde::Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields, expecting = "a text, a number, {\"base64\"} for raw bytes, or a list of these")]
pub enum HeaderValue {
    Text(String),
    Number(#[schemars(with = "f64")] Number),
    Base64 { base64: String },
    Lines(Vec<HeaderValue>),
}

impl HeaderValue {
    /// The bytes of each line.
    pub fn lines(&self) -> Result<Vec<Vec<u8>>, String> {
        match self {
            HeaderValue::Text(text) => Ok(vec![text.clone().into_bytes()]),
            HeaderValue::Number(number) => Ok(vec![number.to_string().into_bytes()]),
            HeaderValue::Base64 { base64 } => Ok(vec![body::decode(base64)?]),
            HeaderValue::Lines(lines) => {
                Ok(lines.iter().map(HeaderValue::lines).collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
            }
        }
    }
}

impl From<&str> for HeaderValue {
    fn from(text: &str) -> HeaderValue {
        HeaderValue::Text(text.to_owned())
    }
}
