//! The whole state machine: several calls over one supplier, and any event at any time. Most
//! events answer the last action, since a call ends with the first that does not.
#![no_main]

use arbitrary::{Arbitrary, Unstructured};
use libfuzzer_sys::{Corpus, fuzz_target};
use std::collections::BTreeMap;
use std::sync::LazyLock;
use supplier_engine::{Action, Body, Call, Credential, Event, Goal, Headers, Ms, Phase, Request, Supplier};
use supplier_fuzz::{CANARY, Law, Laws, World, get, knows_canaries, open};

const PROFILES: [&str; 8] = [
    include_str!("../src/dialects.json"),
    include_str!("../../scenarios/profiles/acme.json"),
    include_str!("../../profiles/github.json"),
    include_str!("../../profiles/stripe.json"),
    include_str!("../../profiles/bybit.json"),
    include_str!("../../profiles/hubspot.json"),
    include_str!("../../profiles/discord.json"),
    include_str!("../../profiles/slack.json"),
];
const OVERRIDES: [&str; 4] = [
    "{}",
    r#"{ "budget": { "shared": true } }"#,
    r#"{ "budget": { "shared": true, "store_failure": "closed" }, "retry": { "long_wait": "clamp" } }"#,
    r#"{ "rules": [{ "when": { "status": 401 }, "verdict": "resync-clock" },
                   { "when": { "status": 418 }, "verdict": "unknown-outcome" },
                   { "when": { "status": 420 }, "verdict": "throttled", "min_wait_ms": 70000 }],
         "retry": { "statuses": ["5xx", 429], "max_attempts": 9, "max_server_wait_ms": 300000 } }"#,
];
/// Where a fuzzer would be long to find a name.
const NAMES: [&str; 14] = [
    "Retry-After",
    "Date",
    "Age",
    "RateLimit",
    "RateLimit-Policy",
    "X-RateLimit-Limit",
    "X-RateLimit-Remaining",
    "X-RateLimit-Reset",
    "Link",
    "Content-Type",
    "Content-Encoding",
    "X-Next",
    "Stripe-Should-Retry",
    "X-Request-Id",
];

/// By profile and overrides.
static LAWS: LazyLock<[[Laws; OVERRIDES.len()]; PROFILES.len()]> =
    LazyLock::new(|| PROFILES.map(|profile| OVERRIDES.map(|overrides| Laws::read(profile, Some(overrides)))));

#[derive(Arbitrary)]
struct Play<'a> {
    profile: u8,
    overrides: u8,
    entropy: [u8; 16],
    calls: [Wish<'a>; 3],
    steps: Vec<(u8, Step<'a>)>,
}

#[derive(Arbitrary)]
struct Wish<'a> {
    method: u8,
    page: bool,
    position: Option<&'a str>,
    key: Option<&'a str>,
    header: Option<(&'a str, &'a str)>,
    target: Option<&'a str>,
    body: &'a [u8],
    deadline: Option<u32>,
    max_wait: Option<u32>,
}

#[derive(Arbitrary)]
enum Step<'a> {
    /// What fits the last action: a wait that ends, or the answer.
    Fit {
        early: bool,
        after: u16,
        status: u16,
        headers: Vec<(u8, Value<'a>)>,
        body: &'a str,
    },
    Break {
        phase: u8,
        code: &'a str,
        head: Option<(u16, Vec<(u8, Value<'a>)>)>,
    },
    Lose(Option<&'a str>),
    FailStore,
    /// Whether or not it fits.
    Any(u8),
    Credentials {
        valid: bool,
    },
    Jump(i64),
}

#[derive(Arbitrary)]
enum Value<'a> {
    Text(&'a str),
    Number(u32),
    /// Seconds from the beginning, as an epoch and as a date of that day.
    Epoch(i16),
    Clock {
        minute: u8,
        second: u8,
    },
    Window {
        name: u16,
        left: u8,
        reset: u16,
    },
}

impl Value<'_> {
    fn text(&self) -> String {
        match self {
            Value::Text(text) => (*text).to_owned(),
            Value::Number(number) => number.to_string(),
            Value::Epoch(seconds) => (1_772_452_800 + i64::from(*seconds)).to_string(),
            Value::Clock { minute, second } => format!("Mon, 02 Mar 2026 12:{:02}:{:02} GMT", minute % 60, second % 60),
            Value::Window { name, left, reset } => {
                // As many as one answer may name.
                let windows = (0..16).map(|n| format!(r#""w{}";r={left};t={reset}"#, u32::from(*name) + n));
                windows.collect::<Vec<_>>().join(", ")
            }
        }
    }
}

/// A call, what it wants, and what must hold for it.
struct Going {
    call: Call,
    action: Option<Action>,
    law: Law,
}

fuzz_target!(|input: &[u8]| -> Corpus {
    if knows_canaries(&String::from_utf8_lossy(input)) {
        return Corpus::Reject;
    }
    let Ok(play) = Play::arbitrary_take_rest(Unstructured::new(input)) else { return Corpus::Reject };
    let profile = PROFILES[usize::from(play.profile) % PROFILES.len()];
    let overrides = OVERRIDES[usize::from(play.overrides) % OVERRIDES.len()];
    // Without a signed time there is no clock to be wrong.
    let Ok(supplier) = open(profile, Some(overrides)) else { return Corpus::Reject };
    let laws = LAWS[usize::from(play.profile) % PROFILES.len()][usize::from(play.overrides) % OVERRIDES.len()];
    let mut world = World::new(supplier, laws);
    let mut store = BTreeMap::new();
    let mut going: Vec<Going> = Vec::new();
    for wish in &play.calls {
        let goal = wish.goal();
        let law = laws.of(&goal);
        match world.supplier.begin(goal, play.entropy) {
            Ok(call) => going.push(Going { call, action: None, law }),
            Err(failure) => law.failed(&failure),
        }
    }
    if going.is_empty() {
        return Corpus::Keep;
    }
    for (which, step) in &play.steps {
        let which = usize::from(*which) % going.len();
        let Some(event) = event(step, &mut world, &mut store, going[which].action.as_ref()) else { continue };
        tell(&mut world, &mut going[which], event);
    }
    // Whatever they are at, they end when the caller gives up.
    for call in &mut going {
        tell(&mut world, call, Event::Cancel);
        assert!(matches!(call.action, Some(Action::Done(_))), "does not end");
        let now = world.now();
        call.law.ended(&mut world.supplier, &mut call.call, now);
    }
    Corpus::Keep
});

fn tell(world: &mut World, going: &mut Going, event: Event) {
    if matches!(going.action, Some(Action::Done(_))) {
        return;
    }
    let now = world.now();
    going.law.heard(&event);
    let action = world.supplier.step(&mut going.call, event, now);
    going.law.asked(&action, now);
    going.action = Some(action);
}

impl Wish<'_> {
    fn goal(&self) -> Goal {
        let mut request = Request {
            method: ["GET", "POST", "PUT", "PATCH", "DELETE", "x y"][usize::from(self.method) % 6].to_owned(),
            idempotency_key: self.key.map(str::to_owned),
            body: Body::from_bytes(self.body.to_vec()),
            deadline: self.deadline.map(|ms| Ms(ms.into())),
            max_wait: self.max_wait.map(|ms| Ms(ms.into())),
            ..get()
        };
        if let Some((name, value)) = self.header {
            request.headers.push(name, value);
        }
        if let Some(target) = self.target {
            target.clone_into(&mut request.target);
        }
        if self.page {
            Goal::Page { request, position: self.position.map(str::to_owned) }
        } else {
            Goal::Reply(request)
        }
    }
}

/// The event of a step; `None` where it has none or fits nothing.
fn event(
    step: &Step,
    world: &mut World,
    store: &mut BTreeMap<String, String>,
    action: Option<&Action>,
) -> Option<Event> {
    Some(match step {
        Step::Fit { early, after, status, headers, body } => match action {
            None => Event::Go,
            Some(Action::Wait { ms, .. }) => {
                world.pass(if *early { ms.0 / 2 } else { ms.0 });
                Event::Go
            }
            Some(Action::Send { timer, .. }) => {
                world.pass(u64::from(*after).min(timer.0));
                Event::Answered { status: *status, headers: lines(headers), body: Body::Text((*body).to_owned()) }
            }
            Some(Action::Store { key, expect, value, .. }) => {
                world.pass(u64::from(*after) % 250);
                let current = store.get(key).cloned();
                match value {
                    None => Event::Stored { won: true, current },
                    Some(value) if *expect == current => {
                        store.insert(key.clone(), value.clone());
                        Event::Stored { won: true, current: Some(value.clone()) }
                    }
                    Some(_) => Event::Stored { won: false, current },
                }
            }
            Some(Action::Done(_)) => return None,
        },
        Step::Break { phase, code, head } if matches!(action, Some(Action::Send { .. })) => {
            let phase = [Phase::NotSent, Phase::MaybeSent, Phase::Never, Phase::TooLarge][usize::from(*phase) % 4];
            let head = head.as_ref().map(|(status, headers)| (*status, lines(headers)));
            Event::Broke { phase, code: (*code).to_owned(), head }
        }
        Step::Lose(current) => match action {
            Some(Action::Store { value, .. }) => {
                Event::Stored { won: value.is_none(), current: current.map(str::to_owned) }
            }
            _ => return None,
        },
        Step::FailStore if matches!(action, Some(Action::Store { .. })) => {
            Event::StoreFailed { code: "timeout".to_owned() }
        }
        Step::Any(0) => Event::Go,
        Step::Any(1) => Event::Stored { won: true, current: None },
        Step::Any(2) => Event::StoreFailed { code: String::new() },
        Step::Any(3) => Event::Answered { status: 0, headers: Headers::default(), body: Body::default() },
        Step::Any(4) => Event::Cancel,
        Step::Credentials { valid } => {
            set(&mut world.supplier, *valid);
            return None;
        }
        Step::Jump(ms) => {
            world.wall = world.wall.saturating_add(*ms);
            return None;
        }
        _ => return None,
    })
}

/// Other credentials while calls are under way.
fn set(supplier: &mut Supplier, valid: bool) {
    let names = ["token", "signing-secret", "secret-key"];
    let value = if valid { CANARY } else { "\n" };
    let credentials = names.map(|name| Credential { name: name.to_owned(), value: value.to_owned() });
    let _ = supplier.set_credentials(&credentials);
}

fn lines(headers: &[(u8, Value)]) -> Headers {
    let lines = headers.iter().map(|(name, value)| (NAMES[usize::from(*name) % NAMES.len()].to_owned(), value.text()));
    Headers(lines.collect())
}
