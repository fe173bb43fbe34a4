//! Wrapping of text for a screen of a given width.

use unicode_width::UnicodeWidthChar;

/// Expansion of a tab.
const TAB: &str = "    ";

/// Wraps text to lines of at most `width` cells: at line breaks, then at spaces, then anywhere. Control characters are
/// made visible, so that no text can control the terminal.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(2);
    let mut lines = Vec::new();
    for line in visible(text).split('\n') {
        wrap_line(line, width, &mut lines);
    }
    lines
}

/// Returns the width of printable text in cells.
pub(super) fn cells(text: &str) -> usize {
    text.chars().map(|char| char.width().unwrap_or(0)).sum()
}

/// Cuts a printable text to the width.
pub(super) fn cut(text: &str, width: usize) -> String {
    let mut used = 0;
    text.chars()
        .take_while(|char| {
            used += char.width().unwrap_or(0);
            used <= width
        })
        .collect()
}

fn wrap_line(line: &str, width: usize, lines: &mut Vec<String>) {
    let (mut current, mut used) = (String::new(), 0);
    for word in line.split_inclusive(' ') {
        let bare = cells(word.trim_end_matches(' '));
        if used > 0 && bare <= width && used + bare > width {
            lines.push(std::mem::take(&mut current));
            used = 0;
        }
        for char in word.chars() {
            let cell = char.width().unwrap_or(0);
            if used + cell > width {
                lines.push(std::mem::take(&mut current));
                used = 0;
            }
            current.push(char);
            used += cell;
        }
    }
    lines.push(current);
}

fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\r' if chars.peek() == Some(&'\n') => {}
            '\r' | '\n' => shown.push('\n'),
            '\t' => shown.push_str(TAB),
            '\x00'..='\x1f' => shown.extend(['^', char::from(char as u8 ^ 0x40)]),
            control if control.is_control() => shown.push(char::REPLACEMENT_CHARACTER),
            char => shown.push(char),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn breaks_at_spaces_then_anywhere() {
        assert_eq!(wrap("one two three", 8), ["one two ", "three"]);
        assert_eq!(wrap("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrap("a\r\nb\rc\n", 8), ["a", "b", "c", ""]);
    }

    #[test]
    fn counts_cells_not_characters() {
        assert_eq!(wrap("日本語", 4), ["日本", "語"]);
        assert_eq!(cells("日本e\u{301}"), 5);
        assert_eq!(cut("日本語", 5), "日本");
    }

    #[test]
    fn nothing_steers_the_terminal() {
        assert_eq!(wrap("\x1b[2J\x07\u{9b}x\x7f\ty", 80), ["^[[2J^G\u{fffd}x\u{fffd}    y"]);
    }
}
