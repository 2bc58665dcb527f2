//! What a caller must get. Absent keys are not looked at; null means that the value must be
//! absent.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::body::BodyCheck;

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    #[serde(default)]
    pub verdict: Check<String>,
    #[serde(default)]
    pub status: Check<u16>,
    pub body: Option<BodyCheck>,
    #[serde(default)]
    pub headers: BTreeMap<String, HeaderCheck>,
    #[serde(default)]
    pub retry_after_ms: Check<u64>,
    /// Its absence means that the call must not fail.
    pub failure: Option<Failure>,
    /// Compared as text when it is a text, else as JSON.
    #[serde(default)]
    pub items: Check<Value>,
    pub count: Option<u64>,
    /// Whether there is a page after this one.
    pub next: Option<bool>,
    /// How many pages a walk read.
    pub pages: Option<usize>,
    /// Whether the walk came to the end of the list.
    pub ended: Option<bool>,
    /// Partial match; of a walk, on the journal of its last page.
    pub journal: Option<Value>,
    /// Texts that stand nowhere in what came back but the response itself.
    #[serde(default)]
    pub hides: Vec<String>,
    /// Of `set_credentials`, where it must fail.
    pub problems: Option<Vec<ExpectedProblem>>,
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    pub kind: Option<Kind>,
    pub code: Option<String>,
    #[serde(default)]
    pub status: Check<u16>,
    #[serde(default)]
    pub retry_after_ms: Check<u64>,
    /// Whether it carries a response, or which.
    pub response: Option<ExpectedResponse>,
    /// Parts of the message.
    pub says: Option<OneOrMany>,
}

/// Closed, so that a typo does not make a check that nothing can pass.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    Invalid,
    Denied,
    Throttled,
    Unavailable,
    UnknownOutcome,
    BadResponse,
    Cancelled,
    Internal,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Invalid => "invalid",
            Kind::Denied => "denied",
            Kind::Throttled => "throttled",
            Kind::Unavailable => "unavailable",
            Kind::UnknownOutcome => "unknown-outcome",
            Kind::BadResponse => "bad-response",
            Kind::Cancelled => "cancelled",
            Kind::Internal => "internal",
        }
    }
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields, expecting = "true, false or {\"status\", \"body\"}")]
pub enum ExpectedResponse {
    There(bool),
    Is { status: Option<u16>, body: Option<BodyCheck> },
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpectedProblem {
    pub pointer: String,
    pub code: String,
    /// Parts of the message.
    pub says: Option<OneOrMany>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a text or a list of texts")]
pub enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl OneOrMany {
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        match self {
            OneOrMany::One(text) => std::slice::from_ref(text),
            OneOrMany::Many(texts) => texts.as_slice(),
        }
        .iter()
        .map(String::as_str)
    }
}

/// What a header must be.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(untagged, expecting = "a text (one line), a list of texts (those lines), true (there) or null (absent)")]
pub enum HeaderCheck {
    /// Exactly one line with this value.
    Line(String),
    /// These lines.
    Lines(Vec<String>),
    /// `true`: exactly one line, whatever its value. `false`: absent.
    There(bool),
    Absent(()),
}

impl HeaderCheck {
    pub fn holds(&self, lines: &[String]) -> bool {
        match self {
            HeaderCheck::Line(line) => matches!(lines, [only] if only == line),
            HeaderCheck::Lines(expected) => lines == expected,
            HeaderCheck::There(there) => lines.len() == usize::from(*there),
            HeaderCheck::Absent(()) => lines.is_empty(),
        }
    }
}

/// Not looked at, must be absent, or must be this.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Check<T> {
    #[default]
    Ignored,
    Absent,
    Is(T),
}

impl<T: PartialEq> Check<T> {
    pub fn holds(&self, value: Option<&T>) -> bool {
        match (self, value) {
            (Check::Ignored, _) | (Check::Absent, None) => true,
            (Check::Is(expected), Some(value)) => expected == value,
            _ => false,
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Check<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Check<T>, D::Error> {
        Ok(Option::deserialize(deserializer)?.map_or(Check::Absent, Check::Is))
    }
}

impl<T: JsonSchema> JsonSchema for Check<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Check_of_{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Option::<T>::json_schema(generator)
    }
}
