//! What the supplier saw, and everything that was wrong with it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// How many findings are kept in full.
const KEPT: usize = 100;

/// What a client did wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// No signature, more than one, or a wrong one.
    Signature,
    /// A right signature that is older (or newer) than the tolerance.
    StaleSignature,
    /// Sent although nothing was left and the reset has not passed.
    Limit,
    /// The same request again before its Retry-After was over.
    RetryAfter,
    /// The same order twice.
    DuplicateEffect,
    /// An idempotency key for two different requests.
    IdempotencyKey,
    /// Not exactly one `Host` line with our authority: a defect of the host, not of the call.
    HostLine,
    /// A header that only a cache, a cookie jar, a proxy or a decoder adds.
    Header,
    /// The target was changed, or is not encoded.
    Target,
    /// A cursor that we never gave out.
    Cursor,
    /// A redirect was followed.
    Redirect,
    /// Bytes that are no HTTP/1.1 request.
    Malformed,
}

impl Kind {
    pub const ALL: [Kind; 12] = [
        Kind::Signature,
        Kind::StaleSignature,
        Kind::Limit,
        Kind::RetryAfter,
        Kind::DuplicateEffect,
        Kind::IdempotencyKey,
        Kind::HostLine,
        Kind::Header,
        Kind::Target,
        Kind::Cursor,
        Kind::Redirect,
        Kind::Malformed,
    ];
}

/// One violation. `detail` holds no secret, signature or body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Which request, from 1.
    pub request: u64,
    /// Since the supplier started.
    pub at_ms: u64,
    pub kind: Kind,
    pub detail: String,
}

/// `GET /__report`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    pub report: u32,
    /// No violation at all.
    pub clean: bool,
    /// Requests that reached the supplier, but for `/__report`.
    pub requests: u64,
    /// By status; `dropped` for those without an answer.
    pub by_status: BTreeMap<String, u64>,
    /// Faults on purpose.
    pub injected: BTreeMap<String, u64>,
    /// Requests over the limit that nobody could know about beforehand.
    pub over_limit: u64,
    pub pages: u64,
    pub items: u64,
    /// Orders that exist.
    pub orders: u64,
    /// Orders answered with an earlier result.
    pub replayed: u64,
    /// Requests whose body came in chunks, without a length: legal, but some suppliers
    /// refuse it.
    pub chunked: u64,
    /// Every kind, also those that never happened.
    pub violations: BTreeMap<Kind, u64>,
    /// The first of them in full.
    pub findings: Vec<Finding>,
}

impl Default for Report {
    fn default() -> Report {
        Report {
            report: 1,
            clean: true,
            requests: 0,
            by_status: BTreeMap::new(),
            injected: BTreeMap::new(),
            over_limit: 0,
            pages: 0,
            items: 0,
            orders: 0,
            replayed: 0,
            chunked: 0,
            violations: Kind::ALL.iter().map(|kind| (*kind, 0)).collect(),
            findings: Vec::new(),
        }
    }
}

impl Report {
    pub fn find(&mut self, finding: Finding) {
        self.clean = false;
        *self.violations.entry(finding.kind).or_default() += 1;
        if self.findings.len() < KEPT {
            self.findings.push(finding);
        }
    }

    pub fn count(&self, kind: Kind) -> u64 {
        self.violations.get(&kind).copied().unwrap_or_default()
    }

    pub fn total(&self) -> u64 {
        self.violations.values().sum()
    }

    pub fn to_json(&self) -> String {
        // Plain maps with text keys: there is nothing that could fail.
        serde_json::to_string_pretty(self).expect("a report is JSON")
    }
}
