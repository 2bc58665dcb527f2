//! Three clocks that a scenario drives: the monotonic one is tokio's paused time, our wall
//! clock may jump, the supplier's does not.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use supplier_engine::{Mono, Now, Wall};
use tokio::time::Instant;

#[derive(Clone, Debug)]
pub struct Clock {
    start: Instant,
    ours: Wall,
    theirs: Wall,
    jumped: Arc<AtomicI64>,
}

impl Clock {
    /// Starts now; the tokio runtime must be there, and paused if time is to be virtual.
    pub fn start(ours: Wall, theirs: Wall) -> Clock {
        Clock { start: Instant::now(), ours, theirs, jumped: Arc::default() }
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    pub fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Our wall clock.
    pub fn wall(&self) -> Wall {
        Wall(later(self.ours, self.elapsed_ms()).0.saturating_add(self.jumped.load(Ordering::Relaxed)))
    }

    /// The supplier's clock.
    pub fn server(&self) -> Wall {
        later(self.theirs, self.elapsed_ms())
    }

    pub fn now(&self) -> Now {
        Now { wall: self.wall(), mono: Mono(self.elapsed_ms()) }
    }

    /// Our wall clock jumps; nothing else does.
    pub fn jump(&self, ms: i64) {
        self.jumped.fetch_add(ms, Ordering::Relaxed);
    }

    /// Returns at this time after the start, at once if it has passed.
    pub async fn sleep_until(&self, ms: u64) {
        if ms > self.elapsed_ms() {
            tokio::time::sleep_until(self.start + Duration::from_millis(ms)).await;
        }
    }
}

fn later(wall: Wall, ms: u64) -> Wall {
    Wall(wall.0.saturating_add(i64::try_from(ms).unwrap_or(i64::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn only_our_wall_clock_jumps() {
        let clock = Clock::start(Wall(1_000), Wall(2_000));
        clock.sleep_until(500).await;
        clock.jump(-7_000);
        assert_eq!((clock.elapsed_ms(), clock.wall(), clock.server()), (500, Wall(-5_500), Wall(2_500)));
    }
}
