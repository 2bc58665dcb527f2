//! From permit to wire: the timestamp is read here, after every wait.

use super::pace::lease_only;
use super::{Call, Flight, State};
use crate::budget::Spent;
use crate::clock::EARLIEST;
use crate::event::{Action, Caps, FailureKind, Want};
use crate::order::{Message, Permit};
use crate::profile::{Clock, Profile};
use crate::retry::sees_bodies;
use crate::sign::{self, Parts};
use crate::supplier::Supplier;
use crate::time::{Ms, Now, Wall};

impl Call {
    pub(super) fn send(&mut self, supplier: &mut Supplier, permit: Permit, now: Now) -> Action {
        let attempt = self.attempts.saturating_add(1);
        let Some(at) = self.signing_time(supplier, now) else {
            self.give_back(supplier, &permit, now);
            let message =
                "a timestamp must be signed, our clock is before 2020, and the supplier has not told its own; \
                           set the clock of this machine"
                    .to_owned();
            return self.fail(supplier, FailureKind::Internal, "clock-unusable", message, now);
        };
        let signed = sign::sign(&supplier.profile, &supplier.keys, &self.draft, at, self.entropy.nonce(attempt));
        let parts = match signed {
            Ok(parts) => parts,
            Err(why) => {
                self.give_back(supplier, &permit, now);
                return self.fail(supplier, FailureKind::Invalid, "invalid-request", why, now);
            }
        };
        let own = Ms(u64::from(self.policy.retry.attempt_timeout_ms));
        let left = self.deadline.minus(self.elapsed(now));
        let signed_at = supplier.profile.signing.is_some().then_some(at);
        self.attempts = attempt;
        self.asked = None;
        self.journal.sends(signed_at, now);
        supplier.health.attempted();
        let (lease, sole) = (permit.lease().to_owned(), permit.sole);
        let wire = permit.seal(message(&supplier.profile, &self.draft.method, parts));
        self.state = State::Sending(Flight { lease, sole, sent: now, signed_at, last_chance: left <= own });
        Action::Send { wire, timer: own.min(left), caps: self.caps(), want: self.want() }
    }

    /// Our clock, the supplier's where the profile or a refused timestamp says so; ours must be
    /// plausible if it is to be signed.
    fn signing_time(&self, supplier: &Supplier, now: Now) -> Option<Wall> {
        let signing = supplier.profile.signing.as_ref();
        let signs_time = signing.is_some_and(|signing| signing.uses_timestamp());
        let theirs = supplier.clock.likely(now).map(|theirs| Wall(theirs.0));
        let prefers_theirs = signing.is_some_and(|signing| signing.clock == Clock::Supplier);
        if prefers_theirs || supplier.resynced {
            return Some(theirs.unwrap_or(now.wall)).filter(|at| *at >= EARLIEST || !signs_time);
        }
        if now.wall >= EARLIEST || !signs_time {
            return Some(now.wall);
        }
        theirs
    }

    fn give_back(&mut self, supplier: &mut Supplier, permit: &Permit, now: Now) {
        let theirs = self.theirs(supplier, now);
        let settlement = lease_only(permit.lease().to_owned(), Spent::No);
        supplier.pools.entry(&self.pool_key).doc.settle(&settlement, theirs);
    }

    fn caps(&self) -> Caps {
        let caps = &self.policy.caps;
        // 32 bits fit into a pointer on every target that this is built for.
        Caps {
            body_bytes: caps.body_bytes as usize,
            error_body_bytes: caps.error_body_bytes as usize,
            header_bytes: caps.header_bytes as usize,
        }
    }

    fn want(&self) -> Want {
        let (ok, error) = sees_bodies(&self.policy);
        Want { ok: ok || self.position.is_some(), error }
    }
}

fn message(profile: &Profile, method: &str, parts: Parts) -> Message {
    Message {
        method: method.to_owned(),
        https: profile.base_url.https,
        authority: profile.base_url.authority(),
        path_and_query: parts.path_and_query,
        headers: parts.headers,
        body: parts.body,
    }
}
