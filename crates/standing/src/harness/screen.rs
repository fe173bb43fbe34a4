//! What the screens of several harnesses have in common. Nothing here knows one harness from another.

use super::Screen;

/// The lines of a screen without what is blank at their ends, blank lines kept.
pub(super) fn lines(screen: Screen<'_>) -> Vec<&str> {
    screen.text.lines().map(str::trim_end).collect()
}

/// A line that is drawn rather than written: at least eight times one of `strokes` from its first mark on.
pub(super) fn is_rule(line: &str, strokes: &str) -> bool {
    let mut marks = line.trim_start().chars();
    let Some(first) = marks.next().filter(|&mark| strokes.contains(mark)) else { return false };
    marks.take(7).filter(|&mark| mark == first).count() == 7
}

/// An answer to choose: `1. Yes` and the like, without its mark.
pub(super) fn is_numbered(text: &str) -> bool {
    let digits = text.chars().take_while(char::is_ascii_digit).count();
    (1..=2).contains(&digits) && text[digits..].starts_with(". ")
}

/// A question out of the lines of a dialog: what is written, without frames and blank lines, at most 24 lines.
pub(super) fn question(lines: &[&str]) -> String {
    let frame = |c: char| c.is_whitespace() || "│┃╭╰╮╯─━╌▔▁".contains(c);
    let written: Vec<&str> =
        lines.iter().map(|line| line.trim_matches(frame)).filter(|line| !line.is_empty()).collect();
    let from = written.len().saturating_sub(24);
    written[from..].join("\n")
}

/// Whether a box whose lines these are shows a message, whole or in part, as it would stand there unsent.
///
/// A box may wrap or scroll, so that only parts are seen: a line of it counts if it is a good part of a line of the
/// message. What else may stand there (a hint, somebody's own draft) does not count.
pub(super) fn shows_message(shown: &[&str], message: &str) -> bool {
    let squeezed = |text: &str| text.split_whitespace().collect::<String>();
    let message = squeezed(message);
    shown
        .iter()
        .map(|line| squeezed(line))
        .any(|line| line.chars().count() >= 8.min(message.chars().count()).max(1) && message.contains(&line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbered_answers_and_rules_are_told_from_text() {
        assert!(is_numbered("1. Yes") && is_numbered("12. x"));
        assert!(!is_numbered("1.5 times") && !is_numbered(". x") && !is_numbered("2026. x") && !is_numbered(""));
        assert!(is_rule("  ────────── name ──", "─▔") && !is_rule("─── x", "─") && !is_rule("-- --", "─"));
    }

    #[test]
    fn a_message_is_known_by_a_good_part_of_a_line() {
        let message = "[the-loop] A message for standing session `ops`:\n\nok";
        assert!(shows_message(&["[the-loop] A message for stand", "ing session"], message));
        assert!(!shows_message(&["Ask for anything", "ok", ""], message));
        assert!(shows_message(&["ok"], "ok") && !shows_message(&[""], "ok"));
    }
}
