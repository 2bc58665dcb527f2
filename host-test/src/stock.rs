//! The client component as any wasmtime host would run it: the stock sender of
//! wasmtime-wasi-http, the real clocks, and a limiter that only looks on.

use std::path::Path;

use anyhow::{Context, Result, anyhow};
use wasmtime::component::{Component, Linker, ResourceAny, ResourceTable};
use wasmtime::{Engine, ResourceLimiter, Store};
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};
use wasmtime_wasi_http::{WasiHttpCtx, WasiHttpCtxView, WasiHttpView};

use crate::host;
pub use crate::host::bindings::exports::supplier::client::client::{Body, Failure, Page, Reply, Request};
use crate::host::bindings::{Client, ClientPre};
use crate::report::Problem;
use crate::scenario::Opening;

/// The compiled component; instances are cheap.
pub struct Stock {
    engine: Engine,
    pre: ClientPre<State>,
}

/// One instance, with one supplier opened or none.
pub struct Guest {
    store: Store<State>,
    client: Client,
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

impl Stock {
    pub fn load(file: &Path) -> Result<Stock> {
        let engine = Engine::default();
        let component = Component::from_file(&engine, file)
            .map_err(|error| anyhow!("{error:#}"))
            .with_context(|| format!("{} is not a component that this host can run", file.display()))?;
        let mut linker = Linker::<State>::new(&engine);
        let linked = wasmtime_wasi_http::p2::add_to_linker_async(&mut linker);
        let pre = linked
            .and_then(|()| linker.instantiate_pre(&component))
            .and_then(ClientPre::new)
            .map_err(|error| anyhow!("{error:#}"))?;
        Ok(Stock { engine, pre })
    }

    pub async fn instantiate(&self) -> Result<Guest> {
        let state = State {
            wasi: WasiCtx::builder().build(),
            http: WasiHttpCtx::new(),
            table: ResourceTable::new(),
            memory: Watcher::default(),
        };
        let mut store = Store::new(&self.engine, state);
        store.limiter(|state| &mut state.memory);
        let client = self.pre.instantiate_async(&mut store).await.map_err(|error| anyhow!("{error:#}"))?;
        Ok(Guest { store, client, supplier: None })
    }
}

impl Guest {
    /// Opens the one supplier of this instance.
    pub async fn open(&mut self, opening: &Opening) -> Result<Result<(), Vec<Problem>>> {
        let credentials = host::credentials(&opening.credentials);
        let guest = self.client.supplier_client_client();
        let overrides = opening.overrides.as_deref();
        let opened = guest
            .supplier()
            .call_open(&mut self.store, &opening.profile, overrides, &credentials)
            .await
            .map_err(trap)?;
        Ok(opened.map(|supplier| self.supplier = Some(supplier)).map_err(host::problems))
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
