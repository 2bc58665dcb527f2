//! A supplier that stands on a loopback port and speaks real HTTP/1.1.
//!
//! [`strict`] checks everything that a well-behaved client promises: fresh signatures, the
//! rate limit that it was told, one effect for each order, an untouched target and header
//! set. [`replay`] plays the script of a scenario in real time. Both are [`server::Service`]s
//! of the same small server, which reads and writes HTTP by itself: a library would fold
//! exactly what is judged here (duplicate `Host` lines, the raw target, the case of names)
//! and would not let us break a connection at a chosen byte.

pub mod demo;
pub mod serve;
pub mod workers;

pub mod catalogue;
pub mod clock;
pub mod conformance;
pub mod exchange;
pub mod fault;
pub mod limit;
pub mod orders;
pub mod probe;
pub mod replay;
pub mod report;
pub mod server;
pub mod signature;
pub mod strict;
pub mod wire;

#[cfg(test)]
mod client;
#[cfg(test)]
mod tests;

pub use report::Report;
pub use server::{Running, Service};
pub use strict::{Strict, StrictConfig};
