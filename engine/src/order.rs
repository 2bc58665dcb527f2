//! The order of the layers, as types (the values pass through, none can be made outside):
//!
//! ```text
//! retry -> Due -> pace -> Permit -> sign -> Signed -> send
//! ```

use crate::http::{Body, Headers};
use std::fmt;
use std::sync::Arc;

/// Exactly what goes on the wire, with a fresh signature. Spent by sending it.
pub struct Signed {
    pub(crate) method: String,
    pub(crate) https: bool,
    pub(crate) authority: String,
    pub(crate) path_and_query: String,
    pub(crate) headers: Headers,
    pub(crate) body: Arc<Body>,
}

impl Signed {
    pub fn method(&self) -> &str {
        &self.method
    }

    pub fn https(&self) -> bool {
        self.https
    }

    /// Host and, when it is not the scheme's own, port.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// The raw target; send it untouched.
    pub fn path_and_query(&self) -> &str {
        &self.path_and_query
    }

    /// Every header but `host` and `content-length`, which the sender computes.
    pub fn headers(&self) -> &Headers {
        &self.headers
    }

    pub fn body(&self) -> &Body {
        &self.body
    }

    /// Scheme, authority and target in one.
    pub fn url(&self) -> String {
        let scheme = if self.https { "https" } else { "http" };
        format!("{scheme}://{}{}", self.authority, self.path_and_query)
    }
}

impl fmt::Debug for Signed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Signed")
            .field("method", &self.method)
            .field("authority", &self.authority)
            .finish_non_exhaustive()
    }
}
