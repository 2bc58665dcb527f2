//! What the demo does: an order, a list, a look at how many orders there are.

use std::time::Instant;

use anyhow::{Context, Result};
use serde_json::value::RawValue;

use super::Call;
use super::progress::Progress;
use crate::report::{self, CallReport, Outcome};
use crate::stock::{self, Body, Failure, Guest, request};
use crate::supplier::catalogue::Sum;

/// What came of it.
#[derive(Default)]
pub struct Walked {
    pub calls: Vec<Call>,
    pub pages: u32,
    pub items: u64,
    /// Over all items, in order.
    pub checksum: String,
    /// Orders that the supplier has in the end.
    pub orders: Option<u64>,
    pub memory_page_2: usize,
    pub memory_peak: usize,
}

pub async fn walk(guest: &mut Guest, pages: u32, started: Instant, progress: &Progress) -> Result<Walked> {
    let mut walked = Walked::default();
    walked.order(guest, started).await?;
    progress.say("ordered once, though the first answer was lost");
    walked.pages(guest, pages, started, progress).await?;
    walked.count_orders(guest, started).await?;
    walked.memory_peak = guest.peak_memory();
    Ok(walked)
}

impl Walked {
    async fn order(&mut self, guest: &mut Guest, started: Instant) -> Result<()> {
        let mut order = request("POST", "/orders");
        order.headers.push(("Content-Type".into(), "application/json".into()));
        order.body = Body::Text(r#"{"reference":"PO-4711","sku":"A1","qty":2}"#.into());
        // From what is ordered, never from a clock: the same in every attempt and every run.
        order.idempotency_key = Some("PO-4711".into());
        let began = started.elapsed();
        let outcome = guest.send(&order).await?.map(reply).unwrap_or_else(failure);
        self.note("POST /orders", began, started, outcome);
        Ok(())
    }

    /// One page after the other; only a running sum is kept of their items.
    async fn pages(&mut self, guest: &mut Guest, pages: u32, started: Instant, progress: &Progress) -> Result<()> {
        let mut list = request("GET", "/consignments");
        list.query.push(("limit".into(), super::PAGE_SIZE.to_string()));
        let (mut position, mut sum) = (None, Sum::default());
        loop {
            let began = started.elapsed();
            let name = format!("GET /consignments, page {}", self.pages + 1);
            let page = match guest.page(&list, position.as_deref()).await? {
                Ok(page) => page,
                Err(failed) => {
                    self.note(&name, began, started, failure(failed));
                    break;
                }
            };
            let items: Vec<&RawValue> = serde_json::from_str(&page.items).context("the items are no JSON array")?;
            items.iter().for_each(|item| sum.item(item.get()));
            self.items += items.len() as u64;
            self.pages += 1;
            if self.pages == 2 {
                self.memory_page_2 = guest.peak_memory();
            }
            progress.page(self.pages, pages, self.items);
            position = page.next.clone();
            let (count, journal) = (page.count, page.journal);
            let outcome = report::Page { items: String::new(), count, next: None, headers: Vec::new(), journal };
            self.note(&name, began, started, Outcome::Page(outcome));
            if position.is_none() {
                break;
            }
        }
        self.checksum = sum.hex();
        Ok(())
    }

    async fn count_orders(&mut self, guest: &mut Guest, started: Instant) -> Result<()> {
        let began = started.elapsed();
        let outcome = match guest.send(&request("GET", "/orders/count")).await? {
            Ok(counted) => {
                if let Body::Text(text) = &counted.response.body {
                    let counts: Option<serde_json::Value> = serde_json::from_str(text).ok();
                    self.orders = counts.and_then(|counts| counts.get("count")?.as_u64());
                }
                reply(counted)
            }
            Err(failed) => failure(failed),
        };
        self.note("GET /orders/count", began, started, outcome);
        Ok(())
    }

    fn note(&mut self, name: &str, began: std::time::Duration, started: Instant, outcome: Outcome) {
        let ms = |since: std::time::Duration| u64::try_from(since.as_millis()).unwrap_or(u64::MAX);
        let played = CallReport { began_ms: ms(began), ended_ms: ms(started.elapsed()), outcome };
        self.calls.push(Call { name: name.into(), played });
    }
}

fn reply(reply: stock::Reply) -> Outcome {
    let response = report::Response { status: reply.response.status, ..report::Response::default() };
    let (verdict, retry_after_ms, journal) = (reply.verdict, reply.retry_after_ms, reply.journal);
    Outcome::Reply(report::Reply { response, verdict, retry_after_ms, journal })
}

fn failure(failed: Failure) -> Outcome {
    Outcome::Failure(report::Failure {
        kind: format!("{:?}", failed.kind),
        code: failed.code,
        message: failed.message,
        retry_after_ms: failed.retry_after_ms,
        status: failed.status,
        response: None,
        journal: failed.journal,
    })
}
