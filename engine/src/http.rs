//! Messages as the engine sees them: owned, whole, and silent about their contents in
//! `Debug`.

use std::borrow::Cow;
use std::fmt;

/// Field lines in wire order. Names keep their case; look-ups ignore it (RFC 9110, 5.1).
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Headers(pub Vec<(String, String)>);

impl Headers {
    /// The combined value of a field: its lines joined by `, ` (RFC 9110, 5.3).
    pub fn get(&self, name: &str) -> Option<Cow<'_, str>> {
        let mut lines = self.lines(name);
        let first = lines.next()?;
        let Some(second) = lines.next() else { return Some(Cow::Borrowed(first)) };
        let mut joined = format!("{first}, {second}");
        for line in lines {
            joined.push_str(", ");
            joined.push_str(line);
        }
        Some(Cow::Owned(joined))
    }

    pub fn has(&self, name: &str) -> bool {
        self.lines(name).next().is_some()
    }

    /// Every line of a field, in order.
    pub fn lines<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str())
    }

    pub fn push(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.0.push((name.into(), value.into()));
    }
}

impl fmt::Debug for Headers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}

/// A whole body. `Text` whenever the bytes are UTF-8.
#[derive(Clone, PartialEq, Eq)]
pub enum Body {
    Text(String),
    Bytes(Vec<u8>),
}

impl Body {
    pub fn from_bytes(bytes: Vec<u8>) -> Body {
        match String::from_utf8(bytes) {
            Ok(text) => Body::Text(text),
            Err(error) => Body::Bytes(error.into_bytes()),
        }
    }

    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Body::Text(text) => text.as_bytes(),
            Body::Bytes(bytes) => bytes,
        }
    }

    pub fn as_text(&self) -> Option<&str> {
        match self {
            Body::Text(text) => Some(text),
            Body::Bytes(bytes) => std::str::from_utf8(bytes).ok(),
        }
    }

    pub fn len(&self) -> usize {
        self.as_bytes().len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Default for Body {
    fn default() -> Body {
        Body::Text(String::new())
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.len())
    }
}

/// A request as the caller means it: before authentication, signature, key and cursor.
#[derive(Clone, Default)]
pub struct Request {
    pub method: String,
    pub target: String,
    pub query: Vec<(String, String)>,
    pub headers: Headers,
    pub body: Body,
    pub operation: Option<String>,
    pub idempotency_key: Option<String>,
    pub deadline: Option<crate::time::Ms>,
    pub max_wait: Option<crate::time::Ms>,
}

impl fmt::Debug for Request {
    /// Path, query, headers and key may hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("method", &self.method)
            .field("operation", &self.operation)
            .finish_non_exhaustive()
    }
}
