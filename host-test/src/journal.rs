//! The journal of a call, as far as it is shown. Absent members are fine: a journal grows.

use serde::Deserialize;
use serde_json::Value;

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Journal {
    pub method: String,
    pub operation: Option<String>,
    pub page: Option<Value>,
    pub elapsed_ms: u64,
    pub attempts: Vec<Attempt>,
    /// After the last attempt, such as one that was refused.
    pub waits: Vec<Wait>,
    /// What was odd.
    pub notes: Vec<Note>,
    pub outcome: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Attempt {
    pub n: u32,
    /// Since the call began.
    pub at_ms: u64,
    /// Before this attempt.
    pub waits: Vec<Wait>,
    /// On our wall clock.
    pub signed_at_ms: Option<i64>,
    pub took_ms: u64,
    pub status: Option<u16>,
    /// Of a broken attempt.
    pub code: Option<String>,
    pub detail: Option<String>,
    pub verdict: String,
    /// Pointer to the rule of the profile that gave the verdict.
    pub rule: Option<String>,
    pub request_id: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Wait {
    pub at_ms: Option<u64>,
    pub ms: u64,
    pub why: String,
    pub refused: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Note {
    pub code: String,
    pub from: Option<String>,
    pub raw: Option<Value>,
}

impl Journal {
    pub fn read(text: &str) -> Option<Journal> {
        serde_json::from_str(text).ok()
    }

    /// Waits that were begun.
    pub fn waited(&self) -> impl Iterator<Item = &Wait> {
        let all = self.attempts.iter().flat_map(|attempt| &attempt.waits).chain(&self.waits);
        all.filter(|wait| wait.refused.is_none())
    }
}
