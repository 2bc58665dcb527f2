//! The document and its text.

use crate::limits::Refill;
use crate::time::{Ms, Theirs};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// State of one pool. The text is `{"p","s","q","u","w":{name:{"l","r","t","k","e"}},"f":[[id,end,cost,q]]}`;
/// instants are Unix milliseconds on the supplier's clock, absent members are unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Doc {
    /// `p`: nothing is sent before.
    pub closed_until: Theirs,
    /// `s`: the newest `Date` that anybody heard; 0 is none.
    pub newest: Theirs,
    /// `q`: grants so far.
    pub grants: u64,
    /// `u`: the supplier is known to report nothing until then.
    pub silent_until: Theirs,
    /// `w`
    pub windows: BTreeMap<String, Window>,
    /// `f`: attempts in flight.
    pub leases: Vec<Lease>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Window {
    /// `l`: the supplier's own limit.
    pub limit: Option<u64>,
    /// `r`: left after every grant.
    pub left: Option<u64>,
    /// `t`: when the window ends.
    pub reset: Option<Theirs>,
    /// `k`: the most ever seen before a grant; 0 is unknown.
    pub most: u64,
    /// `e`: milliseconds for each place to come back, where they do so one by one.
    pub refill: Refill,
    /// `reset` was counted from our clock, while the supplier's was not known. Not in the text.
    pub on_our_clock: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lease {
    pub id: String,
    pub end: Theirs,
    pub cost: u64,
    /// The value of `grants` after this grant.
    pub seq: u64,
}

impl Doc {
    /// Reads a stored text. Anything that is not a document counts as absent: whoever wrote it,
    /// one probe finds out what is true.
    pub(crate) fn parse(text: &str) -> Option<Doc> {
        let Ok(Value::Object(map)) = serde_json::from_str(text) else { return None };
        let mut doc = Doc {
            closed_until: instant(map.get("p")).unwrap_or_default(),
            newest: instant(map.get("s")).unwrap_or_default(),
            grants: map.get("q").and_then(Value::as_u64)?,
            silent_until: instant(map.get("u")).unwrap_or_default(),
            ..Doc::default()
        };
        for (name, window) in map.get("w")?.as_object()? {
            let window = Window {
                limit: window.get("l").and_then(Value::as_u64),
                left: window.get("r").and_then(Value::as_u64),
                reset: instant(window.get("t")),
                most: window.get("k").and_then(Value::as_u64).unwrap_or_default(),
                refill: window.get("e").and_then(Value::as_u64).map_or(Refill::AtReset, |each| Refill::Each(Ms(each))),
                on_our_clock: false,
            };
            doc.windows.insert(name.clone(), window);
        }
        for lease in map.get("f")?.as_array()? {
            let [id, end, cost, seq] = lease.as_array()?.as_slice() else { return None };
            doc.leases.push(Lease {
                id: id.as_str()?.to_owned(),
                end: instant(Some(end))?,
                cost: cost.as_u64()?,
                seq: seq.as_u64()?,
            });
        }
        Some(doc)
    }

    pub(crate) fn text(&self) -> String {
        let mut windows = Map::new();
        for (name, window) in &self.windows {
            let mut entry = Map::new();
            insert(&mut entry, "l", window.limit);
            insert(&mut entry, "r", window.left);
            insert(&mut entry, "t", window.reset.map(|at| at.0));
            insert(&mut entry, "k", (window.most > 0).then_some(window.most));
            if let Refill::Each(each) = window.refill {
                insert(&mut entry, "e", Some(each.0));
            }
            windows.insert(name.clone(), Value::Object(entry));
        }
        let leases = self.leases.iter().map(|l| {
            Value::from(vec![Value::from(l.id.as_str()), Value::from(l.end.0), Value::from(l.cost), Value::from(l.seq)])
        });
        let mut map = Map::new();
        insert(&mut map, "p", (self.closed_until.0 != 0).then_some(self.closed_until.0));
        insert(&mut map, "s", (self.newest.0 != 0).then_some(self.newest.0));
        insert(&mut map, "q", Some(self.grants));
        insert(&mut map, "u", (self.silent_until.0 != 0).then_some(self.silent_until.0));
        map.insert("w".to_owned(), Value::Object(windows));
        map.insert("f".to_owned(), leases.collect());
        Value::Object(map).to_string()
    }

    /// Drops leases whose holder is gone; what they cost stays spent. And what no engine writes:
    /// nobody could wait for it to be over.
    pub(crate) fn expire(&mut self, now: Theirs) {
        let far = now.plus(FAR);
        self.leases.retain(|lease| lease.end > now && lease.end <= far);
        for until in [&mut self.closed_until, &mut self.silent_until] {
            if *until > far {
                *until = Theirs::default();
            }
        }
        self.windows.retain(|_, window| window.reset.is_none_or(|reset| reset <= far));
    }

    /// Takes note of an answer's `Date`. One far behind what is said to be the newest shows that
    /// nobody has heard that one.
    pub(crate) fn hear(&mut self, date: Theirs) {
        let is_absurd = date.until(self.newest) > DAY;
        self.newest = if is_absurd { date } else { self.newest.max(date) };
    }

    pub(crate) fn in_flight(&self) -> u64 {
        self.leases.iter().fold(0, |sum: u64, lease| sum.saturating_add(lease.cost))
    }

    /// Moves what was counted from our clock: the supplier's is now known.
    pub(crate) fn shift(&mut self, by: i64) {
        let move_by = |at: &mut Theirs| {
            if at.0 != 0 {
                at.0 = at.0.saturating_add(by);
            }
        };
        move_by(&mut self.closed_until);
        move_by(&mut self.silent_until);
        for window in self.windows.values_mut() {
            if std::mem::take(&mut window.on_our_clock)
                && let Some(reset) = &mut window.reset
            {
                move_by(reset);
            }
        }
        self.leases.iter_mut().map(|lease| &mut lease.end).for_each(move_by);
    }

    /// How long this text is of use to anybody.
    pub(crate) fn useful_for(&self, now: Theirs) -> Ms {
        let ends =
            self.windows.values().filter_map(|window| window.reset).chain([self.closed_until, self.silent_until]);
        let last = ends.chain(self.leases.iter().map(|lease| lease.end)).max().unwrap_or_default();
        now.until(last).plus(Ms(3_600_000))
    }
}

impl Window {
    /// When there is room for this cost, if nobody else asks.
    pub(crate) fn opens(&self, cost: u64) -> Option<Theirs> {
        self.reset.map(|reset| reset.minus(self.refill.early(self.limit, cost)))
    }

    /// Takes the cost of a grant.
    pub(crate) fn spend(&mut self, cost: u64, now: Theirs) {
        self.left = self.left.map(|left| left.saturating_sub(cost));
        if let (Refill::Each(each), Some(reset)) = (self.refill, &mut self.reset) {
            *reset = now.max(*reset).plus(Ms(each.0.saturating_mul(cost)));
        }
    }

    /// Undoes `spend`.
    pub(crate) fn refund(&mut self, cost: u64) {
        self.left = self.left.map(|left| left.saturating_add(cost));
        if let (Refill::Each(each), Some(reset)) = (self.refill, &mut self.reset) {
            *reset = reset.minus(Ms(each.0.saturating_mul(cost)));
        }
    }
}

/// Farther ahead than any window of a profile, wait or timer can end.
const FAR: Ms = Ms(400 * DAY.0);
const DAY: Ms = Ms(86_400_000);

fn instant(value: Option<&Value>) -> Option<Theirs> {
    value.and_then(Value::as_i64).map(Theirs)
}

fn insert<T: Into<Value>>(map: &mut Map<String, Value>, key: &str, value: Option<T>) {
    if let Some(value) = value {
        map.insert(key.to_owned(), value.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_what_it_wrote() {
        let mut doc = Doc { closed_until: Theirs(5), newest: Theirs(4), grants: 9, ..Doc::default() };
        doc.windows.insert(
            "requests".into(),
            Window { limit: Some(10), left: Some(0), reset: Some(Theirs(7)), ..Window::default() },
        );
        doc.leases.push(Lease { id: "a.1".into(), end: Theirs(8), cost: 2, seq: 9 });
        assert_eq!(doc.text(), r#"{"p":5,"s":4,"q":9,"w":{"requests":{"l":10,"r":0,"t":7}},"f":[["a.1",8,2,9]]}"#);
        assert_eq!(Doc::parse(&doc.text()), Some(doc));
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text: String) {
            let _ = Doc::parse(&text);
        }

        #[test]
        fn any_numbers_are_survived(p: i64, q: u64, r: u64, t: i64, end: i64, cost: u64) {
            let text = format!(r#"{{"p":{p},"q":{q},"w":{{"a":{{"r":{r},"t":{t}}}}},"f":[["x",{end},{cost},{q}],["y",{end},{cost},{q}]]}}"#);
            let mut doc = Doc::parse(&text).unwrap();
            doc.in_flight();
            doc.useful_for(Theirs(t));
            doc.shift(end);
            doc.expire(Theirs(p));
        }
    }
}
