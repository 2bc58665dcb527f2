//! Where an idempotency key goes.

use super::kinds::{Bool, int, only_one, refined};
use super::names::{member, sent_header_name};
use super::object::object;
use super::read::{At, Kind, Problems, code, default, optional};
use crate::json::Pointer;

/// Where an idempotency key goes.
#[derive(Clone, Debug)]
pub struct Idempotency {
    pub place: Place,
    /// As a String of RFC 9651.
    pub quoted: bool,
    pub replays_errors: bool,
    pub required: bool,
    pub max_length: u32,
}

#[derive(Clone, Debug)]
pub enum Place {
    Header(String),
    Body(Pointer),
}

object! {
    /// Where an idempotency key goes. Keys come from the caller and are never invented.
    struct RawIdempotency {
        /// The header that carries it.
        header: Option<String> = optional(sent_header_name());
        /// The member of the JSON body that carries it.
        body: Option<Pointer> = optional(member());
        /// With "header": send it as a quoted string (RFC 9651).
        quoted: bool = default("false", Bool);
        /// The supplier answers a repeated key with the first answer, errors included.
        replays_errors: bool = default("false", Bool);
        /// An unsafe request without a key is refused.
        required: bool = default("false", Bool);
        /// The longest key that the supplier takes.
        max_length: u32 = default("255", int(1, 4096));
    }
}

pub fn idempotency() -> impl Kind<Out = Idempotency> {
    refined(super::object::object_of::<RawIdempotency>(), |raw, at: &At, problems: &mut Problems| {
        if raw.quoted && raw.body.is_some() {
            problems.add(&at.key("quoted"), code::CONFLICT, "\"quoted\" goes with \"header\"; remove it");
        }
        let found = vec![raw.header.map(Place::Header), raw.body.map(Place::Body)];
        Some(Idempotency {
            place: only_one(found, "header and body", at, problems)?,
            quoted: raw.quoted,
            replays_errors: raw.replays_errors,
            required: raw.required,
            max_length: raw.max_length,
        })
    })
}
