//! From a response to its items and the way on.

use super::position::{LONGEST, Next};
use crate::field;
use crate::http::Headers;
use crate::json::{self, Pointer};
use crate::link;
use crate::profile::{AbsentItems, Cursor, End, Pages, SendAs, Source, Step};
use crate::uri::{self, BaseUrl, NextError};

/// A page, cut out of a body.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    /// Byte range of the items in the body; `None` stands for `[]`.
    pub items: Option<std::ops::Range<usize>>,
    pub count: u32,
    /// `None` at the end of the list.
    pub next: Option<Next>,
}

/// What a page is read against.
pub(crate) struct Context<'a> {
    pub base: &'a BaseUrl,
    /// Path and query that the page was asked for under: next links are relative to it.
    pub asked: &'a str,
    /// Pages and items before this one.
    pub pages: u32,
    pub items: u64,
}

/// Whether this status alone is the end of the list.
pub(crate) fn is_end(pages: &Pages, status: u16) -> bool {
    pages.end.iter().any(|end| matches!(end, End::Status(code) if *code == status))
}

/// Reads a page. An error is the reason why it is none, without a byte of the body.
pub(crate) fn cut(pages: &Pages, headers: &Headers, body: &str, context: &Context<'_>) -> Result<Cut, &'static str> {
    let wanted = Wanted::of(pages);
    let found = json::capture(body, &wanted.pointers).map_err(|_| "shape: the body is not JSON")?;
    let at =
        |slot: Option<usize>| slot.and_then(|slot| found.get(slot).copied().flatten()).filter(|raw| *raw != "null");
    let raw = at(Some(0));
    let list = match raw {
        Some(raw) => json::array(raw).ok_or("shape: what pages.items points to is not an array")?,
        None if pages.absent_items == AbsentItems::Empty => json::Array { count: 0, first: None, last: None },
        None => return Err("shape: the body has no array at pages.items"),
    };
    let items = raw.and_then(|raw| span(body, raw));
    let count = list.count;
    let scalar = |slot: Option<usize>| at(slot).and_then(json::scalar);
    let more = match scalar(wanted.more).as_deref() {
        None => None,
        Some("true") => Some(pages.more_is),
        Some("false") => Some(!pages.more_is),
        Some(_) => return Err("shape: what pages.more points to is not a boolean"),
    };
    if more == Some(false)
        || ended(pages, headers, count, context, |slot| scalar(wanted.ends.get(slot).copied().flatten()))
    {
        return Ok(Cut { items, count, next: None });
    }
    let next = match &pages.cursor {
        Cursor::Body(_) => at(wanted.cursor).map(cursor).transpose()?,
        Cursor::Header(name) => headers.get(name).map(|value| Next::Cursor(json::quote(value.trim()))),
        Cursor::Item { pointer, last } => match if *last { list.last } else { list.first } {
            Some(item) => Some(item_cursor(item, pointer)?),
            None => None,
        },
        Cursor::Count { start, step } => (count > 0).then(|| Next::Cursor(counted(*start, step, context, count))),
        Cursor::Link(rel) => {
            headers.get("link").and_then(|field| link::target(&field, rel)).map(|url| follow(context, &url))
        }
        Cursor::UrlBody(_) => {
            let url = at(wanted.cursor).map(link_text).transpose()?;
            url.map(|url| if url.is_empty() { empty() } else { follow(context, &url) })
        }
    };
    let next = next.filter(|next| !(pages.empty_is_end && *next == empty()));
    let next = match next {
        None if more == Some(true) => Some(Next::Stuck("bad-page".to_owned())),
        Some(Next::Cursor(raw)) => Some(usable(pages, raw)),
        other => other,
    };
    Ok(Cut { items, count, next })
}

/// The pointers that a page is read by, and where each stands among them.
struct Wanted<'a> {
    pointers: Vec<&'a Pointer>,
    cursor: Option<usize>,
    more: Option<usize>,
    ends: Vec<Option<usize>>,
}

impl<'a> Wanted<'a> {
    fn of(pages: &'a Pages) -> Wanted<'a> {
        let mut pointers = vec![&pages.items];
        let mut add = |pointer: &'a Pointer| {
            pointers.push(pointer);
            Some(pointers.len().saturating_sub(1))
        };
        let cursor = match &pages.cursor {
            Cursor::Body(pointer) | Cursor::UrlBody(pointer) => add(pointer),
            _ => None,
        };
        let more = pages.more.as_ref().and_then(&mut add);
        let ends = pages.end.iter().map(|end| match end {
            End::Last(Source::Body(pointer)) | End::Total(Source::Body(pointer)) => add(pointer),
            _ => None,
        });
        let ends = ends.collect();
        Wanted { pointers, cursor, more, ends }
    }
}

/// Whether a further end rule holds. `value` reads the rule's pointer.
fn ended(
    pages: &Pages,
    headers: &Headers,
    count: u32,
    context: &Context<'_>,
    value: impl Fn(usize) -> Option<String>,
) -> bool {
    let read = |source: &Source, rule: usize| -> Option<u64> {
        let text = match source {
            Source::Header(name) => headers.get(name).map(|value| value.trim().to_owned()),
            Source::Body(_) => value(rule),
        };
        text?.parse().ok()
    };
    let page = u64::from(context.pages).saturating_add(1);
    pages.end.iter().enumerate().any(|(rule, end)| match end {
        End::NoItems => count == 0,
        End::FewerThan(size) => count < *size,
        End::Status(_) => false,
        End::Last(source) => read(source, rule).is_some_and(|last| page >= last),
        End::Total(source) => {
            read(source, rule).is_some_and(|total| context.items.saturating_add(u64::from(count)) >= total)
        }
    })
}

fn cursor(raw: &str) -> Result<Next, &'static str> {
    let is_flag = matches!(raw.trim(), "true" | "false");
    match json::scalar(raw) {
        Some(_) if !is_flag => Ok(Next::Cursor(raw.to_owned())),
        _ => Err("shape: the cursor is neither text nor a number"),
    }
}

/// Anything else is no link, and would be one relative to the request.
fn link_text(raw: &str) -> Result<String, &'static str> {
    let is_text = raw.trim_start().starts_with('"');
    json::scalar(raw).filter(|_| is_text).ok_or("shape: the link to the next page is no text")
}

fn item_cursor(item: &str, pointer: &Pointer) -> Result<Next, &'static str> {
    let found = json::capture(item, &[pointer]).ok().and_then(|found| found.first().copied().flatten());
    cursor(found.ok_or("shape: the item that should hold the cursor does not")?)
}

/// The number that asks for the page after this one.
fn counted(start: u32, step: &Step, context: &Context<'_>, count: u32) -> String {
    let read = context.items.saturating_add(u64::from(count));
    let pages = u64::from(context.pages).saturating_add(1);
    let steps = match step {
        Step::One => pages,
        Step::Items => read,
        Step::Fixed(step) => pages.saturating_mul(u64::from(*step)),
    };
    u64::from(start).saturating_add(steps).to_string()
}

fn follow(context: &Context<'_>, reference: &str) -> Next {
    if reference.len() > LONGEST {
        return Next::Stuck("cursor-too-long".to_owned());
    }
    match uri::resolve(context.base, context.asked, reference) {
        Ok(path) => Next::Url(path),
        Err(NextError::CrossOrigin) => Next::Stuck("cross-origin-next".to_owned()),
        Err(NextError::Malformed) => Next::Stuck("bad-page".to_owned()),
    }
}

/// A cursor that can be sent where the profile says.
fn usable(pages: &Pages, raw: String) -> Next {
    if raw.len() > LONGEST {
        return Next::Stuck("cursor-too-long".to_owned());
    }
    let text = json::scalar(&raw).unwrap_or_default();
    let fits = match pages.send_as {
        SendAs::Header(_) => field::is_value(&text),
        SendAs::Query { encoded: true, .. } => text.bytes().all(|b| b.is_ascii_graphic() && b != b'#'),
        _ => true,
    };
    if fits { Next::Cursor(raw) } else { Next::Stuck("bad-page".to_owned()) }
}

fn empty() -> Next {
    Next::Cursor("\"\"".to_owned())
}

/// Where a captured slice stands in the text that it was captured from.
fn span(body: &str, raw: &str) -> Option<std::ops::Range<usize>> {
    let start = (raw.as_ptr() as usize).checked_sub(body.as_ptr() as usize)?;
    let end = start.checked_add(raw.len())?;
    (end <= body.len()).then_some(start..end)
}
