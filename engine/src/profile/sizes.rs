//! Limits on sizes, and how the shared state is kept.

use super::kinds::{Bool, int};
use super::object::{choice, choice_of, object};
use super::read::default;

object! {
    /// How much may be sent and read.
    pub struct Caps {
        /// Bytes of a request's body.
        pub request_body_bytes: u32 = default("16777216", int(0, 1_073_741_824));
        /// Bytes of a response's body below 400; a longer one is an error.
        pub body_bytes: u32 = default("8388608", int(0, 1_073_741_824));
        /// Bytes of a response's body from 400 on; a longer one is cut.
        pub error_body_bytes: u32 = default("65536", int(0, 1_073_741_824));
        /// Bytes of a response's header section.
        pub header_bytes: u32 = default("65536", int(1, 1_073_741_824));
    }
}

object! {
    /// The state that workers share.
    pub struct Budget {
        /// Keep it in the host's store, so that several workers share it; otherwise in memory.
        pub shared: bool = default("false", Bool);
        /// What happens when the store cannot be reached.
        pub store_failure: StoreFailure = default("\"local\"", choice_of());
        /// How long to wait for the store.
        pub patience_ms: u32 = default("250", int(1, 60_000));
    }
}

choice! {
    /// What happens when the shared store cannot be reached.
    pub enum StoreFailure {
        /// This worker goes on by itself.
        Local = "local",
        /// The call fails.
        Closed = "closed",
    }
    not_yet []
}
