//! What the policy gets as randomness: 16 bytes a call, an id that differs between calls and
//! the part that drives jitter.

use crate::scenario;

#[derive(Clone, Debug)]
pub struct Entropy {
    source: scenario::Entropy,
    /// Makes ids differ between instances, too.
    instance: u64,
    calls: u64,
    /// Bytes of the current 16 that were not asked for yet.
    rest: Vec<u8>,
}

impl Entropy {
    pub fn new(source: scenario::Entropy, instance: usize) -> Entropy {
        Entropy { source, instance: instance as u64, calls: 0, rest: Vec::new() }
    }

    /// What one call gets.
    pub fn call(&mut self) -> [u8; 16] {
        self.calls = self.calls.wrapping_add(1);
        let id = mix((self.instance << 32) ^ self.calls);
        let jitter = match self.source {
            scenario::Entropy::Named(scenario::EntropyName::Max) => u64::MAX,
            scenario::Entropy::Seed(seed) => mix(seed ^ id),
            scenario::Entropy::Named(scenario::EntropyName::Zero) | scenario::Entropy::Default => 0,
        };
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&id.to_be_bytes());
        bytes[8..].copy_from_slice(&jitter.to_be_bytes());
        bytes
    }

    /// The same as a stream, for a component that asks for bytes.
    pub fn bytes(&mut self, length: usize) -> Vec<u8> {
        while self.rest.len() < length {
            let more = self.call();
            self.rest.extend(more);
        }
        self.rest.drain(..length).collect()
    }
}

/// SplitMix64: every bit of the input stirs every bit of the output.
fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::EntropyName;

    #[test]
    fn ids_differ_and_jitter_is_what_was_asked_for() {
        let mut zero = Entropy::new(scenario::Entropy::Default, 0);
        let mut max = Entropy::new(scenario::Entropy::Named(EntropyName::Max), 1);
        let (first, second, other) = (zero.call(), zero.call(), max.call());
        assert_eq!((&first[8..], &second[8..], &other[8..]), (&[0; 8][..], &[0; 8][..], &[0xFF; 8][..]));
        assert!(first[..8] != second[..8] && first[..8] != other[..8]);
    }

    #[test]
    fn a_seed_repeats_itself() {
        let (mut a, mut b) = (Entropy::new(scenario::Entropy::Seed(7), 0), Entropy::new(scenario::Entropy::Seed(7), 0));
        assert_eq!(a.bytes(16), b.call());
        assert_eq!(a.bytes(32)[16..], {
            b.call();
            b.call()
        });
    }
}
