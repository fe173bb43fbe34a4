//! Replies: a whole echo of a short message, otherwise enough to verify that the text arrived unchanged.

/// Maximum bytes of a message that is echoed whole.
const WHOLE_BYTES: usize = 500;
/// Maximum lines of a message that is echoed whole.
const WHOLE_LINES: usize = 10;
/// Characters of a long message's first line that are shown.
const FIRST_CHARS: usize = 60;

/// Returns the reply to a turn.
pub(super) fn reply(text: &str) -> String {
    let lines = text.split('\n').count();
    if text.len() <= WHOLE_BYTES && lines <= WHOLE_LINES {
        return format!("you said: {text}");
    }
    let first: String = text.chars().take_while(|&char| char != '\n').take(FIRST_CHARS).collect();
    format!("you said: {first} … ({} bytes, {lines} lines, fnv1a {:016x})", text.len(), checksum(text.as_bytes()))
}

/// Failure that a message asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) kind: String,
    /// Seconds until it ends, if it does.
    pub(super) seconds: Option<i64>,
}

/// Reads the failure that a message asks for with its last line: `fail KIND` or `fail KIND SECONDS`.
pub(super) fn failure(text: &str) -> Option<Failure> {
    let mut words = text.lines().last()?.strip_prefix("fail ")?.split_whitespace();
    let kind = words.next()?.to_owned();
    let seconds = words.next().map(str::parse).transpose().ok()?;
    words.next().is_none().then_some(Failure { kind, seconds })
}

/// Returns the 64-bit FNV-1a hash of a text. A reply to a long message shows it as sixteen hexadecimal digits.
///
/// Two different texts of a test have different hashes; the hash protects against nothing else.
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
    fn only_the_last_line_asks_for_a_failure() {
        let failed = |kind: &str, seconds| Some(Failure { kind: kind.to_owned(), seconds });
        assert_eq!(failure("From `x`:\n\nfail limited 60"), failed("limited", Some(60)));
        assert_eq!(failure("fail overloaded"), failed("overloaded", None));
        for text in ["", "fail", "do not fail limited", "fail limited soon", "fail limited 60 s", "fail limited\nnow"] {
            assert_eq!(failure(text), None, "{text}");
        }
    }

    #[test]
    fn short_is_whole_and_long_is_named() {
        assert_eq!(reply("one\ntwo"), "you said: one\ntwo");
        let said = reply(&"x".repeat(501));
        assert!(said.contains("501 bytes, 1 lines, fnv1a "), "{said}");
        assert!(reply(&"\n".repeat(10)).contains("10 bytes, 11 lines"));
    }
}
