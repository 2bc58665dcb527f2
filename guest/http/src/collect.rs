//! What is kept of a response, within the limits that the policy gave beforehand.

use crate::fault::Broke;
use supplier_engine::wasi::ErrorCode;
use supplier_engine::{Body, Caps, Headers};

/// Asked for in one read: every read is a crossing, and hosts have about so much at hand.
const READ: usize = 64 * 1024;

/// A declared length is memory taken before a byte has come, so it is believed up to here.
const BELIEVED: usize = 1024 * 1024;

pub struct Collector {
    bytes: Vec<u8>,
    limit: usize,
    /// From status 400 on: a body over the limit is cut, for all that matters stands in front.
    cuts: bool,
    declared: Option<u64>,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Progress {
    More,
    /// The rest would be cut off.
    Enough,
}

impl Collector {
    pub fn new(method: &str, status: u16, headers: &Headers, caps: Caps) -> Collector {
        let cuts = status >= 400;
        let limit = if cuts { caps.error_body_bytes } else { caps.body_bytes };
        Collector { bytes: Vec::new(), limit, cuts, declared: declared(method, status, headers) }
    }

    pub fn progress(&self) -> Result<Progress, Broke> {
        if self.cuts {
            return Ok(if self.bytes.len() < self.limit { Progress::More } else { Progress::Enough });
        }
        let declared = self.declared.unwrap_or(0);
        if self.bytes.len() > self.limit || usize::try_from(declared).map_or(true, |length| length > self.limit) {
            return Err(Broke::from(ErrorCode::HttpResponseBodySize));
        }
        Ok(Progress::More)
    }

    /// How much to read next: never more than it takes to see that it is too much.
    pub fn room(&self) -> u64 {
        let left = self.limit.saturating_sub(self.bytes.len()).saturating_add(usize::from(!self.cuts));
        // `usize` is never wider than 64 bits.
        left.min(READ) as u64
    }

    pub fn take(&mut self, chunk: Vec<u8>) {
        if self.bytes.is_empty() {
            self.bytes = chunk;
            let declared = self.declared.and_then(|length| usize::try_from(length).ok()).unwrap_or(0);
            let more = declared.min(self.limit).min(BELIEVED).saturating_sub(self.bytes.len());
            self.bytes.reserve_exact(more);
        } else {
            self.bytes.extend_from_slice(&chunk);
        }
    }

    /// The stream has ended, or there is enough. A body that is shorter than it was said to be
    /// is none: hosts need not notice (`cases.md`, B96).
    pub fn finish(mut self) -> Result<Body, Broke> {
        if self.cuts && self.bytes.len() >= self.limit {
            self.bytes.truncate(self.limit);
            return Ok(Body::from_bytes(whole_characters(self.bytes)));
        }
        let length = u64::try_from(self.bytes.len()).unwrap_or(u64::MAX);
        if self.declared.is_some_and(|declared| length < declared) {
            return Err(Broke::from(ErrorCode::HttpResponseIncomplete));
        }
        Ok(Body::from_bytes(self.bytes))
    }
}

/// Field values are bytes. Those that are not UTF-8 are read as ISO-8859-1, which loses none.
pub fn text(value: Vec<u8>) -> String {
    String::from_utf8(value).unwrap_or_else(|error| error.as_bytes().iter().map(|&byte| char::from(byte)).collect())
}

/// How long the body is to be, where that can be known: responses without a body declare what
/// another would have had (RFC 9110, 8.6), and a host that decodes a content coding may leave
/// the coded length behind.
fn declared(method: &str, status: u16, headers: &Headers) -> Option<u64> {
    if method == "HEAD" || matches!(status, 100..=199 | 204 | 304) || headers.has("content-encoding") {
        return None;
    }
    let mut lines = headers.lines("content-length");
    let length = lines.next().filter(|length| length.bytes().all(|byte| byte.is_ascii_digit()))?;
    if lines.next().is_some() { None } else { length.parse().ok() }
}

/// Text stays text when the cut falls into the middle of a character.
fn whole_characters(mut bytes: Vec<u8>) -> Vec<u8> {
    if let Err(error) = std::str::from_utf8(&bytes)
        && error.error_len().is_none()
    {
        bytes.truncate(error.valid_up_to());
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use supplier_engine::{Event, Phase};

    const CAPS: Caps = Caps { body_bytes: 10, error_body_bytes: 4, header_bytes: 100 };

    fn collect(status: u16, length: Option<&str>, chunks: &[&[u8]]) -> Result<Body, (Phase, String)> {
        let mut headers = Headers::default();
        if let Some(length) = length {
            headers.push("Content-Length", length);
        }
        gather("GET", status, &headers, chunks).map_err(|broke| match broke.into_event() {
            Event::Broke { phase, code, head: None } => (phase, code),
            other => panic!("{other:?}"),
        })
    }

    /// Reads as `attempt` does.
    fn gather(method: &str, status: u16, headers: &Headers, chunks: &[&[u8]]) -> Result<Body, Broke> {
        let mut collector = Collector::new(method, status, headers, CAPS);
        let mut chunks = chunks.iter().flat_map(|chunk| chunk.chunks(1024));
        while collector.progress()? == Progress::More {
            let Some(chunk) = chunks.next() else { break };
            let room = usize::try_from(collector.room()).unwrap();
            assert!(room > 0);
            collector.take(chunk[..chunk.len().min(room)].to_vec());
        }
        collector.finish()
    }

    fn body(text: &str) -> Result<Body, (Phase, String)> {
        Ok(Body::Text(text.to_owned()))
    }

    #[test]
    fn one_byte_too_much_is_too_large() {
        // B129
        let too_large = Err((Phase::TooLarge, String::from("http-response-body-size")));
        assert_eq!(collect(200, None, &[b"01234", b"56789"]), body("0123456789"));
        assert_eq!(collect(200, None, &[b"01234", b"56789", b"a"]), too_large);
        assert_eq!(collect(399, None, &[b"0123456789abcdef"]), too_large);
        assert_eq!(collect(200, Some("11"), &[]), too_large);
        assert_eq!(collect(200, Some("99999999999999999999"), &[b"a"]), body("a"));
    }

    #[test]
    fn an_error_body_is_cut() {
        // B129
        assert_eq!(collect(400, None, &[b"01", b"2"]), body("012"));
        assert_eq!(collect(503, Some("100000000"), &[b"012345"]), body("0123"));
        assert_eq!(collect(503, None, &["aéñ".as_bytes()]), body("aé"));
        assert_eq!(collect(503, None, &[b"\xff\xff\xff\xff\xff"]), Ok(Body::Bytes(vec![0xff; 4])));
    }

    #[test]
    fn a_short_body_is_no_success() {
        // B96
        let incomplete = Err((Phase::MaybeSent, String::from("http-response-incomplete")));
        assert_eq!(collect(200, Some("5"), &[b"0123"]), incomplete);
        assert_eq!(collect(500, Some("3"), &[b"01"]), incomplete);
        assert_eq!(collect(201, Some("0"), &[]), body(""));
        assert_eq!(collect(200, Some("+5"), &[b"0123"]), body("0123"));
    }

    #[test]
    fn a_response_without_a_body_declares_anothers_length() {
        let headers = Headers(vec![(String::from("content-length"), String::from("5000"))]);
        for (method, status) in [("HEAD", 200), ("GET", 304), ("GET", 204)] {
            assert_eq!(gather(method, status, &headers, &[]).ok(), Some(Body::default()));
        }
    }

    #[test]
    fn values_are_utf_8_or_latin_1() {
        assert_eq!(text(b"caf\xc3\xa9".to_vec()), "café");
        assert_eq!(text(b"caf\xe9".to_vec()), "café");
    }
}
