//! The supplier's rate limit: so many requests in a fixed window; and what clients were told
//! about it, to catch those that send all the same.

use std::collections::BTreeMap;
use std::time::Instant;

use super::exchange::Answer;

/// A window begins with its first request. It ends at the next whole second after its
/// length, so that a reset in whole seconds says exactly when.
#[derive(Debug)]
pub struct Window {
    limit: u64,
    length_ms: i64,
    ends_ms: i64,
    used: u64,
}

/// What the headers say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    pub granted: bool,
    pub limit: u64,
    pub remaining: u64,
    /// Unix seconds on the supplier's clock.
    pub reset_s: i64,
}

/// What the client knows and must heed.
#[derive(Debug, Default)]
pub struct Told {
    /// Nothing is left, or 429 with a time: holds for every request.
    pool: Option<(Instant, i64)>,
    /// Retry-After of another status: holds for the same request.
    requests: BTreeMap<String, (Instant, i64)>,
}

/// A request that should have waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Early {
    /// Nothing was left, and the reset has not passed.
    Limit { by_ms: i64 },
    /// The Retry-After of this very request is not over.
    RetryAfter { by_ms: i64 },
}

impl Window {
    pub fn new(limit: u64, length_ms: u64) -> Window {
        let length_ms = i64::try_from(length_ms).unwrap_or(i64::MAX / 4).min(i64::MAX / 4);
        Window { limit, length_ms, ends_ms: i64::MIN, used: 0 }
    }

    /// Counts one request, if the window has room for it.
    pub fn take(&mut self, now_ms: i64) -> Standing {
        if now_ms >= self.ends_ms {
            self.ends_ms = whole_second(now_ms + self.length_ms);
            self.used = 0;
        }
        let granted = self.used < self.limit;
        self.used += u64::from(granted);
        self.standing(granted)
    }

    /// Nothing is left for so many seconds, whatever was used.
    pub fn close(&mut self, now_ms: i64, seconds: u32) -> Standing {
        self.ends_ms = self.ends_ms.max(whole_second(now_ms + i64::from(seconds) * 1000));
        self.used = self.limit;
        self.standing(false)
    }

    fn standing(&self, granted: bool) -> Standing {
        let remaining = self.limit.saturating_sub(self.used);
        Standing { granted, limit: self.limit, remaining, reset_s: self.ends_ms.div_euclid(1000) }
    }
}

impl Standing {
    pub fn headers(self, answer: Answer) -> Answer {
        answer
            .header("X-RateLimit-Limit", self.limit.to_string())
            .header("X-RateLimit-Remaining", self.remaining.to_string())
            .header("X-RateLimit-Reset", self.reset_s.to_string())
    }
}

impl Told {
    /// Notes what an answer says, once it has left at `now_ms`. `key` names the request.
    pub fn note(&mut self, key: &str, answer: &Answer, now_ms: i64) {
        let number = |name: &str| {
            let (_, value) = answer.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name))?;
            std::str::from_utf8(value).ok()?.parse::<i64>().ok()
        };
        let now = Instant::now();
        if let (Some(0), Some(reset)) = (number("x-ratelimit-remaining"), number("x-ratelimit-reset")) {
            self.pool = later(self.pool, (now, reset.saturating_mul(1000)));
        }
        let Some(seconds) = number("retry-after") else { return };
        let until = now_ms.saturating_add(seconds.saturating_mul(1000));
        if answer.status == 429 {
            self.pool = later(self.pool, (now, until));
        } else {
            self.requests.insert(key.to_owned(), (now, until));
        }
    }

    /// Judges a request whose first byte came at `arrived`, when it was `now_ms`.
    pub fn judge(&mut self, key: &str, arrived: Instant, now_ms: i64) -> Option<Early> {
        self.requests.retain(|_, (_, until)| *until > now_ms);
        self.pool = self.pool.filter(|(_, until)| *until > now_ms);
        let by = |(at, until): (Instant, i64)| (at < arrived).then_some(until - now_ms);
        if let Some(by_ms) = self.pool.and_then(by) {
            return Some(Early::Limit { by_ms });
        }
        self.requests.get(key).copied().and_then(by).map(|by_ms| Early::RetryAfter { by_ms })
    }
}

fn later(old: Option<(Instant, i64)>, new: (Instant, i64)) -> Option<(Instant, i64)> {
    match old {
        Some(old) if old.1 >= new.1 => Some(old),
        _ => Some(new),
    }
}

fn whole_second(ms: i64) -> i64 {
    ms.div_euclid(1000) * 1000 + if ms.rem_euclid(1000) == 0 { 0 } else { 1000 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_ends_exactly_when_its_reset_says() {
        let mut window = Window::new(2, 1500);
        assert_eq!(window.take(10_200), Standing { granted: true, limit: 2, remaining: 1, reset_s: 12 });
        assert_eq!(window.take(10_300), Standing { granted: true, limit: 2, remaining: 0, reset_s: 12 });
        assert!(!window.take(11_999).granted);
        assert_eq!(window.take(12_000), Standing { granted: true, limit: 2, remaining: 1, reset_s: 14 });
    }

    #[test]
    fn a_closed_window_refuses_until_its_end() {
        let mut window = Window::new(9, 1000);
        window.take(0);
        assert_eq!(window.close(100, 2).reset_s, 3);
        assert!(!window.take(2_999).granted);
        assert!(window.take(3_000).granted);
    }

    #[test]
    fn who_was_told_and_sends_is_early() {
        let mut told = Told::default();
        let before = Instant::now();
        let empty = Answer::new(200).header("X-RateLimit-Remaining", "0").header("X-RateLimit-Reset", "12");
        told.note("a", &empty, 10_000);
        assert_eq!(told.judge("b", before, 10_001), None, "on its way before the answer left");
        let after = Instant::now();
        assert_eq!(told.judge("b", after, 11_999), Some(Early::Limit { by_ms: 1 }));
        assert_eq!(told.judge("b", after, 12_000), None);
    }

    #[test]
    fn retry_after_holds_for_the_pool_on_429_and_for_the_request_otherwise() {
        let mut told = Told::default();
        told.note("a", &Answer::new(503).header("Retry-After", "1"), 0);
        let after = Instant::now();
        assert_eq!(told.judge("b", after, 10), None);
        assert_eq!(told.judge("a", after, 10), Some(Early::RetryAfter { by_ms: 990 }));
        told.note("a", &Answer::new(429).header("Retry-After", "2"), 0);
        let after = Instant::now();
        assert_eq!(told.judge("b", after, 10), Some(Early::Limit { by_ms: 1990 }));
        assert_eq!(told.judge("a", after, 2000), None);
    }
}
