//! The credentials that a profile names, judged and decoded once.

use super::mac::Mac;
use crate::profile::read::{Problems, code, nearest};
use crate::profile::{Decode, Key, Mention, Profile, Use};
use crate::secret::Secret;
use crate::template::Template;
use crate::{Credential, Problem};
use base64ct::{Base64, Base64Url, Base64UrlUnpadded, Encoding as _};
use std::fmt;
use zeroize::Zeroizing;

/// No secret is longer.
const LONGEST: usize = 64 * 1024;
/// A decoded key below this is a slip, not a key (B68).
const SHORTEST_KEY: usize = 16;

/// The credentials of one profile. Wiped when it is dropped.
#[derive(Clone)]
pub struct Keyring {
    credentials: Vec<(String, Secret)>,
    /// In the profile's order, the newest first.
    pub(super) keys: Vec<SigningKey>,
    /// The profile's own headers: the same in every request.
    pub(super) headers: Vec<(String, Secret)>,
}

/// One key of an HMAC.
#[derive(Clone)]
pub(super) struct SigningKey {
    pub bytes: Zeroizing<Vec<u8>>,
    /// With the key in it already; half of a short message's work.
    pub ready: Mac,
}

impl Keyring {
    /// Checks every credential that the profile names; others may be given and are ignored.
    pub fn new(profile: &Profile, credentials: &[Credential]) -> Result<Keyring, Vec<Problem>> {
        let mut problems = Problems::default();
        let mentions = profile.mentions();
        let mut keyring = Keyring { credentials: Vec::new(), keys: Vec::new(), headers: Vec::new() };
        for (name, pointer) in profile.credential_names() {
            let mut given = credentials.iter().filter(|credential| credential.name == name);
            let Some(credential) = given.next() else {
                problems.add_at(pointer, code::UNKNOWN_CREDENTIAL, unknown(&name, credentials));
                continue;
            };
            if given.next().is_some() {
                let message = format!("the credential \"{name}\" was given twice");
                problems.add_at(pointer, code::CONFLICT, message);
                continue;
            }
            let uses = mentions.iter().filter(|mention| mention.name == name);
            if let Some(problem) = judge(&credential.value, &pointer, uses) {
                problems.add_at(problem.0, code::INVALID_SECRET, format!("the credential \"{name}\" {}", problem.1));
                continue;
            }
            keyring.credentials.push((name, Secret::new(&credential.value)));
        }
        if let Some(signing) = &profile.signing {
            keyring.keys = keys(signing.key.as_ref(), &keyring, &mut problems)
                .into_iter()
                .map(|bytes| SigningKey { ready: Mac::new(signing.algorithm, &bytes), bytes })
                .collect();
        }
        if !problems.0.is_empty() {
            return Err(problems.0);
        }
        keyring.headers = profile.headers.iter().map(|(name, value)| (name.clone(), keyring.fixed(value))).collect();
        Ok(keyring)
    }

    /// The value of a credential that the profile names.
    pub(super) fn secret(&self, name: &str) -> Option<&Secret> {
        self.credentials.iter().find(|(known, _)| known == name).map(|(_, secret)| secret)
    }

    /// A template of what is the same in every request.
    fn fixed(&self, template: &Template) -> Secret {
        let text = Zeroizing::new(super::fill::fixed(self, false, template));
        Secret::new(&text)
    }
}

impl fmt::Debug for Keyring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.credentials.iter().map(|(name, secret)| (name, secret))).finish()
    }
}

fn unknown(name: &str, credentials: &[Credential]) -> String {
    match nearest(name, credentials.iter().map(|credential| credential.name.as_str())) {
        Some(near) => format!("the credential \"{name}\" was not given; there is one called \"{near}\""),
        None => format!("the credential \"{name}\" was not given"),
    }
}

/// What is wrong with a value, and where the profile says so. Nothing is trimmed or
/// repaired (B67).
fn judge<'a>(value: &str, pointer: &str, uses: impl Iterator<Item = &'a Mention>) -> Option<(String, &'static str)> {
    let first = |message| Some((pointer.to_owned(), message));
    let is_space = |c: char| c.is_ascii_whitespace() || c == '\u{b}';
    if value.is_empty() {
        return first("is empty");
    }
    if value.len() > LONGEST {
        return first("is longer than 64 KiB");
    }
    if value.starts_with(is_space) || value.ends_with(is_space) {
        return first("has white space or a line break at its beginning or end; give it without");
    }
    for mention in uses {
        let message = match mention.used_as {
            Use::Header if value.chars().any(|c| c.is_control() && c != '\t') => {
                "has line breaks or control characters, which no header can carry"
            }
            Use::User if value.contains(':') => "has a colon, which no user name of basic authentication can have",
            _ => continue,
        };
        return Some((mention.pointer.clone(), message));
    }
    None
}

fn keys(key: Option<&Key>, keyring: &Keyring, problems: &mut Problems) -> Vec<Zeroizing<Vec<u8>>> {
    let mut decoded = Vec::new();
    for (index, name) in key.iter().flat_map(|key| key.credentials.iter().enumerate()) {
        // One that is missing or wrong has its problem already.
        let (Some(key), Some(secret)) = (key, keyring.secret(name)) else { continue };
        match decode(key, secret.expose()) {
            Ok(bytes) => decoded.push(bytes),
            Err(message) => {
                let pointer = format!("/signing/key/credentials/{index}");
                problems.add_at(pointer, code::INVALID_SECRET, format!("the credential \"{name}\" {message}"));
            }
        }
    }
    decoded
}

/// Strictly as the profile says; nothing is guessed from what the text looks like (B68).
fn decode(key: &Key, text: &str) -> Result<Zeroizing<Vec<u8>>, &'static str> {
    let text = match &key.strip_prefix {
        Some(prefix) => text.strip_prefix(prefix.as_str()).ok_or("does not begin with what \"strip_prefix\" says")?,
        None => text,
    };
    let bytes = match key.decode {
        Decode::Utf8 => {
            let empty = text.is_empty();
            return if empty { Err("is nothing but its prefix") } else { Ok(Zeroizing::new(text.as_bytes().to_vec())) };
        }
        Decode::Base64 => Base64::decode_vec(text).map_err(|_| "is not base64 with padding, as \"decode\" says"),
        Decode::Base64Url if text.ends_with('=') => {
            Base64Url::decode_vec(text).map_err(|_| "is not base64 for URLs, as \"decode\" says")
        }
        Decode::Base64Url => {
            Base64UrlUnpadded::decode_vec(text).map_err(|_| "is not base64 for URLs, as \"decode\" says")
        }
        Decode::Hex => base16ct::mixed::decode_vec(text).map_err(|_| "is not hexadecimal, as \"decode\" says"),
    };
    let bytes = Zeroizing::new(bytes?);
    if bytes.len() < SHORTEST_KEY {
        return Err("has fewer than 16 bytes when decoded");
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keyring(key: &str, value: &str) -> Result<Keyring, Vec<Problem>> {
        let profile = format!(
            r#"{{ "profile": 1, "supplier": "a", "base_url": "https://a.test", "signing": {{
                "string_to_sign": ["{{body}}"], "algorithm": "hmac-sha256", "key": {key},
                "headers": {{ "X-Signature": "{{signature}}" }} }} }}"#
        );
        let profile = Profile::read(&profile, None).unwrap();
        Keyring::new(&profile, &[Credential { name: "k".into(), value: value.into() }])
    }

    const UTF8: &str = r#"{ "credentials": ["k"] }"#;

    #[test]
    fn a_pasted_line_break_is_refused() {
        // B67
        let long = "x".repeat(1 << 20);
        for value in ["CANARY\n", " CANARY", "CANARY\t", "\r\nCANARY", "", &long] {
            let problems = keyring(UTF8, value).unwrap_err();
            assert_eq!(problems.len(), 1);
            assert_eq!(
                (problems[0].pointer.as_str(), problems[0].code),
                ("/signing/key/credentials/0", "invalid-secret")
            );
            assert!(problems[0].message.contains("\"k\"") && !problems[0].message.contains("CANARY"));
        }
        assert!(keyring(UTF8, &"x".repeat(64 * 1024)).is_ok());
    }

    #[test]
    fn keys_are_decoded_strictly() {
        // B68
        let base64 = r#"{ "credentials": ["k"], "strip_prefix": "whsec_", "decode": "base64" }"#;
        assert!(keyring(base64, "whsec_dGVzdF9zZWNyZXRfbG9uZw==").is_ok());
        for value in
            ["whsec_x!", "whsec_dGVzdA==", "whsec_dGVzdF9zZWNyZXRfbG9uZw", "dGVzdF9zZWNyZXRfbG9uZw==", "whsec_"]
        {
            assert_eq!(keyring(base64, value).unwrap_err()[0].code, "invalid-secret", "{value}");
        }
        let hex = r#"{ "credentials": ["k"], "decode": "hex" }"#;
        assert!(keyring(hex, "000102030405060708090a0b0c0d0e0F").is_ok());
        assert!(keyring(hex, "000102030405060708090a0b0c0d0e0").is_err());
        let url = r#"{ "credentials": ["k"], "decode": "base64url" }"#;
        assert!(keyring(url, "__________________8").is_err());
        assert!(keyring(url, "_____________________w").is_ok());
        assert!(keyring(url, "_____________________w==").is_ok());
    }

    #[test]
    fn nothing_shows_a_secret() {
        let keyring = keyring(UTF8, "CANARY").unwrap();
        assert_eq!(format!("{keyring:?}"), r#"{"k": [secret]}"#);
    }

    #[test]
    fn a_missing_one_and_one_given_twice() {
        let profile = r#"{ "profile": 1, "supplier": "a", "base_url": "https://a.test",
            "headers": { "Authorization": "Bearer {credential:token}", "X-Id": "{basic:user:tocken}" } }"#;
        let profile = Profile::read(profile, None).unwrap();
        let given = |names: &[&str]| {
            let credentials: Vec<Credential> =
                names.iter().map(|name| Credential { name: (*name).into(), value: "a:b".into() }).collect();
            Keyring::new(&profile, &credentials).unwrap_err()
        };
        let problems = given(&["tocken", "user", "user"]);
        let found: Vec<_> = problems.iter().map(|p| (p.pointer.as_str(), p.code)).collect();
        assert_eq!(found, [("/headers/Authorization", "unknown-credential"), ("/headers/X-Id", "conflict")]);
        assert!(problems[0].message.contains("\"tocken\""));
        let problems = given(&["tocken", "token", "user", "another"]);
        assert_eq!((problems[0].pointer.as_str(), problems[0].code), ("/headers/X-Id", "invalid-secret"));
    }
}
