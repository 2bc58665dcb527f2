//! Rows, and how they are shown.

use std::fmt::Write as _;

use serde_json::{Value, json};

pub struct Row {
    what: &'static str,
    unit: &'static str,
    measured: f64,
    target: Option<Target>,
    reference: Option<(&'static str, f64)>,
}

enum Target {
    AtMost(f64),
    AtLeast(f64),
}

impl Row {
    pub fn new(what: &'static str, unit: &'static str, measured: f64) -> Row {
        Row { what, unit, measured, target: None, reference: None }
    }

    pub fn at_most(what: &'static str, unit: &'static str, measured: f64, most: f64) -> Row {
        Row { target: Some(Target::AtMost(most)), ..Row::new(what, unit, measured) }
    }

    pub fn at_least(what: &'static str, unit: &'static str, measured: f64, least: f64) -> Row {
        Row { target: Some(Target::AtLeast(least)), ..Row::new(what, unit, measured) }
    }

    pub fn beside(self, name: &'static str, value: f64) -> Row {
        Row { reference: Some((name, value)), ..self }
    }

    fn is_reached(&self) -> Option<bool> {
        self.target.as_ref().map(|target| match target {
            Target::AtMost(most) => self.measured <= *most,
            Target::AtLeast(least) => self.measured >= *least,
        })
    }

    fn aim(&self) -> String {
        match self.target {
            Some(Target::AtMost(most)) => format!("<= {most}"),
            Some(Target::AtLeast(least)) => format!(">= {least}"),
            None => String::new(),
        }
    }
}

pub fn text(rows: &[Row]) -> String {
    let mut text = format!("{:58} {:>12}  {:12} {:8} reference\n", "", "measured", "aim", "reached");
    for row in rows {
        let measured = format!("{:.2} {}", row.measured, row.unit);
        let reached = match row.is_reached() {
            Some(true) => "yes",
            Some(false) => "NO",
            None => "",
        };
        let reference =
            row.reference.map(|(name, value)| format!("{value:.2} {}: {name}", row.unit)).unwrap_or_default();
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{:58} {measured:>12}  {:12} {reached:8} {reference}", row.what, row.aim());
    }
    text
}

pub fn json(rows: &[Row]) -> Value {
    let row = |row: &Row| {
        json!({
            "what": row.what,
            "unit": row.unit,
            "measured": row.measured,
            "aim": row.aim(),
            "reached": row.is_reached(),
            "reference": row.reference.map(|(name, value)| json!({ "what": name, "measured": value })),
        })
    };
    rows.iter().map(row).collect()
}
