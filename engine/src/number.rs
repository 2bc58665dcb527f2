//! What a supplier's number means. The one place where the units of waits and resets are
//! known; no arithmetic on them is done anywhere else (B32).
//!
//! Bytes are checked before anything is parsed: the parsers of the standard library take
//! signs, and those of floats take `inf`, `nan` and exponents (B09, B21).

use crate::date;
use crate::time::{Ms, Theirs};

/// The unit of a wait or reset. It is declared in the profile and never guessed, because one
/// header name carries different units at different suppliers (B33).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unit {
    /// The grammar of Retry-After: seconds, whole or decimal, or an HTTP-date.
    #[default]
    RetryAfter,
    /// Seconds from now.
    DeltaS,
    /// Milliseconds from now.
    DeltaMs,
    /// Seconds from now, usually with decimals. Read as `DeltaS` is.
    DeltaFloat,
    /// Seconds since 1970.
    EpochS,
    /// Milliseconds since 1970.
    EpochMs,
    /// Seconds since 1970, usually with decimals. Read as `EpochS` is.
    EpochFloat,
    /// An instant of ISO 8601: `2026-03-02T12:00:20Z`.
    Iso8601,
    /// An HTTP-date: `Mon, 02 Mar 2026 12:00:20 GMT`.
    HttpDate,
    /// A duration as Go prints it: `1m30.5s`.
    GoDuration,
}

/// A wait or reset, read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// So long after the response.
    After(Ms),
    /// At this instant of the supplier's clock.
    At(Theirs),
}

/// Reads a wait or reset; `None` if the text is not what the unit says.
///
/// Numbers are digits with an optional decimal fraction, in every unit that is a number:
/// suppliers send `2.0` where they document whole seconds (B06), and taking that for absent
/// would mean to come back earlier than asked (B05). They are rounded up to whole
/// milliseconds and saturate (B10).
pub fn read(unit: Unit, text: &str) -> Option<Amount> {
    let text = text.trim_matches([' ', '\t']);
    match unit {
        Unit::RetryAfter => after(text, 1000).or_else(|| at(date::parse_http_date(text)?)),
        Unit::DeltaS | Unit::DeltaFloat => after(text, 1000),
        Unit::DeltaMs => after(text, 1),
        Unit::EpochS | Unit::EpochFloat => at(saturate(decimal(text, 1000)?)),
        Unit::EpochMs => at(saturate(decimal(text, 1)?)),
        Unit::Iso8601 => at(date::parse_iso8601(text)?),
        Unit::HttpDate => at(date::parse_http_date(text)?),
        Unit::GoDuration => go_duration(text).map(Amount::After),
    }
}

/// A count of requests, rounded down: what is left, or a limit. `None` for anything but digits
/// with an optional fraction, such as the `-1` that some send for "unknown" (B39).
pub fn floor(text: &str) -> Option<u64> {
    let text = text.trim_matches([' ', '\t']);
    decimal(text, 1)?;
    digits(text.split('.').next()?)
}

/// A count of requests, rounded up: what is spent.
pub fn ceil(text: &str) -> Option<u64> {
    decimal(text.trim_matches([' ', '\t']), 1)
}

fn after(text: &str, per: u64) -> Option<Amount> {
    decimal(text, per).map(|ms| Amount::After(Ms(ms)))
}

fn at(unix_ms: i64) -> Option<Amount> {
    Some(Amount::At(Theirs(unix_ms)))
}

fn saturate(ms: u64) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MAX)
}

/// `1*DIGIT [ "." 1*DIGIT ]` times `per`, which is a power of ten or a product of one,
/// rounded up.
fn decimal(text: &str, per: u64) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let mut value = digits(whole)?.saturating_mul(per);
    digits(fraction)?;
    let mut place = per;
    for (index, digit) in fraction.bytes().enumerate() {
        if !place.is_multiple_of(10) {
            // The rest is worth less than one place.
            let more = fraction.bytes().skip(index).any(|b| b != b'0');
            return Some(value.saturating_add(if more { place } else { 0 }));
        }
        place /= 10;
        value = value.saturating_add(u64::from(digit.saturating_sub(b'0')).saturating_mul(place));
    }
    Some(value)
}

/// `1*DIGIT`, saturating.
fn digits(text: &str) -> Option<u64> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    // Digits alone can fail only by being too many.
    Some(text.parse().unwrap_or(u64::MAX))
}

/// Numbers, each with a unit, added up (B34). A lone `0` needs none. No sign: a negative wait
/// is no wait.
fn go_duration(text: &str) -> Option<Ms> {
    if text == "0" {
        return Some(Ms::ZERO);
    }
    if text.is_empty() {
        return None;
    }
    let (mut ns, mut rest) = (0u64, text);
    while !rest.is_empty() {
        let number = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, tail) = rest.split_at_checked(number)?;
        let unit = tail.find(|c: char| c.is_ascii_digit()).unwrap_or(tail.len());
        let (unit, tail) = tail.split_at_checked(unit)?;
        let per = match unit {
            "h" => 3_600_000_000_000,
            "m" => 60_000_000_000,
            "s" => 1_000_000_000,
            "ms" => 1_000_000,
            // Both code points that are printed as a micro sign.
            "us" | "\u{b5}s" | "\u{3bc}s" => 1_000,
            "ns" => 1,
            _ => return None,
        };
        ns = ns.saturating_add(decimal(number, per)?);
        rest = tail;
    }
    Some(Ms(ns.div_ceil(1_000_000)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// T0 of the cases.
    const T0: i64 = 1_772_452_800_000;

    const UNITS: [Unit; 10] = [
        Unit::RetryAfter,
        Unit::DeltaS,
        Unit::DeltaMs,
        Unit::DeltaFloat,
        Unit::EpochS,
        Unit::EpochMs,
        Unit::EpochFloat,
        Unit::Iso8601,
        Unit::HttpDate,
        Unit::GoDuration,
    ];

    fn ms(ms: u64) -> Option<Amount> {
        Some(Amount::After(Ms(ms)))
    }

    fn t0(ms: i64) -> Option<Amount> {
        Some(Amount::At(Theirs(T0 + ms)))
    }

    /// B01, B02, B04, B05, B06, B17.
    #[test]
    fn retry_after() {
        for (text, right) in [
            ("30", ms(30_000)),
            ("0", ms(0)),
            ("007", ms(7_000)),
            (" 30\t", ms(30_000)),
            ("0.503", ms(503)),
            ("29.052427053", ms(29_053)),
            ("29.052000000", ms(29_052)),
            ("0.0000000001", ms(1)),
            ("2.0", ms(2_000)),
            ("Mon, 02 Mar 2026 12:00:30 GMT", t0(30_000)),
            ("Monday, 02-Mar-26 12:00:30 GMT", t0(30_000)),
            ("Mon Mar  2 12:00:30 2026", t0(30_000)),
        ] {
            assert_eq!(read(Unit::RetryAfter, text), right, "{text}");
        }
    }

    /// B02, B06, B08, B09, B12, B21, B39: absent, never a trap and never a guess.
    #[test]
    fn what_is_no_number() {
        for text in [
            "",
            " ",
            "2.",
            ".5",
            ".",
            "1..2",
            "1.2.3",
            "-5",
            "-3",
            "-1",
            "+5",
            "+0",
            "nan",
            "NaN",
            "inf",
            "-inf",
            "1e999",
            "1e3",
            "0x10",
            "५",
            "²",
            "１",
            "1,5",
            "1 5",
            "5s",
            "5 seconds",
            "unknown",
            "soon",
            "1_000",
            "1\u{a0}",
            "2 Mar 2099 00:00:00",
            "Mon, 02 Mar 2026 12:00:30 XYZ",
        ] {
            for unit in UNITS {
                if !(unit == Unit::GoDuration && text == "5s") {
                    assert_eq!(read(unit, text), None, "{unit:?} {text:?}");
                }
            }
            assert_eq!((floor(text), ceil(text)), (None, None), "{text:?}");
        }
    }

    /// B10: saturating, on the way to milliseconds as well.
    #[test]
    fn too_long() {
        assert_eq!(read(Unit::RetryAfter, "2147483648"), ms(2_147_483_648_000));
        assert_eq!(read(Unit::RetryAfter, "9999999999"), ms(9_999_999_999_000));
        for text in ["18446744073709551616", "18446744073709551615.9", &"9".repeat(30)] {
            assert_eq!(read(Unit::RetryAfter, text), ms(u64::MAX), "{text}");
            assert_eq!(read(Unit::EpochS, text), Some(Amount::At(Theirs(i64::MAX))), "{text}");
            assert_eq!(read(Unit::EpochMs, text), Some(Amount::At(Theirs(i64::MAX))), "{text}");
            assert_eq!(floor(text), Some(u64::MAX), "{text}");
        }
        assert_eq!(read(Unit::GoDuration, "99999999999999999999h1s"), ms(u64::MAX.div_ceil(1_000_000)));
    }

    /// B22, B29, B30, B32: a reset 20 s ahead in every dialect.
    #[test]
    fn twenty_seconds_ahead() {
        for (unit, text, right) in [
            (Unit::DeltaS, "20", ms(20_000)),
            (Unit::DeltaMs, "20000", ms(20_000)),
            (Unit::DeltaFloat, "20.0", ms(20_000)),
            (Unit::DeltaFloat, "19.9999", ms(20_000)),
            (Unit::DeltaMs, "19999.2", ms(20_000)),
            (Unit::EpochS, "1772452820", t0(20_000)),
            (Unit::EpochMs, "1772452820000", t0(20_000)),
            (Unit::EpochMs, "1772452819999.001", t0(20_000)),
            (Unit::EpochFloat, "1772452820.000", t0(20_000)),
            (Unit::EpochFloat, "1772452819.9999", t0(20_000)),
            (Unit::Iso8601, "2026-03-02T12:00:20Z", t0(20_000)),
            (Unit::Iso8601, "2026-03-02T13:00:20+01:00", t0(20_000)),
            (Unit::HttpDate, "Mon, 02 Mar 2026 12:00:20 GMT", t0(20_000)),
            (Unit::GoDuration, "20s", ms(20_000)),
            // A unit that is declared wrongly is not corrected.
            (Unit::EpochS, "1772452820000", Some(Amount::At(Theirs(1_772_452_820_000_000)))),
            (Unit::HttpDate, "20", None),
            (Unit::DeltaS, "Mon, 02 Mar 2026 12:00:20 GMT", None),
            (Unit::GoDuration, "20", None),
        ] {
            assert_eq!(read(unit, text), right, "{unit:?} {text}");
        }
    }

    /// B34.
    #[test]
    fn go_durations() {
        for (text, right) in [
            ("1s", ms(1_000)),
            ("6m0s", ms(360_000)),
            ("500ms", ms(500)),
            ("1m30.5s", ms(90_500)),
            ("1h0m0.25s", ms(3_600_250)),
            ("12us", ms(1)),
            ("12\u{b5}s", ms(1)),
            ("12\u{3bc}s", ms(1)),
            ("1000000ns", ms(1)),
            ("1000001ns", ms(2)),
            ("1.5h", ms(5_400_000)),
            ("0.000000000000001h", ms(1)),
            ("0", ms(0)),
            ("0s", ms(0)),
            ("-1s", None),
            ("+1s", None),
            ("1", None),
            ("s", None),
            ("1x", None),
            ("1s ", ms(1_000)),
            ("1 s", None),
            ("1s1", None),
            (".5s", None),
            ("1.s", None),
            ("1.5.5s", None),
            ("1d", None),
            ("00", None),
        ] {
            assert_eq!(read(Unit::GoDuration, text), right, "{text}");
        }
    }

    #[test]
    fn counts() {
        assert_eq!((floor("14.0"), ceil("14.0")), (Some(14), Some(14)));
        assert_eq!((floor("14.5"), ceil("14.5")), (Some(14), Some(15)));
        assert_eq!((floor(" 0 "), ceil("0")), (Some(0), Some(0)));
    }

    proptest! {
        #[test]
        fn never_panics(text in ".{0,32}", near in "[0-9.+eE\u{b5}hmnsu -]{0,32}") {
            for unit in UNITS {
                let _ = (read(unit, &text), read(unit, &near));
            }
            let _ = (floor(&text), ceil(&text), floor(&near), ceil(&near));
        }

        /// Never rounded down, and up by less than a millisecond.
        #[test]
        fn waits_round_up(whole in 0u64..1_000_000, fraction in "[0-9]{1,15}") {
            let text = [&whole.to_string(), ".", fraction.as_str()].concat();
            let scale = 10u128.pow(u32::try_from(fraction.len()).unwrap());
            let exact = u128::from(whole) * scale + fraction.parse::<u128>().unwrap();
            for (unit, per) in [(Unit::RetryAfter, 1000), (Unit::DeltaFloat, 1000), (Unit::DeltaMs, 1)] {
                let right = u64::try_from((exact * per).div_ceil(scale)).unwrap();
                prop_assert_eq!(read(unit, &text), ms(right));
            }
            let Some(Amount::At(Theirs(at))) = read(Unit::EpochFloat, &text) else { panic!("{text}") };
            prop_assert_eq!(u128::try_from(at).unwrap(), (exact * 1000).div_ceil(scale));
            let Some(Amount::After(Ms(go))) = read(Unit::GoDuration, &[&text, "m"].concat()) else { panic!("{text}") };
            let right = (exact * 60_000).div_ceil(scale);
            prop_assert!(u128::from(go) == right || u128::from(go) == right + 1, "{go} {right}");
            prop_assert_eq!(floor(&text), Some(whole));
        }
    }
}
