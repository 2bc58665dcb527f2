//! What happened in a call, as data: one entry per attempt. Names method, host and operation,
//! never path, query, body or a header value but the supplier's request id and the numbers it
//! asked to wait.

use crate::event::Why;
use crate::time::{Mono, Ms, Now, Wall};
use serde::Serialize;

/// Serialises as `schemas/journal.schema.json`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Journal {
    journal: u32,
    supplier: String,
    host: String,
    method: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<String>,
    /// Number of the page, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<u32>,
    began_ms: i64,
    elapsed_ms: u64,
    attempts: Vec<Attempt>,
    /// Waits after the last attempt: one that was refused, or interrupted and then as long as it
    /// lasted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    waits: Vec<Wait>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<Note>,
    outcome: String,
    #[serde(skip)]
    began: Option<Mono>,
}

/// One attempt. `at_ms` counts from the beginning of the call.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Attempt {
    n: u32,
    at_ms: u64,
    /// Waits before it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    waits: Vec<Wait>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signed_at_ms: Option<i64>,
    took_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Of an attempt without a complete response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The host's own words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<&'static str>,
    pub verdict: String,
    /// Where the verdict comes from: a JSON Pointer into the profile, or `status`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

impl Attempt {
    fn summary(&self) -> String {
        let n = self.n;
        match (self.status, &self.code) {
            (None, None) => format!(", attempt {n}"),
            (Some(status), None) => format!(", attempt {n} ({status})"),
            (None, Some(code)) => format!(", attempt {n} ({code})"),
            (Some(status), Some(code)) => format!(", attempt {n} ({status}, {code})"),
        }
    }
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Wait {
    at_ms: u64,
    ms: u64,
    why: &'static str,
    /// The code of the failure that came in its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<&'static str>,
}

/// Waits before one attempt that stand by themselves; what follows is added to the last of them.
const MOST_WAITS: usize = 64;

/// Something odd that changed no decision, or explains one.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Note {
    pub code: &'static str,
    /// Header, body pointer or window that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// What stood there, shortened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw: Option<String>,
}

impl Journal {
    pub(crate) fn new(supplier: &str, host: String, method: &str, operation: Option<String>) -> Journal {
        Journal {
            journal: 1,
            supplier: supplier.to_owned(),
            host,
            method: method.to_owned(),
            operation,
            page: None,
            began_ms: 0,
            elapsed_ms: 0,
            attempts: Vec::new(),
            waits: Vec::new(),
            notes: Vec::new(),
            outcome: String::new(),
            began: None,
        }
    }

    /// The call reads this page, counted from 1.
    pub(crate) fn on_page(&mut self, page: u32) {
        self.page = Some(page);
    }

    pub(crate) fn begin(&mut self, now: Now) {
        if self.began.is_none() {
            self.began = Some(now.mono);
            self.began_ms = now.wall.0;
        }
    }

    pub(crate) fn waits(&mut self, ms: Ms, why: Why, now: Now) {
        // A clock that fires early leads to a second, short wait for the same thing. And whoever
        // waits for another call's answer polls, perhaps for hours: its later polls are one.
        let at_ms = self.since(now.mono);
        let full = self.waits.len() >= MOST_WAITS;
        match self.waits.last_mut() {
            Some(last) if full || last.why == why.name() && last.at_ms.saturating_add(last.ms) > at_ms => {
                last.ms = at_ms.saturating_add(ms.0).saturating_sub(last.at_ms);
            }
            _ => self.waits.push(Wait { at_ms, ms: ms.0, why: why.name(), refused: None }),
        }
    }

    pub(crate) fn refuses(&mut self, ms: Ms, why: Why, refused: &'static str, now: Now) {
        let at_ms = self.since(now.mono);
        self.waits.push(Wait { at_ms, ms: ms.0, why: why.name(), refused: Some(refused) });
    }

    /// An attempt goes out. Its outcome is filled in later.
    pub(crate) fn sends(&mut self, signed_at: Option<Wall>, now: Now) {
        let n = u32::try_from(self.attempts.len()).unwrap_or(u32::MAX).saturating_add(1);
        let at_ms = self.since(now.mono);
        let waits = std::mem::take(&mut self.waits);
        self.attempts.push(Attempt { n, at_ms, waits, signed_at_ms: signed_at.map(|at| at.0), ..Attempt::default() });
    }

    /// The attempt in flight, whose outcome is now known.
    pub(crate) fn ended(&mut self, now: Now) -> Option<&mut Attempt> {
        let since = self.since(now.mono);
        let last = self.attempts.last_mut()?;
        last.took_ms = since.saturating_sub(last.at_ms);
        Some(last)
    }

    pub(crate) fn verdict(&mut self, verdict: &str, rule: &str) {
        if let Some(last) = self.attempts.last_mut() {
            verdict.clone_into(&mut last.verdict);
            last.rule = Some(rule.to_owned());
        }
    }

    /// The last attempt had deserved another one, and this ended the call in its place.
    pub(crate) fn ends(&mut self, verdict: &str) {
        if let Some(last) = self.attempts.last_mut() {
            verdict.clone_into(&mut last.verdict);
        }
    }

    pub(crate) fn note(&mut self, code: &'static str, from: Option<String>, raw: Option<String>) {
        self.notes.push(Note { code, from, raw });
    }

    /// A message for people: what it is about, what the last attempt came to, then what happened.
    /// Shows method, host and operation only.
    pub(crate) fn says(&self, message: &str) -> String {
        let operation = self.operation.as_ref().map(|name| format!(" ({name})")).unwrap_or_default();
        let attempt = self.attempts.last().map(Attempt::summary).unwrap_or_default();
        format!("{} {}{operation}{attempt}: {message}", self.method, self.host)
    }

    /// The finished text.
    pub(crate) fn close(&mut self, outcome: &str, now: Option<Now>) -> String {
        if let Some(now) = now {
            self.elapsed_ms = self.since(now.mono);
            self.cut_wait();
        }
        outcome.clone_into(&mut self.outcome);
        // Plain data with text keys: serialising it cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// A wait that a cancel ended was not as long as it was meant to be.
    fn cut_wait(&mut self) {
        if let Some(last) = self.waits.last_mut().filter(|last| last.refused.is_none()) {
            last.ms = last.ms.min(self.elapsed_ms.saturating_sub(last.at_ms));
        }
    }

    fn since(&self, mono: Mono) -> u64 {
        self.began.map_or(0, |began| mono.since(began).0)
    }
}
