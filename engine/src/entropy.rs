//! The randomness of one call, drawn from the 16 bytes that the host gives.
//!
//! The first half names the call (lease ids, nonces); the second drives jitter, where all
//! zeros mean none and all ones the most, so that a test can pin it.

use crate::time::Ms;
use sha2::{Digest, Sha256};

#[derive(Clone)]
pub(crate) struct Entropy {
    bytes: [u8; 16],
    jitter: u64,
}

impl Entropy {
    pub(crate) fn new(bytes: [u8; 16]) -> Entropy {
        let [.., a, b, c, d, e, f, g, h] = bytes;
        Entropy { bytes, jitter: u64::from_be_bytes([a, b, c, d, e, f, g, h]) }
    }

    /// The next value of the given range, ends included.
    pub(crate) fn up_to(&mut self, most: Ms) -> Ms {
        let share = self.draw();
        let product = u128::from(most.0).saturating_add(1).saturating_mul(u128::from(share)) >> 64;
        Ms(u64::try_from(product).unwrap_or(u64::MAX).min(most.0))
    }

    /// xorshift64 (Marsaglia): zero stays zero by construction; all ones are kept as they are.
    fn draw(&mut self) -> u64 {
        if self.jitter == u64::MAX {
            return u64::MAX;
        }
        let mut x = self.jitter;
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        self.jitter = x;
        x
    }

    /// Names one attempt of this call among all workers.
    pub(crate) fn lease(&self, attempt: u32) -> String {
        let mut id = String::with_capacity(20);
        for byte in &self.bytes[..8] {
            id.push_str(HEX[usize::from(byte >> 4)]);
            id.push_str(HEX[usize::from(byte & 15)]);
        }
        id.push('.');
        id.push_str(&attempt.to_string());
        id
    }

    /// Seed of one attempt's nonce: never the same for two attempts.
    pub(crate) fn nonce(&self, attempt: u32) -> [u8; 16] {
        let mut hash = Sha256::new();
        hash.update(b"nonce");
        hash.update(self.bytes);
        hash.update(attempt.to_be_bytes());
        let digest: [u8; 32] = hash.finalize().into();
        let mut seed = [0; 16];
        seed.copy_from_slice(&digest[..16]);
        seed
    }
}

const HEX: [&str; 16] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "a", "b", "c", "d", "e", "f"];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn zero_is_no_jitter_and_ones_are_the_most() {
        let mut zero = Entropy::new([0; 16]);
        let mut most = Entropy::new([0xff; 16]);
        for _ in 0..3 {
            assert_eq!(zero.up_to(Ms(750)), Ms(0));
            assert_eq!(most.up_to(Ms(750)), Ms(750));
        }
    }

    #[test]
    fn attempts_are_told_apart() {
        let entropy = Entropy::new([0; 16]);
        assert_ne!(entropy.lease(1), entropy.lease(2));
        assert_ne!(entropy.nonce(1), entropy.nonce(2));
    }

    proptest! {
        #[test]
        fn stays_in_range(bytes: [u8; 16], most: u64) {
            let mut entropy = Entropy::new(bytes);
            for _ in 0..8 {
                prop_assert!(entropy.up_to(Ms(most)).0 <= most);
            }
        }
    }
}
