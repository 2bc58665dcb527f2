//! The least host that runs a client of wasi:http: real clocks, and a supplier that answers at
//! once out of memory.

use std::future;
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use bytes::Bytes;
use http::{HeaderName, HeaderValue, Response};
use http_body_util::{BodyExt, Full};
use wasmtime::component::{Component, Linker, ResourceTable};
use wasmtime::{Engine, ResourceLimiter, Store};
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};
use wasmtime_wasi_http::{Error, RequestOptions, WasiBody, WasiHttpCtx, WasiHttpCtxView, WasiHttpHooks, WasiHttpView};

/// What the supplier answers to a target.
pub type Supplier = fn(&str) -> Bytes;

pub struct State {
    wasi: WasiCtx,
    http: WasiHttpCtx,
    table: ResourceTable,
    hooks: Canned,
    memory: usize,
}

struct Canned(Supplier);

/// A component and everything that its instances share.
pub fn load(engine: &Engine, file: &Path) -> Result<(Component, Linker<State>)> {
    let component = Component::from_file(engine, file)
        .map_err(|error| anyhow!("{error:#}"))
        .with_context(|| format!("{} is not a component that this host can run", file.display()))?;
    let mut linker = Linker::<State>::new(engine);
    wasmtime_wasi_http::p2::add_to_linker_async(&mut linker).map_err(|error| anyhow!("{error:#}"))?;
    Ok((component, linker))
}

pub fn store(engine: &Engine, supplier: Supplier) -> Store<State> {
    let state = State {
        wasi: WasiCtx::builder().build(),
        http: WasiHttpCtx::new(),
        table: ResourceTable::new(),
        hooks: Canned(supplier),
        memory: 0,
    };
    let mut store = Store::new(engine, state);
    store.limiter(|state| state);
    store
}

/// Bytes of linear memory at its largest.
pub fn memory(store: &Store<State>) -> usize {
    store.data().memory
}

type Io = Box<dyn Future<Output = Result<(), Error>> + Send>;

impl WasiHttpHooks for Canned {
    fn send_request(
        &mut self,
        request: http::Request<WasiBody>,
        _options: Option<RequestOptions>,
        _response_processed: Io,
    ) -> Box<dyn Future<Output = Result<(Response<WasiBody>, Io), Error>> + Send> {
        let supplier = self.0;
        Box::new(async move {
            let (parts, body) = request.into_parts();
            body.collect().await?;
            let target = parts.uri.path_and_query().map(ToString::to_string).unwrap_or_default();
            let full = Full::new(supplier(&target)).map_err(|never| match never {}).boxed_unsync();
            let mut response = Response::new(full);
            let json = (HeaderName::from_static("content-type"), HeaderValue::from_static("application/json"));
            response.headers_mut().insert(json.0, json.1);
            let processed: Io = Box::new(future::ready(Ok(())));
            Ok((response, processed))
        })
    }
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

impl WasiHttpView for State {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        WasiHttpCtxView { hooks: &mut self.hooks, table: &mut self.table, ctx: &mut self.http }
    }
}

impl ResourceLimiter for State {
    fn memory_growing(&mut self, _: usize, desired: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        self.memory = self.memory.max(desired);
        Ok(true)
    }

    fn table_growing(&mut self, _: usize, _: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        Ok(true)
    }
}
