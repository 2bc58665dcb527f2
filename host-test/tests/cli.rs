//! The command, as people and CI use it.

use std::process::{Command, Output};

use serde_json::Value;

fn supplier_test(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_supplier-test"))
        .args(arguments)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .output()
        .expect("the command that cargo has just built")
}

fn text(arguments: &[&str]) -> String {
    let output = supplier_test(arguments);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {error}{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8(output.stdout).expect("what is printed is text")
}

fn json(arguments: &[&str]) -> Value {
    let printed = text(&[arguments, &["--json"]].concat());
    serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{error}: {printed}"))
}

fn header<'a>(request: &'a Value, name: &str) -> Option<&'a str> {
    let lines = request["headers"].as_array()?;
    let line = lines.iter().find(|line| line[0].as_str().is_some_and(|n| n.eq_ignore_ascii_case(name)))?;
    line[1].as_str()
}

#[test]
fn a_429_with_a_reset_is_waited_for_once() {
    let drill = json(&["drill", "--respond", "429", "--reset", "+5s"]);
    assert_eq!(drill["requests"].as_array().map(Vec::len), Some(2));
    assert_eq!(drill["waits_ms"], serde_json::json!([5000]));
    assert_eq!(drill["elapsed_ms"], 5000);
    assert_eq!(drill["verdict"], "ok");
    let requests = &drill["requests"];
    assert_ne!(header(&requests[0], "x-signature"), header(&requests[1], "x-signature"));
    assert!(header(&requests[1], "x-signature").is_some_and(|value| value.starts_with("t=1772452805,")));
}

#[test]
fn the_timeline_shows_the_wait_and_why() {
    let text = text(&["drill", "--respond", "429", "--reset", "+5s"]);
    for part in [
        "drill: 429 with a reset 5.000 s away",
        "#1 GET  signed 12:00:00Z  -> 429 in 0 ms",
        "waits 5.000 s: reset",
        "#2 GET  signed 12:00:05Z  -> 200 in 0 ms",
        "ok after 5.000 s: 2 requests, 1 wait of 5.000 s, verdict ok",
    ] {
        assert!(text.contains(part), "no `{part}` in:\n{text}");
    }
    assert!(!text.contains('\x1b'), "colour belongs on a terminal");
}

#[test]
fn a_401_is_never_repeated() {
    let drill = json(&["drill", "--respond", "401"]);
    assert_eq!(drill["requests"].as_array().map(Vec::len), Some(1));
    assert_eq!((&drill["verdict"], &drill["status"]), (&"rejected".into(), &401.into()));
}

#[test]
fn a_write_that_may_have_happened_is_not_repeated() {
    let drill = json(&["drill", "--respond", "503", "--method", "POST"]);
    assert_eq!(drill["requests"].as_array().map(Vec::len), Some(1));
    assert_eq!(drill["failure"]["kind"], "unknown-outcome");
}

#[test]
fn a_write_with_a_key_is_repeated_with_the_same_key_and_a_new_signature() {
    let drill = json(&["drill", "--respond", "503", "--retry-after", "2", "--method", "POST", "--key", "order-4711"]);
    let requests = &drill["requests"];
    assert_eq!(requests.as_array().map(Vec::len), Some(2));
    for index in 0..2 {
        assert_eq!(header(&requests[index], "idempotency-key"), Some("order-4711"));
    }
    assert_ne!(header(&requests[0], "x-signature"), header(&requests[1], "x-signature"));
    assert_eq!((&drill["verdict"], &drill["waits_ms"]), (&"ok".into(), &serde_json::json!([2000])));

    // Without a word from the supplier the back-off is too short to be seen in whole seconds,
    // but the second attempt is signed anew all the same.
    let drill = json(&["drill", "--respond", "503", "--method", "POST", "--key", "order-4711"]);
    let attempts = &drill["journal"]["attempts"];
    assert_ne!(attempts[0]["signed_at_ms"], attempts[1]["signed_at_ms"]);
}

#[test]
fn a_profile_that_is_sound_is_explained() {
    let text = text(&["check", "scenarios/profiles/acme.json", "--request", "POST", "/orders"]);
    for part in ["no problems", "attempt 2  after a wait of 0.500 s", "string to sign\n  1772452800."] {
        assert!(text.contains(part), "no `{part}` in:\n{text}");
    }
}

/// A file in a folder of this run's own.
fn written(name: &str, text: &str) -> String {
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, text).expect("cargo has made the folder");
    file.to_str().expect("the names below are text").to_owned()
}

#[test]
fn what_deserves_a_second_look_is_a_warning() {
    let patch = r#"{ "idempotency": null, "retry": { "statuses": [429, 500], "refused_by": [{ "status": 502 }] } }"#;
    let patch = written("doubtful.json", patch);
    let check = ["check", "scenarios/profiles/acme.json", "--overrides", &patch];
    let checked = json(&check);
    assert_eq!(checked["problems"], serde_json::json!([]));
    let warnings: Vec<_> = checked["warnings"].as_array().into_iter().flatten().map(|one| &one["pointer"]).collect();
    assert_eq!(warnings, ["/idempotency", "/retry/statuses/1", "/retry/refused_by/0"]);
    let shown = text(&check);
    assert!(shown.contains("warning /retry/refused_by/0  a POST or PATCH without an idempotency key is repeated"));
}

/// B58: not only a warning.
#[test]
fn an_attempt_longer_than_its_signature_is_a_problem() {
    let patch = written("stale.json", r#"{ "retry": { "attempt_timeout_ms": 300000 } }"#);
    let output = supplier_test(&["check", "scenarios/profiles/acme.json", "--overrides", &patch]);
    assert_eq!(output.status.code(), Some(1));
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(shown.contains("1 problem") && shown.contains("/retry/attempt_timeout_ms"), "{shown}");
}

/// B01: dates are GMT for a process in any time zone.
#[test]
fn the_hosts_time_zone_changes_nothing() {
    for zone in ["America/New_York", "Asia/Kolkata", "EST5EDT"] {
        let file = "scenarios/retry-after/b01-http-date-is-gmt.json";
        let output = Command::new(env!("CARGO_BIN_EXE_supplier-test"))
            .args(["run", file])
            .env("TZ", zone)
            .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
            .output()
            .expect("the command that cargo has just built");
        assert!(String::from_utf8_lossy(&output.stdout).contains("2 passed, 0 failed"), "{zone}");
    }
}

#[test]
fn what_passes_and_what_is_no_scenario_stand_in_the_report() {
    let junit = written("both.xml", "");
    let good = "scenarios/retry-after/b01-http-date-is-gmt.json";
    let none = written("none.json", r#"{ "scenario": 1, "about": "No calls." }"#);
    assert_eq!(supplier_test(&["run", good, "--junit", &junit]).status.code(), Some(0));
    let xml = std::fs::read_to_string(&junit).expect("it was asked for");
    assert!(xml.contains("tests=\"2\" failures=\"0\" errors=\"0\""), "{xml}");
    assert_eq!(supplier_test(&["run", good, &none, "--junit", &junit]).status.code(), Some(2));
    let xml = std::fs::read_to_string(&junit).expect("it was asked for");
    assert!(xml.contains("tests=\"3\" failures=\"0\" errors=\"1\"") && xml.contains("none.json: calls:"), "{xml}");
}

#[test]
fn a_scenario_that_differs_is_shown_with_its_timeline() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("differs");
    std::fs::create_dir_all(&folder).expect("cargo made the folder above");
    let (file, junit) = (folder.join("<a>.json"), folder.join("junit.xml"));
    let scenario = r#"{ "scenario": 1, "about": "A wrong expectation.", "only": "client",
        "calls": [{ "send": {}, "expect": { "status": 404 } }],
        "script": [{ "status": 503, "headers": { "Retry-After": "7" } }, { "status": 200 }],
        "requests": [{}, { "at_ms": 5000 }] }"#;
    std::fs::write(&file, scenario).expect("the folder has just been made");
    let file = file.to_str().expect("the name above is text");
    let output = supplier_test(&["run", file, "--junit", junit.to_str().expect("as the file beside it")]);
    assert_eq!(output.status.code(), Some(1));
    let shown = String::from_utf8_lossy(&output.stdout);
    for part in [
        "A wrong expectation.",
        "waits 7.000 s: retry-after",
        "calls[0].expect.status  expected 404",
        "got      200",
        "requests[1].at_ms       expected 5000",
        "got      7000",
        "0 passed, 1 failed\n",
    ] {
        assert!(shown.contains(part), "no `{part}` in:\n{shown}");
    }
    let xml = std::fs::read_to_string(junit).expect("it was asked for");
    assert!(xml.contains("failures=\"1\"") && xml.contains("&lt;a&gt;.json (client)"), "{xml}");
}

/// The difference that explains the others comes first, and what was expected is shown as it is
/// written.
#[test]
fn a_request_beyond_the_script_is_said_before_what_follows_from_it() {
    let scenario = r#"{ "scenario": 1, "about": "One entry too few.", "only": "engine",
        "calls": [{ "send": {}, "expect": { "status": 200 } }],
        "script": [{ "status": 503 }],
        "requests": [{ "body": "a" }, { "body": { "repeat": "b", "times": 2 } }],
        "elapsed_ms": [3, 5] }"#;
    let output = supplier_test(&["run", &written("short.json", scenario)]);
    assert_eq!(output.status.code(), Some(1));
    let shown = String::from_utf8_lossy(&output.stdout);
    let place = |part: &str| shown.find(part).unwrap_or_else(|| panic!("no `{part}` in:\n{shown}"));
    assert!(place("an entry for each request; it has 1") < place("calls[0].expect"), "{shown}");
    assert!(shown.contains("2 requests, and the test host denied what it had no answer for"), "{shown}");
    assert!(place("expected \"a\"") < place("expected \"bb\""), "{shown}");
    assert!(shown.contains("expected 3 to 5"), "{shown}");
}

/// Neither a pipe that nobody writes to nor a folder that leads back to itself is a scenario.
#[cfg(unix)]
#[test]
fn a_folder_stands_for_its_files() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("odd");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("cargo made the folder above");
    std::os::unix::fs::symlink(".", folder.join("loop")).expect("the folder is ours");
    let made = Command::new("mkfifo").arg(folder.join("pipe.json")).status().expect("every Unix has it");
    assert!(made.success());
    let good = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/retry-after/b01-http-date-is-gmt.json");
    std::fs::copy(good, folder.join("one.json")).expect("a scenario of ours");
    let output = supplier_test(&["run", folder.to_str().expect("the name above is text")]);
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(shown.contains("2 passed, 0 failed"), "{shown}{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_schedule_ends_where_the_call_does() {
    let patch = written(
        "short-call.json",
        r#"{ "retry": { "deadline_ms": 1000, "attempt_timeout_ms": 900, "max_attempts": 9 } }"#,
    );
    let shown = text(&["check", "scenarios/profiles/acme.json", "--overrides", &patch]);
    assert!(shown.contains("attempt 2  after a wait of 0.500 s"), "{shown}");
    assert!(shown.contains("attempt 3  never: the call's time is over before it"), "{shown}");
    assert!(!shown.contains("attempt 4"), "{shown}");
}

#[test]
fn what_is_wrong_has_an_exit_code() {
    assert_eq!(supplier_test(&["check", "no-such-file.json"]).status.code(), Some(2));
    assert_eq!(supplier_test(&["drill", "--respond", "tea"]).status.code(), Some(2));
    assert_eq!(supplier_test(&["drill"]).status.code(), Some(2));
    assert_eq!(supplier_test(&["run", "Cargo.toml"]).status.code(), Some(2));
}
