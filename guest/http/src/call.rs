//! One call: the engine asks, this loop does.

use crate::bindings::wasi::random::random;
use crate::{attempt, clock};
use std::cell::RefCell;
use supplier_engine::{Action, Body, Done, Event, Failure, Goal, Headers, Supplier, Want};

/// A response as the policy was told of it.
pub struct Response {
    pub status: u16,
    pub headers: Headers,
    pub body: Body,
}

/// Runs a call to its end and blocks meanwhile. Beside the result stands the response of the
/// last attempt, if it was answered; a reply and a page always have one.
///
/// The supplier is borrowed for each step only, never across one: a component instance has one
/// thread and is not re-entered, so no borrow can fail.
pub fn call(supplier: &RefCell<Supplier>, goal: Goal) -> (Result<Done, Failure>, Option<Response>) {
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
