//! Common parts of the screens of several harnesses. This module does not distinguish harnesses.

use wire::Choice;

use super::Screen;

/// Splits a screen into lines without trailing blanks; blank lines are kept.
pub(super) fn lines(screen: Screen<'_>) -> Vec<&str> {
    screen.text.lines().map(str::trim_end).collect()
}

/// True if a line is a rule: at least eight of `strokes`, from its first mark on.
pub(super) fn is_rule(line: &str, strokes: &str) -> bool {
    let mut marks = line.trim_start().chars();
    let Some(first) = marks.next().filter(|&mark| strokes.contains(mark)) else { return false };
    marks.take(7).filter(|&mark| mark == first).count() == 7
}

/// True if a text is a numbered answer (`1. Yes` and the like), without its mark.
pub(super) fn is_numbered(text: &str) -> bool {
    let digits = text.chars().take_while(char::is_ascii_digit).count();
    (1..=2).contains(&digits) && text[digits..].starts_with(". ")
}

/// Reads the answers of the lowest list on a screen, if the list is complete: numbered from 1 without a gap, one answer
/// marked. Lines between two answers belong to the upper one and are left out.
pub(super) fn choices(screen: Screen<'_>) -> Vec<Choice> {
    let frame = |c: char| c.is_whitespace() || "│┃".contains(c);
    let marks = ['❯', '›', '●', '>', '▶'];
    let mut choices = Vec::new();
    let mut marked = false;
    for line in lines(screen).iter().rev() {
        let line = line.trim_matches(frame);
        let text = line.trim_start_matches(marks).trim_start();
        if !is_numbered(text) {
            continue;
        }
        let Some((key, says)) = text.split_once(". ") else { continue };
        marked |= line.starts_with(marks);
        choices.push(Choice { key: key.to_owned(), text: says.trim().to_owned() });
        if key == "1" {
            break;
        }
    }
    choices.reverse();
    let whole = choices.iter().enumerate().all(|(at, choice)| choice.key == (at + 1).to_string());
    if whole && marked && choices.len() < 10 { choices } else { Vec::new() }
}

/// Returns the last conversation id that follows these words: a program prints it when it exits.
pub(super) fn named_after(text: &str, words: &str) -> Option<String> {
    let named = text.split(words).skip(1).filter_map(|behind| {
        let id: String = behind.chars().take_while(|c| c.is_ascii_alphanumeric() || "-_".contains(*c)).collect();
        uuid::Uuid::try_parse(&id).is_ok().then_some(id)
    });
    named.last()
}

/// Placeholder for an unreadable prompt: a harness that waits for an answer always asks something.
const UNREADABLE: &str = "(could not read the prompt)";

/// Extracts a prompt from the lines of a dialog: its text without frames and blank lines, at most 24 lines. Never
/// empty.
pub(super) fn question(lines: &[&str]) -> String {
    let frame = |c: char| c.is_whitespace() || "│┃╭╰╮╯─━╌▔▁".contains(c);
    let written: Vec<&str> =
        lines.iter().map(|line| line.trim_matches(frame)).filter(|line| !line.is_empty()).collect();
    if written.is_empty() {
        return UNREADABLE.to_owned();
    }
    let from = written.len().saturating_sub(24);
    written[from..].join("\n")
}

/// True if the lines of a box show a message, whole or in part, as it would appear unsent.
///
/// A box may wrap or scroll, so only parts may be visible. A line of the box counts if it is a large enough part of a
/// line of the message. Other content (a hint, a person's own draft) does not count.
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
    fn a_question_is_never_empty() {
        assert_eq!(question(&["╭────╮", "│ Go on?   │", "", "╰────╯"]), "Go on?");
        assert_eq!(question(&["────────", "  "]), UNREADABLE);
        assert_eq!(question(&[]), UNREADABLE);
    }

    fn read(text: &str) -> Vec<String> {
        let choices = choices(Screen { text, title: "" });
        choices.into_iter().map(|choice| format!("{}={}", choice.key, choice.text)).collect()
    }

    #[test]
    fn the_answers_of_the_lowest_list_are_read_if_it_is_whole() {
        let two =
            "1. an older list\n2. of two\nProceed?\n ❯ 1. Yes\n      and more of it\n   2. No, exit\n\n Esc cancels";
        assert_eq!(read(two), ["1=Yes", "2=No, exit"]);
        assert_eq!(read("│ ● 1. Allow once      │\n│   2. No (esc)        │\n╰────╯"), ["1=Allow once", "2=No (esc)"]);
        let long = (1..=12).map(|n| format!("› {n}. x")).collect::<Vec<_>>().join("\n");
        for text in ["1. Yes\n2. No", "❯ 1. Yes\n  3. No", "❯ 2. Yes\n  3. No", "Proceed? (y/n)", "", &long] {
            assert_eq!(read(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn a_message_is_known_by_a_good_part_of_a_line() {
        let message = "[the-loop] A message for standing session `ops`:\n\nok";
        assert!(shows_message(&["[the-loop] A message for stand", "ing session"], message));
        assert!(!shows_message(&["Ask for anything", "ok", ""], message));
        assert!(shows_message(&["ok"], "ok") && !shows_message(&[""], "ok"));
    }
}
