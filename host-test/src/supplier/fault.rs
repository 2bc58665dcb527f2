//! Faults on purpose, at fixed places, so that two runs meet the same ones.
//!
//! Written as a list: `503@7,503+1@20,429+2@30,drop@12,drop-applied@orders:1,503@every:97`.
//! Only pages and orders count and are hit; probes and reports are not.

use std::fmt;
use std::str::FromStr;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A status; with seconds: in Retry-After, or for 429 as the window's reset.
    Status(u16, Option<u32>),
    /// The connection ends before the body is read.
    Drop,
    /// The whole request was read, nothing happened, and the connection ends.
    DropRead,
    /// What was asked for happened, and the connection ends before the answer.
    DropApplied,
    /// Half of the answer, then the connection ends.
    Cut,
    /// Half of the answer, then silence.
    Stall,
    /// The answer in ten pieces over 200 ms.
    Slow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// The n-th request for a page or an order.
    Request(u64),
    /// Each n-th of them.
    Every(u64),
    /// The n-th order.
    Order(u64),
}

/// Which faults, where. The first that fits wins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule(pub Vec<(Kind, At)>);

impl Schedule {
    /// What the demo meets, within its first 40 pages and on.
    pub fn demo() -> Schedule {
        let places = "drop-applied@orders:1,503@6,503@7,drop@14,503+1@20,cut@26,429+2@31,drop-read@220,503@every:97";
        places.parse().unwrap_or_default()
    }

    /// `ordinal` counts pages and orders from 1, `order` orders alone.
    pub fn pick(&self, ordinal: u64, order: Option<u64>) -> Option<Kind> {
        let hit = |at: At| match at {
            At::Request(n) => ordinal == n,
            At::Every(n) => ordinal.is_multiple_of(n),
            At::Order(n) => order == Some(n),
        };
        self.0.iter().find(|(_, at)| hit(*at)).map(|(kind, _)| *kind)
    }
}

impl FromStr for Schedule {
    type Err = String;

    fn from_str(text: &str) -> Result<Schedule, String> {
        match text {
            "none" | "" => return Ok(Schedule::default()),
            "demo" => return Ok(Schedule::demo()),
            _ => {}
        }
        let one = |part: &str| {
            let (kind, at) = part.split_once('@').ok_or_else(|| format!("`{part}`: write KIND@PLACE"))?;
            Ok((kind.parse()?, at.parse()?))
        };
        text.split(',').map(|part| one(part.trim())).collect::<Result<_, String>>().map(Schedule)
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(text: &str) -> Result<Kind, String> {
        match text {
            "drop" => return Ok(Kind::Drop),
            "drop-read" => return Ok(Kind::DropRead),
            "drop-applied" => return Ok(Kind::DropApplied),
            "cut" => return Ok(Kind::Cut),
            "stall" => return Ok(Kind::Stall),
            "slow" => return Ok(Kind::Slow),
            _ => {}
        }
        let (status, seconds) = match text.split_once('+') {
            Some((status, seconds)) => (status, Some(seconds)),
            None => (text, None),
        };
        let what = "write a status, STATUS+SECONDS, drop, drop-read, drop-applied, cut, stall or slow";
        let bad = || format!("`{text}` is no fault: {what}");
        let status = status.parse().ok().filter(|s| (400..=599).contains(s)).ok_or_else(bad)?;
        let seconds = seconds.map(|s| s.parse().map_err(|_| bad())).transpose()?;
        Ok(Kind::Status(status, seconds))
    }
}

impl FromStr for At {
    type Err = String;

    fn from_str(text: &str) -> Result<At, String> {
        let number = |digits: &str| digits.parse().ok().filter(|n| *n > 0);
        let at = match text.split_once(':') {
            Some(("every", n)) => number(n).map(At::Every),
            Some(("orders", n)) => number(n).map(At::Order),
            Some(_) => None,
            None => number(text).map(At::Request),
        };
        at.ok_or_else(|| format!("`{text}` is no place: write N, every:N or orders:N, from 1"))
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Status(429, Some(_)) => f.write_str("429 with a reset"),
            Kind::Status(status, Some(_)) => write!(f, "{status} with Retry-After"),
            Kind::Status(status, None) => write!(f, "{status}"),
            Kind::Drop => f.write_str("dropped before reading"),
            Kind::DropRead => f.write_str("dropped after reading"),
            Kind::DropApplied => f.write_str("dropped after applying"),
            Kind::Cut => f.write_str("cut body"),
            Kind::Stall => f.write_str("stalled"),
            Kind::Slow => f.write_str("slow"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_and_the_first_that_fits_wins() {
        let schedule: Schedule = "503+1@4, drop-applied@orders:2,429+2@every:4".parse().unwrap();
        assert_eq!(schedule.pick(1, None), None);
        assert_eq!(schedule.pick(3, Some(2)), Some(Kind::DropApplied));
        assert_eq!(schedule.pick(4, None), Some(Kind::Status(503, Some(1))));
        assert_eq!(schedule.pick(8, None), Some(Kind::Status(429, Some(2))));
    }

    #[test]
    fn the_demo_schedule_is_one_and_mistakes_are_told() {
        assert_eq!(Schedule::demo().0.len(), 9);
        assert_eq!("none".parse(), Ok(Schedule::default()));
        for bad in ["503", "200@1", "503+x@1", "503@0", "503@every:0", "drip@1", "503@sometimes:1"] {
            assert!(bad.parse::<Schedule>().is_err(), "{bad}");
        }
    }
}
