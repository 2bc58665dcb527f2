//! The arguments, as `docs/command-line.md` lists them.

use crate::stop::Stop;
use crate::{files, output};
use lexopt::prelude::*;
use std::ffi::OsString;
use std::str::FromStr;
use supplier_engine::{Body, Headers, Ms, Request};

const USAGE: &str = "\
usage: wasmtime run -S http --dir . --env NAME... supplier.wasm VERB --profile FILE [OPTIONS]

  send METHOD TARGET     send one request; the response's body goes to standard output
  items TARGET           print a list as JSON lines, page by page
  check [METHOD TARGET]  check the profile and say what a request would do; sends nothing

  --profile FILE         the supplier's profile
  --overrides FILE       a JSON merge patch on it
  --operation NAME       an entry of the profile's `operations`
  --key KEY              idempotency key, from a stable identity of the work
  --query NAME=VALUE     a query pair, unencoded; may be given again
  --header 'NAME: VALUE' a header; may be given again
  --body TEXT            the body
  --body-file FILE       the body from a file, `-` for standard input
  --deadline-ms N        for each call, waits included
  --max-wait-ms N        the longest single wait; 0: never wait, say how long it would be
  --journal              every attempt and wait, one line of JSON a call, on standard error
  --include              send: status and headers before the body
  --method METHOD        items: another method than GET
  --position TEXT        items: where to begin
  --position-file FILE   items: begin where FILE says, and keep it up to date
  --limit N              items: stop after N items
  --pages N              items: stop after N pages
  --help, --version

The credential `signing-secret` is read from SUPPLIER_CREDENTIAL_SIGNING_SECRET, and so on.
Exit codes: 0 ok, 1 wasmtime could not run the command, 2 arguments, files, profile or credentials,
3 the supplier rejected it, 4 attempts spent on answers to try again, 5 what came cannot be written,
10 invalid, 11 denied, 12 throttled, 13 unavailable, 14 unknown-outcome, 15 bad-response,
16 cancelled, 17 internal.
";

pub enum Asked {
    For(Box<Args>),
    /// Help or the version.
    Text(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    Send,
    Items,
    Check,
}

#[derive(Debug)]
pub struct Args {
    pub verb: Verb,
    pub profile: String,
    pub overrides: Option<String>,
    pub include: bool,
    pub position: Option<String>,
    pub position_file: Option<String>,
    pub limit: Option<u64>,
    pub pages: Option<u64>,
    journal: bool,
    method: String,
    target: String,
    operation: Option<String>,
    key: Option<String>,
    query: Vec<(String, String)>,
    headers: Vec<(String, String)>,
    body: Option<Source>,
    deadline_ms: Option<u32>,
    max_wait_ms: Option<u32>,
}

#[derive(Debug)]
enum Source {
    Text(String),
    File(String),
}

impl Args {
    /// Reads the body, so it is asked for once.
    pub fn request(&self) -> Result<Request, Stop> {
        let body = match &self.body {
            None => Body::default(),
            Some(Source::Text(text)) => Body::Text(text.clone()),
            Some(Source::File(path)) if path == "-" => Body::from_bytes(output::stdin()?),
            Some(Source::File(path)) => Body::from_bytes(files::bytes(path)?),
        };
        Ok(Request {
            method: self.method.clone(),
            target: self.target.clone(),
            query: self.query.clone(),
            headers: Headers(self.headers.clone()),
            body,
            operation: self.operation.clone(),
            idempotency_key: self.key.clone(),
            deadline: self.deadline_ms.map(|ms| Ms(u64::from(ms))),
            max_wait: self.max_wait_ms.map(|ms| Ms(u64::from(ms))),
        })
    }

    /// The journal of one call, where it was asked for.
    pub fn record(&self, journal: &str) {
        if self.journal {
            output::stderr(&[journal, "\n"].concat());
        }
    }
}

/// Reads the command line; the first argument is the name of the program.
pub fn parse(arguments: Vec<String>) -> Result<Asked, Stop> {
    read(lexopt::Parser::from_iter(arguments)).map_err(|error| Stop::unusable(format!("{error}; see --help")))
}

fn read(mut parser: lexopt::Parser) -> Result<Asked, lexopt::Error> {
    let mut given = Given::default();
    while let Some(argument) = parser.next()? {
        let option = match argument {
            Long("help") | Short('h') => return Ok(Asked::Text(USAGE.to_owned())),
            Long("version") | Short('V') => {
                return Ok(Asked::Text(concat!("supplier ", env!("CARGO_PKG_VERSION"), "\n").to_owned()));
            }
            Value(word) if given.words.is_empty() && word == "help" => return Ok(Asked::Text(USAGE.to_owned())),
            Value(word) => {
                given.words.push(word.string()?);
                continue;
            }
            Long(name) => name.to_owned(),
            Short(_) => return Err(argument.unexpected()),
        };
        match option.as_str() {
            "include" => given.include = true,
            "journal" => given.journal = true,
            "profile" => given.profile = Some(text(&mut parser)?),
            "overrides" => given.overrides = Some(text(&mut parser)?),
            "operation" => given.operation = Some(text(&mut parser)?),
            "key" => given.key = Some(text(&mut parser)?),
            "query" => given.query.push(pair(&mut parser, '=', "NAME=VALUE")?),
            "header" => {
                let (name, value) = pair(&mut parser, ':', "'NAME: VALUE'")?;
                given.headers.push((name, value.trim().to_owned()));
            }
            "body" => given.bodies.push(body(text(&mut parser)?)?),
            "body-file" => given.bodies.push(Source::File(text(&mut parser)?)),
            "deadline-ms" => given.deadline_ms = Some(number(&mut parser, &option)?),
            "max-wait-ms" => given.max_wait_ms = Some(number(&mut parser, &option)?),
            "method" => given.method = Some(text(&mut parser)?),
            "position" => given.position = Some(text(&mut parser)?),
            "position-file" => given.position_file = Some(text(&mut parser)?),
            "limit" => given.limit = Some(number(&mut parser, &option)?),
            "pages" => given.pages = Some(number(&mut parser, &option)?),
            _ => return Err(lexopt::Error::UnexpectedOption(format!("--{option}"))),
        }
    }
    given.into_args().map(|args| Asked::For(Box::new(args)))
}

/// What was written, before it is known to fit together.
#[derive(Default)]
struct Given {
    words: Vec<String>,
    profile: Option<String>,
    overrides: Option<String>,
    include: bool,
    journal: bool,
    method: Option<String>,
    operation: Option<String>,
    key: Option<String>,
    query: Vec<(String, String)>,
    headers: Vec<(String, String)>,
    bodies: Vec<Source>,
    deadline_ms: Option<u32>,
    max_wait_ms: Option<u32>,
    position: Option<String>,
    position_file: Option<String>,
    limit: Option<u64>,
    pages: Option<u64>,
}

impl Given {
    fn into_args(mut self) -> Result<Args, lexopt::Error> {
        let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        let (verb, method, target) = match words.as_slice() {
            ["send", method, target] => (Verb::Send, *method, *target),
            ["items", target] => (Verb::Items, self.method.as_deref().unwrap_or("GET"), *target),
            ["check"] => (Verb::Check, "GET", "/"),
            ["check", method, target] => (Verb::Check, *method, *target),
            ["send", ..] => return Err("write `send METHOD TARGET`".into()),
            ["items", ..] => return Err("write `items TARGET`".into()),
            ["check", ..] => return Err("write `check` or `check METHOD TARGET`".into()),
            [] => return Err("no verb is given".into()),
            [unknown, ..] => {
                return Err(format!("no verb is called `{unknown}`; there are send, items and check").into());
            }
        };
        let (method, target) = (method.to_owned(), target.to_owned());
        self.refuse_what_does_not_apply(verb)?;
        Ok(Args {
            verb,
            profile: self.profile.ok_or("--profile FILE is missing")?,
            overrides: self.overrides,
            include: self.include,
            position: self.position,
            position_file: self.position_file,
            limit: self.limit,
            pages: self.pages,
            journal: self.journal,
            method,
            target,
            operation: self.operation,
            key: self.key,
            query: self.query,
            headers: self.headers,
            body: self.bodies.pop(),
            deadline_ms: self.deadline_ms,
            max_wait_ms: self.max_wait_ms,
        })
    }

    /// An option without an effect would hide a mistake.
    fn refuse_what_does_not_apply(&self, verb: Verb) -> Result<(), lexopt::Error> {
        let only = [
            (self.include, Verb::Send, "--include is for `send`"),
            (self.method.is_some(), Verb::Items, "--method is for `items`"),
            (self.position.is_some(), Verb::Items, "--position is for `items`"),
            (self.position_file.is_some(), Verb::Items, "--position-file is for `items`"),
            (self.limit.is_some(), Verb::Items, "--limit is for `items`"),
            (self.pages.is_some(), Verb::Items, "--pages is for `items`"),
        ];
        if let Some((_, _, message)) = only.iter().find(|(given, of, _)| *given && *of != verb) {
            return Err((*message).into());
        }
        if self.bodies.len() > 1 {
            return Err("the body is given twice".into());
        }
        if self.position.is_some() && self.position_file.is_some() {
            return Err("give --position or --position-file, not both".into());
        }
        Ok(())
    }
}

fn text(parser: &mut lexopt::Parser) -> Result<String, lexopt::Error> {
    parser.value().and_then(OsString::string)
}

fn number<N: FromStr>(parser: &mut lexopt::Parser, option: &str) -> Result<N, lexopt::Error> {
    let text = text(parser)?;
    text.parse().map_err(|_| format!("--{option} takes a whole number from 0 on, not `{text}`").into())
}

/// `-` would be a body of one character, which whoever writes it does not mean.
fn body(text: String) -> Result<Source, lexopt::Error> {
    if text == "-" { Err("standard input is `--body-file -`".into()) } else { Ok(Source::Text(text)) }
}

fn pair(parser: &mut lexopt::Parser, between: char, form: &str) -> Result<(String, String), lexopt::Error> {
    let text = text(parser)?;
    let (name, value) = text.split_once(between).ok_or_else(|| format!("`{text}` is not {form}"))?;
    Ok((name.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(line: &[&str]) -> Result<Args, String> {
        let line = ["supplier.wasm"].iter().chain(line).map(|word| (*word).to_owned()).collect();
        match parse(line) {
            Ok(Asked::For(args)) => Ok(*args),
            Ok(Asked::Text(text)) => Err(text),
            Err(Stop::Failed { code: 2, lines }) => Err(lines.join("\n")),
            Err(other) => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_request_is_what_was_written() {
        let line = ["send", "POST", "/orders", "--profile", "p.json", "--key=order-7", "--query", "a=b=c"];
        let args =
            args(&[&line[..], &["--header", "X-A: b: c", "--body", "{}", "--max-wait-ms", "0"]].concat()).unwrap();
        let request = args.request().unwrap();
        assert_eq!((request.method.as_str(), request.target.as_str()), ("POST", "/orders"));
        assert_eq!(request.query, [(String::from("a"), String::from("b=c"))]);
        assert_eq!(request.headers.0, [(String::from("X-A"), String::from("b: c"))]);
        assert_eq!(request.body.as_text(), Some("{}"));
        assert_eq!(request.idempotency_key.as_deref(), Some("order-7"));
        assert_eq!(request.max_wait, Some(Ms(0)));
    }

    #[test]
    fn what_has_no_effect_is_refused() {
        for (line, said) in [
            (&["send", "GET", "/", "--profile", "p", "--limit", "3"][..], "--limit is for `items`"),
            (&["items", "/", "--profile", "p", "--include"], "--include is for `send`"),
            (&["items", "/", "--profile", "p", "--position", "a", "--position-file", "b"], "not both"),
            (&["send", "GET", "/", "--profile", "p", "--body", "a", "--body-file", "b"], "twice"),
            (
                &["items", "/", "--profile", "p", "--limit", "many"],
                "--limit takes a whole number from 0 on, not `many`",
            ),
            (&["send", "GET", "--profile", "p"], "send METHOD TARGET"),
            (&["items", "/"], "--profile FILE is missing"),
            (&["items", "/", "--profil", "p"], "--profil"),
            (&["fetch"], "no verb is called `fetch`; there are send, items and check"),
            (&["send", "GET", "/", "--profile", "p", "--body", "-"], "standard input is `--body-file -`"),
            (&[], "no verb"),
        ] {
            let error = args(line).unwrap_err();
            assert!(error.contains(said), "{line:?}: {error}");
        }
    }
}
