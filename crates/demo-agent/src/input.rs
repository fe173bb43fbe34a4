//! Parser of terminal input: bytes to typed words, keys and pastes. Reads may split frames and characters anywhere.
//!
//! It must not know the purpose of the input: another module decides if an Enter submits.

/// End of a paste.
const PASTE_END: &[u8] = b"\x1b[201~";
/// Maximum length of a sequence; no terminal sends a longer one.
const LONGEST_SEQUENCE: usize = 32;

/// Single input: typed or pasted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Input {
    /// Characters, one or several at once.
    Text(String),
    /// Framed paste, without its frame. Bytes that are not UTF-8 are replaced.
    Paste(String),
    /// Carriage return.
    Enter,
    /// Line feed: Ctrl-J.
    NewLine,
    /// Backspace.
    Backspace,
    /// Escape alone, or before a byte that forms no sequence with it.
    Escape,
    /// Ctrl-C.
    Interrupt,
    /// Cursor up.
    Up,
    /// Cursor down.
    Down,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Ground,
    /// After an ESC: a key of its own, or the start of a sequence.
    Escape,
    /// After ESC O: one more byte.
    SingleShift,
    /// After ESC [: parameters so far.
    Sequence(Vec<u8>),
    /// Inside a paste: its bytes so far.
    Paste(Vec<u8>),
}

/// Incremental parser. Each read's bytes are fed to it.
#[derive(Debug, Default)]
pub(super) struct Parser {
    state: State,
    /// Typed bytes not passed on yet: between reads, at most the start of one character.
    typed: Vec<u8>,
}

impl Parser {
    /// Parses bytes and returns the inputs that they complete.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Vec<Input> {
        let mut found = Vec::new();
        let mut rest = bytes;
        while let [byte, tail @ ..] = rest {
            rest = if matches!(self.state, State::Paste(_)) {
                self.paste(rest, &mut found)
            } else {
                self.byte(*byte, &mut found);
                tail
            };
        }
        self.hand_on(&mut found, false);
        found
    }

    /// True if an ESC may still begin a sequence; if nothing follows soon, call [`Self::settle`].
    pub(super) fn undecided(&self) -> bool {
        matches!(self.state, State::Escape)
    }

    /// Treats a waiting ESC as the Escape key.
    pub(super) fn settle(&mut self) -> Option<Input> {
        self.undecided().then(|| {
            self.state = State::Ground;
            Input::Escape
        })
    }

    fn byte(&mut self, byte: u8, found: &mut Vec<Input>) {
        match std::mem::take(&mut self.state) {
            State::Escape => match byte {
                b'[' => self.state = State::Sequence(Vec::new()),
                b'O' => self.state = State::SingleShift,
                _ => {
                    found.push(Input::Escape);
                    self.key(byte, found);
                }
            },
            State::SingleShift => found.extend(arrow(byte)),
            State::Sequence(parameters) => self.sequence(parameters, byte, found),
            State::Ground | State::Paste(_) => self.key(byte, found),
        }
    }

    fn key(&mut self, byte: u8, found: &mut Vec<Input>) {
        let key = match byte {
            0x03 => Input::Interrupt,
            0x08 | 0x7f => Input::Backspace,
            b'\n' => Input::NewLine,
            b'\r' => Input::Enter,
            0x1b => {
                self.hand_on(found, true);
                self.state = State::Escape;
                return;
            }
            b'\t' | 0x20.. => {
                self.typed.push(byte);
                return;
            }
            _ => return,
        };
        self.hand_on(found, true);
        found.push(key);
    }

    fn sequence(&mut self, mut parameters: Vec<u8>, byte: u8, found: &mut Vec<Input>) {
        match byte {
            0x20..=0x3f if parameters.len() < LONGEST_SEQUENCE => {
                parameters.push(byte);
                self.state = State::Sequence(parameters);
            }
            b'~' if parameters == b"200" => self.state = State::Paste(Vec::new()),
            0x40..=0x7e if parameters.is_empty() => found.extend(arrow(byte)),
            // Any other complete sequence has no meaning here.
            0x20..=0x7e => {}
            // Not a sequence after all; the byte stands for itself.
            _ => self.key(byte, found),
        }
    }

    /// Consumes bytes of the paste and returns the rest.
    fn paste<'a>(&mut self, bytes: &'a [u8], found: &mut Vec<Input>) -> &'a [u8] {
        let State::Paste(pasted) = &mut self.state else { return bytes };
        let before = pasted.len();
        pasted.extend_from_slice(bytes);
        // The end may have begun in an earlier read.
        let from = before.saturating_sub(PASTE_END.len() - 1);
        let end = pasted[from..].windows(PASTE_END.len()).position(|window| window == PASTE_END);
        let Some(end) = end.map(|end| from + end) else { return &[] };
        let used = end + PASTE_END.len() - before;
        pasted.truncate(end);
        found.push(Input::Paste(String::from_utf8_lossy(pasted).into_owned()));
        self.state = State::Ground;
        &bytes[used..]
    }

    /// Passes on typed characters; half a character waits for the rest unless this is the end.
    fn hand_on(&mut self, found: &mut Vec<Input>, end: bool) {
        let mut text = String::new();
        let mut half = Vec::new();
        let mut chunks = self.typed.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            text.push_str(chunk.valid());
            let invalid = chunk.invalid();
            let unfinished = std::str::from_utf8(invalid).is_err_and(|error| error.error_len().is_none());
            if unfinished && !end && chunks.peek().is_none() {
                half = invalid.to_vec();
            } else if !invalid.is_empty() {
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
        self.typed = half;
        if !text.is_empty() {
            found.push(Input::Text(text));
        }
    }
}

fn arrow(byte: u8) -> Option<Input> {
    match byte {
        b'A' => Some(Input::Up),
        b'B' => Some(Input::Down),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Joins runs of text, since the reads determine where a run ends.
    fn joined(found: impl IntoIterator<Item = Input>) -> Vec<Input> {
        let mut all: Vec<Input> = Vec::new();
        for input in found {
            match (all.last_mut(), input) {
                (Some(Input::Text(before)), Input::Text(text)) => before.push_str(&text),
                (_, input) => all.push(input),
            }
        }
        all
    }

    fn read(parts: &[&[u8]]) -> Vec<Input> {
        let mut parser = Parser::default();
        let mut found: Vec<_> = parts.iter().flat_map(|part| parser.feed(part)).collect();
        found.extend(parser.settle());
        joined(found)
    }

    const MIXED: &[u8] =
        "né\x1b[200~日本\r\n\x1b[200~ \x1b[201 👩‍👩‍👧\x1b[201~\r\x1bx\x7f\n\x1b[A\x1bOB\x1b[1;5D\x03\x1b".as_bytes();

    fn mixed() -> Vec<Input> {
        vec![
            Input::Text("né".into()),
            Input::Paste("日本\r\n\x1b[200~ \x1b[201 👩‍👩‍👧".into()),
            Input::Enter,
            Input::Escape,
            Input::Text("x".into()),
            Input::Backspace,
            Input::NewLine,
            Input::Up,
            Input::Down,
            Input::Interrupt,
            Input::Escape,
        ]
    }

    #[test]
    fn split_at_every_byte() {
        assert_eq!(read(&[MIXED]), mixed());
        for at in 0..=MIXED.len() {
            assert_eq!(read(&[&MIXED[..at], &MIXED[at..]]), mixed(), "split at {at}");
        }
        assert_eq!(read(&MIXED.chunks(1).collect::<Vec<_>>()), mixed());
    }

    #[test]
    fn a_lone_escape_waits() {
        let mut parser = Parser::default();
        assert_eq!(parser.feed(b"\x1b"), []);
        assert!(parser.undecided());
        assert_eq!(parser.settle(), Some(Input::Escape));
        assert_eq!(parser.settle(), None);
        assert_eq!(parser.feed(b"[A"), [Input::Text("[A".into())]);
    }

    #[test]
    fn what_is_no_utf8_is_replaced() {
        assert_eq!(read(&[b"a\xffb\xe6\x97\r"]), [Input::Text("a\u{fffd}b\u{fffd}".into()), Input::Enter]);
        // One half of a character twice; only the second one is completed.
        assert_eq!(read(&[b"\xce[\xce", b"\xb1"]), [Input::Text("\u{fffd}[α".into())]);
        assert_eq!(read(&[b"\x1b[200~\xff\x1b[201~"]), [Input::Paste("\u{fffd}".into())]);
    }

    #[test]
    fn a_broken_sequence_does_not_eat_the_next_key() {
        assert_eq!(read(&[b"\x1b[12\r"]), [Input::Enter]);
        assert_eq!(read(&[b"\x1b[\x1b[A"]), [Input::Up]);
        assert_eq!(read(&[b"\x1b\x1b[B"]), [Input::Escape, Input::Down]);
    }

    proptest! {
        #[test]
        fn reads_do_not_matter(
            bytes in proptest::collection::vec(
                prop_oneof![any::<u8>(), Just(0x1b), Just(b'['), Just(b'2'), Just(b'0'), Just(b'1'), Just(b'~')],
                0..200,
            ),
            cuts in proptest::collection::vec(0..200_usize, 0..8),
        ) {
            let mut cuts: Vec<_> = cuts.into_iter().map(|cut| cut.min(bytes.len())).chain([0, bytes.len()]).collect();
            cuts.sort_unstable();
            let parts: Vec<_> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            prop_assert_eq!(read(&parts), read(&[&bytes]));
        }

        #[test]
        fn a_paste_arrives_as_it_was(text in "[^\x1b]{0,300}", cut in 0..300_usize) {
            let framed = format!("\x1b[200~{text}\x1b[201~\r");
            let (head, tail) = framed.as_bytes().split_at(cut.min(framed.len()));
            prop_assert_eq!(read(&[head, tail]), [Input::Paste(text), Input::Enter]);
        }
    }
}
