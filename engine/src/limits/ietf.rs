//! The structured fields `RateLimit` and `RateLimit-Policy`, in the forms that the drafts of
//! the IETF gave them one after the other (B49):
//!
//! | | `RateLimit` | `RateLimit-Policy` |
//! |---|---|---|
//! | list | `"default";r=50;t=30`, or `default` as a token | `"default";q=100;w=60;qu="requests"` |
//! | dictionary | `limit=100, remaining=50, reset=30` | `100;w=60` |
//!
//! The first generation, three headers, is read by `fields`.

use super::structured::{self, Event, Thousandths, Value};
use super::{Ietf, Refill, Report};
use crate::http::Headers;
use crate::number::Amount;
use crate::time::Ms;

/// Windows that one response may tell of; a supplier with more is not believed to mean it.
const MAX_WINDOWS: usize = 16;
/// Bytes of a window's name, which ends up in shared state.
const MAX_NAME: usize = 64;
/// The only window of the dictionary form, which gives it no name.
const UNNAMED: &str = "default";

/// What both fields say. Each is read whole or not at all (RFC 9651, 4.2).
pub fn read(ietf: &Ietf, headers: &Headers) -> Vec<Report> {
    let policies = headers.get(&ietf.policy).and_then(|text| list(&text)).unwrap_or_default();
    let Some(text) = headers.get(&ietf.header) else { return policy_reports(&policies, &[]) };
    if let Some(members) = list(&text) {
        let mut reports: Vec<_> = members.iter().filter_map(|member| report(member, &policies)).collect();
        reports.extend(policy_reports(&policies, &reports));
        reports.truncate(MAX_WINDOWS);
        return reports;
    }
    match dictionary(&text) {
        Some(members) => unnamed_report(&members, &policies).into_iter().collect(),
        None => policy_reports(&policies, &[]),
    }
}

/// A member of the list form. `t` that is absent says nothing, which is not 0 (B36).
fn report(member: &Member, policies: &[Member]) -> Option<Report> {
    let window = member.name.clone()?;
    let policy = policies.iter().find(|policy| policy.name.as_ref() == Some(&window));
    Some(Report {
        limit: policy.and_then(|policy| count(policy.q)),
        remaining: count(member.r),
        reset: amount(member.t),
        refill: Refill::AtReset,
        counted: !member.foreign && policy.is_none_or(|policy| !policy.foreign),
        length: policy.and_then(|policy| ms(policy.w)),
        raw: raw(member.t),
        window,
    })
}

/// Windows of which only the limit is told.
fn policy_reports(policies: &[Member], told: &[Report]) -> Vec<Report> {
    let untold = |window: &str| told.iter().all(|report| report.window != window);
    let limits =
        policies.iter().filter(|policy| policy.name.as_deref().is_some_and(untold) && count(policy.q).is_some());
    limits
        .filter_map(|policy| report(policy, policies))
        .map(|report| Report { remaining: None, reset: None, raw: None, ..report })
        .collect()
}

/// The dictionary form. Of the policies, which are nameless too, the one with this limit is
/// meant.
fn unnamed_report(members: &[Member], policies: &[Member]) -> Option<Report> {
    // The last of equal keys counts.
    let value = |key: &str| members.iter().rev().find(|member| member.key == key).and_then(|member| member.value);
    let (limit, remaining, reset) = (value("limit"), value("remaining"), value("reset"));
    if count(limit).is_none() && count(remaining).is_none() && amount(reset).is_none() {
        return None;
    }
    let policy = policies.iter().find(|policy| policy.value.is_some() && policy.value == limit);
    Some(Report {
        window: UNNAMED.to_owned(),
        limit: count(limit),
        remaining: count(remaining),
        reset: amount(reset),
        refill: Refill::AtReset,
        counted: policy.is_none_or(|policy| !policy.foreign),
        length: policy.and_then(|policy| ms(policy.w)),
        raw: raw(reset),
    })
}

/// Rounded down; `None` for the negative numbers that some send for "unknown".
fn count(number: Option<Thousandths>) -> Option<u64> {
    u64::try_from(number?).ok().map(|number| number / 1000)
}

/// Seconds in thousandths are milliseconds.
fn ms(seconds: Option<Thousandths>) -> Option<Ms> {
    u64::try_from(seconds?).ok().map(Ms)
}

fn amount(seconds: Option<Thousandths>) -> Option<Amount> {
    ms(seconds).map(Amount::After)
}

/// The number as it was sent, or as good as.
fn raw(number: Option<Thousandths>) -> Option<String> {
    let (whole, fraction) = (number? / 1000, number? % 1000);
    Some(if fraction == 0 { whole.to_string() } else { format!("{whole}.{:03}", fraction.unsigned_abs()) })
}

fn list(text: &str) -> Option<Vec<Member>> {
    let mut members = Members::default();
    structured::list(text, &mut |event| members.take(event))?;
    Some(members.all)
}

fn dictionary(text: &str) -> Option<Vec<Member>> {
    let mut members = Members::default();
    structured::dictionary(text, &mut |event| match event {
        Event::Member(key, _) if !matches!(key, "limit" | "remaining" | "reset") => members.skipping = true,
        event => members.take(event),
    })?;
    Some(members.all)
}

/// Members of a list or dictionary, as far as they matter.
#[derive(Default)]
struct Members {
    all: Vec<Member>,
    /// The parameters that follow belong to a member that is not kept.
    skipping: bool,
}

#[derive(Default)]
struct Member {
    /// Of a dictionary.
    key: String,
    /// The item, if it is a String or a Token.
    name: Option<String>,
    /// The item, if it is a number.
    value: Option<Thousandths>,
    r: Option<Thousandths>,
    t: Option<Thousandths>,
    q: Option<Thousandths>,
    w: Option<Thousandths>,
    /// `qu` is there and is not `requests` (B52).
    foreign: bool,
}

impl Members {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Member(key, value) => {
                self.skipping = self.all.len() >= MAX_WINDOWS;
                if !self.skipping {
                    self.all.push(Member::new(key, value));
                }
            }
            Event::Parameter(key, value) => {
                if let Some(member) = self.all.last_mut().filter(|_| !self.skipping) {
                    member.set(key, value);
                }
            }
        }
    }
}

impl Member {
    fn new(key: &str, value: Value) -> Member {
        let (name, value) = match value {
            Value::Word(name) if name.len() <= MAX_NAME => (Some(name), None),
            value => (None, number(&value)),
        };
        Member { key: key.to_owned(), name, value, ..Member::default() }
    }

    /// The last of equal parameters counts.
    fn set(&mut self, key: &str, value: Value) {
        match key {
            "r" => self.r = number(&value),
            "t" => self.t = number(&value),
            "q" => self.q = number(&value),
            "w" => self.w = number(&value),
            "qu" => self.foreign = !matches!(value, Value::Word(unit) if unit == "requests"),
            _ => {}
        }
    }
}

fn number(value: &Value) -> Option<Thousandths> {
    match value {
        Value::Number(number) => Some(*number),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(limit: &[&str], policy: &[&str]) -> Vec<Report> {
        let lines = |name: &'static str, values: &[&str]| {
            values.iter().map(move |value| (name.to_owned(), (*value).to_owned())).collect::<Vec<_>>()
        };
        let headers = Headers([lines("ratelimit", limit), lines("ratelimit-policy", policy)].concat());
        read(&Ietf { header: "RateLimit".into(), policy: "RateLimit-Policy".into() }, &headers)
    }

    /// Window, limit, remaining and reset in milliseconds.
    type Short<'a> = (&'a str, Option<u64>, Option<u64>, Option<u64>);

    fn short(reports: &[Report]) -> Vec<Short<'_>> {
        let after = |reset| match reset {
            Some(Amount::After(ms)) => Some(ms.0),
            _ => None,
        };
        reports.iter().map(|r| (r.window.as_str(), r.limit, r.remaining, after(r.reset))).collect()
    }

    /// B49, (ii) to (v).
    #[test]
    fn generations() {
        let two = [("a", None, Some(9), Some(2000)), ("b", None, Some(0), Some(12_000))];
        assert_eq!(
            short(&said(&["limit=100, remaining=0, reset=12"], &[])),
            [("default", Some(100), Some(0), Some(12_000))]
        );
        assert_eq!(short(&said(&["default;r=0;t=12"], &[])), [("default", None, Some(0), Some(12_000))]);
        assert_eq!(short(&said(&["\"a\";r=9;t=2, \"b\";r=0;t=12"], &[])), two);
        assert_eq!(short(&said(&["\"a\";r=9;t=2", "\"b\";r=0;t=12"], &[])), two);
        assert_eq!(short(&said(&["a;r=9;t=2,\tb;r=0; t=12"], &[])), two);
    }

    /// B49 (vi): all or nothing, over all lines.
    #[test]
    fn broken_fields() {
        for broken in [
            "\"b;r=0;t=12",
            "\"b\";r=0;t=12,",
            "\"b\";r=0;t=12 x",
            "\"b\";r=;t=12",
            "\"b\";R=0",
            "\"é\";r=0;t=12",
            "\"b\";r=0;t=1234567890123456",
            "limit=100, remaining=0, reset=",
            "limit=100, \"b\";r=0",
            "",
            "100, remaining=0",
        ] {
            assert_eq!(said(&[broken], &[]), [], "{broken}");
            assert_eq!(said(&["\"a\";r=0;t=9", broken], &[]).len(), 0, "{broken}");
            let policy = said(&["\"a\";r=0;t=9"], &[broken]);
            assert_eq!(short(&policy), [("a", None, Some(0), Some(9000))], "{broken}");
        }
        // A broken field leaves what the other one says.
        let policy = said(&["\"b;r=0;t=12"], &["\"b\";q=10;w=60"]);
        assert_eq!(short(&policy), [("b", Some(10), None, None)]);
    }

    /// B36: a `t` that is absent is not 0, nor is an `r`.
    #[test]
    fn absent_parameters() {
        assert_eq!(
            short(&said(&["\"allow\";r=5;t=1, \"deny\";r=0;t=25"], &[])),
            [("allow", None, Some(5), Some(1000)), ("deny", None, Some(0), Some(25_000))]
        );
        let reports = said(&["\"a\";r=0, \"b\";t=0, \"c\", \"d\";r=?1;t=\"9\""], &[]);
        assert_eq!(
            short(&reports),
            [("a", None, Some(0), None), ("b", None, None, Some(0)), ("c", None, None, None), ("d", None, None, None)]
        );
        assert_eq!(reports.iter().map(|r| r.raw.as_deref()).collect::<Vec<_>>(), [None, Some("0"), None, None]);
    }

    /// B39, and decimals: left is rounded down, waits are not.
    #[test]
    fn odd_numbers() {
        assert_eq!(short(&said(&["\"a\";r=-1;t=-1"], &[])), [("a", None, None, None)]);
        assert_eq!(short(&said(&["\"a\";r=14.5;t=1.001"], &[])), [("a", None, Some(14), Some(1001))]);
        assert_eq!(said(&["\"a\";t=1.05"], &[]).first().and_then(|r| r.raw.clone()).as_deref(), Some("1.050"));
        assert_eq!(short(&said(&["\"a\";r=1;r=2;t=3;t=4"], &[])), [("a", None, Some(2), Some(4000))]);
        assert_eq!(
            said(&["\"a\";r=1;t=999999999999999"], &[]).first().and_then(|r| r.raw.clone()).unwrap(),
            "999999999999999"
        );
        assert_eq!(short(&said(&["limit=-1, remaining=3"], &[])), [("default", None, Some(3), None)]);
        assert_eq!(short(&said(&["limit=1, limit=2, limit=\"x\", limit=3"], &[])), [("default", Some(3), None, None)]);
        assert_eq!(said(&["other=1, x"], &[]), []);
        assert_eq!(said(&["5, (\"a\" \"b\");r=1, :YQ==:;r=1"], &[]), []);
    }

    /// B52, and the other units.
    #[test]
    fn policies() {
        let reports = said(
            &["\"req\";r=8;t=10, \"bytes\";r=0;t=5"],
            &["\"req\";q=10;w=10, \"bytes\";q=1000000;w=10;qu=\"content-bytes\"", "\"day\";q=500;w=86400;pk=:YQ==:"],
        );
        assert_eq!(
            short(&reports),
            [
                ("req", Some(10), Some(8), Some(10_000)),
                ("bytes", Some(1_000_000), Some(0), Some(5000)),
                ("day", Some(500), None, None)
            ]
        );
        assert_eq!(reports.iter().map(|r| r.counted).collect::<Vec<_>>(), [true, false, true]);
        let lengths: Vec<_> = reports.iter().filter_map(|r| r.length).collect();
        assert_eq!(lengths, [Ms(10_000), Ms(10_000), Ms(86_400_000)]);
        for (unit, counted) in [
            ("qu=\"requests\"", true),
            ("qu=requests", true),
            ("qu=\"concurrent-requests\"", false),
            ("qu=\"tokens\"", false),
            ("qu", false),
            ("qu=1", false),
        ] {
            let reports = said(&["\"a\";r=0;t=5"], &[&["\"a\";q=1;", unit].concat()]);
            assert_eq!(reports.iter().map(|r| r.counted).collect::<Vec<_>>(), [counted], "{unit}");
        }
    }

    #[test]
    fn nameless_policies() {
        let reports = said(&["limit=100, remaining=50, reset=30"], &["10;w=1, 100;w=60"]);
        assert_eq!(short(&reports), [("default", Some(100), Some(50), Some(30_000))]);
        assert_eq!(reports.iter().map(|r| r.length).collect::<Vec<_>>(), [Some(Ms(60_000))]);
        assert_eq!(said(&[], &["10;w=1, 100;w=60"]), []);
    }

    #[test]
    fn no_end_of_windows() {
        let many: Vec<_> = (0..1000).map(|n| format!("\"w{n}\";r=1;q=1")).collect();
        assert_eq!(said(&[&many.join(", ")], &[&many.join(", ")]).len(), 16);
        let long = ["\"", &"n".repeat(65), "\";r=1"].concat();
        assert_eq!(said(&[&long], &[]), []);
    }
}
