//! What stands at which path.

use super::{State, Strict, Ticket};
use crate::supplier::exchange::Answer;
use crate::supplier::orders::Outcome;
use crate::supplier::probe;
use crate::supplier::report::Kind;
use crate::supplier::wire::{Head, Request};

impl Strict {
    pub(super) fn route(&self, state: &mut State, ticket: &Ticket, request: &Request) -> Answer {
        let head = &request.head;
        let path = head.path().strip_prefix("/v2").unwrap_or_default();
        match (head.method.as_str(), path) {
            ("GET" | "HEAD", "/consignments" | "/consignments-link" | "/consignments-header") => {
                self.page(state, ticket, head, path)
            }
            ("GET", "/orders/count") => state.orders.count(),
            ("POST", "/orders") => self.order(state, ticket, request),
            (_, "/redirected") => {
                self.find(state, ticket.request, Kind::Redirect, "a redirect was followed".into());
                Answer::error(400, "redirect_followed", "nobody was to follow the redirect")
            }
            _ => {
                let seen = state.seen.entry(head.target.clone()).or_default();
                *seen += 1;
                probe::answer(request, path, *seen)
                    .unwrap_or_else(|| Answer::error(404, "not_found", "there is nothing at this path"))
            }
        }
    }

    fn page(&self, state: &mut State, ticket: &Ticket, head: &Head, path: &str) -> Answer {
        let (cursor, limit) = (head.query("cursor"), head.query("limit"));
        let limit = limit.and_then(|l| l.parse().ok());
        let Some(page) = self.config.catalogue.page(cursor.as_deref(), limit) else {
            self.find(state, ticket.request, Kind::Cursor, "a cursor that was never given out".into());
            return Answer::error(400, "invalid_cursor", "this cursor is none of ours");
        };
        state.report.pages += 1;
        state.report.items += u64::from(page.count);
        let plain = format!(r#"{{"items":{}}}"#, page.items);
        match (path, page.next) {
            ("/consignments", next) => {
                let more = next.is_some();
                let next = next.map_or("null".into(), |n| format!("\"{n}\""));
                Answer::json(200, format!(r#"{{"items":{},"next":{next},"has_more":{more}}}"#, page.items))
            }
            (_, None) => Answer::json(200, plain),
            ("/consignments-link", Some(next)) => {
                let next = next.replace('+', "%2B").replace('/', "%2F").replace('=', "%3D");
                let limit = limit.unwrap_or(self.config.catalogue.page_size);
                let link = format!("</v2{path}?cursor={next}&limit={limit}>; rel=\"next\"");
                Answer::json(200, plain).header("Link", link)
            }
            (_, Some(next)) => Answer::json(200, plain).header("X-Next-Cursor", next),
        }
    }

    fn order(&self, state: &mut State, ticket: &Ticket, request: &Request) -> Answer {
        let keys: Vec<&str> = request.head.values("idempotency-key").collect();
        if keys.len() > 1 {
            self.find(state, ticket.request, Kind::IdempotencyKey, "more than one Idempotency-Key line".into());
            return Answer::error(400, "idempotency_key", "one Idempotency-Key, please");
        }
        match state.orders.place(keys.first().copied(), &request.body) {
            Outcome::Applied(answer) | Outcome::Replayed(answer) => answer,
            Outcome::Duplicate(answer) => {
                self.find(state, ticket.request, Kind::DuplicateEffect, "this very order exists already".into());
                answer
            }
            Outcome::Mismatch(answer) => {
                let detail = "an idempotency key came back with another body".into();
                self.find(state, ticket.request, Kind::IdempotencyKey, detail);
                answer
            }
        }
    }
}
