//! `supplier_client.wasm`: the loop of `supplier-http`, in the types of the contract.
//!
//! A panic would be a trap, and a trap kills the host's store: nothing here may panic on data.
#![allow(clippy::result_large_err, reason = "the generated `failure` is what the contract returns")]

mod call;
mod convert;

/// Generated from `wit/`.
mod bindings {
    wit_bindgen::generate!({ path: "../../wit", world: "supplier-client", generate_all });
}

use bindings::exports::supplier::client::client as wit;
use std::cell::RefCell;
use supplier_engine as engine;
use supplier_http::clock;

struct Component;

bindings::export!(Component with_types_in bindings);

impl wit::Guest for Component {
    type Supplier = Supplier;

    fn once(
        profile: String,
        credentials: Vec<wit::Credential>,
        request: wit::Request,
    ) -> Result<wit::Reply, wit::Failure> {
        let opened = engine::Supplier::open(&profile, None, &convert::credentials(credentials));
        let supplier = opened.map_err(|problems| convert::unopened(&problems))?;
        call::send(&RefCell::new(supplier), request)
    }
}

/// Borrowed for each step only, never across one: a component instance has one thread and is
/// not re-entered, so no borrow can fail.
struct Supplier(RefCell<engine::Supplier>);

impl wit::GuestSupplier for Supplier {
    fn open(
        profile: String,
        overrides: Option<String>,
        credentials: Vec<wit::Credential>,
    ) -> Result<wit::Supplier, Vec<wit::Problem>> {
        engine::Supplier::open(&profile, overrides.as_deref(), &convert::credentials(credentials))
            .map(|supplier| wit::Supplier::new(Supplier(RefCell::new(supplier))))
            .map_err(convert::problems)
    }

    fn set_credentials(&self, credentials: Vec<wit::Credential>) -> Result<(), Vec<wit::Problem>> {
        self.0.borrow_mut().set_credentials(&convert::credentials(credentials)).map_err(convert::problems)
    }

    fn send(&self, request: wit::Request) -> Result<wit::Reply, wit::Failure> {
        call::send(&self.0, request)
    }

    fn page(&self, request: wit::Request, position: Option<String>) -> Result<wit::Page, wit::Failure> {
        call::page(&self.0, request, position)
    }

    fn health(&self) -> String {
        self.0.borrow().health()
    }

    fn explain(&self, request: wit::Request) -> Result<String, wit::Failure> {
        self.0
            .borrow()
            .explain(&convert::request(request), clock::now())
            .map_err(|failure| convert::failure(failure, None))
    }
}
