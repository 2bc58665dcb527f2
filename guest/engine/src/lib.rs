//! `supplier_engine.wasm`: the engine itself, for hosts with an HTTP stack of their own. It
//! imports nothing. Texts in, texts out: several hosts pay for every record field and every
//! byte of a list that crosses (`supplier.wit`, interface `engine`).
//!
//! A panic would be a trap, and a trap kills the host's store: nothing here may panic on data.

mod detail;
mod request;
mod wire;

/// Generated from `wit/`.
mod bindings {
    wit_bindgen::generate!({ path: "../../wit", world: "supplier-engine", generate_all });
}

use bindings::exports::supplier::client::engine as wit;
use std::cell::RefCell;
use std::rc::Rc;
use supplier_engine as engine;

struct Component;

bindings::export!(Component with_types_in bindings);

impl wit::Guest for Component {
    type Supplier = Supplier;
    type Call = Call;
}

/// Shared with its calls. Borrowed for each step only, never across one: a component instance
/// has one thread and is not re-entered, so no borrow can fail.
struct Supplier(Rc<RefCell<engine::Supplier>>);

impl wit::GuestSupplier for Supplier {
    fn open(
        profile: String,
        overrides: Option<String>,
        credentials: Vec<wit::Credential>,
    ) -> Result<wit::Supplier, Vec<wit::Problem>> {
        engine::Supplier::open(&profile, overrides.as_deref(), &wire::credentials(credentials))
            .map(|supplier| wit::Supplier::new(Supplier(Rc::new(RefCell::new(supplier)))))
            .map_err(wire::problems)
    }

    fn set_credentials(&self, credentials: Vec<wit::Credential>) -> Result<(), Vec<wit::Problem>> {
        self.0.borrow_mut().set_credentials(&wire::credentials(credentials)).map_err(wire::problems)
    }

    fn begin(&self, request: String, body: String, base64: bool, entropy: String) -> wit::Call {
        let begun = wire::entropy(&entropy).and_then(|entropy| {
            let goal = request::goal(&request, body, base64)?;
            self.0.borrow().begin(goal, entropy)
        });
        let state = match begun {
            Ok(call) => State::Running(call),
            Err(failure) => State::Refused(failure),
        };
        wit::Call::new(Call { supplier: Rc::clone(&self.0), state: RefCell::new(state) })
    }

    fn health(&self) -> String {
        self.0.borrow().health()
    }

    fn explain(&self, request: String, body: String, base64: bool, wall_ms: f64, mono_ms: f64) -> String {
        let explained = request::goal(&request, body, base64).and_then(|goal| {
            let request = match goal {
                engine::Goal::Reply(request) | engine::Goal::Page { request, position: _ } => request,
            };
            self.0.borrow().explain(&request, wire::now(wall_ms, mono_ms))
        });
        explained.unwrap_or_else(|failure| detail::unexplained(&failure))
    }
}

struct Call {
    supplier: Rc<RefCell<engine::Supplier>>,
    state: RefCell<State>,
}

#[expect(clippy::large_enum_variant, reason = "nearly every call runs; a box would be an allocation for each")]
enum State {
    Running(engine::Call),
    /// `begin` cannot fail in the contract, so whatever happens to this call says why it never
    /// began.
    Refused(engine::Failure),
}

impl Call {
    fn step(&self, event: engine::Event, wall_ms: f64, mono_ms: f64) -> wit::Action {
        match &mut *self.state.borrow_mut() {
            State::Running(call) => {
                detail::action(self.supplier.borrow_mut().step(call, event, wire::now(wall_ms, mono_ms)))
            }
            State::Refused(failure) => detail::action(engine::Action::Done(Err(failure.clone()))),
        }
    }
}

impl wit::GuestCall for Call {
    fn go(&self, wall_ms: f64, mono_ms: f64) -> wit::Action {
        self.step(engine::Event::Go, wall_ms, mono_ms)
    }

    fn answered(
        &self,
        status: u16,
        headers: String,
        body: String,
        base64: bool,
        wall_ms: f64,
        mono_ms: f64,
    ) -> wit::Action {
        self.step(wire::answered(status, &headers, body, base64), wall_ms, mono_ms)
    }

    fn broke(
        &self,
        phase: wit::Phase,
        code: String,
        status: Option<u16>,
        headers: String,
        wall_ms: f64,
        mono_ms: f64,
    ) -> wit::Action {
        self.step(wire::broke(phase, code, status, &headers), wall_ms, mono_ms)
    }

    fn stored(&self, won: bool, current: Option<String>, wall_ms: f64, mono_ms: f64) -> wit::Action {
        self.step(engine::Event::Stored { won, current }, wall_ms, mono_ms)
    }

    fn store_failed(&self, code: String, wall_ms: f64, mono_ms: f64) -> wit::Action {
        self.step(engine::Event::StoreFailed { code }, wall_ms, mono_ms)
    }

    fn cancel(&self, wall_ms: f64, mono_ms: f64) -> wit::Action {
        self.step(engine::Event::Cancel, wall_ms, mono_ms)
    }
}
