//! The syntax of header fields: RFC 9110, sections 5.1 and 5.5, and strings of RFC 9651.

/// Fields that the component or its host owns, so that no caller may set them.
const RESERVED: [&str; 12] = [
    "accept-encoding",
    "connection",
    "content-length",
    "expect",
    "host",
    "http2-settings",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    // All of `proxy-*`.
    "proxy-",
];

/// Whether this is a field name, which is a token (RFC 9110, 5.6.2).
pub fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(is_token_byte)
}

/// Whether this is a field value as it must be sent: no control character but the tab, and
/// no white space at either end. Nothing is repaired (B128).
pub fn is_value(value: &str) -> bool {
    let clean = value.bytes().all(|b| b == b'\t' || (b >= b' ' && b != 0x7f));
    clean && value.trim_matches([' ', '\t']).len() == value.len()
}

/// Whether callers may not set the field, in any case of its letters.
pub fn is_reserved(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    RESERVED.iter().any(|reserved| match reserved.strip_suffix('-') {
        Some(_) => name.starts_with(reserved),
        None => name == *reserved,
    })
}

/// A text as a String of RFC 9651 (section 4.1.6); `None` if it holds anything but printable
/// ASCII.
pub fn sf_string(text: &str) -> Option<String> {
    let mut quoted = String::with_capacity(text.len().saturating_add(2));
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            ' '..='~' => quoted.push(c),
            _ => return None,
        }
    }
    quoted.push('"');
    Some(quoted)
}

fn is_token_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names() {
        for name in ["X-Signature", "a", "!#$%&'*+-.^_`|~09"] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", "x y", "x:", "x\r\ny", "x\0", "é", "x\"", "(x)", "a/b", "x\t"] {
            assert!(!is_name(name), "{name:?}");
        }
    }

    #[test]
    fn values() {
        for value in ["", "a", "a\tb  c", "é", "t=1,v1=\"x\""] {
            assert!(is_value(value), "{value:?}");
        }
        for value in [" a", "a ", "\ta", "a\t", " ", "k1\r\nx-evil: 1", "a\rb", "a\nb", "a\0b", "a\x7fb", "a\x1bb"] {
            assert!(!is_value(value), "{value:?}");
        }
    }

    #[test]
    fn reserved() {
        for name in ["Host", "CONTENT-LENGTH", "proxy-authorization", "Proxy-Connection", "TE", "http2-settings", "te"]
        {
            assert!(is_reserved(name), "{name}");
        }
        for name in ["content-type", "x-host", "accept", "proxy", "tea", "trailers", "authorization"] {
            assert!(!is_reserved(name), "{name}");
        }
    }

    #[test]
    fn strings_of_rfc_9651() {
        assert_eq!(sf_string("a \"b\" \\").as_deref(), Some(r#""a \"b\" \\""#));
        assert_eq!(sf_string("").as_deref(), Some("\"\""));
        for text in ["é", "a\nb", "\x7f", "\t"] {
            assert_eq!(sf_string(text), None, "{text:?}");
        }
    }

    proptest! {
        /// A value or name that is accepted cannot start another field.
        #[test]
        fn no_injection(text in "(\\PC|[\r\n\0\t ]){0,12}") {
            if is_value(&text) || is_name(&text) {
                prop_assert!(!text.contains(['\r', '\n', '\0']));
            }
            if is_name(&text) {
                prop_assert!(is_value(&text));
            }
            if let Some(quoted) = sf_string(&text) {
                prop_assert!(is_value(&quoted));
            }
        }
    }
}
