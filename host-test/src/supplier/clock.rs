//! The supplier's clock.

use std::time::{SystemTime, UNIX_EPOCH};

/// Real time, off by a fixed amount.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock {
    pub offset_ms: i64,
}

impl Clock {
    /// Unix milliseconds.
    pub fn now_ms(self) -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX).saturating_add(self.offset_ms)
    }
}
