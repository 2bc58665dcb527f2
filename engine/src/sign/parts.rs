//! The string to sign: each part as bytes, streamed wherever it is a plain template.

use super::fill::{Message, percent};
use super::mac::{Hash, Mac, Sink, encode};
use super::parameters;
use crate::json;
use crate::profile::{Content, Digest, Part, Signing, Transform};
use crate::uri;
use zeroize::Zeroizing;

impl Message<'_> {
    /// Writes the string to sign.
    pub fn feed(&self, signing: &Signing, sink: &mut dyn Sink) {
        self.joined(&signing.string_to_sign, &signing.join, sink);
        if signing.trailing_join {
            sink.put(signing.join.as_bytes());
        }
    }

    /// One signature for every key, the newest first; of a plain digest there is one.
    pub fn signatures(&self, signing: &Signing) -> Vec<String> {
        let mut macs: Vec<Mac> = match &signing.key {
            None => vec![Mac::new(signing.algorithm, &[])],
            Some(key) if key.derive.is_empty() => self.keys.keys.iter().map(|key| key.ready.clone()).collect(),
            Some(_) => self.keys.keys.iter().map(|key| self.derived(signing, &key.bytes)).collect(),
        };
        match macs.as_mut_slice() {
            [mac] => self.feed(signing, mac),
            macs => self.feed(signing, &mut All(macs)),
        }
        macs.into_iter().map(|mac| encode(signing.encode, &mac.finish())).collect()
    }

    /// Goes the steps of a derivation.
    fn derived(&self, signing: &Signing, key: &[u8]) -> Mac {
        let mut key = Zeroizing::new(key.to_vec());
        for step in signing.key.iter().flat_map(|key| &key.derive) {
            let mut mac = Mac::new(signing.algorithm, &key);
            self.joined(&step.of, "", &mut mac);
            let result = mac.finish();
            key = match step.encode {
                Some(encoding) => Zeroizing::new(encode(encoding, &result).into_bytes()),
                None => result,
            };
        }
        Mac::new(signing.algorithm, &key)
    }

    fn joined(&self, parts: &[Part], join: &str, sink: &mut dyn Sink) {
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                sink.put(join.as_bytes());
            }
            self.part(part, sink);
        }
    }

    pub fn part(&self, part: &Part, sink: &mut dyn Sink) {
        if !part.only_methods.is_empty() && !part.only_methods.iter().any(|method| method == self.method) {
            return;
        }
        if part.transforms.is_empty() && part.max_bytes.is_none() {
            return self.content(&part.content, sink);
        }
        let mut bytes = Vec::new();
        self.content(&part.content, &mut bytes);
        let mut bytes = transformed(bytes, &part.transforms);
        if let Some(max) = part.max_bytes {
            bytes.truncate(usize::try_from(max).unwrap_or(usize::MAX));
        }
        sink.put(&bytes);
    }

    fn content(&self, content: &Content, sink: &mut dyn Sink) {
        match content {
            Content::Text(template) => self.fill(template, sink),
            Content::Digest(digest) => self.digest(digest, sink),
            Content::Query(canonical) => parameters::write(canonical, self, sink),
            Content::Header { name, default } => {
                sink.put(self.header(name).as_deref().unwrap_or(default).as_bytes());
            }
            Content::Headers { names, pair, join, transforms } => {
                let mut first = true;
                for name in names {
                    let Some(value) = self.header(name) else { continue };
                    if !std::mem::take(&mut first) {
                        sink.put(join.as_bytes());
                    }
                    sink.put(name.to_ascii_lowercase().as_bytes());
                    sink.put(pair.as_bytes());
                    sink.put(&transformed(value.as_bytes().to_vec(), transforms));
                }
            }
            Content::Json(pointer) => {
                let found = self.body.as_text().and_then(|text| json::capture(text, &[pointer]).ok());
                let raw = found.and_then(|found| found.into_iter().next().flatten());
                sink.put(raw.and_then(json::scalar).unwrap_or_default().as_bytes());
            }
        }
    }

    fn digest(&self, digest: &Digest, sink: &mut dyn Sink) {
        let mut input = Counted { hash: Hash::new(digest.algorithm), empty: true };
        self.joined(&digest.of, &digest.join, &mut input);
        if digest.skip_empty && input.empty {
            return;
        }
        let result = input.hash.finish();
        sink.put(digest.prefix.as_bytes());
        match digest.encode {
            Some(encoding) => sink.put(encode(encoding, &result).as_bytes()),
            None => sink.put(&result),
        }
        sink.put(digest.suffix.as_bytes());
    }
}

/// Several signatures of one text, which is made once.
struct All<'a>(&'a mut [Mac]);

impl Sink for All<'_> {
    fn put(&mut self, bytes: &[u8]) {
        self.0.iter_mut().for_each(|mac| mac.put(bytes));
    }
}

/// A digest that knows whether it got anything.
struct Counted {
    hash: Hash,
    empty: bool,
}

impl Sink for Counted {
    fn put(&mut self, bytes: &[u8]) {
        self.empty &= bytes.is_empty();
        self.hash.put(bytes);
    }
}

fn transformed(mut bytes: Vec<u8>, transforms: &[Transform]) -> Vec<u8> {
    for transform in transforms {
        match transform {
            Transform::Lower => bytes.make_ascii_lowercase(),
            Transform::Upper => bytes.make_ascii_uppercase(),
            Transform::Trim => bytes = bytes.trim_ascii().to_vec(),
            Transform::Collapse => bytes = collapsed(&bytes),
            Transform::Percent => bytes = percent(&bytes).into_bytes(),
            // What is not UTF-8 holds no text to decode.
            Transform::PercentDecode => {
                if let Ok(text) = std::str::from_utf8(&bytes) {
                    bytes = uri::decode(text);
                }
            }
        }
    }
    bytes
}

fn collapsed(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    for byte in bytes {
        match (byte.is_ascii_whitespace(), out.last()) {
            (true, Some(b' ')) => {}
            (true, _) => out.push(b' '),
            (false, _) => out.push(*byte),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transforms_apply_in_order() {
        let all = [Transform::Trim, Transform::Collapse, Transform::Upper, Transform::Percent];
        assert_eq!(transformed(b"  a \t b ".to_vec(), &all), b"A%20B");
        assert_eq!(transformed(b"%C3%BC%zz".to_vec(), &[Transform::PercentDecode]), "ü%zz".as_bytes());
        assert_eq!(transformed(vec![0xff], &[Transform::PercentDecode, Transform::Lower]), [0xff]);
    }
}
