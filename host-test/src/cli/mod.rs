//! The command `supplier-test`.

pub mod check;
pub mod drill;
mod junit;
mod reset;
pub mod run;
mod sample;

use std::process::ExitCode;

/// All held.
pub const PASSED: ExitCode = ExitCode::SUCCESS;
/// Something differed, or a profile has problems.
pub const DIFFERS: u8 = 1;
/// The command line or a file is wrong.
pub const UNUSABLE: u8 = 2;
