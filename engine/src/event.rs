//! What happens to a call, and what it asks for: the alphabet of `Supplier::step`.

use crate::http::{Body, Headers};
use crate::order::Signed;
use crate::time::Ms;

/// What the host reports.
#[derive(Debug)]
pub enum Event {
    /// The call begins, or the wait that was asked for is over.
    Go,
    /// A complete response, or one from 400 on whose body was cut at `Caps::error_body_bytes`.
    /// A body that `Want` does not ask for may be empty.
    Answered { status: u16, headers: Headers, body: Body },
    /// No complete response. `code` is a wasi:http error code in lower case or another short
    /// name, optionally followed by a space and the host's own detail. `head` holds status
    /// and headers, if they had arrived.
    Broke { phase: Phase, code: String, head: Option<(u16, Headers)> },
    /// The store's answer: whether the swap won (`true` for a load), and what stands there now.
    Stored { won: bool, current: Option<String> },
    /// The store cannot be reached.
    StoreFailed { code: String },
    /// The caller gave up.
    Cancel,
}

/// How far a broken attempt got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The supplier has not seen the request (`cases.md`, D7).
    NotSent,
    /// It may have; the right answer whenever the host does not know.
    MaybeSent,
    /// The host refuses this request: no attempt can succeed.
    Never,
    /// The response was longer than `Caps` allow.
    TooLarge,
}

/// What the host does next.
#[derive(Debug)]
pub enum Action {
    /// Send exactly these bytes, at once; give up after `timer`.
    Send { wire: Signed, timer: Ms, caps: Caps, want: Want },
    /// Wait, then report `Event::Go`.
    Wait { ms: Ms, why: Why },
    /// Load (`value` is `None`) or compare-and-swap by text, then report `Event::Stored`.
    Store { key: String, expect: Option<String>, value: Option<String>, ttl: Ms, patience: Ms },
    /// The call has ended. Every later event is answered with a failure of kind `internal`.
    Done(Result<Done, Failure>),
}

/// Limits on what may be read of one response, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// Body of a response below 400. One byte more is `Phase::TooLarge`.
    pub body_bytes: usize,
    /// Body of a response from 400 on; it is cut there and reported as answered.
    pub error_body_bytes: usize,
    /// Names and values of all header lines together. One byte more is `Phase::TooLarge`.
    pub header_bytes: usize,
}

/// Whether the policy must see the body of a response: a label PDF need not cross.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Want {
    /// Of a response below 400.
    pub ok: bool,
    /// Of a response from 400 on.
    pub error: bool,
}

/// Why a call waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The supplier named a time (`Retry-After` or another `server_wait`).
    RetryAfter,
    /// An exhausted window opens again.
    Reset,
    /// Our own back-off.
    Backoff,
    /// A rule's `min_wait_ms`.
    Rule,
    /// The pool is closed, or its window empty: another call was told so.
    Budget,
    /// Another call is finding out what is left.
    Probe,
    /// The store was contended.
    Contention,
}

impl Why {
    pub fn name(self) -> &'static str {
        match self {
            Why::RetryAfter => "retry-after",
            Why::Reset => "reset",
            Why::Backoff => "backoff",
            Why::Rule => "rule",
            Why::Budget => "budget",
            Why::Probe => "probe",
            Why::Contention => "contention",
        }
    }
}

/// How a call ended well. The host holds the response.
#[derive(Debug)]
pub enum Done {
    Reply { verdict: String, retry_after: Option<Ms>, journal: String },
    Page { items: String, count: u32, next: Option<String>, journal: String },
}

/// How a call ended otherwise. If the last attempt was answered, that response belongs to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub kind: FailureKind,
    pub code: String,
    pub message: String,
    pub retry_after: Option<Ms>,
    /// The last status heard, also of a response whose body never came whole.
    pub status: Option<u16>,
    pub journal: String,
}

/// Who has to act. See `supplier.wit` for the meaning of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FailureKind {
    Invalid,
    Denied,
    Throttled,
    Unavailable,
    UnknownOutcome,
    BadResponse,
    Cancelled,
    Internal,
}

impl FailureKind {
    /// As in WIT.
    pub fn name(self) -> &'static str {
        match self {
            FailureKind::Invalid => "invalid",
            FailureKind::Denied => "denied",
            FailureKind::Throttled => "throttled",
            FailureKind::Unavailable => "unavailable",
            FailureKind::UnknownOutcome => "unknown-outcome",
            FailureKind::BadResponse => "bad-response",
            FailureKind::Cancelled => "cancelled",
            FailureKind::Internal => "internal",
        }
    }
}
