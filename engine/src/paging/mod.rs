//! Lists, page by page. A position is a value: nothing is held between two pages.

mod cut;
mod place;
mod position;

pub(crate) use cut::{Context, cut, is_end};
pub(crate) use place::{Placed, place};
pub(crate) use position::{Fault, Next, Position, fingerprint};
