//! The table: scenario by host.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Value, json};

use super::cell::Cell;
use super::choose::Left;
use crate::style::Style;
use crate::timeline;

/// A scenario or a promise, and a cell for each host.
pub struct Row {
    pub name: String,
    pub cells: Vec<Cell>,
}

/// Everything that was found out.
pub struct Table {
    pub hosts: Vec<&'static str>,
    pub scenarios: Vec<Row>,
    /// How many of them send no request: mistakes that `open` or the policy finds.
    pub silent: usize,
    pub left: BTreeMap<Left, usize>,
    pub promises: Vec<Row>,
    pub walk: Vec<Row>,
}

impl Table {
    pub fn holds(&self) -> bool {
        self.rows().all(|row| row.cells.iter().all(Cell::holds))
    }

    pub fn text(&self, style: Style) -> String {
        let mut text = String::new();
        let width = self.rows().map(|row| row.name.chars().count()).max().unwrap_or(0).min(100);
        for (title, rows) in [
            ("scenarios, in real time over HTTP", &self.scenarios),
            ("what an adapter promises, line by line", &self.promises),
            ("40,000 items from the strict supplier, through injected faults", &self.walk),
        ] {
            if !rows.is_empty() {
                self.section(&mut text, title, rows, width, style);
            }
        }
        for row in self.rows() {
            for (host, cell) in self.hosts.iter().zip(&row.cells).filter(|(_, cell)| !cell.holds()) {
                let _ = writeln!(text, "\n{} {}", style.bad(host), style.strong(&row.name));
                text.push_str(&timeline::differences(&cell.differences, style));
            }
        }
        let _ = writeln!(text);
        for (why, count) in &self.left {
            let _ = writeln!(text, "left out: {count:>4} {why}");
        }
        let differing: usize = self.rows().flat_map(|row| &row.cells).filter(|cell| !cell.holds()).count();
        let cells: usize = self.rows().map(|row| row.cells.len()).sum();
        let counts = format!(
            "{} scenarios ({} of them send nothing, {} others are left out), {} promises, {} hosts: {cells} cells, {differing} differ",
            self.scenarios.len(),
            self.silent,
            self.left.values().sum::<usize>(),
            self.promises.len(),
            self.hosts.len(),
        );
        let _ = writeln!(text, "{}", if differing == 0 { style.good(&counts) } else { style.bad(&counts) });
        text
    }

    pub fn json(&self) -> Value {
        let rows = |rows: &[Row]| -> Value { rows.iter().map(|row| self.row(row)).collect() };
        let left = self.left.iter().map(|(why, count)| json!({ "why": why.to_string(), "count": count }));
        json!({
            "conform": 1, "holds": self.holds(), "hosts": self.hosts, "scenarios": rows(&self.scenarios),
            "silent": self.silent, "left_out": left.collect::<Vec<_>>(), "promises": rows(&self.promises), "walk": rows(&self.walk),
        })
    }

    fn rows(&self) -> impl Iterator<Item = &Row> {
        self.scenarios.iter().chain(&self.promises).chain(&self.walk)
    }

    fn section(&self, text: &mut String, title: &str, rows: &[Row], width: usize, style: Style) {
        let heads: String = self.hosts.iter().map(|host| format!("  {host:<8}")).collect();
        let _ = writeln!(text, "\n{}{heads}", style.strong(&format!("{title:<width$}")));
        for row in rows {
            let name: String = row.name.chars().take(width).collect();
            let _ = write!(text, "{name:<width$}");
            for cell in &row.cells {
                let said = match cell.differences.len() {
                    0 => "ok".to_owned(),
                    some => format!("{some} differ"),
                };
                let said = format!("{said:<8}");
                let _ = write!(text, "  {}", if cell.holds() { style.good(&said) } else { style.bad(&said) });
            }
            let _ = writeln!(text);
        }
    }

    fn row(&self, row: &Row) -> Value {
        let cell = |cell: &Cell| -> Value {
            let one = |d: &crate::judge::Difference| json!({ "path": d.path, "expected": d.expected, "got": d.got });
            cell.differences.iter().map(one).collect()
        };
        let cells = self.hosts.iter().zip(&row.cells).map(|(host, found)| ((*host).to_owned(), cell(found)));
        json!({ "name": row.name, "differences": Value::Object(cells.collect()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Difference;

    fn table(differences: Vec<Difference>) -> Table {
        let row = Row { name: "retry/one".into(), cells: vec![Cell::default(), Cell { differences }] };
        let left = BTreeMap::from([(Left::Long, 7)]);
        Table { hosts: vec!["rust", "php"], scenarios: vec![row], silent: 0, left, promises: vec![], walk: vec![] }
    }

    #[test]
    fn a_cell_says_ok_or_what_differs() {
        let text = table(Vec::new()).text(Style::PLAIN);
        assert!(text.contains("retry/one") && text.contains("left out:    7 waits longer than 3 s"), "{text}");
        assert!(
            text.ends_with(
                "1 scenarios (0 of them send nothing, 7 others are left out), 0 promises, 2 hosts: 2 cells, 0 differ\n"
            ),
            "{text}"
        );
        let found = Difference { path: "requests[0].target".into(), expected: "/a".into(), got: "/b".into() };
        let differs = table(vec![found]);
        assert!(!differs.holds());
        let text = differs.text(Style::PLAIN);
        assert!(text.contains("1 differ") && text.contains("php retry/one") && text.contains("expected /a"), "{text}");
        assert_eq!(differs.json()["scenarios"][0]["differences"]["php"][0]["got"], "/b");
    }
}
