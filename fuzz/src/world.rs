//! A supplier in virtual time.

use crate::laws::{CANARY, Laws, PATH_CANARY};
use serde_json::Value;
use supplier_engine::{
    Action, Credential, Done, Event, Failure, Goal, Mono, Ms, Now, Problem, Request, Supplier, Wall,
};

/// Opens a supplier, every credential that its texts name being the canary.
pub fn open(profile: &str, overrides: Option<&str>) -> Result<Supplier, Vec<Problem>> {
    let mut names = Vec::new();
    for text in [Some(profile), overrides].into_iter().flatten() {
        if let Ok(document) = serde_json::from_str(text) {
            credential_names(&document, &mut names);
        }
    }
    let credentials: Vec<_> = names.into_iter().map(|name| Credential { name, value: CANARY.to_owned() }).collect();
    Supplier::open(profile, overrides, &credentials)
}

/// `{credential:NAME}` in any text, and the lists called `credentials`.
fn credential_names(value: &Value, names: &mut Vec<String>) {
    let mut add = |name: &str| {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    };
    match value {
        Value::String(text) => {
            for piece in text.split('{').skip(1) {
                let inner = piece.split('}').next().unwrap_or_default();
                inner.split([':', '|']).skip(1).for_each(&mut add);
            }
        }
        Value::Array(list) => list.iter().for_each(|value| credential_names(value, names)),
        Value::Object(map) => {
            for (key, value) in map {
                if key == "credentials" {
                    value.as_array().into_iter().flatten().filter_map(Value::as_str).for_each(&mut add);
                }
                if key == "credential"
                    && let Some(name) = value.as_str()
                {
                    add(name);
                }
            }
            map.values().for_each(|value| credential_names(value, names));
        }
        _ => {}
    }
}

/// A request whose path and query would be recognised.
pub fn get() -> Request {
    Request {
        method: "GET".to_owned(),
        target: format!("/{PATH_CANARY}"),
        query: vec![("q".to_owned(), PATH_CANARY.to_owned())],
        ..Request::default()
    }
}

/// A page of the list that `get` asks for.
pub fn page(operation: Option<&str>, position: Option<String>) -> Goal {
    Goal::Page { request: Request { operation: operation.map(str::to_owned), ..get() }, position }
}

/// When every world begins: 2026-03-02 12:00:00 GMT.
pub const NOW: i64 = 1_772_452_800_000;

/// A supplier and the two clocks of its host.
pub struct World {
    pub supplier: Supplier,
    pub laws: Laws,
    pub mono: u64,
    pub wall: i64,
}

impl World {
    pub fn new(supplier: Supplier, laws: Laws) -> World {
        World { supplier, laws, mono: 0, wall: NOW }
    }

    pub fn now(&self) -> Now {
        Now { wall: Wall(self.wall), mono: Mono(self.mono) }
    }

    pub fn pass(&mut self, ms: u64) {
        self.mono = self.mono.saturating_add(ms);
        self.wall = self.wall.saturating_add_unsigned(ms);
    }

    /// Plays a call to its end under the laws. Waits take virtual time. `answer` says what a
    /// message or the store gets, and after how many milliseconds; when it has nothing left to
    /// say the caller gives up.
    pub fn play(
        &mut self,
        goal: Goal,
        entropy: [u8; 16],
        mut answer: impl FnMut(&Action) -> Option<(u64, Event)>,
    ) -> Result<Done, Failure> {
        let mut law = self.laws.of(&goal);
        let mut call = self.supplier.begin(goal, entropy).inspect_err(|failure| law.failed(failure))?;
        let mut event = Event::Go;
        loop {
            law.heard(&event);
            let now = self.now();
            let action = self.supplier.step(&mut call, event, now);
            law.asked(&action, now);
            event = match action {
                Action::Done(end) => {
                    law.ended(&mut self.supplier, &mut call, now);
                    return end;
                }
                Action::Wait { ms: Ms(ms), .. } => {
                    self.pass(ms);
                    Event::Go
                }
                action => {
                    let (after, event) = answer(&action).unwrap_or((0, Event::Cancel));
                    self.pass(after);
                    event
                }
            };
        }
    }
}
