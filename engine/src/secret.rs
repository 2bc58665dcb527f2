//! Secret text, wiped when it is dropped and silent in `Debug`.

use std::fmt;
use zeroize::Zeroizing;

/// The value of a credential.
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    pub fn new(text: &str) -> Secret {
        Secret(Zeroizing::new(text.to_owned()))
    }

    /// The value itself. Whoever asks must not put it into an error or a journal.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_shows_nothing() {
        assert_eq!(format!("{:?}", Secret::new("CANARY")), "[secret]");
    }
}
