//! `--reset`: says in the profile's own dialect when its window opens again.

use serde_json::Value;
use supplier_engine::Wall;

use crate::dates;

const YEAR_2001: i64 = 1_000_000_000;

/// `+5s`, `+500ms`, `+2m`, or seconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reset {
    InMs(u64),
    AtS(i64),
}

impl Reset {
    pub fn parse(text: &str) -> Result<Reset, String> {
        let wrong = || format!("write `+5s`, `+500ms`, `+2m`, or seconds since 1970, not `{text}`");
        let Some(delta) = text.strip_prefix('+') else {
            let seconds: i64 = text.parse().map_err(|_| wrong())?;
            // `5` means five seconds from now to everybody but a computer.
            return if seconds >= YEAR_2001 { Ok(Reset::AtS(seconds)) } else { Err(wrong()) };
        };
        let (digits, factor) = match delta {
            _ if delta.ends_with("ms") => (&delta[..delta.len() - 2], 1),
            _ if delta.ends_with('s') => (&delta[..delta.len() - 1], 1000),
            _ if delta.ends_with('m') => (&delta[..delta.len() - 1], 60_000),
            _ => (delta, 1000),
        };
        let number: u64 = digits.parse().map_err(|_| wrong())?;
        number.checked_mul(factor).map(Reset::InMs).ok_or_else(wrong)
    }

    /// The instant on the supplier's clock, seen from `now`.
    pub fn at(self, now: Wall) -> Wall {
        match self {
            Reset::InMs(ms) => Wall(now.0.saturating_add(i64::try_from(ms).unwrap_or(i64::MAX))),
            Reset::AtS(seconds) => Wall(seconds.saturating_mul(1000)),
        }
    }
}

/// The header lines that say: nothing is left until `at`.
pub fn headers(profile: &Value, now: Wall, at: Wall) -> Result<Vec<(String, String)>, String> {
    let limits = profile.get("limits").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    limits.iter().find_map(|limit| reader(limit, now, at)).ok_or_else(|| {
        "this profile reads no reset (no `fields` reader with `reset`, no `ietf` reader): use --retry-after".to_owned()
    })
}

fn reader(limit: &Value, now: Wall, at: Wall) -> Option<Vec<(String, String)>> {
    let name = |key: &str| limit.get(key).and_then(Value::as_str).map(str::to_owned);
    let left_ms = at.0.saturating_sub(now.0).max(0);
    match limit.get("reader")?.as_str()? {
        "fields" => {
            let reset = name("reset")?;
            let unit = name("reset_unit").unwrap_or_else(|| "epoch-s".to_owned());
            let mut lines = Vec::new();
            match (name("remaining"), name("used"), name("limit")) {
                (Some(remaining), _, _) => lines.push((remaining, "0".to_owned())),
                (None, Some(used), Some(limit)) => lines.extend([(limit, "100".to_owned()), (used, "100".to_owned())]),
                _ => return None,
            }
            lines.push((reset, written(&unit, left_ms, at)?));
            Some(lines)
        }
        "ietf" => {
            let header = name("header").unwrap_or_else(|| "RateLimit".to_owned());
            Some(vec![(header, format!("\"default\";r=0;t={}", ceil_seconds(left_ms)))])
        }
        _ => None,
    }
}

fn written(unit: &str, left_ms: i64, at: Wall) -> Option<String> {
    Some(match unit {
        "retry-after" | "delta-s" => ceil_seconds(left_ms).to_string(),
        "delta-ms" => left_ms.to_string(),
        "delta-float" => decimal(left_ms),
        "epoch-s" => ceil_seconds(at.0).to_string(),
        "epoch-ms" => at.0.to_string(),
        "epoch-float" => decimal(at.0),
        "iso8601" => dates::iso8601(at),
        "http-date" => dates::http_date(at),
        "go-duration" => format!("{left_ms}ms"),
        _ => return None,
    })
}

fn ceil_seconds(ms: i64) -> i64 {
    ms.div_euclid(1000) + i64::from(ms.rem_euclid(1000) > 0)
}

fn decimal(ms: i64) -> String {
    format!("{}.{:03}", ms.div_euclid(1000), ms.rem_euclid(1000))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NOON: Wall = Wall(1_772_452_800_000);

    #[test]
    fn reads_what_people_write() {
        assert_eq!(Reset::parse("+5s"), Ok(Reset::InMs(5000)));
        assert_eq!(Reset::parse("+5"), Ok(Reset::InMs(5000)));
        assert_eq!(Reset::parse("+250ms"), Ok(Reset::InMs(250)));
        assert_eq!(Reset::parse("+2m"), Ok(Reset::InMs(120_000)));
        assert_eq!(Reset::parse("1772452805"), Ok(Reset::AtS(1_772_452_805)));
        for wrong in ["", "+", "5", "5s", "+5h", "+-5s", "+99999999999999999999"] {
            assert!(Reset::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn writes_each_dialect() {
        let at = Reset::InMs(4_500).at(NOON);
        for (unit, text) in [
            ("epoch-s", "1772452805"),
            ("epoch-ms", "1772452804500"),
            ("epoch-float", "1772452804.500"),
            ("delta-s", "5"),
            ("delta-ms", "4500"),
            ("delta-float", "4.500"),
            ("iso8601", "2026-03-02T12:00:04.5Z"),
            ("http-date", "Mon, 02 Mar 2026 12:00:04 GMT"),
            ("go-duration", "4500ms"),
        ] {
            let limit = json!({ "reader": "fields", "remaining": "R", "reset": "T", "reset_unit": unit });
            let lines = headers(&json!({ "limits": [limit] }), NOON, at).unwrap();
            assert_eq!(lines, [("R".to_owned(), "0".to_owned()), ("T".to_owned(), text.to_owned())]);
        }
        let ietf = json!({ "limits": [{ "reader": "static" }, { "reader": "ietf" }] });
        let lines = headers(&ietf, NOON, at).unwrap();
        assert_eq!(lines, [("RateLimit".to_owned(), "\"default\";r=0;t=5".to_owned())]);
        assert!(headers(&json!({}), NOON, at).is_err());
    }
}
