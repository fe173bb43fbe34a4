//! What it answers: an echo, whole when short, and otherwise enough to tell that the words arrived unchanged.

/// Messages of up to this many bytes are echoed whole.
const WHOLE_BYTES: usize = 500;
/// Messages of up to this many lines are echoed whole.
const WHOLE_LINES: usize = 10;
/// Of a long message this many characters of the first line are shown.
const FIRST_CHARS: usize = 60;

/// The reply to a turn.
pub(super) fn reply(text: &str) -> String {
    let lines = text.split('\n').count();
    if text.len() <= WHOLE_BYTES && lines <= WHOLE_LINES {
        return format!("you said: {text}");
    }
    let first: String = text.chars().take_while(|&char| char != '\n').take(FIRST_CHARS).collect();
    format!("you said: {first} … ({} bytes, {lines} lines, fnv1a {:016x})", text.len(), checksum(text.as_bytes()))
}

/// The 64-bit FNV-1a hash that a reply to a long message names, as sixteen hexadecimal digits there.
///
/// Two texts that differ have different ones for all that a test sends; it protects against nothing else.
pub fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_vectors() {
        assert_eq!(checksum(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(checksum(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(checksum(b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn short_is_whole_and_long_is_named() {
        assert_eq!(reply("one\ntwo"), "you said: one\ntwo");
        let said = reply(&"x".repeat(501));
        assert!(said.contains("501 bytes, 1 lines, fnv1a "), "{said}");
        assert!(reply(&"\n".repeat(10)).contains("10 bytes, 11 lines"));
    }
}
