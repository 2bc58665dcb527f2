//! How an attempt is signed.

use super::kinds::{Bool, int, map, some_list};
use super::names::{Parsed, label, member, sent_header_name, some_text, text};
use super::object::{choice, choice_of, object};
use super::part::Part;
use super::part_kind::{parts, prepared};
use super::read::{default, optional, required};
use super::texts::{header_value, template};
use crate::date::TimestampFormat;
use crate::json::Pointer;
use crate::template::{Site, Template};

object! {
    /// How an attempt is signed: parts are joined into the string to sign, the algorithm and the key make the signature of it, and templates place it. Everything is made anew for every attempt, after every wait.
    pub struct Signing {
        /// The parts of what is signed, in order: templates, or objects for what a template cannot say.
        pub string_to_sign: Vec<Part> = required(parts(Site::Signed));
        /// What stands between the parts.
        pub join: String = default("\"\"", text());
        /// Also after the last part.
        pub trailing_join: bool = default("false", Bool);
        /// How the signature is made.
        pub algorithm: Algorithm = required(choice_of());
        /// With which keys; only for an HMAC.
        pub key: Option<Key> = optional(super::object::object_of());
        /// How the signature is written.
        pub encode: Encode = default("\"hex\"", choice_of());
        /// How old a signature may be when it arrives, as the supplier says.
        pub tolerance_s: u32 = default("300", int(1, 2_592_000));
        /// Whose time is signed.
        pub clock: Clock = default("\"ours\"", choice_of());
        /// How {timestamp} is written.
        pub timestamp: TimestampFormat = default("\"epoch-s\"", choice_of());
        /// How {nonce} is made, anew for every attempt.
        pub nonce: Nonce = default("\"uuid4\"", choice_of());
        /// Headers that are set before signing, like a date or a digest of the body.
        pub prepare: Vec<(String, Part)> = default("{}", map(sent_header_name(), prepared()));
        /// Headers that are set after signing.
        pub headers: Vec<(String, Template)> = default("{}", map(sent_header_name(), header_value(Site::Placed)));
        /// Parameters that are appended to the query, encoded: those with a signature after signing, all others before.
        pub query: Vec<(String, Template)> = default("{}", map(parameter(), template(Site::Placed)));
        /// Fields that are appended to a form body, encoded: those with a signature after signing, all others before.
        pub form: Vec<(String, Template)> = default("{}", map(parameter(), template(Site::Placed)));
        /// Members that are written into a JSON body, by pointer: those with a signature after signing, all others before.
        pub body_fields: Vec<(Pointer, Template)> = default("{}", map(member(), template(Site::Placed)));
        /// How {signatures} is made of the signatures of all keys.
        pub signatures: Signatures = default("{}", super::object::object_of());
    }
}

impl Signing {
    /// Whether anything that is signed or sent holds the time, so that a signature can be
    /// too old.
    pub fn uses_timestamp(&self) -> bool {
        self.placed().any(|(_, template)| template.uses_timestamp())
            || self.string_to_sign.iter().any(Part::uses_timestamp)
            || self.prepare.iter().any(|(_, part)| part.uses_timestamp())
            || self.key.iter().flat_map(|key| &key.derive).any(|step| step.of.iter().any(Part::uses_timestamp))
    }

    /// Whether the signature goes anywhere.
    pub fn places_signature(&self) -> bool {
        self.placed().any(|(_, template)| template.needs_signature())
    }

    /// Every template that may carry the signature, with the section it stands in and its key.
    pub fn placed(&self) -> impl Iterator<Item = ((&'static str, String), &Template)> {
        let headers = self.headers.iter().map(|(name, t)| (("headers", name.clone()), t));
        let query = self.query.iter().map(|(name, t)| (("query", name.clone()), t));
        let form = self.form.iter().map(|(name, t)| (("form", name.clone()), t));
        let fields = self.body_fields.iter().map(|(pointer, t)| (("body_fields", pointer.to_string()), t));
        headers.chain(query).chain(form).chain(fields)
    }
}

/// A parameter of a query or a form; it is encoded when it is sent.
pub fn parameter() -> Parsed<String> {
    some_text()
}

choice! {
    /// How a signature is made.
    pub enum Algorithm {
        /// HMAC of RFC 2104 with SHA-1; for suppliers that take nothing better.
        HmacSha1 = "hmac-sha1",
        /// HMAC with SHA-256.
        HmacSha256 = "hmac-sha256",
        /// HMAC with SHA-512.
        HmacSha512 = "hmac-sha512",
        /// A digest without a key: the secret is one of the parts.
        Sha1 = "sha1",
        /// A digest without a key.
        Sha256 = "sha256",
        /// A digest without a key.
        Sha512 = "sha512",
    }
    not_yet ["rsa", "ecdsa", "ed25519", "jws", "aws-sigv4", "rfc9421", "oauth1", "azure"]
}

impl Algorithm {
    pub fn has_key(self) -> bool {
        matches!(self, Algorithm::HmacSha1 | Algorithm::HmacSha256 | Algorithm::HmacSha512)
    }
}

object! {
    /// The keys of an HMAC.
    pub struct Key {
        /// The names of the credentials that hold the keys, the newest first.
        pub credentials: Vec<String> = required(some_list(label()));
        /// What is cut off before decoding; a key without it is refused.
        pub strip_prefix: Option<String> = optional(some_text());
        /// How the text becomes bytes; strictly, and never guessed.
        pub decode: Decode = default("\"utf8\"", choice_of());
        /// Steps from the key to the one that signs, each an HMAC with the key so far.
        pub derive: Vec<Derive> = default("[]", super::kinds::list(super::object::object_of()));
    }
}

object! {
    /// One step of a key derivation.
    pub struct Derive {
        /// What the HMAC is made of.
        pub of: Vec<Part> = required(parts(Site::Signed));
        /// If given, the text of the result is the next key, rather than its bytes.
        pub encode: Option<Encode> = optional(choice_of());
    }
}

choice! {
    /// How a secret's text becomes a key.
    pub enum Decode {
        /// As it is.
        Utf8 = "utf8",
        /// Base64 with padding (RFC 4648, 4).
        Base64 = "base64",
        /// Base64 for URLs, with or without padding (RFC 4648, 5).
        Base64Url = "base64url",
        /// Hexadecimal digits, lower or upper case.
        Hex = "hex",
    }
    not_yet ["pem", "jwk", "x509"]
}

choice! {
    /// How bytes are written.
    pub enum Encode {
        /// Lower-case hexadecimal digits.
        Hex = "hex",
        /// Upper-case hexadecimal digits.
        HexUpper = "hex-upper",
        /// Base64 with padding (RFC 4648, 4).
        Base64 = "base64",
        /// Base64 for URLs without padding (RFC 4648, 5).
        Base64Url = "base64url",
    }
    not_yet []
}

choice! {
    /// Whose time is signed.
    pub enum Clock {
        /// The host's.
        Ours = "ours",
        /// The supplier's, as learned from its answers; ours until one has come.
        Supplier = "supplier",
    }
    not_yet []
}

choice! {
    /// How a nonce is made of 16 random bytes.
    pub enum Nonce {
        /// A random UUID (RFC 9562, 5.4).
        Uuid4 = "uuid4",
        /// 32 hexadecimal digits.
        Hex16 = "hex16",
        /// 22 characters of base64 for URLs.
        Base64Url = "base64url",
    }
    not_yet ["monotonic"]
}

object! {
    /// How {signatures} is made of the signatures of all keys.
    pub struct Signatures {
        /// One of them.
        pub each: Template = default("\"{signature}\"", header_value(Site::Each));
        /// What stands between them.
        pub join: String = default("\",\"", text());
    }
}

choice! {
    for TimestampFormat {
        /// Unix time in seconds.
        EpochS = "epoch-s",
        /// Unix time in milliseconds.
        EpochMs = "epoch-ms",
        /// Unix time in microseconds.
        EpochUs = "epoch-us",
        /// 2026-03-02T12:00:00Z
        Iso8601 = "iso8601",
        /// 2026-03-02T12:00:00.000Z
        Iso8601Ms = "iso8601-ms",
        /// 20260302T120000Z
        Iso8601Basic = "iso8601-basic",
        /// 20260302T12:00:00+0000
        EdgeGrid = "edgegrid",
        /// Mon, 02 Mar 2026 12:00:00 GMT
        Rfc1123 = "rfc1123",
        /// 2026-03-02 12:00:00
        SqlUtc = "sql-utc",
    }
    not_yet []
}
