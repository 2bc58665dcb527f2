//! Drives one call in virtual time against a scripted supplier.
#![allow(dead_code, reason = "each test file uses a part of it")]

pub mod crowd;

use supplier_engine::{
    Action, Body, Credential, Done, Event, Failure, Goal, Headers, Mono, Ms, Now, Phase, Request, Supplier, Wall,
};

pub const T0: i64 = 1_772_452_800_000;

/// The profile of the tests, with a merge patch on it.
pub fn supplier(overrides: &str) -> Supplier {
    let secret = Credential { name: "signing-secret".into(), value: "test_secret_a".into() };
    let profile = include_str!("../../../scenarios/profiles/acme.json");
    Supplier::open(profile, Some(overrides), &[secret]).expect("the tests' profile is right")
}

/// What one attempt gets.
#[derive(Clone, Debug)]
pub struct Reply {
    pub after: u64,
    pub event: Answer,
}

#[derive(Clone, Debug)]
pub enum Answer {
    Status(u16, Vec<(&'static str, String)>, String),
    Broken(Phase, &'static str),
}

impl Reply {
    pub fn status(status: u16, headers: &[(&'static str, &str)], body: &str) -> Reply {
        let headers = headers.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        Reply { after: 0, event: Answer::Status(status, headers, body.to_owned()) }
    }

    pub fn broken(phase: Phase, code: &'static str) -> Reply {
        Reply { after: 0, event: Answer::Broken(phase, code) }
    }

    fn event(self) -> Event {
        match self.event {
            Answer::Status(status, headers, body) => {
                let mut lines = Headers::default();
                for (name, value) in headers {
                    lines.push(name, value);
                }
                Event::Answered { status, headers: lines, body: Body::Text(body) }
            }
            Answer::Broken(phase, code) => Event::Broke { phase, code: code.to_owned(), head: None },
        }
    }
}

/// One attempt as the supplier saw it.
#[derive(Clone, Debug)]
pub struct Sent {
    pub at: u64,
    pub wall: i64,
    pub target: String,
    pub signature: String,
    pub body: Vec<u8>,
    pub timer: u64,
}

pub struct World {
    pub supplier: Supplier,
    pub mono: u64,
    /// How far our wall clock is off the monotonic one.
    pub wall: i64,
    pub sent: Vec<Sent>,
    pub waits: Vec<u64>,
}

impl World {
    pub fn new(overrides: &str) -> World {
        World { supplier: supplier(overrides), mono: 0, wall: T0, sent: Vec::new(), waits: Vec::new() }
    }

    pub fn now(&self) -> Now {
        Now { wall: Wall(self.wall.saturating_add(self.mono as i64)), mono: Mono(self.mono) }
    }

    /// Plays a call to its end; `script` answers the n-th attempt of this world.
    pub fn play(
        &mut self,
        goal: Goal,
        entropy: [u8; 16],
        mut script: impl FnMut(usize, &Sent) -> Reply,
    ) -> Result<Done, Failure> {
        let mut call = self.supplier.begin(goal, entropy)?;
        let mut event = Event::Go;
        loop {
            let now = self.now();
            match self.supplier.step(&mut call, event, now) {
                Action::Send { wire, timer, .. } => {
                    let signature = wire.headers().get("x-signature").map(|s| s.into_owned()).unwrap_or_default();
                    let sent = Sent {
                        at: self.mono,
                        wall: now.wall.0,
                        target: wire.path_and_query().to_owned(),
                        signature,
                        body: wire.body().as_bytes().to_vec(),
                        timer: timer.0,
                    };
                    let reply = script(self.sent.len(), &sent);
                    self.sent.push(sent);
                    if reply.after >= timer.0 {
                        self.mono += timer.0;
                        event = Event::Broke { phase: Phase::MaybeSent, code: "attempt-timeout".into(), head: None };
                    } else {
                        self.mono += reply.after;
                        event = reply.event();
                    }
                }
                Action::Wait { ms: Ms(ms), .. } => {
                    self.waits.push(ms);
                    self.mono += ms;
                    event = Event::Go;
                }
                Action::Store { .. } => event = Event::StoreFailed { code: "none".into() },
                Action::Done(end) => return end,
            }
        }
    }

    pub fn send(&mut self, request: Request, script: impl FnMut(usize, &Sent) -> Reply) -> Result<Done, Failure> {
        self.play(Goal::Reply(request), [0; 16], script)
    }
}

pub fn get(target: &str) -> Request {
    Request { method: "GET".into(), target: target.into(), ..Request::default() }
}

pub fn post(target: &str, body: &str) -> Request {
    Request { method: "POST".into(), target: target.into(), body: Body::Text(body.into()), ..Request::default() }
}
