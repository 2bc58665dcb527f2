//! The base URL of a profile.

use std::net::{Ipv4Addr, Ipv6Addr};

use fluent_uri::Uri;

/// Scheme, host and port that every request goes to, and the path before every target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseUrl {
    /// Otherwise plain http.
    pub https: bool,
    /// In lower case; an IPv6 address in brackets.
    pub host: String,
    /// Only when it is not the scheme's own.
    pub port: Option<u16>,
    /// Without a slash at its end: empty, or as in `/v2`.
    pub path: String,
}

impl BaseUrl {
    /// Reads a base URL. `allow_http`: plain http to other hosts than the machine itself. The
    /// error says what is wrong and what to write, and quotes nothing.
    pub fn parse(text: &str, allow_http: bool) -> Result<BaseUrl, &'static str> {
        let uri = Uri::parse(text).map_err(|_| "not a URL: write it as in https://api.example.com/v2")?;
        let https = match uri.scheme().as_str() {
            scheme if scheme.eq_ignore_ascii_case("https") => true,
            scheme if scheme.eq_ignore_ascii_case("http") => false,
            _ => return Err("the scheme must be https, or http for this machine itself"),
        };
        let authority = uri.authority().ok_or("no host: write it as in https://api.example.com/v2")?;
        if authority.has_userinfo() {
            return Err("no user name or password may stand before the host: name a credential in `headers` instead");
        }
        let host = authority.host().to_ascii_lowercase();
        if !is_host(&host) {
            return Err("the host must be a name of letters, digits, dots and hyphens, or an IP address");
        }
        let port = match authority.port_to_u16() {
            Err(_) | Ok(Some(0)) => return Err("the port must be a number from 1 to 65535"),
            Ok(port) => port.filter(|&port| port != default_port(https)),
        };
        if uri.has_query() || uri.has_fragment() {
            return Err("a base URL ends with its path: move the query into `query` and drop the fragment");
        }
        let path = uri.path().as_str().trim_end_matches('/');
        if path.starts_with("//") || super::climbs(path) {
            return Err("the path must not start with // and must not hold `..`");
        }
        let base = BaseUrl { https, host, port, path: path.to_owned() };
        if !https && !allow_http && !base.is_loopback() {
            return Err("plain http is only for this machine itself: write https, or set `allow_http` to true");
        }
        Ok(base)
    }

    /// Host, and port if it is not the scheme's own: the value of the Host field.
    pub fn authority(&self) -> String {
        match self.port {
            Some(port) => [&self.host, ":", &port.to_string()].concat(),
            None => self.host.clone(),
        }
    }

    /// Host and port, always both: part of the key of shared state.
    pub fn origin_key(&self) -> String {
        [&self.host, ":", &self.effective_port().to_string()].concat()
    }

    /// Whether the host is this machine: `localhost`, 127.0.0.0/8 or `[::1]`.
    pub fn is_loopback(&self) -> bool {
        match in_brackets(&self.host) {
            Some(v6) => v6.parse().is_ok_and(|ip: Ipv6Addr| ip.is_loopback()),
            None => self.host == "localhost" || self.host.parse().is_ok_and(|ip: Ipv4Addr| ip.is_loopback()),
        }
    }

    /// The port that is meant, written or not.
    pub(super) fn effective_port(&self) -> u16 {
        self.port.unwrap_or(default_port(self.https))
    }

    pub(super) fn scheme(&self) -> &'static str {
        if self.https { "https" } else { "http" }
    }
}

pub(super) fn default_port(https: bool) -> u16 {
    if https { 443 } else { 80 }
}

/// Narrower than RFC 3986, whose names may hold `%` and `;`: no two spellings of one host.
fn is_host(host: &str) -> bool {
    match in_brackets(host) {
        Some(v6) => v6.parse::<Ipv6Addr>().is_ok(),
        None => !host.is_empty() && host.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._".contains(&b)),
    }
}

fn in_brackets(host: &str) -> Option<&str> {
    host.strip_prefix('[')?.strip_suffix(']')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn base_urls() {
        // Text, authority, key, path.
        let table = [
            ("https://api.supplier.test", "api.supplier.test", "api.supplier.test:443", ""),
            ("HTTPS://API.Supplier.test:443/", "api.supplier.test", "api.supplier.test:443", ""),
            ("https://api.supplier.test:/v2/", "api.supplier.test", "api.supplier.test:443", "/v2"),
            (
                "https://api.supplier.test:8443/v2/A%20b",
                "api.supplier.test:8443",
                "api.supplier.test:8443",
                "/v2/A%20b",
            ),
            ("https://a.test:80", "a.test:80", "a.test:80", ""),
            ("https://[2001:DB8::1]:444/", "[2001:db8::1]:444", "[2001:db8::1]:444", ""),
            ("http://localhost:8080", "localhost:8080", "localhost:8080", ""),
            ("http://127.0.0.1/x", "127.0.0.1", "127.0.0.1:80", "/x"),
            ("http://127.9.9.9:80", "127.9.9.9", "127.9.9.9:80", ""),
            ("http://[::1]:81", "[::1]:81", "[::1]:81", ""),
            ("http://[0:0:0:0:0:0:0:1]", "[0:0:0:0:0:0:0:1]", "[0:0:0:0:0:0:0:1]:80", ""),
        ];
        for (text, authority, key, path) in table {
            let base = BaseUrl::parse(text, false).unwrap();
            assert_eq!(
                (base.authority().as_str(), base.origin_key().as_str(), base.path.as_str()),
                (authority, key, path)
            );
        }
        assert!(BaseUrl::parse("http://supplier.test", true).is_ok_and(|base| !base.https && !base.is_loopback()));
    }

    /// B148; and no error quotes what may be a secret.
    #[test]
    fn what_is_no_base_url() {
        for text in [
            "",
            "api.supplier.test",
            "//api.supplier.test",
            "/v2",
            "https:",
            "https://",
            "https:///v2",
            "https:/v2",
            "https:api.supplier.test",
            "ftp://a.test",
            "file:///etc/x",
            "wss://a.test",
            "https://a b.test",
            "https://a.test/a b",
            "https://user:s3cret@a.test",
            "https://s3cret@a.test",
            "https://@a.test",
            "https://a.test:99999",
            "https://a.test:0",
            "https://a.test:x",
            "https://a.test/?key=s3cret",
            "https://a.test/#s3cret",
            "https://a.test?",
            "https://é.test",
            "https://%61.test",
            "https://a;b.test",
            "https://a.test/../x",
            "https://a.test/%2e%2e",
            "https://a.test//x",
            "https://[v1.x]/",
            "https://[::1",
            "https://a.test\\@evil.test",
            "https://a.test/\n",
            "http://a.test",
            "http://localhost.a.test",
            "http://127.0.0.1.a.test",
            "http://10.0.0.1",
            "http://127.1",
            "http://[::2]",
            "http://0.0.0.0",
        ] {
            let error = BaseUrl::parse(text, false).unwrap_err();
            assert!(!error.contains("s3cret"), "{text}");
        }
    }

    proptest! {
        /// What is read is written and read again as the same.
        #[test]
        fn round_trip(text in "(https?|ftp)://[a-zA-Z0-9.:@%\\[\\]-]{0,12}(/[a-z.%2]{0,6}){0,2}") {
            if let Ok(base) = BaseUrl::parse(&text, true) {
                let again = [base.scheme(), "://", &base.authority(), &base.path].concat();
                prop_assert_eq!(BaseUrl::parse(&again, true), Ok(base));
            }
        }

        #[test]
        fn never_panics(text in ".{0,32}") {
            let _ = BaseUrl::parse(&text, true);
        }
    }
}
