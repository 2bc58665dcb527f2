//! The Link field (RFC 8288, section 3 and appendix B).

/// The target of the first link with this relation type, as it stands; it may be relative.
///
/// Targets are read before anything is split, since they may hold commas and semicolons
/// (B109). Parameters may be tokens or quoted strings (B110). A link with an `anchor` speaks
/// of another resource than the response and is passed over (RFC 8288, 3.2). What cannot be
/// read ends the list: it never becomes a link.
pub fn target(field: &str, rel: &str) -> Option<String> {
    let mut text = Reader(field);
    loop {
        text.skip(|c| is_space(c) || c == ',');
        text.literal('<')?;
        let target = text.up_to('>')?;
        let link = text.parameters();
        if !link.anchored && link.rel.is_some_and(|types| has(&types, rel)) {
            return Some(target.trim_matches(is_space).to_owned());
        }
        text.skip_element();
    }
}

/// The parameters that matter.
#[derive(Default)]
struct Parameters {
    rel: Option<String>,
    anchored: bool,
}

/// `rel` holds relation types, separated by spaces and compared without case (2.1.1).
fn has(types: &str, rel: &str) -> bool {
    types.split(is_space).any(|one| one.eq_ignore_ascii_case(rel))
}

/// What is left to read.
struct Reader<'a>(&'a str);

impl<'a> Reader<'a> {
    fn skip(&mut self, what: impl Fn(char) -> bool) {
        self.0 = self.0.trim_start_matches(what);
    }

    fn literal(&mut self, c: char) -> Option<()> {
        self.0 = self.0.strip_prefix(c)?;
        Some(())
    }

    /// The text before a character, which is taken too and must be there.
    fn up_to(&mut self, end: char) -> Option<&'a str> {
        let (text, rest) = self.0.split_once(end)?;
        self.0 = rest;
        Some(text)
    }

    /// The text before any of these characters, or all of it.
    fn until(&mut self, ends: &[char]) -> &'a str {
        let (text, rest) = self.0.split_at_checked(self.0.find(ends).unwrap_or(self.0.len())).unwrap_or((self.0, ""));
        self.0 = rest;
        text
    }

    fn parameters(&mut self) -> Parameters {
        let mut link = Parameters::default();
        loop {
            self.skip(is_space);
            if self.literal(';').is_none() {
                return link;
            }
            self.skip(is_space);
            let name = self.until(&[' ', '\t', '=', ';', ',']);
            self.skip(is_space);
            let value = if self.literal('=').is_some() { self.value() } else { String::new() };
            // The first `rel` wins (3.3).
            if name.eq_ignore_ascii_case("rel") && link.rel.is_none() {
                link.rel = Some(value);
            } else if name.eq_ignore_ascii_case("anchor") {
                link.anchored = true;
            }
        }
    }

    fn value(&mut self) -> String {
        self.skip(is_space);
        match self.literal('"') {
            Some(()) => self.quoted(),
            None => self.until(&[' ', '\t', ';', ',']).to_owned(),
        }
    }

    /// The rest of a quoted string; one without an end takes all that is left.
    fn quoted(&mut self) -> String {
        let mut value = String::new();
        let mut chars = self.0.chars();
        while let Some(c) = chars.next() {
            match c {
                '"' => break,
                '\\' => value.extend(chars.next()),
                c => value.push(c),
            }
        }
        self.0 = chars.as_str();
        value
    }

    /// Whatever still stands before the next comma, which is none within quotes.
    fn skip_element(&mut self) {
        loop {
            self.until(&[',', '"']);
            if self.literal('"').is_none() {
                return;
            }
            self.quoted();
        }
    }
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// B109.
    #[test]
    fn commas_within_the_target() {
        let field = r#"<https://api.supplier.test/v1/i?f=a,b,c&p=2>; rel="next", <https://api.supplier.test/v1/i?p=9>; rel="last""#;
        assert_eq!(target(field, "next").as_deref(), Some("https://api.supplier.test/v1/i?f=a,b,c&p=2"));
        assert_eq!(target(field, "last").as_deref(), Some("https://api.supplier.test/v1/i?p=9"));
        assert_eq!(target(field, "prev"), None);
    }

    /// B110.
    #[test]
    fn the_ways_to_write_rel() {
        for field in [
            r#"</v1/i?p=2>; rel=next, </v1/i?p=1>;rel="prev""#,
            r#"</v1/i?p=1>;rel="prev",</v1/i?p=2>; rel=next"#,
            r#"</v1/i?p=2>; REL="Next""#,
            r#"</v1/i?p=2>; rel = "next""#,
            r#"</v1/i?p=2>;rel=NEXT;results="true""#,
            r#"</v1/i?p=2>; title="a, b; rel=\"last\""; rel="next""#,
            r#"</v1/i?p=2>; rel="last next""#,
            r#"</v1/i?p=2>;rel="next";rel="prev""#,
            r#"</v1/i?p=2>;;rel=next"#,
            r#" , ,< /v1/i?p=2 > ; crossorigin ; rel=next,"#,
            r#"</v1/i?p=0>;rel=prev garbage "x, <y>", </v1/i?p=2>;rel=next"#,
            r#"</v1/i?p=8>;rel=next;anchor="/other", </v1/i?p=2>;rel=next"#,
            r#"</v1/i?p=2>;rel="n\ext""#,
        ] {
            assert_eq!(target(field, "next").as_deref(), Some("/v1/i?p=2"), "{field}");
        }
    }

    /// B109: what cannot be read is no link.
    #[test]
    fn no_link() {
        for field in [
            "",
            "</v1/i?p=2; rel=next",
            "/v1/i?p=2; rel=next",
            "</v1/i?p=2>",
            "</v1/i?p=2>; rel",
            "</v1/i?p=2>; rel=",
            "</v1/i?p=2>; rel=nextish",
            "</v1/i?p=2>; xrel=next",
            r#"</v1/i?p=2>; title="rel=next"#,
            r#"</v1/i?p=2>; rel="prev"; rel="next""#,
            r#"</v1/i?p=2> rel=next"#,
            r#"x, </v1/i?p=2>; rel=next"#,
            r#"</v1/i?p=2>; title="x, </evil>; rel=next"#,
        ] {
            assert_eq!(target(field, "next"), None, "{field}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(field in ".{0,64}", near in "[<>;,=\"\\\\ a-z]{0,64}") {
            let _ = (target(&field, "next"), target(&near, "next"));
        }

        /// Any target, whatever else is in the list.
        #[test]
        fn found_again(uri in "[^<>\"\\\\ \t\\PC]{1,20}", title in "[^\"\\\\\\PC]{0,20}") {
            let field = ["<first>; rel=prev; title=\"", &title, "\", <", &uri, ">; title=\"", &title, "\"; rel=next"].concat();
            prop_assert_eq!(target(&field, "next"), Some(uri));
        }
    }
}
