//! Bodies: what a call sends, what the script answers, what must have been seen.

use data_encoding::{BASE64, HEXLOWER};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Several times what any profile's `caps` allow by default.
const MOST_REPEATED: usize = 64 << 20;

/// The body of a call.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(untagged, deny_unknown_fields, expecting = "a text, {\"base64\": text} or {\"repeat\": text, \"times\": n}")]
pub enum Body {
    Text(String),
    Base64 {
        #[schemars(extend("contentEncoding" = "base64"))]
        base64: String,
    },
    Repeat {
        repeat: String,
        times: usize,
    },
}

impl Body {
    pub fn bytes(&self) -> Result<Vec<u8>, String> {
        match self {
            Body::Text(text) => Ok(text.clone().into_bytes()),
            Body::Base64 { base64 } => decode(base64),
            Body::Repeat { repeat, times } if repeat.len().saturating_mul(*times) > MOST_REPEATED => {
                Err(format!("a repeated text has at most {MOST_REPEATED} bytes; `endless` is for more"))
            }
            Body::Repeat { repeat, times } => Ok(repeat.repeat(*times).into_bytes()),
        }
    }
}

impl Default for Body {
    fn default() -> Body {
        Body::Text(String::new())
    }
}

/// The body of a scripted response.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "a text, {\"base64\"}, {\"repeat\", \"times\"}, {\"chunks\", \"every_ms\"}, {\"endless\"} or {\"json\"}"
)]
pub enum ScriptBody {
    Plain(Body),
    /// Pieces with a pause between each two.
    Chunks {
        chunks: Vec<Body>,
        #[serde(default)]
        every_ms: u64,
    },
    /// The text again and again, without end.
    Endless {
        endless: String,
    },
    /// A document, written without spaces.
    Json {
        json: Value,
    },
}

impl Default for ScriptBody {
    fn default() -> ScriptBody {
        ScriptBody::Plain(Body::default())
    }
}

/// What a body must be.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "a text, {\"base64\"}, {\"repeat\", \"times\"} or {\"length\", \"sha256\"}"
)]
pub enum BodyCheck {
    Is(Body),
    Digest {
        length: usize,
        /// In lower-case hex.
        sha256: String,
    },
}

impl BodyCheck {
    pub fn holds(&self, bytes: &[u8]) -> Result<bool, String> {
        match self {
            BodyCheck::Is(body) => Ok(body.bytes()? == bytes),
            BodyCheck::Digest { length, sha256 } => Ok(*length == bytes.len() && *sha256 == digest(bytes)),
        }
    }
}

pub fn digest(bytes: &[u8]) -> String {
    HEXLOWER.encode(&Sha256::digest(bytes))
}

pub fn decode(base64: &str) -> Result<Vec<u8>, String> {
    BASE64.decode(base64.as_bytes()).map_err(|error| format!("not base64: {error}"))
}
