//! One attempt: a whole exchange over wasi:http, raced against one timer of our own.
//!
//! Handles live until the end of the body, also those that seem to be done: hosts tie the
//! connection to them (`cases.md`, B144). On any early return everything is dropped at once,
//! children before parents (B147): locals fall in reverse order, fields in theirs.

use crate::bindings::wasi::http::outgoing_handler;
use crate::bindings::wasi::http::types::{FutureIncomingResponse, IncomingResponse, OutgoingBody, OutgoingRequest};
use crate::bindings::wasi::io::poll::{self, Pollable};
use crate::bindings::wasi::io::streams::{OutputStream, StreamError};
use crate::call::Response;
use crate::clock;
use crate::collect::{Collector, Progress, text};
use crate::fault::Broke;
use crate::outgoing;
use supplier_engine::wasi::ErrorCode;
use supplier_engine::{Caps, Headers, Ms, Phase, Signed};

/// More than this in one write traps in some hosts (B145).
const PIECE: usize = 4096;

/// A body that is always there to be read never blocks; so often the timer is looked at all
/// the same.
const READS_BETWEEN_LOOKS: u32 = 64;

pub fn run(wire: &Signed, timer: Ms, caps: Caps) -> Result<Response, Broke> {
    let request = outgoing::request(wire)?;
    let upload = Upload::open(&request, wire.body().as_bytes())?;
    let deadline = clock::timer(timer);
    let answer = outgoing_handler::handle(request, Some(outgoing::options(timer)))?;
    let mut exchange = Exchange { upload, deadline };
    let response = exchange.head(&answer)?;
    let status = response.status();
    let headers = headers(&response);
    if size(&headers) > caps.header_bytes {
        return Err(Broke::from(ErrorCode::HttpResponseHeaderSectionSize).after_head(status, Headers::default()));
    }
    let mut collector = Collector::new(wire.method(), status, &headers, caps);
    match exchange.body(&response, &mut collector).and_then(|()| collector.finish()) {
        Ok(body) => Ok(Response { status, headers, body }),
        Err(broke) => Err(broke.after_head(status, headers)),
    }
}

struct Exchange<'a> {
    upload: Upload<'a>,
    deadline: Pollable,
}

impl Exchange<'_> {
    fn head(&mut self, answer: &FutureIncomingResponse) -> Result<IncomingResponse, Broke> {
        let answered = answer.subscribe();
        loop {
            self.until(&answered)?;
            match answer.get() {
                Some(Ok(Ok(response))) => return Ok(response),
                Some(Ok(Err(code))) => return Err(Broke::from(code)),
                Some(Err(())) => return Err(Broke::from(ErrorCode::InternalError)),
                None => self.check()?,
            }
        }
    }

    fn body(&mut self, response: &IncomingResponse, collector: &mut Collector) -> Result<(), Broke> {
        let body = response.consume().map_err(|()| Broke::from(ErrorCode::InternalError))?;
        let stream = body.stream().map_err(|()| Broke::from(ErrorCode::InternalError))?;
        let mut readable = None;
        let mut reads = 0u32;
        while collector.progress()? == Progress::More {
            match stream.read(collector.room()) {
                Ok(chunk) if chunk.is_empty() => self.until(readable.get_or_insert_with(|| stream.subscribe()))?,
                Ok(chunk) => collector.take(chunk),
                Err(StreamError::Closed) => break,
                Err(error) => return Err(Broke::from(error)),
            }
            reads = reads.wrapping_add(1);
            if reads.is_multiple_of(READS_BETWEEN_LOOKS) {
                self.check()?;
            }
        }
        Ok(())
    }

    /// Blocks until `wanted` is ready, and goes on writing meanwhile. What is ready together
    /// with the timer has come in time.
    fn until(&mut self, wanted: &Pollable) -> Result<(), Broke> {
        loop {
            self.upload.push()?;
            let ready = match &self.upload.room {
                Some(room) => poll::poll(&[wanted, &self.deadline, room]),
                None => poll::poll(&[wanted, &self.deadline]),
            };
            if ready.contains(&0) {
                return Ok(());
            }
            if ready.contains(&1) {
                return Err(Broke::timed_out());
            }
        }
    }

    fn check(&self) -> Result<(), Broke> {
        if self.deadline.ready() { Err(Broke::timed_out()) } else { Ok(()) }
    }
}

/// The request's body on its way. It is written after `handle`: before it nothing drains the
/// stream, and everything above one buffer would hang (B145).
struct Upload<'a> {
    /// Ready when the stream takes more; there while the stream is full.
    room: Option<Pollable>,
    /// Gone once everything is written, or once the host takes no more.
    stream: Option<OutputStream>,
    /// Gone once it is finished. One that is not finished is an aborted request, so it stays
    /// until an early response has been read.
    body: Option<OutgoingBody>,
    rest: &'a [u8],
}

impl<'a> Upload<'a> {
    fn open(request: &OutgoingRequest, bytes: &'a [u8]) -> Result<Upload<'a>, Broke> {
        if bytes.is_empty() {
            return Ok(Upload { room: None, stream: None, body: None, rest: bytes });
        }
        let refused = |()| Broke::new(Phase::Never, ErrorCode::ConfigurationError.name());
        let body = request.body().map_err(refused)?;
        let stream = body.write().map_err(refused)?;
        Ok(Upload { room: None, stream: Some(stream), body: Some(body), rest: bytes })
    }

    /// Writes as much as the host takes now.
    fn push(&mut self) -> Result<(), Broke> {
        while let Some(stream) = &self.stream {
            let taken = match stream.check_write() {
                Ok(0) => {
                    self.room.get_or_insert_with(|| stream.subscribe());
                    return Ok(());
                }
                Ok(room) => self.rest.len().min(PIECE).min(usize::try_from(room).unwrap_or(PIECE)),
                Err(_) => {
                    self.close();
                    return Ok(());
                }
            };
            let (piece, rest) = self.rest.split_at_checked(taken).unwrap_or((self.rest, &[]));
            if stream.write(piece).is_err() {
                self.close();
                return Ok(());
            }
            self.rest = rest;
            if rest.is_empty() {
                return self.finish();
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Broke> {
        self.close();
        match self.body.take() {
            Some(body) => OutgoingBody::finish(body, None).map_err(Broke::from),
            None => Ok(()),
        }
    }

    /// Without a verdict: whether the host takes no more because the connection broke or
    /// because the response came early, the response will tell.
    fn close(&mut self) {
        self.room = None;
        self.stream = None;
    }
}

fn headers(response: &IncomingResponse) -> Headers {
    let entries = response.headers().entries();
    Headers(entries.into_iter().map(|(name, value)| (name, text(value))).collect())
}

/// Names and values, as `Caps::header_bytes` counts them.
fn size(headers: &Headers) -> usize {
    headers.0.iter().fold(0, |sum: usize, (name, value)| sum.saturating_add(name.len()).saturating_add(value.len()))
}
