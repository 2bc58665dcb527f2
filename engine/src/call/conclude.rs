//! What the call does about a settled outcome: it ends, or goes round again.

use super::Call;
use super::failure::refusal;
use super::outcome::{Meaning, Outcome, TIMEOUT};
use crate::event::{Action, Done, FailureKind};
use crate::http::{Body, Headers};
use crate::paging::{Context, cut, is_end};
use crate::profile::Pages;
use crate::retry::{Judgement, Number, Repeatable, Verdict};
use crate::supplier::Supplier;
use crate::time::{Ms, Now};

/// Why another attempt is worth it.
enum Cause {
    Status { status: u16, limited: bool },
    Lost(String),
}

impl Call {
    pub(super) fn conclude(&mut self, supplier: &mut Supplier, outcome: Outcome, now: Now) -> Action {
        let Outcome { meaning, number, limited, .. } = outcome;
        match meaning {
            Meaning::Answered { status, judgement, headers, body } => {
                self.conclude_answer(supplier, status, judgement, headers, body, number, limited, now)
            }
            Meaning::Lost { code } => {
                self.journal.verdict("retry", "transport");
                self.again(supplier, Cause::Lost(code), number.as_ref(), Ms::ZERO, now)
            }
            Meaning::Ambiguous => {
                self.journal.verdict("unknown-outcome", "transport");
                let message = format!("the attempt broke off, and the supplier may have carried it out; {FIND_OUT}");
                self.fail(supplier, FailureKind::UnknownOutcome, "maybe-applied", message, now)
            }
            Meaning::Late => {
                self.journal.verdict("deadline-passed", "/retry/deadline_ms");
                let (kind, code) = match self.repeatable {
                    Repeatable::Unsafe => (FailureKind::UnknownOutcome, "maybe-applied"),
                    _ => (FailureKind::Cancelled, "deadline-passed"),
                };
                let message = format!("the call's deadline passed{}", self.about_deadline());
                self.fail(supplier, kind, code, message, now)
            }
            Meaning::Refused { code, detail } => {
                self.journal.verdict("refused", "transport");
                let (kind, code, message) = refusal(&code, detail.as_deref());
                self.fail(supplier, kind, &code, message, now)
            }
            Meaning::TooLarge => {
                self.journal.verdict("response-too-large", "/caps");
                let message = "the response is longer than the profile's caps allow; raise caps.body_bytes or caps.header_bytes, \
                               or ask for less"
                    .to_owned();
                self.fail(supplier, FailureKind::BadResponse, "response-too-large", message, now)
            }
        }
    }

    /// What the deadline cut, and what to do about it.
    fn about_deadline(&self) -> &'static str {
        match self.repeatable {
            Repeatable::Unsafe => {
                " during the attempt, and the supplier may have carried it out; \
                 find out before repeating it, or give it an idempotency key"
            }
            Repeatable::Keyed => {
                " during the attempt, and the supplier may have carried it out; \
                 repeat it with the same idempotency key and more time"
            }
            Repeatable::Idempotent if self.attempts > 1 && self.last_status.is_none() => {
                ", and no attempt was answered; see whether the supplier is there, or give the call more time"
            }
            Repeatable::Idempotent => " during the attempt; give the call more time",
        }
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of one outcome, taken apart")]
    fn conclude_answer(
        &mut self,
        supplier: &mut Supplier,
        status: u16,
        judgement: Judgement,
        headers: Headers,
        body: Body,
        number: Option<Number>,
        limited: bool,
        now: Now,
    ) -> Action {
        let Judgement { verdict, by, min_wait_ms, .. } = judgement;
        // A borrow of the pages cannot outlive the calls below; the policy is shared and cheap.
        let policy = self.policy.clone();
        let pages = policy.pages.as_ref().filter(|_| self.position.is_some());
        if let Some(pages) = pages.filter(|pages| is_end(pages, status)) {
            self.journal.verdict("ok", "/pages/end");
            return self.page(supplier, pages, &headers, Body::Text("[]".to_owned()), true, now);
        }
        match verdict {
            Verdict::Final(verdict) => {
                self.journal.verdict(&verdict, &by);
                match pages {
                    None => self.reply(supplier, verdict, now),
                    Some(pages) if verdict == "ok" => self.page(supplier, pages, &headers, body, false, now),
                    Some(_) => self.no_page(supplier, status, &verdict, limited, now),
                }
            }
            // `Resync` was decided when the answer was read.
            Verdict::Again | Verdict::Resync => {
                self.journal.verdict(if limited { "throttled" } else { "retry" }, &by);
                let cause = Cause::Status { status, limited };
                self.again(supplier, cause, number.as_ref(), Ms(u64::from(min_wait_ms)), now)
            }
            Verdict::Unknown => {
                self.journal.verdict("unknown-outcome", &by);
                let message =
                    format!("the supplier answered {status}, and may have carried the request out; {FIND_OUT}");
                self.fail(supplier, FailureKind::UnknownOutcome, "maybe-applied", message, now)
            }
        }
    }

    /// Another attempt, if there is one left and its wait fits.
    fn again(
        &mut self,
        supplier: &mut Supplier,
        cause: Cause,
        number: Option<&Number>,
        min_wait: Ms,
        now: Now,
    ) -> Action {
        if self.attempts >= self.policy.retry.max_attempts {
            return self.exhausted(supplier, cause, now);
        }
        let plan = self.plan(number, min_wait);
        self.wait(supplier, &plan, now)
    }

    /// The attempts are spent.
    fn exhausted(&mut self, supplier: &mut Supplier, cause: Cause, now: Now) -> Action {
        self.journal.ends(match &cause {
            Cause::Status { .. } => "exhausted",
            Cause::Lost(code) => code,
        });
        match cause {
            Cause::Status { status, limited } if self.position.is_some() => {
                self.no_page(supplier, status, "exhausted", limited, now)
            }
            Cause::Status { .. } => self.reply(supplier, "exhausted".to_owned(), now),
            Cause::Lost(code) => {
                let why = if code == TIMEOUT { "no complete response in time" } else { "no complete response" };
                let message = format!("{why}, and the attempts are spent; call again later");
                self.fail(supplier, FailureKind::Unavailable, &code, message, now)
            }
        }
    }

    /// A response that is no page: who has to act depends on the status.
    fn no_page(&mut self, supplier: &mut Supplier, status: u16, verdict: &str, limited: bool, now: Now) -> Action {
        let spent = verdict == "exhausted";
        let (kind, advice) = match status {
            _ if spent && limited => (FailureKind::Throttled, "the limit is still reached; call again later"),
            502..=504 if spent => (FailureKind::Unavailable, "call again later"),
            _ if verdict == "redirect" => {
                (FailureKind::BadResponse, "redirects are never followed; correct base_url or target")
            }
            _ if verdict == "cursor-rejected" => {
                (FailureKind::BadResponse, "the supplier no longer accepts this cursor; start the list again")
            }
            401 => (FailureKind::Denied, "see whether the credentials are right; the response says why"),
            400..=499 => (FailureKind::Denied, "the response says why"),
            _ => (FailureKind::BadResponse, "the response says why"),
        };
        let message = format!("the supplier answered {status} in place of a page; {advice}");
        self.fail(supplier, kind, verdict, message, now)
    }

    /// Cuts a page out of a good response. `ended`: the status alone was the end of the list.
    fn page(
        &mut self,
        supplier: &mut Supplier,
        pages: &Pages,
        headers: &Headers,
        body: Body,
        ended: bool,
        now: Now,
    ) -> Action {
        let Some(position) = self.position.take() else { return self.reply(supplier, "ok".to_owned(), now) };
        if ended {
            return self.hand_over(supplier, "[]".to_owned(), 0, None, now);
        }
        let context = Context {
            base: &supplier.profile.base_url,
            asked: &self.draft.path_and_query,
            pages: position.pages,
            items: position.items,
        };
        let text = readable(headers, body);
        let read = text.and_then(|text| cut(pages, headers, &text, &context).map(|page| (text, page)));
        let (mut text, page) = match read {
            Ok(read) => read,
            Err(why) => {
                self.journal.verdict("bad-page", "/pages");
                let message = format!("the response is not a page ({why}); check the profile's pages");
                return self.fail(supplier, FailureKind::BadResponse, "bad-page", message, now);
            }
        };
        let items = match page.items {
            // The ranges are those of a slice of this very text.
            Some(range) => {
                text.truncate(range.end);
                text.drain(..range.start);
                text
            }
            None => "[]".to_owned(),
        };
        let next = page
            .next
            .map(|next| position.advance(next, page.count, pages.max_pages, pages.allow_repeated_cursor).text());
        self.hand_over(supplier, items, page.count, next, now)
    }

    fn hand_over(
        &mut self,
        supplier: &mut Supplier,
        items: String,
        count: u32,
        next: Option<String>,
        now: Now,
    ) -> Action {
        supplier.health.paged();
        let journal = self.journal.close("ok", Some(now));
        Action::Done(Ok(Done::Page { items, count, next, journal }))
    }
}

/// The body as JSON text, if its headers allow to read it as that (`cases.md`, B122, B129).
fn readable(headers: &Headers, body: Body) -> Result<String, &'static str> {
    if headers.get("content-encoding").is_some_and(|coding| !coding.trim().eq_ignore_ascii_case("identity")) {
        return Err("content-encoding: it is compressed, though none was asked for");
    }
    if headers.get("content-type").is_some_and(|kind| !is_json(&kind)) {
        return Err("content-type: it is not JSON");
    }
    match body {
        Body::Text(text) => Ok(text),
        Body::Bytes(_) => Err("shape: the body is not UTF-8"),
    }
}

fn is_json(content_type: &str) -> bool {
    let media = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    media == "application/json" || media == "text/json" || media.ends_with("+json")
}

const FIND_OUT: &str = "find out before repeating it, or give it an idempotency key";
