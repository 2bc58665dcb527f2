//! The parts of a string to sign.

use super::kinds::{Bool, Parsed, header_name, int, list, parsed, pointer, some_list, text};
use super::object::{Object, choice, choice_of, object};
use super::read::{At, Kind, Problems, alternatives, code, default, optional, required};
use super::signing::Encode;
use super::texts::{TemplateAt, template};
use crate::json::Pointer;
use crate::template::{Site, Slot, Template};
use serde_json::Value;

/// One part of the string to sign; it yields bytes.
#[derive(Clone, Debug)]
pub struct Part {
    pub content: Content,
    /// Applied in order to what the content yields.
    pub transforms: Vec<Transform>,
    /// With any other method the part is empty. None: with every method.
    pub only_methods: Vec<String>,
    /// What is beyond is cut off.
    pub max_bytes: Option<u32>,
}

#[derive(Clone, Debug)]
pub enum Content {
    Text(Template),
    Digest(Digest),
    Query(Canonical),
    /// The value of a header of the request, or the text if it has none.
    Header {
        name: String,
        default: String,
    },
    /// Several headers with their names in lower case; absent ones are left out.
    Headers {
        names: Vec<String>,
        pair: String,
        join: String,
        transforms: Vec<Transform>,
    },
    /// A scalar in the JSON body; nothing if it is not there.
    Json(Pointer),
}

/// A digest within the string to sign.
#[derive(Clone, Debug)]
pub struct Digest {
    pub algorithm: DigestAlgorithm,
    pub of: Vec<Part>,
    pub join: String,
    /// None: the bytes themselves.
    pub encode: Option<Encode>,
    pub prefix: String,
    pub suffix: String,
    /// Of nothing it is nothing.
    pub skip_empty: bool,
}

/// Parameters in an order that both sides can make.
#[derive(Clone, Debug)]
pub struct Canonical {
    pub from: Parameters,
    pub order: Order,
    pub pair: String,
    pub join: String,
    pub exclude: Vec<String>,
    pub decoded: bool,
    pub dedupe: bool,
    pub drop_empty: bool,
}

impl Part {
    pub fn uses_timestamp(&self) -> bool {
        self.any_template(&|template| template.uses_timestamp())
    }

    /// Whether the part is a template and nothing else, so that it can be streamed.
    pub fn is_plain(&self) -> bool {
        self.transforms.is_empty() && self.only_methods.is_empty() && self.max_bytes.is_none()
    }

    fn any_template(&self, test: &dyn Fn(&Template) -> bool) -> bool {
        match &self.content {
            Content::Text(template) => test(template),
            Content::Digest(digest) => digest.of.iter().any(|part| part.any_template(test)),
            _ => false,
        }
    }

    /// Calls back for every placeholder, with the pointer of its text.
    pub fn each_slot(&self, pointer: &str, visit: &mut dyn FnMut(&str, &Slot)) {
        match &self.content {
            Content::Text(template) => template.slots().for_each(|slot| visit(pointer, slot)),
            Content::Digest(digest) => {
                for (index, part) in digest.of.iter().enumerate() {
                    part.each_slot(&format!("{pointer}/of/{index}"), visit);
                }
            }
            _ => {}
        }
    }
}

choice! {
    /// A digest within the string to sign.
    pub enum DigestAlgorithm {
        /// SHA-1.
        Sha1 = "sha1",
        /// SHA-256.
        Sha256 = "sha256",
        /// SHA-512.
        Sha512 = "sha512",
    }
    not_yet ["md5", "crc32", "sha384"]
}

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

choice! {
    /// Which parameters.
    pub enum Parameters {
        /// Of the query.
        Query = "query",
        /// Of a form body.
        Form = "form",
        /// Of both, the query's first.
        Both = "query-and-form",
    }
    not_yet []
}

choice! {
    /// In which order.
    pub enum Order {
        /// As they are sent.
        AsSent = "as-sent",
        /// By name; equal ones as they are sent.
        ByKey = "by-key",
        /// By name, then by value.
        ByKeyValue = "by-key-value",
    }
    not_yet []
}

choice! {
    /// What is done to a text.
    pub enum Transform {
        /// ASCII letters become lower case.
        Lower = "lower",
        /// ASCII letters become upper case.
        Upper = "upper",
        /// White space at both ends goes.
        Trim = "trim",
        /// Every run of white space becomes one space.
        Collapse = "collapse",
        /// Everything but the unreserved characters of RFC 3986 is percent-encoded.
        Percent = "percent",
        /// Percent-encoding is undone.
        PercentDecode = "percent-decode",
    }
    not_yet ["nfkd"]
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
        query: Canonical = required(super::kinds::refined(super::object::object_of::<RawCanonical>(), canonical));
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
pub fn parts(site: Site) -> super::kinds::List<PartKind> {
    some_list(PartKind { text: template(site), full: true })
}

/// What a header that is set before signing may hold: a template or a digest.
pub fn prepared() -> PartKind {
    PartKind { text: super::texts::header_value(Site::Prepared), full: false }
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
    super::object::object_of::<T>().read(value, at, problems)
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
