//! Reading an attempt's outcome: what it tells about clock and budget, and what it means.

use super::{Call, Flight};
use crate::budget::{Closed, IMPLAUSIBLE, SILENCE, Seen, Settlement, Spent};
use crate::date;
use crate::event::{Phase, Why};
use crate::http::{Body, Headers};
use crate::limits::{self, Report};
use crate::number::Amount;
use crate::retry::{self, Answer, Judgement, Number, Repeatable, Verdict};
use crate::supplier::Supplier;
use crate::time::{Ms, Now, Theirs};

/// An outcome, read; what the call does about it comes after it is settled.
pub(super) struct Outcome {
    pub settlement: Settlement,
    pub meaning: Meaning,
    /// What the supplier asked to wait.
    pub number: Option<Number>,
    /// A limit is reached, said by the status, a rule, or a window with nothing left.
    pub limited: bool,
}

pub(super) enum Meaning {
    Answered {
        status: u16,
        judgement: Judgement,
        headers: Headers,
        body: Body,
    },
    /// No complete response; worth another attempt.
    Lost {
        code: String,
    },
    /// No complete response, and an unsafe request may have been carried out.
    Ambiguous,
    /// The call's deadline ended the attempt.
    Late,
    /// The host will not send it.
    Refused {
        code: String,
        detail: Option<String>,
    },
    TooLarge,
}

impl Call {
    /// A complete response arrived.
    pub(super) fn answered(
        &mut self,
        supplier: &mut Supplier,
        flight: Flight,
        status: u16,
        headers: Headers,
        body: Body,
        now: Now,
    ) -> Outcome {
        supplier.health.answered(now);
        let answer = Answer { status, headers: &headers, body: &body };
        let mut judgement = retry::classify(&self.policy, self.repeatable, &answer);
        let mut heard = self.hear(supplier, &flight, &headers, Some(&body), judgement.limited, now);
        if judgement.verdict == Verdict::Resync {
            judgement.verdict = self.resync(supplier, &flight, heard.date, status, now);
        }
        if judgement.limited {
            heard.settlement.closed = heard.closes(self.margin(), Ms(u64::from(judgement.min_wait_ms)));
        } else if status < 400 {
            heard.settlement.silent_until = heard.silence();
        }
        self.last_status = Some(status);
        self.asked = heard.number.as_ref().map(|number| number.ms);
        let request_id = request_id(&supplier.profile.request_id, &headers);
        if let Some(attempt) = self.journal.ended(now) {
            attempt.status = Some(status);
            attempt.request_id = request_id;
        }
        let limited = judgement.limited || heard.exhausted;
        let meaning = Meaning::Answered { status, judgement, headers, body };
        Outcome { settlement: heard.settlement, meaning, number: heard.number, limited }
    }

    /// No complete response arrived.
    pub(super) fn broke(
        &mut self,
        supplier: &mut Supplier,
        flight: Flight,
        phase: Phase,
        code: &str,
        head: Option<(u16, Headers)>,
        now: Now,
    ) -> Outcome {
        let (code, detail) = match code.split_once(' ') {
            Some((code, detail)) => (code, Some(detail.chars().filter(|c| !c.is_control()).take(80).collect())),
            None => (code, None),
        };
        let (status, headers) = head.unzip();
        let headers = headers.unwrap_or_default();
        let body = Body::default();
        let answer = status.map(|status| Answer { status, headers: &headers, body: &body });
        let refused = answer.as_ref().is_some_and(|answer| retry::refused(&self.policy.retry, answer));
        let mut heard = self.hear(supplier, &flight, &headers, None, status == Some(429), now);
        if status == Some(429) {
            heard.settlement.closed = heard.closes(self.margin(), Ms::ZERO);
        }
        if matches!(phase, Phase::NotSent | Phase::Never) {
            heard.settlement.spent = Spent::No;
        }
        self.last_status = status.or(self.last_status);
        self.asked = heard.number.as_ref().map(|number| number.ms);
        if let Some(attempt) = self.journal.ended(now) {
            attempt.status = status;
            attempt.code = Some(code.to_owned());
            attempt.detail.clone_from(&detail);
            attempt.phase = Some(phase.name());
        }
        let lost = || Meaning::Lost { code: code.to_owned() };
        let meaning = match phase {
            Phase::NotSent => lost(),
            Phase::Never => Meaning::Refused { code: code.to_owned(), detail },
            Phase::TooLarge => Meaning::TooLarge,
            Phase::MaybeSent if code == TIMEOUT && flight.last_chance => Meaning::Late,
            Phase::MaybeSent if self.repeatable == Repeatable::Unsafe && !refused => Meaning::Ambiguous,
            Phase::MaybeSent => lost(),
        };
        Outcome {
            settlement: heard.settlement,
            meaning,
            number: heard.number,
            limited: heard.exhausted || status == Some(429),
        }
    }

    /// What headers tell about clock and budget.
    fn hear(
        &mut self,
        supplier: &mut Supplier,
        flight: &Flight,
        headers: &Headers,
        body: Option<&Body>,
        limited: bool,
        now: Now,
    ) -> Heard {
        // A cached answer's `Date` is no clock (RFC 9111, 5.1; `cases.md`, B73).
        let date =
            headers.get("date").filter(|_| !headers.has("age")).and_then(|date| date::parse_http_date(date.trim()));
        let date = date.map(Theirs);
        if let Some(date) = date
            && let Some(by) = supplier.clock.learn(date, flight.sent.mono, now.mono)
        {
            supplier.pools.shift(by);
        }
        let known = supplier.clock.theirs(now);
        let reference = date.or(known).unwrap_or(Theirs(now.wall.0));
        let until = |amount: Amount| match amount {
            Amount::After(ms) => ms,
            Amount::At(at) => reference.until(at),
        };
        let readers = supplier.profile.limits.iter().filter(|limit| limit.pool == self.pool);
        let reports: Vec<Report> = readers.clone().flat_map(|limit| limits::read(&limit.reader, headers)).collect();
        let has_readers = readers.count() > 0;
        let cost = u64::from(self.policy.cost);
        let number = retry::server_number(&self.policy.retry, headers, body, &reports, limited, cost, until);
        if let Some(number) = number.as_ref().filter(|number| number.implausible()) {
            self.journal.note("dialect-implausible", Some(number.from.clone()), Some(number.raw.clone()));
        }
        let theirs = self.theirs(supplier, now);
        let mut seen = Vec::new();
        for report in reports.iter().filter(|report| report.counted) {
            let after = report.reset.map(until);
            if after.is_some_and(|after| after > IMPLAUSIBLE) && number.as_ref().is_none_or(|n| n.from != report.window)
            {
                self.journal.note("dialect-implausible", Some(report.window.clone()), report.raw.clone());
            }
            seen.push(see(report, after.filter(|after| *after <= IMPLAUSIBLE), theirs, known.is_none()));
        }
        let settlement = Settlement {
            lease: flight.lease.clone(),
            sole: flight.sole,
            spent: Spent::Yes,
            date,
            seen,
            closed: None,
            silent_until: None,
        };
        let exhausted = reports.iter().any(|report| report.counted && report.remaining == Some(0));
        Heard { settlement, date, number, exhausted, theirs, has_readers }
    }

    /// Whether a refused timestamp was really off, judged by the time that this attempt was
    /// signed at (`cases.md`, B75); if so, the supplier's time signs from now on.
    fn resync(
        &mut self,
        supplier: &mut Supplier,
        flight: &Flight,
        date: Option<Theirs>,
        status: u16,
        now: Now,
    ) -> Verdict {
        let plain = if status == 403 { "forbidden" } else { "rejected" };
        let off = match (flight.signed_at, date) {
            (Some(signed), Some(date)) => signed.0.abs_diff(date.0),
            _ => 0,
        };
        let noise = now.mono.since(flight.sent.mono).0.saturating_add(1_000);
        if self.resynced || off <= noise {
            return Verdict::Final(plain.to_owned());
        }
        self.resynced = true;
        supplier.resynced = true;
        Verdict::Again
    }

    fn margin(&self) -> Ms {
        Ms(u64::from(self.policy.retry.reset_margin_ms))
    }
}

struct Heard {
    settlement: Settlement,
    date: Option<Theirs>,
    number: Option<Number>,
    /// A window of this very answer has nothing left.
    exhausted: bool,
    theirs: Theirs,
    has_readers: bool,
}

impl Heard {
    /// A limit closes the pool for everybody, until the time that was named: by the supplier, or by
    /// the rule that knows this limit.
    fn closes(&self, margin: Ms, min_wait: Ms) -> Option<Closed> {
        let number = self.number.as_ref().filter(|number| !number.implausible());
        let outranks = number.is_some_and(|number| number.why == Why::RetryAfter);
        let asked = number.map(|number| if outranks { number.ms } else { number.ms.plus(margin) });
        let ruled = (min_wait > Ms::ZERO).then_some(min_wait);
        asked.max(ruled).map(|ms| Closed { until: self.theirs.plus(ms), outranks })
    }

    /// A good answer that opened no window: there is nothing to ask one at a time for.
    fn silence(&self) -> Option<Theirs> {
        let opened = self.settlement.seen.iter().any(|seen| seen.left.is_some() && seen.reset.is_some());
        (self.has_readers && !opened).then(|| self.theirs.plus(SILENCE))
    }
}

fn see(report: &Report, after: Option<Ms>, theirs: Theirs, unheard: bool) -> Seen {
    let (reset, granule, relative) = match report.reset {
        Some(Amount::At(at)) => (after.map(|_| at), Ms(1_000), false),
        Some(Amount::After(_)) => (after.map(|after| theirs.plus(after)), Ms(2_000), true),
        None => (None, Ms(1_000), false),
    };
    Seen {
        window: report.window.clone(),
        limit: report.limit,
        left: report.remaining,
        reset,
        refill: report.refill,
        granule,
        on_our_clock: relative && unheard,
    }
}

fn request_id(names: &[String], headers: &Headers) -> Option<String> {
    let value = names.iter().find_map(|name| headers.get(name))?;
    let id: String = value.trim().chars().filter(char::is_ascii_graphic).take(128).collect();
    (!id.is_empty()).then_some(id)
}

/// The component's own timer ended the attempt.
pub(super) const TIMEOUT: &str = "attempt-timeout";
