//! A client for the supplier's own tests: it sends exactly the bytes that it is given.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use super::clock::Clock;
use super::signature;

pub struct Got {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
    /// Fewer bytes came than were announced.
    pub cut: bool,
}

impl Got {
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

pub fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_millis(700))).unwrap();
    stream
}

/// One exchange on a connection; `None` if it ended or stayed silent without an answer.
pub fn exchange(stream: &mut TcpStream, bytes: &[u8]) -> Option<Got> {
    let _ = stream.write_all(bytes);
    let mut read = Vec::new();
    let mut byte = [0];
    while !read.ends_with(b"\r\n\r\n") {
        match stream.read(&mut byte) {
            Ok(1) => read.push(byte[0]),
            _ => return None,
        }
    }
    let head = String::from_utf8(read).unwrap();
    let mut got = Got { status: head[9..12].parse().unwrap(), head, body: Vec::new(), cut: false };
    let length: usize = got.header("content-length").map_or(0, |n| n.parse().unwrap());
    let mut body = vec![0; length];
    let mut filled = 0;
    while filled < length {
        match stream.read(&mut body[filled..]) {
            Ok(n) if n > 0 => filled += n,
            _ => break,
        }
    }
    body.truncate(filled);
    got.cut = filled < length;
    got.body = body;
    Some(got)
}

/// A well-formed request with a fresh signature and further header lines.
pub fn signed(address: SocketAddr, method: &str, target: &str, lines: &[&str], body: &str) -> Vec<u8> {
    signed_at(address, method, target, lines, body, Clock::default().now_ms() / 1000)
}

pub fn signed_at(address: SocketAddr, method: &str, target: &str, lines: &[&str], body: &str, t: i64) -> Vec<u8> {
    let signature = format!("X-Signature: {}", signature::sign("test_secret_a", t, body.as_bytes()));
    let lines: Vec<&str> = lines.iter().copied().chain([signature.as_str()]).collect();
    plain(address, method, target, &lines, body)
}

/// Without a signature.
pub fn plain(address: SocketAddr, method: &str, target: &str, lines: &[&str], body: &str) -> Vec<u8> {
    let mut text = format!("{method} {target} HTTP/1.1\r\nHost: {address}\r\nContent-Length: {}\r\n", body.len());
    for line in lines {
        text.push_str(line);
        text.push_str("\r\n");
    }
    format!("{text}\r\n{body}").into_bytes()
}

/// On a connection of its own.
pub fn send(address: SocketAddr, bytes: &[u8]) -> Option<Got> {
    exchange(&mut connect(address), bytes)
}

pub fn get(address: SocketAddr, target: &str) -> Got {
    send(address, &signed(address, "GET", target, &[], "")).expect("an answer")
}
