//! Screen of opencode: an input box with a drawn left edge and the foot `╹▀▀▀`, or a dialog.

use std::ops::Range;

use wire::Activity;

use crate::{
    Reading, Screen,
    screen::{lines, question, shows_message},
};

pub(super) fn read(screen: Screen<'_>) -> Reading {
    let lines = lines(screen);
    if let Some(asked) = dialog(&lines) {
        return Reading { activity: Activity::Waiting, question: question(&asked) };
    }
    let activity = match foot(&lines) {
        Some(foot) if lines[foot..].iter().any(|line| line.contains("esc interrupt")) => Activity::Busy,
        Some(_) => Activity::Idle,
        None => Activity::Unknown,
    };
    Reading { activity, question: String::new() }
}

/// True if the box holds the message. It shows a long paste as `[Pasted ~60 lines]`.
pub(super) fn holds_input(screen: Screen<'_>, message: &str) -> Option<bool> {
    let lines = lines(screen);
    let foot = foot(&lines)?;
    let top = lines[..foot].iter().rposition(|line| !line.trim_start().starts_with('┃')).map_or(0, |above| above + 1);
    let shown: Vec<&str> = lines[top..foot].iter().map(|line| own(line)).collect();
    Some(shown.iter().any(|line| line.contains("[Pasted ~")) || shows_message(&shown, message))
}

/// Returns the lines of the input box, without the line at its foot that names the agent and its model.
pub(super) fn input_lines(screen: Screen<'_>) -> Option<Range<usize>> {
    let lines = lines(screen);
    if dialog(&lines).is_some() {
        return None;
    }
    let foot = foot(&lines)?;
    let top = lines[..foot].iter().rposition(|line| !line.trim_start().starts_with('┃')).map_or(0, |above| above + 1);
    let names = (top..foot).rev().find(|&line| !own(lines[line]).is_empty())?;
    (names > top).then_some(top..names)
}

/// Returns a box's own text, without its edge and without the panel that may be to its right.
fn own(line: &str) -> &str {
    line.trim_start_matches([' ', '┃']).split(GAP).next().unwrap_or_default().trim()
}

/// Gap between the box and the panel, and between a list's title and the key that closes it.
const GAP: &str = "          ";

/// Finds a prompt in the place of the input box, or a list that covers everything.
fn dialog<'a>(lines: &[&'a str]) -> Option<Vec<&'a str>> {
    let from = foot(lines).map_or(0, |foot| foot + 1);
    if let Some(asked) = lines[from..].iter().rposition(|line| own(line).starts_with('△')) {
        return Some(lines[from + asked..].iter().map(|line| own(line)).collect());
    }
    let list = lines.iter().position(|line| line.contains(GAP) && line.trim_end().ends_with(&format!("{GAP}esc")))?;
    let title = lines[list].split(GAP).map(str::trim).filter(|part| !part.is_empty() && *part != "esc").last()?;
    Some(vec![title])
}

fn foot(lines: &[&str]) -> Option<usize> {
    lines.iter().rposition(|line| line.trim_start().starts_with("╹▀▀▀"))
}
