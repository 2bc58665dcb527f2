//! The engine, natively and as a component, beside the hash that it cannot do without.

use std::hint::black_box;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use supplier_engine::{Action, Body, Credential, Event, Goal, Headers, Mono, Now, Request, Supplier, Wall};
use wasmtime::component::{Component, Linker};
use wasmtime::{Engine, Store};

use super::table::Row;
use super::{medians, timed};
use crate::scenario::{ACME, TEST_SECRET};
use bindings::exports::supplier::client::engine::Step;
use bindings::supplier::client::types;

mod bindings {
    wasmtime::component::bindgen!({
        inline: "
            package supplier:bench;
            world engine { export supplier:client/engine@0.1.0; }
        ",
        path: "../wit",
        world: "supplier:bench/engine",
    });
}

const NOW: i64 = 1_772_452_800_000;

pub fn rows(component: &Path, rounds: usize) -> Result<Vec<Row>> {
    let body = "x".repeat(1_024);
    let headers: Vec<(String, String)> = (0..20).map(|n| (format!("x-header-{n}"), format!("value {n}"))).collect();
    let mut native = Native::open()?;
    let [hash, call] = medians(rounds * 4, |which| match which {
        0 => Ok(timed(|| black_box(signature(&body))).0),
        _ => {
            let (took, done) = timed(|| native.call(&body, &headers));
            done.map(|()| took)
        }
    })?;
    let engine = Engine::default();
    let compiled = Component::from_file(&engine, component).map_err(failed)?;
    let pre =
        Linker::<()>::new(&engine).instantiate_pre(&compiled).and_then(bindings::EnginePre::new).map_err(failed)?;
    let [instantiation] = medians(rounds, |_| {
        let mut store = Store::new(&engine, ());
        let (took, instance) = timed(|| pre.instantiate(&mut store));
        instance.map_err(failed)?;
        Ok(took)
    })?;
    let mut guest = Guest::open(&engine, &pre)?;
    let headers = serde_json::to_string(&headers)?;
    let [crossing] = medians(rounds * 4, |_| {
        let (took, done) = timed(|| guest.call(&body, &headers));
        done.map(|()| took)
    })?;
    Ok(vec![
        Row::at_most("the engine natively, one call of one attempt, 1 KiB", "us", call, 10.0)
            .beside("HMAC-SHA256 of the same bytes", hash),
        Row::new("instantiate the engine component", "us", instantiation),
        Row::new("one call through the engine component, 1 KiB, 20 headers", "us", crossing)
            .beside("the engine natively", call),
    ])
}

fn signature(body: &str) -> [u8; 32] {
    // HMAC takes a key of any length (RFC 2104, 2).
    let mut mac = Hmac::<Sha256>::new_from_slice(TEST_SECRET.as_bytes()).expect("any length of key");
    mac.update(b"1772452800.");
    mac.update(body.as_bytes());
    mac.finalize().into_bytes().into()
}

struct Native {
    supplier: Supplier,
    calls: u64,
}

impl Native {
    fn open() -> Result<Native> {
        let secret = Credential { name: "signing-secret".into(), value: TEST_SECRET.into() };
        let supplier =
            Supplier::open(ACME, None, &[secret]).map_err(|_| anyhow!("the profile of the bench has problems"))?;
        Ok(Native { supplier, calls: 0 })
    }

    fn call(&mut self, body: &str, headers: &[(String, String)]) -> Result<()> {
        self.calls += 1;
        let now = Now { wall: Wall(NOW), mono: Mono(self.calls) };
        let body = Body::Text(body.to_owned());
        let request = Request { method: "POST".into(), target: "/orders".into(), body, ..Request::default() };
        let mut call =
            self.supplier.begin(Goal::Reply(request), entropy(self.calls)).map_err(|f| anyhow!(f.message))?;
        let Action::Send { .. } = self.supplier.step(&mut call, Event::Go, now) else { bail!("nothing was sent") };
        let answer = Event::Answered { status: 200, headers: Headers(headers.to_vec()), body: Body::default() };
        match self.supplier.step(&mut call, answer, now) {
            Action::Done(Ok(_)) => Ok(()),
            _ => bail!("the call did not end"),
        }
    }
}

struct Guest {
    store: Store<()>,
    instance: bindings::Engine,
    supplier: wasmtime::component::ResourceAny,
    calls: u64,
}

impl Guest {
    fn open(engine: &Engine, pre: &bindings::EnginePre<()>) -> Result<Guest> {
        let mut store = Store::new(engine, ());
        let instance = pre.instantiate(&mut store).map_err(failed)?;
        let secret = types::Credential { name: "signing-secret".into(), value: TEST_SECRET.into() };
        let guest = instance.supplier_client_engine().supplier();
        let supplier = guest.call_open(&mut store, ACME, None, &[secret]).map_err(failed)?;
        let supplier = supplier.ok().context("the profile of the bench has problems")?;
        Ok(Guest { store, instance, supplier, calls: 0 })
    }

    fn call(&mut self, body: &str, headers: &str) -> Result<()> {
        self.calls += 1;
        let (wall, mono) = (NOW as f64, self.calls as f64);
        let entropy = format!("{:032x}", u128::from_be_bytes(entropy(self.calls)));
        let guest = self.instance.supplier_client_engine();
        let request = r#"{"method":"POST","target":"/orders"}"#;
        let call = guest
            .supplier()
            .call_begin(&mut self.store, self.supplier, request, body, false, &entropy)
            .map_err(failed)?;
        let action = guest.call().call_go(&mut self.store, call, wall, mono).map_err(failed)?;
        if action.step != Step::Send {
            bail!("nothing was sent: {}", action.detail);
        }
        let action =
            guest.call().call_answered(&mut self.store, call, 200, headers, "", false, wall, mono).map_err(failed)?;
        if action.step != Step::Reply {
            bail!("the call did not end: {}", action.detail);
        }
        call.resource_drop(&mut self.store).map_err(failed)
    }
}

fn entropy(call: u64) -> [u8; 16] {
    u128::from(call).to_be_bytes()
}

fn failed(error: wasmtime::Error) -> anyhow::Error {
    anyhow!("{error:#}")
}
