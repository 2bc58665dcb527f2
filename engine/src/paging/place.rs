//! Putting a cursor into a request.

use super::position::Next;
use crate::http::{Body, Headers};
use crate::json::{self, SpliceError};
use crate::profile::{Pages, SendAs};
use crate::uri::{self, BaseUrl};

/// The parts of a request that a cursor may change.
pub(crate) struct Placed {
    pub path_and_query: String,
    pub headers: Headers,
    pub body: Body,
}

/// The request that asks for the next page. Errors are kind and reason for the caller.
pub(crate) fn place(pages: &Pages, base: &BaseUrl, next: &Next, mut request: Placed) -> Result<Placed, &'static str> {
    let raw = match next {
        Next::Stuck(_) => return Err("the position leads nowhere"),
        Next::Url(path) => {
            // A position is a text that may have been altered on its way.
            let path = uri::resolve(base, "/", path).map_err(|_| "the position points to another origin")?;
            request.path_and_query = path;
            return Ok(request);
        }
        Next::Cursor(raw) => raw,
    };
    let text = json::scalar(raw).ok_or("the position holds no cursor")?;
    match &pages.send_as {
        SendAs::Query { name, encoded } => {
            request.path_and_query = uri::replace_query(&request.path_and_query, name, &text, *encoded);
        }
        SendAs::Header(name) => {
            if !crate::field::is_value(&text) {
                return Err("the cursor cannot stand in a header");
            }
            request.headers.push(name.as_str(), text);
        }
        SendAs::Body(pointer) => {
            let body = request.body.as_text().ok_or("the body is not text, so no cursor can be put into it")?;
            let body = json::splice(body, pointer, raw).map_err(|error| match error {
                SpliceError::NotJson => "the body is not JSON, so no cursor can be put into it",
                SpliceError::NoParent => "the body has no object at the place of the cursor",
            })?;
            request.body = Body::Text(body);
        }
        SendAs::Url => return Err("the position holds a cursor, and this profile pages by URL"),
    }
    Ok(request)
}
