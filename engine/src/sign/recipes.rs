//! Published signing schemes as profiles, against their published signatures
//! (`tests/vectors/signing.json`, and the sources named here).

use super::mac::{Mac, Sink, encode};
use super::tests::{Signer, draft, profile};
use crate::profile::{Algorithm, Encode, Profile, code};
use crate::time::Wall;
use serde_json::{Value, json};

/// What stands in the vectors' file for one id.
fn vector(id: &str) -> Value {
    vectors().into_iter().find(|vector| vector["id"] == id).unwrap()
}

fn vectors() -> Vec<Value> {
    let file: Value = serde_json::from_str(include_str!("../../tests/vectors/signing.json")).unwrap();
    file["vectors"].as_array().unwrap().clone()
}

fn expected(id: &str) -> String {
    vector(id)["expect"].as_str().unwrap().to_owned()
}

fn key(id: &str) -> String {
    vector(id)["key"].as_str().unwrap().to_owned()
}

/// A profile with this base URL and signing section.
fn at(base_url: &str, signing: Value) -> Value {
    let mut profile = profile(json!({ "signing": signing, "allow_http": true }));
    profile["base_url"] = base_url.into();
    profile
}

/// Every vector as a string to sign, whatever scheme it is from; all that were collected but
/// those whose primitive the file calls `missing`.
#[test]
fn every_primitive() {
    for vector in vectors().into_iter().filter(|vector| vector.get("missing").is_none()) {
        let field = |name: &str| vector[name].as_str().unwrap().to_owned();
        let mut signing = json!({
            "string_to_sign": ["{body}"], "algorithm": field("alg"), "encode": field("enc"), "headers": { "X-Sig": "{signature}" }
        });
        if field("key_decode") != "none" {
            signing["key"] = json!({ "credentials": ["key"], "decode": field("key_decode") });
        }
        if field("id") == "azure-lite-lenient-key" {
            // Five bytes: no profile takes such a key (B68), but the primitive does.
            let key = <base64ct::Base64 as base64ct::Encoding>::decode_vec(&field("key")).unwrap();
            let mut mac = Mac::new(Algorithm::HmacSha256, &key);
            mac.put(field("sts").as_bytes());
            assert_eq!(encode(Encode::Base64, &mac.finish()), field("expect"));
            continue;
        }
        let signer = Signer::new(&profile(json!({ "signing": signing })), &[("key", &field("key"))]);
        let parts = signer.sign(&draft("POST", "/", &[], field("sts")), Wall(0));
        assert_eq!(parts.headers.get("X-Sig").unwrap(), field("expect"), "{}", field("id"));
    }
}

/// What is left out is refused by name, so that whoever adds the primitive has to add its vector.
#[test]
fn missing_primitives() {
    let left_out: Vec<(String, String)> = vectors()
        .iter()
        .filter_map(|vector| Some((vector["id"].as_str()?.to_owned(), vector.get("missing")?.as_str()?.to_owned())))
        .collect();
    assert_eq!(left_out, [("ebay-ed25519".to_owned(), "ed25519".to_owned())]);
    assert_eq!(vectors().len(), 26);
    for (id, primitive) in left_out {
        let signing = json!({
            "string_to_sign": ["{body}"], "algorithm": primitive, "key": { "credentials": ["key"] },
            "headers": { "X-Sig": "{signature}" }
        });
        let problems = Profile::read(&profile(json!({ "signing": signing })).to_string(), None).unwrap_err();
        assert_eq!(problems[0].pointer, "/signing/algorithm", "{id}");
        assert_eq!(problems[0].code, code::UNSUPPORTED, "{id}");
    }
}

#[test]
fn standard_webhooks() {
    let signing = json!({
        "string_to_sign": ["{header:webhook-id}", "{timestamp}", "{body}"], "join": ".",
        "algorithm": "hmac-sha256", "encode": "base64",
        "key": { "credentials": ["key"], "strip_prefix": "whsec_", "decode": "base64" },
        "prepare": { "webhook-timestamp": "{timestamp}" },
        "headers": { "webhook-signature": "{signatures}" }, "signatures": { "each": "v1,{signature}", "join": " " }
    });
    let signer =
        Signer::new(&profile(json!({ "signing": signing })), &[("key", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")]);
    let post = draft("POST", "/", &[("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek")], r#"{"test": 2432232314}"#);
    let parts = signer.sign(&post, Wall(1_614_265_330_000));
    assert_eq!(parts.headers.get("webhook-timestamp").unwrap(), "1614265330");
    assert_eq!(parts.headers.get("webhook-signature").unwrap(), format!("v1,{}", expected("standard-webhooks")));
}

#[test]
fn binance() {
    let signing = json!({
        "string_to_sign": ["{query}", "{body}"], "algorithm": "hmac-sha256", "key": { "credentials": ["secret"] },
        "timestamp": "epoch-ms", "query": { "timestamp": "{timestamp}", "signature": "{signature}" }
    });
    let whole = profile(json!({ "signing": signing, "headers": { "X-MBX-APIKEY": "{credential:key}" } }));
    let signer = Signer::new(&whole, &[("secret", &key("binance-1")), ("key", "vmPU")]);
    let target = "/api/v3/order?symbol=LTCBTC&side=BUY&type=LIMIT&timeInForce=GTC&quantity=1&price=0.1&recvWindow=5000";
    let parts = signer.sign(&draft("POST", target, &[], ""), Wall(1_499_827_319_559));
    let expected = format!("{target}&timestamp=1499827319559&signature={}", expected("binance-1"));
    assert_eq!(parts.path_and_query, expected);
}

#[test]
fn bybit_and_coinbase_strings() {
    let bybit = json!({
        "string_to_sign": ["{timestamp}{credential:api-key}5000", "{query}", { "text": "{body}", "only_methods": ["POST"] }],
        "algorithm": "hmac-sha256", "key": { "credentials": ["secret"] }, "timestamp": "epoch-ms",
        "headers": { "X-BAPI-SIGN": "{signature}", "X-BAPI-TIMESTAMP": "{timestamp}", "X-BAPI-RECV-WINDOW": "5000" }
    });
    let signer = Signer::new(&profile(json!({ "signing": bybit })), &[("secret", "s"), ("api-key", "k")]);
    let text = signer.string(&draft("GET", "/v5/order?category=option", &[], "x"), Wall(1_658_384_314_791));
    assert_eq!(text, "1658384314791{credential:api-key}5000category=option");

    for (decode, encode) in [("base64", "base64"), ("utf8", "hex"), ("utf8", "base64")] {
        let coinbase = json!({
            "string_to_sign": ["{timestamp}{method}{path_and_query}{body}"], "algorithm": "hmac-sha256", "encode": encode,
            "key": { "credentials": ["secret"], "decode": decode }, "headers": { "CB-ACCESS-SIGN": "{signature}" }
        });
        let signer = Signer::new(&profile(json!({ "signing": coinbase })), &[("secret", "AAAAAAAAAAAAAAAAAAAAAA==")]);
        let text = signer.string(&draft("POST", "/orders?before=2&limit=30", &[], r#"{"a":1}"#), Wall(1000));
        assert_eq!(text, r#"1POST/orders?before=2&limit=30{"a":1}"#);
    }
}

/// <https://docs.kraken.com/exchange/guides/rest/authentication>
#[test]
fn kraken() {
    let signing = json!({
        "string_to_sign": ["{path}", { "digest": "sha256", "of": ["{timestamp}", "{body}"], "encode": "raw" }],
        "algorithm": "hmac-sha512", "encode": "base64", "timestamp": "epoch-ms",
        "key": { "credentials": ["key"], "decode": "base64" },
        "headers": { "API-Sign": "{signature}" }
    });
    let secret = "kQH5HW/8p1uGOVjbgWA7FunAmGO8lsSUXNsu3eow76sz84Q18fWxnyRzBHCd3pd5nE9qa99HAZtuZuj6F1huXg==";
    let body = "nonce=1616492376594&ordertype=limit&pair=XBTUSD&price=37500&type=buy&volume=1.25";
    let signer = Signer::new(&profile(json!({ "signing": signing })), &[("key", secret)]);
    let parts = signer.sign(&draft("POST", "/0/private/AddOrder", &[], body), Wall(1_616_492_376_594));
    let expected = "4/dpxb3iT4tp/ZCVEwSnEsLxx0bqyhLpdfOpc6fn7OR8+UClSV5n9E6aSS8MPtnRfp32bAb0nmbRn6H8ndwLUQ==";
    assert_eq!(parts.headers.get("API-Sign").unwrap(), expected);
}

#[test]
fn slack_stripe_and_github() {
    let slack = json!({
        "string_to_sign": ["v0", "{timestamp}", "{body}"], "join": ":", "algorithm": "hmac-sha256",
        "key": { "credentials": ["key"] }, "headers": { "X-Slack-Signature": "v0={signature}" }
    });
    let signer = Signer::new(&profile(json!({ "signing": slack })), &[("key", "x")]);
    assert_eq!(signer.string(&draft("POST", "/", &[], "a=b"), Wall(1_531_420_618_000)), "v0:1531420618:a=b");

    let stripe = json!({
        "string_to_sign": ["{timestamp}.{body}"], "algorithm": "hmac-sha256", "key": { "credentials": ["key"] },
        "headers": { "Stripe-Signature": "t={timestamp},v1={signature}" }
    });
    let signer = Signer::new(&profile(json!({ "signing": stripe })), &[("key", &key("stripe"))]);
    let parts = signer.sign(&draft("POST", "/", &[], r#"{"id": "evt_test_webhook"}"#), Wall(1_614_265_330_000));
    assert_eq!(parts.headers.get("Stripe-Signature").unwrap(), format!("t=1614265330,v1={}", expected("stripe")));

    let github = json!({
        "string_to_sign": ["{body}"], "algorithm": "hmac-sha256", "key": { "credentials": ["key"] },
        "headers": { "X-Hub-Signature-256": "sha256={signature}" }
    });
    let signer = Signer::new(&profile(json!({ "signing": github })), &[("key", &key("github"))]);
    let parts = signer.sign(&draft("POST", "/", &[], "Hello, World!"), Wall(0));
    assert_eq!(parts.headers.get("X-Hub-Signature-256").unwrap(), format!("sha256={}", expected("github")));
}

#[test]
fn hubspot_has_the_secret_in_the_text() {
    let secret = "yyyyyyyy-yyyy-yyyy-yyyy-yyyyyyyyyyyy";
    let hubspot = json!({
        "string_to_sign": ["{credential:secret}{method}{url}{body}"], "algorithm": "sha256", "headers": { "X-HubSpot-Signature": "{signature}" }
    });
    let signer = Signer::new(&at("https://www.example.com", hubspot), &[("secret", secret)]);
    let parts = signer.sign(&draft("GET", "/webhook_uri", &[], ""), Wall(0));
    assert_eq!(parts.headers.get("X-HubSpot-Signature").unwrap(), expected("hubspot-v2-get"));
}

/// The ready-made profile, against what the vendor's own client publishes.
#[test]
fn ovh() {
    let secrets = [
        ("application-key", "test-application"),
        ("application-secret", "9ufkBmLaTQ9nz5yMUlg79taH0GNnzDjk"),
        ("consumer-key", "5mBuy6SUQcRw2ZUxg0cG68BoDKpED4KY"),
    ];
    let profile = serde_json::from_str(include_str!("../../../profiles/ovh.json")).unwrap();
    let signer = Signer::new(&profile, &secrets);
    for (id, method, body) in
        [("ovh-get", "GET", ""), ("ovh-post", "POST", r#"{"a":"b","c":"d"}"#), ("ovh-delete", "DELETE", "")]
    {
        let parts = signer.sign(&draft(method, "/1.0/auth", &[], body), Wall(1_457_018_875_000));
        assert_eq!(parts.headers.get("X-Ovh-Signature").unwrap(), format!("$1${}", expected(id)));
    }
}

#[test]
fn square() {
    let square = json!({
        "string_to_sign": ["{url}{body}"], "algorithm": "hmac-sha256", "encode": "base64",
        "key": { "credentials": ["key"] }, "headers": { "X-Square-HmacSha256-Signature": "{signature}" }
    });
    let signer = Signer::new(&at("https://webhook.site", square), &[("key", &key("square-3"))]);
    let parts =
        signer.sign(&draft("POST", "/webhooks", &[], r#"{"data":{"type":"webhooks","id":"fake_id"}}"#), Wall(0));
    assert_eq!(parts.headers.get("X-Square-HmacSha256-Signature").unwrap(), expected("square-3"));
}

#[test]
fn twilio() {
    let params = json!({ "query": { "from": "form", "order": "by-key-value", "pair": "", "join": "", "decoded": true, "dedupe": true } });
    let signing = |url: &str| {
        json!({
            "string_to_sign": [url, params], "algorithm": "hmac-sha1", "encode": "base64",
            "key": { "credentials": ["key"] }, "headers": { "X-Twilio-Signature": "{signature}" }
        })
    };
    let form =
        "CallSid=CA1234567890ABCDE&Digits=1234&From=%2B14158675309&To=%2B18005551212&Caller=%2B14158675309&Digits=1234";
    let headers = [("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")];
    for (id, base_url, url) in [
        ("twilio-form", "https://mycompany.com", "{url}"),
        ("twilio-http-port-1234", "http://mycompany.com:1234", "{url}"),
        // A port that the URL leaves out, but the scheme signs.
        ("twilio-https-port-443", "https://mycompany.com", "https://mycompany.com:443{path_and_query}"),
        ("twilio-http-port-80", "http://mycompany.com", "http://mycompany.com:80{path_and_query}"),
    ] {
        let signer = Signer::new(&at(base_url, signing(url)), &[("key", "12345")]);
        let parts = signer.sign(&draft("POST", "/myapp.php?foo=1&bar=2", &headers, form), Wall(0));
        assert_eq!(parts.headers.get("X-Twilio-Signature").unwrap(), expected(id), "{id}");
    }
}

#[test]
fn adyen() {
    let fields = [
        "/pspReference",
        "/originalReference",
        "/merchantAccountCode",
        "/merchantReference",
        "/amount/value",
        "/amount/currency",
        "/eventCode",
        "/success",
    ];
    let signing = json!({
        "string_to_sign": fields.map(|pointer| json!({ "json": pointer })), "join": ":", "algorithm": "hmac-sha256", "encode": "base64",
        "key": { "credentials": ["key"], "decode": "hex" }, "body_fields": { "/additionalData/hmacSignature": "{signature}" }
    });
    let body = r#"{"pspReference":"7914073381342284","merchantAccountCode":"TestMerchant","merchantReference":"TestPayment-1407325143704","amount":{"value":1130,"currency":"EUR"},"eventCode":"AUTHORISATION","success":"true","additionalData":{}}"#;
    let signer = Signer::new(&profile(json!({ "signing": signing })), &[("key", &key("adyen"))]);
    let parts = signer.sign(&draft("POST", "/", &[], body), Wall(0));
    let signed = body.replace("{}", &format!(r#"{{"hmacSignature":"{}"}}"#, expected("adyen")));
    assert_eq!(parts.body.as_text().unwrap(), signed);
}

#[test]
fn shopify_strings() {
    let signing = |join: &str| {
        json!({
            "string_to_sign": [{ "query": { "order": "by-key", "join": join, "exclude": ["hmac", "signature"] } }],
            "algorithm": "hmac-sha256", "key": { "credentials": ["key"] }, "query": { "hmac": "{signature}" }
        })
    };
    let get = draft("GET", "/?shop=some.example&code=a1&timestamp=133%2B7&hmac=x&state", &[], "");
    let string =
        |join| Signer::new(&profile(json!({ "signing": signing(join) })), &[("key", "hush")]).string(&get, Wall(0));
    assert_eq!(string("&"), "code=a1&shop=some.example&state=&timestamp=133%2B7");
    assert_eq!(string(""), "code=a1shop=some.examplestate=timestamp=133%2B7");
}

/// RFC 9530, and RFC 9421 B.2.5 as a text.
#[test]
fn content_digest_and_message_signature() {
    let digest =
        json!({ "digest": "sha256", "of": ["{body}"], "encode": "base64", "prefix": "sha-256=:", "suffix": ":" });
    let signing = json!({
        "string_to_sign": ["\"date\": {header:date}\n\"@authority\": {host}\n\"content-type\": {header:content-type}\n\"@signature-params\": (\"date\" \"@authority\" \"content-type\");created=1618884473;keyid=\"test-shared-secret\""],
        "algorithm": "hmac-sha256", "encode": "base64", "key": { "credentials": ["key"], "decode": "base64" },
        "prepare": { "Content-Digest": digest, "Date": "{timestamp:rfc1123}" },
        "headers": { "Signature": "sig-b25=:{signature}:" }
    });
    let signer = Signer::new(&at("https://example.com", signing), &[("key", &key("rfc9421-b25-hmac"))]);
    let post = draft("POST", "/foo", &[("Content-Type", "application/json")], r#"{"hello": "world"}"#);
    let parts = signer.sign(&post, Wall(1_618_884_475_000));
    assert_eq!(parts.headers.get("Date").unwrap(), "Tue, 20 Apr 2021 02:07:55 GMT");
    assert_eq!(parts.headers.get("Content-Digest").unwrap(), format!("sha-256=:{}:", expected("rfc9530-sha256")));
    assert_eq!(parts.headers.get("Signature").unwrap(), format!("sig-b25=:{}:", expected("rfc9421-b25-hmac")));
}

/// <https://github.com/akamai/AkamaiOPEN-edgegrid-python>, `testcases.json`.
#[test]
fn akamai_edgegrid() {
    let authorization = "EG1-HMAC-SHA256 client_token={credential:client};access_token={credential:access};timestamp={timestamp};nonce={header:X-Test-Nonce};";
    let signing = json!({
        "string_to_sign": [
            "{method}", "https", "{host}", "{path_and_query}",
            { "headers": ["X-Test1", "X-Test2", "X-Test3"], "join": "\t", "transforms": ["trim", "collapse"] },
            { "digest": "sha256", "of": [{ "text": "{body}", "max_bytes": 2048 }], "encode": "base64", "skip_empty": true, "only_methods": ["POST"] },
            authorization
        ],
        "join": "\t", "algorithm": "hmac-sha256", "encode": "base64", "timestamp": "edgegrid",
        "key": { "credentials": ["secret"], "derive": [{ "of": ["{timestamp}"], "encode": "base64" }] },
        "headers": { "X-Sig": "{signature}" }
    });
    let host = "akaa-baseurl-xxxxxxxxxxx-xxxxxxxxxxxxx.luna.akamaiapis.net";
    let credentials = [
        ("secret", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx="),
        ("client", "akab-client-token-xxx-xxxxxxxxxxxxxxxx"),
        ("access", "akab-access-token-xxx-xxxxxxxxxxxxxxxx"),
    ];
    let signer = Signer::new(&at(&format!("https://{host}"), signing), &credentials);
    let nonce = ("X-Test-Nonce", "nonce-xx-xxxx-xxxx-xxxx-xxxxxxxxxxxx");
    let ds = "data".repeat(8);
    let ps = "P".repeat(31);
    for (method, target, body, header, expected) in [
        ("GET", "/", "", None, "tL+y4hxyHxgWVD30X3pWnGKHcPzmrIF+LThiAOhMxYU="),
        ("GET", "/testapi/v1/t1?p1=1&p2=2", "", None, "hKDH1UlnQySSHjvIcZpDMbQHihTQ0XyVAKZaApabdeA="),
        ("POST", "/testapi/v1/t3", &ds, None, "hXm4iCxtpN22m4cbZb4lVLW5rhX8Ca82vCFqXzSTPe4="),
        (
            "GET",
            "/testapi/v1/t4",
            "",
            Some(("X-Test1", "test-simple-header")),
            "8F9AybcRw+PLxnvT+H0JRkjROrrUgsxJTnRXMzqvcwY=",
        ),
        ("PUT", "/testapi/v1/t6", &ps, None, "GNBWEYSEWOLtu+7dD52da2C39aX/Jchpon3K/AmBqBU="),
    ] {
        let headers: Vec<_> = [nonce].into_iter().chain(header).collect();
        let parts = signer.sign(&draft(method, target, &headers, body), Wall(1_395_430_461_000));
        assert_eq!(parts.headers.get("X-Sig").unwrap(), expected, "{method} {target}");
    }
}
