//! The engine component in wasmtime, and a small driver around it: it sends to the scripted
//! supplier, waits in virtual time, and stores in memory what several instances share. It
//! does what every host with an HTTP library of its own has to do.

mod bindings;
mod call;
mod detail;
mod exchange;
mod store;

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow};
use wasmtime::Store;
use wasmtime::component::{Component, Linker, ResourceAny};

use crate::entropy::Entropy;
use crate::host::Trap;
use crate::report::{self, Document};
use crate::scenario::{Opening, Request};
use crate::script::Supplier;
use bindings::supplier::client::types;
use bindings::{Engine as Bindings, EnginePre};
pub use store::SharedStore;

const STUCK_SECONDS: u64 = 60;

/// The compiled component.
#[derive(Clone)]
pub struct Engine {
    pre: Arc<EnginePre<()>>,
}

impl Engine {
    pub fn load(file: &Path) -> Result<Engine> {
        let engine = crate::host::engine()?;
        let component = Component::from_file(&engine, file)
            .map_err(|error| anyhow!("{error:#}"))
            .with_context(|| format!("{} is not a component that this host can run", file.display()))?;
        // Nothing is linked: the component imports nothing.
        let pre = Linker::new(&engine)
            .instantiate_pre(&component)
            .and_then(EnginePre::new)
            .map_err(|error| anyhow!("{error:#}"))
            .with_context(|| format!("{} does not fit the world `supplier-engine`", file.display()))?;
        Ok(Engine { pre: Arc::new(pre) })
    }

    /// One worker: an instance of its own, beside a store that all workers share.
    pub fn worker(&self, supplier: Supplier, shared: SharedStore, entropy: Entropy) -> Result<Worker> {
        let mut store = Store::new(self.pre.engine(), ());
        store.set_epoch_deadline(STUCK_SECONDS);
        let engine = self.pre.instantiate(&mut store).map_err(|error| anyhow!("{error:#}"))?;
        let guest = RefCell::new(Guest { store, engine, entropy });
        Ok(Worker { guest, supplier, shared, documents: RefCell::default() })
    }
}

/// One instance and what it reaches. Calls may overlap: nothing of the guest is borrowed
/// while one of them waits.
pub struct Worker {
    guest: RefCell<Guest>,
    supplier: Supplier,
    shared: SharedStore,
    documents: RefCell<Vec<Document>>,
}

struct Guest {
    store: Store<()>,
    engine: Bindings,
    entropy: Entropy,
}

/// A supplier that was opened in a worker.
#[derive(Clone, Copy, Debug)]
pub struct Handle(ResourceAny);

impl Worker {
    pub fn open(&self, opening: &Opening) -> Result<Result<Handle, Vec<report::Problem>>, Trap> {
        let credentials = credentials(&opening.credentials);
        let opened = self.guest.borrow_mut().with(|engine, store| {
            let supplier = engine.supplier_client_engine().supplier();
            supplier.call_open(store, &opening.profile, opening.overrides.as_deref(), &credentials)
        })?;
        Ok(opened.map(Handle).map_err(problems))
    }

    pub fn set_credentials(
        &self,
        supplier: Handle,
        values: &[(String, String)],
    ) -> Result<Result<(), Vec<report::Problem>>, Trap> {
        let credentials = credentials(values);
        let set = self.guest.borrow_mut().with(|engine, store| {
            engine.supplier_client_engine().supplier().call_set_credentials(store, supplier.0, &credentials)
        })?;
        Ok(set.map_err(problems))
    }

    pub fn health(&self, supplier: Handle) -> Result<String, Trap> {
        self.guest
            .borrow_mut()
            .with(|engine, store| engine.supplier_client_engine().supplier().call_health(store, supplier.0))
    }

    pub fn explain(&self, supplier: Handle, request: &Request) -> Result<report::Outcome, Trap> {
        let (document, body, base64) = detail::request(request, None, false);
        let now = self.supplier.clock.now();
        let text = self.guest.borrow_mut().with(|engine, store| {
            let guest = engine.supplier_client_engine().supplier();
            guest.call_explain(store, supplier.0, &document, &body, base64, now.wall.0 as f64, now.mono.0 as f64)
        })?;
        Ok(detail::explanation(text))
    }

    /// What has crossed the boundary since the last time.
    pub fn take_documents(&self) -> Vec<Document> {
        self.documents.take()
    }

    fn crosses(&self, schema: &'static str, text: &str) {
        self.documents.borrow_mut().push(Document { schema, text: text.to_owned() });
    }

    pub fn close(&self, supplier: Handle) -> Result<(), Trap> {
        self.guest.borrow_mut().with(|_, store| supplier.0.resource_drop(store))
    }
}

impl Guest {
    fn with<T>(&mut self, f: impl FnOnce(&Bindings, &mut Store<()>) -> wasmtime::Result<T>) -> Result<T, Trap> {
        self.store.set_epoch_deadline(STUCK_SECONDS);
        Ok(f(&self.engine, &mut self.store)?)
    }
}

fn credentials(credentials: &[(String, String)]) -> Vec<types::Credential> {
    credentials.iter().map(|(name, value)| types::Credential { name: name.clone(), value: value.clone() }).collect()
}

fn problems(problems: Vec<types::Problem>) -> Vec<report::Problem> {
    let convert = |types::Problem { pointer, code, message }| report::Problem { pointer, code, message };
    problems.into_iter().map(convert).collect()
}
