//! A thin loop around `supplier_engine::Supplier::step` that sends over wasi:http, waits with
//! wasi:clocks and takes entropy from wasi:random. Every decision is the engine's; what is
//! decided here is only how one exchange is carried out.
//!
//! The client component and the command are built on it, so that they cannot drift apart.
//!
//! A panic would be a trap, and a trap kills the host's store: nothing here may panic on data.

mod attempt;
mod call;
pub mod clock;
mod collect;
mod fault;
mod outgoing;

pub use call::{Response, call};

/// The imports alone; what a component exports is its own matter.
mod bindings {
    wit_bindgen::generate!({
        inline: "
            package supplier:http;
            world http {
                import wasi:io/poll@0.2.12;
                import wasi:io/streams@0.2.12;
                import wasi:clocks/monotonic-clock@0.2.12;
                import wasi:clocks/wall-clock@0.2.12;
                import wasi:random/random@0.2.12;
                import wasi:http/types@0.2.12;
                import wasi:http/outgoing-handler@0.2.12;
            }
        ",
        path: "../../wit",
        world: "supplier:http/http",
        generate_all,
    });
}
