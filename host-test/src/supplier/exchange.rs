//! Answers, and the ways in which they reach the client or fail to.

use std::io;
use std::time::Duration;

use super::wire::Wire;

/// What goes back for one request.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    /// In wire order. `content-length` and `transfer-encoding` are added where nobody set
    /// them, unless `delivery` is without an end.
    pub headers: Vec<(String, Vec<u8>)>,
    pub body: Vec<u8>,
    /// Silence before the first byte.
    pub after: Duration,
    pub delivery: Delivery,
}

/// How much of an answer is delivered, and how fast.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delivery {
    Whole,
    /// The connection ends without a byte of an answer.
    Drop,
    /// No byte of an answer, and the connection stays open until the client gives up.
    Silence,
    /// The head, half of the body, then the connection ends.
    Cut,
    /// The head, half of the body, then silence until the client gives up.
    Stall,
    /// The body in so many pieces with a pause before each.
    Slow {
        pieces: usize,
        pause: Duration,
    },
    /// These chunks with a pause before each, in place of the body.
    Chunks {
        chunks: Vec<Vec<u8>>,
        pause: Duration,
        end: End,
    },
    /// The body again and again until the client gives up.
    Endless,
}

/// What comes after the last chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Whole,
    Cut,
    Stall,
}

impl Answer {
    pub fn new(status: u16) -> Answer {
        Answer { status, headers: Vec::new(), body: Vec::new(), after: Duration::ZERO, delivery: Delivery::Whole }
    }

    pub fn json(status: u16, body: impl Into<String>) -> Answer {
        let mut answer = Answer::new(status).header("Content-Type", "application/json");
        answer.body = body.into().into_bytes();
        answer
    }

    /// An error body as suppliers write it: a code for programs, a message for people.
    pub fn error(status: u16, code: &str, message: &str) -> Answer {
        let body = serde_json::json!({ "error": { "code": code, "message": message } });
        Answer::json(status, body.to_string())
    }

    /// No answer: the connection ends.
    pub fn dropped() -> Answer {
        Answer { delivery: Delivery::Drop, ..Answer::new(0) }
    }

    pub fn header(mut self, name: &str, value: impl Into<String>) -> Answer {
        self.headers.push((name.to_owned(), value.into().into_bytes()));
        self
    }

    pub fn deliver(mut self, delivery: Delivery) -> Answer {
        self.delivery = delivery;
        self
    }

    /// Writes the answer. `Ok(true)` if the connection may carry another request.
    pub async fn write(&self, wire: &mut Wire, head_only: bool, close: bool) -> io::Result<bool> {
        tokio::time::sleep(self.after).await;
        match self.delivery {
            Delivery::Drop => return Ok(false),
            Delivery::Silence => {
                wire.closed().await;
                return Ok(false);
            }
            _ => {}
        }
        let bodiless = head_only || matches!(self.status, 100..=199 | 204 | 304);
        let mut bytes = self.head(bodiless, close);
        if bodiless {
            wire.write(&bytes).await?;
            return Ok(!close);
        }
        match &self.delivery {
            Delivery::Whole => {
                bytes.extend(&self.body);
                wire.write(&bytes).await?;
                Ok(!close)
            }
            Delivery::Cut | Delivery::Stall => {
                bytes.extend(self.body.iter().take(self.body.len() / 2));
                wire.write(&bytes).await?;
                if self.delivery == Delivery::Stall {
                    wire.closed().await;
                }
                Ok(false)
            }
            Delivery::Slow { pieces, pause } => {
                wire.write(&bytes).await?;
                for piece in self.body.chunks(self.body.len().div_ceil(*pieces).max(1)) {
                    tokio::time::sleep(*pause).await;
                    wire.write(piece).await?;
                }
                Ok(!close)
            }
            Delivery::Chunks { chunks, pause, end } => {
                wire.write(&bytes).await?;
                let coded = !self.has("content-length");
                for piece in chunks.iter().filter(|c| !c.is_empty()) {
                    tokio::time::sleep(*pause).await;
                    wire.write(&framed(piece, coded)).await?;
                }
                match end {
                    End::Cut => return Ok(false),
                    End::Stall => {
                        wire.closed().await;
                        return Ok(false);
                    }
                    End::Whole if coded => wire.write(b"0\r\n\r\n").await?,
                    End::Whole => {}
                }
                Ok(!close)
            }
            Delivery::Endless => {
                wire.write(&bytes).await?;
                let piece = framed(&self.body, true);
                loop {
                    wire.write(&piece).await?;
                }
            }
            Delivery::Drop | Delivery::Silence => Ok(false),
        }
    }

    pub fn has(&self, name: &str) -> bool {
        self.headers.iter().any(|(n, _)| n.eq_ignore_ascii_case(name))
    }

    fn head(&self, bodiless: bool, close: bool) -> Vec<u8> {
        let mut bytes = format!("HTTP/1.1 {} {}\r\n", self.status, reason(self.status)).into_bytes();
        let mut line = |name: &str, value: &[u8]| {
            bytes.extend(name.bytes());
            bytes.extend(b": ");
            bytes.extend(value);
            bytes.extend(b"\r\n");
        };
        for (name, value) in &self.headers {
            line(name, value);
        }
        if !bodiless && !self.has("content-length") && !self.has("transfer-encoding") {
            match self.delivery {
                Delivery::Chunks { .. } | Delivery::Endless => line("Transfer-Encoding", b"chunked"),
                _ => line("Content-Length", self.body.len().to_string().as_bytes()),
            }
        }
        if close && !self.has("connection") {
            line("Connection", b"close");
        }
        bytes.extend(b"\r\n");
        bytes
    }
}

fn framed(piece: &[u8], coded: bool) -> Vec<u8> {
    if !coded {
        return piece.to_vec();
    }
    let mut bytes = format!("{:x}\r\n", piece.len()).into_bytes();
    bytes.extend(piece);
    bytes.extend(b"\r\n");
    bytes
}

fn reason(status: u16) -> &'static str {
    http::StatusCode::from_u16(status).ok().and_then(|s| s.canonical_reason()).unwrap_or("Unassigned")
}
