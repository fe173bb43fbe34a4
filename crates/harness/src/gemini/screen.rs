//! Screen of Gemini CLI: an input line that opens with ` > ` below a rule, or a framed dialog in its place.

use std::ops::Range;

use wire::Activity;

use crate::{
    Reading, Screen,
    screen::{is_numbered, is_rule, lines, question, shows_message},
};

/// Texts that open the input: a prompt, a shell command, or the mark of a mode that asks nothing.
const PROMPTS: [&str; 3] = [" > ", " ! ", " * "];

pub(super) fn read(screen: Screen<'_>) -> Reading {
    let lines = lines(screen);
    let input = input(&lines);
    if let Some(from) = dialog(&lines, input) {
        return Reading { activity: Activity::Waiting, question: question(&lines[from..]) };
    }
    let works = input.is_some_and(|input| {
        let above = lines[..input].iter().rev().filter(|line| !line.is_empty()).take(8);
        above.into_iter().any(|line| line.contains("(esc to cancel"))
    });
    // Without an input line it is still starting, whatever its title says.
    let known = lines.is_empty() || input.is_some();
    let activity = match screen.title.chars().next() {
        Some('✋') => Activity::Waiting,
        Some('✦' | '⏲') => Activity::Busy,
        _ if works => Activity::Busy,
        Some('◇') if known => Activity::Idle,
        _ if input.is_some() => Activity::Idle,
        _ => Activity::Unknown,
    };
    Reading { activity, question: String::new() }
}

/// True if the box holds the message. It shows a long paste as `[Pasted Text: 60 lines]`.
pub(super) fn holds_input(screen: Screen<'_>, message: &str) -> Option<bool> {
    let lines = lines(screen);
    let input = input(&lines)?;
    let shown: Vec<&str> = lines[input..]
        .iter()
        .take_while(|line| !line.is_empty())
        .map(|line| PROMPTS.iter().find_map(|prompt| line.strip_prefix(prompt)).unwrap_or(line).trim())
        .collect();
    Some(shown.iter().any(|line| line.contains("[Pasted Text: ")) || shows_message(&shown, message))
}

/// Returns the lines of the input box: down to the first blank one.
pub(super) fn input_lines(screen: Screen<'_>) -> Option<Range<usize>> {
    let lines = lines(screen);
    let from = input(&lines)?;
    if dialog(&lines, Some(from)).is_some() {
        return None;
    }
    let below = lines[from..].iter().position(|line| line.is_empty() || is_rule(line, "─▀▄"));
    Some(from..below.map_or(lines.len(), |below| from + below))
}

/// Finds the first line of the input: the first line with a prompt below the last rule.
fn input(lines: &[&str]) -> Option<usize> {
    let rule = lines.iter().rposition(|line| is_rule(line, "─▀▄"))?;
    let opens = |line: &&str| PROMPTS.iter().any(|prompt| line.starts_with(prompt));
    lines[rule + 1..].iter().take(4).position(opens).map(|below| rule + 1 + below)
}

/// Finds the first line of a dialog: the top of a frame that holds a marked numbered answer and has no input below it.
fn dialog(lines: &[&str], input: Option<usize>) -> Option<usize> {
    let marked = lines.iter().rposition(|line| {
        let inside = line.trim_start_matches([' ', '│']);
        inside.strip_prefix('●').is_some_and(|rest| is_numbered(rest.trim_start()))
    })?;
    let top = lines[..marked].iter().rposition(|line| line.trim_start_matches('│').trim_start().starts_with('╭'))?;
    // A frame inside the dialog's own (around a command, for example) is not its top.
    let outer = lines[..top].iter().rposition(|line| line.starts_with('╭'));
    let closed = |from: usize| lines[from..marked].iter().any(|line| line.starts_with('╰'));
    let top = outer.filter(|&outer| !lines[top].trim_start().starts_with('╭') && !closed(outer)).unwrap_or(top);
    input.is_none_or(|input| input < marked).then_some(top)
}
