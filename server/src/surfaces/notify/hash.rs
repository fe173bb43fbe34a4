//! Hashes, in hexadecimal.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

/// Formats bytes in hexadecimal.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Returns the SHA-256 of a text.
pub(super) fn full(text: &str) -> String {
    hex(&Sha256::digest(text))
}

/// Returns the first 64 bits of the hash of a text, for an identity.
pub(super) fn short(text: &str) -> String {
    hex(&Sha256::digest(text)[..8])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_the_known_one() {
        assert_eq!(full(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(short(""), "e3b0c44298fc1c14");
    }
}
