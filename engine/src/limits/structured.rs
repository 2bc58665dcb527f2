//! Lists and dictionaries of RFC 9651, read strictly: one character out of place and the whole
//! field says nothing (section 4.2).
//!
//! Written here because the `sfv` crate, against which the tests check this reader, makes the
//! component 22 KB larger.

/// An integer or decimal, exactly: thousandths, which is all that a decimal can hold.
pub type Thousandths = i64;

/// What is met, in the order of the text.
#[derive(Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// A member of a list, whose key is empty, or of a dictionary.
    Member(&'a str, Value),
    /// A parameter of the member before.
    Parameter(&'a str, Value),
}

/// A bare item, as far as limits are written in it.
#[derive(Debug, PartialEq, Eq)]
pub enum Value {
    /// An Integer or Decimal.
    Number(Thousandths),
    /// A String or Token.
    Word(String),
    /// Any other type, or an inner list.
    Other,
}

/// Reads a list. What was told before `None` is to be forgotten.
pub fn list<'a>(text: &'a str, tell: &mut dyn FnMut(Event<'a>)) -> Option<()> {
    Reader::new(text).members(false, tell)
}

/// Reads a dictionary, likewise. A key that comes again is told again; the last one counts.
pub fn dictionary<'a>(text: &'a str, tell: &mut dyn FnMut(Event<'a>)) -> Option<()> {
    Reader::new(text).members(true, tell)
}

/// What is left to read.
struct Reader<'a>(&'a str);

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Reader<'a> {
        Reader(text.trim_matches(' '))
    }

    fn members(&mut self, keyed: bool, tell: &mut dyn FnMut(Event<'a>)) -> Option<()> {
        while !self.0.is_empty() {
            let key = if keyed { self.key()? } else { "" };
            if keyed && !self.literal('=') {
                tell(Event::Member(key, Value::Other));
            } else if self.literal('(') {
                tell(Event::Member(key, Value::Other));
                self.inner_list()?;
            } else {
                tell(Event::Member(key, self.item()?));
            }
            self.parameters(tell)?;
            self.0 = self.0.trim_start_matches([' ', '\t']);
            if self.0.is_empty() {
                return Some(());
            }
            self.require(',')?;
            self.0 = self.0.trim_start_matches([' ', '\t']);
            // A comma is followed by a member.
            if self.0.is_empty() {
                return None;
            }
        }
        Some(())
    }

    /// The rest of an inner list, of which nothing is told.
    fn inner_list(&mut self) -> Option<()> {
        loop {
            self.0 = self.0.trim_start_matches(' ');
            if self.literal(')') {
                return Some(());
            }
            self.item()?;
            self.parameters(&mut |_| {})?;
            if !self.0.starts_with([' ', ')']) {
                return None;
            }
        }
    }

    fn parameters(&mut self, tell: &mut dyn FnMut(Event<'a>)) -> Option<()> {
        while self.literal(';') {
            self.0 = self.0.trim_start_matches(' ');
            let key = self.key()?;
            let value = if self.literal('=') { self.item()? } else { Value::Other };
            tell(Event::Parameter(key, value));
        }
        Some(())
    }

    fn key(&mut self) -> Option<&'a str> {
        if !self.0.starts_with(|c: char| c.is_ascii_lowercase() || c == '*') {
            return None;
        }
        Some(self.run(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"_-.*".contains(&b)))
    }

    /// A bare item.
    fn item(&mut self) -> Option<Value> {
        match self.0.bytes().next()? {
            b'-' | b'0'..=b'9' => self.number().map(|(number, _)| Value::Number(number)),
            b'"' => self.string().map(Value::Word),
            b'*' | b'a'..=b'z' | b'A'..=b'Z' => {
                let token = self.run(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~:/".contains(&b));
                Some(Value::Word(token.to_owned()))
            }
            b':' => self.bytes(),
            b'?' => self.boolean(),
            b'@' => self.date(),
            b'%' => self.display_string(),
            _ => None,
        }
    }

    /// At most 15 digits, or 12 and 3 after the point; and whether it had none.
    fn number(&mut self) -> Option<(Thousandths, bool)> {
        let sign = if self.literal('-') { -1 } else { 1 };
        let whole = self.run(|b| b.is_ascii_digit());
        let integer = !self.literal('.');
        let fraction = if integer { "0" } else { self.run(|b| b.is_ascii_digit()) };
        let fits = whole.len() <= if integer { 15 } else { 12 };
        let scale = match fraction.len() {
            1 => 100,
            2 => 10,
            3 => 1,
            _ => return None,
        };
        if whole.is_empty() || !fits {
            return None;
        }
        // So few digits cannot overflow.
        let thousandths = whole.parse::<i64>().ok()? * 1000 + fraction.parse::<i64>().ok()? * scale;
        Some((sign * thousandths, integer))
    }

    fn string(&mut self) -> Option<String> {
        self.require('"')?;
        let mut value = String::new();
        let mut chars = self.0.chars();
        loop {
            match chars.next()? {
                '"' => break,
                '\\' => value.push(chars.next().filter(|c| matches!(c, '"' | '\\'))?),
                c @ ' '..='~' => value.push(c),
                _ => return None,
            }
        }
        self.0 = chars.as_str();
        Some(value)
    }

    /// Base64 is not decoded: nothing here is written in it.
    fn bytes(&mut self) -> Option<Value> {
        self.require(':')?;
        self.run(|b| b.is_ascii_alphanumeric() || b"+/=".contains(&b));
        self.require(':')?;
        Some(Value::Other)
    }

    fn boolean(&mut self) -> Option<Value> {
        self.require('?')?;
        if self.literal('0') || self.literal('1') { Some(Value::Other) } else { None }
    }

    fn date(&mut self) -> Option<Value> {
        self.require('@')?;
        self.number().filter(|&(_, integer)| integer).map(|_| Value::Other)
    }

    fn display_string(&mut self) -> Option<Value> {
        self.require('%')?;
        self.require('"')?;
        let (mut bytes, mut rest) = (Vec::new(), self.0.as_bytes());
        loop {
            rest = match rest {
                [b'"', ..] => break,
                [b'%', high, low, rest @ ..] => {
                    bytes.push(hex(*high)? << 4 | hex(*low)?);
                    rest
                }
                [b'%', ..] => return None,
                [b @ b' '..=b'~', rest @ ..] => {
                    bytes.push(*b);
                    rest
                }
                _ => return None,
            };
        }
        std::str::from_utf8(&bytes).ok()?;
        self.0 = self.0.get(self.0.len().checked_sub(rest.len())?..)?;
        self.require('"')?;
        Some(Value::Other)
    }

    /// The longest run of such bytes, which are ASCII.
    fn run(&mut self, is: impl Fn(u8) -> bool) -> &'a str {
        let end = self.0.bytes().position(|b| !is(b)).unwrap_or(self.0.len());
        let (run, rest) = self.0.split_at_checked(end).unwrap_or(("", self.0));
        self.0 = rest;
        run
    }

    fn literal(&mut self, c: char) -> bool {
        let rest = self.0.strip_prefix(c);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn require(&mut self, c: char) -> Option<()> {
        self.literal(c).then_some(())
    }
}

/// A hexadecimal digit in lower case.
fn hex(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => digit.checked_sub(b'0'),
        b'a'..=b'f' => digit.checked_sub(b'a' - 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use sfv::visitor::Ignored;
    use std::fmt::Write;

    type Read = for<'a> fn(&'a str, &mut dyn FnMut(Event<'a>)) -> Option<()>;

    fn told(read: Read, text: &str) -> Option<String> {
        let mut told = String::new();
        read(text, &mut |event| match event {
            Event::Member(key, value) => write!(told, "|{key}:{value:?}").unwrap(),
            Event::Parameter(key, value) => write!(told, ";{key}:{value:?}").unwrap(),
        })?;
        Some(told)
    }

    #[test]
    fn what_is_told() {
        let table = [
            (
                "\"a\\\"\\\\\";r=50;t=-1.5, b/c:1;q=?1;w",
                "|:Word(\"a\\\"\\\\\");r:Number(50000);t:Number(-1500)|:Word(\"b/c:1\");q:Other;w:Other",
            ),
            ("  5 ,\t(\"a\" b;c=1);d=2 ", "|:Number(5000)|:Other;d:Number(2000)"),
            ("", ""),
        ];
        for (text, right) in table {
            assert_eq!(told(list, text).as_deref(), Some(right), "{text}");
        }
        let dictionary = told(dictionary, "limit=100;a, *x, limit=(), y=tok");
        assert_eq!(dictionary.as_deref(), Some("|limit:Number(100000);a:Other|*x:Other|limit:Other|y:Word(\"tok\")"));
    }

    fn agrees(text: &str) -> Result<(), TestCaseError> {
        let theirs = sfv::Parser::new(text).parse_list_with_visitor(&mut Ignored).is_ok();
        prop_assert_eq!(told(list, text).is_some(), theirs, "list {:?}", text);
        let theirs = sfv::Parser::new(text).parse_dictionary_with_visitor(&mut Ignored).is_ok();
        prop_assert_eq!(told(dictionary, text).is_some(), theirs, "dictionary {:?}", text);
        Ok(())
    }

    #[test]
    fn as_sfv_where_it_is_close() {
        for text in [
            "1.",
            "1.0",
            "1.0000",
            ".1",
            "-",
            "--1",
            "-0",
            "0001",
            "123456789012345",
            "1234567890123456",
            "123456789012.123",
            "1234567890123.1",
            "1.2.3",
            "\"",
            "\"\\a\"",
            "\"\\",
            "\"é\"",
            "\"\t\"",
            "a b",
            "a,b",
            "a, ",
            ",a",
            "a,,b",
            "a\t",
            "\ta",
            " a ",
            "a\t,\tb",
            "()",
            "( )",
            "(a b)",
            "(a  b )",
            "(a\tb)",
            "(a,b)",
            "(a)b",
            "((a))",
            "(a;b=1 c);d",
            "(a(b))",
            "(\"a\"b)",
            "?0",
            "?1",
            "?2",
            "?",
            "@1",
            "@-1",
            "@1.5",
            "@",
            ":YQ==:",
            "::",
            ":a b:",
            ":YQ==",
            "%\"a\"",
            "%\"%c3%a9\"",
            "%\"%C3%a9\"",
            "%\"%c3\"",
            "%\"%\"",
            "%\"",
            "%a",
            "a;b",
            "a; b=1",
            "a ;b",
            "a;\tb",
            "a;B",
            "a;*b",
            "a;b=",
            "a;b==",
            "a;b=(1)",
            "a=1",
            "a=(1)",
            "a=(1 2);x",
            "A=1",
            "a=1, a=2",
            "a, b=1",
            "a=",
            "a==1",
            "*",
            "*a/b:c",
            "a\n",
            "a\u{0}",
            "é",
            "a;1=2",
        ] {
            agrees(text).unwrap();
        }
    }

    proptest! {
        #[test]
        fn as_sfv(any in ".{0,24}", near in "[a-zA-Z0-9\"=;, ()\t.?@%*\\\\-]{0,16}") {
            agrees(&any)?;
            agrees(&near)?;
        }

        /// Made of whole items, so that most of it can be read.
        #[test]
        fn as_sfv_on_fields(
            text in "((\"[a \\\\]{0,3}\"|[a-z]{1,2}|-?[0-9]{1,16}(\\.[0-9]{0,4})?|\\([a-z ]{0,4}\\)|[?@][0-9]|%\"(%[0-9a-f]{2}|a){0,3}\")(=[0-9a-z]{1,2})?(; ?[a-z]{1,2}(=(\"x\"|[0-9]{1,3}|t))?){0,3} ?,? ?){1,3}",
        ) {
            agrees(text.trim_end())?;
            agrees(&text)?;
        }
    }
}
