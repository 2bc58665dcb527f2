//! The supplier's clock, as far as its answers have told.

use crate::time::{Mono, Ms, Now, Theirs, Wall};

/// What is known of the supplier's time. It advances with our monotonic clock, so that a jump
/// of our wall clock moves no wait.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clock {
    /// Our wall clock when this supplier was first used; stands in until an answer came.
    ours: Option<(Theirs, Mono)>,
    /// The newest `Date`, and when that was.
    heard: Option<(Theirs, Mono)>,
}

impl Clock {
    /// Fixes the stand-in for the supplier's clock at the first use.
    pub(crate) fn start(&mut self, now: Now) {
        if self.ours.is_none() {
            self.ours = Some((Theirs(now.wall.0), now.mono));
        }
    }

    /// Learns from an answer's `Date`: it was that time in the middle between sending and
    /// receiving. Returns by how much instants taken from our own clock have to be moved, the
    /// first time.
    pub(crate) fn learn(&mut self, date: Theirs, sent: Mono, received: Mono) -> Option<i64> {
        let middle = sent.plus(Ms(received.since(sent).0 / 2));
        let first = self.heard.is_none();
        let before = self.at(middle);
        self.heard = Some((date, middle));
        first.then(|| date.0.saturating_sub(before.0))
    }

    /// Whether an answer has told the time.
    pub(crate) fn heard(&self) -> bool {
        self.heard.is_some()
    }

    /// The supplier's time; our own, counted from the first use, while none was heard.
    pub(crate) fn at(&self, mono: Mono) -> Theirs {
        let (theirs, then) = self.heard.or(self.ours).unwrap_or_default();
        theirs.plus(mono.since(then))
    }

    /// The supplier's time, only if it was heard.
    pub(crate) fn theirs(&self, now: Now) -> Option<Theirs> {
        self.heard.map(|_| self.at(now.mono))
    }

    /// How far the supplier's clock is ahead of ours, in milliseconds.
    pub(crate) fn offset(&self, now: Now) -> Option<i64> {
        self.theirs(now).map(|theirs| theirs.0.saturating_sub(now.wall.0))
    }
}

/// The earliest time at which a signature can have been meant: 2020-01-01.
pub(crate) const EARLIEST: Wall = Wall(1_577_836_800_000);

#[cfg(test)]
mod tests {
    use super::*;

    fn now(wall: i64, mono: u64) -> Now {
        Now { wall: Wall(wall), mono: Mono(mono) }
    }

    #[test]
    fn follows_the_monotonic_clock_when_ours_jumps() {
        let mut clock = Clock::default();
        clock.start(now(1_000_000, 50));
        assert_eq!(clock.at(Mono(80)), Theirs(1_000_030));
        assert_eq!(clock.theirs(now(9, 80)), None);
    }

    #[test]
    fn reads_date_as_the_middle_of_the_exchange() {
        let mut clock = Clock::default();
        clock.start(now(1_000_000, 0));
        assert_eq!(clock.learn(Theirs(1_600_000), Mono(100), Mono(300)), Some(599_800));
        assert_eq!(clock.at(Mono(300)), Theirs(1_600_100));
        assert_eq!(clock.learn(Theirs(1_600_500), Mono(500), Mono(500)), None);
        assert_eq!(clock.at(Mono(700)), Theirs(1_600_700));
    }
}
