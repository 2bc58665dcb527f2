//! Where a walk stands: opaque to callers, bounded, and checked when it comes back.

use crate::http::Request;
use base64ct::{Base64UrlUnpadded, Encoding as _};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// How many of the last cursors are remembered.
const SEEN: usize = 8;

/// The longest cursor that is carried on, in bytes.
pub(crate) const LONGEST: usize = 64 * 1024;

const PREFIX: &str = "sc1.";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    pub next: Next,
    /// Pages read so far.
    pub pages: u32,
    /// Items read so far.
    pub items: u64,
    /// Fingerprint of supplier, operation and request.
    pub of: String,
    /// Fingerprints of the last cursors, newest last.
    seen: Vec<u64>,
    /// Fingerprint of the cursor at the last power-of-two page: a loop longer than `seen` comes
    /// back to it (Brent's algorithm).
    mark: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Raw JSON text of a string or number.
    Cursor(String),
    /// Path and query on the supplier's own origin.
    Url(String),
    /// The list goes on, and there is no way to follow it: the code of the failure that the
    /// next call gives, before any request.
    Stuck(String),
}

/// Why a position cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    Unreadable,
    Foreign,
}

impl Position {
    /// Before the first page of a request with this fingerprint.
    pub(crate) fn start(of: String) -> Position {
        Position { next: Next::Stuck("start".to_owned()), pages: 0, items: 0, of, seen: Vec::new(), mark: 0 }
    }

    /// The position after one more page. A continuation that was already used, or that goes
    /// beyond `max_pages`, is stuck.
    pub(crate) fn advance(&self, next: Next, items: u32, max_pages: u32, may_repeat: bool) -> Position {
        let mut after = self.clone();
        after.pages = self.pages.saturating_add(1);
        after.items = self.items.saturating_add(u64::from(items));
        after.next = next;
        let print = match &after.next {
            Next::Cursor(text) | Next::Url(text) => hash(text),
            Next::Stuck(_) => return after,
        };
        if after.pages >= max_pages {
            after.next = Next::Stuck("too-many-pages".to_owned());
        } else if !may_repeat && (after.seen.contains(&print) || after.mark == print) {
            after.next = Next::Stuck("cursor-not-advancing".to_owned());
        }
        after.seen.push(print);
        if after.seen.len() > SEEN {
            after.seen.remove(0);
        }
        if after.pages.is_power_of_two() {
            after.mark = print;
        }
        after
    }

    pub(crate) fn text(&self) -> String {
        let (kind, value) = match &self.next {
            Next::Cursor(raw) => ("c", raw),
            Next::Url(path) => ("u", path),
            Next::Stuck(code) => ("x", code),
        };
        let mut map = Map::new();
        map.insert(kind.to_owned(), Value::from(value.as_str()));
        map.insert("p".to_owned(), Value::from(self.pages));
        map.insert("i".to_owned(), Value::from(self.items));
        map.insert("r".to_owned(), Value::from(self.of.as_str()));
        map.insert("s".to_owned(), self.seen.iter().copied().map(Value::from).collect());
        map.insert("m".to_owned(), Value::from(self.mark));
        format!("{PREFIX}{}", Base64UrlUnpadded::encode_string(Value::Object(map).to_string().as_bytes()))
    }

    /// Reads a position back, for a request with the fingerprint `of`.
    pub(crate) fn parse(text: &str, of: &str) -> Result<Position, Fault> {
        let position = Position::read(text).ok_or(Fault::Unreadable)?;
        if position.of == of { Ok(position) } else { Err(Fault::Foreign) }
    }

    fn read(text: &str) -> Option<Position> {
        let json = Base64UrlUnpadded::decode_vec(text.trim().strip_prefix(PREFIX)?).ok()?;
        let map: Map<String, Value> = serde_json::from_slice(&json).ok()?;
        let text_of = |key: &str| map.get(key).and_then(Value::as_str).map(str::to_owned);
        let cursor = text_of("c").map(Next::Cursor);
        let next = cursor.or_else(|| text_of("u").map(Next::Url)).or_else(|| text_of("x").map(Next::Stuck))?;
        let seen = map.get("s")?.as_array()?;
        if seen.len() > SEEN {
            return None;
        }
        Some(Position {
            next,
            pages: u32::try_from(map.get("p")?.as_u64()?).ok()?,
            items: map.get("i")?.as_u64()?,
            of: text_of("r")?,
            seen: seen.iter().map(Value::as_u64).collect::<Option<_>>()?,
            mark: map.get("m")?.as_u64()?,
        })
    }
}

fn hash(text: &str) -> u64 {
    let digest: [u8; 32] = Sha256::digest(text.as_bytes()).into();
    let [a, b, c, d, e, f, g, h, ..] = digest;
    u64::from_be_bytes([a, b, c, d, e, f, g, h])
}

/// Fingerprint of what a position belongs to: the supplier and the request without its cursor,
/// headers and key.
pub(crate) fn fingerprint(supplier: &str, request: &Request) -> String {
    let mut hash = Sha256::new();
    let mut add = |bytes: &[u8]| {
        hash.update((bytes.len() as u64).to_be_bytes());
        hash.update(bytes);
    };
    add(supplier.as_bytes());
    add(request.operation.as_deref().unwrap_or_default().as_bytes());
    add(request.method.as_bytes());
    add(request.target.as_bytes());
    for (name, value) in &request.query {
        add(name.as_bytes());
        add(value.as_bytes());
    }
    add(request.body.as_bytes());
    let digest: [u8; 32] = hash.finalize().into();
    base16ct::lower::encode_string(&digest[..8])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cursor(n: u64) -> Next {
        Next::Cursor(format!("\"{n}\""))
    }

    /// Walks a list whose cursors run `tail` pages into a loop of `length`; how many pages until
    /// the walk is stuck.
    fn pages_until_stuck(tail: u64, length: u64) -> u64 {
        let mut position = Position::start("x".into());
        for page in 0.. {
            let n = if page < tail { page } else { tail + (page - tail) % length };
            position = position.advance(cursor(n), 1, u32::MAX, false);
            let again = Position::parse(&position.text(), "x").unwrap();
            assert_eq!(again, position);
            assert!(position.text().len() < 600);
            if let Next::Stuck(code) = &position.next {
                assert_eq!(code, "cursor-not-advancing");
                return page + 1;
            }
            assert!(page < 10 * (tail + length) + 20, "never stuck");
        }
        0
    }

    #[test]
    fn b101_finds_a_loop_of_two_on_the_third_page() {
        assert_eq!(pages_until_stuck(0, 2), 3);
    }

    #[test]
    fn b100_finds_a_cursor_that_stands_still() {
        assert_eq!(pages_until_stuck(0, 1), 2);
    }

    #[test]
    fn stops_at_max_pages() {
        let first = Position::start("x".into()).advance(cursor(1), 1, 2, false);
        assert_eq!(first.next, cursor(1));
        let second = first.advance(cursor(2), 1, 2, false);
        assert_eq!(second.next, Next::Stuck("too-many-pages".into()));
    }

    #[test]
    fn belongs_to_its_request() {
        let text = Position::start("x".into()).advance(cursor(1), 1, 9, false).text();
        assert_eq!(Position::parse(&text, "y"), Err(Fault::Foreign));
        assert_eq!(Position::parse("sc1.e30", "x"), Err(Fault::Unreadable));
        assert_eq!(Position::parse("https://evil.test/", "x"), Err(Fault::Unreadable));
    }

    proptest! {
        #[test]
        fn finds_every_loop(tail in 0u64..40, length in 1u64..60) {
            let pages = pages_until_stuck(tail, length);
            prop_assert!(pages > tail.max(length - 1), "stuck before the loop closed");
        }

        #[test]
        fn any_text_is_survived(text: String) {
            let _ = Position::parse(&text, "x");
            let _ = Position::parse(&format!("sc1.{}", Base64UrlUnpadded::encode_string(text.as_bytes())), "x");
        }
    }
}
