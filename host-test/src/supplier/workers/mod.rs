//! `supplier-test workers`: worker processes in three languages drain one list of orders against
//! one limit, each by itself and then with one budget in Redis. What a shared budget is for, as
//! numbers; the exit code says whether they are right.

mod cost;
mod crew;
mod faults;
mod folder;
mod redis;
mod relay;
mod shown;

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;

use crate::cli::{DIFFERS, PASSED};
use crate::languages::Languages;
use crate::style::Style;
use crew::{Member, Peace, Run, Store};
use redis::Redis;

/// Processes of each language.
const OF_EACH: usize = 2;
/// Without sharing there are at least so many 429s, or the demonstration shows nothing.
const DOZENS: usize = 24;
/// Store trips that an attempt of several workers may take.
const TRIPS: f64 = 5.0;
/// How much longer than the ideal a shared run may take, in percent.
const TOLERANCE: u32 = 10;

/// Let six workers in three languages drain one list of orders, without and with a shared budget.
///
/// Starts a Redis server of its own and the strict supplier. Exit code 0: with sharing there was
/// no 429 after the first window, no violation and little lost time; 1: not so.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    languages: Languages,
    /// The Redis server to start.
    #[arg(long, value_name = "PROGRAM", default_value = "redis-server")]
    redis_server: String,
    /// Also kill Redis, delay it, kill workers with orders in their hands, set clocks wrong, spoil
    /// the document, and replace the workers by others of another version.
    #[arg(long)]
    faults: bool,
    /// What starts a program with a wrong clock.
    #[arg(long, value_name = "PROGRAM", default_value = "faketime")]
    faketime: String,
    /// Also let the Python and the PHP workers share a folder of files.
    #[arg(long)]
    files: bool,
    /// Only measure what sharing costs, beside the same work without it.
    #[arg(long, conflicts_with_all = ["faults", "files"])]
    cost: bool,
}

/// The work, and the limit that it meets.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub orders: usize,
    pub limit: u64,
    /// Less than whole seconds, at which the supplier's windows end: so one whose first request is
    /// a little late still ends in time, and the ideal does not depend on it.
    pub window_ms: u64,
    /// The supplier takes its time for each answer.
    pub slow: bool,
}

const PLAN: Plan = Plan { orders: 160, limit: 20, window_ms: 2200, slow: true };
/// How long the supplier takes for each answer: `slow`, of its faults.
const ANSWER: Duration = Duration::from_millis(200);

impl Plan {
    /// From one window's beginning to the next one's.
    pub fn period(&self) -> Duration {
        Duration::from_secs(self.window_ms.div_ceil(1000))
    }

    /// Every window used up, and the last one's orders sent by `crew` workers side by side.
    pub fn ideal(&self, crew: usize) -> Duration {
        let orders = self.orders as u64;
        let windows = orders.div_ceil(self.limit).saturating_sub(1);
        let last = orders.saturating_sub(windows * self.limit).div_ceil(crew.max(1) as u64);
        let times = |span: Duration, count: u64| span.saturating_mul(u32::try_from(count).unwrap_or(u32::MAX));
        times(self.period(), windows) + times(ANSWER, last)
    }
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let style = Style::stdout();
    let crew = crew(args);
    let mut redis = Redis::start(&args.redis_server)?;
    if args.cost {
        return cost::measure(&crew, &redis);
    }
    println!(
        "{} orders, {} workers, a limit of {} in {} s",
        PLAN.orders,
        crew.len(),
        PLAN.limit,
        PLAN.period().as_secs()
    );
    let alone = crew::run(&PLAN, &crew, Store::None, &Peace)?;
    println!("\n{}\n{}", style.strong("each by itself"), shown::timeline(&crew, &alone, style));
    redis.reset_count()?;
    let shared = crew::run(&PLAN, &crew, Store::Redis(&redis.url()), &Peace)?;
    let trips = redis.trips()? as f64 / shared.attempts.len().max(1) as f64;
    println!("{}\n{}", style.strong("one shared budget"), shown::timeline(&crew, &shared, style));
    println!("{}", shown::side_by_side(&PLAN, crew.len(), &alone, &shared, style));
    for key in redis.keys()? {
        println!("{key}: {} bytes", redis.size(&key)?);
    }
    println!("{trips:.2} trips to Redis an attempt");
    let mut wrong = judge(&PLAN, crew.len(), &alone, &shared);
    if trips > TRIPS {
        wrong.push(format!("shared: {trips:.2} trips to Redis an attempt, more than {TRIPS}"));
    }
    if args.files {
        wrong.extend(folder::shared(&crew, style)?);
    }
    if args.faults {
        wrong.extend(faults::all(&crew, &mut redis, &args.faketime, style)?);
    }
    for one in &wrong {
        println!("{}", style.bad(one));
    }
    if wrong.is_empty() {
        println!("{}", style.good("all as it must be"));
    }
    Ok(if wrong.is_empty() { PASSED } else { DIFFERS.into() })
}

fn crew(args: &Args) -> Vec<Member> {
    let languages = args.languages.commands();
    let given = languages.into_iter().filter_map(|(name, command)| Some((name, command.as_ref()?)));
    given
        .flat_map(|(name, command)| {
            (1..=OF_EACH).map(move |n| Member { name: format!("{name} {n}"), command: command.clone() })
        })
        .collect()
}

fn judge(plan: &Plan, crew: usize, alone: &Run, shared: &Run) -> Vec<String> {
    let mut wrong = Vec::from_iter(done_once(plan, "each by itself", alone));
    if alone.refused() < DOZENS {
        wrong.push(format!("each by itself: {} 429s, which shows nothing", alone.refused()));
    }
    wrong.extend(is_calm(plan, crew, "shared", shared));
    wrong
}

/// What a run with one budget must be.
fn is_calm(plan: &Plan, crew: usize, name: &str, shared: &Run) -> Vec<String> {
    let mut wrong = Vec::from_iter(done_once(plan, name, shared));
    let refused = shared.refused_after(plan.period());
    if refused > 0 {
        wrong.push(format!("{name}: {refused} 429s after the first window"));
    }
    if shared.report.total() > 0 {
        wrong.push(format!("{name}: violations: {:?}", shared.report.findings));
    }
    if shared.without_store > 0 {
        wrong.push(format!("{name}: {} orders went without the store", shared.without_store));
    }
    let allowed = plan.ideal(crew) * (100 + TOLERANCE) / 100;
    if shared.elapsed > allowed {
        wrong.push(format!("{name}: {:.1} s, more than {TOLERANCE} % over the ideal", shared.elapsed.as_secs_f64()));
    }
    wrong
}

/// Every order exists, and exists once.
fn done_once(plan: &Plan, name: &str, run: &Run) -> Option<String> {
    let (expected, got) = (plan.orders as u64, run.report.orders);
    (expected != got).then(|| format!("{name}: {got} orders instead of {expected}"))
}

#[cfg(test)]
mod tests {
    use super::crew::Attempt;
    use super::*;
    use crate::supplier::Report;

    fn of(refused_at: &[u64], elapsed_s: u64) -> Run {
        let at = |ms: &u64| Attempt { member: 0, at: Duration::from_millis(*ms), status: Some(429) };
        Run {
            elapsed: Duration::from_secs(elapsed_s),
            attempts: refused_at.iter().map(at).collect(),
            report: Report { orders: 160, ..Report::default() },
            without_store: 0,
            handed_on: 0,
            replaced: 0,
        }
    }

    #[test]
    fn the_ideal_is_every_window_used_up() {
        assert_eq!(PLAN.ideal(6), Duration::from_millis(7 * 3000 + 4 * 200));
    }

    #[test]
    fn what_makes_it_fail() {
        let wrong = |alone: &Run, shared: &Run| judge(&PLAN, 6, alone, shared);
        let alone = of(&[1; 30], 22);
        assert_eq!(wrong(&alone, &of(&[1, 2999], 22)), [""; 0]);
        assert_eq!(wrong(&alone, &of(&[3000], 22)), ["shared: 1 429s after the first window"]);
        assert_eq!(wrong(&alone, &of(&[], 24)), ["shared: 24.0 s, more than 10 % over the ideal"]);
        assert_eq!(wrong(&of(&[1; 3], 22), &of(&[], 22)), ["each by itself: 3 429s, which shows nothing"]);
        let lost = Run { report: Report { orders: 159, ..Report::default() }, ..of(&[], 22) };
        assert_eq!(wrong(&alone, &lost), ["shared: 159 orders instead of 160"]);
    }
}
