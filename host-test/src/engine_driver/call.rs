//! One call: a conversation with the engine until it says how the call ended.

use std::time::Duration;

use supplier_engine::Phase;
use wasmtime::component::ResourceAny;

use super::bindings::exports::supplier::client::engine::{self, Step};
use super::exchange::{Exchanged, exchange};
use super::store::Stored;
use super::{Handle, Worker, detail};
use crate::host::Trap;
use crate::report::{Failure, Outcome, Page, Reply, Response};
use crate::scenario::Request;

/// An engine that asks for more than this never ends.
const MOST_STEPS: usize = 100_000;

/// The last answer. The engine tells what it means; the host holds the response.
type Held = Option<Response>;

impl Worker {
    /// Drives one call to its end, or until `cancel_at_ms` on the virtual clock.
    pub async fn call(
        &self,
        supplier: Handle,
        request: &Request,
        position: Option<&str>,
        page: bool,
        cancel_at_ms: Option<u64>,
    ) -> Result<Outcome, Trap> {
        let (document, body, base64) = detail::request(request, position, page);
        let call = self.begin(supplier, &document, &body, base64)?;
        let outcome = self.drive(call, cancel_at_ms).await;
        // What the engine refuses, a scenario may have written wrong on purpose.
        if !matches!(&outcome, Ok(Outcome::Failure(failure)) if failure.kind == "invalid") {
            self.crosses("request", &document);
        }
        self.guest.borrow_mut().with(|_, store| call.resource_drop(store))?;
        outcome
    }

    fn begin(&self, supplier: Handle, document: &str, body: &str, base64: bool) -> Result<ResourceAny, Trap> {
        let mut guest = self.guest.borrow_mut();
        let entropy = data_encoding::HEXLOWER.encode(&guest.entropy.call());
        guest.with(|engine, store| {
            let guest = engine.supplier_client_engine().supplier();
            guest.call_begin(store, supplier.0, document, body, base64, &entropy)
        })
    }

    async fn drive(&self, call: ResourceAny, cancel_at_ms: Option<u64>) -> Result<Outcome, Trap> {
        let mut held: Held = None;
        let mut action = self.step(|guest, store, wall, mono| guest.call_go(store, call, wall, mono))?;
        for _ in 0..MOST_STEPS {
            if let Some(outcome) = ended(&action, &mut held)? {
                return Ok(outcome);
            }
            let perform = self.perform(call, &action, &mut held);
            action = match cancel_at_ms {
                None => perform.await?,
                Some(at_ms) => tokio::select! {
                    biased;
                    () = self.supplier.clock.sleep_until(at_ms) => {
                        self.step(|guest, store, wall, mono| guest.call_cancel(store, call, wall, mono))?
                    }
                    performed = perform => performed?,
                },
            };
        }
        Err(Trap(format!("the engine asked for more than {MOST_STEPS} steps in one call")))
    }

    /// Does what the engine asked for and tells it what came of it.
    async fn perform(
        &self,
        call: ResourceAny,
        action: &engine::Action,
        held: &mut Held,
    ) -> Result<engine::Action, Trap> {
        match action.step {
            Step::Send => self.send(call, action, held).await,
            Step::Wait => {
                tokio::time::sleep(Duration::from_millis(action.ms.into())).await;
                self.step(|guest, store, wall, mono| guest.call_go(store, call, wall, mono))
            }
            Step::Store => {
                let asked: detail::Store = read(&action.detail)?;
                match self.shared.perform(&asked, action.ms).await {
                    Stored::Answered { won, current } => self.step(|guest, store, wall, mono| {
                        guest.call_stored(store, call, won, current.as_deref(), wall, mono)
                    }),
                    Stored::Failed { code } => {
                        self.step(|guest, store, wall, mono| guest.call_store_failed(store, call, &code, wall, mono))
                    }
                }
            }
            Step::Reply | Step::Page | Step::Failed => Err(Trap("the call had ended".to_owned())),
        }
    }

    async fn send(&self, call: ResourceAny, action: &engine::Action, held: &mut Held) -> Result<engine::Action, Trap> {
        let send: detail::Send = read(&action.detail)?;
        let body = detail::decode(action.body.clone(), action.base64).map_err(Trap)?;
        *held = None;
        match exchange(&self.supplier, &send, body, action.ms).await {
            Exchanged::Answered { status, headers, body } => {
                let wanted = if status < 400 { send.want.ok } else { send.want.error };
                let (text, base64) = if wanted { detail::encode(body.clone()) } else { (String::new(), false) };
                let lines = lines(&headers);
                *held = Some(Response { status, headers, body });
                self.step(|guest, store, wall, mono| {
                    guest.call_answered(store, call, status, &lines, &text, base64, wall, mono)
                })
            }
            Exchanged::Broke { phase, code, head } => {
                let phase = match phase {
                    Phase::NotSent => engine::Phase::NotSent,
                    Phase::MaybeSent => engine::Phase::MaybeSent,
                    Phase::Never => engine::Phase::Never,
                    Phase::TooLarge => engine::Phase::TooLarge,
                };
                let status = head.as_ref().map(|(status, _)| *status);
                let lines = head.map_or_else(|| "[]".to_owned(), |(_, headers)| lines(&headers));
                self.step(|guest, store, wall, mono| {
                    guest.call_broke(store, call, phase, &code, status, &lines, wall, mono)
                })
            }
        }
    }

    fn step(
        &self,
        step: impl FnOnce(&engine::GuestCall<'_>, &mut wasmtime::Store<()>, f64, f64) -> wasmtime::Result<engine::Action>,
    ) -> Result<engine::Action, Trap> {
        let now = self.supplier.clock.now();
        let action = self.guest.borrow_mut().with(|engine, store| {
            step(&engine.supplier_client_engine().call(), store, now.wall.0 as f64, now.mono.0 as f64)
        })?;
        self.crosses("detail", &action.detail);
        Ok(action)
    }
}

fn ended(action: &engine::Action, held: &mut Held) -> Result<Option<Outcome>, Trap> {
    Ok(Some(match action.step {
        Step::Send | Step::Wait | Step::Store => return Ok(None),
        Step::Reply => {
            let reply: detail::Reply = read(&action.detail)?;
            let response = held.take().ok_or_else(|| Trap("a reply without an answer".to_owned()))?;
            Outcome::Reply(Reply {
                response,
                verdict: reply.verdict,
                retry_after_ms: reply.retry_after_ms,
                journal: reply.journal.to_string(),
            })
        }
        Step::Page => {
            let page: detail::Page = read(&action.detail)?;
            Outcome::Page(Page {
                items: action.body.clone(),
                count: page.count,
                next: page.next,
                headers: held.take().map(|response| response.headers).unwrap_or_default(),
                journal: page.journal.to_string(),
            })
        }
        Step::Failed => {
            let failed: detail::Failed = read(&action.detail)?;
            Outcome::Failure(Failure { response: held.take(), ..failed.into_failure() })
        }
    }))
}

fn read<'a, T: serde::Deserialize<'a>>(detail: &'a str) -> Result<T, Trap> {
    serde_json::from_str(detail).map_err(|error| Trap(format!("the engine's detail is not what it should be: {error}")))
}

fn lines(headers: &[(String, String)]) -> String {
    serde_json::Value::from_iter(headers.iter().map(|(name, value)| vec![name.as_str(), value.as_str()])).to_string()
}
