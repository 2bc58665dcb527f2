//! The scripted supplier: what each request gets, and the log of what arrived.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use bytes::Bytes;
use supplier_engine::Wall;

use crate::clock::Clock;
use crate::dates;
use crate::scenario::{Body, Case, Entry, ScriptBody};

/// Pieces of an endless body are this long, or as long as its text.
const ENDLESS_PIECE: usize = 16 * 1024;

/// Raw header lines.
pub type Lines = Vec<(String, Vec<u8>)>;

/// Shared by all that send to it.
#[derive(Clone, Debug)]
pub struct Supplier {
    pub clock: Clock,
    state: Arc<Mutex<State>>,
}

#[derive(Debug)]
struct State {
    script: Vec<Arc<Entry>>,
    log: Vec<Seen>,
}

/// One request that reached the supplier.
#[derive(Clone, Debug)]
pub struct Seen {
    pub at_ms: u64,
    /// Our wall clock and the supplier's at that time.
    pub ours: Wall,
    pub theirs: Wall,
    pub method: String,
    pub scheme: String,
    pub authority: String,
    /// Raw path and query.
    pub target: String,
    pub headers: Lines,
    pub body: Vec<u8>,
    pub answer: Option<Answered>,
    /// The script had no entry for it.
    pub unexpected: bool,
}

impl Seen {
    /// The values of a header, as text; bytes that are not UTF-8 are replaced.
    pub fn lines(&self, name: &str) -> Vec<String> {
        let lines = self.headers.iter().filter(|(n, _)| n.eq_ignore_ascii_case(name));
        lines.map(|(_, value)| String::from_utf8_lossy(value).into_owned()).collect()
    }
}

/// What a request got, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    pub at_ms: u64,
    pub what: String,
}

impl Supplier {
    pub fn new(case: &Case, clock: Clock) -> Supplier {
        let mut script = Vec::new();
        for entry in &case.scenario.script {
            let entry = Arc::new(entry.clone());
            script.extend(std::iter::repeat_n(entry.clone(), entry.times.unwrap_or(1)));
        }
        Supplier { clock, state: Arc::new(Mutex::new(State { script, log: Vec::new() })) }
    }

    /// A request has arrived: it stands in the log from now on, under the number returned.
    pub fn arrive(&self, mut seen: Seen) -> (usize, Plan) {
        let mut state = self.state();
        let index = state.log.len();
        let entry = state.script.get(index).cloned();
        seen.unexpected = entry.is_none();
        state.log.push(seen);
        // Nobody would retry this, so the call ends and the scenario says what was too much.
        let entry = entry.unwrap_or_else(|| Arc::new(Entry::error("http-request-denied")));
        self.clock.jump(entry.clock_jump_ms);
        (index, Plan { entry })
    }

    /// A blank entry for the log, at this time.
    pub fn seen(&self) -> Seen {
        Seen {
            at_ms: self.clock.elapsed_ms(),
            ours: self.clock.wall(),
            theirs: self.clock.server(),
            method: String::new(),
            scheme: String::new(),
            authority: String::new(),
            target: String::new(),
            headers: Vec::new(),
            body: Vec::new(),
            answer: None,
            unexpected: false,
        }
    }

    /// More of the request body has arrived.
    pub fn receive(&self, index: usize, bytes: &[u8]) {
        if let Some(seen) = self.state().log.get_mut(index) {
            seen.body.extend_from_slice(bytes);
        }
    }

    /// The request has got its head or its error.
    pub fn answered(&self, index: usize, what: impl Into<String>) {
        let at_ms = self.clock.elapsed_ms();
        if let Some(seen) = self.state().log.get_mut(index) {
            seen.answer = Some(Answered { at_ms, what: what.into() });
        }
    }

    pub fn log(&self) -> Vec<Seen> {
        self.state().log.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic elsewhere has already failed the scenario; the log is still worth reading.
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// What one request gets.
#[derive(Clone, Debug)]
pub struct Plan {
    entry: Arc<Entry>,
}

/// How an answer begins.
#[derive(Clone, Debug)]
pub enum Head {
    Response { status: u16, headers: Lines },
    Error { code: String, detail: Option<String> },
    Silence,
}

/// A piece of a response body.
#[derive(Clone, Debug)]
pub enum Piece {
    Bytes(Bytes),
    Pause(Duration),
    /// Again and again.
    Endless(Bytes),
    Break(String),
    Stall,
}

impl Plan {
    pub fn after(&self) -> Duration {
        Duration::from_millis(self.entry.after_ms)
    }

    /// Whether the answer comes without reading the request body.
    pub fn early(&self) -> bool {
        self.entry.early
    }

    /// The head, as it is written at the time on this clock.
    pub fn head(&self, clock: &Clock) -> Head {
        let entry = &*self.entry;
        if let Some(code) = &entry.error {
            return Head::Error { code: code.clone(), detail: entry.detail.clone() };
        }
        let Some(status) = entry.status else { return Head::Silence };
        let mut headers = Lines::new();
        for (name, value) in &entry.headers.0 {
            // Read once before (`Entry::check`).
            for line in value.lines().unwrap_or_default() {
                let is_date = name.eq_ignore_ascii_case("date") && line == b"now";
                let line = if is_date { dates::http_date(clock.server()).into_bytes() } else { line };
                headers.push((name.clone(), line));
            }
        }
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type"))
            && let Some(content_type) = self.content_type()
        {
            headers.push(("content-type".to_owned(), content_type.into_bytes()));
        }
        Head::Response { status, headers }
    }

    fn content_type(&self) -> Option<String> {
        match self.entry.content_type.as_deref() {
            Some("json") => return Some("application/json".to_owned()),
            Some(other) => return Some(other.to_owned()),
            None => {}
        }
        let is_json = match &self.entry.body {
            ScriptBody::Json { .. } => true,
            ScriptBody::Plain(body) => serde_json::from_slice::<serde::de::IgnoredAny>(&bytes(body)).is_ok(),
            ScriptBody::Chunks { .. } | ScriptBody::Endless { .. } => false,
        };
        is_json.then(|| "application/json".to_owned())
    }

    /// The body, piece by piece.
    pub fn pieces(&self) -> Vec<Piece> {
        let mut pieces = Vec::new();
        match &self.entry.body {
            ScriptBody::Plain(body) => pieces.push(Piece::Bytes(bytes(body))),
            ScriptBody::Json { json } => pieces.push(Piece::Bytes(json.to_string().into())),
            ScriptBody::Endless { endless } => {
                let times = ENDLESS_PIECE.div_ceil(endless.len().max(1));
                pieces.push(Piece::Endless(endless.repeat(times).into()));
            }
            ScriptBody::Chunks { chunks, every_ms } => {
                for (index, chunk) in chunks.iter().enumerate() {
                    if index > 0 && *every_ms > 0 {
                        pieces.push(Piece::Pause(Duration::from_millis(*every_ms)));
                    }
                    pieces.push(Piece::Bytes(bytes(chunk)));
                }
            }
        }
        if self.entry.stall {
            pieces.push(Piece::Stall);
        } else if let Some(code) = self.entry.cut() {
            pieces.push(Piece::Break(code.to_owned()));
        }
        pieces
    }
}

/// Read once before (`Entry::check`).
fn bytes(body: &Body) -> Bytes {
    body.bytes().unwrap_or_default().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(entry: Entry) -> Lines {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let clock = Clock::start(Wall(0), dates::parse_rfc3339("2026-03-02T12:00:00Z").unwrap());
            match (Plan { entry: Arc::new(entry) }).head(&clock) {
                Head::Response { headers, .. } => headers,
                other => panic!("{other:?}"),
            }
        })
    }

    fn line(name: &str, value: &str) -> (String, Vec<u8>) {
        (name.to_owned(), value.as_bytes().to_vec())
    }

    #[test]
    fn a_date_is_written_from_the_suppliers_clock() {
        let lines = headers(Entry::status(429).header("Date", "now"));
        assert_eq!(lines, [line("Date", "Mon, 02 Mar 2026 12:00:00 GMT")]);
    }

    #[test]
    fn json_has_its_content_type_unless_another_is_given() {
        assert_eq!(headers(Entry::status(200).body("{}")), [line("content-type", "application/json")]);
        assert_eq!(headers(Entry::status(200).body("<p>")), []);
        let html = Entry { content_type: Some("text/html".to_owned()), ..Entry::status(200).body("{}") };
        assert_eq!(headers(html), [line("content-type", "text/html")]);
        assert_eq!(headers(Entry::status(200).header("Content-Type", "a/b").body("{}")), [line("Content-Type", "a/b")]);
    }
}
