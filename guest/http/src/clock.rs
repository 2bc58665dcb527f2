//! The host's clocks, as the engine counts them.

use crate::bindings::wasi::clocks::{monotonic_clock, wall_clock};
use crate::bindings::wasi::io::poll::Pollable;
use supplier_engine::{Mono, Ms, Now, Wall};

const NANOS_PER_MS: u64 = 1_000_000;

/// Both clocks, read together.
pub fn now() -> Now {
    let wall = wall_clock::now();
    Now { wall: wall_ms(wall.seconds, wall.nanoseconds), mono: Mono(monotonic_clock::now() / NANOS_PER_MS) }
}

/// A pollable that is ready once `ms` have passed.
pub fn timer(ms: Ms) -> Pollable {
    monotonic_clock::subscribe_duration(nanos(ms))
}

pub fn sleep(ms: Ms) {
    if ms > Ms::ZERO {
        timer(ms).block();
    }
}

pub fn nanos(ms: Ms) -> u64 {
    ms.0.saturating_mul(NANOS_PER_MS)
}

/// Seconds are unsigned in wasi:clocks; a host whose clock stands before 1970 hands over the
/// two's complement, and that is what it is read as.
fn wall_ms(seconds: u64, nanoseconds: u32) -> Wall {
    Wall(seconds.cast_signed().saturating_mul(1000).saturating_add(i64::from(nanoseconds / 1_000_000)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absurd_clocks_are_read_without_overflow() {
        assert_eq!(wall_ms(1_772_452_800, 999_999_999), Wall(1_772_452_800_999));
        assert_eq!(wall_ms((-5i64).cast_unsigned(), 0), Wall(-5000));
        assert_eq!(wall_ms(i64::MAX.cast_unsigned(), u32::MAX), Wall(i64::MAX));
        assert_eq!(wall_ms(i64::MIN.cast_unsigned(), 0), Wall(i64::MIN));
        assert_eq!(nanos(Ms(u64::MAX)), u64::MAX);
    }
}
