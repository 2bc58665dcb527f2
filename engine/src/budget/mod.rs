//! The budget of one pool: what is left of each window, who is spending, and until when the
//! pool is closed. One JSON text, changed by compare-and-swap, on the supplier's clock; in
//! memory it is the same document and the same code.

mod doc;
mod pools;
mod reserve;
mod settle;

pub(crate) use doc::Doc;
pub(crate) use pools::Pools;
pub(crate) use reserve::{Reservation, Want};
pub(crate) use settle::{Closed, Seen, Settlement, Spent};

use crate::time::Ms;

/// A number beyond this is a misread dialect, not a limit (`cases.md`, B22, B30).
pub(crate) const IMPLAUSIBLE: Ms = Ms(31 * 86_400_000);

/// How long a lease outlives the attempt's own timer.
pub(crate) const GRACE: Ms = Ms(2_000);

/// How long a supplier that reported nothing is not asked again.
pub(crate) const SILENCE: Ms = Ms(300_000);
