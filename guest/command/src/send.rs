//! `send`: one call. The response's body goes to standard output as it came, also one that is
//! no success: the exit code says which it was.

use crate::args::Args;
use crate::output;
use crate::stop::Stop;
use std::cell::RefCell;
use std::fmt::Write as _;
use supplier_engine::{Done, Goal, Supplier};
use supplier_http::{Response, call};

pub fn send(supplier: &RefCell<Supplier>, args: &Args) -> Result<(), Stop> {
    let (done, response) = call(supplier, Goal::Reply(args.request()?));
    let (journal, ended) = match done {
        Ok(Done::Reply { verdict, journal, .. }) if verdict == "ok" => (journal, Ok(())),
        Ok(Done::Reply { verdict, retry_after, journal }) => {
            let status = response.as_ref().map(|response| response.status);
            (journal, Err(Stop::verdict(&verdict, status, retry_after.map(|ms| ms.saturated()))))
        }
        Ok(Done::Page { journal, .. }) => (journal, Err(Stop::bug("a page where a reply was due"))),
        Err(failure) => (failure.journal.clone(), Err(Stop::from(failure))),
    };
    args.record(&journal);
    if let Some(response) = &response {
        // A reader that is gone changes nothing about how the call ended.
        let printed = print(response, args.include);
        let answered = || format!("the request was sent, and the supplier answered {}", response.status);
        return ended.and(printed.map_err(|stop| stop.with(answered())));
    }
    ended
}

fn print(response: &Response, include: bool) -> Result<(), Stop> {
    if include {
        output::stdout(head(response).as_bytes())?;
    }
    output::stdout(response.body.as_bytes())
}

/// Status and header lines as on the wire, and the empty line.
fn head(response: &Response) -> String {
    let mut head = format!("HTTP/1.1 {}\r\n", response.status);
    for (name, value) in &response.headers.0 {
        // Writing into memory cannot fail.
        let _ = write!(head, "{name}: {value}\r\n");
    }
    head.push_str("\r\n");
    head
}
