//! Civil dates, as suppliers write them and as signatures want them. No clock, no time zone
//! but what the text itself says.

mod civil;
mod format;

use civil::{DAYS, MONTHS, instant, seconds};

pub use format::{TimestampFormat, format};

const LONG_DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// An HTTP-date (RFC 9110, 5.6.7) as Unix milliseconds: IMF-fixdate, RFC 850 or asctime, and
/// nothing that merely resembles them (B02, B12). `UTC` and `+0000` are taken for `GMT`.
///
/// The name of the day must be one, but need not be the right one. There is no clock here to
/// place the two digits of an RFC 850 year: 70 to 99 are of the last century.
pub fn parse_http_date(text: &str) -> Option<i64> {
    let mut text = Reader(text.trim_matches([' ', '\t']));
    if text.one_of(&LONG_DAYS).is_some() {
        text.literal(", ")?;
        let day = text.digits(2)?;
        text.literal("-")?;
        let month = text.month()?;
        text.literal("-")?;
        let year = text.digits(2)?;
        text.literal(" ")?;
        let time = text.time()?;
        text.gmt()?;
        let century = if year >= 70 { 1900 } else { 2000 };
        return instant(century + year, month, day, time);
    }
    text.one_of(&DAYS)?;
    if text.literal(", ").is_some() {
        let day = text.digits(2)?;
        text.literal(" ")?;
        let month = text.month()?;
        text.literal(" ")?;
        let year = text.digits(4)?;
        text.literal(" ")?;
        let time = text.time()?;
        text.gmt()?;
        return instant(year, month, day, time);
    }
    text.literal(" ")?;
    let month = text.month()?;
    text.literal(" ")?;
    let day = if text.literal(" ").is_some() { text.digits(1)? } else { text.digits(2)? };
    text.literal(" ")?;
    let time = text.time()?;
    text.literal(" ")?;
    let year = text.digits(4)?;
    text.end()?;
    instant(year, month, day, time)
}

/// An instant of ISO 8601 in the extended format, as Unix milliseconds: `2026-03-02T12:00Z`,
/// seconds and their fraction optional, the zone `Z`, `+01:00`, `+0100` or `+01` (B34). The
/// fraction is rounded up to a whole millisecond. Without a zone it is no instant.
pub fn parse_iso8601(text: &str) -> Option<i64> {
    let mut text = Reader(text.trim_matches([' ', '\t']));
    let year = text.digits(4)?;
    text.literal("-")?;
    let month = text.digits(2)?;
    text.literal("-")?;
    let day = text.digits(2)?;
    text.one_of(&["T", "t", " "])?;
    let hour = text.digits(2)?;
    text.literal(":")?;
    let minute = text.digits(2)?;
    let (mut second, mut ms) = (0, 0);
    if text.literal(":").is_some() {
        second = text.digits(2)?;
        if text.one_of(&[".", ","]).is_some() {
            ms = text.fraction()?;
        }
    }
    let offset = text.zone()?;
    text.end()?;
    let local = instant(year, month, day, seconds(hour, minute, second)?)?;
    Some(local + ms - offset * 60_000)
}

/// What is left to read. Every method takes what it names from the front, or nothing.
struct Reader<'a>(&'a str);

impl Reader<'_> {
    fn literal(&mut self, text: &str) -> Option<()> {
        self.0 = self.0.strip_prefix(text)?;
        Some(())
    }

    /// The index of the name that comes next.
    fn one_of(&mut self, names: &[&str]) -> Option<i64> {
        let index = names.iter().position(|name| self.literal(name).is_some())?;
        i64::try_from(index).ok()
    }

    /// Exactly so many digits.
    fn digits(&mut self, count: usize) -> Option<i64> {
        let (digits, rest) = self.0.split_at_checked(count)?;
        // `parse` alone would take a sign.
        if !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        self.0 = rest;
        digits.parse().ok()
    }

    fn month(&mut self) -> Option<i64> {
        Some(self.one_of(&MONTHS)? + 1)
    }

    /// `12:00:00` as seconds of the day.
    fn time(&mut self) -> Option<i64> {
        let hour = self.digits(2)?;
        self.literal(":")?;
        let minute = self.digits(2)?;
        self.literal(":")?;
        let second = self.digits(2)?;
        seconds(hour, minute, second)
    }

    /// The end of an HTTP-date.
    fn gmt(&mut self) -> Option<()> {
        self.one_of(&[" GMT", " UTC", " +0000"])?;
        self.end()
    }

    /// One digit or more after a decimal point of seconds, in milliseconds, rounded up.
    fn fraction(&mut self) -> Option<i64> {
        let (mut ms, mut place, mut count, mut more) = (0, 100, 0usize, false);
        while let Some(digit) = self.digits(1) {
            ms += digit * place;
            more |= place == 0 && digit != 0;
            place /= 10;
            count = count.saturating_add(1);
        }
        if count == 0 { None } else { Some(ms + i64::from(more)) }
    }

    /// The offset from UTC in minutes.
    fn zone(&mut self) -> Option<i64> {
        match self.one_of(&["Z", "z", "+", "-"])? {
            0 | 1 => Some(0),
            sign => {
                let hours = self.digits(2)?;
                let colon = self.literal(":").is_some();
                let minutes = if colon || !self.0.is_empty() { self.digits(2)? } else { 0 };
                let offset = if hours < 24 && minutes < 60 { hours * 60 + minutes } else { return None };
                Some(if sign == 2 { offset } else { -offset })
            }
        }
    }

    fn end(&self) -> Option<()> {
        self.0.is_empty().then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use time::OffsetDateTime;
    use time::format_description::well_known::{Rfc2822, Rfc3339};

    /// T0 of the cases.
    const T0: i64 = 1_772_452_800_000;

    /// B01, B02, B04 and RFC 9110, 5.6.7: three forms, one instant, in every time zone.
    #[test]
    fn http_dates() {
        for text in [
            "Mon, 02 Mar 2026 12:00:30 GMT",
            "Mon, 02 Mar 2026 12:00:30 UTC",
            "Mon, 02 Mar 2026 12:00:30 +0000",
            " Mon, 02 Mar 2026 12:00:30 GMT ",
            "Monday, 02-Mar-26 12:00:30 GMT",
            "Mon Mar  2 12:00:30 2026",
            "Mon Mar 02 12:00:30 2026",
            "Tue, 02 Mar 2026 12:00:30 GMT",
        ] {
            assert_eq!(parse_http_date(text), Some(T0 + 30_000), "{text}");
        }
        for text in ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"] {
            assert_eq!(parse_http_date(text), Some(784_111_777_000), "{text}");
        }
        assert_eq!(parse_http_date("Sat, 31 Dec 2016 23:59:60 GMT"), Some(1_483_228_800_000));
        assert_eq!(parse_http_date("Thu, 29 Feb 2024 00:00:00 GMT"), Some(1_709_164_800_000));
    }

    /// B02, B12: a guess here would cost years.
    #[test]
    fn what_is_no_http_date() {
        for text in [
            "",
            "soon",
            "2 Mar 2099 00:00:00",
            "Mon, 02 Mar 2026 12:00:30 XYZ",
            "Mon, 02 Mar 2026 12:00:30",
            "Mon, 02 Mar 2026 12:00:30 EST",
            "Mon, 02 Mar 2026 12:00:30 +0100",
            "Mon, 02 Mar 2026 12:00:30 GMT+1",
            "Mon, 2 Mar 2026 12:00:30 GMT",
            "Mon, 02 mar 2026 12:00:30 GMT",
            "mon, 02 Mar 2026 12:00:30 GMT",
            "Mon, 30 Feb 2026 12:00:30 GMT",
            "Thu, 29 Feb 2026 12:00:30 GMT",
            "Mon, 00 Mar 2026 12:00:30 GMT",
            "Mon, 02 Mar 2026 24:00:00 GMT",
            "Mon, 02 Mar 2026 12:60:00 GMT",
            "Mon, +2 Mar 2026 12:00:30 GMT",
            "Mon, 02 Mar 02026 12:00:30 GMT",
            "Mon, 02 Mar 2026 12:00:30.5 GMT",
            "Mon,  02 Mar 2026 12:00:30 GMT",
            "Monday, 02-Mar-2026 12:00:30 GMT",
            "Mon, 02-Mar-26 12:00:30 GMT",
            "Mon Mar 2 12:00:30 2026",
            "Mon Mar  2 12:00:30 2026 GMT",
            "Mon, 0२ Mar 2026 12:00:30 GMT",
            "-3",
            "1.5",
            "2026",
            "2026-03-02T12:00:30Z",
        ] {
            assert_eq!(parse_http_date(text), None, "{text}");
        }
    }

    /// B34.
    #[test]
    fn iso_8601() {
        let table = [
            ("2026-03-02T12:00:20Z", Some(20_000)),
            ("2026-03-02T12:00Z", Some(0)),
            ("2026-03-02T13:00:20+01:00", Some(20_000)),
            ("2026-03-02T13:00:20+0100", Some(20_000)),
            ("2026-03-02T13:00+01", Some(0)),
            ("2026-03-02T06:30:20-05:30", Some(20_000)),
            ("2026-03-02T12:00:20.250Z", Some(20_250)),
            ("2026-03-02T12:00:20.2500001Z", Some(20_251)),
            ("2026-03-02T12:00:20.2500000Z", Some(20_250)),
            ("2026-03-02T12:00:20.5z", Some(20_500)),
            ("2026-03-02t12:00:20,999999999Z", Some(21_000)),
            ("2026-03-02 12:00:20Z", Some(20_000)),
            ("2026-03-02T12:00:20", None),
            ("2026-03-02", None),
            ("2026-03-02T12:00:20.Z", None),
            ("2026-02-30T12:00:20Z", None),
            ("2026-13-02T12:00:20Z", None),
            ("2026-00-02T12:00:20Z", None),
            ("2026-03-02T24:00:20Z", None),
            ("2026-03-02T12:00:20+24:00", None),
            ("2026-03-02T12:00:20+01:", None),
            ("2026-03-02T12:00:20+01:0", None),
            ("2026-03-02T12:00:20ZZ", None),
            ("+2026-03-02T12:00:20Z", None),
            ("20260302T120020Z", None),
            ("unknown", None),
        ];
        for (text, right) in table {
            assert_eq!(parse_iso8601(text), right.map(|ms| T0 + ms), "{text}");
        }
    }

    const FORMATS: [TimestampFormat; 9] = [
        TimestampFormat::EpochS,
        TimestampFormat::EpochMs,
        TimestampFormat::EpochUs,
        TimestampFormat::Iso8601,
        TimestampFormat::Iso8601Ms,
        TimestampFormat::Iso8601Basic,
        TimestampFormat::EdgeGrid,
        TimestampFormat::Rfc1123,
        TimestampFormat::SqlUtc,
    ];

    proptest! {
        #[test]
        fn never_panics(text in ".{0,40}", ms in any::<i64>()) {
            let _ = (parse_http_date(&text), parse_iso8601(&text));
            for name in FORMATS {
                let _ = format(name, ms);
            }
        }

        /// Text of the right shape with any digits in it.
        #[test]
        fn shapes_never_panic(
            http in "(Mon|Sunday)(, | )(Feb|[0-9]{2})[ -](Feb|[0-9]{2})[ -][0-9]{2,4} [0-9]{2}:[0-9]{2}:[0-9]{2} (GMT|[0-9]{4})",
            iso in "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]{0,30})?)?(Z|[+-][0-9]{2}:?[0-9]{2})",
        ) {
            let _ = (parse_http_date(&http), parse_iso8601(&iso));
        }

        /// The `time` crate writes and reads the same, from year 0 to 9999.
        #[test]
        fn as_the_time_crate(s in -62_167_219_200i64..253_402_300_800, ms in 0i64..1000) {
            let unix_ms = s * 1000 + ms;
            let theirs = OffsetDateTime::from_unix_timestamp(s).unwrap();
            prop_assert_eq!(format(TimestampFormat::Iso8601, unix_ms), theirs.format(&Rfc3339).unwrap());
            let http = format(TimestampFormat::Rfc1123, unix_ms);
            prop_assert_eq!(parse_http_date(&http), Some(s * 1000));
            if theirs.year() >= 1900 {
                prop_assert_eq!(http.replace("GMT", "+0000"), theirs.format(&Rfc2822).unwrap());
            }
            prop_assert_eq!(parse_iso8601(&format(TimestampFormat::Iso8601Ms, unix_ms)), Some(unix_ms));
        }

        /// A fraction of a second is never rounded down.
        #[test]
        fn fractions_round_up(fraction in "[0-9]{1,20}") {
            let read = parse_iso8601(&["2026-03-02T12:00:00.", &fraction, "Z"].concat()).unwrap() - T0;
            let exact: f64 = ["0.", &fraction].concat().parse::<f64>().unwrap() * 1000.0;
            prop_assert!(read as f64 >= exact - 1e-9 && (read as f64) < exact + 1.0, "{read} {exact}");
        }
    }
}
