//! Obstacles on the screen of Codex, seen on 0.171.0: the line of a retry above the input, and the line with which a
//! failed turn ends.

use wire::Block;

use super::screen;
use crate::{
    Screen,
    screen::lines,
    signal::{Obstacle, of_status},
};

/// Lines above the input that are searched for the line of a retry.
const NEAR: usize = 6;

/// Sentences with which a failed turn ends.
const SENTENCES: &[(&str, Block)] = &[
    ("You’ve hit your usage limit", Block::Limited),
    ("Quota exceeded.", Block::NoCredit),
    ("Codex ran out of room in the model's context window", Block::ContextFull),
];

/// Reads the obstacle that the screen shows: the line of a retry.
pub(super) fn read(screen: Screen<'_>) -> Option<Obstacle> {
    let lines = lines(screen);
    let above = &lines[..screen::input_lines(screen)?.start];
    let written: Vec<&str> = above.iter().rev().copied().filter(|line| !line.is_empty()).take(NEAR).collect();
    written.iter().position(|line| is_retry(line)).map(|at| retry(written[at], at.checked_sub(1).map(|at| written[at])))
}

/// True for `• Reconnecting... 4/5 (3s • esc to interrupt)` and `• Server is busy, reconnecting 1/5 (…)`.
fn is_retry(line: &str) -> bool {
    let is_status = line.starts_with(|c: char| !c.is_alphanumeric() && !c.is_whitespace());
    is_status && line.contains("esc to interrupt") && line.to_ascii_lowercase().contains("reconnecting")
}

/// Reads a retry and the reason below it. The countdown is left out, so that the words stay the same.
fn retry(line: &str, below: Option<&str>) -> Obstacle {
    let line = unmarked(line);
    let said = line.find("econnecting").map_or(line, |at| &line[..at + "econnecting".len()]);
    let reason = below.map(str::trim_start).filter(|line| !line.starts_with(char::is_alphanumeric)).map(unmarked);
    let mut words = reason.unwrap_or_default().split(|c: char| !c.is_ascii_digit());
    let status = words.find(|word| word.len() == 3).and_then(|word| word.parse().ok());
    // The limit of an account ends the turn.
    let kind = status.filter(|&status| status != 429).and_then(of_status).unwrap_or(Block::Overloaded);
    let words = reason.map_or_else(|| said.to_owned(), |reason| format!("{said}: {reason}"));
    Obstacle::new(kind, None, &words)
}

/// Reads the failure of the last turn: the first marked line below the last message.
pub(super) fn failed_turn(screen: Screen<'_>) -> Option<Obstacle> {
    let lines = lines(screen);
    let above = &lines[..screen::input_lines(screen)?.start];
    let said = above.iter().rposition(|line| line.starts_with('›'))?;
    let mut after = above[said + 1..].iter().filter(|line| !line.is_empty());
    let line = after.find(|line| !line.trim_start().starts_with(char::is_alphanumeric))?;
    let line = unmarked(line);
    let (_, kind) = SENTENCES.iter().find(|(words, _)| line.starts_with(words))?;
    Some(Obstacle::new(*kind, None, line))
}

/// Removes the mark before a line, whichever it is.
fn unmarked(line: &str) -> &str {
    line.trim_start_matches(|c: char| !c.is_alphanumeric()).trim_end()
}
