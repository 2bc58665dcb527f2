//! Consignments: as many as wanted, the same ones every time, none of them stored.

use std::fmt::Write;

use data_encoding::{BASE64, HEXLOWER};
use sha2::{Digest, Sha256};

/// A list of `total` consignments in pages.
#[derive(Clone, Copy, Debug)]
pub struct Catalogue {
    pub total: u32,
    pub page_size: u32,
}

/// One page of it.
#[derive(Debug)]
pub struct Page {
    /// JSON array.
    pub items: String,
    pub count: u32,
    pub next: Option<String>,
}

impl Catalogue {
    /// The page at a cursor; the first without one. `None`: a cursor that we never gave out.
    pub fn page(&self, cursor: Option<&str>, limit: Option<u32>) -> Option<Page> {
        let start = match cursor {
            None => 0,
            Some(cursor) => offset(cursor).filter(|n| *n < self.total)?,
        };
        let size = limit.unwrap_or(self.page_size).clamp(1, 1000);
        let end = start.saturating_add(size).min(self.total);
        let mut items = String::from("[");
        for n in start..end {
            if n > start {
                items.push(',');
            }
            items.push_str(&consignment(n));
        }
        items.push(']');
        Some(Page { items, count: end - start, next: (end < self.total).then(|| cursor_at(end)) })
    }

    /// SHA-256 over all items, each followed by a line feed.
    pub fn checksum(&self) -> String {
        let mut sum = Sum::default();
        for n in 0..self.total {
            sum.item(&consignment(n));
        }
        sum.hex()
    }
}

/// Sums up items as they come, so that nobody has to keep them.
#[derive(Default)]
pub struct Sum(Sha256);

impl Sum {
    pub fn item(&mut self, json: &str) {
        self.0.update(json);
        self.0.update("\n");
    }

    pub fn hex(self) -> String {
        HEXLOWER.encode(&self.0.finalize())
    }
}

/// Its weight ends in a zero and its serial number exceeds what a double can hold: both
/// survive only where items are cut out of the body, not parsed and printed again.
fn consignment(n: u32) -> String {
    const CITIES: [(&str, &str); 5] =
        [("10115", "Berlin"), ("75001", "Paris"), ("00184", "Roma"), ("8001", "Zürich"), ("50-001", "Wrocław")];
    const STATES: [&str; 4] = ["booked", "in_transit", "delivered", "exception"];
    let mixed = u64::from(n).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let pick = |shift: u32, of: u64| mixed.rotate_left(shift) % of;
    let (zip, city) = CITIES[pick(7, 5) as usize];
    let state = STATES[pick(19, 4) as usize];
    let mut json = String::with_capacity(144);
    // Writing to a String cannot fail.
    let _ = write!(
        json,
        r#"{{"id":"CN-{:06}","serial":{},"status":"{state}","weight_kg":{}.{}0,"to":{{"zip":"{zip}","city":"{city}"}},"parcels":{}}}"#,
        n + 1,
        9_007_199_254_740_993 + u64::from(n) * 2,
        pick(3, 400),
        pick(11, 10),
        1 + pick(29, 9),
    );
    json
}

/// Opaque, and full of what needs percent-encoding in a query: `+`, `/` and `=`.
fn cursor_at(offset: u32) -> String {
    let mut bytes = offset.to_be_bytes().to_vec();
    bytes.extend(seal(offset));
    format!("c+/{}", BASE64.encode(&bytes))
}

fn offset(cursor: &str) -> Option<u32> {
    let bytes = BASE64.decode(cursor.strip_prefix("c+/")?.as_bytes()).ok()?;
    let (number, sealed) = bytes.split_at_checked(4)?;
    let offset = u32::from_be_bytes(number.try_into().ok()?);
    (sealed == seal(offset)).then_some(offset)
}

/// Three bytes that only we can tell: a cursor that was made up or damaged is found out.
fn seal(offset: u32) -> [u8; 3] {
    let digest = Sha256::digest(format!("cursor {offset}"));
    [digest[0], digest[1], digest[2]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_cover_the_list_once() {
        let list = Catalogue { total: 257, page_size: 100 };
        let (mut cursor, mut sum, mut counts) = (None, Sum::default(), Vec::new());
        loop {
            let page = list.page(cursor.as_deref(), None).unwrap();
            let items: Vec<Box<serde_json::value::RawValue>> = serde_json::from_str(&page.items).unwrap();
            items.iter().for_each(|item| sum.item(item.get()));
            counts.push(page.count);
            cursor = page.next;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(counts, [100, 100, 57]);
        assert_eq!(sum.hex(), list.checksum());
    }

    #[test]
    fn items_are_realistic_and_all_different() {
        let bytes: usize = (0..40_000).map(|n| consignment(n).len()).sum();
        assert!((120..150).contains(&(bytes / 40_000)), "{}", bytes / 40_000);
        assert_ne!(consignment(1), consignment(2));
    }

    #[test]
    fn cursors_are_ours_and_need_encoding() {
        let cursor = cursor_at(100);
        assert_eq!(offset(&cursor), Some(100));
        assert!(cursor.contains('+') && cursor.contains('/') && cursor.ends_with("=="), "{cursor}");
        for bad in
            ["", "c+/", "c /AAAAZA==", &cursor.replace('+', " "), &cursor.replace('=', ""), &format!("{cursor}x")]
        {
            assert_eq!(offset(bad), None, "{bad}");
        }
    }
}
