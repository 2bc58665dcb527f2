//! The strict supplier from outside, over TCP.

use std::net::SocketAddr;

use super::client::{connect, exchange, get, plain, send, signed, signed_at};
use super::clock::Clock;
use super::report::Kind;
use super::server::Running;
use super::strict::{Strict, StrictConfig};

fn start(change: impl FnOnce(&mut StrictConfig)) -> (Running<Strict>, SocketAddr) {
    let mut config = StrictConfig::default();
    change(&mut config);
    let running = Strict::start(config, 0).unwrap();
    let address = running.address;
    (running, address)
}

fn with_faults(faults: &str) -> (Running<Strict>, SocketAddr) {
    start(|config| config.faults = faults.parse().unwrap())
}

fn now_s() -> i64 {
    Clock::default().now_ms() / 1000
}

#[test]
fn signatures_are_verified_and_counted() {
    let (supplier, at) = start(|_| {});
    assert_eq!(get(at, "/v2/echo").status, 200);
    assert_eq!(send(at, &plain(at, "GET", "/v2/echo", &[], "")).unwrap().status, 401);
    let t = now_s();
    let other_body = super::signature::sign("test_secret_a", t, b"other");
    let line = format!("X-Signature: {other_body}");
    assert_eq!(send(at, &plain(at, "POST", "/v2/orders", &[&line], "{}")).unwrap().status, 401);
    let twice = signed(at, "GET", "/v2/echo", &[&line], "");
    assert_eq!(send(at, &twice).unwrap().json()["error"]["message"], "more than one signature header");
    let report = supplier.service.report();
    assert_eq!((report.count(Kind::Signature), report.count(Kind::StaleSignature), report.orders), (3, 0, 0));
    assert_eq!((report.requests, report.clean), (4, false));
    assert!(!report.to_json().contains("v1="));
}

#[test]
fn a_right_signature_can_be_stale() {
    let (supplier, at) = start(|config| config.verifier.tolerance_ms = 2000);
    for (t, status) in [(now_s(), 200), (now_s() - 4, 401), (now_s() + 5, 401)] {
        assert_eq!(send(at, &signed_at(at, "GET", "/v2/echo", &[], "", t)).unwrap().status, status);
    }
    assert_eq!(supplier.service.report().count(Kind::StaleSignature), 2);
}

#[test]
fn the_suppliers_own_clock_judges_age_and_stands_in_date() {
    let (supplier, at) = start(|config| config.clock.offset_ms = 400_000);
    let got = get(at, "/v2/echo");
    assert_eq!(got.status, 401);
    let fresh = send(at, &signed_at(at, "GET", "/v2/echo", &[], "", now_s() + 400)).unwrap();
    assert_eq!(fresh.status, 200);
    assert_eq!(supplier.service.report().count(Kind::StaleSignature), 1);
}

#[test]
fn who_was_told_zero_and_sends_is_a_violation() {
    let (supplier, at) = start(|config| (config.limit, config.window_ms) = (2, 2000));
    assert_eq!(get(at, "/v2/echo").header("X-RateLimit-Remaining"), Some("1"));
    let last = get(at, "/v2/echo");
    assert_eq!(last.header("X-RateLimit-Remaining"), Some("0"));
    let reset: i64 = last.header("X-RateLimit-Reset").unwrap().parse().unwrap();
    assert_eq!(supplier.service.report().count(Kind::Limit), 0);
    let refused = get(at, "/v2/echo");
    assert_eq!((refused.status, refused.header("X-RateLimit-Remaining")), (429, Some("0")));
    let report = supplier.service.report();
    assert_eq!((report.count(Kind::Limit), report.over_limit), (1, 1));
    let until_reset = reset * 1000 - Clock::default().now_ms();
    std::thread::sleep(std::time::Duration::from_millis(until_reset.try_into().unwrap()));
    assert_eq!(get(at, "/v2/echo").status, 200);
    assert_eq!(supplier.service.report().count(Kind::Limit), 1);
}

#[test]
fn an_order_has_one_effect_also_when_its_answer_was_lost() {
    let (supplier, at) = with_faults("drop-applied@orders:1");
    let order = |key: &str, body: &str| signed(at, "POST", "/v2/orders", &[&format!("Idempotency-Key: {key}")], body);
    assert!(send(at, &order("k1", "{}")).is_none(), "applied, then the connection ends");
    let again = send(at, &order("k1", "{}")).unwrap();
    assert_eq!((again.status, again.header("Idempotent-Replayed")), (201, Some("true")));
    assert_eq!(send(at, &order("k1", "{ }")).unwrap().status, 422);
    let count = get(at, "/v2/orders/count").json();
    assert_eq!((&count["count"], &count["duplicates"]), (&1.into(), &0.into()));
    let report = supplier.service.report();
    assert_eq!((report.count(Kind::IdempotencyKey), report.count(Kind::DuplicateEffect)), (1, 0));
    assert_eq!(send(at, &order("k2", "{}")).unwrap().status, 201);
    assert_eq!(supplier.service.report().count(Kind::DuplicateEffect), 1);
}

#[test]
fn faults_come_where_the_schedule_says() {
    let (supplier, at) = with_faults("503@1,503+1@2,429+1@4,drop@5,drop-read@6,cut@7,stall@8,slow@9");
    let page = || send(at, &signed(at, "GET", "/v2/consignments", &[], ""));
    assert_eq!(page().unwrap().status, 503);
    let told = page().unwrap();
    assert_eq!((told.status, told.header("Retry-After")), (503, Some("1")));
    assert_eq!(page().unwrap().status, 200);
    assert_eq!(supplier.service.report().count(Kind::RetryAfter), 1, "the same request, too early");
    let limited = page().unwrap();
    assert_eq!((limited.status, limited.header("X-RateLimit-Remaining")), (429, Some("0")));
    assert!(page().is_none() && page().is_none());
    assert_eq!(supplier.service.report().count(Kind::Limit), 1, "the one that was read");
    std::thread::sleep(std::time::Duration::from_millis(2000));
    assert!(page().unwrap().cut && page().unwrap().cut, "half a body, then an end or silence");
    assert!(!page().unwrap().cut, "slow, but whole");
    let report = supplier.service.report();
    assert_eq!(report.injected.len(), 8);
    assert_eq!(report.by_status["dropped"], 2);
}

#[test]
fn lists_end_under_all_three_conventions() {
    let (supplier, at) = start(|config| config.catalogue.total = 250);
    let mut target = "/v2/consignments-link?limit=100".to_owned();
    let mut pages = 0;
    loop {
        let page = get(at, &target);
        pages += 1;
        let Some(link) = page.header("Link") else { break };
        target = link.trim_start_matches('<').split('>').next().unwrap().to_owned();
    }
    assert_eq!(pages, 3);
    let first = get(at, "/v2/consignments-header?limit=200");
    let cursor = first.header("X-Next-Cursor").unwrap();
    let encoded = cursor.replace('+', "%2B").replace('/', "%2F").replace('=', "%3D");
    let last = get(at, &format!("/v2/consignments-header?limit=200&cursor={encoded}"));
    assert_eq!((last.json()["items"].as_array().unwrap().len(), last.header("X-Next-Cursor")), (50, None));
    let body = get(at, &format!("/v2/consignments?limit=200&cursor={encoded}")).json();
    assert_eq!((&body["has_more"], &body["next"]), (&false.into(), &serde_json::Value::Null));
    assert!(supplier.service.report().clean);
    assert_eq!(get(at, &format!("/v2/consignments?cursor={cursor}")).status, 400, "`+` unencoded is a space");
    assert_eq!(supplier.service.report().count(Kind::Cursor), 1);
}

#[test]
fn what_came_over_the_wire_is_told_as_it_came() {
    let (supplier, at) = start(|_| {});
    let bytes = signed(at, "PUT", "/v2/echo/a%2fb?x=%20&y=~", &["x-LOWER: 1", "X-Twice: a", "X-Twice: b"], "caf\u{e9}");
    let echo = send(at, &bytes).unwrap().json();
    assert_eq!(echo["target"], "/v2/echo/a%2fb?x=%20&y=~");
    assert_eq!(echo["headers"][2], serde_json::json!(["x-LOWER", "1"]));
    assert_eq!(echo["headers"][4], serde_json::json!(["X-Twice", "b"]));
    assert_eq!(echo["body_bytes"], 5);
    assert!(supplier.service.report().clean);
}

#[test]
fn a_broken_host_is_found_out() {
    let (supplier, at) = start(|_| {});
    let text = String::from_utf8(signed(at, "GET", "/v2/echo", &[], "")).unwrap();
    let host = format!("Host: {at}\r\n");
    for broken in [text.replace(&host, ""), text.replace(&host, &host.repeat(2)), text.replace(&host, "Host: x\r\n")] {
        let got = send(at, broken.as_bytes()).unwrap();
        assert_eq!((got.status, &got.json()["error"]["code"]), (400, &"host_defect".into()));
    }
    for line in ["Accept-Encoding: gzip", "Cookie: strict=1", "If-None-Match: \"strict-1\""] {
        assert_eq!(send(at, &signed(at, "GET", "/v2/echo", &[line], "")).unwrap().status, 200);
    }
    get(at, "/v2/redirected");
    assert_eq!(send(at, b"GET / HTTP/1.1\r\nbroken\r\n\r\n").unwrap().status, 400);
    let report = supplier.service.report();
    let counts = [Kind::HostLine, Kind::Header, Kind::Redirect, Kind::Malformed].map(|kind| report.count(kind));
    assert_eq!(counts, [3, 3, 1, 1]);
}

#[test]
fn connections_are_kept_alive_and_chunks_are_read() {
    let (supplier, at) = start(|_| {});
    let mut stream = connect(at);
    let text = String::from_utf8(signed(at, "POST", "/v2/echo", &[], "hello world")).unwrap();
    let chunked = text
        .replace("Content-Length: 11", "Transfer-Encoding: chunked")
        .replace("hello world", "5\r\nhello\r\n6;x=y\r\n world\r\n0\r\n\r\n");
    for bytes in [&text, &chunked, &text] {
        let echo = exchange(&mut stream, bytes.as_bytes()).unwrap().json();
        assert_eq!(echo["body_sha256"], "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9");
    }
    let report = supplier.service.report();
    assert!(report.clean);
    assert_eq!(report.chunked, 1);
}

#[test]
fn the_report_is_there_for_everyone_and_leaves_no_trace() {
    let (_supplier, at) = start(|_| {});
    get(at, "/v2/bytes/10");
    let report = send(at, b"GET /__report HTTP/1.1\r\n\r\n").unwrap().json();
    assert_eq!((&report["clean"], &report["requests"]), (&true.into(), &1.into()));
    assert_eq!(report["violations"]["limit"], 0);
    assert_eq!(report["violations"].as_object().unwrap().len(), Kind::ALL.len());
}
