//! What a response means, where its status alone does not say.

use super::kinds::{int, map, one_or_many, refined};
use super::names::{header_name, pointer, some_text, text};
use super::object::{choice, choice_of, object};
use super::read::{At, Kind, Problems, code, default, optional, required};
use super::retry::{StatusMatch, statuses};
use crate::json::Pointer;
use serde_json::Value;

/// What a response means; the first rule that matches decides.
#[derive(Clone, Debug)]
pub struct Rule {
    pub when: When,
    pub verdict: RuleVerdict,
    /// Always there with `fail`.
    pub code: Option<String>,
    pub min_wait_ms: u32,
}

choice! {
    /// What a rule says of a response.
    pub enum RuleVerdict {
        /// The call ends with this response; its verdict is the rule's code.
        Fail = "fail",
        /// Worth another attempt.
        Retry = "retry",
        /// Refused for its rate: nothing was done, another attempt after a wait.
        Throttled = "throttled",
        /// It cannot be told whether the supplier has acted.
        UnknownOutcome = "unknown-outcome",
        /// Our clock was wrong: sign with the supplier's time, once a call.
        ResyncClock = "resync-clock",
    }
    not_yet ["refresh-auth"]
}

object! {
    /// What a response means, where its status alone does not say. The first rule that matches decides.
    struct RawRule {
        /// All that is named must hold.
        when: When = required(when());
        /// What such a response means.
        verdict: RuleVerdict = required(choice_of());
        /// With "fail", and required there: a name of your own, the verdict of the reply or the code of a page's failure.
        code: Option<String> = optional(super::names::name());
        /// Wait at least so long, whatever the supplier says.
        min_wait_ms: u32 = default("0", int(0, 86_400_000));
    }
}

pub fn rule() -> impl Kind<Out = Rule> {
    refined(super::object::object_of::<RawRule>(), |raw, at: &At, problems: &mut Problems| {
        if raw.verdict == RuleVerdict::Fail && raw.code.is_none() {
            problems.add(&at.key("code"), code::MISSING, "with the verdict \"fail\", name what failed");
            return None;
        }
        Some(Rule { when: raw.when, verdict: raw.verdict, code: raw.code, min_wait_ms: raw.min_wait_ms })
    })
}

/// A conjunction; all that is given must hold.
#[derive(Clone, Debug)]
pub struct When {
    /// Empty: any.
    pub status: Vec<StatusMatch>,
    /// Name and values; `None`: it is there, whatever its value.
    pub header: Vec<(String, Option<Vec<String>>)>,
    /// Strings, numbers and booleans; `None`: it is there and not null.
    pub body: Vec<(Pointer, Option<Vec<Value>>)>,
    pub body_contains: Option<String>,
}

object! {
    /// Conditions on a response; all that are named must hold.
    struct RawWhen {
        /// One of these statuses: a number, a class like "4xx", or a list of them.
        status: Option<Vec<StatusMatch>> = optional(statuses());
        /// Headers and their values: one, a list, or "*" for any.
        header: Vec<(String, Option<Vec<String>>)> = default("{}", map(header_name(), any_or(text())));
        /// JSON Pointers into the body and the values there: one, a list, or "*" for any.
        body: Vec<(Pointer, Option<Vec<Value>>)> = default("{}", map(pointer(), any_or(Scalar)));
        /// The body holds this text.
        body_contains: Option<String> = optional(some_text());
    }
}

pub fn when() -> impl Kind<Out = When> {
    refined(super::object::object_of::<RawWhen>(), |raw, at: &At, problems: &mut Problems| {
        let RawWhen { status, header, body, body_contains } = raw;
        if status.is_none() && header.is_empty() && body.is_empty() && body_contains.is_none() {
            problems.add(at, code::MISSING, "name a condition: status, header, body or body_contains");
            return None;
        }
        Some(When { status: status.unwrap_or_default(), header, body, body_contains })
    })
}

/// `"*"` as `None`, else one value or several.
struct AnyOr<K>(super::kinds::OneOrMany<K>);

fn any_or<K: Kind>(kind: K) -> AnyOr<K> {
    AnyOr(one_or_many(kind))
}

impl<K: Kind> Kind for AnyOr<K> {
    type Out = Option<Vec<K::Out>>;

    fn read(&self, value: &Value, at: &At, problems: &mut Problems) -> Option<Self::Out> {
        if value.as_str() == Some("*") {
            return Some(None);
        }
        self.0.read(value, at, problems).map(Some)
    }

    #[cfg(feature = "schema")]
    fn schema(&self) -> Value {
        self.0.schema()
    }
}

/// A value that a pointer can be compared with.
struct Scalar;

impl Kind for Scalar {
    type Out = Value;

    fn read(&self, value: &Value, at: &At, problems: &mut Problems) -> Option<Value> {
        match value {
            Value::String(_) | Value::Number(_) | Value::Bool(_) => Some(value.clone()),
            _ => {
                problems.wrong_type(at, value, "a string, a number, true or false");
                None
            }
        }
    }

    #[cfg(feature = "schema")]
    fn schema(&self) -> Value {
        serde_json::json!({ "type": ["string", "number", "boolean"] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: Value) -> Result<Rule, Vec<(String, &'static str)>> {
        let mut problems = Problems::default();
        let rule = rule().read(&json, &At::ROOT, &mut problems);
        rule.ok_or(problems.0.into_iter().map(|p| (p.pointer, p.code)).collect())
    }

    #[test]
    fn star_means_present() {
        let json = serde_json::json!({ "when": { "status": 403, "header": { "X": "*", "Y": ["0", "*"] }, "body": { "/a": 1, "/b": "*" } }, "verdict": "throttled" });
        let when = read(json).unwrap().when;
        assert_eq!(when.status, [StatusMatch::Code(403)]);
        assert_eq!(when.header, [("X".into(), None), ("Y".into(), Some(vec!["0".into(), "*".into()]))]);
        assert_eq!(when.body[0].1, Some(vec![Value::from(1)]));
        assert_eq!(when.body[1].1, None);
    }

    #[test]
    fn a_failure_has_a_name_and_a_condition_a_meaning() {
        let json = serde_json::json!({ "when": {}, "verdict": "fail" });
        assert_eq!(read(json).unwrap_err(), [("/when".into(), code::MISSING)]);
        let json = serde_json::json!({ "when": { "status": 400 }, "verdict": "fail" });
        assert_eq!(read(json).unwrap_err(), [("/code".into(), code::MISSING)]);
    }
}
