//! The sections that an operation can change.

use super::check;
use super::idempotency::{Idempotency, idempotency};
use super::kinds::{int, list};
use super::merge::merge;
use super::names::{is_label, name};
use super::object::object;
use super::pages::{Pages, pages};
use super::read::{At, Keys, Kind, Problems, code, default, optional};
use super::retry::Retry;
use super::rules::{Rule, rule};
use super::signing::Signing;
use super::sizes::Caps;
use crate::Problem;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

object! {
    /// What can be said for one operation otherwise than for all.
    pub struct Policy {
        /// When a request is sent again.
        pub retry: Retry = default("{}", super::object::object_of());
        /// What responses mean; the first rule that matches decides.
        pub rules: Vec<Rule> = default("[]", list(rule()));
        /// Where an idempotency key goes.
        pub idempotency: Option<Idempotency> = optional(idempotency());
        /// How lists are read.
        pub pages: Option<Pages> = optional(pages());
        /// How much may be sent and read.
        pub caps: Caps = default("{}", super::object::object_of());
        /// The pool that this operation spends from.
        pub pool: Option<String> = optional(name());
        /// How much of it one request spends.
        pub cost: u32 = default("1", int(0, 1_000_000));
    }
}

/// The keys of a policy that may stand at the top level.
const SECTIONS: [&str; 5] = ["retry", "rules", "idempotency", "pages", "caps"];

/// The top level as a policy.
pub fn top_level(top: &Map<String, Value>, signing: Option<&Signing>, problems: &mut Problems) -> Option<Policy> {
    read(&patched(top, &Value::Object(Map::new())), &At::ROOT, top, signing, problems)
}

/// Reads every operation as the top level's sections with the operation's patch applied.
///
/// What an operation inherits has been judged at the top level: the same problem is not
/// told again.
pub fn operations(
    top: &Map<String, Value>,
    signing: Option<&Signing>,
    problems: &mut Problems,
) -> BTreeMap<String, Arc<Policy>> {
    let mut read_so_far = BTreeMap::new();
    let at = At::ROOT.key("operations");
    let Some(operations) = top.get("operations") else { return read_so_far };
    let Value::Object(operations) = operations else {
        problems.wrong_type(&at, operations, "an object");
        return read_so_far;
    };
    for (name, patch) in operations {
        if name == "$schema" || name == "notes" {
            continue;
        }
        let at = at.key(name);
        if !is_label(name) {
            let message = "call an operation by 1 to 64 letters, digits, \".\", \"_\" and \"-\"";
            problems.add(&at, code::INVALID_VALUE, message);
        }
        if !patch.is_object() {
            problems.wrong_type(&at, patch, "an object");
            continue;
        }
        let mut found = Problems::default();
        let policy = read(&patched(top, patch), &at, top, signing, &mut found);
        add_new(&at.pointer(), found, problems);
        if let Some(policy) = policy {
            read_so_far.insert(name.clone(), Arc::new(policy));
        }
    }
    read_so_far
}

fn read(
    document: &Value,
    at: &At,
    top: &Map<String, Value>,
    signing: Option<&Signing>,
    problems: &mut Problems,
) -> Option<Policy> {
    let policy = super::object::object_of::<Policy>().read(document, at, problems);
    if let Value::Object(map) = document {
        check::policy(&Keys { map, at }, top, signing, problems);
    }
    policy
}

/// An operation's document: inherited sections, merged with its own.
fn patched(top: &Map<String, Value>, patch: &Value) -> Value {
    let inherited = SECTIONS.iter().filter_map(|key| Some(((*key).to_owned(), top.get(*key)?.clone())));
    let mut document = Value::Object(inherited.collect());
    merge(&mut document, patch.clone());
    document
}

/// Adds the problems of an operation that the top level does not have.
fn add_new(operation: &str, found: Problems, problems: &mut Problems) {
    let inherited = |problem: &Problem, all: &[Problem]| {
        let below = problem.pointer.strip_prefix(operation);
        below.is_some_and(|below| all.iter().any(|p| p.pointer == below && p.code == problem.code))
    };
    for problem in found.0 {
        if !inherited(&problem, &problems.0) {
            problems.0.push(problem);
        }
    }
}
