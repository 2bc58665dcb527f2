//! `X-Signature: t=SECONDS,v1=HEX[,v1=HEX]`: HMAC-SHA256 over `SECONDS.BODY`.

use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::wire::Head;

/// What is expected of every request.
#[derive(Clone)]
pub struct Verifier {
    /// The header that carries the signature.
    pub header: String,
    /// Keys in force; a signature under any of them will do (rotation).
    pub secrets: Vec<String>,
    /// How far `t` may be from the supplier's clock, either way.
    pub tolerance_ms: i64,
}

/// Why a signature does not hold. Says nothing about keys or bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    Missing,
    /// The header occurs more than once: two layers sign.
    Duplicate,
    Malformed,
    /// No signature is the right one for this body and time.
    Mismatch,
    /// Right, but too old: it was signed before a wait, or replayed.
    Stale {
        age_ms: i64,
    },
    /// Right, but from the future.
    Future {
        ahead_ms: i64,
    },
}

impl Verifier {
    /// Checks form, bytes and then age against `now_ms` (Unix time by the supplier's clock).
    pub fn verify(&self, head: &Head, body: &[u8], now_ms: i64) -> Result<(), Flaw> {
        let lines: Vec<&str> = head.values(&self.header).collect();
        let [line] = lines[..] else {
            return Err(if lines.is_empty() { Flaw::Missing } else { Flaw::Duplicate });
        };
        let (time, signatures) = parse(line).ok_or(Flaw::Malformed)?;
        let seconds: i64 = time.parse().map_err(|_| Flaw::Malformed)?;
        if !signatures.iter().any(|s| self.matches(time, body, s)) {
            return Err(Flaw::Mismatch);
        }
        let age_ms = now_ms.saturating_sub(seconds.saturating_mul(1000));
        // `t` counts whole seconds: up to a second of age is rounding.
        if age_ms > self.tolerance_ms {
            return Err(Flaw::Stale { age_ms });
        }
        if age_ms.saturating_neg() > self.tolerance_ms {
            return Err(Flaw::Future { ahead_ms: age_ms.saturating_neg() });
        }
        Ok(())
    }

    fn matches(&self, time: &str, body: &[u8], signature: &[u8]) -> bool {
        self.secrets.iter().any(|secret| mac(secret, time, body).verify_slice(signature).is_ok())
    }
}

impl Flaw {
    /// For people; stands in the report and in the answer.
    pub fn text(self) -> String {
        match self {
            Flaw::Missing => "no signature header".into(),
            Flaw::Duplicate => "more than one signature header".into(),
            Flaw::Malformed => "the signature header is not `t=SECONDS,v1=HEX`".into(),
            Flaw::Mismatch => "the signature does not belong to this body and time".into(),
            Flaw::Stale { age_ms } => format!("the signature is {age_ms} ms old"),
            Flaw::Future { ahead_ms } => format!("the signature is {ahead_ms} ms ahead"),
        }
    }

    pub fn is_about_time(self) -> bool {
        matches!(self, Flaw::Stale { .. } | Flaw::Future { .. })
    }
}

/// The header value that a client with this key and clock has to send.
pub fn sign(secret: &str, seconds: i64, body: &[u8]) -> String {
    let time = seconds.to_string();
    let tag = mac(secret, &time, body).finalize().into_bytes();
    format!("t={time},v1={}", HEXLOWER.encode(&tag))
}

fn mac(secret: &str, time: &str, body: &[u8]) -> Hmac<Sha256> {
    // HMAC takes keys of any length.
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("any length is a key");
    mac.update(time.as_bytes());
    mac.update(b".");
    mac.update(body);
    mac
}

fn parse(line: &str) -> Option<(&str, Vec<Vec<u8>>)> {
    let mut parts = line.split(',');
    let time = parts.next()?.strip_prefix("t=")?;
    if time.is_empty() || !time.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let signatures: Option<Vec<_>> =
        parts.map(|p| HEXLOWER.decode(p.strip_prefix("v1=")?.as_bytes()).ok().filter(|s| s.len() == 32)).collect();
    signatures.filter(|s| !s.is_empty()).map(|s| (time, s))
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    const T0: i64 = 1_772_452_800;

    fn judge(lines: &[&str], body: &str, now_ms: i64) -> Result<(), Flaw> {
        let rows: String = lines.iter().map(|l| format!("\r\nX-Signature: {l}")).collect();
        let head = Head::parse(format!("POST / HTTP/1.1{rows}").as_bytes(), Instant::now()).unwrap();
        let verifier = Verifier {
            header: "X-Signature".into(),
            secrets: vec!["old".into(), "test_secret_a".into()],
            tolerance_ms: 300_000,
        };
        verifier.verify(&head, body.as_bytes(), now_ms)
    }

    /// RFC 4231, test case 2: HMAC-SHA256 under "Jefe" of "what do ya want for nothing?".
    #[test]
    fn hmac_is_the_published_one() {
        let mut mac = Hmac::<Sha256>::new_from_slice(b"Jefe").unwrap();
        mac.update(b"what do ya want for nothing?");
        let hex = HEXLOWER.encode(&mac.finalize().into_bytes());
        assert_eq!(hex, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    }

    #[test]
    fn any_key_in_force_and_any_of_several_signatures_will_do() {
        let good = sign("test_secret_a", T0, b"{}");
        assert_eq!(judge(&[&good], "{}", T0 * 1000), Ok(()));
        assert_eq!(judge(&[&sign("old", T0, b"{}")], "{}", T0 * 1000), Ok(()));
        let (_, tag) = good.split_once(',').unwrap();
        let other = sign("unknown", T0, b"{}");
        assert_eq!(judge(&[&format!("{other},{tag}")], "{}", T0 * 1000), Ok(()));
        assert_eq!(judge(&[&other], "{}", T0 * 1000), Err(Flaw::Mismatch));
        assert_eq!(judge(&[&good], "{ }", T0 * 1000), Err(Flaw::Mismatch));
    }

    #[test]
    fn age_counts_both_ways_and_only_when_the_bytes_are_right() {
        let good = sign("old", T0, b"");
        assert_eq!(judge(&[&good], "", T0 * 1000 + 300_000), Ok(()));
        assert_eq!(judge(&[&good], "", T0 * 1000 + 300_001), Err(Flaw::Stale { age_ms: 300_001 }));
        assert_eq!(judge(&[&good], "", T0 * 1000 - 300_001), Err(Flaw::Future { ahead_ms: 300_001 }));
        assert_eq!(judge(&[&good], "x", T0 * 1000 + 300_001), Err(Flaw::Mismatch));
    }

    #[test]
    fn exactly_one_well_formed_line() {
        let good = sign("old", T0, b"");
        assert_eq!(judge(&[], "", 0), Err(Flaw::Missing));
        assert_eq!(judge(&[&good, &good], "", T0 * 1000), Err(Flaw::Duplicate));
        for bad in ["", "t=1", "v1=00", "t=,v1=00", "t=1,v1=zz", "t=+1,v1=00", "t=99999999999999999999,v1=00"] {
            assert_eq!(judge(&[bad], "", 0), Err(Flaw::Malformed), "{bad}");
        }
    }
}
