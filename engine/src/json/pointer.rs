//! JSON Pointer (RFC 6901).

use std::fmt;

/// A JSON Pointer (RFC 6901), split and unescaped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pointer {
    tokens: Vec<String>,
}

impl Pointer {
    /// Deeper pointers are refused: each token costs a level of the stack.
    const MAX_TOKENS: usize = 64;

    /// Reads a pointer; the error says what is wrong and what to write.
    pub fn parse(text: &str) -> Result<Pointer, &'static str> {
        if text.is_empty() {
            return Ok(Pointer { tokens: Vec::new() });
        }
        let Some(rest) = text.strip_prefix('/') else {
            return Err("a JSON Pointer is empty (the whole document) or starts with /, as in /data/items");
        };
        let tokens = rest.split('/').map(unescape).collect::<Option<Vec<_>>>();
        match tokens {
            None => Err("in a JSON Pointer ~ is written ~0 and / within a name is written ~1"),
            Some(tokens) if tokens.len() > Self::MAX_TOKENS => Err("a JSON Pointer has at most 64 parts"),
            Some(tokens) => Ok(Pointer { tokens }),
        }
    }

    /// Whether it points at the whole document.
    pub fn is_root(&self) -> bool {
        self.tokens.is_empty()
    }

    /// The names and indices on the way, unescaped.
    pub fn tokens(&self) -> &[String] {
        &self.tokens
    }

    /// The way to the parent, and the last token; `None` for the root.
    pub(super) fn split_last(&self) -> Option<(Pointer, &str)> {
        let (last, way) = self.tokens.split_last()?;
        Some((Pointer { tokens: way.to_vec() }, last))
    }
}

impl fmt::Display for Pointer {
    /// The text of RFC 6901, escaped.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for token in &self.tokens {
            f.write_str("/")?;
            f.write_str(&token.replace('~', "~0").replace('/', "~1"))?;
        }
        Ok(())
    }
}

fn unescape(token: &str) -> Option<String> {
    let mut parts = token.split('~');
    let mut plain = parts.next()?.to_owned();
    for part in parts {
        if let Some(rest) = part.strip_prefix('0') {
            plain.push('~');
            plain.push_str(rest);
        } else {
            plain.push('/');
            plain.push_str(part.strip_prefix('1')?);
        }
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pointer(text: &str) -> Pointer {
        Pointer::parse(text).unwrap()
    }

    #[test]
    fn pointers_that_are_none() {
        for text in ["data", "#/data", "/a~", "/a~2b", "/~~0", &"/a".repeat(65)] {
            assert!(Pointer::parse(text).is_err(), "{text}");
        }
        assert_eq!(pointer("/a~01").tokens(), ["a~1"]);
        assert!(pointer("").is_root() && !pointer("/").is_root());
    }

    proptest! {
        #[test]
        fn pointers_round_trip(tokens in prop::collection::vec(".{0,5}", 0..5)) {
            let pointer = Pointer { tokens };
            prop_assert_eq!(Pointer::parse(&pointer.to_string()), Ok(pointer));
        }
    }
}
