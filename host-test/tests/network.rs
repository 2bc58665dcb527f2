//! The client component over the stock sender of wasmtime, against sockets that do what no
//! HTTP library would: what a host makes of a request can be seen only there.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use supplier_test::components;
use supplier_test::report::Failure;
use supplier_test::scenario::{Component, Opening, SupplierSpec};
use supplier_test::stock::{Guest, Reply, Request, Stock, request};

/// Serves one connection on a port of its own.
fn listen<T: Send + 'static>(serve: impl FnOnce(TcpStream) -> T + Send + 'static) -> (String, JoinHandle<T>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a loopback port is free");
    let authority = listener.local_addr().expect("it is bound").to_string();
    (authority, thread::spawn(move || serve(listener.accept().expect("the guest connects").0)))
}

/// The lines of a request's head, as they came.
fn head(stream: &TcpStream) -> Vec<String> {
    let lines = BufReader::new(stream.try_clone().expect("a socket can be shared")).lines();
    lines.map_while(Result::ok).take_while(|line| !line.is_empty()).collect()
}

struct Played {
    guest: Guest,
    ended: Result<Reply, Failure>,
}

fn play(base_url: &str, patch: Value, sent: &Request) -> Played {
    let mut overrides = json!({ "base_url": base_url, "retry": { "max_attempts": 1 } });
    overrides.as_object_mut().expect("as written").extend(patch.as_object().expect("as written below").clone());
    let spec = SupplierSpec { overrides: Some(overrides), ..SupplierSpec::default() };
    let opening = Opening::resolve("main", &spec, Path::new("")).expect("the profile of the scenarios");
    let file = components::find(Component::Client).expect("the components are built first: `cargo xtask build`");
    let stock = Stock::load(&file).expect("what xtask builds is a component");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    runtime.expect("threads can be started").block_on(async {
        let mut guest = stock.instantiate().await.expect("the stock host has all imports");
        guest.open(&opening).await.expect("no trap").expect("no problems");
        let ended = guest.send(sent).await.expect("no trap").map_err(Failure::from);
        Played { guest, ended }
    })
}

/// B133: standard proxies refuse a request without `Host` before they route it.
#[test]
fn exactly_one_host_line_is_sent() {
    let (authority, served) = listen(|mut stream| {
        let lines = head(&stream);
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").expect("the guest waits for it");
        lines
    });
    let played = play(&format!("http://{authority}/v2"), json!({}), &request("POST", "/orders"));
    assert_eq!(played.ended.expect("it was answered").verdict, "ok");
    let lines = served.join().expect("the thread has ended");
    assert_eq!(lines[0], "POST /v2/orders HTTP/1.1");
    let hosts: Vec<_> = lines.iter().filter(|line| line.to_ascii_lowercase().starts_with("host:")).collect();
    assert_eq!(hosts.len(), 1, "host defect: {lines:?}");
    assert_eq!(hosts[0].split_once(": ").map(|(_, value)| value), Some(authority.as_str()));
    // B135: a POST without a body announces that it has none.
    assert!(lines.iter().any(|line| line.eq_ignore_ascii_case("content-length: 0")), "{lines:?}");
}

/// B137: the host has no timeout for the handshake, and nobody can tell that nothing was sent.
#[test]
fn a_tls_handshake_that_never_ends_ends_with_the_attempt() {
    for (method, kind, code) in
        [("GET", "unavailable", "attempt-timeout"), ("POST", "unknown-outcome", "maybe-applied")]
    {
        let (authority, served) = listen(|mut stream| {
            let mut hello = [0; 1024];
            // Says nothing; ends when the guest gives up.
            while stream.read(&mut hello).is_ok_and(|n| n > 0) {}
        });
        let retry = json!({ "retry": { "max_attempts": 1, "attempt_timeout_ms": 400 } });
        let began = Instant::now();
        let played = play(&format!("https://{authority}"), retry, &request(method, "/x"));
        let failure = played.ended.expect_err("nobody answered");
        assert_eq!((failure.kind.as_str(), failure.code.as_str(), failure.status), (kind, code, None));
        assert!(began.elapsed() >= Duration::from_millis(400));
        drop(played.guest);
        served.join().expect("the guest has closed the connection");
    }
}

/// B129: chunk after chunk without a length, and without an end.
#[test]
fn an_endless_body_takes_no_more_memory_than_its_cap() {
    const CAP: usize = 1024 * 1024;
    let (authority, served) = listen(|mut stream| {
        head(&stream);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        let chunk = format!("4000\r\n{}\r\n", "a".repeat(0x4000));
        let mut sent = 0usize;
        // The guest closes the connection; else this would never end.
        while stream.write_all(chunk.as_bytes()).is_ok() {
            sent += chunk.len();
        }
        sent
    });
    let caps = json!({ "caps": { "body_bytes": CAP } });
    let played = play(&format!("http://{authority}"), caps, &request("GET", "/x"));
    let failure = played.ended.expect_err("it had no end");
    assert_eq!((failure.kind.as_str(), failure.code.as_str()), ("bad-response", "response-too-large"));
    // The guest's own buffer grows by doubling; the bytes under way stand in the host.
    assert!(played.guest.peak_memory() < 6 * CAP, "{} bytes of linear memory", played.guest.peak_memory());
    drop(played.guest);
    assert!(served.join().expect("the thread has ended") >= CAP);
}

/// B127: the stock sender follows no redirect underneath.
#[test]
fn a_redirect_is_not_followed_underneath() {
    let (authority, served) = listen(|mut stream| {
        let first = head(&stream);
        let answer = "HTTP/1.1 307 Temporary Redirect\r\nLocation: /v2/elsewhere\r\nContent-Length: 0\r\n\r\n";
        stream.write_all(answer.as_bytes()).expect("the guest waits for it");
        (first, head(&stream))
    });
    let Played { guest, ended } = play(&format!("http://{authority}"), json!({}), &request("GET", "/x"));
    let reply = ended.expect("a redirect is an answer");
    assert_eq!((reply.verdict.as_str(), reply.response.status), ("redirect", 307));
    drop(guest);
    let (first, second) = served.join().expect("the guest has closed the connection");
    assert_eq!((first[0].as_str(), second.len()), ("GET /x HTTP/1.1", 0));
}
