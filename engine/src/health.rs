//! Counts by outcome, for whoever watches this dependency.

use crate::budget::Pools;
use crate::event::{Failure, FailureKind};
use crate::time::{Now, Wall};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

#[derive(Default)]
pub(crate) struct Health {
    calls: u64,
    attempts: u64,
    waits: u64,
    waited_ms: u64,
    replies: BTreeMap<String, u64>,
    pages: u64,
    failures: BTreeMap<&'static str, u64>,
    /// Calls in a row that ended `unavailable`.
    unavailable_in_a_row: u64,
    last_answer: Option<Wall>,
    last_failure: Option<(Wall, FailureKind, String)>,
    last_now: Now,
}

impl Health {
    pub(crate) fn began(&mut self) {
        add(&mut self.calls, 1);
    }

    pub(crate) fn attempted(&mut self) {
        add(&mut self.attempts, 1);
    }

    pub(crate) fn waited(&mut self, ms: u64) {
        add(&mut self.waits, 1);
        add(&mut self.waited_ms, ms);
    }

    pub(crate) fn answered(&mut self, now: Now) {
        self.last_answer = Some(now.wall);
    }

    pub(crate) fn replied(&mut self, verdict: &str) {
        add(self.replies.entry(verdict.to_owned()).or_default(), 1);
        self.unavailable_in_a_row = 0;
    }

    pub(crate) fn paged(&mut self) {
        add(&mut self.pages, 1);
        self.unavailable_in_a_row = 0;
    }

    pub(crate) fn failed(&mut self, failure: &Failure, now: Now) {
        add(self.failures.entry(failure.kind.name()).or_default(), 1);
        match failure.kind {
            FailureKind::Unavailable => add(&mut self.unavailable_in_a_row, 1),
            FailureKind::Invalid | FailureKind::Cancelled | FailureKind::Internal => {}
            _ => self.unavailable_in_a_row = 0,
        }
        self.last_failure = Some((now.wall, failure.kind, failure.code.clone()));
    }

    pub(crate) fn seen(&mut self, now: Now) {
        self.last_now = now;
    }

    /// As `schemas/health.schema.json`.
    pub(crate) fn text(&self, supplier: &str, pools: &Pools, clock: &crate::clock::Clock) -> String {
        let mut map = Map::new();
        let mut put = |key: &str, value: Value| map.insert(key.to_owned(), value);
        put("health", 1.into());
        put("supplier", supplier.into());
        put("calls", self.calls.into());
        put("attempts", self.attempts.into());
        put("waits", self.waits.into());
        put("waited_ms", self.waited_ms.into());
        put("replies", self.replies.iter().map(|(k, v)| (k.clone(), Value::from(*v))).collect::<Map<_, _>>().into());
        put("pages", self.pages.into());
        put(
            "failures",
            self.failures.iter().map(|(k, v)| ((*k).to_owned(), Value::from(*v))).collect::<Map<_, _>>().into(),
        );
        put("unavailable_in_a_row", self.unavailable_in_a_row.into());
        put("last_answer_ms", self.last_answer.map(|at| at.0).into());
        put("clock_offset_ms", clock.offset(self.last_now).into());
        if let Some((at, kind, code)) = &self.last_failure {
            put("last_failure", json!({ "at_ms": at.0, "kind": kind.name(), "code": code }));
        }
        let now = clock.at(self.last_now.mono);
        let pools = pools.iter().map(|(key, pool)| {
            let windows = pool.doc.windows.iter().map(|(name, window)| {
                let reset = window.reset.map(|at| now.until(at).0);
                (name.clone(), json!({ "limit": window.limit, "left": window.left, "reset_in_ms": reset }))
            });
            let closed = now.until(pool.doc.closed_until).0;
            let value = json!({
                "closed_for_ms": closed,
                "in_flight": pool.doc.in_flight(),
                "windows": windows.collect::<Map<_, _>>(),
            });
            (key.to_owned(), value)
        });
        put("pools", Value::Object(pools.collect()));
        Value::Object(map).to_string()
    }
}

fn add(count: &mut u64, more: u64) {
    *count = count.saturating_add(more);
}
