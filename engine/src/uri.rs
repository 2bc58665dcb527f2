//! URIs of one origin (RFC 3986): the base that a profile names, paths joined to it, and next
//! links that must not leave it. Nothing that carries a credential goes anywhere else, so
//! whatever is doubtful here is an error.

mod base;
mod next;
mod percent;

pub use base::BaseUrl;
pub use next::{NextError, resolve};
pub use percent::{decode, encode};

/// Path and query of a request: the base's path, the target and the pairs, one after the
/// other, without resolving anything.
///
/// The target starts with a slash and is sent as it is, so it must be ready for that:
/// characters that do not stand in a URI are refused, and so is everything that a server
/// could take for a step up (`..`, however encoded), or a client for a host (`//` at the
/// start). The pairs are encoded here. The error says what is wrong and quotes nothing.
pub fn join(base: &BaseUrl, target: &str, query: &[(String, String)]) -> Result<String, &'static str> {
    if !target.starts_with('/') {
        return Err("a target is a path that starts with / and is put behind the profile's base_url");
    }
    if !target.bytes().all(|b| b.is_ascii_graphic()) {
        return Err("a target has no space, control or non-ASCII character: percent-encode it");
    }
    if target.contains(['#', '\\']) {
        return Err("a target has no # and no backslash: percent-encode it");
    }
    if !percent::is_well_formed(target) {
        return Err("in a target % stands only before two hexadecimal digits: percent-encode it as %25");
    }
    if climbs(split(target).0) {
        return Err("a target has no `..` segment");
    }
    let mut joined = [&base.path, target].concat();
    if joined.starts_with("//") {
        return Err("a target does not start with //");
    }
    for (name, value) in query {
        let separator = match joined.bytes().last() {
            Some(b'?' | b'&') => "",
            _ if joined.contains('?') => "&",
            _ => "?",
        };
        joined.push_str(separator);
        joined.push_str(&encode(name));
        joined.push('=');
        joined.push_str(&encode(value));
    }
    Ok(joined)
}

/// Sets one query parameter: the first of that name changes its value, further ones go, and
/// where there is none it is appended. Every other pair stays byte for byte.
///
/// The value is encoded once (B107, B108). An `encoded` one is kept as it is, but for what
/// would end it: `&`, `#`, and characters that do not stand in a URI.
pub fn replace_query(path_and_query: &str, name: &str, value: &str, encoded: bool) -> String {
    let value = if encoded { percent::encode_stray(value, b"[]&#") } else { encode(value) };
    let mut pair = Some([encode(name), "=".to_owned(), value].concat());
    let (path, query) = split(path_and_query);
    let mut pairs = Vec::new();
    for old in query.filter(|query| !query.is_empty()).into_iter().flat_map(|query| query.split('&')) {
        if decode(old.split('=').next().unwrap_or_default()) == name.as_bytes() {
            pairs.extend(pair.take());
        } else {
            pairs.push(old.to_owned());
        }
    }
    pairs.extend(pair);
    [path, "?", &pairs.join("&")].concat()
}

/// Path, and query without its question mark.
fn split(path_and_query: &str) -> (&str, Option<&str>) {
    match path_and_query.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (path_and_query, None),
    }
}

/// Whether some server could read a `..` segment out of this path: encoded, behind an encoded
/// slash or a backslash, or with parameters after it.
fn climbs(path: &str) -> bool {
    let path = decode(path);
    path.split(|b| matches!(b, b'/' | b'\\')).any(|segment| segment == b".." || segment.starts_with(b"..;"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn base(text: &str) -> BaseUrl {
        BaseUrl::parse(text, false).unwrap()
    }

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    #[test]
    fn joining() {
        let v2 = base("https://api.supplier.test/v2/");
        let root = base("https://api.supplier.test");
        let none = pairs(&[]);
        assert_eq!(join(&v2, "/items", &none).as_deref(), Ok("/v2/items"));
        assert_eq!(join(&root, "/", &none).as_deref(), Ok("/"));
        assert_eq!(join(&v2, "/a%2Fb/;x=1,2:@!$&'()*+=~", &none).as_deref(), Ok("/v2/a%2Fb/;x=1,2:@!$&'()*+=~"));
        assert_eq!(join(&v2, "/a//b/...", &none).as_deref(), Ok("/v2/a//b/..."));
        assert_eq!(join(&v2, "/a?b=../..", &none).as_deref(), Ok("/v2/a?b=../.."));
        assert_eq!(join(&v2, "//a", &none).as_deref(), Ok("/v2//a"));
        let query = pairs(&[("q", "a b&c"), ("é", ""), ("q", "+")]);
        assert_eq!(join(&v2, "/s", &query).as_deref(), Ok("/v2/s?q=a%20b%26c&%C3%A9=&q=%2B"));
        assert_eq!(join(&v2, "/s?p=1", &query).as_deref(), Ok("/v2/s?p=1&q=a%20b%26c&%C3%A9=&q=%2B"));
        assert_eq!(join(&v2, "/s?", &pairs(&[("a", "1")])).as_deref(), Ok("/v2/s?a=1"));
    }

    /// B128, B148, and every way to write a step up.
    #[test]
    fn targets_that_are_refused() {
        for target in [
            "",
            "items",
            "https://evil.test/x",
            "@evil.test/x",
            "?a=1",
            "/a b",
            "/a b\r\nx: y",
            "/a\tb",
            "/a\0",
            "/é",
            "/a#b",
            "/a\\b",
            "/..",
            "/../x",
            "/a/../b",
            "/a/..",
            "/%2e%2e/x",
            "/%2E./x",
            "/.%2e",
            "/a%2f..%2fb",
            "/a/..%5cb",
            "/..;/x",
            "/..;a=1",
            "/%",
            "/a%2",
            "/a%zz",
            "/x?a=%",
            "//evil.test/x",
            "//",
            ":8443/x",
        ] {
            assert!(join(&base("https://api.supplier.test"), target, &[]).is_err(), "{target:?}");
        }
    }

    /// B107, B108.
    #[test]
    fn replacing_a_parameter() {
        let table = [
            ("/i", "aB+/c==&x=1#y é", false, "/i?c=aB%2B%2Fc%3D%3D%26x%3D1%23y%20%C3%A9"),
            ("/i?c=old&l=5", "n", false, "/i?c=n&l=5"),
            ("/i?l=5", "n", false, "/i?l=5&c=n"),
            ("/i?a=%20+&c=1&&b&c=2&%63=3&c", "n", false, "/i?a=%20+&c=n&&b"),
            ("/i?", "", false, "/i?c="),
            ("/i?cc=1&C=2", "n", false, "/i?cc=1&C=2&c=n"),
            ("/i", "Pm%3D%3D", false, "/i?c=Pm%253D%253D"),
            ("/i", "Pm%3D%3D", true, "/i?c=Pm%3D%3D"),
            ("/i", "a+b=/é%zz&x=1#\r\n \\", true, "/i?c=a+b=/%C3%A9%25zz%26x=1%23%0D%0A%20%5C"),
        ];
        for (path, value, encoded, right) in table {
            assert_eq!(replace_query(path, "c", value, encoded), right, "{path} {value}");
        }
        assert_eq!(replace_query("/i?page%5Bafter%5D=1", "page[after]", "2", false), "/i?page%5Bafter%5D=2");
    }

    proptest! {
        /// What is accepted goes on the request line as it is.
        #[test]
        fn joined_is_clean(target in "(/|\\PC|[\r\n\t\\\\.%#?2eE]){0,16}", name in "\\PC{0,4}", value in ".{0,6}") {
            for base in [base("https://a.test"), base("https://a.test/v2")] {
                if let Ok(joined) = join(&base, &target, &[(name.clone(), value.clone())]) {
                    prop_assert!(joined.starts_with(&[&base.path, "/"].concat()) && !joined.starts_with("//"));
                    prop_assert!(joined.bytes().all(|b| b.is_ascii_graphic() && b != b'#' && b != b'\\'));
                    prop_assert!(!climbs(split(&joined).0));
                }
            }
        }

        /// The parameter is there once and says what was meant; no value makes another pair.
        #[test]
        fn replaced_is_found(value in ".{0,12}", query in "([abc]=[0-9]{0,2}&?){0,4}", encoded in any::<bool>()) {
            let replaced = replace_query(&["/p?", &query].concat(), "c", &value, encoded);
            let (path, new) = split(&replaced);
            let of_name: Vec<_> = new.unwrap().split('&').filter(|pair| pair.starts_with("c=")).collect();
            prop_assert_eq!((path, of_name.len()), ("/p", 1));
            prop_assert!(replaced.bytes().all(|b| b.is_ascii_graphic() && b != b'#'));
            if !encoded {
                prop_assert_eq!(decode(&of_name[0][2..]), value.as_bytes());
            }
            let others = |query: &str| query.split('&').filter(|p| !p.starts_with('c') && !p.is_empty()).map(str::to_owned).collect::<Vec<_>>();
            prop_assert_eq!(others(new.unwrap()), others(&query));
        }
    }
}
