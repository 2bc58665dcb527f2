//! What an outcome means for the call: over, or again after a wait.

mod backoff;
mod classify;
mod number;

pub(crate) use backoff::backoff;
pub(crate) use classify::{Answer, Judgement, Verdict, classify, refused, sees_bodies};
pub(crate) use number::{Number, server_number};

/// What may be repeated without asking (RFC 9110, 9.2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repeatable {
    /// The method is idempotent.
    Idempotent,
    /// The caller gave an idempotency key, and the profile says where it goes.
    Keyed,
    /// Doing it twice may be wrong.
    Unsafe,
}

impl Repeatable {
    pub(crate) fn of(method: &str, keyed: bool) -> Repeatable {
        match method {
            "GET" | "HEAD" | "PUT" | "DELETE" | "OPTIONS" => Repeatable::Idempotent,
            _ if keyed => Repeatable::Keyed,
            _ => Repeatable::Unsafe,
        }
    }
}
