//! Every file below `scenarios/`, against each component that it is for: one named test
//! each, made from the folder, so that there is no scenario that is not run.

use std::path::Path;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use supplier_test::play::Components;
use supplier_test::scenario::Component;
use supplier_test::style::Style;
use supplier_test::suite;
use supplier_test::timeline;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenarios");
    let files = suite::files(&root).expect("the folder of scenarios stands beside this crate");
    let components = Components::load(&Component::BOTH).map_err(|error| format!("{error:#}"));
    let mut trials = Vec::new();
    for file in files {
        match suite::trials(&file, &root, &Component::BOTH) {
            Ok(some) => trials.extend(some.into_iter().map(|trial| {
                let components = components.clone();
                Trial::test(trial.name.clone(), move || run(&trial, components?))
            })),
            Err(invalid) => {
                let message = invalid.to_string();
                trials.push(Trial::test(file.display().to_string(), move || Err(message.into())));
            }
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn run(trial: &suite::Trial, components: Components) -> Result<(), Failed> {
    let verdict = trial.run(&components).map_err(|error| format!("{error:#}"))?;
    if verdict.passed() {
        return Ok(());
    }
    let about = &trial.case.scenario.about;
    let timeline = timeline::scenario(&trial.case, &verdict.report, Style::PLAIN);
    let differences = timeline::differences(&verdict.differences, Style::PLAIN);
    Err(format!("{about}\n{timeline}{differences}").into())
}
