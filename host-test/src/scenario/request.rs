//! What must have reached the supplier.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::body::BodyCheck;
use super::expect::HeaderCheck;

/// One request in the log. Absent keys are not looked at.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpectedRequest {
    /// Virtual time of its arrival.
    pub at_ms: Option<u64>,
    /// A range in place of `at_ms`.
    pub at_ms_between: Option<(u64, u64)>,
    pub method: Option<String>,
    /// Raw path and query.
    pub target: Option<String>,
    pub authority: Option<String>,
    pub scheme: Option<String>,
    #[serde(default)]
    pub headers: BTreeMap<String, HeaderCheck>,
    pub body: Option<BodyCheck>,
    /// Index of a request whose body and idempotency header it must repeat.
    pub same_as: Option<usize>,
    /// The signature header verifies under the first credential and is not older than this
    /// request.
    #[serde(default)]
    pub signed: bool,
}
