//! Whether a wait may begin, and how long it is.

use super::{Call, State};
use crate::event::{Action, FailureKind, Why};
use crate::order::Due;
use crate::profile::LongWait;
use crate::retry::{Number, backoff};
use crate::supplier::Supplier;
use crate::time::{Ms, Now};

/// A wait that is due.
pub(super) struct Plan {
    pub ms: Ms,
    pub why: Why,
    /// What the supplier, or a rule in its stead, asked for; without margin and jitter.
    pub asked: Option<Ms>,
    /// The wait is shorter than asked, by the profile's choice.
    pub clamped: bool,
}

impl Call {
    /// The wait before the next retry: the supplier's number is a floor (`cases.md`, D2), and so
    /// are a rule's `min_wait_ms` and our own back-off.
    pub(super) fn plan(&mut self, number: Option<&Number>, min_wait: Ms) -> Plan {
        let retry = &self.policy.retry;
        let margin = match number {
            Some(Number { why: Why::Reset, .. }) => Ms(u64::from(retry.reset_margin_ms)),
            _ => Ms::ZERO,
        };
        let ruled = (min_wait > Ms::ZERO).then_some(min_wait);
        let asked = number.map(|number| number.ms).max(ruled);
        let (allowed, clamped) = self.clamp(asked);
        let ours = backoff(&self.policy.retry, self.attempts);
        let theirs = allowed.map(|ms| ms.plus(margin));
        let why = match (theirs, number) {
            (Some(theirs), _) if theirs < ours => Why::Backoff,
            (None, _) => Why::Backoff,
            (Some(_), Some(number)) if number.ms >= min_wait => number.why,
            _ => Why::Rule,
        };
        let floor = theirs.map_or(ours, |theirs| theirs.max(ours));
        Plan { ms: floor.plus(self.jitter(floor)), why, asked, clamped }
    }

    /// The wait until the budget has room, jitter added.
    pub(super) fn plan_pace(&mut self, ms: Ms, asked: Option<Ms>, why: Why) -> Plan {
        let (allowed, clamped) = self.clamp(asked);
        let ms = if clamped { allowed.unwrap_or(ms) } else { ms };
        let jitter = if why == Why::Probe { Ms::ZERO } else { self.jitter(ms) };
        Plan { ms: ms.plus(jitter), why, asked, clamped }
    }

    /// Begins a wait, or ends the call because it does not fit.
    pub(super) fn wait(&mut self, supplier: &mut Supplier, plan: &Plan, now: Now) -> Action {
        let cap = Ms(u64::from(self.policy.retry.max_server_wait_ms));
        if let Some(asked) = plan.asked.filter(|asked| *asked > cap && !plan.clamped) {
            let message =
                format!("the supplier wants a wait of {asked}, max_server_wait_ms allows {cap}; call again after that");
            return self.refuse(supplier, plan, FailureKind::Throttled, "wait-too-long", message, now);
        }
        if let Some(most) = self.max_wait.filter(|most| plan.ms > *most) {
            let message = format!(
                "a wait of {} is due ({}), max-wait-ms allows {most}; call again after that",
                plan.ms,
                plan.why.name()
            );
            return self.refuse(supplier, plan, FailureKind::Throttled, "wait-too-long", message, now);
        }
        if self.elapsed(now).plus(plan.ms) >= self.deadline {
            let left = self.deadline.minus(self.elapsed(now));
            let message = format!(
                "a wait of {} is due ({}), the deadline is in {left}; give the call more time",
                plan.ms,
                plan.why.name()
            );
            return self.refuse(supplier, plan, FailureKind::Cancelled, "deadline-would-pass", message, now);
        }
        self.journal.waits(plan.ms, plan.why, now);
        supplier.health.waited(plan.ms.0);
        let at = now.mono.plus(plan.ms);
        let due = if plan.clamped { Due::forced(at) } else { Due::at(at) };
        self.state = State::Waiting(due, plan.why);
        Action::Wait { ms: plan.ms, why: plan.why }
    }

    /// Goes on with a wait that is not over.
    pub(super) fn sleep(&mut self, due: Due, why: Why, left: Ms) -> Action {
        self.state = State::Waiting(due, why);
        Action::Wait { ms: left, why }
    }

    fn refuse(
        &mut self,
        supplier: &mut Supplier,
        plan: &Plan,
        kind: FailureKind,
        code: &'static str,
        message: String,
        now: Now,
    ) -> Action {
        self.journal.refuses(plan.ms, plan.why, code, now);
        self.asked = plan.asked;
        self.fail(supplier, kind, code, message, now)
    }

    fn clamp(&self, asked: Option<Ms>) -> (Option<Ms>, bool) {
        let cap = Ms(u64::from(self.policy.retry.max_server_wait_ms));
        match asked {
            Some(ms) if ms > cap && self.policy.retry.long_wait == LongWait::Clamp => (Some(cap), true),
            asked => (asked, false),
        }
    }

    /// Only ever added: a number is never undercut (`cases.md`, B27).
    fn jitter(&mut self, wait: Ms) -> Ms {
        let retry = &self.policy.retry;
        let base = wait.0.min(u64::from(retry.max_delay_ms));
        // At most 2^32, exact in f64; a negative or huge product saturates.
        self.entropy.up_to(Ms((retry.jitter * base as f64) as u64))
    }
}
