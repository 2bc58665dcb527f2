//! What a profile says, once it is known to be right. CONTRACT DRAFT: the field names, types
//! and defaults are what the rest of the engine relies on.

use std::collections::BTreeMap;
use std::sync::Arc;

pub struct Profile {
    pub supplier: String,            // 1..=64 of [a-z0-9._-]; part of the pool key
    pub account: String,             // default "default"; part of the pool key
    pub base_url: BaseUrl,           // problems quote nothing of the value
    // "allow_http": bool (default false) permits http on a host that is not loopback
    pub headers: Vec<(String, Template)>,
    pub query: Vec<(String, Template)>,        // static query parameters (API key in the query)
    pub signing: Option<Signing>,
    pub limits: Vec<Limit>,
    pub request_id: Vec<String>,     // response headers that may hold the supplier's request id; default x-request-id, request-id, x-correlation-id
    pub budget: Budget,
    pub policy: Arc<Policy>,                     // top level
    pub operations: BTreeMap<String, Arc<Policy>>, // each merged over the top level
}

/// Settings that an operation can override (JSON Merge Patch per section over the top level).
pub struct Policy {
    pub retry: Retry,
    pub rules: Vec<Rule>,
    pub idempotency: Option<Idempotency>,
    pub pages: Option<Pages>,
    pub caps: Caps,
    pub pool: Option<String>,   // requests of this operation spend from this pool only; default: pool "default"
    pub cost: u32,              // default 1
}

pub struct BaseUrl { pub https: bool, pub host: String /* lower case, IPv6 in brackets */, pub port: Option<u16> /* only when not the default */, pub path: String /* no trailing slash; "" or "/v2" */ }

/// Text with placeholders. `{{` and `}}` are literal braces.
pub struct Template { pub parts: Vec<Piece> }
pub enum Piece { Text(String), Slot(Slot) }
/// Where each is allowed is checked at `open`; see Signing.
pub enum Slot {
    Credential { name: String, base64: bool /* {credential:a|base64} */ },
    BasicAuth { user: String, password: String }, // {basic:user-cred:password-cred} = base64(user:password)
    Timestamp, Nonce, Method, Path, Query, PathAndQuery, Url, Host, Body, Signature, Signatures, IdempotencyKey, Header(String), Prepared(String),
}

pub struct Signing {
    pub string_to_sign: Vec<Part>,
    pub join: String,                // default ""
    pub trailing_join: bool,         // default false
    pub algorithm: Algorithm,
    pub key: Option<Key>,            // required for HMAC, refused for plain digests
    pub encode: Encode,              // default hex
    pub tolerance_s: u32,            // default 300
    pub clock: Clock,                // default ours
    pub timestamp: TimestampFormat,  // default epoch-s
    pub nonce: Nonce,                // default uuid4
    pub prepare: BTreeMap<String, Template>,    // header name -> template, set before signing (date, content digest, nonce); order of the map
    pub headers: Vec<(String, Template)>,       // set after signing
    pub query: Vec<(String, Template)>,         // appended last, before (timestamp) or after (signature) signing: a pair whose template has {signature} comes after signing
    pub body_fields: BTreeMap<String, Template>,// JSON Pointer -> template, written into a JSON body; with {signature} after signing, else before
    pub signatures_each: String,     // template with {signature}; default "{signature}"
    pub signatures_join: String,     // default ","
}
pub enum Algorithm { HmacSha1, HmacSha256, HmacSha512, Sha1, Sha256, Sha512 }
pub struct Key { pub credentials: Vec<String>, pub strip_prefix: Option<String>, pub decode: Decode }
pub enum Decode { Utf8, Base64, Base64Url, Hex }
pub enum Encode { Hex, HexUpper, Base64, Base64Url }
pub enum Clock { Ours, Supplier }
pub enum TimestampFormat { EpochS, EpochMs, EpochUs, Iso8601, Iso8601Basic, Rfc1123 /* more of dialects 2.1 welcome */ }
pub enum Nonce { Uuid4, Hex16 /* ... */ }
/// One part of the string to sign; each yields bytes.
pub enum Part {
    Text(Template),
    Digest { algorithm: Algorithm, of: Vec<Part>, join: String, encode: Option<Encode> /* none: raw bytes */ },
    Query { order: Order, pair: String, join: String, exclude: Vec<String>, decoded: bool /* ... */ },
    Header { name: String, transforms: Vec<Transform> },
    Json { pointer: String },
    Transformed { of: Box<Part>, transforms: Vec<Transform> },
}
pub enum Order { AsSent, ByKey, ByKeyThenValue }
pub enum Transform { Lower, Upper, PercentEncode, PercentDecode, Trim }

/// How one header dialect is read. Several may feed one pool.
pub struct Limit { pub pool: String /* default "default" */, pub reader: Reader }
pub enum Reader {
    Fields { name: String, limit: Option<String>, remaining: Option<String>, used: Option<String>, reset: Option<String>, reset_unit: Unit, window_s: Option<u32> },
    Ietf { header: String /* RateLimit */, policy: String /* RateLimit-Policy */ },
    Fraction { name: String, header: String /* used/limit */, key: Option<String>, refill_per_s: Option<f64>, window_s: Option<u32> },
    Static { name: String, limit: u32, window_s: u32 },
}
pub enum Unit { RetryAfter /* the grammar of Retry-After: integer or decimal seconds, HTTP-date */, DeltaS, DeltaMs, EpochS, EpochMs, EpochFloat, DeltaFloat, Iso8601, HttpDate, GoDuration }

pub struct Caps { pub request_body_bytes: u32 /* 16777216 */, pub body_bytes: u32 /* 8388608 */, pub error_body_bytes: u32 /* 65536 */, pub header_bytes: u32 /* 65536 */ }

pub struct Retry {
    pub max_attempts: u32,                 // 4, 1..=100
    pub statuses: Vec<StatusMatch>,        // 429 502 503 504
    pub never: Vec<StatusMatch>,           // 501 505 506 508 510 511
    pub refused_by: Vec<When>,             // 429; 503 with Retry-After
    pub server_wait: Vec<WaitSource>,      // [Retry-After]
    pub base_delay_ms: u32,                // 500, 1..
    pub max_delay_ms: u32,                 // 5000 (>= base)
    pub jitter: f64,                       // 0.25, 0..=1
    pub max_server_wait_ms: u32,           // 60000; 0 = never
    pub long_wait: LongWait,               // fail
    pub reset_margin_ms: u32,              // 0
    pub deadline_ms: u32,                  // 120000, 1..
    pub attempt_timeout_ms: u32,           // 30000, 1..; < tolerance_s * 1000 when signing signs a timestamp
}
pub enum StatusMatch { Code(u16), Class(u8) /* "5xx" = 5 */ }
pub enum LongWait { Fail, Clamp }
pub struct WaitSource { pub from: Source, pub unit: Unit }
pub enum Source { Header(String), Body(Pointer) }

pub struct Rule { pub when: When, pub verdict: RuleVerdict, pub code: Option<String>, pub min_wait_ms: u32 /* 0 */ }
pub enum RuleVerdict { Fail /* code required */, Retry, Throttled, UnknownOutcome, ResyncClock }
/// A conjunction; all that is given must hold.
pub struct When {
    pub status: Vec<StatusMatch>,                  // JSON: a number, a class, or a list of them; empty: any
    pub header: Vec<(String, Option<Vec<String>>)>,// name -> values; None for "*" (present)
    pub body: Vec<(Pointer, Option<Vec<serde_json::Value>>)>, // pointer -> values (string, number, bool); None for "*"
    pub body_contains: Option<String>,
}

pub struct Idempotency { pub place: Place, pub quoted: bool /* sf-string */, pub replays_errors: bool, pub required: bool, pub max_length: u32 /* 255 */ }
pub enum Place { Header(String), Body(Pointer) }

pub struct Pages {
    pub items: Pointer,                    // "" is the root
    pub cursor: Cursor,
    pub send_as: SendAs,                   // default for link and url_body: url
    pub more: Option<Pointer>, pub more_is: bool,  // default true: `more` equal to this means there is more (false for /done, /isLast)
    pub empty_is_end: bool,                // true
    pub allow_repeated_cursor: bool,       // false
    pub max_pages: u32,                    // 10000, 1..
    pub end: Vec<End>,                     // further end rules
    pub absent_items: AbsentItems,         // "fail" (default) or "empty"
}
pub enum Cursor {
    Body(Pointer), Header(String), Link(String /* rel */), UrlBody(Pointer),
    Item { pointer: Pointer /* within the item */, last: bool },
    Count { start: u32, step: Step },
}
pub enum Step { One /* page numbers */, Items /* offset by items received */, Fixed(u32) }
pub enum SendAs { Query { name: String, encoded: bool }, Body(Pointer), Header(String), Url }
pub enum End { NoItems, FewerThan(u32), Status(u16), Last(Source) /* page number of the last page */, Total(Source) /* items in all */ }
pub enum AbsentItems { Fail, Empty }

pub struct Budget { pub shared: bool /* false: in memory */, pub store_failure: StoreFailure /* local */, pub patience_ms: u32 /* 250 */ }
pub enum StoreFailure { Local, Closed }

/// A JSON Pointer (RFC 6901), already split and unescaped.
pub struct Pointer { pub tokens: Vec<String> }
