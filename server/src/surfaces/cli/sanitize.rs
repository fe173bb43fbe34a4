//! Makes text of other origin harmless to a terminal.
//!
//! Descriptions, details, prompts and paths come from files, harnesses and other people. Their control characters could
//! move the cursor, set the clipboard or answer for the user. Their direction marks could show one text and mean
//! another. This module removes both.

use std::fmt::Write as _;

/// True for characters that must not reach a terminal: C0, DEL, C1, and the marks that embed, override or isolate a
/// direction.
fn is_active(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Sanitises text of several lines: line ends stay, all other active characters are removed.
pub(super) fn text(raw: &str) -> String {
    raw.chars().filter(|&c| c == '\n' || !is_active(c)).collect()
}

/// Sanitises text for one line: runs of white space, line ends included, become one space.
pub(super) fn line(raw: &str) -> String {
    let words: Vec<String> = raw.split_whitespace().map(text).filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// Sanitises a JSON document. JSON itself escapes C0; the rest is escaped here. Such characters occur inside strings
/// only, so the document keeps its meaning.
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
