//! Text policy: the characters of a message that may reach a pane. One function for every surface.
//!
//! Inside a bracketed paste only two control characters are text: line feed and tab. An escape would end the paste,
//! and the rest would be typed as keys. So all other control characters are removed, and the receipt says how many.

/// Size limit of a message, in bytes, before anything is removed.
pub const MESSAGE_LIMIT: usize = 1024 * 1024;

/// Message that can be pasted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CleanText {
    /// Text, without control characters except line feed and tab.
    pub text: String,
    /// Number of removed characters.
    pub removed: usize,
    /// Number of carriage returns that became line feeds.
    pub line_ends: usize,
    /// Number of line feeds removed at the end.
    pub trailing: usize,
}

/// Removes the characters that must not reach a pane.
///
/// Line ends of other systems become line feeds. Line feeds at the end are removed, since Enter follows. All other C0
/// and C1 control characters and DEL are removed. The rest of an escape sequence stays as plain text. The function is
/// idempotent.
pub fn clean(text: &str) -> CleanText {
    let mut out = CleanText { text: String::with_capacity(text.len()), ..CleanText::default() };
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' => {
                out.line_ends += 1;
                if chars.peek() != Some(&'\n') {
                    out.text.push('\n');
                }
            }
            '\n' | '\t' => out.text.push(c),
            // C0, DEL and C1 (U+009B is the one-character form of the control sequence introducer).
            c if c.is_control() => out.removed += 1,
            c => out.text.push(c),
        }
    }
    let len = out.text.trim_end_matches('\n').len();
    out.trailing = out.text.len() - len;
    out.text.truncate(len);
    out
}

/// Removes every control character except line feed and tab from a text for display.
pub fn inert(text: &str) -> String {
    text.chars().filter(|&c| c == '\n' || c == '\t' || !c.is_control()).collect()
}

/// Replaces control characters by spaces in a single line for display.
pub fn inert_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn text_is_kept_to_the_byte() {
        for text in ["rm -rf build;", "--help", "-5", "日本語 👩‍👩‍👧", "\n a\n\n\tb ", "!ls", "/clear", "é\u{200d}"]
        {
            assert_eq!(clean(text), CleanText { text: text.to_owned(), ..CleanText::default() });
        }
    }

    #[test]
    fn nothing_can_leave_the_frame() {
        let nested = "a\x1b[201\x1b[201~~b\u{9b}201~\0\x7f\x08c";
        let cleaned = clean(nested);
        assert_eq!(cleaned.text, "a[201[201~~b201~c");
        assert_eq!(cleaned.removed, 6);
    }

    #[test]
    fn line_ends_are_made_one_kind_and_left_out_at_the_end() {
        let found = clean("a\r\nb\rc\n\r\n");
        assert_eq!(found, CleanText { text: "a\nb\nc".to_owned(), removed: 0, line_ends: 3, trailing: 2 });
        assert_eq!(clean("\n\n").text, "");
    }

    /// Texts with many characters that are special to a terminal.
    fn hostile() -> impl Strategy<Value = String> {
        let parts = prop_oneof![
            proptest::sample::select(vec![
                "\x1b",
                "\x1b[201~",
                "\x1b[200~",
                "[",
                "2",
                "0",
                "1",
                "~",
                "\u{9b}",
                "\u{9b}201~",
                "\0",
                "\r",
                "\r\n",
                "\n",
                "\t",
                "\x7f",
                "\x08",
                "\u{85}",
                "\u{90}",
                "\x1b]52;c;",
                "\x07",
                "\u{2028}",
                "é",
                "/",
                "!",
            ])
            .prop_map(str::to_owned),
            any::<char>().prop_map(String::from),
        ];
        proptest::collection::vec(parts, 0..60).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn cleaning_hostile_text_twice_changes_nothing_and_everything_is_counted(text in hostile()) {
            let once = clean(&text);
            prop_assert!(once.text.chars().all(|c| !c.is_control() || c == '\n' || c == '\t'), "{:?}", once.text);
            prop_assert_eq!(clean(&once.text), CleanText { text: once.text.clone(), ..CleanText::default() });
            let pairs = text.matches("\r\n").count();
            let kept = once.text.chars().count() + once.trailing + once.removed + pairs;
            prop_assert_eq!(kept, text.chars().count(), "{:?} of {:?}", once, text);
            let shown = inert_line(&text);
            prop_assert!(!shown.contains(char::is_control));
            prop_assert_eq!(inert_line(&shown), shown);
        }

        #[test]
        fn cleaning_twice_changes_nothing(text in proptest::collection::vec(any::<char>(), 0..200)) {
            let text: String = text.into_iter().collect();
            let once = clean(&text);
            prop_assert!(once.text.chars().all(|c| !c.is_control() || c == '\n' || c == '\t'));
            let twice = clean(&once.text);
            prop_assert_eq!(twice, CleanText { text: once.text.clone(), ..CleanText::default() });
        }
    }
}
