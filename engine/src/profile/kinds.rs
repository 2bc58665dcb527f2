//! The kinds of values that profiles are made of: numbers, flags, lists and maps.

use super::names::Parsed;
use super::read::{At, Kind, Problems, code};
use serde_json::Value;

/// A whole number.
pub struct Int(u32, u32);

pub fn int(min: u32, max: u32) -> Int {
    Int(min, max)
}

impl Kind for Int {
    type Out = u32;

    fn read(&self, value: &Value, at: &At, problems: &mut Problems) -> Option<u32> {
        let Value::Number(number) = value else {
            problems.wrong_type(at, value, "a whole number");
            return None;
        };
        // 4.0 is an integer to JSON Schema, and what some encoders write.
        let whole = number.as_u64().or_else(|| {
            number.as_f64().filter(|f| f.fract() == 0.0 && (0.0..=4_294_967_295.0).contains(f)).map(|f| f as u64)
        });
        let found = whole.and_then(|n| u32::try_from(n).ok()).filter(|n| (self.0..=self.1).contains(n));
        if found.is_none() {
            let message = format!("write a whole number from {} to {}", self.0, self.1);
            problems.add(at, code::OUT_OF_RANGE, message);
        }
        found
    }

    #[cfg(feature = "schema")]
    fn schema(&self) -> Value {
        serde_json::json!({ "type": "integer", "minimum": self.0, "maximum": self.1 })
    }
}

/// The version of the format.
pub struct Version(pub u32);

impl Kind for Version {
    type Out = u32;

    fn read(&self, value: &Value, at: &At, problems: &mut Problems) -> Option<u32> {
        let Value::Number(number) = value else {
            problems.wrong_type(at, value, &self.0.to_string());
            return None;
        };
        if number.as_f64() == Some(f64::from(self.0)) {
            return Some(self.0);
        }
        let message = format!("this version of the component reads profiles of format {} alone", self.0);
        problems.add(at, code::INVALID_VALUE, message);
        None
    }

    #[cfg(feature = "schema")]
    fn schema(&self) -> Value {
        serde_json::json!({ "const": self.0 })
    }
}

/// A decimal number.
pub struct Decimal(f64, f64);

pub fn decimal(min: f64, max: f64) -> Decimal {
    Decimal(min, max)
}

impl Kind for Decimal {
    type Out = f64;

    fn read(&self, value: &Value, at: &At, problems: &mut Problems) -> Option<f64> {
        let Value::Number(number) = value else {
            problems.wrong_type(at, value, "a number");
            return None;
        };
        let found = number.as_f64().filter(|f| (self.0..=self.1).contains(f));
        if found.is_none() {
            problems.add(at, code::OUT_OF_RANGE, format!("write a number from {} to {}", self.0, self.1));
        }
        found
    }

    #[cfg(feature = "schema")]
    fn schema(&self) -> Value {
        serde_json::json!({ "type": "number", "minimum": self.0, "maximum": self.1 })
    }
}

/// `true` or `false`.
pub struct Bool;

impl Kind for Bool {
    type Out = bool;

    fn read(&self, value: &Value, at: &At, problems: &mut Problems) -> Option<bool> {
        if let Value::Bool(flag) = value {
            return Some(*flag);
        }
        problems.wrong_type(at, value, "true or false");
        None
    }

    #[cfg(feature = "schema")]
    fn schema(&self) -> Value {
        serde_json::json!({ "type": "boolean" })
    }
}

/// `true`, where saying it is the choice.
pub struct True;

impl Kind for True {
    type Out = ();

    fn read(&self, value: &Value, at: &At, problems: &mut Problems) -> Option<()> {
        if value == &Value::Bool(true) {
            return Some(());
        }
        problems.wrong_type(at, value, "true, or leave the key out");
        None
    }

    #[cfg(feature = "schema")]
    fn schema(&self) -> Value {
        serde_json::json!({ "const": true })
    }
}

/// A list.
pub struct List<K> {
    item: K,
    min: usize,
}

pub fn list<K: Kind>(item: K) -> List<K> {
    List { item, min: 0 }
}

pub fn some_list<K: Kind>(item: K) -> List<K> {
    List { item, min: 1 }
}

impl<K: Kind> Kind for List<K> {
    type Out = Vec<K::Out>;

    fn read(&self, value: &Value, at: &At, problems: &mut Problems) -> Option<Vec<K::Out>> {
        let Value::Array(items) = value else {
            problems.wrong_type(at, value, "a list");
            return None;
        };
        if items.len() < self.min {
            problems.add(at, code::OUT_OF_RANGE, "write at least one entry");
            return None;
        }
        // Every item is read before the first failure decides: all problems at once.
        let read: Vec<Option<K::Out>> =
            items.iter().enumerate().map(|(i, item)| self.item.read(item, &at.index(i), problems)).collect();
        read.into_iter().collect()
    }

    #[cfg(feature = "schema")]
    fn schema(&self) -> Value {
        match self.min {
            0 => serde_json::json!({ "type": "array", "items": self.item.schema() }),
            min => serde_json::json!({ "type": "array", "items": self.item.schema(), "minItems": min }),
        }
    }
}

/// A list, or its only entry alone.
pub struct OneOrMany<K>(List<K>);

pub fn one_or_many<K: Kind>(item: K) -> OneOrMany<K> {
    OneOrMany(some_list(item))
}

impl<K: Kind> Kind for OneOrMany<K> {
    type Out = Vec<K::Out>;

    fn read(&self, value: &Value, at: &At, problems: &mut Problems) -> Option<Vec<K::Out>> {
        match value {
            Value::Array(_) => self.0.read(value, at, problems),
            _ => Some(vec![self.0.item.read(value, at, problems)?]),
        }
    }

    #[cfg(feature = "schema")]
    fn schema(&self) -> Value {
        serde_json::json!({ "anyOf": [self.0.item.schema(), self.0.schema()] })
    }
}

/// An object whose keys are the profile's own; their order is kept.
pub struct MapOf<K, V> {
    key: Parsed<K>,
    value: V,
}

pub fn map<K, V: Kind>(key: Parsed<K>, value: V) -> MapOf<K, V> {
    MapOf { key, value }
}

impl<K, V: Kind> Kind for MapOf<K, V> {
    type Out = Vec<(K, V::Out)>;

    fn read(&self, value: &Value, at: &At, problems: &mut Problems) -> Option<Self::Out> {
        let Value::Object(entries) = value else {
            problems.wrong_type(at, value, "an object");
            return None;
        };
        let mut read = Vec::with_capacity(entries.len());
        let mut complete = true;
        for (name, value) in entries {
            // Comments, here as in every object: a header of that name can be written `Notes`.
            if name == "$schema" || name == "notes" {
                continue;
            }
            let at = at.key(name);
            let key = match (self.key.parse)(name) {
                Ok(key) => Some(key),
                Err(message) => {
                    problems.add(&at, code::INVALID_VALUE, message);
                    None
                }
            };
            match (key, self.value.read(value, &at, problems)) {
                (Some(key), Some(value)) => read.push((key, value)),
                _ => complete = false,
            }
        }
        complete.then_some(read)
    }

    #[cfg(feature = "schema")]
    fn schema(&self) -> Value {
        let mut schema = serde_json::json!({
            "type": "object",
            "properties": { "$schema": { "type": "string" }, "notes": {} },
            "additionalProperties": self.value.schema(),
        });
        if !self.key.pattern.is_empty() {
            schema["propertyNames"] = super::schema::keys(self.key.pattern);
        }
        schema
    }
}

/// Reads one shape and turns it into another, or finds what is wrong with it as a whole.
pub struct Refined<K, F> {
    kind: K,
    refine: F,
}

pub fn refined<K, T, F>(kind: K, refine: F) -> Refined<K, F>
where
    K: Kind,
    F: Fn(K::Out, &At, &mut Problems) -> Option<T>,
{
    Refined { kind, refine }
}

impl<K, T, F> Kind for Refined<K, F>
where
    K: Kind,
    F: Fn(K::Out, &At, &mut Problems) -> Option<T>,
{
    type Out = T;

    fn read(&self, value: &Value, at: &At, problems: &mut Problems) -> Option<T> {
        let raw = self.kind.read(value, at, problems)?;
        (self.refine)(raw, at, problems)
    }

    #[cfg(feature = "schema")]
    fn schema(&self) -> Value {
        self.kind.schema()
    }
}

/// Exactly one of several keys; which they are stands in the message.
pub fn only_one<T>(found: Vec<Option<T>>, names: &str, at: &At, problems: &mut Problems) -> Option<T> {
    let mut found = found.into_iter().flatten();
    match (found.next(), found.next()) {
        (Some(only), None) => Some(only),
        (None, _) => {
            problems.add(at, code::MISSING, format!("write one of {names}"));
            None
        }
        (Some(_), Some(_)) => {
            problems.add(at, code::CONFLICT, format!("write only one of {names}"));
            None
        }
    }
}
