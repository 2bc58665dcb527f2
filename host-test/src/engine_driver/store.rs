//! What workers share: texts under keys, changed by compare-and-swap.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::time::Duration;

use super::detail;
use crate::clock::Clock;
use crate::scenario::StoreEntry;

/// In memory. A host's is APCu, Redis, a file...
#[derive(Clone)]
pub struct SharedStore {
    clock: Clock,
    texts: Rc<RefCell<BTreeMap<String, Text>>>,
    /// What the next actions get; beyond it the store simply works.
    script: Rc<RefCell<VecDeque<StoreEntry>>>,
}

struct Text {
    text: String,
    expires_ms: u64,
}

/// What came of an action.
#[derive(Debug, PartialEq, Eq)]
pub enum Stored {
    Answered { won: bool, current: Option<String> },
    Failed { code: String },
}

impl SharedStore {
    pub fn new(clock: Clock, script: &[StoreEntry]) -> SharedStore {
        let script = script.iter().flat_map(|entry| std::iter::repeat_n(entry.clone(), entry.times.unwrap_or(1)));
        SharedStore { clock, texts: Rc::default(), script: Rc::new(RefCell::new(script.collect())) }
    }

    /// Loads or swaps, with as much patience as the engine has.
    pub async fn perform(&self, asked: &detail::Store, patience_ms: u32) -> Stored {
        let entry = self.script.borrow_mut().pop_front().unwrap_or_default();
        // Others run in between, as they do where the store is across a network.
        tokio::task::yield_now().await;
        if entry.after_ms > u64::from(patience_ms) {
            tokio::time::sleep(Duration::from_millis(patience_ms.into())).await;
            return Stored::Failed { code: "timeout".to_owned() };
        }
        if entry.after_ms > 0 {
            tokio::time::sleep(Duration::from_millis(entry.after_ms)).await;
        }
        if let Some(code) = entry.fail {
            return Stored::Failed { code };
        }
        let (won, current) = match &asked.value {
            None => (true, self.load(&asked.key)),
            Some(_) if entry.lose => (false, self.load(&asked.key)),
            Some(value) => self.swap(&asked.key, asked.expect.as_deref(), value, asked.ttl_ms),
        };
        Stored::Answered { won, current }
    }

    fn load(&self, key: &str) -> Option<String> {
        let now = self.clock.elapsed_ms();
        self.texts.borrow().get(key).filter(|held| held.expires_ms > now).map(|held| held.text.clone())
    }

    /// Whether `value` stands there now, and what does.
    fn swap(&self, key: &str, expect: Option<&str>, value: &str, ttl_ms: u64) -> (bool, Option<String>) {
        let current = self.load(key);
        if current.as_deref() != expect {
            return (false, current);
        }
        let expires_ms = self.clock.elapsed_ms().saturating_add(ttl_ms);
        self.texts.borrow_mut().insert(key.to_owned(), Text { text: value.to_owned(), expires_ms });
        (true, Some(value.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use supplier_engine::Wall;

    use super::*;

    fn store(script: &[StoreEntry]) -> SharedStore {
        SharedStore::new(Clock::start(Wall(0), Wall(0)), script)
    }

    async fn swap(store: &SharedStore, expect: Option<&str>, value: Option<&str>) -> Stored {
        let (expect, value) = (expect.map(str::to_owned), value.map(str::to_owned));
        store.perform(&detail::Store { key: "k".to_owned(), expect, value, ttl_ms: 1000 }, 250).await
    }

    fn answered(won: bool, current: Option<&str>) -> Stored {
        Stored::Answered { won, current: current.map(str::to_owned) }
    }

    #[tokio::test(start_paused = true)]
    async fn the_loser_gets_the_current_text() {
        let store = store(&[]);
        assert_eq!(swap(&store, None, None).await, answered(true, None));
        assert_eq!(swap(&store, None, Some("1")).await, answered(true, Some("1")));
        assert_eq!(swap(&store, None, Some("2")).await, answered(false, Some("1")));
        assert_eq!(swap(&store, Some("1"), Some("2")).await, answered(true, Some("2")));
        store.clock.sleep_until(1000).await;
        assert_eq!(swap(&store, None, None).await, answered(true, None));
    }

    #[tokio::test(start_paused = true)]
    async fn the_script_comes_first() {
        let slow = |after_ms| StoreEntry { after_ms, ..StoreEntry::default() };
        let fails = StoreEntry { fail: Some("down".to_owned()), ..StoreEntry::default() };
        let loses = StoreEntry { lose: true, times: Some(2), ..StoreEntry::default() };
        let store = store(&[slow(250), slow(251), fails, loses]);
        assert_eq!(swap(&store, None, Some("1")).await, answered(true, Some("1")));
        assert_eq!(swap(&store, None, None).await, Stored::Failed { code: "timeout".to_owned() });
        assert_eq!(store.clock.elapsed_ms(), 500);
        assert_eq!(swap(&store, None, None).await, Stored::Failed { code: "down".to_owned() });
        assert_eq!(swap(&store, Some("1"), Some("2")).await, answered(false, Some("1")));
        assert_eq!(swap(&store, Some("1"), None).await, answered(true, Some("1")));
        assert_eq!(swap(&store, Some("1"), Some("2")).await, answered(true, Some("2")));
    }
}
