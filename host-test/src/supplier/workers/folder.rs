//! One folder of files for two languages: their stores lock, read and write the same files.

use anyhow::Result;

use super::crew::{Member, Peace, Store, run};
use super::{Plan, is_calm, shown};
use crate::style::Style;

const PLAN: Plan = Plan { orders: 80, ..super::PLAN };

/// What was wrong. Node's store is not among them: its locks are of another kind.
pub fn shared(crew: &[Member], style: Style) -> Result<Vec<String>> {
    let crew: Vec<Member> = crew.iter().filter(|member| !member.name.starts_with("node")).cloned().collect();
    let folder = std::env::temp_dir().join(format!("supplier-budgets-{}", std::process::id()));
    let run = run(&PLAN, &crew, Store::Folder(&folder), &Peace);
    let files = std::fs::read_dir(&folder).map_or(0, |files| {
        files.filter_map(|file| file.ok()?.file_name().into_string().ok()).filter(|name| !name.contains('.')).count()
    });
    let _ = std::fs::remove_dir_all(&folder);
    let run = run?;
    println!("{}\n{}", style.strong("one folder"), shown::timeline(&crew, &run, style));
    println!(
        "{} orders, {} 429s, {} violations, {files} budget, {:.1} s\n",
        run.report.orders,
        run.refused(),
        run.report.total(),
        run.elapsed.as_secs_f64()
    );
    let mut wrong = is_calm(&PLAN, crew.len(), "one folder", &run);
    if files != 1 {
        wrong.push(format!("one folder: {files} budgets in it"));
    }
    Ok(wrong)
}
