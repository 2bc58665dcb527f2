//! The items of a walk are the supplier's list, whatever happens on the way (`cases.md`, B95,
//! B105, B116, B117, B118, B119).

mod common;

use common::{Answer, Reply, World, get};
use proptest::prelude::*;
use supplier_engine::{Done, Goal, Phase};

/// A page of the supplier's list, by the cursor that asks for it.
fn page(list: &[Vec<u32>], target: &str) -> Reply {
    let at: usize = target.split("cursor=c").nth(1).and_then(|n| n.parse().ok()).unwrap_or(0);
    let next = if at + 1 < list.len() { format!("\"c{}\"", at + 1) } else { "null".to_owned() };
    Reply::status(200, &[("content-type", "application/json")], &format!(r#"{{"items":{:?},"next":{next}}}"#, list[at]))
}

proptest! {
    #[test]
    fn items_are_the_suppliers_list(
        list in prop::collection::vec(prop::collection::vec(0u32..100, 0..5), 1..8),
        faults in prop::collection::vec(0usize..8, 0..60),
    ) {
        let mut world = World::new("{}");
        let (mut items, mut position, mut calls) = (Vec::new(), None, 0);
        loop {
            calls += 1;
            prop_assert!(calls < 200);
            let goal = Goal::Page { request: get("/list"), position: position.clone() };
            let end = world.play(goal, [0; 16], |n, sent| match faults.get(n) {
                Some(0) => Reply::status(503, &[], ""),
                Some(1) => Reply::status(429, &[("retry-after", "1")], ""),
                Some(2) => Reply::broken(Phase::MaybeSent, "connection-terminated"),
                Some(3) => Reply { after: 90_000, event: Answer::Broken(Phase::MaybeSent, "x") },
                _ => page(&list, &sent.target),
            });
            match end {
                Ok(Done::Page { items: text, count, next, .. }) => {
                    let read: Vec<u32> = serde_json::from_str(&text).unwrap();
                    prop_assert_eq!(read.len(), count as usize);
                    items.extend(read);
                    position = next;
                    if position.is_none() {
                        break;
                    }
                }
                // A failed page loses nothing: the position is still good.
                Err(_) => world.mono += 1_000,
                Ok(other) => prop_assert!(false, "{other:?}"),
            }
        }
        prop_assert_eq!(items, list.concat());
    }
}

#[test]
fn b95_a_page_has_its_own_attempts_and_no_more() {
    let mut world = World::new("{}");
    let list = vec![vec![1], vec![2]];
    let first =
        world.play(Goal::Page { request: get("/list"), position: None }, [0; 16], |_, sent| page(&list, &sent.target));
    let Ok(Done::Page { next: Some(next), .. }) = first else { panic!("{first:?}") };
    let end = world
        .play(Goal::Page { request: get("/list"), position: Some(next) }, [0; 16], |_, _| Reply::status(503, &[], ""));
    assert_eq!(end.map(|_| ()).map_err(|failure| failure.kind.name()), Err("unavailable"));
    assert_eq!(world.sent.len(), 1 + 4);
}
