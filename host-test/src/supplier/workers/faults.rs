//! The same work while something breaks: all of it is done, and done once, and the budget is whole
//! again within one window and one lease.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::json;

use super::crew::{Meanwhile, Member, Run, Start, Store, run};
use super::redis::Redis;
use super::relay::Relay;
use super::{Plan, done_once, shown};
use crate::style::Style;
use crate::supplier::report::Kind;

/// Half of the work.
const PLAN: Plan = Plan { orders: 100, ..super::PLAN };
/// When it breaks, while the second window is being used.
const AT: Duration = Duration::from_millis(3_300);
/// How long Redis is away, or too slow.
const AWAY: Duration = Duration::from_millis(1_000);
/// An attempt's timer of 1.5 s and two more.
const LEASE: Duration = Duration::from_millis(3_500);
/// Of a Redis that is far away, and of one that is too slow for the patience of 250 ms.
const FAR: Duration = Duration::from_millis(30);
const TOO_SLOW: Duration = Duration::from_millis(400);

/// A fault, and what is to be seen of it.
struct Fault<'a> {
    name: &'a str,
    meanwhile: &'a dyn Meanwhile,
    redis: &'a str,
    orders: usize,
    /// When it is over.
    over: Duration,
    /// What shows that it has happened.
    shows: fn(&Run) -> bool,
    /// Whether anybody may be refused after the first window.
    calm: bool,
}

/// Each fault in a run of its own; what was wrong. `faketime`: the program that starts another one
/// with a wrong clock.
pub fn all(crew: &[Member], redis: &mut Redis, faketime: &str, style: Style) -> Result<Vec<String>> {
    let url = redis.url();
    let relay = Relay::start(redis.address(), FAR)?;
    let relayed = relay.url();
    let redis = Mutex::new(redis);
    let clocks = Clocks { faketime };
    let killed = Killed::default();
    let deploy = Deploy { begin: Mutex::default(), last: Duration::from_millis(300) * crew.len() as u32 };
    let base =
        Fault { name: "", meanwhile: &clocks, redis: &url, orders: PLAN.orders, over: AT, shows: |_| true, calm: true };
    let faults = [
        Fault {
            name: "Redis is killed, and back after a second",
            meanwhile: &Restart(&redis),
            over: AT + AWAY,
            shows: |run| run.without_store > 0,
            calm: false,
            ..base
        },
        Fault {
            name: "three workers are killed, each with an order in its hands",
            meanwhile: &killed,
            over: AT + AWAY,
            shows: |run| run.handed_on == 3,
            ..base
        },
        Fault {
            name: "garbage stands under the key, and then a document of an unknown version",
            meanwhile: &Texts(&redis),
            over: AT + AWAY,
            calm: false,
            ..base
        },
        Fault {
            name: "three clocks are ten minutes off",
            over: Duration::ZERO,
            // Each is told once that its signature is stale.
            shows: |run| run.report.count(Kind::StaleSignature) > 0,
            ..base
        },
        Fault {
            name: "Redis takes 30 ms for each answer, and for a second 400 ms",
            meanwhile: &Slow(&relay),
            redis: &relayed,
            over: AT + AWAY + TOO_SLOW,
            shows: |run| run.without_store > 0,
            calm: false,
            ..base
        },
        Fault {
            name: "one worker after the other is replaced by one whose format has another version",
            meanwhile: &deploy,
            // Two windows more: nobody is replaced while it waits.
            orders: PLAN.orders + 2 * 20,
            over: AT + deploy.last + PLAN.period(),
            shows: |run| run.replaced > 0,
            calm: false,
            ..base
        },
    ];
    let mut wrong = Vec::new();
    for fault in faults {
        let plan = Plan { orders: fault.orders, ..PLAN };
        let run = run(&plan, crew, Store::Redis(fault.redis), fault.meanwhile)?;
        println!("{}\n{}", style.strong(fault.name), shown::timeline(crew, &run, style));
        println!("{}\n", fault.told(&plan, &run));
        wrong.extend(done_once(&plan, fault.name, &run));
        wrong.extend(fault.healed(&plan, &run));
    }
    Ok(wrong)
}

impl Fault<'_> {
    fn told(&self, plan: &Plan, run: &Run) -> String {
        format!(
            "{} orders, {} without the store, {} handed on, {} 429s; the budget is whole from {:.1} s on: {} 429s of {:.1} s",
            run.report.orders,
            run.without_store,
            run.handed_on,
            run.refused(),
            self.whole(plan).as_secs_f64(),
            run.refused_after(self.whole(plan)),
            run.elapsed.as_secs_f64()
        )
    }

    /// One window and one lease after the fault.
    fn whole(&self, plan: &Plan) -> Duration {
        self.over + plan.period() + LEASE
    }

    fn healed(&self, plan: &Plan, run: &Run) -> Vec<String> {
        let mut wrong = Vec::new();
        let name = self.name;
        let late = run.refused_after(self.whole(plan));
        if late > 0 {
            wrong.push(format!("{name}: {late} 429s when the budget should be whole again"));
        }
        if run.elapsed < self.whole(plan) + AWAY {
            wrong.push(format!("{name}: over before it could show that the budget is whole again"));
        }
        if !(self.shows)(run) {
            wrong.push(format!("{name}: it did not happen"));
        }
        let refused = run.refused_after(plan.period());
        if self.calm && refused > 0 {
            wrong.push(format!("{name}: {refused} 429s after the first window"));
        }
        wrong
    }
}

struct Restart<'a, 'b>(&'a Mutex<&'b mut Redis>);

impl Meanwhile for Restart<'_, '_> {
    fn happens(&self) -> Result<()> {
        sleep(AT);
        let mut redis = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        redis.kill()?;
        sleep(AWAY);
        redis.restart()
    }
}

/// Which orders have cost a worker its life.
#[derive(Default)]
struct Killed(Mutex<BTreeSet<usize>>);

impl Meanwhile for Killed {
    /// In the second, third and fourth window.
    fn kills(&self, number: usize) -> bool {
        // Asked again when the order is handed on: once is enough.
        matches!(number, 25 | 30 | 45) && self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(number)
    }
}

struct Texts<'a, 'b>(&'a Mutex<&'b mut Redis>);

impl Meanwhile for Texts<'_, '_> {
    fn happens(&self) -> Result<()> {
        let texts = ["{\"w\":\u{1F4A5} no budget", r#"{"v":2,"q":9,"w":{"requests":[20,3]},"f":{"a":{"end":1}}}"#];
        for (text, after) in texts.into_iter().zip([AT, AWAY]) {
            sleep(after);
            let redis = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let keys = redis.keys()?;
            ensure!(!keys.is_empty(), "no budget stands in Redis");
            for key in keys {
                redis.set(&key, text)?;
            }
        }
        Ok(())
    }
}

/// The second worker of each language: one fast, one slow, one fast.
struct Clocks<'a> {
    faketime: &'a str,
}

impl Meanwhile for Clocks<'_> {
    fn start(&self, member: usize, start: &mut Start) {
        // Only told what the time is can it sign what the supplier takes.
        let when = json!({ "status": 401, "body": { "/error/code": ["signature"] } });
        start.opening["overrides"]["rules"] = json!([{ "when": when, "verdict": "resync-clock" }]);
        let off = match member % 4 {
            1 => "+600s",
            3 => "-600s",
            _ => return,
        };
        start.command = format!("{} --exclude-monotonic -f {off} {}", self.faketime, start.command);
    }
}

struct Slow<'a>(&'a Relay);

impl Meanwhile for Slow<'_> {
    fn happens(&self) -> Result<()> {
        sleep(AT);
        self.0.delay(TOO_SLOW);
        sleep(AWAY);
        self.0.delay(FAR);
        Ok(())
    }
}

/// The version stands in the key, and so does the account, which can be chosen from here.
struct Deploy {
    /// When the run began, and who has been replaced.
    begin: Mutex<Option<(Instant, BTreeSet<usize>)>>,
    /// After `AT`.
    last: Duration,
}

impl Meanwhile for Deploy {
    fn start(&self, member: usize, start: &mut Start) {
        let begin = self.begin.lock().unwrap_or_else(PoisonError::into_inner);
        if begin.as_ref().is_some_and(|(_, replaced)| replaced.contains(&member)) {
            start.opening["overrides"]["account"] = json!("next");
        }
    }

    fn replaces(&self, member: usize) -> bool {
        let mut begin = self.begin.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((at, replaced)) = begin.as_mut() else { return false };
        let due = AT + Duration::from_millis(300) * u32::try_from(member).unwrap_or(0);
        at.elapsed() >= due && replaced.insert(member)
    }

    fn happens(&self) -> Result<()> {
        *self.begin.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), BTreeSet::new()));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::crew::{Attempt, Peace};
    use super::*;
    use crate::supplier::Report;

    #[test]
    fn what_makes_it_fail() {
        let fault = Fault {
            name: "a fault",
            meanwhile: &Peace,
            redis: "",
            orders: 100,
            over: Duration::from_secs(4),
            shows: |run| run.handed_on == 3,
            calm: true,
        };
        // Whole again after a window of 3 s and a lease of 3.5 s.
        let wrong = |refused_at: u64, elapsed_s: u64, handed_on: usize| {
            let attempt = Attempt { member: 0, at: Duration::from_millis(refused_at), status: Some(429) };
            let run = Run {
                elapsed: Duration::from_secs(elapsed_s),
                attempts: vec![attempt],
                report: Report { orders: 100, ..Report::default() },
                without_store: 0,
                handed_on,
                replaced: 0,
            };
            fault.healed(&PLAN, &run)
        };
        assert_eq!(wrong(2_999, 15, 3), [""; 0]);
        assert_eq!(wrong(3_000, 15, 3), ["a fault: 1 429s after the first window"]);
        assert_eq!(
            wrong(10_500, 15, 3),
            ["a fault: 1 429s when the budget should be whole again", "a fault: 1 429s after the first window"]
        );
        assert_eq!(wrong(0, 11, 3), ["a fault: over before it could show that the budget is whole again"]);
        assert_eq!(wrong(0, 15, 2), ["a fault: it did not happen"]);
    }
}
