//! The supplier's clock, as far as its answers have told.

use crate::time::{Mono, Ms, Now, Theirs, Wall};

/// What is known of the supplier's time. It advances with our monotonic clock, so that a jump
/// of our wall clock moves no wait.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clock {
    /// Our wall clock when this supplier was first used; stands in until an answer came.
    ours: Option<Offset>,
    heard: Option<Heard>,
}

/// What the answers have told.
#[derive(Clone, Copy, Debug)]
struct Heard {
    /// From the newest `Date`, taken as the middle of its exchange: the likeliest.
    likely: Offset,
    /// The supplier's clock is at least this far, by every answer since `since`.
    least: Offset,
    /// And not as far as this.
    below: Offset,
    since: Mono,
}

/// The supplier's clock less our monotonic one, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Offset(i64);

impl Offset {
    fn between(theirs: Theirs, mono: Mono) -> Offset {
        Offset(theirs.0.saturating_sub(signed(mono)))
    }

    fn at(self, mono: Mono) -> Theirs {
        Theirs(self.0.saturating_add(signed(mono)))
    }
}

fn signed(mono: Mono) -> i64 {
    i64::try_from(mono.0).unwrap_or(i64::MAX)
}

impl Clock {
    /// Fixes the stand-in for the supplier's clock at the first use.
    pub(crate) fn start(&mut self, now: Now) {
        if self.ours.is_none() {
            self.ours = Some(Offset::between(Theirs(now.wall.0), now.mono));
        }
    }

    /// Learns from an answer's `Date`, which has whole seconds: when the answer was received the
    /// supplier's clock had reached it, and when the request was sent it was not a second past
    /// it. Returns by how much instants taken from our own clock have to be moved, the first
    /// time.
    pub(crate) fn learn(&mut self, date: Theirs, sent: Mono, received: Mono) -> Option<i64> {
        let before = self.at(received);
        let first = self.heard.is_none();
        let mut heard = Heard {
            likely: Offset::between(date, sent.plus(Ms(received.since(sent).0 / 2))),
            least: Offset::between(date, received),
            below: Offset::between(date.plus(GRANULE), sent),
            since: received,
        };
        if let Some(old) = self.heard.filter(|old| old.agrees(&heard) && received.since(old.since) <= TRUSTED) {
            heard.least = heard.least.max(old.least);
            heard.below = heard.below.min(old.below);
            heard.since = old.since;
        }
        self.heard = Some(heard);
        first.then(|| self.at(received).0.saturating_sub(before.0))
    }

    /// Whether an answer has told the time.
    pub(crate) fn heard(&self) -> bool {
        self.heard.is_some()
    }

    /// The supplier's time for whoever waits for it: never ahead of its clock, whichever way the
    /// latency of the answers went. Our own, counted from the first use, while none was heard.
    pub(crate) fn at(&self, mono: Mono) -> Theirs {
        self.heard.map(|heard| heard.least).or(self.ours).map_or(Theirs(0), |offset| offset.at(mono))
    }

    /// As `at`, only if it was heard.
    pub(crate) fn theirs(&self, now: Now) -> Option<Theirs> {
        self.heard.map(|heard| heard.least.at(now.mono))
    }

    /// The supplier's likeliest time, to be signed; only if it was heard.
    pub(crate) fn likely(&self, now: Now) -> Option<Theirs> {
        self.heard.map(|heard| heard.likely.at(now.mono))
    }

    /// How far the supplier's clock is ahead of ours, in milliseconds.
    pub(crate) fn offset(&self, now: Now) -> Option<i64> {
        self.likely(now).map(|theirs| theirs.0.saturating_sub(now.wall.0))
    }
}

impl Heard {
    /// Whether one clock can have said both; else it was set, or another machine answered.
    fn agrees(&self, other: &Heard) -> bool {
        self.least < other.below && other.least < self.below
    }
}

/// `Date` has whole seconds.
const GRANULE: Ms = Ms(1_000);

/// Bounds older than this are left to newer answers: two clocks that drift by 50 ppm part by
/// 30 ms in it.
const TRUSTED: Ms = Ms(600_000);

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
    fn signs_the_middle_of_the_exchange_and_waits_for_what_is_sure() {
        let mut clock = Clock::default();
        clock.start(now(1_000_000, 0));
        assert_eq!(clock.learn(Theirs(1_600_000), Mono(100), Mono(300)), Some(599_700));
        assert_eq!(clock.likely(now(0, 300)), Some(Theirs(1_600_100)));
        assert_eq!(clock.at(Mono(300)), Theirs(1_600_000));
    }

    #[test]
    fn does_not_step_back_with_the_second_that_date_leaves_out() {
        let mut clock = Clock::default();
        assert!(clock.learn(Theirs(1_600_000), Mono(0), Mono(0)).is_some());
        assert_eq!(clock.learn(Theirs(1_600_000), Mono(900), Mono(900)), None);
        assert_eq!(clock.at(Mono(900)), Theirs(1_600_900));
        assert_eq!(clock.learn(Theirs(1_602_000), Mono(1_900), Mono(1_950)), None);
        assert_eq!(clock.at(Mono(1_950)), Theirs(1_602_000), "an answer that knows better moves it on");
    }

    #[test]
    fn believes_the_newest_when_a_clock_was_set() {
        let mut clock = Clock::default();
        clock.learn(Theirs(1_600_000), Mono(0), Mono(0));
        clock.learn(Theirs(1_500_000), Mono(10), Mono(10));
        assert_eq!(clock.at(Mono(10)), Theirs(1_500_000));
        clock.learn(Theirs(1_600_000), Mono(20), Mono(20));
        assert_eq!(clock.at(Mono(20)), Theirs(1_600_000));
    }

    #[test]
    fn forgets_old_bounds() {
        let mut clock = Clock::default();
        clock.learn(Theirs(1_600_000), Mono(0), Mono(0));
        clock.learn(Theirs(2_200_000), Mono(600_500), Mono(600_500));
        assert_eq!(clock.at(Mono(600_500)), Theirs(2_200_000));
    }
}
