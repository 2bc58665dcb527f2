//! Reading and writing instants. The engine has its own, independent of this: what a test
//! expects must not come from what it tests.

use supplier_engine::Wall;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use time::macros::format_description;

/// `2026-03-02T12:00:00Z`, with or without a fraction.
pub fn parse_rfc3339(text: &str) -> Option<Wall> {
    let nanos = OffsetDateTime::parse(text, &Rfc3339).ok()?.unix_timestamp_nanos();
    i64::try_from(nanos.div_euclid(1_000_000)).ok().map(Wall)
}

/// `Mon, 02 Mar 2026 12:00:00 GMT`, as in a Date header.
pub fn http_date(at: Wall) -> String {
    let format =
        format_description!("[weekday repr:short], [day] [month repr:short] [year] [hour]:[minute]:[second] GMT");
    date_time(at).and_then(|at| at.format(format).ok()).unwrap_or_else(|| at.0.to_string())
}

/// `2026-03-02T12:00:00Z`, with a fraction where there is one.
pub fn iso8601(at: Wall) -> String {
    let nanos = i128::from(at.0) * 1_000_000;
    let written = OffsetDateTime::from_unix_timestamp_nanos(nanos).ok().and_then(|at| at.format(&Rfc3339).ok());
    written.unwrap_or_else(|| at.0.to_string())
}

/// `12:00:05Z`, `12:00:05.500Z`: for people who look at one call.
pub fn time_of_day(at: Wall) -> String {
    let format = format_description!("[hour]:[minute]:[second]");
    let Some(written) = date_time(at).and_then(|at| at.format(format).ok()) else { return at.0.to_string() };
    match at.0.rem_euclid(1000) {
        0 => format!("{written}Z"),
        ms => format!("{written}.{ms:03}Z"),
    }
}

fn date_time(at: Wall) -> Option<OffsetDateTime> {
    OffsetDateTime::from_unix_timestamp(at.0.div_euclid(1000)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noon() {
        let noon = Wall(1_772_452_800_000);
        assert_eq!(parse_rfc3339("2026-03-02T12:00:00Z"), Some(noon));
        assert_eq!(parse_rfc3339("2026-03-02T13:00:00.250+01:00"), Some(Wall(noon.0 + 250)));
        assert_eq!(parse_rfc3339("noon"), None);
        assert_eq!(http_date(noon), "Mon, 02 Mar 2026 12:00:00 GMT");
        assert_eq!(time_of_day(Wall(noon.0 + 5_000)), "12:00:05Z");
        assert_eq!(time_of_day(Wall(-1)), "23:59:59.999Z");
    }
}
