//! What a store of the client component holds.

use std::any::Any;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use wasmtime::component::{HasData, ResourceTable};
use wasmtime_wasi::clocks::WasiClocksCtxView;
use wasmtime_wasi::p2::bindings::random::random;
use wasmtime_wasi::{HostMonotonicClock, HostWallClock, WasiCtx};
use wasmtime_wasi_http::p2::body::{HostIncomingBody, HostOutgoingBody};
use wasmtime_wasi_http::p2::types::{HostFutureIncomingResponse, HostIncomingResponse, HostOutgoingRequest};
use wasmtime_wasi_http::{FieldMap, RequestOptions, WasiHttpCtx, WasiHttpCtxView, WasiHttpView};

use super::send::Hooks;
use crate::clock::Clock;
use crate::entropy::Entropy;
use crate::script::Supplier;

/// Larger than any cap of a profile: the component itself refuses what is too much.
const FIELD_SIZE_LIMIT: usize = 16 * 1024 * 1024;

pub struct State {
    pub table: ResourceTable,
    pub entropy: Entropy,
    wasi: WasiCtx,
    http: WasiHttpCtx,
    hooks: Hooks,
}

impl State {
    pub fn new(supplier: Supplier, entropy: Entropy, forbidden: &[String]) -> State {
        let clock = supplier.clock.clone();
        let wasi = WasiCtx::builder().wall_clock(Ours(clock.clone())).monotonic_clock(Virtual(clock)).build();
        let mut http = WasiHttpCtx::new();
        http.set_field_size_limit(FIELD_SIZE_LIMIT);
        let forbidden: HashSet<String> = forbidden.iter().map(|name| name.to_ascii_lowercase()).collect();
        let hooks = Hooks { supplier, forbidden: Arc::new(forbidden) };
        State { table: ResourceTable::new(), entropy, wasi, http, hooks }
    }

    pub fn clocks(&mut self) -> WasiClocksCtxView<'_> {
        WasiClocksCtxView { ctx: self.wasi.clocks(), table: &mut self.table }
    }

    /// Without `request-options`: the guest hands them over to `handle`, and wasmtime 48 keeps
    /// what it was given.
    pub fn live_resources(&mut self) -> Vec<&'static str> {
        let live = self.table.iter_mut().filter(|resource| !resource.is::<RequestOptions>());
        live.map(|resource| kind(resource)).collect()
    }
}

fn kind(resource: &(dyn Any + Send)) -> &'static str {
    macro_rules! kinds {
        ($($kind:ty => $name:literal),* $(,)?) => {
            $(if resource.is::<$kind>() { return $name; })*
        };
    }
    kinds! {
        FieldMap => "fields",
        HostOutgoingRequest => "outgoing-request",
        HostOutgoingBody => "outgoing-body",
        HostFutureIncomingResponse => "future-incoming-response",
        HostIncomingResponse => "incoming-response",
        HostIncomingBody => "incoming-body",
        wasmtime_wasi::p2::DynPollable => "pollable",
        wasmtime_wasi::p2::DynInputStream => "input-stream",
        wasmtime_wasi::p2::DynOutputStream => "output-stream",
    }
    "another resource"
}

impl WasiHttpView for State {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        WasiHttpCtxView { hooks: &mut self.hooks, table: &mut self.table, ctx: &mut self.http }
    }
}

/// For interfaces that need the table alone.
pub struct HasTable;

impl HasData for HasTable {
    type Data<'a> = &'a mut ResourceTable;
}

impl random::Host for Entropy {
    fn get_random_bytes(&mut self, length: u64) -> wasmtime::Result<Vec<u8>> {
        let length = usize::try_from(length).ok().filter(|length| *length <= 1024);
        length.map(|length| self.bytes(length)).ok_or_else(|| wasmtime::format_err!("nobody needs so much randomness"))
    }

    fn get_random_u64(&mut self) -> wasmtime::Result<u64> {
        Ok(self.bytes(8).into_iter().fold(0, |number, byte| (number << 8) | u64::from(byte)))
    }
}

struct Ours(Clock);

impl HostWallClock for Ours {
    fn resolution(&self) -> Duration {
        Duration::from_millis(1)
    }

    /// A wall clock before 1970 reads as 1970: the interface has no sign.
    fn now(&self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.wall().0).unwrap_or(0))
    }
}

struct Virtual(Clock);

impl HostMonotonicClock for Virtual {
    fn resolution(&self) -> u64 {
        1
    }

    fn now(&self) -> u64 {
        u64::try_from(self.0.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}
