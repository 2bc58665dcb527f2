//! The cases about signing, and what a profile adds to a request.

use super::*;
use crate::Credential;
use serde_json::{Value, json};

const T0: Wall = Wall(1_772_452_800_000);
const BODY: &str = r#"{"sku":"A1","qty":2}"#;
const V1: &str = "c13bc0eaf1035ed813f29f6644c9ee2aff2bbfd0d425dfd59a3e78fd249ef3f9";
const V2: &str = "f36d3c603198eb94b87f94835be1cb8ccc489c9a73bad497ccc2b66d32ded9d6";
const V3: &str = "409af05575cf8522b98f22f4d68f9ff7588e0893e86a7fd779e6061549b5dbc1";
const V4: &str = "f140b70fa087d1dad9a8a24fed38e7ce2f7ed8ad08ebcff6154100fd1015785d";
const V5: &str = "1ee8ae0e03f23e602503fc011ebd512ae18a382fbd23e867693a1ea5cd8ecac2";
const V6: &str = "0fb3cbe9ddfb1590476f165a8c796bbd0e4f8c25cea79277ab4d543f2a41c8f6";

/// A profile and its keys.
pub struct Signer {
    pub profile: Profile,
    pub keys: Keyring,
}

impl Signer {
    pub fn new(profile: &Value, credentials: &[(&str, &str)]) -> Signer {
        let profile = Profile::read(&profile.to_string(), None).unwrap();
        let credentials: Vec<Credential> = credentials
            .iter()
            .map(|(name, value)| Credential { name: (*name).into(), value: (*value).into() })
            .collect();
        let keys = Keyring::new(&profile, &credentials).unwrap();
        Signer { profile, keys }
    }

    pub fn sign(&self, draft: &Draft, at: Wall) -> Parts {
        sign(&self.profile, &self.keys, draft, at, [7; 16]).unwrap()
    }

    pub fn string(&self, draft: &Draft, at: Wall) -> String {
        string_to_sign(&self.profile, &self.keys, draft, at, [7; 16]).unwrap().unwrap()
    }
}

pub fn draft(method: &str, target: &str, headers: &[(&str, &str)], body: impl Into<Vec<u8>>) -> Draft {
    Draft {
        method: method.into(),
        path_and_query: target.into(),
        headers: Headers(headers.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect()),
        body: Arc::new(Body::from_bytes(body.into())),
        idempotency_key: None,
    }
}

pub fn profile(rest: Value) -> Value {
    let mut profile = json!({ "profile": 1, "supplier": "acme", "base_url": "https://api.acme.example" });
    profile.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
    profile
}

/// HMAC-SHA256 over `timestamp.body`, as most of the cases have it.
fn acme(key: Value) -> Value {
    profile(json!({ "signing": {
        "string_to_sign": ["{timestamp}", ".", "{body}"], "algorithm": "hmac-sha256", "key": key,
        "headers": { "X-Signature": "t={timestamp},{signatures}" }, "signatures": { "each": "v1={signature}" }
    } }))
}

fn signature(body: &[u8], at: Wall) -> String {
    let signer = Signer::new(&acme(json!({ "credentials": ["key"] })), &[("key", "test_secret_a")]);
    signer.sign(&draft("POST", "/orders", &[], body), at).headers.get("x-signature").unwrap().into_owned()
}

#[test]
fn every_attempt_is_signed_anew() {
    // B57
    assert_eq!(signature(BODY.as_bytes(), T0), format!("t=1772452800,v1={V1}"));
    assert_eq!(signature(BODY.as_bytes(), Wall(T0.0 + 5000)), format!("t=1772452805,v1={V2}"));
    // Milliseconds do not round up into a second that has not come.
    assert_eq!(signature(BODY.as_bytes(), Wall(T0.0 + 999)), format!("t=1772452800,v1={V1}"));
}

#[test]
fn nothing_is_signed_as_nothing() {
    // B65; N2 would be "null", "{}" or "undefined"
    let signer = Signer::new(&acme(json!({ "credentials": ["key"] })), &[("key", "test_secret_a")]);
    for body in [Body::Text(String::new()), Body::Bytes(Vec::new())] {
        let draft = Draft { body: Arc::new(body), ..draft("DELETE", "/orders/7", &[], "") };
        assert_eq!(signer.string(&draft, T0), "1772452800.");
        assert_eq!(signer.sign(&draft, T0).headers.get("X-Signature").unwrap(), format!("t=1772452800,v1={V3}"));
    }
}

#[test]
fn bytes_are_signed_as_bytes() {
    // B63: neither lossily decoded nor as Latin-1 (N3); B62: UTF-8 as it is
    assert_eq!(signature(&[0xff, 0xfe, 0x00, 0x80], T0), format!("t=1772452800,v1={V4}"));
    assert_eq!(signature("{\"n\":\"café \u{2028}\"}".as_bytes(), T0), format!("t=1772452800,v1={V5}"));
}

#[test]
fn what_must_not_appear() {
    // N1, N4, N5: the body is not written anew, the key not stripped, the time not in milliseconds
    let sent = signature(BODY.as_bytes(), T0);
    for wrong in ["d6c90f7d", "bc5787c8", "04e4c46e", "c7fe6754", "9183cad0", "f8b8be3c", "75fb833f", "d052f6ec"] {
        assert!(!sent.contains(wrong));
    }
    assert!(signature(br#"{"sku": "A1", "qty": 2}"#, T0).starts_with("t=1772452800,v1=d6c90f7d"));
}

#[test]
fn a_prefix_is_not_a_hint() {
    // B68
    let sign = |key: Value| {
        let signer = Signer::new(&acme(key), &[("key", "whsec_dGVzdF9zZWNyZXRfbG9uZw==")]);
        signer.sign(&draft("POST", "/", &[], BODY), T0).headers.get("X-Signature").unwrap().into_owned()
    };
    let text = "9025b5320f72a363405044d83232ba247e90344ee4c0ef2341efa9b52d06c569";
    let decoded = "67ac7007edb36c9b6f3de4274ab6bcfef28d9d24ffe8995de35ce576c9f460c6";
    assert_eq!(sign(json!({ "credentials": ["key"] })), format!("t=1772452800,v1={text}"));
    let key = json!({ "credentials": ["key"], "strip_prefix": "whsec_", "decode": "base64" });
    assert_eq!(sign(key), format!("t=1772452800,v1={decoded}"));
}

#[test]
fn one_signature_for_every_key() {
    // B69: the newest first
    let keys = [("key", "test_secret_a"), ("key2", "test_secret_b")];
    let signer = Signer::new(&acme(json!({ "credentials": ["key", "key2"] })), &keys);
    let parts = signer.sign(&draft("POST", "/", &[], BODY), T0);
    assert_eq!(parts.headers.get("X-Signature").unwrap(), format!("t=1772452800,v1={V1},v1={V6}"));
    let signer = Signer::new(&acme(json!({ "credentials": ["key2", "key"] })), &keys);
    let parts = signer.sign(&draft("POST", "/", &[], BODY), T0);
    assert_eq!(parts.headers.get("X-Signature").unwrap(), format!("t=1772452800,v1={V6},v1={V1}"));
}

#[test]
fn authentication_without_a_signature() {
    let signer = Signer::new(
        &profile(json!({
            "headers": { "Authorization": "Bearer {credential:token}", "X-Basic": "Basic {basic:user:pass}", "X-Key": "{basic:token:}" },
            "query": { "api key": "{credential:pass}" },
            "body_fields": { "/auth/secret": "{credential:token}" }
        })),
        &[("token", "t0\"ken"), ("user", "Aladdin"), ("pass", "open sesame")],
    );
    let post = draft("POST", "/v2/orders?a=1", &[("content-type", "application/json")], r#"{"auth":{"id": 1.10}}"#);
    let parts = signer.sign(&post, T0);
    assert_eq!(parts.path_and_query, "/v2/orders?a=1&api%20key=open%20sesame");
    assert_eq!(parts.body.as_text().unwrap(), r#"{"auth":{"id": 1.10,"secret":"t0\"ken"}}"#);
    assert_eq!(parts.headers.get("Authorization").unwrap(), "Bearer t0\"ken");
    // RFC 7617, 2
    assert_eq!(parts.headers.get("X-Basic").unwrap(), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
    assert_eq!(parts.headers.get("X-Key").unwrap(), "dDAia2VuOg==");
    assert_eq!(string_to_sign(&signer.profile, &signer.keys, &post, T0, [0; 16]), Ok(None));
    // A request without a body gets none.
    let parts = signer.sign(&draft("GET", "/v2/orders", &[], ""), T0);
    assert!(parts.body.is_empty() && !parts.headers.has("content-type"));
}

#[test]
fn the_wire_never_carries_two() {
    // B70
    let signer = Signer::new(&acme(json!({ "credentials": ["key"] })), &[("key", "test_secret_a")]);
    let parts = signer.sign(&draft("POST", "/", &[("x-signature", "t=1,v1=0"), ("X-Other", "1")], BODY), T0);
    assert_eq!(parts.headers.lines("X-Signature").collect::<Vec<_>>(), [format!("t=1772452800,v1={V1}")]);
    assert_eq!(parts.headers.get("X-Other").unwrap(), "1");
}

#[test]
fn fields_of_a_form_and_of_json() {
    let signing = json!({
        "string_to_sign": ["{body}"], "algorithm": "hmac-sha256", "key": { "credentials": ["key"] }, "timestamp": "epoch-ms",
        "form": { "time": "{timestamp}", "sign": "{signature}" }
    });
    let signer = Signer::new(&profile(json!({ "signing": signing })), &[("key", "test_secret_a")]);
    let post = draft("POST", "/", &[], "a=1");
    assert_eq!(signer.string(&post, T0), "a=1&time=1772452800000");
    let parts = signer.sign(&post, T0);
    let text = parts.body.as_text().unwrap();
    assert!(text.starts_with("a=1&time=1772452800000&sign=") && text.len() == 28 + 64, "{text}");
    assert_eq!(parts.headers.get("content-type").unwrap(), "application/x-www-form-urlencoded");
    let other = draft("POST", "/", &[("Content-Type", "text/plain")], "a=1");
    assert!(sign(&signer.profile, &signer.keys, &other, T0, [0; 16]).is_err());

    let signing = json!({
        "string_to_sign": ["{body}"], "algorithm": "sha256",
        "body_fields": { "/t": "{timestamp}", "/sig": "{signature|upper}" }
    });
    let signer = Signer::new(&profile(json!({ "signing": signing })), &[]);
    assert_eq!(signer.string(&draft("POST", "/", &[], ""), T0), r#"{"t":"1772452800"}"#);
    let parts = signer.sign(&draft("POST", "/", &[], r#"{ "a": 1 }"#), T0);
    assert!(parts.body.as_text().unwrap().starts_with(r#"{ "a": 1,"t":"1772452800","sig":""#));
    for body in ["nix", "[1]"] {
        let why = sign(&signer.profile, &signer.keys, &draft("POST", "/", &[], body), T0, [0; 16]).err().unwrap();
        assert!(!why.contains(body));
    }
}

#[test]
fn nonces_differ_with_their_seed() {
    let signing = json!({
        "string_to_sign": ["{nonce}"], "algorithm": "sha256", "prepare": { "X-Nonce": "{nonce}" }, "headers": { "X-Sig": "{signature}" }
    });
    let signer = Signer::new(&profile(json!({ "signing": signing })), &[]);
    let nonce = |seed| {
        let parts = sign(&signer.profile, &signer.keys, &draft("GET", "/", &[], ""), T0, seed).unwrap();
        parts.headers.get("X-Nonce").unwrap().into_owned()
    };
    assert_eq!(nonce([7; 16]), "07070707-0707-4707-8707-070707070707");
    assert_ne!(nonce([7; 16]), nonce([8; 16]));
}

#[test]
fn a_header_is_refused_rather_than_repaired() {
    let signing = json!({
        "string_to_sign": ["{body}"], "algorithm": "sha256", "headers": { "X-Sig": "{signature}", "X-Key": "{idempotency_key}" }
    });
    let signer = Signer::new(&profile(json!({ "signing": signing })), &[]);
    let draft = Draft { idempotency_key: Some("a\r\nX-Evil: 1".into()), ..draft("POST", "/", &[], "") };
    let why = sign(&signer.profile, &signer.keys, &draft, T0, [0; 16]).err().unwrap();
    assert!(why.contains("X-Key") && !why.contains("Evil"));
}

#[test]
fn people_see_no_secrets() {
    let signing = json!({
        "string_to_sign": ["{credential:secret}", "{header:Authorization}", "{query}", "{body}", { "digest": "sha256", "of": ["x"], "encode": "raw" }],
        "join": "|", "algorithm": "sha256", "headers": { "X-Sig": "{signature}" }, "query": { "k": "{credential:secret}" }
    });
    let whole = profile(json!({ "signing": signing, "headers": { "Authorization": "Basic {basic:secret:secret}" } }));
    let signer = Signer::new(&whole, &[("secret", "CANARY")]);
    let text = signer.string(&draft("POST", "/?a=%20", &[], vec![b'b', 0xff]), T0);
    assert!(!text.contains("CANARY") && !text.contains("Q0FOQVJZOkNBTkFSWQ=="));
    assert!(
        text.starts_with("{credential:secret}|Basic {basic:secret:secret}|a=%20&k=%7Bcredential%3Asecret%7D|b\\xff|"),
        "{text}"
    );
}
