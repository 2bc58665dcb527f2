//! `supplier.wasm`: the policy as a command for `wasmtime run`. What it prints, reads and
//! returns is documented in `docs/command-line.md`.

mod args;
mod check;
mod credentials;
mod files;
mod items;
mod output;
mod send;
mod stop;

mod bindings {
    wit_bindgen::generate!({
        path: ["../../wit", "wit"],
        world: "supplier:command/command",
        generate_all,
    });
}

use args::{Args, Verb};
use bindings::exports::wasi::cli::run::Guest;
use bindings::wasi::cli::{environment, exit};
use std::cell::RefCell;
use stop::Stop;
use supplier_engine::Supplier;

struct Command;

bindings::export!(Command with_types_in bindings);

impl Guest for Command {
    fn run() -> Result<(), ()> {
        let code = perform().map_or_else(|stop| stop.report(), |()| 0);
        if code != 0 {
            exit::exit_with_code(code);
        }
        Ok(())
    }
}

fn perform() -> Result<(), Stop> {
    let args = match args::parse(environment::get_arguments())? {
        args::Asked::For(args) => args,
        args::Asked::Text(text) => return output::stdout(text.as_bytes()),
    };
    let supplier = RefCell::new(open(&args)?);
    match args.verb {
        Verb::Send => send::send(&supplier, &args),
        Verb::Items => items::items(&supplier, &args),
        Verb::Check => check::check(&supplier, &args),
    }
}

fn open(args: &Args) -> Result<Supplier, Stop> {
    let profile = files::text(&args.profile)?;
    let overrides = args.overrides.as_deref().map(files::text).transpose()?;
    let credentials = credentials::from_environment(&profile, overrides.as_deref(), environment::get_environment())?;
    Supplier::open(&profile, overrides.as_deref(), &credentials).map_err(|problems| Stop::problems(&problems))
}
