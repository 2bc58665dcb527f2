//! One attempt: the request that the engine gave, sent to the scripted supplier under the
//! engine's caps.

use std::future;
use std::time::Duration;

use supplier_engine::Phase;
use supplier_engine::wasi::ErrorCode;
use tokio::time::timeout;

use super::detail::Send;
use crate::script::{Head, Lines, Piece, Plan, Supplier};

/// How an attempt ended.
#[derive(Debug)]
pub enum Exchanged {
    Answered { status: u16, headers: Vec<(String, String)>, body: Vec<u8> },
    Broke { phase: Phase, code: String, head: Option<(u16, Vec<(String, String)>)> },
}

/// Sends and reads, for as long as `timer_ms`.
pub async fn exchange(supplier: &Supplier, send: &Send, body: Vec<u8>, timer_ms: u32) -> Exchanged {
    let (index, plan) = match arrive(supplier, send, body) {
        Ok(arrived) => arrived,
        Err(code) => return Exchanged::Broke { phase: Phase::Never, code, head: None },
    };
    let mut head = None;
    let reading = read(supplier, index, &plan, send, &mut head);
    match timeout(Duration::from_millis(timer_ms.into()), reading).await {
        Ok(exchanged) => exchanged,
        Err(_) => Exchanged::Broke { phase: Phase::MaybeSent, code: "attempt-timeout".to_owned(), head },
    }
}

fn arrive(supplier: &Supplier, send: &Send, body: Vec<u8>) -> Result<(usize, Plan), String> {
    let uri: http::Uri = send.url.parse().map_err(|_| "http-request-uri-invalid".to_owned())?;
    let mut seen = supplier.seen();
    seen.method = send.method.clone();
    seen.scheme = uri.scheme_str().unwrap_or_default().to_owned();
    seen.authority = uri.authority().map(ToString::to_string).unwrap_or_default();
    seen.target = uri.path_and_query().map(ToString::to_string).unwrap_or_default();
    seen.headers = send.headers.iter().map(|(name, value)| (name.clone(), value.clone().into_bytes())).collect();
    let (index, plan) = supplier.arrive(seen);
    if !plan.early() {
        supplier.receive(index, &body);
    }
    Ok((index, plan))
}

async fn read(
    supplier: &Supplier,
    index: usize,
    plan: &Plan,
    send: &Send,
    seen: &mut Option<(u16, Vec<(String, String)>)>,
) -> Exchanged {
    tokio::time::sleep(plan.after()).await;
    let (status, lines) = match plan.head(&supplier.clock) {
        Head::Silence => return future::pending().await,
        Head::Error { code, detail } => {
            supplier.answered(index, &code);
            return broke(&code, detail, None);
        }
        Head::Response { status, headers } => (status, headers),
    };
    supplier.answered(index, status.to_string());
    let header_bytes: usize = lines.iter().map(|(name, value)| name.len() + value.len()).sum();
    let headers = texts(lines);
    *seen = Some((status, headers.clone()));
    if header_bytes > send.caps.header_bytes {
        return broke("http-response-header-section-size", None, Some((status, headers)));
    }
    let cap = if status < 400 { send.caps.body_bytes } else { send.caps.error_body_bytes };
    let mut body = Vec::new();
    for piece in plan.pieces() {
        match piece {
            Piece::Pause(pause) => tokio::time::sleep(pause).await,
            Piece::Bytes(bytes) => body.extend_from_slice(&bytes),
            Piece::Endless(bytes) => {
                while body.len() <= cap {
                    body.extend_from_slice(&bytes);
                }
            }
            Piece::Break(code) => return broke(&code, None, Some((status, headers))),
            Piece::Stall => return future::pending().await,
        }
        if body.len() > cap && status < 400 {
            return broke("http-response-body-size", None, Some((status, headers)));
        }
        if body.len() > cap {
            body.truncate(cap);
            break;
        }
    }
    Exchanged::Answered { status, headers, body }
}

fn broke(code: &str, detail: Option<String>, head: Option<(u16, Vec<(String, String)>)>) -> Exchanged {
    let phase = ErrorCode::parse(code).map_or(Phase::MaybeSent, ErrorCode::phase);
    let code = detail.map_or_else(|| code.to_owned(), |detail| format!("{code} {detail}"));
    Exchanged::Broke { phase, code, head }
}

/// Bytes that are not UTF-8 are read as ISO-8859-1.
fn texts(lines: Lines) -> Vec<(String, String)> {
    lines
        .into_iter()
        .map(|(name, value)| {
            let value = String::from_utf8(value)
                .unwrap_or_else(|error| error.as_bytes().iter().map(|byte| char::from(*byte)).collect());
            (name, value)
        })
        .collect()
}
