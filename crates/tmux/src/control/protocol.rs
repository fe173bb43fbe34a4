//! Protocol of a control client. Its input is one command a line; its output has answers in blocks, and notices between
//! them.
//!
//! A block begins with `%begin TIME NUMBER FLAGS` and ends with `%end` or `%error` and the same three numbers. A line
//! inside it may look like anything, since a captured screen may show anything, so nothing else ends a block.

use std::mem;

/// Subscription that reports changes of managed sessions.
pub(super) const SUBSCRIPTION: &str = "sessions";

/// Name prefix of the session that a control client creates for itself.
pub(super) const PREFIX: &str = "loop-watch-";

/// Maximum size of a block in bytes, above any real answer. A larger block is invalid.
const LONGEST: usize = 64 * 1024 * 1024;

/// Item of a control client's output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// Answer to one command, or an error message if it failed.
    Block { text: Vec<u8>, failed: bool },
    /// Sessions, windows or panes may have changed.
    Changed,
    /// The client ends, or its output is invalid.
    Ended,
}

/// Splits the output of a control client.
#[derive(Debug, Default)]
pub(super) struct Reader {
    buffer: Vec<u8>,
    /// Bytes of the buffer that were examined.
    at: usize,
    block: Option<Block>,
}

#[derive(Debug)]
struct Block {
    /// Time, number and flags, as printed.
    guard: Vec<u8>,
    text: Vec<u8>,
}

impl Reader {
    /// Adds output to the buffer.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.buffer.drain(..mem::take(&mut self.at));
        self.buffer.extend_from_slice(bytes);
    }

    /// Returns the next item; `None` until more is printed.
    pub(super) fn next(&mut self) -> Option<Heard> {
        while let Some(length) = self.buffer[self.at..].iter().position(|&byte| byte == b'\n') {
            let line = self.buffer[self.at..self.at + length].to_vec();
            self.at += length + 1;
            if let Some(heard) = self.line(&line) {
                return Some(heard);
            }
        }
        let kept = self.block.as_ref().map_or(0, |block| block.text.len()) + self.buffer.len();
        (kept > LONGEST).then_some(Heard::Ended)
    }

    fn line(&mut self, line: &[u8]) -> Option<Heard> {
        if let Some(block) = &mut self.block {
            let ends = |word: &[u8]| line.strip_prefix(word) == Some(&block.guard[..]);
            let failed = ends(b"%error ");
            if !failed && !ends(b"%end ") {
                block.text.extend_from_slice(line);
                block.text.push(b'\n');
                return None;
            }
            let text = mem::take(&mut block.text);
            self.block = None;
            return Some(Heard::Block { text, failed });
        }
        if let Some(guard) = line.strip_prefix(b"%begin ") {
            self.block = Some(Block { guard: guard.to_vec(), text: Vec::new() });
            return None;
        }
        notice(line)
    }
}

/// Parses a line between two blocks. Notices of windows have a prefix if the window is of another session.
fn notice(line: &[u8]) -> Option<Heard> {
    let line = String::from_utf8_lossy(line);
    let mut words = line.split(' ');
    match words.next()? {
        "%exit" => Some(Heard::Ended),
        // Moved to another session, which must not count as attached by this client.
        "%session-changed" => words.nth(1).is_some_and(|name| !name.starts_with(PREFIX)).then_some(Heard::Ended),
        "%subscription-changed" if words.next() == Some(SUBSCRIPTION) => Some(Heard::Changed),
        "%sessions-changed" | "%session-renamed" | "%unlinked-window-add" | "%unlinked-window-close" => {
            Some(Heard::Changed)
        }
        _ => None,
    }
}

/// Returns the words of an invocation as one line. A lone `;` separates commands there too. A `;` at the end of a word,
/// which an invocation must escape, loses its backslash.
pub(super) fn command_line(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    quoted.join(" ")
}

fn quoted(word: &str) -> String {
    if word == ";" {
        return word.to_owned();
    }
    let word = word.strip_suffix("\\;").map_or_else(|| word.to_owned(), |rest| format!("{rest};"));
    // Between single quotes only the next quote has a meaning.
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn heard(output: &[u8]) -> Vec<Heard> {
        let mut reader = Reader::default();
        reader.push(output);
        std::iter::from_fn(|| reader.next()).collect()
    }

    fn block(text: &str, failed: bool) -> Heard {
        Heard::Block { text: text.as_bytes().to_vec(), failed }
    }

    #[test]
    fn only_a_line_with_the_same_numbers_ends_a_block() {
        let output = b"%begin 10 7 1\nscreen\n%end 10 8 1\n%error 11 7 1\n%begin 1 2 3\n%exit\n%end 10 7 1\n\
                       %begin 10 9 1\nunknown\n%error 10 9 1\n";
        let screen = "screen\n%end 10 8 1\n%error 11 7 1\n%begin 1 2 3\n%exit\n";
        assert_eq!(heard(output), [block(screen, false), block("unknown\n", true)]);
    }

    #[test]
    fn notices_are_read_between_blocks() {
        let output = b"%begin 1 1 0\n%end 1 1 0\n%window-add @3\n%session-changed $3 loop-watch-1\n\
                       %subscription-changed sessions $3 - - - : M\ta;\n%subscription-changed other $3 - - - : x\n\
                       %sessions-changed\n%unlinked-window-close @2\n%exit server exited\n";
        let changed = || Heard::Changed;
        assert_eq!(heard(output), [block("", false), changed(), changed(), changed(), Heard::Ended]);
    }

    #[test]
    fn a_client_that_was_moved_to_the_session_of_somebody_else_is_given_up() {
        assert_eq!(heard(b"%session-changed $3 loop-watch-1-0\n"), []);
        assert_eq!(heard(b"%session-changed $1 work\n"), [Heard::Ended]);
    }

    #[test]
    fn every_word_is_one_word_again() {
        let words = ["list-panes", "-F", "#{a}\t$HOME ~ {x} \"'\\", ";", "kill-pane", "-t", "a\\;"];
        let wanted = "'list-panes' '-F' '#{a}\t$HOME ~ {x} \"'\\''\\' ; 'kill-pane' '-t' 'a;'";
        assert_eq!(command_line(&words), wanted);
    }

    proptest! {
        /// The result does not depend on how the output is cut into pieces.
        #[test]
        fn pieces_make_no_difference(cuts in proptest::collection::vec(1_usize..12, 0..40)) {
            let output = b"%sessions-changed\n%begin 10 7 1\na\tb\n%end 10 8 1\n%end 10 7 1\n%exit\n";
            let mut reader = Reader::default();
            let (mut found, mut at) = (Vec::new(), 0);
            for cut in cuts.into_iter().chain([output.len()]) {
                let end = output.len().min(at + cut);
                reader.push(&output[at..end]);
                found.extend(std::iter::from_fn(|| reader.next()));
                at = end;
            }
            prop_assert_eq!(found, heard(output));
        }

        #[test]
        fn anything_is_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            heard(&bytes);
        }
    }
}
