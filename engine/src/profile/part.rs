//! The parts of a string to sign.

use super::object::choice;
use super::signing::Encode;
use crate::json::Pointer;
use crate::template::{Slot, Template};

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
