//! The parameters of a query or a form in an order that both sides can make.

use super::fill::Message;
use super::mac::Sink;
use crate::http::Headers;
use crate::profile::{Canonical, Order, Parameters};
use crate::uri;

pub fn write(canonical: &Canonical, message: &Message, sink: &mut dyn Sink) {
    let form = match is_form(&message.headers) {
        true => message.body.as_text().unwrap_or_default(),
        false => "",
    };
    let sources = match canonical.from {
        Parameters::Query => [message.query(), ""],
        Parameters::Form => ["", form],
        Parameters::Both => [message.query(), form],
    };
    let mut pairs: Vec<(Vec<u8>, Vec<u8>)> =
        sources.iter().flat_map(|source| source.split('&')).filter_map(|pair| read(pair, canonical)).collect();
    match canonical.order {
        Order::AsSent => {}
        Order::ByKey => pairs.sort_by(|(left, _), (right, _)| left.cmp(right)),
        Order::ByKeyValue => pairs.sort(),
    }
    let mut seen: Vec<&(Vec<u8>, Vec<u8>)> = Vec::new();
    for pair in &pairs {
        if canonical.dedupe && seen.contains(&pair) {
            continue;
        }
        if !seen.is_empty() {
            sink.put(canonical.join.as_bytes());
        }
        sink.put(&pair.0);
        sink.put(canonical.pair.as_bytes());
        sink.put(&pair.1);
        seen.push(pair);
    }
}

/// One pair, unless it is left out. A name alone has an empty value.
fn read(pair: &str, canonical: &Canonical) -> Option<(Vec<u8>, Vec<u8>)> {
    if pair.is_empty() {
        return None;
    }
    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
    let plain = decoded(name);
    if canonical.exclude.iter().any(|excluded| excluded.as_bytes() == plain) || canonical.drop_empty && value.is_empty()
    {
        return None;
    }
    Some(match canonical.decoded {
        true => (plain, decoded(value)),
        false => (name.into(), value.into()),
    })
}

/// As a form is: a plus is a space.
fn decoded(text: &str) -> Vec<u8> {
    uri::decode(&text.replace('+', " "))
}

/// Whether the body is a form (its type alone counts, not its parameters).
pub fn is_form(headers: &Headers) -> bool {
    let kind = headers.get("content-type").unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/x-www-form-urlencoded")
}
