//! Prints the JSON Schema of a profile; `schemas/profile.schema.json` is this text.

fn main() {
    println!("{:#}", supplier_engine::profile::schema::schema());
}
