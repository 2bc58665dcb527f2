//! The client component as any wasmtime host would run it: the stock sender of
//! wasmtime-wasi-http, the real clocks, and a limiter that only looks on.

use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use serde_json::json;
use wasmtime::component::{Component, Linker, ResourceAny, ResourceTable};
use wasmtime::{Engine, ResourceLimiter, Store};
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};
use wasmtime_wasi_http::{WasiHttpCtx, WasiHttpCtxView, WasiHttpView};

use crate::scenario::{ACME, TEST_SECRET};
use bindings::exports::supplier::client::client;
pub use bindings::exports::supplier::client::client::{Body, Failure, Page, Reply, Request};

mod bindings {
    wasmtime::component::bindgen!({
        inline: "
            package supplier:demo;
            world client { export supplier:client/client@0.1.0; }
        ",
        path: "../wit",
        world: "supplier:demo/client",
        exports: { default: async },
    });
}

/// One instance, with one supplier opened.
pub struct Guest {
    store: Store<State>,
    client: bindings::Client,
    supplier: Option<ResourceAny>,
}

struct State {
    wasi: WasiCtx,
    http: WasiHttpCtx,
    table: ResourceTable,
    memory: Watcher,
}

/// Notes how large linear memory becomes.
#[derive(Default)]
struct Watcher {
    peak: usize,
}

impl Guest {
    pub async fn start(file: &Path) -> Result<Guest> {
        let engine = Engine::default();
        let component = Component::from_file(&engine, file)
            .map_err(|error| anyhow!("{error:#}"))
            .with_context(|| format!("{} is not a component that this host can run", file.display()))?;
        let mut linker = Linker::<State>::new(&engine);
        wasmtime_wasi_http::p2::add_to_linker_async(&mut linker).map_err(|error| anyhow!("{error:#}"))?;
        let state = State {
            wasi: WasiCtx::builder().build(),
            http: WasiHttpCtx::new(),
            table: ResourceTable::new(),
            memory: Watcher::default(),
        };
        let mut store = Store::new(&engine, state);
        store.limiter(|state| &mut state.memory);
        let client = bindings::Client::instantiate_async(&mut store, &component, &linker)
            .await
            .map_err(|error| anyhow!("{error:#}"))?;
        Ok(Guest { store, client, supplier: None })
    }

    /// Opens the supplier behind `origin` with the profile of the scenarios.
    pub async fn open(&mut self, origin: &str) -> Result<()> {
        let overrides = json!({
            "base_url": format!("{origin}/v2"),
            "signing": { "tolerance_s": 2 },
            "retry": { "base_delay_ms": 50, "max_delay_ms": 1000, "attempt_timeout_ms": 1500 },
        });
        let secret = client::Credential { name: "signing-secret".into(), value: TEST_SECRET.into() };
        let guest = self.client.supplier_client_client();
        let opened = guest.supplier().call_open(&mut self.store, ACME, Some(&overrides.to_string()), &[secret]).await;
        match opened.map_err(trap)? {
            Ok(supplier) => self.supplier = Some(supplier),
            Err(problems) => {
                let told = problems.iter().map(|p| format!("{} {}: {}", p.pointer, p.code, p.message));
                bail!("the profile of the demo has problems: {}", told.collect::<Vec<_>>().join("; "));
            }
        }
        Ok(())
    }

    pub async fn send(&mut self, request: &Request) -> Result<Result<Reply, Failure>> {
        let supplier = self.supplier()?;
        let guest = self.client.supplier_client_client();
        guest.supplier().call_send(&mut self.store, supplier, request).await.map_err(trap)
    }

    pub async fn page(&mut self, request: &Request, position: Option<&str>) -> Result<Result<Page, Failure>> {
        let supplier = self.supplier()?;
        let guest = self.client.supplier_client_client();
        guest.supplier().call_page(&mut self.store, supplier, request, position).await.map_err(trap)
    }

    /// Bytes of linear memory at its largest.
    pub fn peak_memory(&self) -> usize {
        self.store.data().memory.peak
    }

    fn supplier(&self) -> Result<ResourceAny> {
        self.supplier.context("no supplier was opened")
    }
}

/// A request with the defaults of the profile.
pub fn request(method: &str, target: &str) -> Request {
    Request {
        method: method.into(),
        target: target.into(),
        query: Vec::new(),
        headers: Vec::new(),
        body: Body::Text(String::new()),
        operation: None,
        idempotency_key: None,
        deadline_ms: None,
        max_wait_ms: None,
    }
}

fn trap(error: wasmtime::Error) -> anyhow::Error {
    anyhow!("the component trapped: {error:#}")
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

impl WasiHttpView for State {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        WasiHttpCtxView { hooks: Default::default(), table: &mut self.table, ctx: &mut self.http }
    }
}

impl ResourceLimiter for Watcher {
    fn memory_growing(&mut self, _: usize, desired: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        self.peak = self.peak.max(desired);
        Ok(true)
    }

    fn table_growing(&mut self, _: usize, _: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        Ok(true)
    }
}
