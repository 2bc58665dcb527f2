//! The number that a supplier gives with a refusal.

use crate::budget::IMPLAUSIBLE;
use crate::event::Why;
use crate::http::{Body, Headers};
use crate::json;
use crate::limits::Report;
use crate::number::{self, Amount};
use crate::profile::{Retry, Source};
use crate::time::Ms;

/// A wait that the supplier asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Number {
    pub ms: Ms,
    pub why: Why,
    /// Name of the header, or pointer into the body, for the journal.
    pub from: String,
    /// The text as it came, shortened.
    pub raw: String,
}

impl Number {
    /// Too large to be meant (`cases.md`, B22).
    pub(crate) fn implausible(&self) -> bool {
        self.ms > IMPLAUSIBLE
    }
}

/// The first source that speaks; else the latest reset among the windows that are exhausted,
/// or, if the answer is a limit and says nothing else, may be (`cases.md`, B35, B50).
/// `cost` is what room is needed for; `until` turns an amount into a wait, against the answer's own clock.
pub(crate) fn server_number(
    retry: &Retry,
    headers: &Headers,
    body: Option<&Body>,
    reports: &[Report],
    limited: bool,
    cost: u64,
    until: impl Fn(Amount) -> Ms,
) -> Option<Number> {
    for source in &retry.server_wait {
        let (from, raw) = match &source.from {
            Source::Header(name) => (name.clone(), headers.get(name).map(|value| value.into_owned())),
            Source::Body(pointer) => (pointer.to_string(), body.and_then(|body| scalar(body, pointer))),
        };
        let Some(raw) = raw else { continue };
        if let Some(amount) = number::read(source.unit, raw.trim()) {
            return Some(Number { ms: until(amount), why: Why::RetryAfter, from, raw: shortened(&raw) });
        }
    }
    let open = |report: &&Report| match report.remaining {
        Some(left) => left == 0,
        None => limited,
    };
    let resets = reports.iter().filter(|report| report.counted).filter(open);
    let waits = resets.filter_map(|report| Some((until(report.opens(cost)?), report)));
    let (ms, report) = waits.max_by_key(|(ms, _)| *ms)?;
    let raw = report.raw.clone().unwrap_or_default();
    Some(Number { ms, why: Why::Reset, from: report.window.clone(), raw })
}

fn scalar(body: &Body, pointer: &json::Pointer) -> Option<String> {
    let found = json::capture(body.as_text()?, &[pointer]).ok()?;
    json::scalar((*found.first()?)?)
}

/// Enough to recognise a misread dialect by.
fn shortened(raw: &str) -> String {
    raw.chars().filter(|c| !c.is_control()).take(64).collect()
}
