//! How the parts of a string to sign are written.

use super::kinds::{Bool, List, int, list, refined, some_list};
use super::names::{Parsed, header_name, parsed, pointer, text};
use super::object::{Object, choice, choice_of, object, object_of};
use super::part::{Canonical, Content, Digest, DigestAlgorithm, Order, Parameters, Part, Transform};
use super::read::{At, Kind, Problems, alternatives, code, default, optional, required};
use super::signing::Encode;
use super::texts::{TemplateAt, header_value, template};
use crate::json::Pointer;
use crate::template::{Site, Template};
use serde_json::Value;

choice! {
    /// How a digest is written.
    enum DigestEncode {
        /// Lower-case hexadecimal digits.
        Hex = "hex",
        /// Upper-case hexadecimal digits.
        HexUpper = "hex-upper",
        /// Base64 with padding.
        Base64 = "base64",
        /// Base64 for URLs without padding.
        Base64Url = "base64url",
        /// The bytes themselves.
        Raw = "raw",
    }
    not_yet []
}

object! {
    /// A template, with what else can be done to it.
    struct TextPart {
        /// A text with placeholders.
        text: Template = required(template(Site::Signed));
        /// What is done to it, in order.
        transforms: Vec<Transform> = default("[]", list(choice_of()));
        /// Only with these methods; with any other the part is empty.
        only_methods: Vec<String> = default("[]", list(method()));
        /// Bytes beyond are cut off.
        max_bytes: Option<u32> = optional(int(1, u32::MAX));
    }
}

object! {
    /// A header of the request.
    struct HeaderPart {
        /// Its name.
        header: String = required(header_name());
        /// What stands for it if the request has none.
        default_text as "default": String = default("\"\"", text());
        /// What is done to its value, in order.
        transforms: Vec<Transform> = default("[]", list(choice_of()));
    }
}

object! {
    /// Several headers, each as its name in lower case and its value; those that the request does not have are left out.
    struct HeadersPart {
        /// Their names, in the order in which they are signed.
        headers: Vec<String> = required(some_list(header_name()));
        /// Between name and value.
        pair: String = default("\":\"", text());
        /// Between the headers.
        join: String = default("\"\\n\"", text());
        /// What is done to each value, in order.
        transforms: Vec<Transform> = default("[]", list(choice_of()));
    }
}

object! {
    /// A scalar in the JSON body; nothing if it is not there.
    struct JsonPart {
        /// Where it stands.
        json: Pointer = required(pointer());
        /// What is done to it, in order.
        transforms: Vec<Transform> = default("[]", list(choice_of()));
    }
}

object! {
    /// Parameters in an order that both sides can make.
    struct QueryPart {
        /// How.
        query: Canonical = required(refined(object_of::<RawCanonical>(), canonical));
    }
}

object! {
    /// How parameters are written.
    struct RawCanonical {
        /// Which parameters.
        from: Parameters = default("\"query\"", choice_of());
        /// In which order.
        order: Order = default("\"as-sent\"", choice_of());
        /// Between name and value.
        pair: String = default("\"=\"", text());
        /// Between the parameters.
        join: String = default("\"&\"", text());
        /// Names that are left out.
        exclude: Vec<String> = default("[]", list(text()));
        /// Names and values are decoded, rather than as they are sent.
        decoded: bool = default("false", Bool);
        /// Of equal pairs only one is taken.
        dedupe: bool = default("false", Bool);
        /// Parameters without a value are left out.
        drop_empty: bool = default("false", Bool);
    }
}

fn canonical(raw: RawCanonical, _: &At, _: &mut Problems) -> Option<Canonical> {
    let RawCanonical { from, order, pair, join, exclude, decoded, dedupe, drop_empty } = raw;
    Some(Canonical { from, order, pair, join, exclude, decoded, dedupe, drop_empty })
}

object! {
    /// A digest of other parts.
    struct DigestPart {
        /// Which digest.
        digest: DigestAlgorithm = required(choice_of());
        /// The parts that it is made of.
        of: Vec<Part> = required(parts(Site::Signed));
        /// What stands between them.
        join: String = default("\"\"", text());
        /// How it is written.
        encode: DigestEncode = default("\"hex\"", choice_of());
        /// What stands before it.
        prefix: String = default("\"\"", text());
        /// What stands after it.
        suffix: String = default("\"\"", text());
        /// The digest of nothing is nothing.
        skip_empty: bool = default("false", Bool);
        /// Only with these methods; with any other the part is empty.
        only_methods: Vec<String> = default("[]", list(method()));
    }
}

/// A method's name; methods are compared as they are written (RFC 9110, 9.1).
fn method() -> Parsed<String> {
    parsed(
        |text| match crate::field::is_name(text) && !text.bytes().any(|b| b.is_ascii_lowercase()) {
            true => Ok(text.to_owned()),
            false => Err("write a method in upper case, like \"POST\"".into()),
        },
        "a method",
        "^[A-Z-]+$",
    )
}

/// A non-empty list of parts.
pub fn parts(site: Site) -> List<PartKind> {
    some_list(PartKind { text: template(site), full: true })
}

/// What a header that is set before signing may hold: a template or a digest.
pub fn prepared() -> PartKind {
    PartKind { text: header_value(Site::Prepared), full: false }
}

/// A string, or an object whose key says what it is.
pub struct PartKind {
    text: TemplateAt,
    /// All objects, not only digests.
    full: bool,
}

const TAGS: [&str; 6] = ["text", "digest", "query", "header", "headers", "json"];

impl Kind for PartKind {
    type Out = Part;

    fn read(&self, value: &Value, at: &At, problems: &mut Problems) -> Option<Part> {
        if value.is_string() {
            return Some(plain(Content::Text(self.text.read(value, at, problems)?)));
        }
        let tags = if self.full { &TAGS[..] } else { &["digest"] };
        let Value::Object(map) = value else {
            problems.wrong_type(
                at,
                value,
                &format!("a string, or an object with {}", alternatives(tags.iter().copied())),
            );
            return None;
        };
        let Some(tag) = tags.iter().find(|tag| map.contains_key(**tag)) else {
            let message = format!("write a string, or an object with {}", alternatives(tags.iter().copied()));
            problems.add(at, code::MISSING, message);
            return None;
        };
        let part = match *tag {
            "text" => {
                let raw = read::<TextPart>(value, at, problems)?;
                let TextPart { text, transforms, only_methods, max_bytes } = raw;
                Part { content: Content::Text(text), transforms, only_methods, max_bytes }
            }
            "digest" => {
                let raw = read::<DigestPart>(value, at, problems)?;
                if !self.full && raw.encode == DigestEncode::Raw {
                    problems.add(
                        &at.key("encode"),
                        code::INVALID_VALUE,
                        "a header holds text; write \"hex\" or \"base64\"",
                    );
                    return None;
                }
                raw.into()
            }
            "query" => plain(Content::Query(read::<QueryPart>(value, at, problems)?.query)),
            "header" => {
                let HeaderPart { header: name, default_text: default, transforms } = read(value, at, problems)?;
                Part { transforms, ..plain(Content::Header { name, default }) }
            }
            "headers" => {
                let HeadersPart { headers: names, pair, join, transforms } = read(value, at, problems)?;
                plain(Content::Headers { names, pair, join, transforms })
            }
            _ => {
                let JsonPart { json, transforms } = read(value, at, problems)?;
                Part { transforms, ..plain(Content::Json(json)) }
            }
        };
        Some(part)
    }

    #[cfg(feature = "schema")]
    fn schema(&self) -> Value {
        match self.full {
            true => serde_json::json!({ "$ref": "#/$defs/part" }),
            false => serde_json::json!({ "anyOf": [{ "type": "string" }, super::schema::object::<DigestPart>()] }),
        }
    }
}

/// Parts hold parts, so their schema stands by itself.
#[cfg(feature = "schema")]
pub fn definition() -> Value {
    use super::schema::object;
    serde_json::json!({ "anyOf": [
        { "type": "string", "description": "A text with placeholders, like \"{timestamp}.{body}\"." },
        object::<TextPart>(), object::<DigestPart>(), object::<QueryPart>(),
        object::<HeaderPart>(), object::<HeadersPart>(), object::<JsonPart>(),
    ] })
}

fn read<T: Object>(value: &Value, at: &At, problems: &mut Problems) -> Option<T> {
    object_of::<T>().read(value, at, problems)
}

fn plain(content: Content) -> Part {
    Part { content, transforms: Vec::new(), only_methods: Vec::new(), max_bytes: None }
}

impl From<DigestPart> for Part {
    fn from(raw: DigestPart) -> Part {
        let encode = match raw.encode {
            DigestEncode::Hex => Some(Encode::Hex),
            DigestEncode::HexUpper => Some(Encode::HexUpper),
            DigestEncode::Base64 => Some(Encode::Base64),
            DigestEncode::Base64Url => Some(Encode::Base64Url),
            DigestEncode::Raw => None,
        };
        let digest = Digest {
            algorithm: raw.digest,
            of: raw.of,
            join: raw.join,
            encode,
            prefix: raw.prefix,
            suffix: raw.suffix,
            skip_empty: raw.skip_empty,
        };
        Part { only_methods: raw.only_methods, ..plain(Content::Digest(digest)) }
    }
}
