//! What a call would do, for people: the dry run of one request.

use crate::event::Failure;
use crate::retry::backoff;
use crate::sign;
use crate::supplier::Supplier;
use crate::time::{Now, Wall};
use crate::{Goal, Request};
use serde_json::{Map, Value};

/// Values of these headers are shown; of all others only the names.
const SHOWN: [&str; 5] = ["accept", "accept-language", "content-type", "user-agent", "prefer"];

pub(crate) fn explain(supplier: &Supplier, request: &Request, now: Now) -> Result<String, Failure> {
    let profile = &supplier.profile;
    let call = supplier.begin(Goal::Reply(request.clone()), [0; 16])?;
    let (policy, draft) = (call.policy(), call.draft());
    let at = Wall(now.wall.0);
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| map.insert(key.to_owned(), value);
    put("explain", 1.into());
    put("supplier", profile.supplier.as_str().into());
    put("operation", request.operation.clone().into());
    put("method", draft.method.as_str().into());
    let scheme = if profile.base_url.https { "https" } else { "http" };
    put("url", format!("{scheme}://{}{}", profile.base_url.authority(), draft.path_and_query).into());
    match sign::sign(profile, &supplier.keys, draft, at, [0; 16]) {
        Ok(parts) => {
            let headers = parts.headers.0.iter().map(|(name, value)| {
                let shown = SHOWN.iter().any(|shown| name.eq_ignore_ascii_case(shown));
                Value::from(vec![name.as_str(), if shown { value } else { "[hidden]" }])
            });
            put("headers", headers.collect());
        }
        Err(why) => {
            put("problem", why.into());
        }
    }
    if let Ok(Some(text)) = sign::string_to_sign(profile, &supplier.keys, draft, at, [0; 16]) {
        put("string_to_sign", text.into());
    }
    let retry = &policy.retry;
    put("repeatable", call.repeatable_name().into());
    put("max_attempts", retry.max_attempts.into());
    put("backoff_ms", (1..retry.max_attempts).map(|n| Value::from(backoff(retry, n).0)).collect());
    put("attempt_timeout_ms", retry.attempt_timeout_ms.into());
    put("deadline_ms", request.deadline.map_or(u64::from(retry.deadline_ms), |ms| ms.0).into());
    put("max_server_wait_ms", retry.max_server_wait_ms.into());
    put("pool", call.pool_key().into());
    Ok(Value::Object(map).to_string())
}
