//! The client component in wasmtime, with virtual clocks and a scripted supplier behind
//! wasi:http.

pub(crate) mod bindings;
mod convert;
mod errors;
mod send;
mod state;

use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use wasmtime::component::{Component, HasSelf, Linker, ResourceAny};
use wasmtime::{Config, Engine, Store};
use wasmtime_wasi::p2::bindings::{clocks, io, random};

use crate::entropy::Entropy;
use crate::report;
use crate::scenario::Opening;
use crate::script::Supplier;
use bindings::exports::supplier::client::client;
use bindings::{Client, ClientPre};
pub use convert::wire_request;
pub(crate) use convert::{credentials, problems};
use state::{HasTable, State};

/// A guest that computes for this many seconds without asking the host for anything is
/// stuck.
const STUCK_SECONDS: u64 = 60;

/// The compiled component; instances are cheap.
#[derive(Clone)]
pub struct Host {
    pre: Arc<ClientPre<State>>,
}

impl Host {
    pub fn load(file: &Path) -> Result<Host> {
        let engine = engine()?;
        let component = Component::from_file(&engine, file)
            .map_err(|error| anyhow!("{error:#}"))
            .with_context(|| format!("{} is not a component that this host can run", file.display()))?;
        let pre = linker(&engine)
            .and_then(|linker| linker.instantiate_pre(&component))
            .and_then(ClientPre::new)
            .map_err(|error| anyhow!("{error:#}"))
            .with_context(|| format!("{} does not fit the world `supplier-client`", file.display()))?;
        Ok(Host { pre: Arc::new(pre) })
    }

    /// A fresh instance in a store of its own. `supplier` plays what the component sends to,
    /// and `forbidden` are header names that the host refuses beside its own.
    pub async fn instantiate(&self, supplier: Supplier, entropy: Entropy, forbidden: &[String]) -> Result<Instance> {
        let state = State::new(supplier, entropy, forbidden);
        let mut store = Store::new(self.pre.engine(), state);
        store.set_epoch_deadline(STUCK_SECONDS);
        let client = self.pre.instantiate_async(&mut store).await.map_err(|error| anyhow!("{error:#}"))?;
        Ok(Instance { store, client })
    }
}

/// With a ticker, so that a guest that loops for ever ends in a trap.
pub(crate) fn engine() -> Result<Engine> {
    let mut config = Config::new();
    config.epoch_interruption(true);
    let engine = Engine::new(&config).map_err(|error| anyhow!("{error:#}"))?;
    let weak = engine.weak();
    thread::spawn(move || {
        while let Some(engine) = weak.upgrade() {
            engine.increment_epoch();
            drop(engine);
            thread::sleep(Duration::from_secs(1));
        }
    });
    Ok(engine)
}

/// Exactly what the world imports, and nothing else.
fn linker(engine: &Engine) -> wasmtime::Result<Linker<State>> {
    let mut linker = Linker::<State>::new(engine);
    io::error::add_to_linker::<State, HasTable>(&mut linker, |state| &mut state.table)?;
    io::poll::add_to_linker::<State, HasTable>(&mut linker, |state| &mut state.table)?;
    io::streams::add_to_linker::<State, HasTable>(&mut linker, |state| &mut state.table)?;
    clocks::wall_clock::add_to_linker::<State, wasmtime_wasi::clocks::WasiClocks>(&mut linker, State::clocks)?;
    clocks::monotonic_clock::add_to_linker::<State, wasmtime_wasi::clocks::WasiClocks>(&mut linker, State::clocks)?;
    random::random::add_to_linker::<State, HasSelf<Entropy>>(&mut linker, |state| &mut state.entropy)?;
    wasmtime_wasi_http::p2::add_only_http_to_linker_async(&mut linker)?;
    Ok(linker)
}

/// A trap: the store is dead from then on.
#[derive(Debug)]
pub struct Trap(pub String);

impl From<wasmtime::Error> for Trap {
    fn from(error: wasmtime::Error) -> Trap {
        Trap(format!("{error:#}"))
    }
}

/// One instance of the client component.
pub struct Instance {
    store: Store<State>,
    client: Client,
}

/// A supplier that was opened in an instance.
#[derive(Clone, Copy, Debug)]
pub struct Handle(ResourceAny);

impl Instance {
    pub async fn open(&mut self, opening: &Opening) -> Result<Result<Handle, Vec<report::Problem>>, Trap> {
        let credentials = convert::credentials(&opening.credentials);
        let guest = self.client.supplier_client_client();
        self.store.set_epoch_deadline(STUCK_SECONDS);
        let overrides = opening.overrides.as_deref();
        let opened = guest.supplier().call_open(&mut self.store, &opening.profile, overrides, &credentials).await?;
        Ok(opened.map(Handle).map_err(convert::problems))
    }

    pub async fn set_credentials(
        &mut self,
        supplier: Handle,
        credentials: &[(String, String)],
    ) -> Result<Result<(), Vec<report::Problem>>, Trap> {
        let credentials = convert::credentials(credentials);
        let guest = self.client.supplier_client_client();
        self.store.set_epoch_deadline(STUCK_SECONDS);
        let set = guest.supplier().call_set_credentials(&mut self.store, supplier.0, &credentials).await?;
        Ok(set.map_err(convert::problems))
    }

    pub async fn send(&mut self, supplier: Handle, request: &client::Request) -> Result<report::Outcome, Trap> {
        let guest = self.client.supplier_client_client();
        self.store.set_epoch_deadline(STUCK_SECONDS);
        let sent = guest.supplier().call_send(&mut self.store, supplier.0, request).await?;
        Ok(match sent {
            Ok(reply) => report::Outcome::Reply(reply.into()),
            Err(failure) => report::Outcome::Failure(failure.into()),
        })
    }

    pub async fn page(
        &mut self,
        supplier: Handle,
        request: &client::Request,
        position: Option<&str>,
    ) -> Result<report::Outcome, Trap> {
        let guest = self.client.supplier_client_client();
        self.store.set_epoch_deadline(STUCK_SECONDS);
        let read = guest.supplier().call_page(&mut self.store, supplier.0, request, position).await?;
        Ok(match read {
            Ok(page) => report::Outcome::Page(page.into()),
            Err(failure) => report::Outcome::Failure(failure.into()),
        })
    }

    pub async fn explain(&mut self, supplier: Handle, request: &client::Request) -> Result<report::Outcome, Trap> {
        let guest = self.client.supplier_client_client();
        self.store.set_epoch_deadline(STUCK_SECONDS);
        let explained = guest.supplier().call_explain(&mut self.store, supplier.0, request).await?;
        Ok(match explained {
            Ok(text) => report::Outcome::Explained(text),
            Err(failure) => report::Outcome::Failure(failure.into()),
        })
    }

    pub async fn health(&mut self, supplier: Handle) -> Result<String, Trap> {
        let guest = self.client.supplier_client_client();
        self.store.set_epoch_deadline(STUCK_SECONDS);
        Ok(guest.supplier().call_health(&mut self.store, supplier.0).await?)
    }

    pub async fn close(&mut self, supplier: Handle) -> Result<(), Trap> {
        Ok(supplier.0.resource_drop_async(&mut self.store).await?)
    }

    /// Resources of wasi:io, wasi:http and wasi:clocks that the guest holds, by kind.
    pub fn live_resources(&mut self) -> Vec<&'static str> {
        self.store.data_mut().live_resources()
    }
}
