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
}
