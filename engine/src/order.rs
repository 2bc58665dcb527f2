//! The order of the layers, as types. Retry yields a [`Due`], pacing turns a due into a
//! [`Permit`], only a permit can be sealed into a [`Signed`] message, and only that can be
//! sent. Each is spent by its use; none can be made or copied outside.
//!
//! ```
//! use supplier_engine::order::{Due, Grant, Message, Permit, Signed};
//! fn attempt(due: Due, grant: Grant, message: Message) -> Signed {
//!     let permit: Permit = due.granted(grant);
//!     permit.seal(message)
//! }
//! ```
//!
//! Signing before the wait for a permit does not compile:
//!
//! ```compile_fail,E0599
//! use supplier_engine::order::{Due, Message, Signed};
//! fn attempt(due: Due, message: Message) -> Signed {
//!     due.seal(message)
//! }
//! ```
//!
//! One permit is one attempt:
//!
//! ```compile_fail,E0382
//! use supplier_engine::order::{Message, Permit, Signed};
//! fn twice(permit: Permit, first: Message, second: Message) -> (Signed, Signed) {
//!     (permit.seal(first), permit.seal(second))
//! }
//! ```
//!
//! A signed message cannot be kept for another attempt:
//!
//! ```compile_fail,E0599
//! use supplier_engine::order::Signed;
//! fn keep(signed: &Signed) -> Signed {
//!     signed.clone()
//! }
//! ```
//!
//! Nor can a due, a permit or a signed message be made up:
//!
//! ```compile_fail,E0451
//! use supplier_engine::order::Due;
//! use supplier_engine::time::Mono;
//! let due = Due { at: Mono(0), forced: false };
//! ```

use crate::http::{Body, Headers};
use crate::time::{Mono, Ms};
use std::fmt;
use std::sync::Arc;

/// An attempt that retry has decided on, not before `at`.
#[derive(Debug)]
pub struct Due {
    at: Mono,
    forced: bool,
}

/// An attempt that the budget has room for.
#[derive(Debug)]
pub struct Permit {
    lease: String,
    pub(crate) sole: bool,
}

/// The budget's consent.
#[derive(Debug, PartialEq, Eq)]
pub struct Grant {
    pub(crate) lease: String,
    /// Nobody else was in flight.
    pub(crate) sole: bool,
}

/// A message with a fresh signature, not yet allowed on the wire.
pub struct Message {
    pub(crate) method: String,
    pub(crate) https: bool,
    pub(crate) authority: String,
    pub(crate) path_and_query: String,
    pub(crate) headers: Headers,
    pub(crate) body: Arc<Body>,
}

/// Exactly what goes on the wire. Spent by sending it.
pub struct Signed(Message);

impl Due {
    pub(crate) fn at(at: Mono) -> Due {
        Due { at, forced: false }
    }

    /// The profile prefers asking too early to waiting too long (`long_wait: "clamp"`).
    pub(crate) fn forced(at: Mono) -> Due {
        Due { at, forced: true }
    }

    /// The same attempt, but not before `at`.
    pub(crate) fn later(self, at: Mono) -> Due {
        Due { at: self.at.max(at), ..self }
    }

    pub(crate) fn is_forced(&self) -> bool {
        self.forced
    }

    /// What is left of the wait.
    pub(crate) fn left(&self, now: Mono) -> Ms {
        self.at.since(now)
    }

    /// The budget agrees: the attempt may be signed.
    pub fn granted(self, grant: Grant) -> Permit {
        Permit { lease: grant.lease, sole: grant.sole }
    }
}

impl Permit {
    /// The lease that the outcome has to settle.
    pub(crate) fn lease(&self) -> &str {
        &self.lease
    }

    /// The message may be sent, once.
    pub fn seal(self, message: Message) -> Signed {
        Signed(message)
    }
}

impl Signed {
    pub fn method(&self) -> &str {
        &self.0.method
    }

    pub fn https(&self) -> bool {
        self.0.https
    }

    /// Host and, when it is not the scheme's own, port.
    pub fn authority(&self) -> &str {
        &self.0.authority
    }

    /// The raw target; send it untouched.
    pub fn path_and_query(&self) -> &str {
        &self.0.path_and_query
    }

    /// Every header but `host` and `content-length`, which the sender computes.
    pub fn headers(&self) -> &Headers {
        &self.0.headers
    }

    pub fn body(&self) -> &Body {
        &self.0.body
    }

    /// Scheme, authority and target in one.
    pub fn url(&self) -> String {
        let scheme = if self.https() { "https" } else { "http" };
        format!("{scheme}://{}{}", self.authority(), self.path_and_query())
    }
}

impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Message")
            .field("method", &self.method)
            .field("authority", &self.authority)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Signed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Signed").field(&self.0).finish()
    }
}
