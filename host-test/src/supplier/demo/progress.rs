//! How far it is: one line that changes on a terminal, a few lines elsewhere.

use std::cell::Cell;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// A person cannot read faster.
const EVERY: Duration = Duration::from_millis(50);

pub struct Progress {
    quiet: bool,
    terminal: bool,
    last: Cell<Option<Instant>>,
    started: Instant,
}

impl Progress {
    pub fn new(quiet: bool) -> Progress {
        Progress { quiet, terminal: io::stderr().is_terminal(), last: Cell::new(None), started: Instant::now() }
    }

    pub fn say(&self, text: &str) {
        if !self.quiet {
            eprintln!("{text}");
        }
    }

    pub fn page(&self, page: u32, of: u32, items: u64) {
        if self.quiet {
            return;
        }
        let text = format!("page {page} of {of}, {items} items, {:.1} s", self.started.elapsed().as_secs_f64());
        if !self.terminal {
            if page.is_multiple_of((of / 4).max(1)) {
                eprintln!("{text}");
            }
            return;
        }
        if page == of || self.last.get().is_none_or(|last| last.elapsed() >= EVERY) {
            self.last.set(Some(Instant::now()));
            eprint!("\r\x1b[K{text}");
            let _ = io::stderr().flush();
        }
    }

    pub fn end(&self) {
        if !self.quiet && self.terminal {
            eprintln!();
        }
    }
}
