//! What a supplier says about its limits. Each dialect has a reader; the profile declares
//! which are used, nothing is guessed.
//!
//! A header never turns a good response into an error: a member that makes no sense is left
//! out and the others count (B39, B40), a structured field that is broken is left out whole
//! (B49).

mod fields;
mod fraction;
mod ietf;
mod structured;

use crate::http::Headers;
use crate::number::{Amount, Unit};
use crate::time::Ms;

/// How one dialect is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reader {
    Fields(Fields),
    Ietf(Ietf),
    Fraction(Fraction),
    Static(Static),
}

/// A header for each number, as in `X-RateLimit-Remaining: 14`; also the three headers of the
/// early IETF drafts. Every header is optional.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields {
    /// Name of the window in state and journal.
    pub name: String,
    /// Header with the number of requests in a window.
    pub limit: Option<String>,
    /// Header with the number of requests left.
    pub remaining: Option<String>,
    /// Header with the number of requests spent; counts where `remaining` says nothing.
    pub used: Option<String>,
    /// Header that tells when the window ends.
    pub reset: Option<String>,
    /// What the number in `reset` means.
    pub reset_unit: Unit,
    /// Length of the window in seconds. Without a `reset` header a window is taken to end so
    /// long after the response, which is never too early.
    pub window_s: Option<u32>,
}

/// The structured fields of draft-ietf-httpapi-ratelimit-headers, any number of windows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ietf {
    /// Header with what is left: `RateLimit`.
    pub header: String,
    /// Header with the limits: `RateLimit-Policy`.
    pub policy: String,
}

/// One header with `used/limit`, as in `32/40`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fraction {
    /// Name of the window in state and journal.
    pub name: String,
    /// The header.
    pub header: String,
    /// The fraction stands after `key=`, one of several; without a key it stands alone.
    pub key: Option<String>,
    /// Milliseconds until one spent request comes back, for suppliers with a leaky bucket
    /// (500 for two a second).
    pub refill_ms: Option<u64>,
    /// Length of the window in seconds, for suppliers without refill. It is taken to end so
    /// long after the response.
    pub window_s: Option<u32>,
}

/// A limit that stands in the supplier's documentation and in no header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Static {
    /// Name of the window in state and journal.
    pub name: String,
    /// Requests in a window.
    pub limit: u32,
    /// Length of the window in seconds.
    pub window_s: u32,
}

/// What one response says about one window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    pub window: String,
    pub limit: Option<u64>,
    /// Rounded down; `None` where the supplier does not say, which is not 0.
    pub remaining: Option<u64>,
    /// When the window ends; `None` where the supplier does not say, which is not "now" (B36).
    pub reset: Option<Amount>,
    /// Whether the window counts requests. Others are shown, never counted (B52).
    pub counted: bool,
    /// How long a whole window is. Informative.
    pub length: Option<Ms>,
    pub refill: Refill,
    /// The text that `reset` was read from, cut to 64 characters, for the journal.
    pub raw: Option<String>,
}

/// How a window gets room again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Refill {
    /// All of it at the reset that the supplier named.
    #[default]
    AtReset,
    /// All of it, no later than the reset, which the reader counted from the answer.
    ByReset,
    /// One place each time this has passed; at the reset the last one is free.
    Each(Ms),
}

impl Refill {
    /// How long before the reset there is room for this cost.
    pub(crate) fn early(self, limit: Option<u64>, cost: u64) -> Ms {
        match self {
            Refill::Each(each) => Ms(limit.unwrap_or(0).saturating_sub(cost).saturating_mul(each.0)),
            Refill::AtReset | Refill::ByReset => Ms::ZERO,
        }
    }
}

impl Report {
    /// When there is room for this cost; `None` where the supplier does not say.
    pub fn opens(&self, cost: u64) -> Option<Amount> {
        match self.reset? {
            Amount::After(ms) => Some(Amount::After(ms.minus(self.refill.early(self.limit, cost)))),
            at => Some(at),
        }
    }
}

/// Every window that a response tells of, as far as the reader understands it.
pub fn read(reader: &Reader, headers: &Headers) -> Vec<Report> {
    match reader {
        Reader::Fields(fields) => fields::read(fields, headers).into_iter().collect(),
        Reader::Ietf(ietf) => ietf::read(ietf, headers),
        Reader::Fraction(fraction) => fraction::read(fraction, headers).into_iter().collect(),
        Reader::Static(_) => Vec::new(),
    }
}

/// A text from a header as the journal may hold it.
fn cut(text: &str) -> String {
    text.chars().take(64).collect()
}

fn seconds(seconds: u32) -> Ms {
    Ms(u64::from(seconds).saturating_mul(1000))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn readers() -> [Reader; 5] {
        let h = |text: &str| Some(text.to_owned());
        let fields = Fields { limit: h("a"), remaining: h("b"), used: h("c"), reset: h("d"), ..Fields::default() };
        let fraction = Fraction { header: "a".into(), refill_ms: Some(u64::MAX), ..Fraction::default() };
        [
            Reader::Fields(fields),
            Reader::Ietf(Ietf { header: "a".into(), policy: "b".into() }),
            Reader::Fraction(Fraction { key: h("k"), ..fraction.clone() }),
            Reader::Fraction(fraction),
            Reader::Static(Static { name: "n".into(), limit: 1, window_s: 1 }),
        ]
    }

    fn headers(values: &[String]) -> Headers {
        let mut headers = Headers::default();
        for (name, value) in ["a", "b", "c", "d", "a"].iter().zip(values) {
            headers.push(*name, value);
        }
        headers
    }

    #[test]
    fn static_limits_and_silence() {
        for reader in readers() {
            assert_eq!(read(&reader, &Headers::default()), []);
        }
        let Some(last) = readers().into_iter().last() else { return };
        assert_eq!(read(&last, &headers(&["5/10".into()])), []);
    }

    proptest! {
        #[test]
        fn never_panics(
            any in prop::collection::vec(".{0,40}", 5),
            near in prop::collection::vec("[0-9a-z\"=;, ./()@?:%*-]{0,40}", 5),
            numbers in prop::collection::vec("(k=)?[0-9]{1,25}([./][0-9]{1,25})?(;[rtqw]=-?[0-9.]{1,20}){0,3}", 5),
        ) {
            for reader in readers() {
                for values in [&any, &near, &numbers] {
                    for report in read(&reader, &headers(values)) {
                        prop_assert!(report.window.len() <= 64);
                        prop_assert!(report.raw.is_none_or(|raw| raw.chars().count() <= 64));
                    }
                }
            }
        }
    }
}
