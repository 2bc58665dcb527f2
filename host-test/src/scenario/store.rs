//! What the shared store does, where it does not simply work (`engine` only).

use schemars::JsonSchema;
use serde::Deserialize;

/// What one action of the store gets.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StoreEntry {
    /// Virtual time until it answers; longer than the engine's patience is a failure.
    #[serde(default)]
    pub after_ms: u64,
    /// The store cannot be reached, with this code.
    pub fail: Option<String>,
    /// Somebody else was faster: a swap is lost, though nothing else changes.
    #[serde(default)]
    pub lose: bool,
    /// The entry stands for so many in a row.
    pub times: Option<usize>,
}
