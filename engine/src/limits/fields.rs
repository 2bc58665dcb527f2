//! A header for each number.

use super::{Fields, Refill, Report, cut, seconds};
use crate::http::Headers;
use crate::number::{self, Amount};
use crate::time::Ms;

/// What the headers say; `None` if that is nothing.
pub fn read(fields: &Fields, headers: &Headers) -> Option<Report> {
    let text = |name: &Option<String>| name.as_ref().and_then(|name| headers.get(name));
    let (limit, length) = text(&fields.limit).map_or((None, None), |text| limit(&text));
    let spent = || limit?.checked_sub(number::ceil(before_parameters(&text(&fields.used)?))?).or(Some(0));
    let remaining = text(&fields.remaining).and_then(|text| number::floor(before_parameters(&text))).or_else(spent);
    let raw = text(&fields.reset);
    let (reset, refill) = match (&fields.reset, fields.window_s) {
        (None, Some(window_s)) if remaining.is_some() => (Some(Amount::After(seconds(window_s))), Refill::ByReset),
        _ => (raw.as_ref().and_then(|text| number::read(fields.reset_unit, text)), Refill::AtReset),
    };
    if limit.is_none() && remaining.is_none() && reset.is_none() {
        return None;
    }
    Some(Report {
        window: fields.name.clone(),
        limit,
        remaining,
        reset,
        refill,
        counted: true,
        length: length.or_else(|| fields.window_s.map(seconds)),
        raw: raw.map(|text| cut(&text)),
    })
}

/// A limit and the length of its window: `100`, `100;w=21600`, and the list of the early IETF
/// drafts, `100, 10;w=1, 100;w=60`, whose first member is the limit that is nearest.
fn limit(text: &str) -> (Option<u64>, Option<Ms>) {
    let limit = text.split(',').next().and_then(|first| number::floor(before_parameters(first)));
    let length = text
        .split(',')
        .filter(|policy| limit.is_some() && number::floor(before_parameters(policy)) == limit)
        .flat_map(|policy| policy.split(';'))
        .find_map(|parameter| match number::read(number::Unit::DeltaS, parameter.trim().strip_prefix("w=")?)? {
            Amount::After(length) => Some(length),
            Amount::At(_) => None,
        });
    (limit, length)
}

/// `100` of `100;w=21600`.
fn before_parameters(text: &str) -> &str {
    text.split(';').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::Unit;
    use crate::time::Theirs;

    fn github() -> Fields {
        Fields {
            name: "requests".into(),
            limit: Some("X-RateLimit-Limit".into()),
            remaining: Some("X-RateLimit-Remaining".into()),
            used: Some("X-RateLimit-Used".into()),
            reset: Some("X-RateLimit-Reset".into()),
            reset_unit: Unit::EpochS,
            window_s: None,
        }
    }

    fn said(fields: &Fields, headers: &[(&str, &str)]) -> Option<Report> {
        read(fields, &Headers(headers.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect()))
    }

    fn at(ms: i64) -> Option<Amount> {
        Some(Amount::At(Theirs(ms)))
    }

    #[test]
    fn everything_said() {
        let headers = [
            ("x-ratelimit-limit", "5000"),
            ("x-ratelimit-remaining", "4998"),
            ("x-ratelimit-used", "2"),
            ("x-ratelimit-reset", "1772452830"),
        ];
        let right = Report {
            window: "requests".into(),
            limit: Some(5000),
            remaining: Some(4998),
            reset: at(1_772_452_830_000),
            refill: Refill::AtReset,
            counted: true,
            length: None,
            raw: Some("1772452830".into()),
        };
        assert_eq!(said(&github(), &headers), Some(right));
    }

    /// B39: every member by itself, absent or with nothing in it.
    #[test]
    fn members_that_say_nothing() {
        let good = [("x-ratelimit-limit", "10"), ("x-ratelimit-remaining", "3"), ("x-ratelimit-reset", "1772452830")];
        for bad in [None, Some(""), Some("unknown"), Some("NaN"), Some("-1"), Some("+3"), Some("1e3"), Some("3, 3")] {
            for member in 0..good.len() {
                let headers: Vec<_> = good
                    .iter()
                    .enumerate()
                    .filter_map(|(index, &(name, value))| Some((name, if index == member { bad? } else { value })))
                    .collect();
                let report = said(&github(), &headers).unwrap();
                // A list of limits is not malformed.
                let limit = if bad == Some("3, 3") { Some(3) } else { None };
                assert_eq!(report.limit, if member == 0 { limit } else { Some(10) }, "{bad:?}");
                assert_eq!(report.remaining, if member == 1 { None } else { Some(3) }, "{bad:?}");
                assert_eq!(report.reset, if member == 2 { None } else { at(1_772_452_830_000) }, "{bad:?}");
            }
            let all: Vec<_> = bad.iter().flat_map(|bad| good.iter().map(|&(name, _)| (name, *bad))).collect();
            assert_eq!(said(&github(), &all).is_some(), bad == Some("3, 3"), "{bad:?}");
        }
        let empty = said(&github(), &[("x-ratelimit-remaining", "0")]).unwrap();
        assert_eq!((empty.remaining, empty.reset, empty.raw), (Some(0), None, None));
    }

    /// B40.
    #[test]
    fn parameters() {
        let headers = [("x-ratelimit-limit", "100;w=21600"), ("x-ratelimit-remaining", ";w=21600")];
        let report = said(&github(), &headers).unwrap();
        assert_eq!((report.limit, report.length), (Some(100), Some(Ms(21_600_000))));
        assert_eq!((report.remaining, report.reset), (None, None));
        assert_eq!(said(&github(), &[("x-ratelimit-limit", ";w=21600")]), None);
        assert_eq!(said(&github(), &[("x-ratelimit-remaining", "76;w=21600")]).unwrap().remaining, Some(76));
        let list = said(&github(), &[("x-ratelimit-limit", "100, 10;w=1, 100;w=60;x=y, 100;w=70")]).unwrap();
        assert_eq!((list.limit, list.length), (Some(100), Some(Ms(60_000))));
    }

    #[test]
    fn what_is_spent() {
        let table = [
            (Some("100"), Some("30"), None, Some(70)),
            (Some("100"), Some("30.2"), None, Some(69)),
            (Some("100"), Some("130"), None, Some(0)),
            (Some("100"), Some("30"), Some("5"), Some(5)),
            (Some("100"), Some("30"), Some("-1"), Some(70)),
            (Some("100"), Some("unknown"), None, None),
            (Some("100"), None, None, None),
            (Some("-1"), Some("30"), None, None),
            (None, None, Some("14.0"), Some(14)),
            (None, None, Some("14.5"), Some(14)),
            (None, None, Some("0.9"), Some(0)),
        ];
        for (limit, used, remaining, right) in table {
            let names = ["x-ratelimit-limit", "x-ratelimit-used", "x-ratelimit-remaining"];
            let headers: Vec<_> = names
                .into_iter()
                .zip([limit, used, remaining])
                .filter_map(|(name, value)| Some((name, value?)))
                .collect();
            let report = said(&github(), &headers);
            assert_eq!(report.and_then(|report| report.remaining), right, "{headers:?}");
        }
    }

    /// B30, B34, B49 (i): the unit is the profile's.
    #[test]
    fn units_of_the_reset() {
        for (unit, text, right) in [
            (Unit::EpochMs, "1772452820000", at(1_772_452_820_000)),
            (Unit::EpochS, "1772452820000", at(1_772_452_820_000_000)),
            (Unit::DeltaS, "12", Some(Amount::After(Ms(12_000)))),
            (Unit::GoDuration, "6m0s", Some(Amount::After(Ms(360_000)))),
            (Unit::Iso8601, "2026-03-02T12:00Z", at(1_772_452_800_000)),
            (Unit::HttpDate, "Mon, 02 Mar 2026 12:00:20 GMT", at(1_772_452_820_000)),
            (Unit::GoDuration, "soon", None),
        ] {
            let fields = Fields { reset_unit: unit, ..github() };
            let report = said(&fields, &[("x-ratelimit-reset", text), ("x-ratelimit-limit", "1")]).unwrap();
            assert_eq!((report.reset, report.raw.as_deref()), (right, Some(text)), "{unit:?} {text}");
        }
        let long = "9".repeat(100);
        let report = said(&github(), &[("x-ratelimit-reset", long.as_str())]).unwrap();
        assert_eq!((report.reset, report.raw.map(|raw| raw.len())), (at(i64::MAX), Some(64)));
    }

    #[test]
    fn a_window_of_known_length() {
        let xero = Fields { reset: None, window_s: Some(60), ..github() };
        let report = said(&xero, &[("x-ratelimit-remaining", "0")]).unwrap();
        assert_eq!((report.reset, report.length), (Some(Amount::After(Ms(60_000))), Some(Ms(60_000))));
        assert_eq!(said(&xero, &[("x-ratelimit-limit", "5")]).unwrap().reset, None);
        // With a header for the reset, only that header tells it.
        let both = Fields { window_s: Some(60), ..github() };
        assert_eq!(said(&both, &[("x-ratelimit-remaining", "0")]).unwrap().reset, None);
    }
}
