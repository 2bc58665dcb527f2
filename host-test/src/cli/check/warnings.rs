//! What is allowed in a profile and deserves a second look all the same.

use serde_json::Value;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Where in the profile, with its overrides applied.
    pub pointer: String,
    pub message: String,
}

/// Of a profile that can be opened.
pub fn warnings(profile: &Value) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let mut warn = |pointer: String, message: &str| warnings.push(Warning { pointer, message: message.to_owned() });
    if profile.get("idempotency").is_none() {
        warn(
            "/idempotency".to_owned(),
            "not configured: a POST or PATCH whose answer is lost is never repeated, and ends as `unknown-outcome`",
        );
    }
    if profile.get("limits").and_then(Value::as_array).is_none_or(Vec::is_empty) {
        warn("/limits".to_owned(), "no reader: requests are not paced, only slowed down by refusals");
    }
    if profile.get("allow_http") == Some(&Value::Bool(true)) {
        warn("/allow_http".to_owned(), "credentials cross the network unencrypted");
    }
    let rules = profile.get("rules").and_then(Value::as_array).into_iter().flatten().enumerate();
    for (index, rule) in rules {
        let verdict = rule.get("verdict").and_then(Value::as_str);
        if verdict == Some("throttled") {
            unproven(format!("/rules/{index}"), rule.get("when").unwrap_or(&Value::Null), &mut warn);
        }
        if verdict != Some("fail") && rule.get("code").is_some() {
            warn(
                format!("/rules/{index}/code"),
                "shown nowhere: only the verdict \"fail\" ends a call under a name of yours",
            );
        }
    }
    let operations = profile.get("operations").and_then(Value::as_object);
    let operations = operations.into_iter().flatten().map(|(name, settings)| (format!("/operations/{name}"), settings));
    for (pointer, settings) in std::iter::once((String::new(), profile)).chain(operations) {
        retry(&pointer, settings, profile, &mut warn);
    }
    warnings
}

fn retry(pointer: &str, settings: &Value, profile: &Value, warn: &mut impl FnMut(String, &str)) {
    let Some(retry) = settings.get("retry") else { return };
    // An operation's settings stand over those of the profile.
    let number = |key: &str, default: f64| {
        let given = retry.get(key).or_else(|| profile.get("retry")?.get(key));
        given.and_then(Value::as_f64).unwrap_or(default)
    };
    let statuses = retry.get("statuses").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    for (index, status) in statuses.iter().enumerate() {
        if *status == 500 || *status == "5xx" {
            warn(
                format!("{pointer}/retry/statuses/{index}"),
                "a 500 is mostly a fault that comes again: repeating it costs time and hides the fault",
            );
        }
        if *status == 400 || *status == 401 || *status == "4xx" {
            warn(format!("{pointer}/retry/statuses/{index}"), "the same request is refused again");
        }
    }
    let refused_by = retry.get("refused_by").and_then(Value::as_array).into_iter().flatten().enumerate();
    for (index, when) in refused_by {
        unproven(format!("{pointer}/retry/refused_by/{index}"), when, warn);
    }
    let deadline = number("deadline_ms", 120_000.0);
    if number("max_server_wait_ms", 60_000.0) > deadline {
        warn(format!("{pointer}/retry/max_server_wait_ms"), "longer than `deadline_ms`, which ends the call first");
    }
    if number("attempt_timeout_ms", 30_000.0) > deadline {
        warn(format!("{pointer}/retry/attempt_timeout_ms"), "longer than `deadline_ms`, which ends the call first");
    }
    if number("jitter", 0.25) == 0.0 {
        warn(format!("{pointer}/retry/jitter"), "none: clients that were refused together come back together");
    }
    if number("max_attempts", 4.0) > 10.0 {
        warn(format!("{pointer}/retry/max_attempts"), "so many attempts make an outage of the supplier worse");
    }
}

/// A refusal by nothing but its status, where that status is no proof: what it stands for is
/// repeated even for a POST without a key.
fn unproven(pointer: String, when: &Value, warn: &mut impl FnMut(String, &str)) {
    let told = |key: &str| when.get(key).is_some();
    let statuses = match when.get("status") {
        Some(Value::Array(several)) => several.as_slice(),
        Some(one) => std::slice::from_ref(one),
        None => &[],
    };
    let doubtful = |status: &Value| *status == 408 || *status == "5xx" || status.as_u64().is_some_and(|n| n >= 500);
    if statuses.iter().any(doubtful) && !told("header") && !told("body") && !told("body_contains") {
        warn(
            pointer,
            "a POST or PATCH without an idempotency key is repeated after this answer, though the supplier may have \
             carried it out: name a header or a body that only a refusal has",
        );
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pointers(profile: Value) -> Vec<String> {
        warnings(&profile).into_iter().map(|warning| warning.pointer).collect()
    }

    #[test]
    fn a_sound_profile_has_none() {
        let acme: Value = serde_json::from_str(crate::scenario::ACME).unwrap();
        assert_eq!(warnings(&acme), []);
    }

    #[test]
    fn each_has_its_place() {
        let profile = json!({
            "idempotency": {}, "limits": [{}], "allow_http": true,
            "retry": { "statuses": [429, 500, "4xx"], "jitter": 0, "deadline_ms": 20000 },
            "operations": { "slow": { "retry": { "max_server_wait_ms": 30000, "max_attempts": 11, "jitter": 1,
                                                 "attempt_timeout_ms": 1 } } }
        });
        assert_eq!(
            pointers(profile),
            [
                "/allow_http",
                "/retry/statuses/1",
                "/retry/statuses/2",
                "/retry/max_server_wait_ms",
                "/retry/attempt_timeout_ms",
                "/retry/jitter",
                "/operations/slow/retry/max_server_wait_ms",
                "/operations/slow/retry/max_attempts"
            ]
        );
        assert_eq!(pointers(json!({})), ["/idempotency", "/limits"]);
    }

    #[test]
    fn a_refusal_needs_a_proof() {
        let profile = json!({
            "idempotency": {}, "limits": [{}],
            "retry": { "refused_by": [{ "status": 429 }, { "status": 503, "header": { "Retry-After": "*" } },
                                      { "status": [429, 502] }, { "status": "5xx" }] },
            "rules": [{ "when": { "status": 403 }, "verdict": "throttled" },
                      { "when": { "status": 503 }, "verdict": "retry" },
                      { "when": { "status": 408 }, "verdict": "throttled", "code": "late" },
                      { "when": { "status": 409 }, "verdict": "fail", "code": "conflict" },
                      { "when": { "status": 503, "body": { "/code": [7] } }, "verdict": "throttled" }]
        });
        assert_eq!(pointers(profile), ["/rules/2", "/rules/2/code", "/retry/refused_by/2", "/retry/refused_by/3"]);
    }
}
