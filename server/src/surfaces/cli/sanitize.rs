//! Makes text that others wrote harmless to a terminal.
//!
//! Descriptions, details, questions and paths come from files, harnesses and other people. Control characters in
//! them could move the cursor, set the clipboard or answer for the user; marks that turn the direction of writing
//! could show one thing and mean another. Neither reaches the terminal.

use std::fmt::Write as _;

/// True of what must not reach a terminal: C0, DEL, C1, and the marks that embed, override or isolate a direction.
fn is_active(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Text of several lines: line ends stay, everything else that is active goes.
pub(super) fn text(raw: &str) -> String {
    raw.chars().filter(|&c| c == '\n' || !is_active(c)).collect()
}

/// Text for one line: runs of white space, line ends included, become one space.
pub(super) fn line(raw: &str) -> String {
    let words: Vec<String> = raw.split_whitespace().map(text).filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// A JSON document: JSON escapes C0 itself; the rest is escaped here. Such characters occur inside strings only, so
/// the document means the same.
pub(super) fn json(document: &str) -> String {
    let mut safe = String::with_capacity(document.len());
    for c in document.chars() {
        if is_active(c) && c != '\n' {
            // Writing to a string cannot fail.
            let _ = write!(safe, "\\u{:04x}", u32::from(c));
        } else {
            safe.push(c);
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_active_is_left() {
        let hostile = "a\u{1b}]52;c;ZXZpbA==\u{7}b\r\u{9b}2J\u{202e}c\u{7f}\0";
        assert_eq!(text(hostile), "a]52;c;ZXZpbA==b2Jc");
        assert_eq!(line("one\n two\t\u{1b}[31mthree \u{1b} "), "one two [31mthree");
    }

    #[test]
    fn json_means_the_same() {
        let value = serde_json::json!({ "description": "a\u{9b}b\u{7f}\u{202e}\n" });
        let safe = json(&serde_json::to_string_pretty(&value).expect("serialises"));
        assert!(safe.chars().all(|c| c == '\n' || !is_active(c)), "{safe:?}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&safe).expect("is JSON"), value);
    }
}
