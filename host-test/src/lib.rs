//! Plays scripted suppliers against the supplier-client components in virtual time.
//!
//! A [scenario](scenario::Scenario) is a profile, a script of what the supplier does, the
//! calls that somebody makes, and what must be seen. Nothing is really sent, and no wait
//! takes real time.
#![forbid(unsafe_code)]

pub mod bench;
pub mod cli;
pub mod clock;
pub mod components;
pub mod conform;
pub mod dates;
pub mod engine_driver;
pub mod entropy;
pub mod host;
pub mod journal;
pub mod judge;
pub mod languages;
pub mod play;
pub mod report;
pub mod scenario;
pub mod script;
pub mod stock;
pub mod style;
pub mod suite;
pub mod supplier;
pub mod timeline;
