//! What the supplier does.

use schemars::JsonSchema;
use serde::Deserialize;
use supplier_engine::wasi::ErrorCode;

use super::body::{Body, ScriptBody};
use super::pairs::{HeaderValue, Pairs};

/// More than any walk needs; the entries are laid out before the play.
const MOST_TIMES: usize = 1_000_000;

/// What one request gets: exactly one of `status`, `error` and `silence`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    #[schemars(range(min = 100, max = 999))]
    pub status: Option<u16>,
    #[serde(default)]
    pub headers: Pairs<HeaderValue>,
    #[serde(default)]
    pub body: ScriptBody,
    /// Shorthand for `content-type`; `json` is `application/json`.
    #[serde(rename = "type")]
    pub content_type: Option<String>,
    /// Virtual time until the head of the response, or until the error.
    #[serde(default)]
    pub after_ms: u64,
    /// The connection breaks after the body.
    pub cut: Option<Cut>,
    /// Silence after the body.
    #[serde(default)]
    pub stall: bool,
    /// A wasi:http error code in lower case in place of a response.
    pub error: Option<String>,
    /// The payload of `dns-error` (rcode), `internal-error` and others that carry a text.
    pub detail: Option<String>,
    /// No answer at all.
    #[serde(default)]
    pub silence: bool,
    /// Answers without reading the request body.
    #[serde(default)]
    pub early: bool,
    /// Our wall clock jumps by so much when this entry is used.
    #[serde(default)]
    pub clock_jump_ms: i64,
    /// The entry stands for so many in a row.
    #[schemars(range(max = 1_000_000))]
    pub times: Option<usize>,
}

/// Whether the connection breaks, or with which error code.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(untagged, expecting = "true or a wasi:http error code in lower case")]
pub enum Cut {
    Is(bool),
    Code(String),
}

impl Entry {
    pub fn status(status: u16) -> Entry {
        Entry { status: Some(status), ..Entry::default() }
    }

    pub fn error(code: &str) -> Entry {
        Entry { error: Some(code.to_owned()), ..Entry::default() }
    }

    pub fn header(mut self, name: &str, value: &str) -> Entry {
        self.headers.0.push((name.to_owned(), value.into()));
        self
    }

    pub fn body(mut self, text: &str) -> Entry {
        self.body = ScriptBody::Plain(Body::Text(text.to_owned()));
        self
    }

    /// The code that breaks the body, if the connection breaks.
    pub fn cut(&self) -> Option<&str> {
        match self.cut.as_ref()? {
            Cut::Is(true) => Some("http-response-incomplete"),
            Cut::Is(false) => None,
            Cut::Code(code) => Some(code),
        }
    }

    /// Whether it can be played.
    pub fn check(&self) -> Result<(), String> {
        let kinds = usize::from(self.status.is_some()) + usize::from(self.error.is_some()) + usize::from(self.silence);
        if kinds != 1 {
            return Err("write exactly one of `status`, `error` and `silence`".to_owned());
        }
        if self.times.is_some_and(|times| times > MOST_TIMES) {
            return Err(format!("`times` is at most {MOST_TIMES}"));
        }
        if self.status.is_some_and(|status| !(100..=999).contains(&status)) {
            return Err("`status` must be 100 to 999".to_owned());
        }
        for code in [self.error.as_deref(), self.cut()].into_iter().flatten() {
            if ErrorCode::parse(code).is_none() {
                return Err(format!("`{code}` is no wasi:http error code in lower case, such as `connection-refused`"));
            }
        }
        for (name, value) in &self.headers.0 {
            http::HeaderName::try_from(name.as_str()).map_err(|_| format!("`{name}` is no header name"))?;
            for line in value.lines().map_err(|error| format!("header `{name}`: {error}"))? {
                http::HeaderValue::from_bytes(&line).map_err(|_| format!("no host can carry the value of `{name}`"))?;
            }
        }
        match &self.body {
            ScriptBody::Plain(body) => body.bytes().map(drop),
            ScriptBody::Chunks { chunks, .. } => chunks.iter().try_for_each(|chunk| chunk.bytes().map(drop)),
            ScriptBody::Endless { endless } if endless.is_empty() => Err("`endless` needs a text".to_owned()),
            ScriptBody::Endless { .. } | ScriptBody::Json { .. } => Ok(()),
        }
        .map_err(|error| format!("body: {error}"))
    }
}
