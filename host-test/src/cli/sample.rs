//! Credentials for a profile whose real ones are none of our business.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::scenario::{TEST_SECRET, default_credentials};

/// Valid as text, as hex and as base64.
const KEY: &str = "0123456789abcdef0123456789abcdef";

/// A value for every credential that the profile names, such that it can be opened.
pub fn credentials(profile: &str, overrides: Option<&str>) -> BTreeMap<String, String> {
    let mut credentials = default_credentials(profile, overrides);
    for text in [Some(profile), overrides].into_iter().flatten() {
        let Ok(profile) = serde_json::from_str::<Value>(text) else { continue };
        let Some(key) = profile.pointer("/signing/key") else { continue };
        let prefix = key.get("strip_prefix").and_then(Value::as_str).unwrap_or_default();
        let decodes = key.get("decode").is_some_and(|decode| decode != "utf8");
        let value = format!("{prefix}{}", if decodes { KEY } else { TEST_SECRET });
        for name in key.get("credentials").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
            credentials.insert(name.to_owned(), value.clone());
        }
    }
    credentials
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_can_be_decoded() {
        let profile = r#"{ "headers": { "A": "{credential:token}" },
            "signing": { "key": { "credentials": ["k"], "decode": "base64", "strip_prefix": "whsec_" } } }"#;
        let credentials = credentials(profile, None);
        assert_eq!(credentials["k"], format!("whsec_{KEY}"));
        assert_eq!(credentials["token"], TEST_SECRET);
    }
}
