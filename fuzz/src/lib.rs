//! What the targets share: suppliers with secrets that would be recognised, and the laws that
//! hold for every call, whatever the supplier, the store and the host do.

mod laws;
mod world;

pub use laws::{CANARY, Law, Laws, PATH_CANARY, assert_silent, knows_canaries};
pub use world::{NOW, World, get, open, page};
