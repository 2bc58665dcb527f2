//! A supplier, opened: what outlives a call.

use crate::budget::Pools;
use crate::call::Call;
use crate::clock::Clock;
use crate::event::{Action, Event, Failure};
use crate::health::Health;
use crate::profile::Profile;
use crate::sign::Keyring;
use crate::time::Now;
use crate::{Credential, Goal, Problem, Request};

/// One supplier: its profile, keys, budget, clock and health. Calls may overlap.
pub struct Supplier {
    pub(crate) profile: Profile,
    pub(crate) keys: Keyring,
    pub(crate) pools: Pools,
    pub(crate) clock: Clock,
    pub(crate) health: Health,
    /// A `resync-clock` rule has found our clock wrong: sign with the supplier's from now on.
    pub(crate) resynced: bool,
}

impl Supplier {
    /// Opens a supplier, or reports every problem of the profile and the credentials.
    pub fn open(profile: &str, overrides: Option<&str>, credentials: &[Credential]) -> Result<Supplier, Vec<Problem>> {
        let profile = Profile::read(profile, overrides)?;
        let keys = Keyring::new(&profile, credentials)?;
        Ok(Supplier {
            profile,
            keys,
            pools: Pools::default(),
            clock: Clock::default(),
            health: Health::default(),
            resynced: false,
        })
    }

    /// Replaces all credentials. Budget, clock and health stay; on failure so do the old ones.
    pub fn set_credentials(&mut self, credentials: &[Credential]) -> Result<(), Vec<Problem>> {
        self.keys = Keyring::new(&self.profile, credentials)?;
        Ok(())
    }

    /// Checks the request and starts a call; nothing is sent yet. `entropy` is fresh for every
    /// call and from a secure source; its second half drives jitter (all zeros: none; all ones:
    /// the most).
    pub fn begin(&self, goal: Goal, entropy: [u8; 16]) -> Result<Call, Failure> {
        Call::begin(&self.profile, goal, entropy)
    }

    /// Tells a call what happened and asks what to do next. Total: any event at any time gets
    /// an answer.
    pub fn step(&mut self, call: &mut Call, event: Event, now: Now) -> Action {
        self.clock.start(now);
        self.health.seen(now);
        call.step(self, event, now)
    }

    /// JSON: counts by outcome and the state of each pool.
    pub fn health(&self) -> String {
        self.health.text(&self.profile.supplier, &self.pools, &self.clock)
    }

    /// JSON: what a call with this request would do, secrets blanked out. Sends nothing.
    pub fn explain(&self, request: &Request, now: Now) -> Result<String, Failure> {
        crate::explain::explain(self, request, now)
    }
}
