//! The policy of supplier-client: signing, retry, pacing and paging of one supplier's HTTP
//! API. Deterministic: no I/O, no clock and no randomness. Time, entropy and answers come in
//! as events, actions go out.
#![forbid(unsafe_code)]

pub mod event;
pub mod http;
pub mod order;
pub mod time;
pub mod wasi;

pub use event::{Action, Caps, Done, Event, Failure, FailureKind, Phase, Want, Why};
pub use http::{Body, Headers, Request};
pub use order::Signed;
pub use time::{Mono, Ms, Now, Theirs, Wall};

/// A value that the profile refers to by name.
#[derive(Clone)]
pub struct Credential {
    pub name: String,
    pub value: String,
}

/// One mistake in a profile or a credential.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// JSON Pointer into the profile with its overrides applied.
    pub pointer: String,
    pub code: &'static str,
    /// What is wrong and what to write instead.
    pub message: String,
}

/// What a call is for.
#[derive(Debug)]
pub enum Goal {
    Reply(Request),
    Page { request: Request, position: Option<String> },
}

/// One supplier: its profile, keys, budget, clock and health.
pub struct Supplier {}

/// One call in progress.
pub struct Call {}

impl Supplier {
    pub fn open(profile: &str, overrides: Option<&str>, credentials: &[Credential]) -> Result<Supplier, Vec<Problem>> {
        let _ = (profile, overrides, credentials);
        todo!()
    }

    pub fn set_credentials(&mut self, credentials: &[Credential]) -> Result<(), Vec<Problem>> {
        let _ = credentials;
        todo!()
    }

    /// Checks the request; nothing has happened yet. `entropy`: fresh for every call, from a
    /// secure source; its second half drives jitter (all zeros: none; all ones: the most).
    pub fn begin(&self, goal: Goal, entropy: [u8; 16]) -> Result<Call, Failure> {
        let _ = (goal, entropy);
        todo!()
    }

    /// Tells the call what happened and asks what to do next. Total: never panics.
    pub fn step(&mut self, call: &mut Call, event: Event, now: Now) -> Action {
        let _ = (call, event, now);
        todo!()
    }

    /// JSON: counts by outcome and the state of each pool.
    pub fn health(&self) -> String {
        todo!()
    }

    /// JSON: what `begin` and `step` would do with this request, secrets blanked out.
    pub fn explain(&self, request: &Request, now: Now) -> Result<String, Failure> {
        let _ = (request, now);
        todo!()
    }
}
