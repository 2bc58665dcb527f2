//! Prints the JSON Schema of a profile; `schemas/profile.schema.json` is this text.

use std::io::Write;

fn main() -> std::io::Result<()> {
    writeln!(std::io::stdout(), "{:#}", supplier_engine::profile::schema::schema())
}
