//! The strict supplier: answers only what is signed, fresh and within its limit, and keeps a
//! report of everything that was not.
//!
//! | below `/v2` | |
//! |---|---|
//! | `GET /consignments?cursor=&limit=` | a page; the cursor in the body (`/next`, `/has_more`) |
//! | `GET /consignments-link` | the same; the cursor in `Link: <...>; rel="next"` |
//! | `GET /consignments-header` | the same; the cursor in `X-Next-Cursor` |
//! | `POST /orders` | an order, idempotent under `Idempotency-Key` |
//! | `GET /orders/count` | how many there are |
//! | [`probe`](super::probe) | what hosts do to requests and answers |
//!
//! `GET /__report` needs no signature and counts nowhere.

mod routes;

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use supplier_engine::Wall;

use super::catalogue::Catalogue;
use super::clock::Clock;
use super::conformance;
use super::exchange::{Answer, Delivery};
use super::fault::{self, Schedule};
use super::limit::{Early, Standing, Told, Window};
use super::orders::Orders;
use super::report::{Finding, Kind, Report};
use super::server::{Running, Service};
use super::signature::Verifier;
use super::wire::{Head, Request};
use crate::dates;

/// What the supplier demands and serves.
#[derive(Clone)]
pub struct StrictConfig {
    pub verifier: Verifier,
    /// So many requests...
    pub limit: u64,
    /// ...in so many milliseconds, rounded up to a whole second of the clock.
    pub window_ms: u64,
    pub catalogue: Catalogue,
    pub faults: Schedule,
    pub clock: Clock,
}

/// The supplier. All connections share it.
pub struct Strict {
    config: StrictConfig,
    started: Instant,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    authorities: Vec<String>,
    window: Option<Window>,
    told: Told,
    orders: Orders,
    /// How often each target came, for probes.
    seen: BTreeMap<String, u64>,
    /// Pages and orders, and orders alone: what faults are counted by.
    work: u64,
    order_requests: u64,
    report: Report,
}

/// What is known of a request before its body is read.
pub struct Ticket {
    request: u64,
    fault: Option<fault::Kind>,
    /// Wrong in a way that must not be answered as if nothing were.
    refuse: Option<&'static str>,
}

impl Default for StrictConfig {
    fn default() -> StrictConfig {
        StrictConfig {
            verifier: Verifier {
                header: "X-Signature".into(),
                secrets: vec!["test_secret_a".into()],
                tolerance_ms: 300_000,
            },
            limit: 1000,
            window_ms: 1000,
            catalogue: Catalogue { total: 40_000, page_size: 100 },
            faults: Schedule::default(),
            clock: Clock::default(),
        }
    }
}

impl Strict {
    /// Starts the supplier on `127.0.0.1:port` (0: any free port).
    pub fn start(config: StrictConfig, port: u16) -> anyhow::Result<Running<Strict>> {
        let window = Some(Window::new(config.limit, config.window_ms));
        let state = Mutex::new(State { window, ..State::default() });
        let running = Running::start(Strict { config, started: Instant::now(), state }, port)?;
        running.service.state().authorities = conformance::authorities(running.address.port());
        Ok(running)
    }

    pub fn report(&self) -> Report {
        self.state().report()
    }

    /// No invariant spans a panic of another connection: counts and maps stay usable.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, state: &mut State, request: u64, kind: Kind, detail: String) {
        let at_ms = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        state.report.find(Finding { request, at_ms, kind, detail });
    }

    /// Everything that must hold before a request is worth an answer.
    fn admit(&self, state: &mut State, ticket: &Ticket, request: &Request, now_ms: i64) -> Result<(), Answer> {
        if let Some(early) = state.told.judge(&key(&request.head), request.head.arrived, now_ms) {
            let (kind, detail) = match early {
                Early::Limit { by_ms } => (Kind::Limit, format!("{by_ms} ms before the reset")),
                Early::RetryAfter { by_ms } => (Kind::RetryAfter, format!("{by_ms} ms before Retry-After was over")),
            };
            self.find(state, ticket.request, kind, detail);
        }
        if let Some(why) = ticket.refuse {
            return Err(Answer::error(400, "host_defect", why));
        }
        self.config.verifier.verify(&request.head, &request.body, now_ms).map_err(|flaw| {
            let kind = if flaw.is_about_time() { Kind::StaleSignature } else { Kind::Signature };
            self.find(state, ticket.request, kind, flaw.text());
            Answer::error(401, "signature", &flaw.text())
        })
    }

    fn serve(&self, state: &mut State, ticket: &Ticket, request: &Request, now_ms: i64) -> Answer {
        if let Err(refusal) = self.admit(state, ticket, request, now_ms) {
            return refusal;
        }
        match ticket.fault {
            Some(fault::Kind::Status(429, Some(seconds))) => {
                let standing = state.window(|window| window.close(now_ms, seconds));
                return standing.headers(limited());
            }
            Some(fault::Kind::Status(status, seconds)) => {
                let answer = Answer::error(status, "injected", "a fault on purpose");
                return match seconds {
                    Some(seconds) => answer.header("Retry-After", seconds.to_string()),
                    None => answer,
                };
            }
            Some(fault::Kind::DropRead) => return Answer::dropped(),
            _ => {}
        }
        let standing = state.window(|window| window.take(now_ms));
        if !standing.granted {
            state.report.over_limit += 1;
            return standing.headers(limited());
        }
        let answer = standing.headers(self.route(state, ticket, request));
        match ticket.fault {
            Some(fault::Kind::DropApplied) => Answer::dropped(),
            Some(fault::Kind::Cut) => answer.deliver(Delivery::Cut),
            Some(fault::Kind::Stall) => answer.deliver(Delivery::Stall),
            Some(fault::Kind::Slow) => answer.deliver(Delivery::Slow { pieces: 10, pause: Duration::from_millis(20) }),
            _ => answer,
        }
    }
}

impl Service for Strict {
    type Ticket = Ticket;

    fn begin(&self, head: &Head) -> Result<Ticket, Answer> {
        if head.path() == "/__report" {
            return Ok(Ticket { request: 0, fault: None, refuse: None });
        }
        let mut state = self.state();
        let state = &mut *state;
        state.report.requests += 1;
        let request = state.report.requests;
        state.report.chunked += u64::from(head.values("transfer-encoding").next().is_some());
        let mut refuse = None;
        for (kind, detail) in conformance::flaws(head, &state.authorities) {
            if matches!(kind, Kind::HostLine | Kind::Target) {
                refuse = Some("the host broke this request; see the supplier's report");
            }
            self.find(state, request, kind, detail);
        }
        let fault = state.fault(&self.config.faults, head);
        if let Some(fault) = fault {
            *state.report.injected.entry(fault.to_string()).or_default() += 1;
        }
        if fault == Some(fault::Kind::Drop) {
            state.status("dropped");
            return Err(Answer::dropped());
        }
        Ok(Ticket { request, fault, refuse })
    }

    fn answer(&self, ticket: Ticket, request: &Request) -> Answer {
        if ticket.request == 0 {
            return Answer::json(200, self.report().to_json());
        }
        let mut state = self.state();
        let waited = i64::try_from(request.head.arrived.elapsed().as_millis()).unwrap_or(i64::MAX);
        let now_ms = self.config.clock.now_ms();
        // Judged by when the request began to arrive, not by how long its body took.
        let answer = self.serve(&mut state, &ticket, request, now_ms.saturating_sub(waited));
        match answer.delivery {
            Delivery::Drop | Delivery::Silence => state.status("dropped"),
            _ => state.status(&answer.status.to_string()),
        }
        let id = format!("req-{:06}", ticket.request);
        answer.header("Date", dates::http_date(Wall(now_ms))).header("X-Request-Id", id).header(
            // Nobody may send it back: a cookie jar would.
            "Set-Cookie",
            "strict=1; Path=/",
        )
    }

    fn written(&self, head: &Head, answer: &Answer) {
        if !matches!(answer.delivery, Delivery::Drop | Delivery::Silence) && head.path() != "/__report" {
            self.state().told.note(&key(head), answer, self.config.clock.now_ms());
        }
    }

    fn malformed(&self, why: &'static str) {
        let mut state = self.state();
        let request = state.report.requests;
        self.find(&mut state, request, Kind::Malformed, why.into());
    }
}

impl State {
    fn window(&mut self, use_it: impl FnOnce(&mut Window) -> Standing) -> Standing {
        use_it(self.window.get_or_insert_with(|| Window::new(1, 1000)))
    }

    fn status(&mut self, status: &str) {
        *self.report.by_status.entry(status.to_owned()).or_default() += 1;
    }

    fn fault(&mut self, faults: &Schedule, head: &Head) -> Option<fault::Kind> {
        let order = head.method == "POST" && head.path() == "/v2/orders";
        if !order && !head.path().starts_with("/v2/consignments") {
            return None;
        }
        self.work += 1;
        self.order_requests += u64::from(order);
        faults.pick(self.work, order.then_some(self.order_requests))
    }

    fn report(&self) -> Report {
        Report { orders: self.orders.applied, replayed: self.orders.replayed, ..self.report.clone() }
    }
}

fn limited() -> Answer {
    Answer::error(429, "rate_limited", "too many requests")
}

/// What makes two requests the same one, for Retry-After.
fn key(head: &Head) -> String {
    format!("{} {} {}", head.method, head.target, head.only("idempotency-key").unwrap_or_default())
}
