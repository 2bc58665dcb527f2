//! The same work while something breaks: all of it is done, and done once, and the budget is whole
//! again within one window and one lease.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::thread::sleep;
use std::time::Duration;

use anyhow::Result;

use super::crew::{Meanwhile, Member, Run, run};
use super::redis::Redis;
use super::{Plan, done_once, shown};
use crate::style::Style;

/// Half of the work.
const PLAN: Plan = Plan { orders: 100, ..super::PLAN };
/// When it breaks, while the second window is being used.
const AT: Duration = Duration::from_millis(3_300);
/// How long Redis is away.
const AWAY: Duration = Duration::from_millis(1_000);
/// An attempt's timer of 1.5 s and two more.
const LEASE: Duration = Duration::from_millis(3_500);

/// Each fault in a run of its own; what was wrong.
pub fn all(crew: &[Member], redis: &mut Redis, style: Style) -> Result<Vec<String>> {
    let url = redis.url();
    let redis = Mutex::new(redis);
    let faults: [(&str, &dyn Meanwhile, Duration); 3] = [
        ("Redis is killed, and back after a second", &Restart(&redis), AT + AWAY),
        ("three workers are killed, each with an order in its hands", &Killed::default(), AT + AWAY),
        ("garbage stands under the key", &Garbage(&redis), AT),
    ];
    let mut wrong = Vec::new();
    for (name, fault, over) in faults {
        let run = run(&PLAN, crew, Some(&url), fault)?;
        println!("{}\n{}", style.strong(name), shown::timeline(crew, &run, style));
        println!(
            "{} orders, {} 429s, {} orders went without the store, {} were handed on, {:.1} s\n",
            run.report.orders,
            run.refused(),
            run.without_store,
            run.handed_on,
            run.elapsed.as_secs_f64()
        );
        wrong.extend(done_once(&PLAN, name, &run));
        wrong.extend(healed(name, &run, over));
    }
    Ok(wrong)
}

fn healed(name: &str, run: &Run, over: Duration) -> Option<String> {
    let late = run.refused_after(over + PLAN.period() + LEASE);
    (late > 0).then(|| format!("{name}: {late} 429s when the budget should be whole again"))
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

struct Garbage<'a, 'b>(&'a Mutex<&'b mut Redis>);

impl Meanwhile for Garbage<'_, '_> {
    fn happens(&self) -> Result<()> {
        sleep(AT);
        let redis = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for key in redis.keys()? {
            redis.set(&key, "{\"w\":\u{1F4A5} no budget")?;
        }
        Ok(())
    }
}
