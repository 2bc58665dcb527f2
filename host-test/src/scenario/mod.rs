//! A scenario, as its file writes it. `SCENARIOS.md` says what each key means; the JSON
//! Schema comes from these types.

mod body;
mod call;
mod each;
mod expect;
mod load;
mod merge;
mod pairs;
mod profile;
mod request;
mod schema;
mod script;
mod store;

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

pub use body::{Body, BodyCheck, ScriptBody, digest};
pub use call::{Call, Request, What};
pub use expect::{Check, Expect, ExpectedProblem, ExpectedResponse, Failure, HeaderCheck, Kind, OneOrMany};
pub use load::{Case, Invalid, is_profile, parse, read};
pub use merge::merge;
pub use pairs::{HeaderValue, Pairs};
pub use profile::{ACME, Opening, ProfileRef, default_credentials};
pub use request::ExpectedRequest;
pub use schema::schema;
pub use script::{Cut, Entry};
pub use store::StoreEntry;

/// When nothing else is said, it is noon on this day, for us and for the supplier.
pub const NOON: &str = "2026-03-02T12:00:00Z";

/// The value of a credential for which a scenario gives none.
pub const TEST_SECRET: &str = "test_secret_a";

/// A profile, a script of what the supplier does, the calls that somebody makes, and what
/// must be seen.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Scenario of supplier-test", extend("$id" = "scenario.schema.json"))]
pub struct Scenario {
    #[serde(default, rename = "$schema")]
    pub schema: Option<String>,
    /// The version of the format: 1.
    #[schemars(range(min = 1, max = 1))]
    pub scenario: u32,
    /// One sentence: what must hold.
    pub about: String,
    /// Numbers of the cases that it stands for.
    #[serde(default)]
    pub case: Vec<String>,
    /// The component that it can be played against; both when absent.
    pub only: Option<Component>,
    /// A name, a path that ends in `.json`, or a profile in place. `acme` when absent.
    pub profile: Option<ProfileRef>,
    /// JSON Merge Patch on the profile.
    pub patch: Option<Map<String, Value>>,
    /// Passed to `open` as its overrides; a text is passed as it is.
    pub overrides: Option<Value>,
    /// Several suppliers in one instance, by name.
    pub suppliers: Option<BTreeMap<String, SupplierSpec>>,
    /// Name to value. When absent, each that the profile names has the value `test_secret_a`.
    pub credentials: Option<BTreeMap<String, String>>,
    /// Our wall clock at the start, RFC 3339.
    pub clock: Option<String>,
    /// The supplier's clock at the start, RFC 3339.
    pub server_clock: Option<String>,
    #[serde(default)]
    pub entropy: Entropy,
    /// How many instances share one budget (`engine` only).
    #[schemars(range(min = 1, max = 1000))]
    pub workers: Option<usize>,
    /// Header names that the host refuses to set (`client` only).
    #[serde(default)]
    pub forbid_headers: Vec<String>,
    /// The scenario is played once for each, with `${name}` replaced.
    pub each: Option<Vec<Map<String, Value>>>,
    #[serde(default)]
    pub calls: Vec<Call>,
    /// The n-th request gets the n-th entry.
    #[serde(default)]
    pub script: Vec<Entry>,
    /// The n-th action of the shared store gets the n-th entry (`engine` only).
    #[serde(default)]
    pub store: Vec<StoreEntry>,
    /// One for each request, in order, and no more.
    pub requests: Option<Vec<ExpectedRequest>>,
    /// Virtual time when the last call ended.
    pub elapsed_ms: Option<Span>,
    /// `open` must fail with exactly these; then there are no calls.
    pub problems: Option<Vec<ExpectedProblem>>,
    /// Partial match on `health` at the end.
    pub health: Option<Value>,
}

/// One of several suppliers in one instance.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SupplierSpec {
    pub profile: Option<ProfileRef>,
    pub patch: Option<Map<String, Value>>,
    pub overrides: Option<Value>,
    pub credentials: Option<BTreeMap<String, String>>,
}

/// The two shapes of the policy.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "kebab-case")]
pub enum Component {
    Client,
    Engine,
}

impl Component {
    pub const BOTH: [Component; 2] = [Component::Client, Component::Engine];

    pub fn name(self) -> &'static str {
        match self {
            Component::Client => "client",
            Component::Engine => "engine",
        }
    }
}

/// What drives jitter. Ids and nonces differ between calls in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "\"zero\", \"max\" or a number as seed")]
pub enum Entropy {
    Named(EntropyName),
    Seed(u64),
    #[default]
    #[serde(skip)]
    Default,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EntropyName {
    /// No jitter.
    Zero,
    /// The most jitter.
    Max,
}

/// An exact number of milliseconds, or a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a number of milliseconds or [low, high]")]
pub enum Span {
    Exact(u64),
    Between(u64, u64),
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Span::Exact(exact) => write!(f, "{exact}"),
            Span::Between(low, high) => write!(f, "{low} to {high}"),
        }
    }
}

impl Span {
    pub fn holds(self, ms: u64) -> bool {
        match self {
            Span::Exact(exact) => ms == exact,
            Span::Between(low, high) => (low..=high).contains(&ms),
        }
    }
}
