//! The policy of supplier-client: signing, retry, pacing and paging of one supplier's HTTP
//! API. Deterministic: no I/O, no clock and no randomness. Time, entropy and answers come in
//! as events, actions go out.
#![forbid(unsafe_code)]

mod budget;
mod call;
mod clock;
pub mod date;
mod entropy;
pub mod event;
mod explain;
pub mod field;
mod health;
pub mod http;
mod journal;
pub mod json;
pub mod limits;
pub mod link;
pub mod number;
pub mod order;
mod paging;
pub mod profile;
mod retry;
mod secret;
mod sign;
mod supplier;
mod template;
pub mod time;
pub mod uri;
pub mod wasi;

pub use call::Call;
pub use event::{Action, Caps, Done, Event, Failure, FailureKind, Phase, Want, Why};
pub use http::{Body, Headers, Request};
pub use order::Signed;
pub use supplier::Supplier;
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
