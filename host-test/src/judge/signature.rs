//! `"signed": true`: verifies the scheme that this project began with, HMAC-SHA256 over
//! `timestamp.body` in `t=...,v1=...`, independently of the engine. Other schemes are
//! asserted byte for byte with `headers`.

use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

use crate::scenario::{Case, Opening};
use crate::script::Seen;

/// Whether the first credential made the signature, in this very second.
pub fn verify(case: &Case, seen: &Seen) -> Result<(), String> {
    let tried = case.openings.iter().map(|opening| verify_one(opening, seen)).collect::<Vec<_>>();
    if tried.iter().any(Result::is_ok) {
        return Ok(());
    }
    tried.into_iter().next().unwrap_or_else(|| Err("no supplier".to_owned()))
}

fn verify_one(opening: &Opening, seen: &Seen) -> Result<(), String> {
    let scheme =
        Scheme::of(opening).ok_or("a profile whose signature is not the `t=...,v1=...` that can be verified")?;
    let value = match seen.lines(&scheme.header).as_slice() {
        [value] => value.clone(),
        [] => return Err(format!("no {} header", scheme.header)),
        _ => return Err(format!("several {} headers", scheme.header)),
    };
    let part = |name: &str| value.split(',').find_map(|part| part.strip_prefix(name)?.strip_prefix('='));
    let (timestamp, signature) = part("t").zip(part("v1")).ok_or_else(|| format!("{}: {value}", scheme.header))?;
    let mut mac = Hmac::<Sha256>::new_from_slice(scheme.key.as_bytes()).map_err(|error| error.to_string())?;
    mac.update(timestamp.as_bytes());
    mac.update(b".");
    mac.update(&seen.body);
    let right = HEXLOWER.encode(&mac.finalize().into_bytes());
    if right != signature {
        return Err(format!("v1={signature}, where v1={right} is right for t={timestamp}"));
    }
    let signed: i64 = timestamp.parse().map_err(|_| format!("the timestamp {timestamp}"))?;
    let this_second = [seen.ours, seen.theirs].map(|wall| wall.0.div_euclid(1000));
    if !this_second.contains(&signed) {
        return Err(format!(
            "signed at {signed}, sent at {} on our clock and {} on the supplier's",
            this_second[0], this_second[1]
        ));
    }
    Ok(())
}

struct Scheme {
    header: String,
    key: String,
}

impl Scheme {
    fn of(opening: &Opening) -> Option<Scheme> {
        let profile: Value = serde_json::from_str(&opening.profile).ok()?;
        let signing = profile.get("signing")?;
        if *signing.get("string_to_sign")? != json!(["{timestamp}", ".", "{body}"])
            || signing.get("algorithm")? != "hmac-sha256"
            || signing.get("encode").is_some_and(|encode| encode != "hex")
            || signing.get("timestamp").is_some_and(|timestamp| timestamp != "epoch-s")
        {
            return None;
        }
        let headers = signing.get("headers")?.as_object()?;
        let (header, _) = headers.iter().find(|(_, template)| **template == "t={timestamp},{signatures}")?;
        let name = signing.pointer("/key/credentials/0")?.as_str()?;
        let (_, key) = opening.credentials.iter().find(|(credential, _)| credential == name)?;
        Some(Scheme { header: header.clone(), key: key.clone() })
    }
}

#[cfg(test)]
mod tests {
    use supplier_engine::Wall;

    use super::*;
    use crate::scenario::{ACME, TEST_SECRET};

    fn seen(signature: &str, ours: i64) -> Seen {
        Seen {
            at_ms: 0,
            ours: Wall(ours),
            theirs: Wall(0),
            method: "POST".to_owned(),
            scheme: "https".to_owned(),
            authority: String::new(),
            target: String::new(),
            headers: vec![("x-signature".to_owned(), signature.as_bytes().to_vec())],
            body: br#"{"sku":"A1","qty":2}"#.to_vec(),
            answer: None,
            unexpected: false,
        }
    }

    /// Vector V1 of the cases:
    /// `printf %s '1772452800.{"sku":"A1","qty":2}' | openssl dgst -sha256 -hmac test_secret_a`
    #[test]
    fn the_signature_of_a_published_case() {
        let opening = Opening {
            name: "main".to_owned(),
            profile: ACME.to_owned(),
            overrides: None,
            credentials: vec![("signing-secret".to_owned(), TEST_SECRET.to_owned())],
        };
        let right = format!("t=1772452800,v1={}", V1);
        assert_eq!(verify_one(&opening, &seen(&right, 1_772_452_800_999)), Ok(()));
        assert!(verify_one(&opening, &seen(&right, 1_772_452_801_000)).unwrap_err().contains("signed at"));
        let wrong = right.replace("v1=c", "v1=d");
        assert!(verify_one(&opening, &seen(&wrong, 1_772_452_800_000)).unwrap_err().contains("is right for"));
        assert!(verify_one(&opening, &seen("v1=1", 0)).is_err());
    }

    const V1: &str = "c13bc0eaf1035ed813f29f6644c9ee2aff2bbfd0d425dfd59a3e78fd249ef3f9";
}
