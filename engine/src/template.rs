//! Text with placeholders, parsed once when the profile is opened.
//!
//! `{{` and `}}` are literal braces. A placeholder may end in filters: `{credential:id|percent}`.

use crate::date::TimestampFormat;
use crate::profile::names::is_label;
use crate::profile::object::Choice;
use crate::profile::read::nearest;

/// A parsed text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    pub parts: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    Text(String),
    Slot(Slot, Vec<Filter>),
}

/// What a placeholder stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Slot {
    /// `{credential:name}`
    Credential(String),
    /// `{basic:user:password}`, of RFC 7617: both are names of credentials. `{basic:user:}`
    /// has an empty password.
    Basic {
        user: String,
        password: Option<String>,
    },
    /// `{timestamp}`, or `{timestamp:rfc1123}` in another format than `signing.timestamp`.
    Timestamp(Option<TimestampFormat>),
    Nonce,
    Method,
    /// As it is sent, without the query.
    Path,
    /// As it is sent, without the question mark.
    Query,
    PathAndQuery,
    /// Scheme, authority, path and query.
    Url,
    /// Host and, when it is not the scheme's own, port.
    Host,
    Body,
    /// Made with the first key.
    Signature,
    /// One for every key, as `signing.signatures` says.
    Signatures,
    /// Nothing if the request has none.
    IdempotencyKey,
    /// `{header:name}`: a header of the request, nothing if it has none.
    Header(String),
}

/// Applied to a placeholder's text, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filter {
    Lower,
    Upper,
    Percent,
    Base64,
}

/// Where a template stands decides what it may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Site {
    /// What is the same in every request.
    Static,
    /// What is signed.
    Signed,
    /// Headers that are set before signing.
    Prepared,
    /// What carries the signature.
    Placed,
    /// One of several signatures.
    Each,
}

use Site::{Each, Placed, Prepared, Signed, Static};

const SLOTS: [(&str, &[Site]); 15] = [
    ("credential", &[Static, Signed, Prepared, Placed]),
    ("basic", &[Static, Signed, Prepared, Placed]),
    ("timestamp", &[Signed, Prepared, Placed]),
    ("nonce", &[Signed, Prepared, Placed]),
    ("method", &[Signed]),
    ("path", &[Signed]),
    ("query", &[Signed]),
    ("path_and_query", &[Signed]),
    ("url", &[Signed]),
    ("host", &[Signed, Prepared]),
    ("body", &[Signed]),
    ("signature", &[Placed, Each]),
    ("signatures", &[Placed]),
    ("idempotency_key", &[Signed, Prepared, Placed]),
    ("header", &[Signed]),
];

impl Template {
    /// Every mistake of the text. None of the messages repeats it: it may hold a secret
    /// that somebody wrote here by mistake.
    pub fn parse(text: &str, site: Site) -> Result<Template, Vec<String>> {
        let mut parts = Vec::new();
        let mut literal = String::new();
        let mut mistakes = Vec::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            let (before, from) = rest.split_at(at);
            literal.push_str(before);
            if let Some(after) = from.strip_prefix("{{") {
                literal.push('{');
                rest = after;
            } else if let Some(after) = from.strip_prefix("}}") {
                literal.push('}');
                rest = after;
            } else if let Some((inner, after)) = from.strip_prefix('{').and_then(|inner| inner.split_once('}')) {
                if !literal.is_empty() {
                    parts.push(Piece::Text(std::mem::take(&mut literal)));
                }
                match slot(inner, site) {
                    Ok((slot, filters)) => parts.push(Piece::Slot(slot, filters)),
                    Err(message) => mistakes.push(format!("{message} ({})", place(text, from))),
                }
                rest = after;
            } else {
                let brace = if from.starts_with('{') { "{{" } else { "}}" };
                mistakes.push(format!(
                    "a brace without its partner; write {brace} for the character ({})",
                    place(text, from)
                ));
                return Err(mistakes);
            }
        }
        literal.push_str(rest);
        if !literal.is_empty() {
            parts.push(Piece::Text(literal));
        }
        if mistakes.is_empty() { Ok(Template { parts }) } else { Err(mistakes) }
    }

    pub fn slots(&self) -> impl Iterator<Item = &Slot> {
        self.parts.iter().filter_map(|piece| match piece {
            Piece::Slot(slot, _) => Some(slot),
            Piece::Text(_) => None,
        })
    }

    /// Whether it can only be filled once the signature is there.
    pub fn needs_signature(&self) -> bool {
        self.slots().any(|slot| matches!(slot, Slot::Signature | Slot::Signatures))
    }

    pub fn uses_timestamp(&self) -> bool {
        self.slots().any(|slot| matches!(slot, Slot::Timestamp(_)))
    }

    /// The literal text, with a letter where a placeholder stands: enough to judge whether
    /// it can be a header's value.
    pub fn skeleton(&self) -> String {
        let pieces = self.parts.iter().map(|piece| match piece {
            Piece::Text(text) => text.as_str(),
            Piece::Slot(..) => "x",
        });
        pieces.collect()
    }
}

/// Counts characters, from 1.
fn place(text: &str, rest: &str) -> String {
    let before = text.len().saturating_sub(rest.len());
    let character = text.char_indices().take_while(|(at, _)| *at < before).count() + 1;
    format!("character {character}")
}

/// The inside of one pair of braces.
fn slot(inner: &str, site: Site) -> Result<(Slot, Vec<Filter>), String> {
    let mut pieces = inner.split('|');
    let whole = pieces.next().unwrap_or_default();
    let (name, argument) = match whole.split_once(':') {
        Some((name, argument)) => (name, Some(argument)),
        None => (whole, None),
    };
    let Some((name, sites)) = SLOTS.iter().find(|(known, _)| *known == name) else {
        let near = nearest(name, SLOTS.iter().map(|(known, _)| *known));
        // What is that near to one of ours is a slip, and can be repeated.
        let what = near.map(|near| format!(" {{{name}}}; did you mean {{{near}}}?")).unwrap_or_else(|| ".".into());
        return Err(format!("unknown placeholder{what} Allowed here: {}", allowed(site)));
    };
    if !sites.contains(&site) {
        return Err(format!("{{{name}}} cannot stand here. Allowed here: {}", allowed(site)));
    }
    let slot = filled(name, argument)?;
    let filters = pieces.map(filter).collect::<Result<_, _>>()?;
    Ok((slot, filters))
}

fn filled(name: &str, argument: Option<&str>) -> Result<Slot, String> {
    let credential = |text: &str| match is_label(text) {
        true => Ok(text.to_owned()),
        false => Err("the name of a credential has 1 to 64 letters, digits, \".\", \"_\" and \"-\"".to_owned()),
    };
    let plain = match (name, argument) {
        ("credential", Some(argument)) => return Ok(Slot::Credential(credential(argument)?)),
        ("basic", Some(argument)) => {
            let Some((user, password)) = argument.split_once(':') else {
                return Err("write {basic:user:password}, with the names of two credentials".into());
            };
            let password = if password.is_empty() { None } else { Some(credential(password)?) };
            return Ok(Slot::Basic { user: credential(user)?, password });
        }
        ("timestamp", Some(argument)) => {
            let found = TimestampFormat::ALL.iter().find(|(known, _)| *known == argument);
            let Some((_, format)) = found else {
                let names: Vec<&str> = TimestampFormat::ALL.iter().map(|(known, _)| *known).collect();
                return Err(format!("a timestamp's format is one of {}", names.join(", ")));
            };
            return Ok(Slot::Timestamp(Some(*format)));
        }
        ("header", Some(argument)) if crate::field::is_name(argument) => return Ok(Slot::Header(argument.to_owned())),
        ("credential", None) => return Err("write {credential:name}".into()),
        ("basic", None) => return Err("write {basic:user:password}, with the names of two credentials".into()),
        ("header", _) => return Err("write {header:name}, with the name of a header".into()),
        ("timestamp", None) => Slot::Timestamp(None),
        ("nonce", None) => Slot::Nonce,
        ("method", None) => Slot::Method,
        ("path", None) => Slot::Path,
        ("query", None) => Slot::Query,
        ("path_and_query", None) => Slot::PathAndQuery,
        ("url", None) => Slot::Url,
        ("host", None) => Slot::Host,
        ("body", None) => Slot::Body,
        ("signature", None) => Slot::Signature,
        ("signatures", None) => Slot::Signatures,
        ("idempotency_key", None) => Slot::IdempotencyKey,
        (name, _) => return Err(format!("{{{name}}} takes nothing after a colon")),
    };
    Ok(plain)
}

fn filter(name: &str) -> Result<Filter, String> {
    match name {
        "lower" => Ok(Filter::Lower),
        "upper" => Ok(Filter::Upper),
        "percent" => Ok(Filter::Percent),
        "base64" => Ok(Filter::Base64),
        _ => Err("after \"|\" stands lower, upper, percent or base64".into()),
    }
}

/// What may stand at a site, as a reader would write it.
fn allowed(site: Site) -> String {
    let names = SLOTS.iter().filter(|(_, sites)| sites.contains(&site)).map(|(name, _)| match *name {
        "credential" => "{credential:name}".to_owned(),
        "basic" => "{basic:user:password}".to_owned(),
        "header" => "{header:name}".to_owned(),
        name => format!("{{{name}}}"),
    });
    names.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(text: &str) -> Piece {
        Piece::Text(text.into())
    }

    #[test]
    fn braces_and_placeholders() {
        let parsed = Template::parse("a{{b}}{timestamp}.{body}", Site::Signed).unwrap();
        let expected =
            [text("a{b}"), Piece::Slot(Slot::Timestamp(None), vec![]), text("."), Piece::Slot(Slot::Body, vec![])];
        assert_eq!(parsed.parts, expected);
        assert_eq!(Template::parse("", Site::Each).unwrap().parts, []);
    }

    #[test]
    fn arguments_and_filters() {
        let parsed = Template::parse("{credential:api-key|percent|lower}{basic:u:p}{basic:u:}", Site::Static).unwrap();
        let expected = [
            Piece::Slot(Slot::Credential("api-key".into()), vec![Filter::Percent, Filter::Lower]),
            Piece::Slot(Slot::Basic { user: "u".into(), password: Some("p".into()) }, vec![]),
            Piece::Slot(Slot::Basic { user: "u".into(), password: None }, vec![]),
        ];
        assert_eq!(parsed.parts, expected);
        let parsed = Template::parse("{timestamp:rfc1123}", Site::Prepared).unwrap();
        assert_eq!(parsed.parts, [Piece::Slot(Slot::Timestamp(Some(TimestampFormat::Rfc1123)), vec![])]);
    }

    #[test]
    fn every_mistake_is_found_and_no_text_repeated() {
        let mistakes = Template::parse("{CANARY} {body} {timestmp} {nonce|CANARY}", Site::Placed).unwrap_err();
        assert_eq!(mistakes.len(), 4);
        assert!(mistakes[0].contains("Allowed here: {credential:name}, {basic:user:password}, {timestamp}"));
        assert!(mistakes[1].starts_with("{body} cannot stand here"));
        assert!(mistakes[2].contains("did you mean {timestamp}?") && mistakes[2].ends_with("(character 17)"));
        assert!(!mistakes.concat().contains("CANARY"));
        for unfinished in ["{", "}", "a}b", "{timestamp"] {
            assert_eq!(Template::parse(unfinished, Site::Placed).unwrap_err().len(), 1, "{unfinished}");
        }
        for wrong in ["{credential}", "{credential:}", "{basic:a}", "{basic:a:b:c}", "{nonce:1}", "{timestamp:unix}"] {
            assert!(Template::parse(wrong, Site::Placed).is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn parsing_is_total(text in "[a-z{}|:é]{0,20}") {
            for site in [Site::Static, Site::Signed, Site::Prepared, Site::Placed, Site::Each] {
                let _ = Template::parse(&text, site);
            }
        }

        #[test]
        fn text_without_braces_is_itself(text in "[^{}]{1,20}") {
            prop_assert_eq!(Template::parse(&text, Site::Signed).unwrap().parts, [Piece::Text(text)]);
        }
    }
}
