//! Page after page, as a lazy iterator would read them.

use crate::host::Trap;
use crate::report::{Outcome, Walk};
use crate::scenario::Request;

/// Where a request begins to read.
pub fn position(request: &Request, last_next: &Option<String>) -> Result<Option<String>, Trap> {
    match request.position.as_deref() {
        Some("next") => match last_next {
            Some(next) => Ok(Some(next.clone())),
            None => Err(Trap("`\"position\": \"next\"`, but the last page read had no next".to_owned())),
        },
        other => Ok(other.map(str::to_owned)),
    }
}

pub struct Walker {
    pub position: Option<String>,
    most: usize,
    items: String,
    walk: Walk,
}

impl Walker {
    pub fn new(request: &Request, last_next: &Option<String>) -> Result<Walker, Trap> {
        let position = position(request, last_next)?;
        let most = request.pages.unwrap_or(usize::MAX);
        Ok(Walker { position, most, items: String::new(), walk: Walk::default() })
    }

    pub fn goes_on(&self) -> bool {
        !self.walk.ended && self.walk.failure.is_none() && self.walk.pages < self.most
    }

    pub fn take(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Page(page) => {
                // The items of a page are a JSON array: without its brackets they can be joined.
                let items = page.items.trim();
                let inner = items.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(items);
                if !inner.trim().is_empty() {
                    self.items.push_str(if self.items.is_empty() { "" } else { "," });
                    self.items.push_str(inner);
                }
                self.walk.count = self.walk.count.saturating_add(page.count);
                self.walk.pages += 1;
                self.walk.journals.push(page.journal);
                self.walk.nexts.extend(page.next.clone());
                self.walk.ended = page.next.is_none();
                self.position = page.next;
            }
            Outcome::Failure(failure) => {
                self.walk.journals.push(failure.journal.clone());
                self.walk.failure = Some(failure);
            }
            // `page` returns a page or a failure.
            _ => self.walk.ended = true,
        }
    }

    pub fn finish(mut self) -> Outcome {
        self.walk.items = format!("[{}]", self.items);
        Outcome::Walk(self.walk)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Page;

    fn page(items: &str, count: u32, next: Option<&str>) -> Outcome {
        let next = next.map(str::to_owned);
        Outcome::Page(Page { items: items.to_owned(), count, next, headers: Vec::new(), journal: "{}".to_owned() })
    }

    #[test]
    fn joins_the_items_of_all_pages() {
        let mut walker = Walker::new(&Request::default(), &None).unwrap();
        walker.take(page("[1.10, [2]]", 2, Some("p2")));
        assert_eq!((walker.goes_on(), walker.position.as_deref()), (true, Some("p2")));
        walker.take(page("[ ]", 0, Some("p3")));
        walker.take(page("[{\"a\":[]}]", 1, None));
        assert!(!walker.goes_on());
        let Outcome::Walk(walk) = walker.finish() else { panic!() };
        assert_eq!((walk.items.as_str(), walk.count, walk.pages, walk.ended), ("[1.10, [2],{\"a\":[]}]", 3, 3, true));
    }

    #[test]
    fn next_needs_a_page_before_it() {
        let request = Request { position: Some("next".to_owned()), ..Request::default() };
        assert!(position(&request, &None).is_err());
        assert_eq!(position(&request, &Some("p".to_owned())).unwrap().as_deref(), Some("p"));
    }
}
