//! Obstacles on the screen of Claude Code, seen on 2.1.332: only where Claude Code itself writes, which is directly
//! above and below the input box.

use wire::Block;

use super::screen;
use crate::{
    Screen,
    screen::lines,
    signal::{Obstacle, of_status},
};

/// Lines above the box that are searched for the line of a retry.
const NEAR: usize = 4;

/// Sentences with which a failed turn ends, and notices below the box.
const SENTENCES: &[(&str, Block)] = &[
    ("You've hit your ", Block::Limited),
    ("Usage limit reached", Block::Limited),
    ("Not logged in · ", Block::LoggedOut),
    ("Please run /login", Block::LoggedOut),
    ("Invalid API key · ", Block::LoggedOut),
    ("OAuth token revoked · ", Block::LoggedOut),
    ("Credit balance too low", Block::NoCredit),
    ("Credit balance is too low", Block::NoCredit),
    ("Context limit reached · ", Block::ContextFull),
];

/// Reads the obstacle that the screen shows: the line of a retry, or a notice below the box.
pub(super) fn read(screen: Screen<'_>) -> Option<Obstacle> {
    let lines = lines(screen);
    let input = screen::input_lines(screen)?;
    let (above, below) = (&lines[..input.start.saturating_sub(1)], lines.get(input.end + 1..).unwrap_or_default());
    let near = || above.iter().rev().filter(|line| !is_aside(line)).take(NEAR);
    let retry = near().find_map(|line| retry(line));
    retry.or_else(|| below.iter().find_map(|line| sentence(line)))
}

/// True for a blank line and for a hint at the right edge.
fn is_aside(line: &str) -> bool {
    line.trim().is_empty() || line.len() - line.trim_start().len() > 40
}

/// Reads the line of a retry: `✻ 401 invalid x-api-key · retrying in 2s · attempt 3/10`. The countdown is left out, so that
/// the words stay the same from one second to the next.
fn retry(line: &str) -> Option<Obstacle> {
    let (said, rest) = line.split_once(" · retrying in ")?;
    let is_status = rest.contains("attempt ") && line.starts_with(|c: char| !c.is_alphanumeric() && !c.is_whitespace());
    let said = unmarked(said);
    let status = said.split_whitespace().next().and_then(|word| word.parse().ok());
    let kind = if said.contains("limit reached") {
        Block::Limited
    } else {
        status.and_then(of_status).unwrap_or(Block::Overloaded)
    };
    is_status.then(|| Obstacle::new(kind, None, &format!("{said} · retrying")))
}

/// Reads the failure of the last turn: the first marked line below the last message. A turn that went on has another
/// line there.
pub(super) fn failed_turn(screen: Screen<'_>) -> Option<Obstacle> {
    let lines = lines(screen);
    let above = &lines[..screen::input_lines(screen)?.start.saturating_sub(1)];
    let said = above.iter().rposition(|line| line.starts_with('❯'))?;
    let mut after = above[said + 1..].iter().filter(|line| !is_aside(line));
    after.find(|line| !line.trim_start().starts_with(char::is_alphanumeric)).and_then(|line| {
        let line = unmarked(line);
        sentence(line).or_else(|| line.starts_with("API Error: ").then(|| Obstacle::new(by_status(line), None, line)))
    })
}

/// Returns the kind of a failure by the HTTP status in its words.
fn by_status(words: &str) -> Block {
    let mut numbers = words.split(|c: char| !c.is_ascii_digit()).filter(|digits| digits.len() == 3);
    numbers.find_map(|digits| of_status(digits.parse().ok()?)).unwrap_or(Block::Refused)
}

fn sentence(line: &str) -> Option<Obstacle> {
    let line = unmarked(line);
    let (_, kind) = SENTENCES.iter().find(|(words, _)| line.starts_with(words))?;
    Some(Obstacle::new(*kind, None, line))
}

/// Removes the mark before a line, whichever it is.
fn unmarked(line: &str) -> &str {
    line.trim_start_matches(|c: char| !c.is_alphanumeric()).trim_end()
}
