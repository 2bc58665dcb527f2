//! The workers' protocol: a case as a job, a result as a report. It is written down at the top
//! of `hosts/python/conformance.py`.

use anyhow::{Context, Result, anyhow, bail};
use data_encoding::BASE64;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::report::{CallReport, Failure, Outcome, Page, Problem, Reply, Report, Response, Walk};
use crate::scenario::{Case, Opening, Request, What};

/// The job that a case is.
pub fn job(case: &Case) -> Result<Value> {
    let opening = case.openings.first().context("a scenario without a supplier")?;
    let calls = case.scenario.calls.iter().map(|call| {
        Ok(match call.what().map_err(anyhow::Error::msg)? {
            What::Send(request) => json!({ "send": wire(request) }),
            What::Page(request) => given(json!({ "page": wire(request), "position": request.position })),
            What::Walk(request) => given(json!({ "walk": wire(request), "pages": request.pages })),
            What::Explain(_) | What::SetCredentials(_) => bail!("the workers' protocol has no such call"),
        })
    });
    Ok(with_calls(opening, calls.collect::<Result<_>>()?))
}

/// A job with these calls.
pub fn with_calls(opening: &Opening, calls: Vec<Value>) -> Value {
    let credentials: Map<String, Value> =
        opening.credentials.iter().map(|(name, value)| (name.clone(), value.clone().into())).collect();
    json!({
        "id": 0, "profile": opening.profile, "overrides": opening.overrides,
        "credentials": credentials, "calls": calls,
    })
}

pub fn wire(request: &Request) -> Value {
    let bytes = request.body.bytes().unwrap_or_default(); // read once before (`Call::check`)
    let body = match String::from_utf8(bytes) {
        Ok(text) => json!({ "text": text }),
        Err(error) => json!({ "base64": BASE64.encode(error.as_bytes()) }),
    };
    given(json!({
        "method": request.method(), "target": request.target(),
        "query": request.query.0, "headers": request.headers.0, "body": body,
        "operation": request.operation, "idempotency_key": request.idempotency_key,
        "deadline_ms": request.deadline_ms, "max_wait_ms": request.max_wait_ms,
    }))
}

/// Only what is given, so that a package's own defaults hold.
fn given(mut object: Value) -> Value {
    if let Some(members) = object.as_object_mut() {
        members.retain(|_, value| !value.is_null());
    }
    object
}

/// What a worker says came of it; the log of requests is the supplier's.
pub fn report(result: &Value) -> Result<Report> {
    let mut report = Report::default();
    if let Some(problems) = result.get("problems") {
        let problems = problems.as_array().context("`problems` is no list")?;
        let text = |problem: &Value, key: &str| text(problem, key);
        report.problems = Some(
            problems
                .iter()
                .map(|p| {
                    Ok(Problem { pointer: text(p, "pointer")?, code: text(p, "code")?, message: text(p, "message")? })
                })
                .collect::<Result<_>>()?,
        );
        return Ok(report);
    }
    for result in result.get("results").and_then(Value::as_array).context("neither `results` nor `problems`")? {
        report.calls.push(CallReport { began_ms: 0, ended_ms: 0, outcome: outcome(result)? });
    }
    Ok(report)
}

fn outcome(result: &Value) -> Result<Outcome> {
    let (kind, told) = result.as_object().and_then(|members| members.iter().next()).context("an empty result")?;
    Ok(match kind.as_str() {
        "reply" => Outcome::Reply(Reply {
            response: response(told)?,
            verdict: text(told, "verdict")?,
            retry_after_ms: number(told, "retry_after_ms")?,
            journal: journal(told),
        }),
        "page" => Outcome::Page(Page {
            items: text(told, "items")?,
            count: number(told, "count")?.context("a page without a count")?,
            next: told.get("next").and_then(Value::as_str).map(str::to_owned),
            headers: Vec::new(),
            journal: journal(told),
        }),
        "walk" => Outcome::Walk(walk(told)?),
        "failure" => Outcome::Failure(failure(told)?),
        other => bail!("a result of an unknown kind: {other}"),
    })
}

fn walk(told: &Value) -> Result<Walk> {
    let items = text(told, "items")?;
    let count = serde_json::from_str::<Vec<&RawValue>>(&items).context("the items of a walk")?.len();
    let failure = told.get("failure").filter(|failure| !failure.is_null()).map(failure).transpose()?;
    Ok(Walk {
        items,
        count: u32::try_from(count)?,
        pages: number(told, "pages")?.context("a walk without its number of pages")? as usize,
        ended: told.get("ended").and_then(Value::as_bool).context("a walk that does not say whether it ended")?,
        failure,
        ..Walk::default()
    })
}

fn failure(told: &Value) -> Result<Failure> {
    Ok(Failure {
        kind: text(told, "kind")?,
        code: text(told, "code")?,
        message: text(told, "message")?,
        retry_after_ms: number(told, "retry_after_ms")?,
        status: number(told, "status")?.map(u16::try_from).transpose()?,
        response: told.get("response").filter(|response| !response.is_null()).map(response).transpose()?,
        journal: journal(told),
    })
}

fn response(told: &Value) -> Result<Response> {
    let body = told.get("body").context("a response without a body")?;
    let bytes = match body.get("base64").and_then(Value::as_str) {
        Some(coded) => BASE64.decode(coded.as_bytes()).map_err(|error| anyhow!("a body in base64: {error}"))?,
        None => text(body, "text")?.into_bytes(),
    };
    let status = number(told, "status")?.context("a response without a status")?;
    let headers = told.get("headers").cloned().unwrap_or_default();
    let headers = serde_json::from_value(headers).context("the headers of a response are no pairs")?;
    Ok(Response { status: u16::try_from(status)?, headers, body: bytes })
}

fn journal(told: &Value) -> String {
    told.get("journal").map(Value::to_string).unwrap_or_default()
}

fn text(told: &Value, key: &str) -> Result<String> {
    told.get(key).and_then(Value::as_str).map(str::to_owned).with_context(|| format!("no text `{key}` in {told}"))
}

fn number(told: &Value, key: &str) -> Result<Option<u32>> {
    match told.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => {
            let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
            number.map(Some).with_context(|| format!("`{key}` is {value}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_holds_only_what_is_given() {
        let request = Request { target: Some("/a".into()), max_wait_ms: Some(0), ..Request::default() };
        let expected = json!({ "method": "GET", "target": "/a", "query": [], "headers": [], "body": { "text": "" }, "max_wait_ms": 0 });
        assert_eq!(wire(&request), expected);
    }

    #[test]
    fn results_of_every_kind() {
        let told = json!({ "results": [
            { "reply": { "verdict": "ok", "status": 200, "headers": [["a", "b"]], "body": { "base64": "/w==" },
                         "retry_after_ms": null, "journal": {} } },
            { "page": { "items": "[1]", "count": 1, "next": null, "journal": {} } },
            { "walk": { "items": "[1, 2]", "pages": 2, "ended": true, "failure": null } },
            { "failure": { "kind": "denied", "code": "forbidden", "message": "m", "status": 403, "response": null } },
        ] });
        let report = report(&told).unwrap();
        let Outcome::Reply(reply) = &report.calls[0].outcome else { panic!() };
        assert_eq!(
            (reply.response.body.as_slice(), reply.response.lines("A")),
            ([0xff].as_slice(), vec!["b".to_owned()])
        );
        let Outcome::Walk(walk) = &report.calls[2].outcome else { panic!() };
        assert_eq!((walk.count, walk.pages, walk.ended), (2, 2, true));
        assert_eq!(report.calls[3].outcome.failure().unwrap().status, Some(403));
        assert!(super::report(&json!({})).is_err());
    }
}
