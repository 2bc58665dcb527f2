//! Instants as signatures want them.

use super::civil::{DAY_MS, DAYS, MONTHS, civil};

/// How a timestamp is written. The examples are one instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimestampFormat {
    /// `1772452800`
    #[default]
    EpochS,
    /// `1772452800000`
    EpochMs,
    /// `1772452800000000`
    EpochUs,
    /// `2026-03-02T12:00:00Z`
    Iso8601,
    /// `2026-03-02T12:00:00.000Z`
    Iso8601Ms,
    /// `20260302T120000Z`
    Iso8601Basic,
    /// `20260302T12:00:00+0000`
    EdgeGrid,
    /// `Mon, 02 Mar 2026 12:00:00 GMT`
    Rfc1123,
    /// `2026-03-02 12:00:00`
    SqlUtc,
}

/// Writes an instant, in UTC. What the format has no room for is cut off.
pub fn format(format: TimestampFormat, unix_ms: i64) -> String {
    let (year, month, day) = civil(unix_ms.div_euclid(DAY_MS));
    let of_day = unix_ms.rem_euclid(DAY_MS);
    let (hour, minute, second) = (of_day / 3_600_000, of_day / 60_000 % 60, of_day / 1000 % 60);
    let mut out = String::new();
    match format {
        TimestampFormat::EpochS => out.push_str(&unix_ms.div_euclid(1000).to_string()),
        TimestampFormat::EpochMs => out.push_str(&unix_ms.to_string()),
        TimestampFormat::EpochUs => out.push_str(&unix_ms.saturating_mul(1000).to_string()),
        TimestampFormat::Iso8601 | TimestampFormat::Iso8601Ms => {
            join(&mut out, [(year, 4), (month, 2), (day, 2)], "-");
            out.push('T');
            join(&mut out, [(hour, 2), (minute, 2), (second, 2)], ":");
            if format == TimestampFormat::Iso8601Ms {
                out.push('.');
                pad(&mut out, of_day % 1000, 3);
            }
            out.push('Z');
        }
        TimestampFormat::Iso8601Basic => {
            join(&mut out, [(year, 4), (month, 2), (day, 2)], "");
            out.push('T');
            join(&mut out, [(hour, 2), (minute, 2), (second, 2)], "");
            out.push('Z');
        }
        TimestampFormat::EdgeGrid => {
            join(&mut out, [(year, 4), (month, 2), (day, 2)], "");
            out.push('T');
            join(&mut out, [(hour, 2), (minute, 2), (second, 2)], ":");
            out.push_str("+0000");
        }
        TimestampFormat::Rfc1123 => {
            // Day 0 of the epoch was a Thursday.
            out.push_str(name(&DAYS, (unix_ms.div_euclid(DAY_MS) + 4).rem_euclid(7)));
            out.push_str(", ");
            pad(&mut out, day, 2);
            out.push(' ');
            out.push_str(name(&MONTHS, month - 1));
            out.push(' ');
            pad(&mut out, year, 4);
            out.push(' ');
            join(&mut out, [(hour, 2), (minute, 2), (second, 2)], ":");
            out.push_str(" GMT");
        }
        TimestampFormat::SqlUtc => {
            join(&mut out, [(year, 4), (month, 2), (day, 2)], "-");
            out.push(' ');
            join(&mut out, [(hour, 2), (minute, 2), (second, 2)], ":");
        }
    }
    out
}

fn join(out: &mut String, numbers: [(i64, usize); 3], separator: &str) {
    for (index, (number, width)) in numbers.into_iter().enumerate() {
        if index > 0 {
            out.push_str(separator);
        }
        pad(out, number, width);
    }
}

fn pad(out: &mut String, number: i64, width: usize) {
    if number < 0 {
        out.push('-');
    }
    let digits = number.unsigned_abs().to_string();
    out.extend(std::iter::repeat_n('0', width.saturating_sub(digits.len())));
    out.push_str(&digits);
}

fn name(names: &[&'static str], index: i64) -> &'static str {
    usize::try_from(index).ok().and_then(|index| names.get(index)).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// T0 of the cases.
    const T0: i64 = 1_772_452_800_000;

    #[test]
    fn formats() {
        let table = [
            (TimestampFormat::EpochS, "1772452800"),
            (TimestampFormat::EpochMs, "1772452800007"),
            (TimestampFormat::EpochUs, "1772452800007000"),
            (TimestampFormat::Iso8601, "2026-03-02T12:00:00Z"),
            (TimestampFormat::Iso8601Ms, "2026-03-02T12:00:00.007Z"),
            (TimestampFormat::Iso8601Basic, "20260302T120000Z"),
            (TimestampFormat::EdgeGrid, "20260302T12:00:00+0000"),
            (TimestampFormat::Rfc1123, "Mon, 02 Mar 2026 12:00:00 GMT"),
            (TimestampFormat::SqlUtc, "2026-03-02 12:00:00"),
        ];
        for (name, right) in table {
            assert_eq!(format(name, T0 + 7), right);
        }
        assert_eq!(format(TimestampFormat::EpochS, -1), "-1");
        assert_eq!(format(TimestampFormat::Iso8601Ms, -1), "1969-12-31T23:59:59.999Z");
        assert_eq!(format(TimestampFormat::Rfc1123, -DAY_MS), "Wed, 31 Dec 1969 00:00:00 GMT");
    }
}
