//! A scenario without what only its own clock, or virtual time, can promise.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::facts::OF_THE_CONNECTION;
use crate::scenario::{Call, Case};

/// As it holds in virtual time whatever our clock says: signatures have other bytes.
pub fn other_clock(case: &Case) -> Case {
    let mut case = case.clone();
    let signing = signing_headers(&case);
    for request in case.scenario.requests.iter_mut().flatten() {
        request.scheme = None;
        request.headers.retain(|name, _| !signing.contains(&name.to_ascii_lowercase()));
    }
    case
}

/// As it holds in real time, for a host whose worker tells what a caller of a package sees.
/// Times are judged elsewhere, against the rehearsal.
pub fn real_time(case: &Case) -> Case {
    let mut case = other_clock(case);
    (case.scenario.health, case.scenario.elapsed_ms) = (None, None);
    for request in case.scenario.requests.iter_mut().flatten() {
        (request.at_ms, request.at_ms_between, request.authority, request.signed) = (None, None, None, false);
        request.headers.retain(|name, _| !OF_THE_CONNECTION.contains(&name.to_ascii_lowercase().as_str()));
    }
    for call in &mut case.scenario.calls {
        relax_call(call);
    }
    case
}

/// Headers that hold a signature or its timestamp, in lower case.
pub fn signing_headers(case: &Case) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for opening in &case.openings {
        let profile = serde_json::from_str::<Value>(&opening.profile).unwrap_or_default();
        let headers = profile.pointer("/signing/headers").and_then(Value::as_object);
        names.extend(headers.into_iter().flat_map(|headers| headers.keys()).map(|name| name.to_ascii_lowercase()));
    }
    names
}

fn relax_call(call: &mut Call) {
    let (page, walk) = (call.page.is_some(), call.walk.is_some());
    let Some(expect) = &mut call.expect else { return };
    // The workers' pages carry no headers, and a walk carries its pages' items alone.
    if page || walk {
        expect.shift_remove("headers");
    }
    if walk {
        expect.shift_remove("journal");
    }
    if let Some(journal) = expect.get_mut("journal") {
        relax_journal(journal);
    }
    without_retry_after(expect);
    if let Some(Value::Object(failure)) = expect.get_mut("failure") {
        without_retry_after(failure);
        // A number in a message is a time.
        let is_time = |says: &Value| says.as_str().is_some_and(|text| text.bytes().all(|b| b.is_ascii_digit()));
        match failure.get_mut("says") {
            Some(Value::Array(parts)) => parts.retain(|part| !is_time(part)),
            Some(says) if is_time(says) => drop(failure.shift_remove("says")),
            _ => {}
        }
    }
}

/// A number is judged against the rehearsal; that there must be none holds in real time, too.
fn without_retry_after(expect: &mut Map<String, Value>) {
    if expect.get("retry_after_ms").is_some_and(Value::is_number) {
        expect.shift_remove("retry_after_ms");
    }
}

/// Without times, and without the words in which one host tells a fault of the connection.
fn relax_journal(value: &mut Value) {
    match value {
        Value::Object(members) => {
            let broke = members.contains_key("phase");
            let time = |name: &str| name == "ms" || name.ends_with("_ms");
            members.retain(|name, member| !(time(name) || broke && name == "code") || member.is_null());
            members.values_mut().for_each(relax_journal);
        }
        Value::Array(list) => list.iter_mut().for_each(relax_journal),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::scenario::parse;

    #[test]
    fn times_go_and_all_else_stays() {
        let text = r#"{ "scenario": 1, "about": "x", "elapsed_ms": 5,
            "calls": [{ "send": {}, "expect": { "verdict": "ok", "retry_after_ms": 5,
                "journal": { "attempts": [{ "at_ms": 0, "status": 200, "signed_at_ms": null },
                    { "phase": "maybe-sent", "code": "connection-terminated" }] },
                "failure": { "code": "c", "says": ["5000", "due"], "retry_after_ms": null } } }],
            "requests": [{ "at_ms": 0, "method": "GET", "headers": { "x-signature": "t=1", "A": "b" } }] }"#;
        let case = real_time(&parse(text, Path::new("/nowhere")).unwrap().remove(0));
        let expect = Value::Object(case.scenario.calls[0].expect.clone().unwrap()).to_string();
        assert_eq!(
            expect,
            r#"{"verdict":"ok","journal":{"attempts":[{"status":200,"signed_at_ms":null},{"phase":"maybe-sent"}]},"failure":{"code":"c","says":["due"],"retry_after_ms":null}}"#
        );
        let request = &case.scenario.requests.unwrap()[0];
        assert_eq!((request.at_ms, request.method.as_deref()), (None, Some("GET")));
        assert_eq!(request.headers.keys().collect::<Vec<_>>(), ["A"]);
    }
}
