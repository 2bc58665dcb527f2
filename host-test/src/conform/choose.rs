//! Which scenarios make sense in real time, over real HTTP, for a host of any language. The rule
//! is code: first what the scenario asks for, then a rehearsal in virtual time under another
//! clock, other randomness and at a loopback port. What does not hold there as it stands hangs
//! on one of these, and no host could make it true.

use std::fmt;

use supplier_engine::Wall;

use super::rehearse::{self, Rehearsal};
use super::source::Source;
use crate::play::Components;
use crate::scenario::{Case, Component, Entropy, EntropyName, What};

/// The longest that one may wait in all: hundreds of them have to fit into a minute or two.
pub const LONGEST_MS: u64 = 3_000;

/// Why one is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Left {
    Long,
    OneComponent,
    Several,
    CallTimes,
    Asks,
    Clock,
    Jitter,
    Status,
    Origin,
    Code,
    Rehearsal,
}

impl fmt::Display for Left {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Left::Long => "waits longer than 3 s",
            Left::OneComponent => {
                "is about one of the two components: overlap, cancel, a shared store, handles of wasi:http"
            }
            Left::Several => "has several workers or suppliers",
            Left::CallTimes => "has a call that begins at a set time",
            Left::Asks => "asks for what is no request: explain, new credentials, a walk from a position",
            Left::Clock => "sets our clock, or lets it jump",
            Left::Jitter => "chooses the jitter",
            Left::Status => "answers with a status that ends no HTTP exchange",
            Left::Origin => "spells the supplier's own address in another way",
            Left::Code => "tells errors apart that all look like a closed connection",
            Left::Rehearsal => "does not hold under another clock, other randomness or at a loopback port",
        })
    }
}

/// One that is played, and what its rehearsal says.
#[derive(Clone, Debug)]
pub struct Chosen {
    pub source: Source,
    pub rehearsal: Rehearsal,
}

pub fn choose(source: Source, components: &Components) -> Result<Chosen, Left> {
    asks(&source.case)?;
    let rehearsal = rehearse::rehearse(&source, components)?;
    if rehearsal.longest_ms > LONGEST_MS {
        return Err(Left::Long);
    }
    Ok(Chosen { source, rehearsal })
}

/// What can be told without playing it.
fn asks(case: &Case) -> Result<(), Left> {
    let scenario = &case.scenario;
    let at_once = |at: Option<u64>| at.is_none_or(|at| at == 0);
    let asks_more = |what: What<'_>| match what {
        What::Explain(_) | What::SetCredentials(_) => true,
        What::Walk(request) => request.position.is_some(),
        What::Send(_) | What::Page(_) => false,
    };
    let no_end = |status: u16| !(200..=599).contains(&status);
    let rules = [
        (scenario.only.is_some(), Left::OneComponent),
        (case.openings.len() > 1 || scenario.workers.is_some_and(|n| n > 1), Left::Several),
        (scenario.calls.iter().any(|call| !at_once(call.at_ms)), Left::CallTimes),
        (scenario.calls.iter().any(|call| call.what().map_or(true, asks_more)), Left::Asks),
        (scenario.clock.is_some() && !same_clock(case), Left::Clock),
        (scenario.script.iter().any(|entry| entry.clock_jump_ms != 0), Left::Clock),
        (!matches!(scenario.entropy, Entropy::Default | Entropy::Named(EntropyName::Zero)), Left::Jitter),
        (scenario.script.iter().filter_map(|entry| entry.status).any(no_end), Left::Status),
    ];
    rules.into_iter().find(|(holds, _)| *holds).map_or(Ok(()), |(_, left)| Err(left))
}

/// A scenario that starts both clocks at the same time is about no difference between them.
fn same_clock(case: &Case) -> bool {
    let Wall(apart) = Wall(case.clock.0.saturating_sub(case.server_clock.0));
    apart == 0
}

/// The two shapes of the policy hold the same; the hosts drive the engine.
pub const REHEARSED: Component = Component::Engine;

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::scenario::parse;

    fn left(members: &str) -> Option<Left> {
        let text = format!(r#"{{ "scenario": 1, "about": "x", {members} }}"#);
        asks(&parse(&text, Path::new("/nowhere")).unwrap().remove(0)).err()
    }

    #[test]
    fn each_rule_by_itself() {
        let send = r#""calls": [{ "send": {} }]"#;
        assert_eq!(left(send), None);
        assert_eq!(left(&format!(r#"{send}, "only": "engine""#)), Some(Left::OneComponent));
        assert_eq!(left(r#""calls": [{ "send": {}, "at_ms": 5 }]"#), Some(Left::CallTimes));
        assert_eq!(left(r#""calls": [{ "explain": {} }]"#), Some(Left::Asks));
        assert_eq!(left(r#""calls": [{ "walk": { "position": "p" } }]"#), Some(Left::Asks));
        assert_eq!(left(&format!(r#"{send}, "clock": "2026-03-02T12:00:07Z""#)), Some(Left::Clock));
        assert_eq!(left(&format!(r#"{send}, "script": [{{ "status": 200, "clock_jump_ms": 1 }}]"#)), Some(Left::Clock));
        assert_eq!(left(&format!(r#"{send}, "entropy": "max""#)), Some(Left::Jitter));
        assert_eq!(left(&format!(r#"{send}, "script": [{{ "status": 103 }}]"#)), Some(Left::Status));
    }
}
