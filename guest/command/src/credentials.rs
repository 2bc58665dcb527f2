//! Credentials come from the environment and from nowhere else: an argument would stand in
//! the list of processes and in the shell's history.

use crate::stop::Stop;
use supplier_engine::profile::Profile;
use supplier_engine::{Credential, Problem};

const PREFIX: &str = "SUPPLIER_CREDENTIAL_";

/// A value for every credential that the profile names; every one that is missing is said.
pub fn from_environment(
    profile: &str,
    overrides: Option<&str>,
    environment: Vec<(String, String)>,
) -> Result<Vec<Credential>, Stop> {
    let profile = Profile::read(profile, overrides).map_err(|problems| Stop::problems(&problems))?;
    let mut credentials = Vec::new();
    let mut problems = Vec::new();
    for (name, pointer) in profile.credential_names() {
        let variable = variable(&name);
        match environment.iter().find(|(known, _)| *known == variable) {
            Some((_, value)) => credentials.push(Credential { name, value: value.clone() }),
            None => {
                let message = format!(
                    "the credential `{name}` is read from {variable}, which is not set; set it, and hand it on with `wasmtime run --env {variable}`"
                );
                problems.push(Problem { pointer, code: "missing", message });
            }
        }
    }
    if problems.is_empty() { Ok(credentials) } else { Err(Stop::problems(&problems)) }
}

/// Capitals, and an underscore for whatever is no letter or digit: `signing-secret` is
/// `SUPPLIER_CREDENTIAL_SIGNING_SECRET`.
fn variable(name: &str) -> String {
    let of_name = name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' });
    PREFIX.chars().chain(of_name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROFILE: &str = r#"{ "profile": 1, "supplier": "a", "base_url": "https://a.example",
        "headers": { "X-Key": "{credential:api-key.2}", "Authorization": "Bearer {credential:token}" } }"#;

    #[test]
    fn every_missing_variable_is_named() {
        let Err(Stop::Failed { code: 2, lines }) = from_environment(PROFILE, None, Vec::new()) else { panic!() };
        let said = lines.join("\n");
        assert_eq!(lines.len(), 2, "{said}");
        assert!(said.contains("SUPPLIER_CREDENTIAL_API_KEY_2") && said.contains("SUPPLIER_CREDENTIAL_TOKEN"), "{said}");
    }

    #[test]
    fn only_what_the_profile_names_is_taken() {
        let environment =
            ["SUPPLIER_CREDENTIAL_TOKEN", "SUPPLIER_CREDENTIAL_API_KEY_2", "SUPPLIER_CREDENTIAL_OTHER", "PATH"];
        let environment = environment.map(|name| (name.to_owned(), name.to_owned())).to_vec();
        let credentials = from_environment(PROFILE, None, environment).unwrap();
        let mut names: Vec<_> = credentials.into_iter().map(|credential| credential.name).collect();
        names.sort();
        assert_eq!(names, ["api-key.2", "token"]);
    }
}
