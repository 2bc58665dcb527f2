//! What a profile says, once it is known to be right.
//!
//! A profile is JSON (`schemas/profile.schema.json`). Every type here is declared once, with
//! the macros of `object.rs`: the type, its reader and its JSON Schema come from the same
//! lines. Reading finds all problems at once and is total: any JSON is either a profile or
//! a list of problems.

mod check;
mod credentials;
mod idempotency;
mod kinds;
mod limits;
mod merge;
pub(crate) mod names;
pub(crate) mod object;
mod pages;
mod part;
mod part_kind;
mod policy;
pub(crate) mod read;
mod retry;
mod rules;
#[cfg(feature = "schema")]
pub mod schema;
mod signing;
mod sizes;
mod texts;

pub(crate) use credentials::{Mention, Use};
pub use idempotency::{Idempotency, Place};
pub use limits::Limit;
pub use pages::{AbsentItems, Cursor, End, Pages, SendAs, Step};
pub use part::{Canonical, Content, Digest, DigestAlgorithm, Order, Parameters, Part, Transform};
pub use policy::Policy;
pub use read::code;
pub use retry::{LongWait, Retry, Source, StatusMatch, WaitSource};
pub use rules::{Rule, RuleVerdict, When};
pub use signing::{Algorithm, Clock, Decode, Derive, Encode, Key, Nonce, Signatures, Signing};
pub use sizes::{Budget, Caps, StoreFailure};

use crate::Problem;
use crate::json::Pointer;
use crate::template::{Site, Template};
use crate::uri::BaseUrl;
use kinds::{Bool, Version, list, map};
use names::{header_name, member, name, sent_header_name, text};
use object::object;
use read::{At, Kind, Problems, default, optional, required};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// One supplier: where it is, how it wants to be asked, and what its answers mean.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Of `a-z0-9._-`, as is the account: both are parts of the budget's key.
    pub supplier: String,
    pub account: String,
    pub base_url: BaseUrl,
    /// Set in every request.
    pub headers: Vec<(String, Template)>,
    /// Appended to every query.
    pub query: Vec<(String, Template)>,
    /// Written into every JSON body.
    pub body_fields: Vec<(Pointer, Template)>,
    pub signing: Option<Signing>,
    pub limits: Vec<Limit>,
    /// Response headers that may hold the supplier's request id, in order.
    pub request_id: Vec<String>,
    pub budget: Budget,
    /// For requests that name no operation.
    pub policy: Arc<Policy>,
    /// Each complete: the top level with the operation's patch in it.
    pub operations: BTreeMap<String, Arc<Policy>>,
}

object! {
    /// One supplier: where it is, how it wants to be asked, and what its answers mean. Secrets are never in it: it names credentials, whose values come beside it.
    struct Document {
        /// The version of this format.
        profile: u32 = required(Version(1));
        /// The supplier's name, in journals and in the budget's key.
        supplier: String = required(name());
        /// Which account at the supplier; accounts do not share a budget.
        account: String = default("\"default\"", name());
        /// Where the API is: scheme, host, perhaps a port and a path. No other origin is ever asked.
        base_url: String = required(text());
        /// Allow http to a host that is not loopback.
        allow_http: bool = default("false", Bool);
        /// Headers of every request. A caller cannot set them.
        headers: Vec<(String, Template)> = default("{}", map(sent_header_name(), texts::header_value(Site::Static)));
        /// Parameters of every query; they are encoded when they are sent.
        query: Vec<(String, Template)> = default("{}", map(signing::parameter(), texts::template(Site::Static)));
        /// Members of every JSON body, by pointer.
        body_fields: Vec<(Pointer, Template)> = default("{}", map(member(), texts::template(Site::Static)));
        /// How an attempt is signed.
        signing: Option<Signing> = optional(object::object_of());
        /// How the supplier tells its limits; several may feed one pool.
        limits: Vec<Limit> = default("[]", list(limits::LimitKind));
        /// Response headers that may hold the supplier's request id, in order.
        request_id: Vec<String> = default(r#"["x-request-id", "request-id", "x-correlation-id"]"#, list(header_name()));
        /// The state that workers share.
        budget: Budget = default("{}", object::object_of());
        /// When a request is sent again.
        retry: Passed = default("{}", Pass("retry"));
        /// What responses mean; the first rule that matches decides.
        rules: Passed = default("[]", Pass("rules"));
        /// Where an idempotency key goes.
        idempotency: Option<Passed> = optional(Pass("idempotency"));
        /// How lists are read.
        pages: Option<Passed> = optional(Pass("pages"));
        /// How much may be sent and read.
        caps: Passed = default("{}", Pass("caps"));
        /// For each operation by name: a merge patch on retry, rules, idempotency, pages and caps, and its pool and cost.
        operations: Passed = default("{}", Pass("operations"));
    }
}

impl Profile {
    /// Reads a profile with its overrides (RFC 7396) merged in.
    pub fn read(profile: &str, overrides: Option<&str>) -> Result<Profile, Vec<Problem>> {
        let mut problems = Problems::default();
        match read(profile, overrides, &mut problems) {
            Some(profile) if problems.0.is_empty() => Ok(profile),
            _ => Err(problems.0),
        }
    }

    /// The policy of an operation; `None` if the profile does not list it.
    pub fn operation(&self, name: &str) -> Option<&Arc<Policy>> {
        self.operations.get(name)
    }

    /// Whether the profile sets this request header itself, so that a caller may not.
    pub fn owns_header(&self, policy: &Policy, name: &str) -> bool {
        self.header_names().any(|owned| owned.eq_ignore_ascii_case(name)) || policy.owns_header(name)
    }

    /// Every header that is set whatever the operation.
    pub(crate) fn header_names(&self) -> impl Iterator<Item = &str> {
        let prepared = self.signing.iter().flat_map(|s| s.prepare.iter().map(|(name, _)| name.as_str()));
        let placed = self.signing.iter().flat_map(|s| s.headers.iter().map(|(name, _)| name.as_str()));
        self.headers.iter().map(|(name, _)| name.as_str()).chain(prepared).chain(placed)
    }
}

impl Policy {
    fn owns_header(&self, name: &str) -> bool {
        let key = matches!(&self.idempotency, Some(Idempotency { place: Place::Header(own), .. }) if own.eq_ignore_ascii_case(name));
        let cursor =
            matches!(&self.pages, Some(Pages { send_as: SendAs::Header(own), .. }) if own.eq_ignore_ascii_case(name));
        key || cursor
    }
}

/// What can be judged is judged, whatever else is wrong; `None` if anything is missing.
fn read(profile: &str, overrides: Option<&str>, problems: &mut Problems) -> Option<Profile> {
    let json = merge::document(profile, overrides, problems)?;
    let top = json.as_object()?;
    let document = object::object_of::<Document>().read(&json, &At::ROOT, problems);
    let base_url = check::base_url(top, problems);
    check::headers(top, problems);
    check::limits(top, problems);
    let signs = check::signing(top, problems);
    let policy = policy::top_level(top, signs.as_ref(), problems);
    let operations = policy::operations(top, signs.as_ref(), problems);
    // Bound by name, so that nothing of the document can be forgotten: what has an
    // underscore has been read above.
    let Document {
        profile: _version,
        supplier,
        account,
        base_url: _base_url,
        allow_http: _allow_http,
        headers,
        query,
        body_fields,
        signing,
        limits,
        request_id,
        budget,
        retry: _retry,
        rules: _rules,
        idempotency: _idempotency,
        pages: _pages,
        caps: _caps,
        operations: _operations,
    } = document?;
    Some(Profile {
        supplier,
        account,
        base_url: base_url?,
        headers,
        query,
        body_fields,
        signing,
        limits,
        request_id,
        budget,
        policy: Arc::new(policy?),
        operations,
    })
}

/// A key that is judged elsewhere; here only its schema counts.
struct Pass(#[cfg_attr(not(feature = "schema"), allow(dead_code))] &'static str);

#[derive(Clone, Debug)]
struct Passed;

impl Kind for Pass {
    type Out = Passed;

    fn read(&self, _: &Value, _: &At, _: &mut Problems) -> Option<Passed> {
        Some(Passed)
    }

    #[cfg(feature = "schema")]
    fn schema(&self) -> Value {
        match self.0 {
            "operations" => schema::operations(),
            section => schema::section::<Policy>(section),
        }
    }
}

#[cfg(test)]
mod tests;
