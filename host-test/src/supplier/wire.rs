//! HTTP/1.1 requests as they came over the wire (RFC 9112): names in their case, lines in
//! their order, the target untouched. Bytes above 127 are read as ISO-8859-1.

use std::io;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Longer heads are refused; real servers stop between 8 and 64 KiB.
const HEAD_CAP: usize = 256 * 1024;
/// Longer bodies are refused.
const BODY_CAP: usize = 64 * 1024 * 1024;
/// A request that has begun must be complete by then.
const PATIENCE: Duration = Duration::from_secs(60);

/// Everything before the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    pub method: String,
    /// As on the wire, with its query.
    pub target: String,
    /// `HTTP/1.1`.
    pub version: String,
    /// Header lines in order, names in their case, values without surrounding whitespace.
    pub lines: Vec<(String, String)>,
    /// When the first byte was there.
    pub arrived: Instant,
}

/// One request, complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    pub head: Head,
    pub body: Vec<u8>,
}

/// Why no request could be read.
#[derive(Debug)]
pub enum ReadError {
    /// The client closed the connection between two requests: no fault.
    Closed,
    /// The bytes are no HTTP/1.1 request. The text says why.
    Malformed(&'static str),
    Io(io::Error),
}

/// A connection and what was read ahead on it.
pub struct Wire {
    stream: TcpStream,
    ahead: Vec<u8>,
}

impl Head {
    /// Parses the bytes before the empty line. Bare LF is refused: it is a way to smuggle.
    pub fn parse(bytes: &[u8], arrived: Instant) -> Result<Head, &'static str> {
        let text: String = bytes.iter().map(|b| char::from(*b)).collect();
        let mut rows = text.split("\r\n");
        let start = rows.next().unwrap_or_default();
        let [method, target, version] = start.split(' ').collect::<Vec<_>>()[..] else {
            return Err("the request line is not three words");
        };
        if !version.starts_with("HTTP/1.") || method.is_empty() || target.is_empty() {
            return Err("the request line is not HTTP/1");
        }
        let mut lines = Vec::new();
        for row in rows {
            let Some((name, value)) = row.split_once(':') else { return Err("a header line without a colon") };
            if name.is_empty() || name.contains([' ', '\t']) {
                return Err("whitespace in a header name");
            }
            if value.contains(['\n', '\r', '\0']) {
                return Err("a control character in a header value");
            }
            lines.push((name.to_owned(), value.trim_matches([' ', '\t']).to_owned()));
        }
        Ok(Head { method: method.into(), target: target.into(), version: version.into(), lines, arrived })
    }

    /// Every line of a field, in order.
    pub fn values<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        self.lines.iter().filter(move |(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str())
    }

    /// The only line of a field, if there is exactly one.
    pub fn only(&self, name: &str) -> Option<&str> {
        let mut values = self.values(name);
        let first = values.next();
        if values.next().is_some() { None } else { first }
    }

    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    /// The first value of a query parameter, decoded as forms are: `+` is a space, so a
    /// client that forgets to encode it is found out.
    pub fn query(&self, name: &str) -> Option<String> {
        let query = self.target.split_once('?')?.1;
        query.split('&').find_map(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(key) == name).then(|| decode(value))
        })
    }

    /// Whether the client wants the connection closed after the answer.
    pub fn closes(&self) -> bool {
        self.version == "HTTP/1.0" || self.values("connection").any(|v| v.to_ascii_lowercase().contains("close"))
    }
}

impl Wire {
    pub fn new(stream: TcpStream) -> Wire {
        // Small answers must not wait for an acknowledgement.
        let _ = stream.set_nodelay(true);
        Wire { stream, ahead: Vec::new() }
    }

    /// Reads up to the empty line.
    pub async fn head(&mut self) -> Result<Head, ReadError> {
        // Stray CRLFs between requests are skipped (RFC 9112, 2.2).
        loop {
            while self.ahead.starts_with(b"\r\n") {
                self.ahead.drain(..2);
            }
            if !self.ahead.is_empty() && self.ahead != b"\r" {
                break;
            }
            if self.more().await? == 0 {
                return Err(ReadError::Closed);
            }
        }
        let arrived = Instant::now();
        let end = loop {
            if let Some(end) = self.ahead.windows(4).position(|w| w == b"\r\n\r\n") {
                break end;
            }
            if self.ahead.len() > HEAD_CAP {
                return Err(ReadError::Malformed("the head is too long"));
            }
            self.more_of_a_request().await?;
        };
        let bytes: Vec<u8> = self.ahead.drain(..end + 4).collect();
        Head::parse(bytes.get(..end).unwrap_or_default(), arrived).map_err(ReadError::Malformed)
    }

    /// Reads the body that the head announces.
    pub async fn body(&mut self, head: &Head) -> Result<Vec<u8>, ReadError> {
        if head.values("expect").any(|v| v.eq_ignore_ascii_case("100-continue")) {
            self.stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await.map_err(ReadError::Io)?;
        }
        let coded = head.values("transfer-encoding").collect::<Vec<_>>();
        let lengths = head.values("content-length").collect::<Vec<_>>();
        match (&coded[..], &lengths[..]) {
            ([], []) => Ok(Vec::new()),
            ([], [length]) => {
                let digits = !length.is_empty() && length.bytes().all(|b| b.is_ascii_digit());
                let length = length.parse().ok().filter(|n| digits && *n <= BODY_CAP);
                self.exactly(length.ok_or(ReadError::Malformed("the content length is no length"))?).await
            }
            ([coding], []) if coding.eq_ignore_ascii_case("chunked") => self.chunks().await,
            _ => Err(ReadError::Malformed("the length of the body is ambiguous")),
        }
    }

    pub async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes).await?;
        self.stream.flush().await
    }

    /// Returns when the client has closed the connection, however long that takes.
    pub async fn closed(&mut self) {
        let mut sink = [0; 1024];
        while !matches!(self.stream.read(&mut sink).await, Ok(0) | Err(_)) {}
    }

    /// Ends the connection in order; unread bytes of the client are taken first, since a
    /// reset could destroy the answer on its way.
    pub async fn finish(mut self) {
        let _ = self.stream.shutdown().await;
        let _ = tokio::time::timeout(Duration::from_secs(1), self.closed()).await;
    }

    async fn chunks(&mut self) -> Result<Vec<u8>, ReadError> {
        let mut body = Vec::new();
        loop {
            let line = self.line().await?;
            let digits = line.split(';').next().unwrap_or_default().trim();
            let size = usize::from_str_radix(digits, 16).map_err(|_| ReadError::Malformed("a chunk without a size"))?;
            if size > BODY_CAP || body.len() > BODY_CAP {
                return Err(ReadError::Malformed("the body is too long"));
            }
            if size == 0 {
                while !self.line().await?.is_empty() {}
                return Ok(body);
            }
            body.extend(self.exactly(size).await?);
            if !self.line().await?.is_empty() {
                return Err(ReadError::Malformed("a chunk longer than its size"));
            }
        }
    }

    async fn line(&mut self) -> Result<String, ReadError> {
        loop {
            if let Some(end) = self.ahead.windows(2).position(|w| w == b"\r\n") {
                let line = self.ahead.iter().take(end).map(|b| char::from(*b)).collect();
                self.ahead.drain(..end + 2);
                return Ok(line);
            }
            if self.ahead.len() > HEAD_CAP {
                return Err(ReadError::Malformed("a line without an end"));
            }
            self.more_of_a_request().await?;
        }
    }

    async fn exactly(&mut self, length: usize) -> Result<Vec<u8>, ReadError> {
        while self.ahead.len() < length {
            self.more_of_a_request().await?;
        }
        Ok(self.ahead.drain(..length).collect())
    }

    async fn more_of_a_request(&mut self) -> Result<(), ReadError> {
        match tokio::time::timeout(PATIENCE, self.more()).await {
            Ok(Ok(0)) => Err(ReadError::Malformed("the connection ended within a request")),
            Ok(read) => read.map(|_| ()),
            Err(_) => Err(ReadError::Malformed("the request never ended")),
        }
    }

    async fn more(&mut self) -> Result<usize, ReadError> {
        self.ahead.reserve(16 * 1024);
        self.stream.read_buf(&mut self.ahead).await.map_err(ReadError::Io)
    }
}

/// Percent-decoding of a form value; what is not UTF-8 is replaced.
pub fn decode(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let ahead = rest.clone();
        let pair: Option<Vec<u8>> =
            rest.clone().take(2).map(|b| char::from(b).to_digit(16).map(|d| d as u8)).collect::<Option<_>>();
        match (byte, pair.as_deref()) {
            (b'%', Some([high, low])) => {
                bytes.push(high * 16 + low);
                rest = ahead;
                rest.nth(1);
            }
            (b'+', _) => bytes.push(b' '),
            _ => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(text: &str) -> Result<Head, &'static str> {
        Head::parse(text.as_bytes(), Instant::now())
    }

    #[test]
    fn lines_keep_order_case_and_count() {
        let head = head("GET /a?b=%2B HTTP/1.1\r\nHoSt: x\r\nB: 1\r\na:2 \r\nb: 3").unwrap();
        let names: Vec<_> = head.lines.iter().map(|(n, v)| format!("{n}={v}")).collect();
        assert_eq!(names, ["HoSt=x", "B=1", "a=2", "b=3"]);
        assert_eq!(head.target, "/a?b=%2B");
        assert_eq!(head.values("B").collect::<Vec<_>>(), ["1", "3"]);
        assert_eq!(head.only("b"), None);
        assert_eq!(head.only("host"), Some("x"));
    }

    #[test]
    fn what_is_not_http_is_refused() {
        for text in ["", "GET /", "GET / HTTP/2", "GET / HTTP/1.1\r\nno colon", "GET / HTTP/1.1\r\nA : b"] {
            assert!(head(text).is_err(), "{text:?}");
        }
        assert!(head("GET / HTTP/1.1\r\nA: b\nHost: evil").is_err(), "bare LF");
    }

    #[test]
    fn a_query_is_decoded_as_forms_are() {
        let head = head("GET /a?cursor=c%2B%2F%3D&x=a+b&y HTTP/1.1").unwrap();
        assert_eq!(head.query("cursor").as_deref(), Some("c+/="));
        assert_eq!(head.query("x").as_deref(), Some("a b"));
        assert_eq!(head.query("y").as_deref(), Some(""));
        assert_eq!(head.query("z"), None);
        assert_eq!(decode("%zz%4"), "%zz%4");
    }
}
