//! Colour, only where it is seen by a person who did not refuse it.

use std::env;
use std::io::{self, IsTerminal};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    colour: bool,
}

impl Style {
    pub const PLAIN: Style = Style { colour: false };
    pub const COLOURED: Style = Style { colour: true };

    /// For standard output: <https://no-color.org>.
    pub fn stdout() -> Style {
        let refused = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Style {
            colour: io::stdout().is_terminal() && !refused && env::var_os("TERM").is_none_or(|term| term != "dumb"),
        }
    }

    pub fn good(self, text: &str) -> String {
        self.paint("32", text)
    }

    pub fn bad(self, text: &str) -> String {
        self.paint("31", text)
    }

    pub fn doubtful(self, text: &str) -> String {
        self.paint("33", text)
    }

    pub fn faint(self, text: &str) -> String {
        self.paint("2", text)
    }

    pub fn strong(self, text: &str) -> String {
        self.paint("1", text)
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.colour && !text.is_empty() { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}
