//! Durations and instants. Three clocks that must never be mixed are three types.

use std::fmt;

/// A duration in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ms(pub u64);

impl Ms {
    /// The longest duration that the contract can carry; everything longer saturates to it.
    pub const MAX: Ms = Ms(u32::MAX as u64);
    pub const ZERO: Ms = Ms(0);

    /// As the contract carries it: saturated to `u32`.
    pub fn saturated(self) -> u32 {
        u32::try_from(self.0).unwrap_or(u32::MAX)
    }

    pub fn plus(self, other: Ms) -> Ms {
        Ms(self.0.saturating_add(other.0))
    }

    pub fn minus(self, other: Ms) -> Ms {
        Ms(self.0.saturating_sub(other.0))
    }
}

impl fmt::Display for Ms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ms", self.0)
    }
}

/// The host's monotonic clock in milliseconds, from any origin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mono(pub u64);

impl Mono {
    pub fn plus(self, ms: Ms) -> Mono {
        Mono(self.0.saturating_add(ms.0))
    }

    /// Time since `earlier`; zero if the clock went back.
    pub fn since(self, earlier: Mono) -> Ms {
        Ms(self.0.saturating_sub(earlier.0))
    }
}

/// Unix time in milliseconds on our clock, which may be wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wall(pub i64);

/// Unix time in milliseconds on the supplier's clock. All shared state is in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Theirs(pub i64);

impl Theirs {
    pub fn plus(self, ms: Ms) -> Theirs {
        Theirs(self.0.saturating_add(i64::try_from(ms.0).unwrap_or(i64::MAX)))
    }

    pub fn minus(self, ms: Ms) -> Theirs {
        Theirs(self.0.saturating_sub(i64::try_from(ms.0).unwrap_or(i64::MAX)))
    }

    /// Time until `later`; zero if it has passed.
    pub fn until(self, later: Theirs) -> Ms {
        Ms(u64::try_from(later.0.saturating_sub(self.0)).unwrap_or(0))
    }
}

/// Both of the host's clocks, read together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Now {
    pub wall: Wall,
    pub mono: Mono,
}
