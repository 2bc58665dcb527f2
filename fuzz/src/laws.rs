//! What holds for every call.

use serde_json::Value;
use supplier_engine::{Action, Call, Done, Event, Failure, FailureKind, Goal, Mono, Ms, Now, Phase, Supplier, Why};

/// Every credential: hexadecimal, base64 and plain text alike.
pub const CANARY: &str = "cafe1dea5ec2e7cafe1dea5ec2e7beef";
/// Stands in every path and query.
pub const PATH_CANARY: &str = "canary-path-7f3a";

/// The pauses of a contended store are not waits for the supplier: they are short instead.
const LONGEST_PAUSE: Ms = Ms(64);
/// Store actions between an answer and what the call does about it.
const MOST_SETTLING: u32 = 32;
/// Bytes of a journal but for its attempts, and for each of those.
const JOURNAL: usize = 64 * 1024;
const JOURNAL_OF_ATTEMPT: usize = 8 * 1024;
/// Windows of one pool in the health report: the engine's own bound, and room for fixed ones.
const MOST_WINDOWS: usize = 64;

/// The bounds that a profile sets, the widest of all its operations.
#[derive(Clone, Copy)]
pub struct Laws {
    attempts: u32,
    deadline: Ms,
    attempt_timeout: Ms,
    /// A rule may have even a 400 or a 401 tried again.
    rules_retry: bool,
}

impl Laws {
    /// Reads them from the profile's text; what it does not say has its documented default.
    pub fn read(profile: &str, overrides: Option<&str>) -> Laws {
        let documents: Vec<Value> = [Some(profile), overrides]
            .into_iter()
            .flatten()
            .filter_map(|text| serde_json::from_str(text).ok())
            .collect();
        let most = |key: &str, default: u64| {
            documents.iter().filter_map(|document| most(document, key)).max().unwrap_or(default).max(default)
        };
        Laws {
            attempts: u32::try_from(most("max_attempts", 4)).unwrap_or(u32::MAX),
            deadline: Ms(most("deadline_ms", 120_000)),
            attempt_timeout: Ms(most("attempt_timeout_ms", 30_000)),
            rules_retry: documents.iter().any(retries_by_rule),
        }
    }

    /// The laws of one call.
    pub fn of(&self, goal: &Goal) -> Law {
        let (Goal::Reply(request) | Goal::Page { request, .. }) = goal;
        let safe = matches!(request.method.as_str(), "GET" | "HEAD" | "OPTIONS" | "PUT" | "DELETE");
        Law {
            laws: *self,
            deadline: request.deadline.unwrap_or(self.deadline),
            max_wait: request.max_wait,
            unsafe_: !safe && request.idempotency_key.is_none(),
            began: None,
            sends: 0,
            stores: 0,
            last_send: None,
            over: false,
            words: 0,
        }
    }
}

/// The largest number under this key anywhere in a document.
fn most(value: &Value, key: &str) -> Option<u64> {
    match value {
        Value::Object(map) => map.iter().filter_map(|(k, v)| if k == key { v.as_u64() } else { most(v, key) }).max(),
        Value::Array(list) => list.iter().filter_map(|value| most(value, key)).max(),
        _ => None,
    }
}

/// Whether a rule anywhere in a document leads to another attempt.
fn retries_by_rule(value: &Value) -> bool {
    match value {
        Value::Object(map) => map.iter().any(|(key, value)| {
            let verdict = if key == "verdict" { value.as_str() } else { None };
            matches!(verdict, Some("retry" | "throttled" | "resync-clock" | "unknown-outcome"))
                || retries_by_rule(value)
        }),
        Value::Array(list) => list.iter().any(retries_by_rule),
        _ => false,
    }
}

/// One call, watched.
pub struct Law {
    laws: Laws,
    deadline: Ms,
    max_wait: Option<Ms>,
    unsafe_: bool,
    began: Option<Mono>,
    sends: u32,
    /// Store actions since the last answer.
    stores: u32,
    last_send: Option<Mono>,
    /// Nothing may be sent any more, whatever comes.
    over: bool,
    /// Bytes that the host put into codes; they stand in the journal.
    words: usize,
}

impl Law {
    /// Before the engine gets it.
    pub fn heard(&mut self, event: &Event) {
        match event {
            Event::Answered { status, .. } => {
                self.stores = 0;
                // Never retried, unless the profile has a rule of its own.
                self.over |= matches!(status, 400 | 401) && !self.laws.rules_retry;
            }
            Event::Broke { phase, code, head } => {
                self.stores = 0;
                self.words += code.len();
                let ambiguous = *phase == Phase::MaybeSent && head.is_none() && self.unsafe_;
                self.over |= ambiguous || matches!(phase, Phase::Never | Phase::TooLarge);
            }
            Event::Cancel => self.over = true,
            _ => {}
        }
    }

    /// What the engine wants.
    pub fn asked(&mut self, action: &Action, now: Now) {
        let began = *self.began.get_or_insert(now.mono);
        let elapsed = now.mono.since(began);
        match action {
            Action::Wait { ms, why: Why::Contention } => assert!(*ms <= LONGEST_PAUSE, "a pause of {ms}"),
            Action::Wait { ms, why } => {
                assert!(!self.over, "waits ({why:?}) after the end");
                assert!(elapsed.plus(*ms) < self.deadline, "waits {ms} ({why:?}) beyond the deadline");
                assert!(self.max_wait.is_none_or(|most| *ms <= most), "waits {ms} ({why:?}), longer than allowed");
            }
            Action::Send { wire, timer, .. } => {
                assert!(!self.over, "sends after the end");
                self.sends += 1;
                assert!(self.sends <= self.laws.attempts, "attempt {}", self.sends);
                assert!(elapsed < self.deadline, "sends after the deadline");
                assert!(elapsed.plus(*timer) <= self.deadline, "a timer of {timer} beyond the deadline");
                assert!(*timer <= self.laws.attempt_timeout, "a timer of {timer}");
                assert!(wire.path_and_query().starts_with('/'));
                assert!(wire.path_and_query().bytes().all(|b| b.is_ascii_graphic()), "the target breaks the request");
                for (name, value) in &wire.headers().0 {
                    assert!(supplier_engine::field::is_name(name), "a header name breaks the request");
                    assert!(!value.contains(['\r', '\n', '\0']), "a header value breaks the request");
                }
                self.last_send = Some(now.mono);
            }
            Action::Store { key, value, .. } => {
                assert_silent(key);
                value.iter().for_each(|value| assert_silent(value));
                self.stores += 1;
                if self.last_send.is_some() && self.over {
                    assert!(self.stores <= MOST_SETTLING, "settles for ever");
                }
            }
            Action::Done(end) => match end {
                Ok(Done::Reply { verdict, journal, .. }) => {
                    assert!(self.sends > 0, "a reply without a request");
                    assert_silent(verdict);
                    self.journal(journal);
                }
                Ok(Done::Page { items, next, journal, .. }) => {
                    assert!(items.starts_with('[') && items.ends_with(']'), "items are no array");
                    next.iter().for_each(|next| assert_silent(next));
                    self.journal(journal);
                }
                Err(failure) => self.failed(failure),
            },
        }
    }

    pub fn failed(&self, failure: &Failure) {
        assert_silent(&failure.code);
        assert_silent(&failure.message);
        self.journal(&failure.journal);
    }

    /// The call has ended: it stays so, and the supplier still answers.
    pub fn ended(&self, supplier: &mut Supplier, call: &mut Call, now: Now) {
        match supplier.step(call, Event::Go, now) {
            Action::Done(Err(failure)) => assert_eq!(failure.kind, FailureKind::Internal, "a second end"),
            other => panic!("goes on after its end: {other:?}"),
        }
        let health = supplier.health();
        assert_silent(&health);
        let health: Value = serde_json::from_str(&health).expect("health is JSON");
        for pool in health["pools"].as_object().into_iter().flat_map(|pools| pools.values()) {
            let windows = pool["windows"].as_object().map_or(0, serde_json::Map::len);
            assert!(windows <= MOST_WINDOWS, "{windows} windows in one pool");
        }
    }

    fn journal(&self, text: &str) {
        assert_silent(text);
        let most = JOURNAL + JOURNAL_OF_ATTEMPT * self.sends as usize + 6 * self.words;
        assert!(text.len() <= most, "a journal of {} bytes after {} attempts", text.len(), self.sends);
        let journal: Value = serde_json::from_str(text).expect("a journal is JSON");
        assert_eq!(journal["attempts"].as_array().map(Vec::len), Some(self.sends as usize));
    }
}

/// The secret and the path, in every encoding that the engine knows.
const CANARIES: [&str; 4] = [CANARY, "Y2FmZTFkZWE1ZWMy", "63616665316465613565", PATH_CANARY];

/// Letters of the secret that the shorter of its encoded forms holds.
const ENCODED: usize = 10;

/// No secret and no path stands in what people and logs see.
pub fn assert_silent(text: &str) {
    for canary in CANARIES {
        assert!(!text.contains(canary), "tells {canary}");
    }
}

/// Whether the fuzzer has learned the canaries: a supplier that knows them may say them. The encoded
/// ones are beginnings, so that the beginning of the secret is enough.
pub fn knows_canaries(input: &str) -> bool {
    input.contains(&CANARY[..ENCODED]) || CANARIES.iter().any(|canary| input.contains(canary))
}
