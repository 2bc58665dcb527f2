//! One scenario of a file, staged: as it reads where the supplier stands on a loopback port.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, anyhow};
use serde_json::{Map, Value};

use super::choose::Left;
use crate::scenario::{self, Case};

/// What is needed to write the scenario again for any port.
#[derive(Clone, Debug)]
pub struct Source {
    /// `retry/429.json [2 status=502]`
    pub name: String,
    /// As the file has it.
    pub case: Case,
    text: Arc<str>,
    folder: PathBuf,
    /// Which of `each`.
    index: usize,
    /// `None` where `open` must fail: then nothing is sent, and nothing rewritten.
    base: Option<Base>,
}

/// `base_url` in its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Base {
    scheme: String,
    authority: String,
    /// Empty, or with its slash.
    path: String,
}

impl Source {
    /// Every scenario of a file, or why one cannot be staged.
    pub fn read(file: &Path, root: &Path) -> Result<Vec<(String, Result<Source, Left>)>> {
        let cases = scenario::read(file)?;
        let text: Arc<str> = std::fs::read_to_string(file).with_context(|| file.display().to_string())?.into();
        let folder = file.parent().unwrap_or(Path::new("")).canonicalize()?;
        let short = file.strip_prefix(root).unwrap_or(file).with_extension("").display().to_string();
        let staged = cases.into_iter().enumerate().map(|(index, case)| {
            let label = case.label.as_ref().map(|label| format!(" [{label}]")).unwrap_or_default();
            let name = format!("{short}{label}");
            let source =
                Source { name: name.clone(), case, text: text.clone(), folder: folder.clone(), index, base: None };
            (name, source.based())
        });
        Ok(staged.collect())
    }

    /// The scenario with the supplier at `authority` (`127.0.0.1:PORT`), over plain HTTP.
    pub fn at(&self, authority: &str) -> Result<Case> {
        let Some(base) = &self.base else { return Ok(self.case.clone()) };
        let origin = format!("{}://{}", base.scheme, base.authority);
        let text = self.text.replace(&origin, &format!("http://{authority}")).replace(&base.authority, authority);
        let mut cases = scenario::parse(&text, &self.folder).map_err(|message| anyhow!("{}: {message}", self.name))?;
        let mut case = cases.swap_remove(self.index);
        let opening = case.openings.first_mut().context("a scenario without a supplier")?;
        let mut overrides: Map<String, Value> = match &opening.overrides {
            Some(text) => serde_json::from_str(text)?,
            None => Map::new(),
        };
        overrides.insert("base_url".into(), format!("http://{authority}{}", base.path).into());
        opening.overrides = Some(Value::Object(overrides).to_string());
        Ok(case)
    }

    fn based(mut self) -> Result<Source, Left> {
        if self.case.scenario.problems.is_some() {
            return Ok(self);
        }
        let [opening] = self.case.openings.as_slice() else { return Err(Left::Several) };
        let read = |text: &str| serde_json::from_str::<Value>(text).ok();
        let overridden = opening.overrides.as_deref().and_then(read);
        let profile = read(&opening.profile);
        let url = [&overridden, &profile].into_iter().flatten().find_map(|text| text.get("base_url")?.as_str());
        let base = url.and_then(Base::parse).ok_or(Left::Origin)?;
        if !only_as_written(&self.text, &base.authority) {
            return Err(Left::Origin);
        }
        self.base = Some(base);
        Ok(self)
    }
}

impl Base {
    fn parse(url: &str) -> Option<Base> {
        let (scheme, rest) = url.split_once("://")?;
        let (authority, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
        let plain =
            !authority.is_empty() && authority.bytes().all(|b| b.is_ascii_alphanumeric() || b".-:".contains(&b));
        plain.then(|| Base {
            scheme: scheme.into(),
            authority: authority.into(),
            path: path.trim_end_matches('/').into(),
        })
    }
}

/// Whether every mention of the authority is the authority: not part of a longer name, not with
/// another port, user or case of letters, which mean something that a loopback port cannot.
fn only_as_written(text: &str, authority: &str) -> bool {
    let (lower, wanted) = (text.to_ascii_lowercase(), authority.to_ascii_lowercase());
    let name = |c: char| c.is_ascii_alphanumeric() || ".-@:%".contains(c);
    lower.match_indices(&wanted).all(|(at, _)| {
        let end = at + wanted.len();
        let (before, after) = (lower[..at].chars().next_back(), lower[end..].chars().next());
        text[at..end] == *authority && !before.is_some_and(name) && !after.is_some_and(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_base_url() {
        let base = |url| Base::parse(url).map(|b| format!("{}|{}|{}", b.scheme, b.authority, b.path));
        assert_eq!(base("https://api.supplier.test/v2/").as_deref(), Some("https|api.supplier.test|/v2"));
        assert_eq!(base("https://api.supplier.test:8443").as_deref(), Some("https|api.supplier.test:8443|"));
        assert_eq!(base("api.supplier.test"), None);
    }

    #[test]
    fn a_name_within_another_is_not_rewritten() {
        let plain = |text| only_as_written(text, "api.test");
        assert!(plain(r#""https://api.test/v2?x", "api.test", "<https://api.test>; rel=next""#));
        for other in [
            "https://API.test/",
            "https://api.test:443/",
            "https://u@api.test/",
            "https://x.api.test/",
            "api.test.evil",
        ] {
            assert!(!plain(other), "{other}");
        }
    }

    #[test]
    fn a_staged_scenario_names_the_loopback_port_everywhere() {
        let folder = std::env::temp_dir().join(format!("supplier-test-source-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("one.json");
        let text = r#"{ "scenario": 1, "about": "x", "overrides": { "account": "b" }, "calls": [{ "walk": {} }],
            "script": [{ "status": 200, "headers": { "Link": "<https://api.supplier.test/v2/b>; rel=\"next\"" } }] }"#;
        std::fs::write(&file, text).unwrap();
        let (name, source) = Source::read(&file, &folder).unwrap().remove(0);
        let case = source.unwrap().at("127.0.0.1:9").unwrap();
        assert_eq!(name, "one");
        assert_eq!(
            case.openings[0].overrides.as_deref(),
            Some(r#"{"account":"b","base_url":"http://127.0.0.1:9/v2"}"#)
        );
        let link = case.scenario.script[0].headers.0[0].1.lines().unwrap().remove(0);
        assert_eq!(String::from_utf8(link).unwrap(), r#"<http://127.0.0.1:9/v2/b>; rel="next""#);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
