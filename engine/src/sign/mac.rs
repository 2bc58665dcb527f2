//! The primitives: HMAC (RFC 2104), SHA-1, SHA-2, and the ways to write their results.

use crate::profile::{Algorithm, DigestAlgorithm, Encode};
use base64ct::{Base64, Base64UrlUnpadded, Encoding as _};
use hmac::{Hmac, KeyInit, Mac as _};
use sha1::Sha1;
use sha2::{Digest as _, Sha256, Sha512};
use zeroize::Zeroizing;

/// Takes bytes, piece by piece: nothing that is signed is put together in memory.
pub trait Sink {
    fn put(&mut self, bytes: &[u8]);
}

impl Sink for Vec<u8> {
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

/// A digest in progress.
#[derive(Clone)]
pub enum Hash {
    Sha1(Sha1),
    Sha256(Sha256),
    Sha512(Sha512),
}

impl Hash {
    pub fn new(algorithm: DigestAlgorithm) -> Hash {
        match algorithm {
            DigestAlgorithm::Sha1 => Hash::Sha1(Sha1::new()),
            DigestAlgorithm::Sha256 => Hash::Sha256(Sha256::new()),
            DigestAlgorithm::Sha512 => Hash::Sha512(Sha512::new()),
        }
    }

    pub fn finish(self) -> Vec<u8> {
        match self {
            Hash::Sha1(hash) => hash.finalize().to_vec(),
            Hash::Sha256(hash) => hash.finalize().to_vec(),
            Hash::Sha512(hash) => hash.finalize().to_vec(),
        }
    }
}

impl Sink for Hash {
    fn put(&mut self, bytes: &[u8]) {
        match self {
            Hash::Sha1(hash) => hash.update(bytes),
            Hash::Sha256(hash) => hash.update(bytes),
            Hash::Sha512(hash) => hash.update(bytes),
        }
    }
}

/// A signature in progress.
#[derive(Clone)]
pub enum Mac {
    HmacSha1(Hmac<Sha1>),
    HmacSha256(Hmac<Sha256>),
    HmacSha512(Hmac<Sha512>),
    Plain(Hash),
}

impl Mac {
    /// A key of any length will do; a plain digest ignores it.
    pub fn new(algorithm: Algorithm, key: &[u8]) -> Mac {
        match algorithm {
            Algorithm::HmacSha1 => Mac::HmacSha1(keyed(key)),
            Algorithm::HmacSha256 => Mac::HmacSha256(keyed(key)),
            Algorithm::HmacSha512 => Mac::HmacSha512(keyed(key)),
            Algorithm::Sha1 => Mac::Plain(Hash::new(DigestAlgorithm::Sha1)),
            Algorithm::Sha256 => Mac::Plain(Hash::new(DigestAlgorithm::Sha256)),
            Algorithm::Sha512 => Mac::Plain(Hash::new(DigestAlgorithm::Sha512)),
        }
    }

    pub fn finish(self) -> Zeroizing<Vec<u8>> {
        Zeroizing::new(match self {
            Mac::HmacSha1(mac) => mac.finalize().into_bytes().to_vec(),
            Mac::HmacSha256(mac) => mac.finalize().into_bytes().to_vec(),
            Mac::HmacSha512(mac) => mac.finalize().into_bytes().to_vec(),
            Mac::Plain(hash) => hash.finish(),
        })
    }
}

impl Sink for Mac {
    fn put(&mut self, bytes: &[u8]) {
        match self {
            Mac::HmacSha1(mac) => mac.update(bytes),
            Mac::HmacSha256(mac) => mac.update(bytes),
            Mac::HmacSha512(mac) => mac.update(bytes),
            Mac::Plain(hash) => hash.put(bytes),
        }
    }
}

fn keyed<M: KeyInit>(key: &[u8]) -> M {
    // HMAC takes keys of every length (RFC 2104, 2): longer ones are hashed first.
    M::new_from_slice(key).unwrap_or_else(|_| unreachable!("HMAC takes keys of every length"))
}

/// The bytes as text.
pub fn encode(encode: Encode, bytes: &[u8]) -> String {
    match encode {
        Encode::Hex => base16ct::lower::encode_string(bytes),
        Encode::HexUpper => base16ct::upper::encode_string(bytes),
        Encode::Base64 => Base64::encode_string(bytes),
        Encode::Base64Url => Base64UrlUnpadded::encode_string(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mac(algorithm: Algorithm, key: &[u8], data: &[u8]) -> String {
        let mut mac = Mac::new(algorithm, key);
        mac.put(data);
        encode(Encode::Hex, &mac.finish())
    }

    /// RFC 4231, 4.3 and 4.7; RFC 2202, 3.
    #[test]
    fn hmac_of_the_rfcs() {
        let data: &[u8] = b"what do ya want for nothing?";
        assert_eq!(
            mac(Algorithm::HmacSha256, b"Jefe", data),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        assert_eq!(
            mac(Algorithm::HmacSha512, b"Jefe", data),
            "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"
        );
        assert_eq!(mac(Algorithm::HmacSha1, b"Jefe", data), "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79");
        assert_eq!(
            mac(Algorithm::HmacSha256, &[0xaa; 131], b"Test Using Larger Than Block-Size Key - Hash Key First"),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        );
    }

    /// FIPS 180-4, the message "abc".
    #[test]
    fn digests() {
        assert_eq!(mac(Algorithm::Sha1, b"", b"abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
        assert_eq!(
            mac(Algorithm::Sha256, b"", b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }

    #[test]
    fn encodings() {
        let bytes = [0xfb, 0xff, 0x00, 0x10];
        assert_eq!(encode(Encode::Hex, &bytes), "fbff0010");
        assert_eq!(encode(Encode::HexUpper, &bytes), "FBFF0010");
        assert_eq!(encode(Encode::Base64, &bytes), "+/8AEA==");
        assert_eq!(encode(Encode::Base64Url, &bytes), "-_8AEA");
    }
}
