//! One header with `used/limit`.

use super::{Fraction, Refill, Report, cut, seconds};
use crate::http::Headers;
use crate::number::{self, Amount};
use crate::time::Ms;

/// What the header says; `None` if that is nothing.
pub fn read(fraction: &Fraction, headers: &Headers) -> Option<Report> {
    let text = headers.get(&fraction.header)?;
    let entry =
        text.split([',', ';']).map(str::trim).find_map(|entry| match (&fraction.key, entry.split_once('=')) {
            (Some(key), Some((name, value))) if name.trim().eq_ignore_ascii_case(key) => Some(value.trim()),
            // An equals sign in what follows the numbers is none of a key.
            (None, Some((name, _))) if name.contains('/') => Some(entry),
            (None, None) => Some(entry),
            _ => None,
        })?;
    let (used, limit) = entry.split_once('/')?;
    let used = number::ceil(used)?;
    let limit = number::floor(limit.split('(').next().unwrap_or_default())?;
    let (reset, refill) = match (fraction.refill_ms, fraction.window_s) {
        (Some(each), _) => (Some(Ms(used.saturating_mul(each))), Refill::Each(Ms(each))),
        (None, window_s) => (window_s.map(seconds), Refill::ByReset),
    };
    Some(Report {
        window: fraction.name.clone(),
        limit: Some(limit),
        remaining: Some(limit.saturating_sub(used)),
        reset: reset.map(Amount::After),
        refill,
        counted: true,
        length: fraction.window_s.map(seconds),
        raw: Some(cut(entry)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(fraction: &Fraction, value: &str) -> Option<Report> {
        read(fraction, &Headers(vec![("X-Calls".into(), value.into())]))
    }

    fn shop() -> Fraction {
        Fraction { name: "calls".into(), header: "x-calls".into(), ..Fraction::default() }
    }

    #[test]
    fn alone() {
        for (text, limit, remaining) in [
            ("32/40", 40, 8),
            (" 32 / 40 ", 40, 8),
            ("39.5/40", 40, 0),
            ("41/40", 40, 0),
            ("0/40", 40, 40),
            ("99999999999999999999/40", 40, 0),
            ("1/2, 3/4", 2, 1),
        ] {
            let report = said(&shop(), text).unwrap();
            assert_eq!((report.limit, report.remaining, report.reset), (Some(limit), Some(remaining), None), "{text}");
        }
        for text in ["", "32", "/40", "32/", "-1/40", "32/-1", "a/b", "32/40/50", "api-usage=18/5000", "NaN/40"] {
            assert_eq!(said(&shop(), text), None, "{text}");
        }
    }

    #[test]
    fn behind_a_key() {
        let force = Fraction { key: Some("api-usage".into()), window_s: Some(86_400), ..shop() };
        for text in [
            "api-usage=18/5000",
            "per-app-api-usage=17/250(appName=a), api-usage=18/5000",
            "x=1/2; API-Usage = 18/5000(a=b)",
        ] {
            let report = said(&force, text).unwrap();
            assert_eq!((report.limit, report.remaining), (Some(5000), Some(4982)), "{text}");
            assert_eq!(report.reset, Some(Amount::After(Ms(86_400_000))));
        }
        for text in ["18/5000", "usage=18/5000", "api-usage", "api-usage=", "api-usage=5000"] {
            assert_eq!(said(&force, text), None, "{text}");
        }
    }

    /// The bucket is whole again when everything in it has run out, and has room long before.
    #[test]
    fn leaking() {
        let leaky = Fraction { refill_ms: Some(500), ..shop() };
        assert_eq!(said(&leaky, "40/40").unwrap().reset, Some(Amount::After(Ms(20_000))));
        assert_eq!(said(&leaky, "0/40").unwrap().reset, Some(Amount::After(Ms(0))));
        for (text, cost, ms) in [("40/40", 1, 500), ("40/40", 5, 2_500), ("42/40", 1, 1_500), ("39/40", 1, 0)] {
            assert_eq!(said(&leaky, text).unwrap().opens(cost), Some(Amount::After(Ms(ms))), "{text} for {cost}");
        }
        assert_eq!(said(&leaky, "40/40").unwrap().raw.as_deref(), Some("40/40"));
    }
}
