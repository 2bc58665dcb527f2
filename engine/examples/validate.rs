//! Checks what components handed out against the schemas that are checked in:
//!
//!     supplier-test run --documents FILE
//!     cargo run --release -p supplier-engine --example validate -- FILE
//!
//! Prints how many documents of each schema were valid. Fails on one that is not, and on a
//! schema of which there was none.
#![allow(clippy::disallowed_macros, reason = "a program for people, not the engine")]

use jsonschema::{Retrieve, Uri, Validator};
use serde_json::Value;
use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;

/// All that are no file of an author: those, `open` and `run` read themselves.
const SCHEMAS: [&str; 4] = ["detail", "health", "journal", "request"];

/// Stands for the folder; nothing is fetched.
const BASE: &str = "schemas:///";

/// So many are shown.
const MOST_SHOWN: usize = 20;

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let file = std::env::args().nth(1).ok_or("name the file that `supplier-test run --documents` wrote")?;
    let options = jsonschema::options().with_base_uri(BASE).with_retriever(Folder);
    let mut validators = BTreeMap::new();
    for name in SCHEMAS {
        validators.insert(name, options.build(&read(&format!("{name}.schema.json"))?)?);
    }
    let mut counts = BTreeMap::from(SCHEMAS.map(|name| (name, 0_usize)));
    let mut wrong = 0;
    for line in fs::read_to_string(&file)?.lines() {
        let line: Value = serde_json::from_str(line)?;
        let schema = line["schema"].as_str().ok_or("a line without a schema")?;
        let validator = validators.get(schema).ok_or_else(|| format!("no schema is called {schema}"))?;
        if let Some(count) = counts.get_mut(schema) {
            *count += 1;
        }
        if let Err(message) = check(validator, &line["document"]) {
            wrong += 1;
            if wrong <= MOST_SHOWN {
                println!("{schema}: {}: {message}\n    {}", line["scenario"], line["document"]);
            }
        }
    }
    for (schema, count) in &counts {
        println!("{schema:<8} {count:>6} documents");
    }
    match counts.iter().find(|(_, count)| **count == 0) {
        _ if wrong > 0 => Err(format!("{wrong} documents break their schema").into()),
        Some((schema, _)) => Err(format!("there was no document of the schema {schema}").into()),
        None => Ok(()),
    }
}

/// The schemas refer to each other by the names of their files.
struct Folder;

impl Retrieve for Folder {
    fn retrieve(&self, uri: &Uri<String>) -> Result<Value, Box<dyn Error + Send + Sync>> {
        let file = uri.as_str().strip_prefix(BASE).ok_or_else(|| format!("{uri} is none of ours"))?;
        read(file)
    }
}

fn read(file: &str) -> Result<Value, Box<dyn Error + Send + Sync>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../schemas").join(file);
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(serde_json::from_str(&text)?)
}

fn check(validator: &Validator, document: &Value) -> Result<(), String> {
    validator.validate(document).map_err(|error| format!("{} at `{}`", error, error.instance_path()))
}
