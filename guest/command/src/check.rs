//! `check`: whether the profile can be opened with these credentials, and what a request with
//! it would do. Sends nothing.

use crate::args::Args;
use crate::output;
use crate::stop::Stop;
use std::cell::RefCell;
use supplier_engine::Supplier;
use supplier_http::clock;

/// Prints one line of JSON, as `explain` of the contract.
pub fn check(supplier: &RefCell<Supplier>, args: &Args) -> Result<(), Stop> {
    let mut explained = supplier.borrow().explain(&args.request()?, clock::now())?;
    explained.push('\n');
    output::stdout(explained.as_bytes())
}
