//! The budgets of one supplier, by key, as this instance last saw them.

use super::doc::Doc;
use crate::time::{Mono, Ms};
use std::collections::BTreeMap;

#[derive(Default)]
pub(crate) struct Pools(BTreeMap<String, Pool>);

/// One budget. In memory `doc` is the truth; shared, it is the parsed form of `text`.
#[derive(Default)]
pub(crate) struct Pool {
    pub doc: Doc,
    /// The store's text as last seen; `None` for an empty store.
    pub text: Option<String>,
    /// `text` and `doc` come from the store.
    pub loaded: bool,
    /// The store failed: it is left alone until then.
    pub alone_until: Option<Mono>,
    /// Newest `Date` in the document when we first saw one there, and when that was.
    pub sighted: Option<(crate::time::Theirs, Mono)>,
}

impl Pools {
    pub(crate) fn entry(&mut self, key: &str) -> &mut Pool {
        if !self.0.contains_key(key) {
            self.0.insert(key.to_owned(), Pool::default());
        }
        self.0.get_mut(key).unwrap_or_else(|| unreachable!("it was put there just now"))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Pool)> {
        self.0.iter().map(|(key, pool)| (key.as_str(), pool))
    }

    /// See `Doc::shift`.
    pub(crate) fn shift(&mut self, by: i64) {
        for pool in self.0.values_mut().filter(|pool| !pool.loaded) {
            pool.doc.shift(by);
        }
    }
}

impl Pool {
    /// Takes over what stands in the store.
    pub(crate) fn load(&mut self, current: Option<String>, now: Mono) {
        self.doc = current.as_deref().and_then(Doc::parse).unwrap_or_default();
        self.text = current;
        self.loaded = true;
        if self.sighted.is_none() && self.doc.newest.0 != 0 {
            self.sighted = Some((self.doc.newest, now));
        }
    }

    /// Leaves the store alone for a while; the document at hand goes on in memory.
    pub(crate) fn leave_store(&mut self, now: Mono) {
        self.alone_until = Some(now.plus(REST));
    }

    pub(crate) fn store_is_left_alone(&self, now: Mono) -> bool {
        self.alone_until.is_some_and(|until| now < until)
    }
}

/// How long a store that failed is not asked.
const REST: Ms = Ms(5_000);
