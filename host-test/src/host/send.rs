//! The other end of wasi:http: reads the request into the log and plays the script's answer.

use std::collections::{HashSet, VecDeque};
use std::future;
use std::sync::Arc;

use bytes::Bytes;
use futures::stream;
use http::{HeaderName, HeaderValue, Response, StatusCode};
use http_body::Frame;
use http_body_util::{BodyExt, StreamBody};
use wasmtime_wasi_http::{
    DEFAULT_FORBIDDEN_HEADERS, Error, ForbiddenHeaderFilter, RequestOptions, WasiBody, WasiHttpHooks,
};

use super::errors;
use crate::script::{Head, Lines, Piece, Plan, Supplier};

pub struct Hooks {
    pub supplier: Supplier,
    /// In lower case.
    pub forbidden: Arc<HashSet<String>>,
}

type Io = Box<dyn Future<Output = Result<(), Error>> + Send>;
type Answer = Result<(Response<WasiBody>, Io), Error>;

impl WasiHttpHooks for Hooks {
    fn forbidden_header_filter(&mut self) -> ForbiddenHeaderFilter {
        let forbidden = self.forbidden.clone();
        Arc::new(move |name: &HeaderName| DEFAULT_FORBIDDEN_HEADERS.contains(name) || forbidden.contains(name.as_str()))
    }

    /// The log holds what the component sent; the authority stands beside it.
    fn set_host_header(&mut self) -> bool {
        false
    }

    fn send_request(
        &mut self,
        request: http::Request<WasiBody>,
        _options: Option<RequestOptions>,
        _response_processed: Io,
    ) -> Box<dyn Future<Output = Answer> + Send> {
        let supplier = self.supplier.clone();
        let (parts, body) = request.into_parts();
        let mut seen = supplier.seen();
        seen.method = parts.method.to_string();
        seen.scheme = parts.uri.scheme_str().unwrap_or_default().to_owned();
        seen.authority = parts.uri.authority().map(ToString::to_string).unwrap_or_default();
        seen.target = parts.uri.path_and_query().map(ToString::to_string).unwrap_or_default();
        seen.headers =
            parts.headers.iter().map(|(name, value)| (name.to_string(), value.as_bytes().to_vec())).collect();
        let (index, plan) = supplier.arrive(seen);
        Box::new(answer(supplier, index, plan, body))
    }
}

async fn answer(supplier: Supplier, index: usize, plan: Plan, body: WasiBody) -> Answer {
    let due = tokio::time::Instant::now() + plan.after();
    let unread = if plan.early() {
        Some(body)
    } else {
        read(&supplier, index, body).await?;
        None
    };
    tokio::time::sleep_until(due).await;
    match plan.head(&supplier.clock) {
        Head::Silence => future::pending().await,
        Head::Error { code, detail } => {
            supplier.answered(index, &code);
            Err(errors::error(&code, detail))
        }
        Head::Response { status, headers } => {
            supplier.answered(index, status.to_string());
            let response = response(status, headers, plan.pieces())?;
            Ok((response, keep(unread)))
        }
    }
}

async fn read(supplier: &Supplier, index: usize, mut body: WasiBody) -> Result<(), Error> {
    while let Some(frame) = body.frame().await {
        if let Ok(bytes) = frame?.into_data() {
            supplier.receive(index, &bytes);
        }
    }
    Ok(())
}

/// A supplier that answers early leaves the body unread and the connection open.
fn keep(unread: Option<WasiBody>) -> Io {
    match unread {
        None => Box::new(future::ready(Ok(()))),
        Some(body) => Box::new(async move {
            let _body = body;
            future::pending().await
        }),
    }
}

fn response(status: u16, headers: Lines, pieces: Vec<Piece>) -> Result<Response<WasiBody>, Error> {
    let cannot_carry = |what: &str| Error::InternalError(Some(format!("this host cannot carry {what}")));
    let frames = stream::unfold(VecDeque::from(pieces), |mut pieces| async move {
        loop {
            return match pieces.pop_front()? {
                Piece::Pause(pause) => {
                    tokio::time::sleep(pause).await;
                    continue;
                }
                Piece::Bytes(bytes) if bytes.is_empty() => continue,
                Piece::Bytes(bytes) => Some((Ok(Frame::data(bytes)), pieces)),
                Piece::Endless(bytes) => {
                    pieces.push_front(Piece::Endless(bytes.clone()));
                    Some((Ok::<Frame<Bytes>, Error>(Frame::data(bytes)), pieces))
                }
                Piece::Break(code) => Some((Err(errors::error(&code, None)), VecDeque::new())),
                Piece::Stall => future::pending().await,
            };
        }
    });
    let mut response = Response::new(StreamBody::new(frames).boxed_unsync());
    *response.status_mut() = StatusCode::from_u16(status).map_err(|_| cannot_carry("the status"))?;
    for (name, value) in headers {
        let name = HeaderName::try_from(name).map_err(|_| cannot_carry("a header name"))?;
        let value = HeaderValue::from_bytes(&value).map_err(|_| cannot_carry("a header value"))?;
        response.headers_mut().append(name, value);
    }
    Ok(response)
}
