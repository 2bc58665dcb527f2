//! The calls that somebody makes.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::body::Body;
use super::expect::Expect;
use super::pairs::Pairs;

/// 400 days: no wait is longer.
const LATEST_MS: u64 = 400 * 86_400_000;

/// One call: exactly one of `send`, `page`, `walk`, `explain` and `set_credentials`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend(
    // An explanation is matched by any object.
    "if" = { "not": { "required": ["explain"] } },
    "then" = { "properties": { "expect": { "$ref": "#/$defs/Expect" } } }
))]
pub struct Call {
    /// Sends one request.
    pub send: Option<Request>,
    /// Reads one page.
    pub page: Option<Request>,
    /// Reads page after page until the end, a failure, or `pages` of them.
    pub walk: Option<Request>,
    /// Asks what `send` would do; `expect` is matched against the answer.
    pub explain: Option<Request>,
    /// Replaces the credentials.
    pub set_credentials: Option<BTreeMap<String, String>>,
    /// Not before this virtual time.
    pub at_ms: Option<u64>,
    /// One of `suppliers`.
    pub supplier: Option<String>,
    /// The instance that runs it (`engine` only).
    pub worker: Option<usize>,
    /// The caller gives up then (`engine` only).
    pub cancel_at_ms: Option<u64>,
    /// What the caller gets.
    pub expect: Option<Map<String, Value>>,
}

/// A request, as the caller means it.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// `GET` when absent.
    pub method: Option<String>,
    /// Path below the base URL; `/` when absent.
    pub target: Option<String>,
    #[serde(default)]
    pub query: Pairs<String>,
    #[serde(default)]
    pub headers: Pairs<String>,
    #[serde(default)]
    pub body: Body,
    pub operation: Option<String>,
    pub idempotency_key: Option<String>,
    pub deadline_ms: Option<u32>,
    pub max_wait_ms: Option<u32>,
    /// Of `page` and `walk`: `"next"` goes on where the last page ended, any other text is
    /// a position; absent or null is the first page.
    pub position: Option<String>,
    /// Of `walk`: the most pages to read.
    pub pages: Option<usize>,
}

impl Request {
    pub fn method(&self) -> &str {
        self.method.as_deref().unwrap_or("GET")
    }

    pub fn target(&self) -> &str {
        self.target.as_deref().unwrap_or("/")
    }
}

/// What a call does.
#[derive(Clone, Copy, Debug)]
pub enum What<'a> {
    Send(&'a Request),
    Page(&'a Request),
    Walk(&'a Request),
    Explain(&'a Request),
    SetCredentials(&'a BTreeMap<String, String>),
}

impl Call {
    /// A call that sends one request.
    pub fn send(request: Request) -> Call {
        Call { send: Some(request), ..Call::default() }
    }

    pub fn what(&self) -> Result<What<'_>, String> {
        let mut given = [
            self.send.as_ref().map(What::Send),
            self.page.as_ref().map(What::Page),
            self.walk.as_ref().map(What::Walk),
            self.explain.as_ref().map(What::Explain),
            self.set_credentials.as_ref().map(What::SetCredentials),
        ]
        .into_iter()
        .flatten();
        match (given.next(), given.next()) {
            (Some(what), None) => Ok(what),
            _ => Err("write exactly one of `send`, `page`, `walk`, `explain` and `set_credentials`".to_owned()),
        }
    }

    /// What must come back; an explanation is matched as a whole (see `judge`).
    pub fn expectation(&self) -> Result<Expect, serde_path_to_error::Error<serde_json::Error>> {
        match (&self.expect, &self.explain) {
            (Some(expect), None) => serde_path_to_error::deserialize(Value::Object(expect.clone())),
            _ => Ok(Expect::default()),
        }
    }

    /// Whether it can be played, apart from what it expects.
    pub fn check(&self) -> Result<(), String> {
        if [self.at_ms, self.cancel_at_ms].into_iter().flatten().any(|at| at > LATEST_MS) {
            return Err(format!("`at_ms` and `cancel_at_ms` are at most {LATEST_MS}, which is 400 days"));
        }
        let (request, positioned, walks) = match self.what()? {
            What::Send(request) | What::Explain(request) => (request, false, false),
            What::Page(request) => (request, true, false),
            What::Walk(request) => (request, true, true),
            What::SetCredentials(_) => return Ok(()),
        };
        if request.position.is_some() && !positioned {
            return Err("`position` belongs to `page` and `walk`".to_owned());
        }
        if request.pages.is_some() && !walks {
            return Err("`pages` belongs to `walk`".to_owned());
        }
        request.body.bytes().map(drop).map_err(|error| format!("body: {error}"))
    }
}
