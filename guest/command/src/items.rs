//! `items`: a list as JSON lines, page by page. One page stands in memory, never the list.

use crate::args::Args;
use crate::stop::Stop;
use crate::{files, output};
use serde_json::value::RawValue;
use std::cell::RefCell;
use supplier_engine::{Done, Failure, Goal, Supplier};
use supplier_http::call;

/// Prints every item as it came, and remembers the position of the first page that does not
/// stand on standard output whole.
pub fn items(supplier: &RefCell<Supplier>, args: &Args) -> Result<(), Stop> {
    let request = args.request()?;
    let mut position = start(args)?;
    let mut left = args.limit;
    let mut pages = args.pages;
    loop {
        if left == Some(0) || pages == Some(0) {
            return pause(args, position.as_deref());
        }
        let (done, response) = call(supplier, Goal::Page { request: request.clone(), position: position.clone() });
        let (items, next) = match done {
            Ok(Done::Page { items, next, journal, .. }) => {
                args.record(&journal);
                (items, next)
            }
            Ok(Done::Reply { .. }) => return Err(Stop::bug("a reply where a page was due")),
            Err(failure) => {
                args.record(&failure.journal);
                return Err(failed(args, failure, response.is_some(), position.as_deref()));
            }
        };
        let page = Lines::of(&items, left).ok_or_else(|| Stop::bug("items that are no JSON array"))?;
        output::stdout(page.text.as_bytes()).map_err(|stop| torn(args, stop, position.as_deref()))?;
        left = left.map(|left| left.saturating_sub(page.count));
        pages = pages.map(|pages| pages.saturating_sub(1));
        if page.cut {
            return pause(args, position.as_deref());
        }
        let Some(next) = next else { return finish(args) };
        if let Some(file) = &args.position_file {
            files::replace(file, &next)?;
        }
        position = Some(next);
    }
}

/// Where to begin: a file that is not there, or empty, is the beginning of the list.
fn start(args: &Args) -> Result<Option<String>, Stop> {
    let Some(file) = &args.position_file else { return Ok(args.position.clone()) };
    let text = files::optional_text(file)?.map(|text| text.trim().to_owned());
    files::demand_writable(file)?;
    Ok(text.filter(|text| !text.is_empty()))
}

/// The list is at its end; a position of it is worth nothing any more.
fn finish(args: &Args) -> Result<(), Stop> {
    args.position_file.as_deref().map_or(Ok(()), files::remove)
}

/// As much as was asked for has been printed.
fn pause(args: &Args, position: Option<&str>) -> Result<(), Stop> {
    if let Some(line) = hint(args, position) {
        output::say(&line);
    }
    Ok(())
}

fn failed(args: &Args, failure: Failure, is_answered: bool, position: Option<&str>) -> Stop {
    let is_position = matches!(failure.code.as_str(), "invalid-position" | "foreign-position");
    let mut stop = Stop::from(failure);
    if is_answered {
        stop = stop.with("`send` with the same request prints the response".to_owned());
    }
    match &args.position_file {
        Some(file) if is_position => stop.with(format!("remove {file} to begin the list anew")),
        None if is_position => stop,
        _ => resumable(args, stop, position),
    }
}

/// A page that does not stand on standard output whole.
fn torn(args: &Args, stop: Stop, position: Option<&str>) -> Stop {
    if stop == Stop::Unread {
        return stop;
    }
    let stop = stop.with("the last line may be torn: drop that page's lines before going on".to_owned());
    resumable(args, stop, position)
}

fn resumable(args: &Args, stop: Stop, position: Option<&str>) -> Stop {
    match hint(args, position) {
        Some(line) => stop.with(line),
        None => stop,
    }
}

/// How to go on, where a file does not hold it.
fn hint(args: &Args, position: Option<&str>) -> Option<String> {
    let position = position.filter(|_| args.position_file.is_none())?;
    Some(format!("go on with --position '{position}'"))
}

/// Items of one page, one a line.
struct Lines {
    text: String,
    count: u64,
    /// There were more than were wanted.
    cut: bool,
}

impl Lines {
    fn of(items: &str, most: Option<u64>) -> Option<Lines> {
        let items: Vec<&RawValue> = serde_json::from_str(items).ok()?;
        let wanted = most.and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX).min(items.len());
        let mut text = String::new();
        for item in items.iter().take(wanted) {
            // Inside of a JSON string a line break is escaped, so these stand between tokens.
            text.extend(item.get().chars().map(|c| if matches!(c, '\n' | '\r') { ' ' } else { c }));
            text.push('\n');
        }
        // `usize` is never wider than 64 bits.
        Some(Lines { text, count: wanted as u64, cut: wanted < items.len() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_is_one_line_and_keeps_its_digits() {
        let page = Lines::of("[ {\"b\": 1.10,\r\n \"a\": \"x\\ny\"} , 9007199254740993 ]", None).unwrap();
        assert_eq!(page.text, "{\"b\": 1.10,   \"a\": \"x\\ny\"}\n9007199254740993\n");
        assert_eq!((page.count, page.cut), (2, false));
        assert_eq!(Lines::of("[]", None).unwrap().text, "");
    }

    #[test]
    fn a_limit_cuts_a_page() {
        let page = Lines::of("[1,2,3]", Some(2)).unwrap();
        assert_eq!((page.text.as_str(), page.count, page.cut), ("1\n2\n", 2, true));
        assert!(!Lines::of("[1,2,3]", Some(3)).unwrap().cut);
    }
}
