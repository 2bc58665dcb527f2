//! What people look at: each attempt with its time, the waits before it and why, when it was
//! signed, what came back, and the verdict.

mod rows;
mod summary;

use std::fmt::Write;

use crate::judge::Difference;
use crate::report::{CallReport, Outcome, Report};
use crate::scenario::{Call, Case, What};
use crate::style::Style;
pub use summary::{Counts, seconds, summary};

/// Of a call, without a heading.
pub fn call(played: &CallReport, style: Style) -> String {
    rows::render(&rows::of_call(played), style)
}

/// Of a whole scenario.
pub fn scenario(case: &Case, report: &Report, style: Style) -> String {
    let mut text = String::new();
    let several = case.scenario.calls.len() > 1;
    if let Some(problems) = &report.problems {
        let _ = writeln!(text, "  `open` found {} problems:", problems.len());
        for problem in problems {
            let _ = writeln!(text, "  {} {}: {}", style.strong(&problem.pointer), problem.code, problem.message);
        }
    }
    for (index, (call, played)) in case.scenario.calls.iter().zip(&report.calls).enumerate() {
        if several {
            let heading = format!("  calls[{index}] {}", name(call));
            let _ = writeln!(text, "{}", style.strong(&heading));
        }
        text.push_str(&self::call(played, style));
        let _ = writeln!(text, "  {}", summary(played, style));
    }
    if report.calls.len() < case.scenario.calls.len() && !report.requests.is_empty() {
        let _ = writeln!(text, "{}", style.strong("  what reached the supplier"));
        text.push_str(&rows::render(&rows::of_log(&report.requests), style));
    }
    text
}

/// The differences, one a line.
pub fn differences(differences: &[Difference], style: Style) -> String {
    let mut text = String::new();
    let width = differences.iter().map(|difference| difference.path.chars().count()).max().unwrap_or(0).min(48);
    for Difference { path, expected, got } in differences {
        let path = format!("{path:width$}");
        let _ = writeln!(text, "  {}  expected {}", style.bad(&path), style.good(expected));
        let _ = writeln!(text, "  {:width$}  got      {}", "", style.bad(got));
    }
    text
}

fn name(call: &Call) -> String {
    let described = match call.what() {
        Ok(What::Send(request)) => format!("send {} {}", request.method(), request.target()),
        Ok(What::Page(request)) => format!("page {} {}", request.method(), request.target()),
        Ok(What::Walk(request)) => format!("walk {} {}", request.method(), request.target()),
        Ok(What::Explain(request)) => format!("explain {} {}", request.method(), request.target()),
        Ok(What::SetCredentials(_)) => "set_credentials".to_owned(),
        Err(_) => String::new(),
    };
    match &call.supplier {
        Some(supplier) => format!("{described} ({supplier})"),
        None => described,
    }
}

/// How a call ended, in two or three words.
fn ending(outcome: &Outcome) -> (bool, String) {
    match outcome {
        Outcome::Reply(reply) => (reply.verdict == "ok", format!("verdict {}", reply.verdict)),
        Outcome::Page(page) => (true, format!("a page of {}", page.count)),
        Outcome::Walk(walk) => match &walk.failure {
            None => (true, format!("{} pages, {} items", walk.pages, walk.count)),
            Some(failure) => {
                let pages = walk.pages;
                (false, format!("{pages} pages, then {} {}", failure.kind, failure.code))
            }
        },
        Outcome::Failure(failure) => (false, format!("{} {}", failure.kind, failure.code)),
        Outcome::Explained(_) => (true, "explained".to_owned()),
        Outcome::CredentialsSet(Ok(())) => (true, "credentials replaced".to_owned()),
        Outcome::CredentialsSet(Err(_)) => (false, "credentials refused".to_owned()),
    }
}
