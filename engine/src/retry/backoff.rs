//! The component's own delay.

use crate::profile::Retry;
use crate::time::Ms;

/// Delay before retry `n` (1-based): doubles from the base to the cap. Total for every `n`
/// (`cases.md`, B90).
pub(crate) fn backoff(retry: &Retry, n: u32) -> Ms {
    let doubled = u64::from(retry.base_delay_ms).checked_shl(n.saturating_sub(1)).filter(|_| n <= 32);
    Ms(doubled.unwrap_or(u64::MAX).min(u64::from(retry.max_delay_ms)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Profile;
    use proptest::prelude::*;

    fn retry(base: u32, max: u32) -> Retry {
        let text = format!(
            r#"{{"profile":1,"supplier":"a","base_url":"https://a.test","retry":{{"base_delay_ms":{base},"max_delay_ms":{max}}}}}"#
        );
        Profile::read(&text, None).ok().map(|profile| profile.policy.retry.clone()).unwrap()
    }

    #[test]
    fn doubles_to_the_cap() {
        let retry = retry(500, 8_000);
        let delays: Vec<u64> = (1..=6).map(|n| backoff(&retry, n).0).collect();
        assert_eq!(delays, [500, 1_000, 2_000, 4_000, 8_000, 8_000]);
    }

    #[test]
    fn b90_survives_any_attempt() {
        for (base, max) in [(1, 8_000), (60_000, 86_400_000)] {
            let retry = retry(base, max);
            let delays: Vec<Ms> =
                [1, 2, 31, 32, 33, 63, 64, 65, 1_000, u32::MAX].iter().map(|n| backoff(&retry, *n)).collect();
            assert!(delays.is_sorted(), "{delays:?}");
            assert!(delays.iter().all(|delay| delay.0 > 0 && delay.0 <= u64::from(max)));
        }
    }

    proptest! {
        #[test]
        fn never_shrinks(base in 1u32..60_000, more in 0u32..1_000_000, n in 1u32..u32::MAX) {
            let retry = retry(base, base + more);
            prop_assert!(backoff(&retry, n) <= backoff(&retry, n + 1));
        }
    }
}
