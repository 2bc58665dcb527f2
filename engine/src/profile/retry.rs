//! When a request is sent again, and how long it waits before.

use super::kinds::{decimal, int, list, one_or_many, refined};
use super::names::{header_name, pointer};
use super::object::{choice, choice_of, object};
use super::read::{At, Kind, Problems, code, default, optional};
use super::rules::When;
use crate::json::Pointer;
use crate::number::Unit;
use serde_json::Value;

object! {
    /// When a request is sent again, and how long it waits before.
    pub struct Retry {
        /// Requests in all, the first one included.
        pub max_attempts: u32 = default("4", int(1, 100));
        /// Statuses that are retried: numbers, or classes like "5xx". 400 and 401 never are.
        pub statuses: Vec<StatusMatch> = default("[429, 502, 503, 504]", list(retried_status()));
        /// Statuses that are never retried. A number wins over a class, in either list.
        pub never: Vec<StatusMatch> = default(NEVER, list(error_status()));
        /// Responses that mean the supplier has done nothing: only these allow an unsafe request (POST, PATCH without an idempotency key) to be sent again.
        pub refused_by: Vec<When> = default(
            r#"[{ "status": 429 }, { "status": 503, "header": { "Retry-After": "*" } }]"#,
            list(super::rules::when())
        );
        /// Where the supplier says how long to wait, in order; the first that is there counts.
        pub server_wait: Vec<WaitSource> = default(r#"[{ "header": "Retry-After" }]"#, list(wait_source()));
        /// The wait before the second attempt, where the supplier names none; it doubles from there.
        pub base_delay_ms: u32 = default("500", int(1, u32::MAX));
        /// The longest wait of our own.
        pub max_delay_ms: u32 = default("5000", int(1, u32::MAX));
        /// How much is added at random, as a share of the wait.
        pub jitter: f64 = default("0.25", decimal(0.0, 1.0));
        /// The longest wait that a supplier may ask for. 0: never wait.
        pub max_server_wait_ms: u32 = default("60000", int(0, u32::MAX));
        /// What happens if the supplier asks for more.
        pub long_wait: LongWait = default("\"fail\"", choice_of());
        /// Added to every reset that the supplier names.
        pub reset_margin_ms: u32 = default("0", int(0, 3_600_000));
        /// Time for the whole call, waits included.
        pub deadline_ms: u32 = default("120000", int(1, u32::MAX));
        /// Time for one attempt. Must be shorter than the signature's tolerance.
        pub attempt_timeout_ms: u32 = default("30000", int(1, u32::MAX));
    }
}

/// The default of `never`.
pub const NEVER: &str = "[501, 505, 506, 508, 510, 511]";

impl Retry {
    /// Whether the lists have this status retried. A number wins over a class; 400 and 401
    /// are not, whatever the lists say.
    pub fn lists(&self, status: u16) -> bool {
        !matches!(status, 400 | 401) && rank(&self.statuses, status) > rank(&self.never, status)
    }

    /// Whether the lists exclude this status from every retry.
    pub fn never(&self, status: u16) -> bool {
        let rank_of_never = rank(&self.never, status);
        rank_of_never > 0 && rank_of_never >= rank(&self.statuses, status)
    }
}

/// How specifically a list names a status: 2 by number, 1 by class, 0 not at all.
fn rank(list: &[StatusMatch], status: u16) -> u8 {
    let ranks = list.iter().filter(|entry| entry.matches(status)).map(|entry| match entry {
        StatusMatch::Code(_) => 2,
        StatusMatch::Class(_) => 1,
    });
    ranks.max().unwrap_or(0)
}

/// One status or a hundred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatusMatch {
    Code(u16),
    /// `"5xx"` is 5.
    Class(u8),
}

impl StatusMatch {
    pub fn matches(self, status: u16) -> bool {
        match self {
            StatusMatch::Code(code) => code == status,
            StatusMatch::Class(class) => u16::from(class) == status / 100,
        }
    }
}

/// Reads a `StatusMatch` from `from` on.
pub struct StatusKind {
    from: u16,
}

/// A status in a rule.
pub fn any_status() -> StatusKind {
    StatusKind { from: 100 }
}

/// A status in a list of errors.
pub fn error_status() -> StatusKind {
    StatusKind { from: 400 }
}

fn retried_status() -> impl Kind<Out = StatusMatch> {
    refined(error_status(), |status, at: &At, problems: &mut Problems| {
        if matches!(status, StatusMatch::Code(400 | 401)) {
            let message = "400 and 401 are never retried: the same request would be refused again. For a wrong clock there is a rule with the verdict \"resync-clock\"";
            problems.add(at, code::INVALID_VALUE, message);
            return None;
        }
        Some(status)
    })
}

/// `status` in a rule: one or several.
pub fn statuses() -> impl Kind<Out = Vec<StatusMatch>> {
    one_or_many(any_status())
}

impl Kind for StatusKind {
    type Out = StatusMatch;

    fn read(&self, value: &Value, at: &At, problems: &mut Problems) -> Option<StatusMatch> {
        let wanted = format!("a status from {} to 599, or a class like \"5xx\"", self.from);
        let found = match value {
            Value::Number(number) => number
                .as_u64()
                .and_then(|n| u16::try_from(n).ok())
                .filter(|n| (self.from..600).contains(n))
                .map(StatusMatch::Code),
            Value::String(text) => match text.as_bytes() {
                [digit @ b'1'..=b'5', b'x', b'x'] if u16::from(digit - b'0') >= self.from / 100 => {
                    Some(StatusMatch::Class(digit - b'0'))
                }
                _ => None,
            },
            _ => {
                problems.wrong_type(at, value, &wanted);
                return None;
            }
        };
        if found.is_none() {
            let code = if value.is_string() { code::INVALID_VALUE } else { code::OUT_OF_RANGE };
            problems.add(at, code, format!("write {wanted}"));
        }
        found
    }

    #[cfg(feature = "schema")]
    fn schema(&self) -> Value {
        let first = self.from / 100;
        serde_json::json!({ "anyOf": [
            { "type": "integer", "minimum": self.from, "maximum": 599 },
            { "type": "string", "pattern": format!("^[{first}-5]xx$") },
        ] })
    }
}

choice! {
    /// What happens if a supplier asks for a longer wait than `max_server_wait_ms`.
    pub enum LongWait {
        /// The call fails and says when to come back.
        Fail = "fail",
        /// It waits for `max_server_wait_ms` and tries then.
        Clamp = "clamp",
    }
    not_yet []
}

/// Where the supplier says how long to wait.
#[derive(Clone, Debug)]
pub struct WaitSource {
    pub from: Source,
    pub unit: Unit,
}

/// A value in a response.
#[derive(Clone, Debug)]
pub enum Source {
    Header(String),
    Body(Pointer),
}

object! {
    /// A value in a response: in a header, or in the JSON body.
    struct RawWaitSource {
        /// The header that holds it.
        header: Option<String> = optional(header_name());
        /// Where it stands in the JSON body.
        body: Option<Pointer> = optional(pointer());
        /// What the value means.
        unit: Unit = default("\"retry-after\"", choice_of());
    }
}

fn wait_source() -> impl Kind<Out = WaitSource> {
    refined(super::object::object_of::<RawWaitSource>(), |raw, at: &At, problems: &mut Problems| {
        Some(WaitSource { from: either(raw.header, raw.body, at, problems)?, unit: raw.unit })
    })
}

object! {
    /// A value in a response: in a header, or in the JSON body.
    struct RawSource {
        /// The header that holds it.
        header: Option<String> = optional(header_name());
        /// Where it stands in the JSON body.
        body: Option<Pointer> = optional(pointer());
    }
}

/// `{ "header": ... }` or `{ "body": ... }`.
pub fn source() -> impl Kind<Out = Source> {
    refined(super::object::object_of::<RawSource>(), |raw, at: &At, problems: &mut Problems| {
        either(raw.header, raw.body, at, problems)
    })
}

/// Exactly one of the two.
fn either(header: Option<String>, body: Option<Pointer>, at: &At, problems: &mut Problems) -> Option<Source> {
    match (header, body) {
        (Some(header), None) => Some(Source::Header(header)),
        (None, Some(body)) => Some(Source::Body(body)),
        (None, None) => {
            problems.add(at, code::MISSING, "write \"header\" or \"body\"");
            None
        }
        (Some(_), Some(_)) => {
            problems.add(at, code::CONFLICT, "write \"header\" or \"body\", not both");
            None
        }
    }
}

choice! {
    for Unit {
        /// Seconds, with or without decimals, or an HTTP-date: the grammar of Retry-After.
        RetryAfter = "retry-after",
        /// Seconds from now.
        DeltaS = "delta-s",
        /// Milliseconds from now.
        DeltaMs = "delta-ms",
        /// Seconds from now, with decimals.
        DeltaFloat = "delta-float",
        /// Unix time in seconds.
        EpochS = "epoch-s",
        /// Unix time in milliseconds.
        EpochMs = "epoch-ms",
        /// Unix time in seconds, with decimals.
        EpochFloat = "epoch-float",
        /// A date and time of ISO 8601.
        Iso8601 = "iso8601",
        /// A date and time of RFC 9110, 5.6.7.
        HttpDate = "http-date",
        /// A duration as Go writes it, like 1m30s.
        GoDuration = "go-duration",
    }
    not_yet ["auto"]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::object::object_of;
    use crate::profile::read::Kind;

    fn retry(json: serde_json::Value) -> Result<Retry, Vec<crate::Problem>> {
        let mut problems = Problems::default();
        object_of::<Retry>().read(&json, &At::ROOT, &mut problems).ok_or(problems.0)
    }

    #[test]
    fn a_number_wins_over_a_class() {
        let retry = retry(serde_json::json!({ "statuses": ["5xx", 404, "4xx"], "never": [501, "4xx"] })).unwrap();
        for (status, lists, never) in [(500, true, false), (501, false, true), (404, true, false), (403, false, true)] {
            assert_eq!((retry.lists(status), retry.never(status)), (lists, never), "{status}");
        }
        let other = super::tests::retry(serde_json::json!({ "statuses": [502], "never": ["5xx"] })).unwrap();
        assert!(other.lists(502) && !other.never(502) && other.never(500));
    }

    #[test]
    fn statuses_400_and_401_are_never_retried() {
        let by_class = retry(serde_json::json!({ "statuses": ["4xx"] })).unwrap();
        assert!(!by_class.lists(400) && !by_class.lists(401) && by_class.lists(408));
        assert_eq!(retry(serde_json::json!({ "statuses": [401] })).unwrap_err()[0].pointer, "/statuses/0");
    }

    #[test]
    fn limits_of_a_status() {
        let read = |json| any_status().read(&json, &At::ROOT, &mut Problems::default());
        assert_eq!(read(serde_json::json!(599)), Some(StatusMatch::Code(599)));
        assert_eq!(read(serde_json::json!("1xx")), Some(StatusMatch::Class(1)));
        for wrong in
            [serde_json::json!(99), 600.into(), 1e9.into(), "6xx".into(), "5XX".into(), "503".into(), true.into()]
        {
            assert_eq!(read(wrong), None);
        }
        let error = |json| error_status().read(&json, &At::ROOT, &mut Problems::default());
        assert_eq!((error(399.into()), error("3xx".into())), (None, None));
    }

    #[test]
    fn reset_unit_auto_is_not_in_this_version() {
        // B33
        let problems = retry(serde_json::json!({ "server_wait": [{ "header": "X", "unit": "auto" }] })).unwrap_err();
        assert_eq!((problems[0].pointer.as_str(), problems[0].code), ("/server_wait/0/unit", code::UNSUPPORTED));
    }
}
