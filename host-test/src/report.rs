//! What was seen when a scenario was played.

use crate::script::Seen;

/// Everything that a scenario can be judged by.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub requests: Vec<Seen>,
    /// One for each call of the scenario; fewer if the instance died.
    pub calls: Vec<CallReport>,
    /// Why `open` failed.
    pub problems: Option<Vec<Problem>>,
    /// `health` at the end: name of the supplier and JSON text.
    pub health: Vec<(String, String)>,
    /// What must never happen: traps, calls that do not end, resources left alive.
    pub faults: Vec<String>,
    /// Virtual time when the last call ended.
    pub elapsed_ms: u64,
    /// What crossed the boundary of the engine component as JSON.
    pub documents: Vec<Document>,
}

/// A document of the contract and the schema that it keeps to, by its name below `schemas/`.
#[derive(Clone, Debug)]
pub struct Document {
    pub schema: &'static str,
    pub text: String,
}

#[derive(Clone, Debug)]
pub struct CallReport {
    pub began_ms: u64,
    pub ended_ms: u64,
    pub outcome: Outcome,
}

/// What a call came to.
#[derive(Clone, Debug)]
pub enum Outcome {
    Reply(Reply),
    Page(Page),
    Walk(Walk),
    Failure(Failure),
    Explained(String),
    CredentialsSet(Result<(), Vec<Problem>>),
}

#[derive(Clone, Debug)]
pub struct Reply {
    pub response: Response,
    pub verdict: String,
    pub retry_after_ms: Option<u32>,
    pub journal: String,
}

#[derive(Clone, Debug)]
pub struct Page {
    pub items: String,
    pub count: u32,
    pub next: Option<String>,
    pub headers: Vec<(String, String)>,
    pub journal: String,
}

/// Pages one after the other.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    /// JSON array of all items so far.
    pub items: String,
    pub count: u32,
    pub pages: usize,
    /// The list ended.
    pub ended: bool,
    pub failure: Option<Failure>,
    pub journals: Vec<String>,
    pub nexts: Vec<String>,
}

#[derive(Clone, Debug, Default)]
pub struct Failure {
    pub kind: String,
    pub code: String,
    pub message: String,
    pub retry_after_ms: Option<u32>,
    pub status: Option<u16>,
    pub response: Option<Response>,
    pub journal: String,
}

#[derive(Clone, Debug, Default)]
pub struct Response {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Response {
    pub fn lines(&self, name: &str) -> Vec<String> {
        lines(&self.headers, name)
    }
}

pub fn lines(headers: &[(String, String)], name: &str) -> Vec<String> {
    headers.iter().filter(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| value.clone()).collect()
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub pointer: String,
    pub code: String,
    pub message: String,
}

impl Report {
    /// Every document that the component handed out or took.
    pub fn all_documents(&self) -> Vec<Document> {
        let document = |schema, text: &str| Document { schema, text: text.to_owned() };
        let journals = self.calls.iter().flat_map(|call| call.outcome.journals());
        let mut all = self.documents.clone();
        all.extend(journals.filter(|text| !text.is_empty()).map(|text| document("journal", text)));
        all.extend(self.health.iter().map(|(_, text)| document("health", text)));
        all
    }
}

impl Outcome {
    /// The journals of a call, in order.
    pub fn journals(&self) -> Vec<&str> {
        match self {
            Outcome::Reply(reply) => vec![&reply.journal],
            Outcome::Page(page) => vec![&page.journal],
            Outcome::Walk(walk) => walk.journals.iter().map(String::as_str).collect(),
            Outcome::Failure(failure) => vec![&failure.journal],
            Outcome::Explained(_) | Outcome::CredentialsSet(_) => Vec::new(),
        }
    }

    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Outcome::Failure(failure) => Some(failure),
            Outcome::Walk(walk) => walk.failure.as_ref(),
            _ => None,
        }
    }

    /// Every text that came back, but for the supplier's own response.
    pub fn texts(&self) -> Vec<(&'static str, &str)> {
        let mut texts: Vec<(&'static str, &str)> =
            self.journals().into_iter().map(|journal| ("journal", journal)).collect();
        if let Some(failure) = self.failure() {
            texts.push(("message", &failure.message));
            texts.push(("code", &failure.code));
        }
        match self {
            Outcome::Reply(reply) => texts.push(("verdict", &reply.verdict)),
            Outcome::Page(page) => texts.extend(page.next.as_deref().map(|next| ("next", next))),
            Outcome::Walk(walk) => texts.extend(walk.nexts.iter().map(|next| ("next", next.as_str()))),
            Outcome::Explained(text) => texts.push(("explanation", text)),
            Outcome::CredentialsSet(Err(problems)) => {
                texts.extend(problems.iter().map(|problem| ("problem", problem.message.as_str())));
            }
            Outcome::Failure(_) | Outcome::CredentialsSet(Ok(())) => {}
        }
        texts
    }
}
