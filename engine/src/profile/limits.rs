//! How a supplier tells its limits.

use super::kinds::{decimal, int, refined};
use super::names::{header_name, name, text};
use super::object::{Choice, Object, choice, choice_of, object, tagged};
use super::read::{At, Kind, Problems, code, default, optional, required};
use crate::limits::{self, Reader};
use crate::number::Unit;
use serde_json::Value;

/// How one header dialect is read. Several may feed one pool.
#[derive(Clone, Debug)]
pub struct Limit {
    pub pool: String,
    pub reader: Reader,
}

choice! {
    /// The dialects that can be read.
    enum ReaderName {
        /// Separate headers.
        Fields = "fields",
        /// RateLimit and RateLimit-Policy, structured fields of the IETF draft.
        Ietf = "ietf",
        /// One header that reads used/limit.
        Fraction = "fraction",
        /// Nothing on the wire.
        Static = "static",
    }
    not_yet ["kvlist", "named-window", "rate-only", "token-bucket", "body-cost", "concurrency"]
}

object! {
    /// Separate headers for what is left and when it comes back.
    struct Fields {
        /// Whose requests spend from it.
        pool: String = default("\"default\"", name());
        /// The window's name in the budget.
        name: String = default("\"requests\"", name());
        /// The header that holds the limit.
        limit: Option<String> = optional(header_name());
        /// The header that holds how many are left.
        remaining: Option<String> = optional(header_name());
        /// The header that holds how many are spent.
        used: Option<String> = optional(header_name());
        /// The header that holds when the window ends.
        reset: Option<String> = optional(header_name());
        /// What that header means; it is never guessed.
        reset_unit: Option<Unit> = optional(choice_of());
        /// How long a window is, where no header says when it ends.
        window_s: Option<u32> = optional(int(1, 31_622_400));
    }
}

object! {
    /// The RateLimit and RateLimit-Policy fields of the IETF draft.
    struct Ietf {
        /// Whose requests spend from it.
        pool: String = default("\"default\"", name());
        /// The header with what is left.
        header: String = default("\"RateLimit\"", header_name());
        /// The header with the policies.
        policy: String = default("\"RateLimit-Policy\"", header_name());
    }
}

object! {
    /// One header that reads used/limit.
    struct Fraction {
        /// Whose requests spend from it.
        pool: String = default("\"default\"", name());
        /// The window's name in the budget.
        name: String = default("\"requests\"", name());
        /// The header.
        header: String = required(header_name());
        /// What stands before the numbers, as in api-usage=18/5000.
        key: Option<String> = optional(text());
        /// How many come back in a second, where the bucket leaks.
        refill_per_s: Option<f64> = optional(decimal(0.000_001, 1_000_000.0));
        /// How long a window is, where it does not leak.
        window_s: Option<u32> = optional(int(1, 31_622_400));
    }
}

object! {
    /// A limit that the supplier only documents.
    struct Static {
        /// Whose requests spend from it.
        pool: String = default("\"default\"", name());
        /// The window's name in the budget.
        name: String = default("\"requests\"", name());
        /// Requests in a window.
        limit: u32 = required(int(1, u32::MAX));
        /// How long a window is.
        window_s: u32 = required(int(1, 31_622_400));
    }
}

/// One entry of `limits`: `reader` says what the other keys are.
pub struct LimitKind;

impl Kind for LimitKind {
    type Out = Limit;

    fn read(&self, value: &Value, at: &At, problems: &mut Problems) -> Option<Limit> {
        let Value::Object(map) = value else {
            problems.wrong_type(at, value, "an object");
            return None;
        };
        let Some(reader) = map.get("reader") else {
            let names = super::read::alternatives(ReaderName::ALL.iter().map(|(name, _)| *name));
            problems.add(&at.key("reader"), code::MISSING, format!("write {names}"));
            return None;
        };
        let (pool, reader) = match choice_of::<ReaderName>().read(reader, &at.key("reader"), problems)? {
            ReaderName::Fields => fields().read(value, at, problems)?,
            ReaderName::Ietf => {
                let raw = entry::<Ietf>().read(value, at, problems)?;
                (raw.pool, Reader::Ietf(limits::Ietf { header: raw.header, policy: raw.policy }))
            }
            ReaderName::Fraction => {
                let Fraction { pool, name, header, key, refill_per_s, window_s } =
                    entry::<Fraction>().read(value, at, problems)?;
                let refill_ms = refill_per_s.map(ms_per_unit);
                (pool, Reader::Fraction(limits::Fraction { name, header, key, refill_ms, window_s }))
            }
            ReaderName::Static => {
                let Static { pool, name, limit, window_s } = entry::<Static>().read(value, at, problems)?;
                (pool, Reader::Static(limits::Static { name, limit, window_s }))
            }
        };
        Some(Limit { pool, reader })
    }

    #[cfg(feature = "schema")]
    fn schema(&self) -> Value {
        use super::schema::tagged_object as variant;
        let tag = ("reader", "How the limit is told.");
        serde_json::json!({ "oneOf": [
            variant::<Fields>(tag, "fields"),
            variant::<Ietf>(tag, "ietf"),
            variant::<Fraction>(tag, "fraction"),
            variant::<Static>(tag, "static"),
        ] })
    }
}

fn entry<T: Object>() -> super::object::ObjectOf<T> {
    tagged("reader")
}

fn fields() -> impl Kind<Out = (String, Reader)> {
    refined(entry::<Fields>(), |raw, at: &At, problems: &mut Problems| {
        let Fields { pool, name, limit, remaining, used, reset, reset_unit, window_s } = raw;
        if remaining.is_none() && used.is_none() {
            problems.add(at, code::MISSING, "name the header that says what is left: \"remaining\", or \"used\"");
            return None;
        }
        if remaining.is_none() && limit.is_none() {
            problems.add(&at.key("limit"), code::MISSING, "what is left of \"used\" cannot be told without \"limit\"");
            return None;
        }
        if reset.is_some() && reset_unit.is_none() {
            let message =
                "say what the header means, as in \"epoch-s\" or \"delta-s\": both are in use under the same name";
            problems.add(&at.key("reset_unit"), code::MISSING, message);
            return None;
        }
        let reset_unit = reset_unit.unwrap_or(Unit::DeltaS);
        Some((pool, Reader::Fields(limits::Fields { name, limit, remaining, used, reset, reset_unit, window_s })))
    })
}

/// Rounded up: a unit is never counted before it is there.
fn ms_per_unit(refill_per_s: f64) -> u64 {
    // Between 1e-6 and 1e6 by the range above, so at most 1e9.
    (1000.0 / refill_per_s).ceil() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: Value) -> Result<Limit, Vec<(String, &'static str)>> {
        let mut problems = Problems::default();
        let limit = LimitKind.read(&json, &At::ROOT, &mut problems);
        limit.ok_or(problems.0.into_iter().map(|p| (p.pointer, p.code)).collect())
    }

    #[test]
    fn the_four_readers() {
        let json = serde_json::json!({ "reader": "fields", "remaining": "X-Left", "reset": "X-Reset", "reset_unit": "epoch-s" });
        assert!(
            matches!(read(json).unwrap().reader, Reader::Fields(f) if f.name == "requests" && f.reset_unit == Unit::EpochS)
        );
        let limit = read(serde_json::json!({ "reader": "ietf", "pool": "a" })).unwrap();
        assert!(limit.pool == "a" && matches!(limit.reader, Reader::Ietf(r) if r.policy == "RateLimit-Policy"));
        let json = serde_json::json!({ "reader": "fraction", "header": "X-Usage", "refill_per_s": 3 });
        assert!(matches!(read(json).unwrap().reader, Reader::Fraction(f) if f.refill_ms == Some(334)));
        let json = serde_json::json!({ "reader": "static", "limit": 5, "window_s": 1 });
        assert!(matches!(read(json).unwrap().reader, Reader::Static(s) if s.limit == 5));
    }

    #[test]
    fn other_readers_are_not_in_this_version() {
        for reader in ReaderName::NOT_YET {
            assert_eq!(
                read(serde_json::json!({ "reader": reader })).unwrap_err(),
                [("/reader".into(), code::UNSUPPORTED)]
            );
        }
    }

    #[test]
    fn what_a_header_means_is_never_guessed() {
        // B33, D9
        let json = serde_json::json!({ "reader": "fields", "remaining": "X-Left", "reset": "X-Reset" });
        assert_eq!(read(json).unwrap_err(), [("/reset_unit".into(), code::MISSING)]);
        let json =
            serde_json::json!({ "reader": "fields", "remaining": "X-Left", "reset": "X-Reset", "reset_unit": "auto" });
        assert_eq!(read(json).unwrap_err(), [("/reset_unit".into(), code::UNSUPPORTED)]);
    }
}
