//! Filling templates with what is known of one attempt.

use super::keyring::Keyring;
use super::mac::Sink;
use crate::date;
use crate::http::{Body, Headers};
use crate::profile::{Nonce, Profile, Signing};
use crate::template::{Filter, Piece, Slot, Template};
use crate::time::Wall;
use base64ct::{Base64, Base64UrlUnpadded, Encoding as _};
use std::borrow::Cow;
use std::fmt::Write;
use std::sync::Arc;
use zeroize::Zeroizing;

/// One attempt while it is being signed: it grows header by header.
pub struct Message<'a> {
    pub profile: &'a Profile,
    pub keys: &'a Keyring,
    /// Names of credentials stand for their values: the text is for people.
    pub blank: bool,
    pub method: &'a str,
    pub path_and_query: String,
    pub headers: Headers,
    pub body: Arc<Body>,
    pub idempotency_key: Option<&'a str>,
    pub at: Wall,
    pub timestamp: String,
    /// 16 random bytes of this attempt alone.
    pub nonce_seed: [u8; 16],
    /// One for every key, once they are made.
    pub signatures: Vec<String>,
}

impl Message<'_> {
    /// Writes a template's text, piece by piece.
    pub fn fill(&self, template: &Template, sink: &mut dyn Sink) {
        for piece in &template.parts {
            match piece {
                Piece::Text(text) => sink.put(text.as_bytes()),
                Piece::Slot(Slot::Body, filters) if filters.is_empty() => sink.put(self.body.as_bytes()),
                Piece::Slot(slot, filters) if filters.is_empty() => sink.put(self.value(slot).as_bytes()),
                Piece::Slot(Slot::Body, filters) => sink.put(&filtered(self.body.as_bytes(), filters)),
                Piece::Slot(slot, filters) => sink.put(&filtered(self.value(slot).as_bytes(), filters)),
            }
        }
    }

    /// The text of a template that holds no body.
    pub fn text(&self, template: &Template) -> Result<String, String> {
        let mut bytes = Vec::new();
        self.fill(template, &mut bytes);
        String::from_utf8(bytes).map_err(|_| "a part of the request that is not UTF-8 cannot be sent here".into())
    }

    pub fn path(&self) -> &str {
        self.path_and_query.split('?').next().unwrap_or_default()
    }

    /// Without the question mark.
    pub fn query(&self) -> &str {
        self.path_and_query.split_once('?').map_or("", |(_, query)| query)
    }

    /// A header as it is sent; the authority where somebody signs the host.
    pub fn header(&self, name: &str) -> Option<Cow<'_, str>> {
        if name.eq_ignore_ascii_case("host") {
            return Some(self.profile.base_url.authority().into());
        }
        self.headers.get(name)
    }

    fn value(&self, slot: &Slot) -> Cow<'_, str> {
        match slot {
            Slot::Credential(name) => credential(self.keys, self.blank, name),
            Slot::Basic { user, password } => basic(self.keys, self.blank, user, password.as_deref()).into(),
            Slot::Timestamp(None) => self.timestamp.as_str().into(),
            Slot::Timestamp(Some(format)) => date::format(*format, self.at.0).into(),
            Slot::Nonce => nonce(self.profile.signing.as_ref(), self.nonce_seed).into(),
            Slot::Method => self.method.into(),
            Slot::Path => self.path().into(),
            Slot::Query => self.query().into(),
            Slot::PathAndQuery => self.path_and_query.as_str().into(),
            Slot::Url => {
                let scheme = if self.profile.base_url.https { "https" } else { "http" };
                format!("{scheme}://{}{}", self.profile.base_url.authority(), self.path_and_query).into()
            }
            Slot::Host => self.profile.base_url.authority().into(),
            // Its bytes are written by `fill`: they need not be text.
            Slot::Body => "".into(),
            Slot::Signature => self.signatures.first().map_or("", String::as_str).into(),
            Slot::Signatures => self.all_signatures().into(),
            Slot::IdempotencyKey => self.idempotency_key.unwrap_or_default().into(),
            Slot::Header(name) => self.header(name).unwrap_or_default(),
        }
    }

    /// As `signing.signatures` says.
    fn all_signatures(&self) -> String {
        let Some(signing) = &self.profile.signing else { return String::new() };
        let mut all = String::new();
        for (index, signature) in self.signatures.iter().enumerate() {
            if index > 0 {
                all.push_str(&signing.signatures.join);
            }
            for piece in &signing.signatures.each.parts {
                match piece {
                    Piece::Text(text) => all.push_str(text),
                    // Nothing but the signature can stand there.
                    Piece::Slot(_, filters) => {
                        all.push_str(&String::from_utf8_lossy(&filtered(signature.as_bytes(), filters)));
                    }
                }
            }
        }
        all
    }
}

/// A template of what is the same in every request.
pub fn fixed(keys: &Keyring, blank: bool, template: &Template) -> String {
    let mut text = String::new();
    for piece in &template.parts {
        match piece {
            Piece::Text(literal) => text.push_str(literal),
            Piece::Slot(slot, filters) => {
                let value = match slot {
                    Slot::Credential(name) => credential(keys, blank, name),
                    Slot::Basic { user, password } => basic(keys, blank, user, password.as_deref()).into(),
                    // The site allows nothing else.
                    _ => "".into(),
                };
                text.push_str(&String::from_utf8_lossy(&filtered(value.as_bytes(), filters)));
            }
        }
    }
    text
}

fn credential<'a>(keys: &'a Keyring, blank: bool, name: &str) -> Cow<'a, str> {
    if blank {
        return format!("{{credential:{name}}}").into();
    }
    // The keyring was made for this profile, so that every name is there.
    keys.secret(name).map_or("", |secret| secret.expose()).into()
}

/// RFC 7617.
fn basic(keys: &Keyring, blank: bool, user: &str, password: Option<&str>) -> String {
    if blank {
        return format!("{{basic:{user}:{}}}", password.unwrap_or_default());
    }
    let secret = |name: &str| keys.secret(name).map_or("", |secret| secret.expose());
    let pair = Zeroizing::new([secret(user), ":", password.map_or("", secret)].concat());
    Base64::encode_string(pair.as_bytes())
}

fn filtered(bytes: &[u8], filters: &[Filter]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for filter in filters {
        match filter {
            Filter::Lower => bytes.make_ascii_lowercase(),
            Filter::Upper => bytes.make_ascii_uppercase(),
            Filter::Percent => bytes = percent(&bytes).into_bytes(),
            Filter::Base64 => bytes = Base64::encode_string(&bytes).into_bytes(),
        }
    }
    bytes
}

/// Everything but the unreserved characters of RFC 3986, 2.3.
pub fn percent(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for byte in bytes {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => text.push(char::from(*byte)),
            byte => {
                let _ = write!(text, "%{byte:02X}");
            }
        }
    }
    text
}

/// `{nonce}` from 16 random bytes.
fn nonce(signing: Option<&Signing>, seed: [u8; 16]) -> String {
    match signing.map(|signing| signing.nonce) {
        None => String::new(),
        Some(Nonce::Hex16) => base16ct::lower::encode_string(&seed),
        Some(Nonce::Base64Url) => Base64UrlUnpadded::encode_string(&seed),
        Some(Nonce::Uuid4) => uuid4(seed),
    }
}

/// RFC 9562, 5.4.
fn uuid4(seed: [u8; 16]) -> String {
    let number = u128::from_be_bytes(seed);
    let number = (number & !(0xf << 76) & !(0x3 << 62)) | (0x4 << 76) | (0x2 << 62);
    let digits = format!("{number:032x}");
    let mut text = String::with_capacity(36);
    for (index, digit) in digits.chars().enumerate() {
        if matches!(index, 8 | 12 | 16 | 20) {
            text.push('-');
        }
        text.push(digit);
    }
    text
}

/// `{timestamp}`.
pub fn timestamp(signing: Option<&Signing>, at: Wall) -> String {
    signing.map_or(String::new(), |signing| date::format(signing.timestamp, at.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uuids_have_version_and_variant() {
        assert_eq!(uuid4([0; 16]), "00000000-0000-4000-8000-000000000000");
        assert_eq!(uuid4([0xff; 16]), "ffffffff-ffff-4fff-bfff-ffffffffffff");
        let seed = 0x0123_4567_89ab_cdef_0123_4567_89ab_cdef_u128.to_be_bytes();
        assert_eq!(uuid4(seed), "01234567-89ab-4def-8123-456789abcdef");
    }

    #[test]
    fn percent_encoding_is_of_bytes() {
        assert_eq!(percent("a b+ü~".as_bytes()), "a%20b%2B%C3%BC~");
        assert_eq!(percent(&[0xff, b'/']), "%FF%2F");
    }
}
