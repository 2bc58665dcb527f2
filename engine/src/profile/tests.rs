//! Whole profiles: what is read, and what is told about those that are wrong.

use super::*;
use proptest::prelude::*;
use serde_json::json;

fn read(profile: &Value) -> Result<Profile, Vec<Problem>> {
    Profile::read(&profile.to_string(), None)
}

/// Pointers and codes of all problems.
fn problems(profile: &Value) -> Vec<(String, &'static str)> {
    read(profile).unwrap_err().into_iter().map(|problem| (problem.pointer, problem.code)).collect()
}

/// One setting of a valid profile changed, by merge patch.
fn with(patch: Value) -> Value {
    let mut profile = json!({
        "profile": 1, "supplier": "acme", "base_url": "https://api.acme.example/v2",
        "signing": {
            "string_to_sign": ["{timestamp}", ".", "{body}"], "algorithm": "hmac-sha256",
            "key": { "credentials": ["signing-secret"] }, "headers": { "X-Signature": "t={timestamp},{signatures}" }
        }
    });
    merge::merge(&mut profile, patch);
    profile
}

fn one(patch: Value, pointer: &str, code: &str) {
    assert_eq!(problems(&with(patch.clone())), [(pointer.to_owned(), code)], "{patch}");
}

#[test]
fn every_default() {
    let profile = read(&json!({ "profile": 1, "supplier": "a", "base_url": "https://a.test" })).unwrap();
    assert_eq!((profile.supplier.as_str(), profile.account.as_str()), ("a", "default"));
    assert_eq!(profile.request_id, ["x-request-id", "request-id", "x-correlation-id"]);
    assert!(!profile.budget.shared && profile.budget.store_failure == StoreFailure::Local);
    let Policy { retry, caps, cost, pool, .. } = &*profile.policy;
    assert_eq!((retry.max_attempts, retry.base_delay_ms, retry.max_delay_ms), (4, 500, 5000));
    assert_eq!((retry.max_server_wait_ms, retry.deadline_ms, retry.attempt_timeout_ms), (60_000, 120_000, 30_000));
    assert_eq!((retry.jitter, retry.long_wait, retry.reset_margin_ms), (0.25, LongWait::Fail, 0));
    assert_eq!(retry.statuses, [429, 502, 503, 504].map(StatusMatch::Code));
    assert_eq!(retry.never, [501, 505, 506, 508, 510, 511].map(StatusMatch::Code));
    assert_eq!(retry.refused_by.len(), 2);
    assert_eq!(retry.refused_by[1].header, [("Retry-After".to_owned(), None)]);
    assert!(matches!(&retry.server_wait[..], [WaitSource { from: Source::Header(name), .. }] if name == "Retry-After"));
    assert_eq!((caps.request_body_bytes, caps.body_bytes), (16_777_216, 8_388_608));
    assert_eq!((caps.error_body_bytes, caps.header_bytes), (65_536, 65_536));
    assert_eq!((*cost, pool), (1, &None));
}

#[test]
fn the_documented_example() {
    let profile = read(&json!({
        "$schema": "x", "notes": ["any", "thing"],
        "profile": 1,
        "supplier": "acme-freight", "account": "main",
        "base_url": "https://api.acme-freight.example/v2",
        "headers": { "User-Agent": "acme-shop/1.0", "Authorization": "Bearer {credential:token}" },
        "signing": {
            "string_to_sign": ["{timestamp}", ".", "{body}"],
            "algorithm": "hmac-sha256",
            "key": { "credentials": ["signing-secret"], "decode": "utf8" },
            "tolerance_s": 300, "clock": "ours",
            "headers": { "X-Signature": "t={timestamp},{signatures}" },
            "signatures": { "each": "v1={signature}", "join": "," }
        },
        "limits": [{ "reader": "fields", "name": "requests", "pool": "default", "limit": "X-RateLimit-Limit",
                     "remaining": "X-RateLimit-Remaining", "reset": "X-RateLimit-Reset", "reset_unit": "epoch-s" }],
        "caps": { "request_body_bytes": 16777216, "body_bytes": 8388608, "error_body_bytes": 65536, "header_bytes": 65536 },
        "retry": { "max_attempts": 4, "statuses": [429, 502, 503, 504], "never": [501, 505, 506, 508, 510, 511],
                   "refused_by": [{ "status": 429 }, { "status": 503, "header": { "Retry-After": "*" } }],
                   "server_wait": [{ "header": "Retry-After" }], "base_delay_ms": 500, "max_delay_ms": 5000, "jitter": 0.25,
                   "max_server_wait_ms": 60000, "long_wait": "fail", "reset_margin_ms": 0, "deadline_ms": 120000, "attempt_timeout_ms": 30000 },
        "rules": [{ "when": { "status": 429, "body": { "/error/code": ["insufficient_quota"] } }, "verdict": "fail", "code": "quota-exhausted" },
                  { "when": { "status": 403, "header": { "X-RateLimit-Remaining": ["0"] } }, "verdict": "throttled" },
                  { "when": { "status": 403, "body_contains": "secondary rate limit" }, "verdict": "throttled", "min_wait_ms": 60000 }],
        "idempotency": { "header": "Idempotency-Key", "replays_errors": false },
        "pages": { "items": "/data", "cursor": { "body": "/meta/next_cursor" }, "send_as": { "query": "cursor" }, "more": "/meta/has_more",
                   "empty_is_end": true, "allow_repeated_cursor": false, "max_pages": 10000 },
        "operations": { "list-events": { "pages": { "items": "/events" } } }
    }))
    .unwrap();
    let names = profile.credential_names();
    let expected = [("token", "/headers/Authorization"), ("signing-secret", "/signing/key/credentials/0")];
    assert_eq!(names, expected.map(|(name, pointer)| (name.to_owned(), pointer.to_owned())));
    let events = profile.operation("list-events").unwrap().pages.as_ref().unwrap();
    assert_eq!(events.items.to_string(), "/events");
    assert!(matches!(&events.cursor, Cursor::Body(pointer) if pointer.to_string() == "/meta/next_cursor"));
    assert!(profile.operation("other").is_none());
    for (name, owned) in [
        ("user-agent", true),
        ("AUTHORIZATION", true),
        ("x-signature", true),
        ("idempotency-key", true),
        ("accept", false),
    ] {
        assert_eq!(profile.owns_header(&profile.policy, name), owned, "{name}");
    }
}

#[test]
fn ten_mistakes_are_ten_problems() {
    let found = problems(&json!({
        "suplier": "acme",
        "base_url": "https://u:CANARY@api.acme.example",
        "headers": { "Host": "x", "X-Key": "{credential:}" },
        "signing": { "string_to_sign": ["{timestmp}"], "algorithm": "ed25519", "headers": {} },
        "retry": { "max_attempts": 0, "jitter": "0.5" },
        "limits": [{ "reader": "kvlist" }],
        "operations": { "a": { "retry": { "deadline_ms": 0 } } }
    }));
    let expected = [
        ("/suplier", code::UNKNOWN_KEY),
        ("/profile", code::MISSING),
        ("/supplier", code::MISSING),
        ("/headers/Host", code::INVALID_VALUE),
        ("/headers/X-Key", code::INVALID_VALUE),
        ("/signing/string_to_sign/0", code::INVALID_VALUE),
        ("/signing/algorithm", code::UNSUPPORTED),
        ("/limits/0/reader", code::UNSUPPORTED),
        ("/base_url", code::INVALID_VALUE),
        ("/retry/max_attempts", code::OUT_OF_RANGE),
        ("/retry/jitter", code::WRONG_TYPE),
        ("/operations/a/retry/deadline_ms", code::OUT_OF_RANGE),
    ];
    assert_eq!(found, expected.map(|(pointer, code)| (pointer.to_owned(), code)));
}

#[test]
fn messages_say_what_to_write() {
    let message = |patch: Value| read(&with(patch)).unwrap_err().remove(0).message;
    assert_eq!(message(json!({ "retry": { "max_attempt": 3 } })), "unknown key; did you mean \"max_attempts\"?");
    assert_eq!(
        message(json!({ "retry": { "long_wait": "clmp" } })),
        "did you mean \"clamp\"? Write \"fail\" or \"clamp\""
    );
    assert_eq!(message(json!({ "retry": { "jitter": 2 } })), "write a number from 0 to 1");
    assert_eq!(message(json!({ "account": 7 })), "found a number; write a string");
    assert_eq!(message(json!({ "profile": 2 })), "this version of the component reads profiles of format 1 alone");
    let unsupported = message(json!({ "signing": { "algorithm": "rsa-pss-sha512" } }));
    assert!(unsupported.starts_with("\"rsa\" cannot be had in this version; write \"hmac-sha1\""), "{unsupported}");
}

#[test]
fn what_this_version_lacks_is_said_by_name() {
    // B33 and the list of design decisions
    for algorithm in ["rsa-v1_5-sha256", "rsa-pss-sha512", "ecdsa-p256-sha256", "ed25519", "jws"] {
        one(json!({ "signing": { "algorithm": algorithm } }), "/signing/algorithm", code::UNSUPPORTED);
    }
    for preset in ["aws-sigv4", "rfc9421", "oauth1", "azure-sharedkey"] {
        one(json!({ "signing": { "preset": preset } }), "/signing/preset", code::UNSUPPORTED);
    }
    for reader in ["kvlist", "named-window", "rate-only", "token-bucket", "body-cost", "concurrency"] {
        one(json!({ "limits": [{ "reader": reader, "name": 1 }] }), "/limits/0/reader", code::UNSUPPORTED);
    }
    let auto = json!({ "limits": [{ "reader": "fields", "remaining": "X", "reset": "Y", "reset_unit": "auto" }] });
    one(auto, "/limits/0/reset_unit", code::UNSUPPORTED);
    one(json!({ "circuit_breaker": {} }), "/circuit_breaker", code::UNSUPPORTED);
}

#[test]
fn no_attempt_outlives_its_signature() {
    // B58
    let pointer = "/retry/attempt_timeout_ms";
    one(json!({ "retry": { "attempt_timeout_ms": 600000 } }), pointer, code::OUT_OF_RANGE);
    one(json!({ "retry": { "attempt_timeout_ms": 300000 } }), pointer, code::OUT_OF_RANGE);
    one(json!({ "signing": { "tolerance_s": 30 } }), pointer, code::OUT_OF_RANGE);
    assert!(read(&with(json!({ "retry": { "attempt_timeout_ms": 299999 } }))).is_ok());
    let untimed = json!({ "string_to_sign": ["{body}"], "headers": { "X-Signature": "{signature}" } });
    assert!(read(&with(json!({ "signing": untimed, "retry": { "attempt_timeout_ms": 600000 } }))).is_ok());
    let operation = json!({ "operations": { "slow": { "retry": { "attempt_timeout_ms": 300000 } } } });
    one(operation, "/operations/slow/retry/attempt_timeout_ms", code::OUT_OF_RANGE);
}

#[test]
fn zero_is_no_number_of_attempts_and_no_timeout() {
    // B88, B138
    for key in ["max_attempts", "deadline_ms", "attempt_timeout_ms"] {
        one(json!({ "retry": { key: 0 } }), &format!("/retry/{key}"), code::OUT_OF_RANGE);
        let operation = json!({ "operations": { "a": { "retry": { key: 0 } } } });
        one(operation, &format!("/operations/a/retry/{key}"), code::OUT_OF_RANGE);
    }
    assert_eq!(
        read(&with(json!({ "retry": { "max_server_wait_ms": 0 } }))).unwrap().policy.retry.max_server_wait_ms,
        0
    );
}

#[test]
fn base_urls_that_cannot_be_right() {
    // B125 (i), B148
    for url in [
        "https://u:CANARY@api.acme.example",
        "https://api.acme.example/?key=CANARY",
        "https://api.acme.example/#CANARY",
        "https://api acme.example/CANARY",
        "ftp://api.acme.example/CANARY",
        "https://api.acme.example:99999/CANARY",
        "http://api.acme.example/CANARY",
        "CANARY",
        "",
    ] {
        let problems = read(&with(json!({ "base_url": url }))).unwrap_err();
        assert_eq!(problems.len(), 1, "{url}");
        assert_eq!((problems[0].pointer.as_str(), problems[0].code), ("/base_url", code::INVALID_VALUE));
        assert!(!problems[0].message.contains("CANARY") && !problems[0].message.is_empty());
    }
    assert!(read(&with(json!({ "base_url": "http://127.0.0.1:8080" }))).is_ok());
    assert!(read(&with(json!({ "base_url": "http://api.acme.example", "allow_http": true }))).is_ok());
}

#[test]
fn headers_are_set_once() {
    one(json!({ "headers": { "x-signature": "a" } }), "/signing/headers/X-Signature", code::CONFLICT);
    one(json!({ "headers": { "X-A": "a", "x-a": "b" } }), "/headers/x-a", code::CONFLICT);
    one(json!({ "signing": { "prepare": { "X-SIGNATURE": "a" } } }), "/signing/headers/X-Signature", code::CONFLICT);
    one(json!({ "idempotency": { "header": "x-signature" } }), "/idempotency/header", code::CONFLICT);
    let own = json!({ "operations": { "a": { "idempotency": { "header": "x-signature" } } } });
    one(own, "/operations/a/idempotency/header", code::CONFLICT);
    for name in ["Content-Length", "host", "TE", "X Y", ""] {
        one(json!({ "headers": { name: "a" } }), &format!("/headers/{name}"), code::INVALID_VALUE);
    }
    for value in ["a\nb", " a", "a ", "{credential:k}\r"] {
        one(json!({ "headers": { "X": value } }), "/headers/X", code::INVALID_VALUE);
    }
}

#[test]
fn settings_that_contradict_each_other() {
    one(json!({ "retry": { "base_delay_ms": 6000 } }), "/retry/base_delay_ms", code::CONFLICT);
    one(json!({ "retry": { "statuses": [503, 501] } }), "/retry/statuses/1", code::CONFLICT);
    one(json!({ "retry": { "statuses": ["5xx"], "never": ["5xx"] } }), "/retry/statuses/0", code::CONFLICT);
    one(json!({ "signing": { "algorithm": "sha256" } }), "/signing/key", code::CONFLICT);
    one(json!({ "signing": { "key": null } }), "/signing/key", code::MISSING);
    one(json!({ "signing": { "headers": { "X-Signature": "t={timestamp}" } } }), "/signing", code::MISSING);
    let window = json!({ "reader": "static", "limit": 1, "window_s": 1 });
    one(json!({ "limits": [window, window] }), "/limits/1/name", code::CONFLICT);
    let rule = json!([{ "when": { "status": 401 }, "verdict": "resync-clock" }]);
    one(json!({ "signing": null, "rules": rule }), "/rules/0/verdict", code::CONFLICT);
    assert!(read(&with(json!({ "rules": rule }))).is_ok());
}

#[test]
fn operations_inherit_and_change() {
    let mut profile = with(json!({ "retry": { "max_attempts": 2 }, "idempotency": { "header": "Idempotency-Key" } }));
    // Not by a merge patch, which would take the null out.
    profile["operations"] = json!({
        "notes": "not an operation",
        "label": { "retry": { "deadline_ms": 5 }, "idempotency": null, "pool": "labels", "cost": 3 },
        "plain": {}
    });
    let profile = read(&profile).unwrap();
    let label = profile.operation("label").unwrap();
    assert_eq!((label.retry.max_attempts, label.retry.deadline_ms), (2, 5));
    assert_eq!((label.pool.as_deref(), label.cost), (Some("labels"), 3));
    assert!(label.idempotency.is_none() && profile.policy.idempotency.is_some());
    assert!(profile.operation("plain").unwrap().idempotency.is_some());
    assert_eq!(profile.operations.len(), 2);
    assert!(!profile.owns_header(label, "idempotency-key") && profile.owns_header(&profile.policy, "idempotency-key"));
}

#[test]
fn an_inherited_problem_is_told_once() {
    let patch = json!({ "retry": { "max_attempts": 0 }, "operations": { "a": { "retry": { "jitter": 0 } }, "b": { "headers": {} } } });
    let expected = [("/retry/max_attempts", code::OUT_OF_RANGE), ("/operations/b/headers", code::UNKNOWN_KEY)];
    assert_eq!(problems(&with(patch)), expected.map(|(pointer, code)| (pointer.to_owned(), code)));
}

#[test]
fn overrides_are_merged_before_reading() {
    let base = with(json!({ "operations": { "a": {} } })).to_string();
    let read = |overrides: &str| Profile::read(&base, Some(overrides));
    let profile = read(r#"{ "base_url": "http://localhost:8080/x", "signing": null, "account": "test" }"#).unwrap();
    assert!(profile.signing.is_none() && !profile.base_url.https && profile.account == "test");
    let codes = |overrides| read(overrides).unwrap_err().into_iter().map(|p| (p.pointer, p.code)).collect::<Vec<_>>();
    assert_eq!(codes("{"), [(String::new(), code::INVALID_JSON)]);
    assert_eq!(codes("[]"), [(String::new(), code::WRONG_TYPE)]);
    assert_eq!(codes(r#"{ "supplier": null }"#), [("/supplier".to_owned(), code::MISSING)]);
}

/// A JSON value of any shape.
fn any_json() -> impl Strategy<Value = Value> {
    let keys = prop_oneof![
        Just("profile"),
        Just("supplier"),
        Just("base_url"),
        Just("headers"),
        Just("signing"),
        Just("retry"),
        Just("rules"),
        Just("pages"),
        Just("operations"),
        Just("limits"),
        Just("reader"),
        Just("when"),
        Just("status"),
        Just("cursor"),
        Just("string_to_sign"),
        Just("digest"),
        Just("of"),
        Just("key"),
        Just("x"),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,8}".prop_map(Value::from),
        Just(Value::from("fields")),
        Just(Value::from("{body}")),
    ];
    leaf.prop_recursive(4, 64, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((keys.clone(), inner), 0..8)
                .prop_map(|entries| entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Value>()),
        ]
    })
}

proptest! {
    #[test]
    fn reading_is_total(value in any_json(), patch in any_json()) {
        for (profile, overrides) in [(value.to_string(), None), (with(value.clone()).to_string(), Some(patch.to_string()))] {
            if let Err(problems) = Profile::read(&profile, overrides.as_deref()) {
                prop_assert!(!problems.is_empty());
                prop_assert!(problems.iter().all(|p| code::ALL.contains(&p.code) && !p.message.is_empty()));
                prop_assert!(problems.iter().all(|p| Pointer::parse(&p.pointer).is_ok()));
            }
        }
    }

    #[test]
    fn any_text_is_read(text in "\\PC{0,40}") {
        prop_assert!(Profile::read(&text, None).is_err());
    }
}
