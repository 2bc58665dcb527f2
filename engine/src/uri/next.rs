//! Next links: resolved first, checked afterwards (B113). A check before resolution sees no
//! host in a relative link.

use fluent_uri::{Uri, UriRef};

use super::base::{BaseUrl, default_port};
use super::percent::encode_stray;

/// Why a next link is not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextError {
    /// It leads to another origin, or says who logs in there (B114).
    CrossOrigin,
    /// It is no URI reference, or clients disagree about where it leads.
    Malformed,
}

/// Path and query of a link that the supplier gave, on the origin of `base`. `request` is path
/// and query of the request that was answered: the link is relative to it (RFC 3986, 5.2).
///
/// A fragment is dropped. Characters that real servers leave unencoded (space, `|`, `[`, `]`,
/// non-ASCII, a lone `%`) are encoded. Control characters and backslashes are refused: URL
/// parsers that drop the one and turn round the other make hosts of them. So is a path that
/// starts with `//`.
pub fn resolve(base: &BaseUrl, request_path_and_query: &str, reference: &str) -> Result<String, NextError> {
    let reference = tidy(reference.trim_matches(' '))?;
    let request = tidy(request_path_and_query)?;
    if !request.starts_with('/') {
        return Err(NextError::Malformed);
    }
    let from = [base.scheme(), "://", &base.authority(), &request].concat();
    let from = Uri::parse(from.as_str()).map_err(|_| NextError::Malformed)?;
    let reference = UriRef::parse(reference.as_str()).map_err(|_| NextError::Malformed)?;
    let target = reference.resolve_against(&from).map_err(|_| NextError::Malformed)?;
    if !is_of(base, &target) {
        return Err(NextError::CrossOrigin);
    }
    let path = match target.path().as_str() {
        "" => "/",
        path if path.starts_with("//") => return Err(NextError::Malformed),
        path => path,
    };
    Ok(match target.query() {
        Some(query) => [path, "?", query.as_str()].concat(),
        None => path.to_owned(),
    })
}

fn is_of(base: &BaseUrl, uri: &Uri<String>) -> bool {
    let Some(authority) = uri.authority() else { return false };
    let port = authority.port_to_u16().map(|port| port.unwrap_or(default_port(base.https)));
    uri.scheme().as_str().eq_ignore_ascii_case(base.scheme())
        && !authority.has_userinfo()
        && authority.host().eq_ignore_ascii_case(&base.host)
        && port == Ok(base.effective_port())
}

/// Drops the fragment and encodes stray characters, but for the brackets of an IPv6 address.
fn tidy(reference: &str) -> Result<String, NextError> {
    if reference.chars().any(|c| c.is_control() || c == '\\') {
        return Err(NextError::Malformed);
    }
    let whole = reference.split('#').next().unwrap_or_default();
    let (head, rest) = whole.split_at_checked(path_start(whole)).unwrap_or((whole, ""));
    Ok([encode_stray(head, b""), encode_stray(rest, b"[]")].concat())
}

/// Where scheme and authority end, if there is an authority.
fn path_start(reference: &str) -> usize {
    let slashes = reference.find("//").filter(|&at| match reference.get(..at) {
        Some("") => true,
        Some(scheme) => scheme.ends_with(':') && !scheme.contains(['/', '?']),
        None => false,
    });
    let Some(start) = slashes.and_then(|at| at.checked_add(2)) else { return 0 };
    let authority = reference.get(start..).unwrap_or_default();
    start.saturating_add(authority.find(['/', '?']).unwrap_or(authority.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn base() -> BaseUrl {
        BaseUrl::parse("https://api.supplier.test/v1", false).unwrap()
    }

    fn next(reference: &str) -> Result<String, NextError> {
        resolve(&base(), "/v1/items?limit=5", reference)
    }

    /// B113.
    #[test]
    fn relative_links() {
        for (reference, right) in [
            ("?p=2", "/v1/items?p=2"),
            ("/v2/items?p=2", "/v2/items?p=2"),
            ("./x?p=2", "/v1/x?p=2"),
            ("/v1/items?p=2", "/v1/items?p=2"),
            ("x", "/v1/x"),
            ("../../../x", "/x"),
            ("/a/../b/./c", "/b/c"),
            ("", "/v1/items?limit=5"),
            ("#top", "/v1/items?limit=5"),
            ("?p=2#top", "/v1/items?p=2"),
            ("?since=12:00&u=https://evil.test//x@y", "/v1/items?since=12:00&u=https://evil.test//x@y"),
            ("?", "/v1/items?"),
        ] {
            assert_eq!(next(reference).as_deref(), Ok(right), "{reference}");
        }
    }

    /// B114, the last of its list, and other spellings of the same origin.
    #[test]
    fn the_same_origin() {
        for reference in [
            "https://API.supplier.test/x",
            "HTTPS://api.supplier.test:443/x",
            "https://api.supplier.test:/x",
            "//api.supplier.test/x",
            "https://api.supplier.test/x#frag",
            " https://api.supplier.test/x ",
        ] {
            assert_eq!(next(reference).as_deref(), Ok("/x"), "{reference}");
        }
        assert_eq!(next("https://api.supplier.test").as_deref(), Ok("/"));
        assert_eq!(next("https://api.supplier.test?p=2").as_deref(), Ok("/?p=2"));
        let v6 = BaseUrl::parse("http://[::1]:8080/v1", false).unwrap();
        assert_eq!(resolve(&v6, "/v1/a?f[x]=1", "http://[::1]:8080/b?f[y]=2").as_deref(), Ok("/b?f%5By%5D=2"));
        assert_eq!(resolve(&v6, "/v1/a?f[x]=1", "").as_deref(), Ok("/v1/a?f%5Bx%5D=1"));
        assert_eq!(resolve(&v6, "/v1/a", "http://[::1]/b"), Err(NextError::CrossOrigin));
    }

    /// B114.
    #[test]
    fn other_origins() {
        for reference in [
            "https://evil.test/x",
            "https://api.supplier.test.evil.test/x",
            "https://api.supplier.test@evil.test/x",
            "https://evil.test@api.supplier.test/x",
            "https://user:pw@api.supplier.test/x",
            "https://@api.supplier.test/x",
            "//evil.test/x",
            "//evil.test",
            "http://api.supplier.test/x",
            "http://api.supplier.test:443/x",
            "https://api.supplier.test:8443/x",
            "https://api.supplier.test:80/x",
            "https://api.supplier.test:99999/x",
            "https://api.supplier.test./x",
            "https://api.supplier%2etest/x",
            "https://api.supplier.test%2f@evil.test/x",
            "https://аpi.supplier.test/x",
            "https://evil.test?https://api.supplier.test/",
            "https://evil.test#@api.supplier.test/",
            "file:///etc/x",
            "https:///x",
            "///evil.test/x",
            "https:/evil.test/x",
            "https:evil.test/x",
            "https:",
            "mailto:x@api.supplier.test",
            "javascript:alert(1)",
            "data:text/plain,x",
            " //evil.test/x",
        ] {
            assert_eq!(next(reference), Err(NextError::CrossOrigin), "{reference}");
        }
    }

    #[test]
    fn what_parsers_disagree_about() {
        for reference in [
            "\\\\evil.test\\x",
            "/\\evil.test/x",
            "https:\\\\evil.test/x",
            "https://evil.test\\@api.supplier.test/x",
            "https://api.supplier.test\\@evil.test/x",
            "/\t/evil.test/x",
            "/\n/evil.test",
            "ht\ntps://evil.test/x",
            "\thttps://evil.test/x",
            "https://api.supplier.test\r\n/x",
            "/x\0",
            "/x\u{7f}",
            "/x\u{85}y",
            "https://api.supplier.test//evil.test/x",
            "/..//evil.test/x",
            "/.//evil.test/x",
            "https://api.supplier.test:port/x",
            "https://[::1/x",
            "https://api.supplier.test]/x",
            "https://a@b@api.supplier.test/x",
            "1https://evil.test/x",
            ":x",
        ] {
            assert_eq!(next(reference), Err(NextError::Malformed), "{reference:?}");
        }
    }

    #[test]
    fn stray_characters_are_encoded() {
        for (reference, right) in [
            ("/a b?q=c d|e[f]{g}\"<>^`", "/a%20b?q=c%20d%7Ce%5Bf%5D%7Bg%7D%22%3C%3E%5E%60"),
            ("/é?q=ü", "/%C3%A9?q=%C3%BC"),
            ("?q=100%", "/v1/items?q=100%25"),
            ("?c=Pm%3d%3D+/", "/v1/items?c=Pm%3d%3D+/"),
            ("https://api.supplier.test/[x]", "/%5Bx%5D"),
        ] {
            assert_eq!(next(reference).as_deref(), Ok(right), "{reference}");
        }
    }

    fn stays(reference: &str) -> Result<(), TestCaseError> {
        let Ok(path) = next(reference) else { return Ok(()) };
        prop_assert!(path.starts_with('/') && !path.starts_with("//"), "{path}");
        prop_assert!(path.bytes().all(|b| b.is_ascii_graphic() && b != b'\\' && b != b'#'), "{path}");
        // A position that is used later is checked again.
        prop_assert_eq!(next(&path), Ok(path));
        Ok(())
    }

    proptest! {
        #[test]
        fn never_leaves_the_origin(reference in ".{0,32}") {
            stays(&reference)?;
        }

        #[test]
        fn nothing_like_a_url_leaves(
            reference in "(https?:|HTTPS:|file:)?[/\\\\]{0,3}((user)?@)?(api\\.supplier\\.test|evil\\.test|\\[::1\\])?(:[0-9]{0,5})?[/\\\\?#@:.%\t\n a-z|\\[\\]]{0,12}",
        ) {
            stays(&reference)?;
            if reference.contains("evil.test") && !reference.contains("api.supplier.test") && next(&reference).is_ok() {
                // Then it was a path, a query or nothing.
                prop_assert!(!reference.contains("//evil.test") || reference.starts_with(['?', '#']), "{reference}");
            }
        }

        #[test]
        fn any_request(request in "(/|\\PC){0,16}", reference in "[?/.a-z#%]{0,8}") {
            if let Ok(path) = resolve(&base(), &request, &reference) {
                prop_assert!(path.starts_with('/') && path.is_ascii());
            }
        }
    }
}
