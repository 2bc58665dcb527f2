//! Percent-encoding (RFC 3986, 2.1 to 2.3).

/// Percent-encodes everything but the unreserved characters, in upper case. A space is `%20`
/// (B107).
pub fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for b in text.bytes() {
        if is_unreserved(b) { out.push(char::from(b)) } else { push_escape(&mut out, b) }
    }
    out
}

/// Percent-decodes; a `%` that starts no escape stands for itself, and so does `+`.
pub fn decode(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let (byte, tail) = escape(rest).unwrap_or((first, tail));
        out.push(byte);
        rest = tail;
    }
    out
}

/// Encodes what may not stand in a URI at all, a lone `%` among it, and the characters in
/// `also`; escapes and everything else stay.
pub fn encode_stray(text: &str, also: &[u8]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let fits = if first == b'%' { escape(rest).is_some() } else { is_unreserved(first) || is_reserved(first) };
        if fits && !also.contains(&first) {
            out.push(char::from(first))
        } else {
            push_escape(&mut out, first)
        }
        rest = tail;
    }
    out
}

/// Whether every `%` starts an escape.
pub fn is_well_formed(text: &str) -> bool {
    let mut parts = text.split('%');
    parts.next();
    parts.all(|part| matches!(part.as_bytes(), [high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit()))
}

/// The byte of an escape at the front, and what follows it.
fn escape(text: &[u8]) -> Option<(u8, &[u8])> {
    let [b'%', high, low, rest @ ..] = text else { return None };
    let digit = |b: &u8| char::from(*b).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    Some((digit(high)? << 4 | digit(low)?, rest))
}

fn push_escape(out: &mut String, b: u8) {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or('0').to_ascii_uppercase();
    out.extend(['%', digit(b >> 4), digit(b & 15)]);
}

fn is_unreserved(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b"-._~".contains(&b)
}

fn is_reserved(b: u8) -> bool {
    b":/?#[]@!$&'()*+,;=".contains(&b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// B107, B108.
    #[test]
    fn encoding() {
        assert_eq!(encode("aB+/c==&x=1#y é"), "aB%2B%2Fc%3D%3D%26x%3D1%23y%20%C3%A9");
        assert_eq!(encode("Pm%3D%3D"), "Pm%253D%253D");
        assert_eq!(encode("-._~09azAZ\r\n\0*"), "-._~09azAZ%0D%0A%00%2A");
    }

    #[test]
    fn decoding() {
        assert_eq!(decode("a%2Bb+%c3%A9%00"), b"a+b+\xc3\xa9\0");
        assert_eq!(decode("%FF%"), b"\xff%");
        assert_eq!(decode("100%2%zz%%41%4"), b"100%2%zz%A%4");
    }

    #[test]
    fn stray_characters() {
        assert_eq!(
            encode_stray("/a b|c[d]%41%4%é\"<>^`{}\\", b"[]"),
            "/a%20b%7Cc%5Bd%5D%41%254%25%C3%A9%22%3C%3E%5E%60%7B%7D%5C"
        );
        assert_eq!(encode_stray("[::1]:80/?a=b&c+d#e", b""), "[::1]:80/?a=b&c+d#e");
    }

    proptest! {
        #[test]
        fn round_trip(text in ".{0,32}") {
            let encoded = encode(&text);
            prop_assert!(encoded.bytes().all(|b| is_unreserved(b) || b == b'%') && is_well_formed(&encoded));
            prop_assert_eq!(decode(&encoded), text.as_bytes());
        }

        #[test]
        fn stray_is_encoded_once(text in "(.|[%0-9a-f]){0,32}") {
            let encoded = encode_stray(&text, b"&");
            prop_assert!(is_well_formed(&encoded) && !encoded.contains('&'));
            prop_assert_eq!(decode(&encoded), decode(&text));
            prop_assert_eq!(encode_stray(&encoded, b"&"), encoded);
        }
    }
}
