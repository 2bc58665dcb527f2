//! One call, from the contract's types and back to them.

use crate::{convert, wit};
use std::cell::RefCell;
use supplier_engine::{Done, Goal, Supplier};
use supplier_http::call;

pub fn send(supplier: &RefCell<Supplier>, request: wit::Request) -> Result<wit::Reply, wit::Failure> {
    match call(supplier, Goal::Reply(convert::request(request))) {
        (Ok(Done::Reply { verdict, retry_after, journal }), Some(last)) => Ok(wit::Reply {
            response: convert::response(last),
            verdict,
            retry_after_ms: retry_after.map(|ms| ms.saturated()),
            journal,
        }),
        (Err(failure), last) => Err(convert::failure(failure, last)),
        (Ok(Done::Reply { .. }), None) => Err(convert::unexpected("a reply without a response")),
        (Ok(Done::Page { .. }), _) => Err(convert::unexpected("a page where a reply was due")),
    }
}

pub fn page(
    supplier: &RefCell<Supplier>,
    request: wit::Request,
    position: Option<String>,
) -> Result<wit::Page, wit::Failure> {
    match call(supplier, Goal::Page { request: convert::request(request), position }) {
        (Ok(Done::Page { items, count, next, journal }), Some(last)) => {
            Ok(wit::Page { items, count, next, headers: last.headers.0, journal })
        }
        (Err(failure), last) => Err(convert::failure(failure, last)),
        (Ok(Done::Page { .. }), None) => Err(convert::unexpected("a page without a response")),
        (Ok(Done::Reply { .. }), _) => Err(convert::unexpected("a reply where a page was due")),
    }
}
