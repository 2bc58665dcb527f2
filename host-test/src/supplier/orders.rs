//! Orders with idempotency keys: the first request with a key has the effect, every other
//! one with the same key gets the first one's answer.

use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest, Sha256};

use super::exchange::Answer;

type Print = [u8; 32];

#[derive(Default)]
pub struct Orders {
    by_key: BTreeMap<String, (Print, Answer)>,
    bodies: BTreeSet<Print>,
    /// How many orders there are.
    pub applied: u64,
    /// Requests that were answered with an earlier result.
    pub replayed: u64,
    /// Orders whose very body had been ordered before: the client lost track.
    pub duplicates: u64,
}

/// What an order came to.
pub enum Outcome {
    Applied(Answer),
    /// There was such an order already, under another key or none.
    Duplicate(Answer),
    Replayed(Answer),
    /// The key belongs to another body.
    Mismatch(Answer),
}

impl Orders {
    pub fn place(&mut self, key: Option<&str>, body: &[u8]) -> Outcome {
        let print: Print = Sha256::digest(body).into();
        if let Some((first, answer)) = key.and_then(|k| self.by_key.get(k)) {
            if *first != print {
                let message = "this idempotency key belongs to another request";
                return Outcome::Mismatch(Answer::error(422, "idempotency_key_reused", message));
            }
            self.replayed += 1;
            return Outcome::Replayed(answer.clone().header("Idempotent-Replayed", "true"));
        }
        self.applied += 1;
        let order = serde_json::json!({ "order": format!("ORD-{:06}", self.applied), "status": "accepted" });
        let answer = Answer::json(201, order.to_string());
        if let Some(key) = key {
            self.by_key.insert(key.to_owned(), (print, answer.clone()));
        }
        if self.bodies.insert(print) {
            return Outcome::Applied(answer);
        }
        self.duplicates += 1;
        Outcome::Duplicate(answer)
    }

    pub fn count(&self) -> Answer {
        let counts = serde_json::json!({
            "count": self.applied, "distinct": self.bodies.len(),
            "duplicates": self.duplicates, "replayed": self.replayed,
        });
        Answer::json(200, counts.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_one_effect() {
        let mut orders = Orders::default();
        let Outcome::Applied(first) = orders.place(Some("k1"), b"{}") else { panic!() };
        let Outcome::Replayed(again) = orders.place(Some("k1"), b"{}") else { panic!() };
        assert_eq!((first.status, &first.body), (again.status, &again.body));
        assert!(again.has("idempotent-replayed") && !first.has("idempotent-replayed"));
        assert!(matches!(orders.place(Some("k1"), b"{ }"), Outcome::Mismatch(a) if a.status == 422));
        assert_eq!((orders.applied, orders.replayed, orders.duplicates), (1, 1, 0));
    }

    #[test]
    fn the_same_order_under_another_key_or_none_is_a_duplicate() {
        let mut orders = Orders::default();
        orders.place(None, b"a");
        assert!(matches!(orders.place(Some("k"), b"a"), Outcome::Duplicate(_)));
        assert!(matches!(orders.place(None, b"a"), Outcome::Duplicate(_)));
        assert!(matches!(orders.place(None, b"b"), Outcome::Applied(_)));
        assert_eq!((orders.applied, orders.duplicates), (4, 2));
    }
}
