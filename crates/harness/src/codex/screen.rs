//! Screen of Codex: a line that opens with `›` is the input, or the marked answer of a dialog in its place. The title
//! shows a spinner while Codex works, and `Action Required` over a dialog.

use std::ops::Range;

use wire::Activity;

use crate::{
    Reading, Screen,
    screen::{is_numbered, lines, question, shows_message},
};

const PROMPT: char = '›';

pub(super) fn read(screen: Screen<'_>) -> Reading {
    let lines = lines(screen);
    if let Some(from) = dialog(&lines) {
        return Reading { activity: Activity::Waiting, question: question(&lines[from..]) };
    }
    let activity = if screen.title.contains("Action Required") {
        Activity::Waiting
    } else if is_wheel(screen.title) || works(&lines) {
        Activity::Busy
    } else if input(&lines).is_some() || (lines.is_empty() && screen.title.contains(" | ")) {
        Activity::Idle
    } else {
        Activity::Unknown
    };
    Reading { activity, question: String::new() }
}

/// True if the box holds the message. It shows a long paste as `[Pasted Content 1429 chars]`.
pub(super) fn holds_input(screen: Screen<'_>, message: &str) -> Option<bool> {
    let lines = lines(screen);
    if dialog(&lines).is_some() {
        return None;
    }
    let shown: Vec<&str> = lines[input(&lines)?..].iter().map(|line| line.trim_start_matches(PROMPT).trim()).collect();
    Some(shown.iter().any(|line| line.contains("[Pasted Content ")) || shows_message(&shown, message))
}

/// True if the message is queued. Messages that wait for the current turn are right above the input, each after an
/// arrow.
pub(super) fn in_queue(screen: Screen<'_>, message: &str) -> bool {
    let lines = lines(screen);
    let Some(input) = input(&lines) else { return false };
    let waiting: Vec<&str> =
        lines[..input].iter().filter_map(|line| line.trim_start().strip_prefix('↳')).map(str::trim).collect();
    shows_message(&waiting, message)
}

/// Returns the lines of the input box: down to the blank line above the status.
pub(super) fn input_lines(screen: Screen<'_>) -> Option<Range<usize>> {
    let lines = lines(screen);
    if dialog(&lines).is_some() {
        return None;
    }
    let from = input(&lines)?;
    let status = lines.iter().rposition(|line| line.is_empty()).filter(|&blank| blank > from);
    Some(from..status.unwrap_or(from + 1))
}

/// Finds the first line of the input: the last line that opens with the prompt's mark.
fn input(lines: &[&str]) -> Option<usize> {
    lines.iter().rposition(|line| line.starts_with(PROMPT))
}

/// True if Codex is working: the text for that is right above the input.
fn works(lines: &[&str]) -> bool {
    let Some(input) = input(lines) else { return false };
    let above = lines[..input].iter().rev().filter(|line| !line.is_empty()).take(6);
    above.into_iter().any(|line| is_marked(line) && line.contains("esc to interrupt"))
}

/// Finds the first line of a dialog: a paragraph with a marked numbered answer, followed by the keys that it takes.
fn dialog(lines: &[&str]) -> Option<usize> {
    let marked = lines
        .iter()
        .rposition(|line| line.strip_prefix([PROMPT, '>']).is_some_and(|rest| is_numbered(rest.trim_start())))?;
    let keys = lines[marked + 1..].iter().any(|line| {
        let line = line.trim_start().to_ascii_lowercase();
        line.starts_with("enter ") || line.starts_with("press enter ") || line.starts_with("esc ")
    });
    keys.then(|| beginning(lines, marked))
}

/// Finds the first line of a dialog. A dialog is below the last message, which begins at the left edge.
fn beginning(lines: &[&str], marked: usize) -> usize {
    let said = |line: &&str| !line.is_empty() && !line.starts_with("  ");
    lines[..marked].iter().rposition(said).map_or(0, |line| line + 1)
}

/// True if a line begins with a mark, whichever it is.
fn is_marked(line: &str) -> bool {
    line.starts_with(|c: char| !c.is_alphanumeric() && !c.is_whitespace())
}

fn is_wheel(title: &str) -> bool {
    title.starts_with(|c: char| ('\u{2800}'..='\u{28ff}').contains(&c))
}
