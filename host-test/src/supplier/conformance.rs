//! What a host must not do to a request on its way: the lines of the adapters' contract that
//! can be seen from the supplier's side.

use super::report::Kind;
use super::wire::Head;

/// What is wrong with the head of a request that reached us at one of `authorities`.
pub fn flaws(head: &Head, authorities: &[String]) -> Vec<(Kind, String)> {
    let mut flaws = Vec::new();
    let hosts: Vec<&str> = head.values("host").collect();
    match hosts[..] {
        [host] if authorities.iter().any(|a| a.eq_ignore_ascii_case(host)) => {}
        [_] => flaws.push((Kind::HostLine, "the Host line is not the authority".into())),
        _ => flaws.push((Kind::HostLine, format!("{} Host lines", hosts.len()))),
    }
    if !head.target.starts_with('/') {
        flaws.push((Kind::Target, "the target is not in origin form: is there a proxy?".into()));
    } else if !head.target.bytes().all(|b| b.is_ascii_graphic() && b != b'#') {
        flaws.push((Kind::Target, "the target holds bytes that must be percent-encoded".into()));
    }
    for (name, value) in &head.lines {
        if let Some(why) = header_flaw(&name.to_ascii_lowercase(), &value.to_ascii_lowercase()) {
            flaws.push((Kind::Header, format!("{name}: {why}")));
        }
    }
    flaws
}

fn header_flaw(name: &str, value: &str) -> Option<&'static str> {
    match name {
        // A client that decodes by itself hands over other bytes and lengths than were sent.
        "accept-encoding" if value != "identity" => Some("asks for transparent decompression"),
        "connection" if !matches!(value, "keep-alive" | "close") => Some("names a hop-by-hop header"),
        "keep-alive" | "proxy-authenticate" | "proxy-authorization" | "proxy-connection" => Some("is hop-by-hop"),
        "te" | "trailer" | "upgrade" | "http2-settings" => Some("is hop-by-hop"),
        "cookie" => Some("a cookie jar is at work"),
        "if-none-match" | "if-modified-since" | "if-range" => Some("a cache is at work"),
        "via" | "forwarded" | "x-forwarded-for" => Some("a proxy is at work"),
        _ => None,
    }
}

/// `Host` values that mean this server.
pub fn authorities(port: u16) -> Vec<String> {
    ["127.0.0.1", "localhost"].iter().map(|host| format!("{host}:{port}")).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    fn kinds(head: &str) -> Vec<Kind> {
        let head = Head::parse(head.as_bytes(), Instant::now()).unwrap();
        flaws(&head, &authorities(80)).into_iter().map(|(kind, _)| kind).collect()
    }

    /// B133: exactly one `Host` line, equal to the authority.
    #[test]
    fn one_host_line() {
        assert_eq!(kinds("GET / HTTP/1.1\r\nhost: 127.0.0.1:80"), []);
        assert_eq!(kinds("GET / HTTP/1.1"), [Kind::HostLine]);
        assert_eq!(kinds("GET / HTTP/1.1\r\nHost: 127.0.0.1:80\r\nhost: 127.0.0.1:80"), [Kind::HostLine]);
        assert_eq!(kinds("GET / HTTP/1.1\r\nHost: 127.0.0.1"), [Kind::HostLine]);
    }

    #[test]
    fn a_target_is_encoded_and_in_origin_form() {
        let host = "\r\nHost: localhost:80";
        assert_eq!(kinds(&format!("GET /a?b=%20c HTTP/1.1{host}")), []);
        assert_eq!(kinds(&format!("GET http://localhost:80/ HTTP/1.1{host}")), [Kind::Target]);
        assert_eq!(kinds(&format!("GET /ä HTTP/1.1{host}")), [Kind::Target]);
        assert_eq!(kinds(&format!("GET /#x HTTP/1.1{host}")), [Kind::Target]);
    }

    #[test]
    fn headers_that_a_host_added() {
        let with = |line: &str| kinds(&format!("GET / HTTP/1.1\r\nHost: localhost:80\r\n{line}"));
        for fine in ["Connection: keep-alive", "Accept-Encoding: identity", "Accept: */*", "Transfer-Encoding: chunked"]
        {
            assert_eq!(with(fine), [], "{fine}");
        }
        for bad in ["Accept-Encoding: gzip", "TE: trailers", "Connection: upgrade", "Cookie: a=b", "If-None-Match: *"] {
            assert_eq!(with(bad), [Kind::Header], "{bad}");
        }
    }
}
