//! Results as JUnit XML, which every CI reads.

use std::fmt::Write;

use super::run::{Played, describe};
use crate::style::Style;

pub fn xml(played: &[Played], invalid: &[String]) -> String {
    let failures = played.iter().filter(|played| !played.passed()).count();
    let seconds = |played: &Played| played.verdict.as_ref().map_or(0.0, |verdict| verdict.took.as_secs_f64());
    let time: f64 = played.iter().map(seconds).sum();
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a String cannot fail.
    let _ = writeln!(
        xml,
        "<testsuite name=\"supplier-test\" tests=\"{}\" failures=\"{failures}\" errors=\"{}\" time=\"{time:.3}\">",
        played.len() + invalid.len(),
        invalid.len(),
    );
    for played in played {
        let (name, component) = (escape(&played.trial.name), played.trial.component.name());
        let time = seconds(played);
        let _ = write!(xml, "  <testcase classname=\"{component}\" name=\"{name}\" time=\"{time:.3}\"");
        if played.passed() {
            xml.push_str("/>\n");
            continue;
        }
        let first = match &played.verdict {
            Ok(verdict) => verdict.differences.first().map(ToString::to_string).unwrap_or_default(),
            Err(error) => format!("{error:#}"),
        };
        let text = escape(&describe(played, Style::PLAIN));
        let _ = writeln!(xml, ">\n    <failure message=\"{}\">{text}</failure>\n  </testcase>", escape(&first));
    }
    for message in invalid {
        let message = escape(message);
        let _ = writeln!(
            xml,
            "  <testcase classname=\"files\" name=\"{message}\"><error message=\"{message}\"/></testcase>"
        );
    }
    xml.push_str("</testsuite>\n");
    xml
}

/// Characters that XML 1.0 cannot hold are replaced.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' => escaped.push(character),
            control if control.is_control() || control == '\u{FFFE}' || control == '\u{FFFF}' => {
                escaped.push('\u{FFFD}');
            }
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    #[test]
    fn escapes() {
        assert_eq!(super::escape("<a b=\"c\">&\u{1}\n"), "&lt;a b=&quot;c&quot;&gt;&amp;\u{FFFD}\n");
        assert!(super::xml(&[], &["x: <y>".to_owned()]).contains("<error message=\"x: &lt;y&gt;\"/>"));
    }
}
