//! What no single value can be judged by: settings that must agree with each other.
//!
//! These work on the JSON and read only what they need from it, so that a mistake in one
//! section hides none in another.

use super::kinds::list;
use super::object::object_of;
use super::read::{At, Field, Keys, Kind, Problems, code, default};
use super::retry::{NEVER, Retry};
use super::rules::{Rule, RuleVerdict, rule};
use super::signing::Signing;
use crate::uri::BaseUrl;
use serde_json::{Map, Value};

type Object = Map<String, Value>;

/// Scheme, host, port and path. The message never repeats the text: it may hold a password.
pub fn base_url(top: &Object, problems: &mut Problems) -> Option<BaseUrl> {
    let text = top.get("base_url")?.as_str()?;
    let allow_http = top.get("allow_http") == Some(&Value::Bool(true));
    match BaseUrl::parse(text, allow_http) {
        Ok(base_url) => Some(base_url),
        Err(message) => {
            problems.add(&At::ROOT.key("base_url"), code::INVALID_VALUE, message);
            None
        }
    }
}

/// Headers are compared without case: none may be set twice.
pub fn headers(top: &Object, problems: &mut Problems) {
    let mut seen: Vec<String> = Vec::new();
    each_header(top, &mut |section, name| {
        let lower = name.to_ascii_lowercase();
        if seen.contains(&lower) {
            let message = "this header is set twice; names of headers are compared without case";
            problems.add_at(format!("{section}/{}", escaped(name)), code::CONFLICT, message);
        }
        seen.push(lower);
    });
}

/// Every header that is set whatever the operation, with the pointer of its section.
fn each_header(top: &Object, visit: &mut dyn FnMut(&str, &str)) {
    let signing = top.get("signing");
    let sections = [
        ("/headers", top.get("headers")),
        ("/signing/prepare", signing.and_then(|s| s.get("prepare"))),
        ("/signing/headers", signing.and_then(|s| s.get("headers"))),
    ];
    for (pointer, section) in sections {
        for name in section.and_then(Value::as_object).into_iter().flat_map(Map::keys) {
            if name != "$schema" && name != "notes" {
                visit(pointer, name);
            }
        }
    }
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Two readers of one window would overwrite each other's numbers.
pub fn limits(top: &Object, problems: &mut Problems) {
    let Some(Value::Array(limits)) = top.get("limits") else { return };
    let mut seen: Vec<(&str, &str)> = Vec::new();
    let root = At::ROOT;
    let at = root.key("limits");
    for (index, limit) in limits.iter().enumerate() {
        let text = |key, otherwise| limit.get(key).and_then(Value::as_str).unwrap_or(otherwise);
        if text("reader", "ietf") == "ietf" {
            continue;
        }
        let window = (text("pool", "default"), text("name", "requests"));
        if seen.contains(&window) {
            let message = "another reader of this pool has a window of this name; choose another name";
            problems.add(&at.index(index).key("name"), code::CONFLICT, message);
        }
        seen.push(window);
    }
}

/// The signing section, if it can be read.
pub fn signing(top: &Object, problems: &mut Problems) -> Option<Signing> {
    let root = At::ROOT;
    let at = root.key("signing");
    let signing = object_of::<Signing>().read(top.get("signing")?, &at, &mut Problems::default())?;
    match (&signing.key, signing.algorithm.has_key()) {
        (None, true) => problems.add(&at.key("key"), code::MISSING, "an HMAC needs a key; name its credentials"),
        (Some(_), false) => {
            let message = "a digest has no key: remove it, and write {credential:name} into string_to_sign";
            problems.add(&at.key("key"), code::CONFLICT, message);
        }
        _ => {}
    }
    if !signing.places_signature() {
        let message =
            "nothing sends the signature: write {signature} or {signatures} into headers, query, form or body_fields";
        problems.add(&at, code::MISSING, message);
    }
    Some(signing)
}

/// What one policy must agree with: itself, the profile's headers and its signature.
pub fn policy(keys: &Keys, top: &Object, signing: Option<&Signing>, problems: &mut Problems) {
    let scratch = &mut Problems::default();
    if let Some(retry) = default("{}", object_of::<Retry>()).take("retry", keys, scratch) {
        let at = keys.at.key("retry");
        delays(&retry, &at, problems);
        both_lists(keys, &at, problems);
        if let Some(signing) = signing.filter(|signing| signing.uses_timestamp()) {
            tolerance(&retry, signing, &at, problems);
        }
    }
    if let Some(rules) = default("[]", list(rule())).take("rules", keys, scratch) {
        resync(&rules, signing, &keys.at.key("rules"), problems);
    }
    own_headers(keys, top, problems);
}

fn delays(retry: &Retry, at: &At, problems: &mut Problems) {
    if retry.base_delay_ms > retry.max_delay_ms {
        let message = format!("above max_delay_ms, which is {}; lower this or raise that", retry.max_delay_ms);
        problems.add(&at.key("base_delay_ms"), code::CONFLICT, message);
    }
}

/// Between a number and a class the number wins; between equals nothing can decide.
fn both_lists(keys: &Keys, at: &At, problems: &mut Problems) {
    let entries = |key: &str| keys.map.get("retry").and_then(|retry| retry.get(key)).and_then(Value::as_array);
    let standard: Vec<Value> = serde_json::from_str(NEVER).unwrap_or_default();
    let never = entries("never").unwrap_or(&standard);
    for (index, status) in entries("statuses").into_iter().flatten().enumerate() {
        if never.contains(status) {
            let message = "in \"never\" too, so that nothing decides between the two; remove it from one list";
            problems.add(&at.key("statuses").index(index), code::CONFLICT, message);
        }
    }
}

/// B58: an attempt that may take longer than its signature lasts arrives stale.
fn tolerance(retry: &Retry, signing: &Signing, at: &At, problems: &mut Problems) {
    let tolerance_ms = u64::from(signing.tolerance_s).saturating_mul(1000);
    if u64::from(retry.attempt_timeout_ms) >= tolerance_ms {
        let message = format!(
            "the signature would be too old before the attempt ends: write less than {tolerance_ms}, or raise /signing/tolerance_s if the supplier allows it"
        );
        problems.add(&at.key("attempt_timeout_ms"), code::OUT_OF_RANGE, message);
    }
}

fn resync(rules: &[Rule], signing: Option<&Signing>, at: &At, problems: &mut Problems) {
    if signing.is_some_and(Signing::uses_timestamp) {
        return;
    }
    for (index, rule) in rules.iter().enumerate() {
        if rule.verdict == RuleVerdict::ResyncClock {
            let message = "no time is signed, so that another clock changes nothing; remove the rule";
            problems.add(&at.index(index).key("verdict"), code::CONFLICT, message);
        }
    }
}

/// The headers of the idempotency key and the cursor stand beside the profile's.
fn own_headers(keys: &Keys, top: &Object, problems: &mut Problems) {
    let mut taken: Vec<String> = Vec::new();
    each_header(top, &mut |_, name| taken.push(name.to_ascii_lowercase()));
    let idempotency = keys.map.get("idempotency").and_then(|section| section.get("header"));
    let cursor = keys.map.get("pages").and_then(|pages| pages.get("send_as")).and_then(|to| to.get("header"));
    let (pages, section) = (keys.at.key("pages"), keys.at.key("idempotency"));
    for (at, header) in [(section.key("header"), idempotency), (pages.key("send_as").key("header"), cursor)] {
        let Some(name) = header.and_then(Value::as_str) else { continue };
        let lower = name.to_ascii_lowercase();
        if taken.contains(&lower) {
            problems.add(&at, code::CONFLICT, "the profile sets this header otherwise, too; choose another one");
        }
        taken.push(lower);
    }
}
