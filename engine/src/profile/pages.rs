//! How a list is read page by page.

use super::kinds::{Bool, True, int, list, only_one, refined};
use super::names::{header_name, member, pointer, sent_header_name, some_text};
use super::object::{choice, choice_of, object};
use super::read::{At, Kind, Problems, code, default, optional, required};
use super::retry::{Source, source};
use crate::json::Pointer;
use serde_json::Value;

/// How a list is read page by page.
#[derive(Clone, Debug)]
pub struct Pages {
    /// The root means that the page is the list.
    pub items: Pointer,
    pub cursor: Cursor,
    pub send_as: SendAs,
    /// Where the page says whether there is more, and what it says then.
    pub more: Option<Pointer>,
    pub more_is: bool,
    /// Whether an empty cursor is the end (D5).
    pub empty_is_end: bool,
    pub allow_repeated_cursor: bool,
    pub max_pages: u32,
    pub end: Vec<End>,
    pub absent_items: AbsentItems,
}

/// Where the way to the next page comes from.
#[derive(Clone, Debug)]
pub enum Cursor {
    Body(Pointer),
    Header(String),
    /// A relation of the Link header.
    Link(String),
    UrlBody(Pointer),
    /// Within the last item, or the first one.
    Item {
        pointer: Pointer,
        last: bool,
    },
    /// Counted by us.
    Count {
        start: u32,
        step: Step,
    },
}

/// How far the count goes with a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Page numbers.
    One,
    /// As many items as came.
    Items,
    Fixed(u32),
}

/// Where the cursor goes.
#[derive(Clone, Debug)]
pub enum SendAs {
    Query {
        name: String,
        encoded: bool,
    },
    Body(Pointer),
    Header(String),
    /// It is the next request's URL.
    Url,
}

/// What also ends a list.
#[derive(Clone, Debug)]
pub enum End {
    NoItems,
    FewerThan(u32),
    Status(u16),
    /// The number of the last page.
    Last(Source),
    /// The number of items in all.
    Total(Source),
}

choice! {
    /// What a page without its list is.
    pub enum AbsentItems {
        /// Not a page: the call fails.
        Fail = "fail",
        /// A page without items.
        Empty = "empty",
    }
    not_yet []
}

object! {
    /// How a list is read page by page.
    struct RawPages {
        /// Where the items stand; "" if the page itself is the list.
        items: Pointer = required(pointer());
        /// Where the way to the next page comes from.
        cursor: Cursor = required(cursor());
        /// Where it goes; by default "url" for a link or an URL.
        send_as: Option<SendAs> = optional(send_as());
        /// Where the page says whether there is more.
        more: Option<Pointer> = optional(pointer());
        /// What it says when there is more: false for a member like "done".
        more_is: bool = default("true", Bool);
        /// An empty cursor is the end, as an absent one or null is.
        empty_is_end: bool = default("true", Bool);
        /// The supplier may name the same cursor again; max_pages is then what stops a loop.
        allow_repeated_cursor: bool = default("false", Bool);
        /// Pages of one list.
        max_pages: u32 = default("10000", int(1, 1_000_000_000));
        /// What also ends the list.
        end: Vec<End> = default("[]", list(end()));
        /// What a page without its list is.
        absent_items: AbsentItems = default("\"fail\"", choice_of());
    }
}

pub fn pages() -> impl Kind<Out = Pages> {
    refined(super::object::object_of::<RawPages>(), |raw, at: &At, problems: &mut Problems| {
        let is_url = matches!(raw.cursor, Cursor::Link(_) | Cursor::UrlBody(_));
        let send_as = match raw.send_as {
            Some(send_as) if matches!(send_as, SendAs::Url) == is_url => send_as,
            None if is_url => SendAs::Url,
            None => {
                problems.add(&at.key("send_as"), code::MISSING, "say where the cursor goes: query, body or header");
                return None;
            }
            Some(_) => {
                let message = match is_url {
                    true => "a link or an URL is followed as it is; write { \"url\": true } or leave the key out",
                    false => {
                        "this cursor is no URL; write \"query\", \"body\" or \"header\", or take the cursor from \"link\" or \"url_body\""
                    }
                };
                problems.add(&at.key("send_as"), code::CONFLICT, message);
                return None;
            }
        };
        Some(Pages {
            items: raw.items,
            cursor: raw.cursor,
            send_as,
            more: raw.more,
            more_is: raw.more_is,
            empty_is_end: raw.empty_is_end,
            allow_repeated_cursor: raw.allow_repeated_cursor,
            max_pages: raw.max_pages,
            end: raw.end,
            absent_items: raw.absent_items,
        })
    })
}

object! {
    /// Where the way to the next page comes from: one of these.
    struct RawCursor {
        /// A member of the body.
        body: Option<Pointer> = optional(pointer());
        /// A header.
        header: Option<String> = optional(header_name());
        /// The target of a Link header (RFC 8288) with this relation, mostly "next".
        link: Option<String> = optional(some_text());
        /// A member of the body that holds the next page's URL.
        url_body: Option<Pointer> = optional(pointer());
        /// A member of the page's last item.
        item: Option<Pointer> = optional(pointer());
        /// With "item": false takes the first item instead.
        last: Option<bool> = optional(Bool);
        /// A number that is counted on.
        count: Option<Count> = optional(super::object::object_of::<Count>());
    }
}

object! {
    /// A page number or an offset.
    struct Count {
        /// The first page's.
        start: u32 = default("1", int(0, u32::MAX));
        /// What is added for a page: "one" for page numbers, "items" for as many as came, or a number.
        step: Step = default("\"one\"", StepKind);
    }
}

fn cursor() -> impl Kind<Out = Cursor> {
    refined(super::object::object_of::<RawCursor>(), |raw, at: &At, problems: &mut Problems| {
        if raw.last.is_some() && raw.item.is_none() {
            problems.add(&at.key("last"), code::CONFLICT, "\"last\" goes with \"item\"; remove it");
        }
        let last = raw.last.unwrap_or(true);
        let found = vec![
            raw.body.map(Cursor::Body),
            raw.header.map(Cursor::Header),
            raw.link.map(Cursor::Link),
            raw.url_body.map(Cursor::UrlBody),
            raw.item.map(|pointer| Cursor::Item { pointer, last }),
            raw.count.map(|count| Cursor::Count { start: count.start, step: count.step }),
        ];
        only_one(found, "body, header, link, url_body, item and count", at, problems)
    })
}

struct StepKind;

impl Kind for StepKind {
    type Out = Step;

    fn read(&self, value: &Value, at: &At, problems: &mut Problems) -> Option<Step> {
        match value {
            Value::Number(_) => int(1, 1_000_000).read(value, at, problems).map(|n| match n {
                1 => Step::One,
                n => Step::Fixed(n),
            }),
            Value::String(text) if text == "one" => Some(Step::One),
            Value::String(text) if text == "items" => Some(Step::Items),
            Value::String(_) => {
                problems.add(at, code::INVALID_VALUE, "write \"one\", \"items\" or a number");
                None
            }
            _ => {
                problems.wrong_type(at, value, "\"one\", \"items\" or a number");
                None
            }
        }
    }

    #[cfg(feature = "schema")]
    fn schema(&self) -> Value {
        serde_json::json!({ "anyOf": [{ "enum": ["one", "items"] }, int(1, 1_000_000).schema()] })
    }
}

object! {
    /// Where the cursor goes: one of these.
    struct RawSendAs {
        /// A parameter of the query.
        query: Option<String> = optional(some_text());
        /// With "query": the cursor is percent-encoded already and goes as it is.
        encoded: Option<bool> = optional(Bool);
        /// A member of the JSON body.
        body: Option<Pointer> = optional(member());
        /// A header.
        header: Option<String> = optional(sent_header_name());
        /// The cursor is the next request's URL.
        url: Option<()> = optional(True);
    }
}

fn send_as() -> impl Kind<Out = SendAs> {
    refined(super::object::object_of::<RawSendAs>(), |raw, at: &At, problems: &mut Problems| {
        if raw.encoded.is_some() && raw.query.is_none() {
            problems.add(&at.key("encoded"), code::CONFLICT, "\"encoded\" goes with \"query\"; remove it");
        }
        let encoded = raw.encoded.unwrap_or(false);
        let found = vec![
            raw.query.map(|name| SendAs::Query { name, encoded }),
            raw.body.map(SendAs::Body),
            raw.header.map(SendAs::Header),
            raw.url.map(|()| SendAs::Url),
        ];
        only_one(found, "query, body, header and url", at, problems)
    })
}

object! {
    /// What also ends the list: one of these.
    struct RawEnd {
        /// A page without items.
        no_items: Option<()> = optional(True);
        /// A page with fewer items than this.
        fewer_than: Option<u32> = optional(int(1, 1_000_000));
        /// A response with this status, which is then a page without items.
        status: Option<u32> = optional(int(200, 599));
        /// Where the number of the last page stands.
        last: Option<Source> = optional(source());
        /// Where the number of all items stands.
        total: Option<Source> = optional(source());
    }
}

fn end() -> impl Kind<Out = End> {
    refined(super::object::object_of::<RawEnd>(), |raw, at: &At, problems: &mut Problems| {
        let found = vec![
            raw.no_items.map(|()| End::NoItems),
            raw.fewer_than.map(End::FewerThan),
            raw.status.map(|status| End::Status(u16::try_from(status).unwrap_or(u16::MAX))),
            raw.last.map(End::Last),
            raw.total.map(End::Total),
        ];
        only_one(found, "no_items, fewer_than, status, last and total", at, problems)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: Value) -> Result<Pages, Vec<(String, &'static str)>> {
        let mut problems = Problems::default();
        let pages = pages().read(&json, &At::ROOT, &mut problems);
        pages.ok_or(problems.0.into_iter().map(|p| (p.pointer, p.code)).collect())
    }

    #[test]
    fn a_link_is_followed() {
        let pages = read(serde_json::json!({ "items": "", "cursor": { "link": "next" } })).unwrap();
        assert!(matches!(pages.send_as, SendAs::Url) && pages.items.is_root() && pages.more_is);
    }

    #[test]
    fn a_cursor_needs_a_place() {
        let cursor = serde_json::json!({ "items": "", "cursor": { "body": "/next" } });
        assert_eq!(read(cursor).unwrap_err(), [("/send_as".into(), code::MISSING)]);
        let cursor = serde_json::json!({ "items": "", "cursor": { "body": "/next" }, "send_as": { "url": true } });
        assert_eq!(read(cursor).unwrap_err(), [("/send_as".into(), code::CONFLICT)]);
        let cursor = serde_json::json!({ "items": "", "cursor": { "body": "/next", "header": "X" }, "send_as": {} });
        assert_eq!(read(cursor).unwrap_err(), [("/cursor".into(), code::CONFLICT), ("/send_as".into(), code::MISSING)]);
    }

    #[test]
    fn counting() {
        for (step, expected) in [
            (serde_json::json!("one"), Step::One),
            (1.into(), Step::One),
            (50.into(), Step::Fixed(50)),
            ("items".into(), Step::Items),
        ] {
            let json = serde_json::json!({ "items": "/d", "cursor": { "count": { "start": 0, "step": step } }, "send_as": { "query": "p" } });
            assert!(matches!(read(json).unwrap().cursor, Cursor::Count { start: 0, step } if step == expected));
        }
    }
}
