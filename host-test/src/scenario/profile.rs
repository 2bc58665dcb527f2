//! Which profile a supplier is opened with, and with which credentials.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{SupplierSpec, TEST_SECRET, merge};

/// The profile that scenarios use by default, and `supplier-test drill`.
pub const ACME: &str = include_str!("../../../scenarios/profiles/acme.json");

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a name, a path that ends in .json, or a profile in place")]
pub enum ProfileRef {
    Named(String),
    InPlace(Map<String, Value>),
}

/// What `open` is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    pub name: String,
    pub profile: String,
    pub overrides: Option<String>,
    pub credentials: Vec<(String, String)>,
}

impl Opening {
    /// Resolves a supplier of a scenario that stands in `folder`.
    pub fn resolve(name: &str, spec: &SupplierSpec, folder: &Path) -> Result<Opening, String> {
        let acme = ProfileRef::Named("acme".to_owned());
        let mut profile = match spec.profile.as_ref().unwrap_or(&acme) {
            ProfileRef::Named(name) => find(name, folder)?,
            ProfileRef::InPlace(members) => Value::Object(members.clone()).to_string(),
        };
        if let Some(patch) = &spec.patch {
            let mut value = serde_json::from_str(&profile).map_err(|error| format!("profile: {error}"))?;
            merge(&mut value, patch);
            profile = value.to_string();
        }
        let overrides = spec.overrides.as_ref().map(|overrides| match overrides {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        });
        let credentials = match &spec.credentials {
            Some(given) => given.clone(),
            None => default_credentials(&profile, overrides.as_deref()),
        };
        Ok(Opening { name: name.to_owned(), profile, overrides, credentials: credentials.into_iter().collect() })
    }
}

/// A path stands relative to the scenario; a name is looked for in `profiles` beside the
/// scenario and above it.
fn find(name: &str, folder: &Path) -> Result<String, String> {
    if name.ends_with(".json") {
        return read(&folder.join(name));
    }
    let file = format!("{name}.json");
    let places = folder.ancestors().flat_map(|above| [above.join("profiles"), above.join("scenarios/profiles")]);
    match places.map(|place| place.join(&file)).find(|path| path.is_file()) {
        Some(path) => read(&path),
        None if name == "acme" => Ok(ACME.to_owned()),
        None => Err(format!("profile: there is no profiles/{file} beside the scenario or above it")),
    }
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("profile: {}: {error}", path.display()))
}

/// Every credential that the profile names, with the value of tests. A profile that is no
/// JSON names none.
pub fn default_credentials(profile: &str, overrides: Option<&str>) -> BTreeMap<String, String> {
    let mut names = BTreeSet::new();
    for text in [Some(profile), overrides].into_iter().flatten() {
        if let Ok(value) = serde_json::from_str(text) {
            collect(&value, &mut names);
        }
    }
    names.into_iter().map(|name| (name, TEST_SECRET.to_owned())).collect()
}

fn collect(value: &Value, names: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => collect_from_template(text, names),
        Value::Array(list) => list.iter().for_each(|item| collect(item, names)),
        Value::Object(members) => {
            for (key, member) in members {
                match member {
                    Value::Array(list) if key == "credentials" => {
                        names.extend(list.iter().filter_map(Value::as_str).map(str::to_owned));
                    }
                    _ if key == "notes" => {}
                    other => collect(other, names),
                }
            }
        }
        _ => {}
    }
}

/// `{credential:NAME}`, `{credential:NAME|base64}`, `{basic:USER:PASSWORD}`.
fn collect_from_template(text: &str, names: &mut BTreeSet<String>) {
    for slot in text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(slot, _)| slot) {
        if let Some(name) = slot.strip_prefix("credential:") {
            names.insert(name.split('|').next().unwrap_or(name).to_owned());
        } else if let Some(pair) = slot.strip_prefix("basic:") {
            names.extend(pair.split(':').map(str::to_owned));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_every_credential() {
        let profile = r#"{ "headers": { "A": "Bearer {credential:token} {credential:id|base64}" },
            "query": { "k": "{basic:user:password}" }, "notes": "{credential:none}",
            "signing": { "key": { "credentials": ["new", "old"] }, "headers": { "X": "{timestamp}" } } }"#;
        let names = default_credentials(profile, Some(r#"{ "headers": { "B": "{credential:more}" } }"#));
        let names = names.keys().map(String::as_str).collect::<Vec<_>>();
        assert_eq!(names, ["id", "more", "new", "old", "password", "token", "user"]);
    }

    #[test]
    fn acme_is_always_there() {
        let opening = Opening::resolve("main", &SupplierSpec::default(), Path::new("/nowhere")).unwrap();
        assert_eq!(opening.profile, ACME);
        assert_eq!(opening.credentials, [("signing-secret".to_owned(), "test_secret_a".to_owned())]);
    }

    #[test]
    fn a_patch_changes_only_what_it_names() {
        let patch = serde_json::from_str(r#"{ "retry": { "max_attempts": 2 }, "pages": null }"#).unwrap();
        let spec = SupplierSpec { patch: Some(patch), ..SupplierSpec::default() };
        let opening = Opening::resolve("main", &spec, Path::new("/nowhere")).unwrap();
        let profile: Value = serde_json::from_str(&opening.profile).unwrap();
        assert_eq!(profile["retry"]["max_attempts"], 2);
        assert_eq!(profile["retry"]["base_delay_ms"], 500);
        assert!(profile.get("pages").is_none());
    }
}
