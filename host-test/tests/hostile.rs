//! What a broken or hostile supplier may send, too large to stand in a scenario file.

use serde_json::{Value, json};
use std::path::Path;
use supplier_test::judge::judge;
use supplier_test::play::{Components, play};
use supplier_test::scenario::{self, Component};

/// Plays it against both components. Every play also proves that no resource is left alive.
fn holds(scenario: &Value) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenarios");
    let components = Components::load(&Component::BOTH).expect("the components are built first: `cargo xtask build`");
    for case in scenario::parse(&scenario.to_string(), &folder).expect("it is written below") {
        for component in Component::BOTH {
            let report = play(&case, component, &components).expect("the components load");
            let differences = judge(&case, &report);
            assert!(differences.is_empty(), "{}: {differences:?}", component.name());
        }
    }
}

/// A first page, then `broken`, then the same position again: nothing is lost.
fn in_the_middle_of_a_walk(broken: &Value, failure: &Value) {
    let first = json!({ "status": 200, "body": { "json": { "items": [1], "next": "c1" } } });
    let last = json!({ "status": 200, "body": { "json": { "items": [2] } } });
    holds(&json!({
        "scenario": 1, "about": "Kept, failed, gone on.",
        "calls": [
            { "walk": { "target": "/items" }, "expect": { "items": [1], "ended": false, "failure": failure } },
            { "walk": { "target": "/items", "position": "next" }, "expect": { "items": [2], "ended": true } },
        ],
        "script": [first, broken, last],
        "requests": [{ "at_ms": 0 }, { "at_ms": 0, "target": "/v2/items?cursor=c1" },
                     { "at_ms": 0, "target": "/v2/items?cursor=c1" }],
    }));
}

fn bad(code: &str) -> Value {
    json!({ "kind": "bad-response", "code": code })
}

/// B129: many small headers weigh as much as a long one.
#[test]
fn forty_thousand_headers() {
    let broken = json!({ "status": 200, "headers": { "X-Many": vec!["a"; 40_000] }, "body": "{\"items\":[2]}" });
    in_the_middle_of_a_walk(&broken, &bad("response-too-large"));
}
