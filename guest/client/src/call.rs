//! One call: the engine asks, this loop does.

use crate::bindings::wasi::random::random;
use crate::convert::{self, Response};
use crate::{attempt, clock, wit};
use std::cell::RefCell;
use supplier_engine::{Action, Body, Done, Event, Failure, Goal, Supplier, Want};

pub fn send(supplier: &RefCell<Supplier>, request: wit::Request) -> Result<wit::Reply, wit::Failure> {
    match drive(supplier, Goal::Reply(convert::request(request))) {
        (Ok(Done::Reply { verdict, retry_after, journal }), Some(last)) => Ok(wit::Reply {
            response: convert::response(last),
            verdict,
            retry_after_ms: retry_after.map(|ms| ms.saturated()),
            journal,
        }),
        (Err(failure), last) => Err(convert::failure(failure, last)),
        (Ok(Done::Reply { .. }), None) => Err(convert::unexpected("a reply without a response")),
        (Ok(Done::Page { .. }), _) => Err(convert::unexpected("a page where a reply was due")),
    }
}

pub fn page(
    supplier: &RefCell<Supplier>,
    request: wit::Request,
    position: Option<String>,
) -> Result<wit::Page, wit::Failure> {
    match drive(supplier, Goal::Page { request: convert::request(request), position }) {
        (Ok(Done::Page { items, count, next, journal }), Some(last)) => {
            Ok(wit::Page { items, count, next, headers: last.headers.0, journal })
        }
        (Err(failure), last) => Err(convert::failure(failure, last)),
        (Ok(Done::Page { .. }), None) => Err(convert::unexpected("a page without a response")),
        (Ok(Done::Reply { .. }), _) => Err(convert::unexpected("a reply where a page was due")),
    }
}

/// Runs a call to its end. Beside the result stands the response of the last attempt, if it
/// was answered.
fn drive(supplier: &RefCell<Supplier>, goal: Goal) -> (Result<Done, Failure>, Option<Response>) {
    let begun = supplier.borrow().begin(goal, entropy());
    let mut call = match begun {
        Ok(call) => call,
        Err(failure) => return (Err(failure), None),
    };
    let mut last = None;
    let mut event = Event::Go;
    loop {
        let action = supplier.borrow_mut().step(&mut call, event, clock::now());
        event = match action {
            Action::Send { wire, timer, caps, want } => {
                // A response belongs to its attempt; and two bodies need not stand in memory.
                last = None;
                match attempt::run(&wire, timer, caps) {
                    Ok(response) => {
                        let answered = tell(&response, want);
                        last = Some(response);
                        answered
                    }
                    Err(broke) => broke.into_event(),
                }
            }
            Action::Wait { ms, why: _ } => {
                clock::sleep(ms);
                Event::Go
            }
            // One instance is alone with its memory; a shared budget is the engine component's.
            Action::Store { .. } => Event::StoreFailed { code: String::from("no-store") },
            Action::Done(result) => return (result, last),
        };
    }
}

/// The policy gets a copy, and of the body only where it wants one: the response itself
/// stays here for the reply, or for the failure that carries it.
fn tell(response: &Response, want: Want) -> Event {
    let wanted = if response.status < 400 { want.ok } else { want.error };
    let body = if wanted { response.body.clone() } else { Body::default() };
    Event::Answered { status: response.status, headers: response.headers.clone(), body }
}

fn entropy() -> [u8; 16] {
    let mut entropy = [0; 16];
    for (to, from) in entropy.iter_mut().zip(random::get_random_bytes(16)) {
        *to = from;
    }
    entropy
}
