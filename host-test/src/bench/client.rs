//! The client component beside a guest that signs and sends and does nothing else.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, bail};
use bytes::Bytes;
use wasmtime::component::ResourceAny;
use wasmtime::{Engine, Store};

use super::host::{self, State, Supplier};
use super::median;
use super::table::Row;
use crate::scenario::{ACME, TEST_SECRET};
use bindings::exports::supplier::client::client;
use bindings::{Client, ClientPre};

mod bindings {
    wasmtime::component::bindgen!({
        inline: "
            package supplier:bench;
            world client { export supplier:client/client@0.1.0; }
        ",
        path: "../wit",
        world: "supplier:bench/client",
        exports: { default: async },
    });
}

mod bare {
    wasmtime::component::bindgen!({
        inline: "
            package supplier:bare;
            world bare { export send: func(body: string) -> u16; }
        ",
        world: "supplier:bare/bare",
        exports: { default: async },
    });
}

const MIB: usize = 1 << 20;
const PAGES: u32 = 400;

/// `software`: microseconds of native HMAC-SHA256 of 1 MiB without SHA instructions.
pub async fn rows(client: &Path, bare: &Path, software: &[f64], rounds: usize) -> Result<Vec<Row>> {
    let engine = Engine::default();
    let (component, linker) = host::load(&engine, client)?;
    let client = linker.instantiate_pre(&component).and_then(ClientPre::new).map_err(failed)?;
    let (component, linker) = host::load(&engine, bare)?;
    let bare = linker.instantiate_pre(&component).and_then(bare::BarePre::new).map_err(failed)?;

    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let mut store = host::store(&engine, order);
        let began = Instant::now();
        client.instantiate_async(&mut store).await.map_err(failed)?;
        ours.push(micros(began.elapsed()));
        let mut store = host::store(&engine, order);
        let began = Instant::now();
        bare.instantiate_async(&mut store).await.map_err(failed)?;
        theirs.push(micros(began.elapsed()));
    }
    let instantiation = Row::at_most("instantiate the client component", "us", median(ours), 60.0)
        .beside("bare signing guest", median(theirs));

    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let mut instance = Instance::open(&client, &engine, order, "{}").await?;
    let mut store = host::store(&engine, order);
    let guest = bare.instantiate_async(&mut store).await.map_err(failed)?;
    let body = "x".repeat(1_024);
    for _ in 0..rounds * 4 {
        ours.push(micros(instance.send(&body).await?));
        let began = Instant::now();
        let status = guest.call_send(&mut store, &body).await.map_err(failed)?;
        theirs.push(micros(began.elapsed()));
        if status != 200 {
            bail!("the bare signing guest got no answer");
        }
    }
    let attempt = Row::at_most("one signed attempt, 1 KiB", "us", median(ours), 30.0)
        .beside("bare signing guest", median(theirs));

    let hash = hash(&client, &engine, software, rounds / 10).await?;
    let [after_two, at_end] = walk(&client, &engine).await?;
    let mib = |bytes: usize| bytes as f64 / MIB as f64;
    let walk = Row::at_most("linear memory after 40,000 items on 400 pages", "MiB", mib(at_end), 2.0)
        .beside("after two pages", mib(after_two));
    Ok(vec![instantiation, attempt, hash, walk])
}

/// HMAC-SHA256 of 1 MiB in the component: a signed call less the same call unsigned.
async fn hash(client: &ClientPre<State>, engine: &Engine, software: &[f64], rounds: usize) -> Result<Row> {
    let mut signed = Instance::open(client, engine, order, "{}").await?;
    let mut unsigned = Instance::open(client, engine, order, r#"{"signing":null}"#).await?;
    let body = "x".repeat(MIB);
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for _ in 0..rounds.max(5) {
        with.push(micros(signed.send(&body).await?));
        without.push(micros(unsigned.send(&body).await?));
    }
    let native = median(software.to_vec());
    let share = native / (median(with) - median(without));
    Ok(Row::at_least("HMAC-SHA256 of 1 MiB, share of native software speed", "", share, 0.95)
        .beside("native software", 1.0))
}

async fn walk(client: &ClientPre<State>, engine: &Engine) -> Result<[usize; 2]> {
    let mut instance = Instance::open(client, engine, page, "{}").await?;
    let (mut position, mut pages, mut after_two) = (None, 0, 0);
    loop {
        let read = instance.page(position.as_deref()).await?;
        pages += 1;
        if pages == 2 {
            after_two = host::memory(&instance.store);
        }
        position = read.next;
        if position.is_none() {
            break;
        }
    }
    if pages != PAGES {
        bail!("the walk ended after {pages} pages");
    }
    Ok([after_two, host::memory(&instance.store)])
}

struct Instance {
    store: Store<State>,
    client: Client,
    supplier: ResourceAny,
}

impl Instance {
    async fn open(pre: &ClientPre<State>, engine: &Engine, supplier: Supplier, overrides: &str) -> Result<Instance> {
        let mut store = host::store(engine, supplier);
        let client = pre.instantiate_async(&mut store).await.map_err(failed)?;
        let secret = client::Credential { name: "signing-secret".into(), value: TEST_SECRET.into() };
        let guest = client.supplier_client_client();
        let opened = guest.supplier().call_open(&mut store, ACME, Some(overrides), &[secret]).await.map_err(failed)?;
        let Ok(supplier) = opened else { bail!("the profile of the bench has problems") };
        Ok(Instance { store, client, supplier })
    }

    async fn send(&mut self, body: &str) -> Result<Duration> {
        let request = request("POST", "/orders", body);
        let began = Instant::now();
        let guest = self.client.supplier_client_client();
        let sent = guest.supplier().call_send(&mut self.store, self.supplier, &request).await.map_err(failed)?;
        let took = began.elapsed();
        match sent {
            Ok(reply) if reply.response.status == 200 => Ok(took),
            Ok(reply) => bail!("the supplier of the bench answered {}", reply.response.status),
            Err(failure) => bail!("{}", failure.message),
        }
    }

    async fn page(&mut self, position: Option<&str>) -> Result<client::Page> {
        let request = request("GET", "/consignments", "");
        let guest = self.client.supplier_client_client();
        let read =
            guest.supplier().call_page(&mut self.store, self.supplier, &request, position).await.map_err(failed)?;
        read.map_err(|failure| anyhow!("{}", failure.message))
    }
}

fn request(method: &str, target: &str, body: &str) -> client::Request {
    client::Request {
        method: method.into(),
        target: target.into(),
        query: Vec::new(),
        headers: Vec::new(),
        body: client::Body::Text(body.into()),
        operation: None,
        idempotency_key: None,
        deadline_ms: None,
        max_wait_ms: None,
    }
}

fn order(_: &str) -> Bytes {
    Bytes::from_static(br#"{"id":"7","state":"accepted"}"#)
}

/// 100 consignments of about 130 bytes, and the cursor of the next page.
fn page(target: &str) -> Bytes {
    let at: u32 = target.split("cursor=").nth(1).and_then(|cursor| cursor.parse().ok()).unwrap_or(0);
    let mut body = String::from(r#"{"items":["#);
    for item in 0..100 {
        let n = at * 100 + item;
        let comma = if item == 0 { "" } else { "," };
        body.push_str(&format!(
            r#"{comma}{{"id":"consignment-{n:08}","state":"in-transit","weight_g":12500,"to":"Main Street 1, 12345 Anytown","parcels":[1,2,3]}}"#
        ));
    }
    let next = if at + 1 < PAGES { format!("\"{}\"", at + 1) } else { "null".to_owned() };
    body.push_str(&format!(r#"],"next":{next}}}"#));
    body.into()
}

fn micros(time: Duration) -> f64 {
    time.as_nanos() as f64 / 1_000.0
}

fn failed(error: wasmtime::Error) -> anyhow::Error {
    anyhow!("{error:#}")
}
