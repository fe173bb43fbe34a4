//! Screen of Claude Code: an input box between two rules at the bottom, or a dialog in its place.

use std::ops::Range;

use wire::Activity;

use crate::{
    Reading, Screen,
    screen::{is_rule, lines, question, shows_message},
};

/// Characters that open the input box: a prompt, a shell command or a note.
const PROMPTS: [char; 3] = ['❯', '!', '#'];

pub(super) fn read(screen: Screen<'_>) -> Reading {
    let lines = lines(screen);
    let activity = if let Some(input) = input_box(&lines) {
        if works(&lines, &input) { Activity::Busy } else { Activity::Idle }
    } else if let Some(from) = dialog(&lines) {
        return Reading { activity: Activity::Waiting, question: question(&lines[from..]) };
    } else {
        by_title(screen.title, lines.is_empty())
    };
    Reading { activity, question: String::new() }
}

/// True if the box holds the message. It shows a long paste as `[Pasted text #1 +59 lines]`.
pub(super) fn holds_input(screen: Screen<'_>, message: &str) -> Option<bool> {
    let lines = lines(screen);
    let input = input_box(&lines)?;
    let shown = &lines[input.top + 1..input.bottom];
    Some(shown.iter().any(|line| line.contains("[Pasted text #")) || shows_message(&unmarked(shown), message))
}

/// Returns the lines of the input box.
pub(super) fn input_lines(screen: Screen<'_>) -> Option<Range<usize>> {
    input_box(&lines(screen)).map(|input| input.top + 1..input.bottom)
}

/// Rules above and below the input.
struct InputBox {
    top: usize,
    bottom: usize,
}

fn input_box(lines: &[&str]) -> Option<InputBox> {
    let bottom = lines.iter().rposition(|line| is_rule(line, "─"))?;
    let top = lines[..bottom].iter().rposition(|line| is_rule(line, "─"))?;
    let opens = lines[top + 1].starts_with(PROMPTS);
    // The status line below may take a few lines; a dialog below would be longer.
    let ends_the_screen = lines[bottom + 1..].iter().filter(|line| !line.is_empty()).count() <= 6;
    (bottom > top + 1 && opens && ends_the_screen).then_some(InputBox { top, bottom })
}

/// True if Claude Code is working. The hint is below the box; former versions show it beside the spinner above the box.
fn works(lines: &[&str], input: &InputBox) -> bool {
    const HINT: &str = "esc to interrupt";
    let above = lines[..input.top].iter().rev().filter(|line| !line.is_empty()).take(8);
    lines[input.bottom + 1..].iter().any(|line| line.contains(HINT))
        || above.into_iter().any(|line| line.contains(HINT) && line.contains('…'))
}

/// Finds the first line of a dialog, below the last rule. A dialog has a marked answer and names the keys that confirm
/// or leave it.
fn dialog(lines: &[&str]) -> Option<usize> {
    let marked = lines.iter().rposition(|line| line.trim_start().starts_with('❯'))?;
    let from = lines[..marked].iter().rposition(|line| is_rule(line, "─▔")).map_or(0, |rule| rule + 1);
    let below = lines[marked..].iter().any(|line| {
        line.contains("to confirm")
            || line.contains("to cancel")
            || line.contains("to select")
            || line.contains("to exit")
    });
    let first_run = from == 0 && lines[marked + 1..].iter().any(|line| !line.is_empty());
    (below || first_run).then_some(from)
}

/// Reads the activity from the title. The title distinguishes working from idle, but not idle from a dialog.
fn by_title(title: &str, title_alone: bool) -> Activity {
    match title.chars().next() {
        Some('\u{2800}'..='\u{28ff}' | '◐' | '◓' | '◑' | '◒') => Activity::Busy,
        Some('✳') if title_alone => Activity::Idle,
        _ => Activity::Unknown,
    }
}

fn unmarked<'a>(shown: &[&'a str]) -> Vec<&'a str> {
    shown.iter().map(|line| line.trim_start_matches(PROMPTS).trim()).collect()
}
