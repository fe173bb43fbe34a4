//! Input box: text that is typed and pasted until an Enter submits it.
//!
//! Agents do not take every Enter for a submit: some hold a paste open for a moment, and some take an Enter right after
//! a burst of characters for a part of it. Both rules are here, switched on by faults.

use std::time::{Duration, Instant};

/// Maximum lines of a paste that is shown whole; longer pastes are collapsed.
const SHOWN_LINES: usize = 3;
/// Maximum bytes of a paste that is shown whole; longer pastes are collapsed.
const SHOWN_BYTES: usize = 400;

/// Contents of the input box.
#[derive(Debug, Default)]
pub(super) struct Entry {
    pieces: Vec<Piece>,
    /// Time when a paste last ended or continued.
    pasted: Option<Instant>,
    /// Time when several characters last came at once.
    burst: Option<Instant>,
}

/// Times during which an Enter counts as a new line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    /// Time after a framed paste.
    pub(super) quiet: Duration,
    /// Time after any burst of characters.
    pub(super) burst: Duration,
}

#[derive(Debug)]
enum Piece {
    Shown(String),
    /// One unit: shown as a placeholder, deleted as a whole.
    Collapsed(String),
}

impl Entry {
    /// Adds typed characters.
    pub(super) fn type_text(&mut self, text: &str, now: Instant) {
        if text.chars().nth(1).is_some() {
            self.burst = Some(now);
        }
        self.push(text);
    }

    /// Adds a framed paste.
    pub(super) fn paste(&mut self, text: String, now: Instant) {
        (self.pasted, self.burst) = (Some(now), Some(now));
        if text.len() > SHOWN_BYTES || line_count(&text) > SHOWN_LINES {
            self.pieces.push(Piece::Collapsed(text));
        } else {
            self.push(&text);
        }
    }

    /// Adds a new line.
    pub(super) fn new_line(&mut self) {
        self.push("\n");
    }

    /// Removes the last character or collapsed paste.
    pub(super) fn backspace(&mut self) {
        match self.pieces.last_mut() {
            Some(Piece::Shown(text)) => {
                text.pop();
                if text.is_empty() {
                    self.pieces.pop();
                }
            }
            Some(Piece::Collapsed(_)) => drop(self.pieces.pop()),
            None => {}
        }
    }

    /// Handles Enter: returns the text if this one submits. A box that holds only spaces stays as it is.
    pub(super) fn enter(&mut self, now: Instant, patience: Patience) -> Option<String> {
        let within = |since: Option<Instant>, time: Duration| since.is_some_and(|since| now - since < time);
        let (paste_open, in_burst) = (within(self.pasted, patience.quiet), within(self.burst, patience.burst));
        if paste_open || in_burst {
            // The swallowed Enter is itself part of the paste or the burst.
            self.pasted = self.pasted.filter(|_| !paste_open).or(paste_open.then_some(now));
            self.burst = self.burst.filter(|_| !in_burst).or(in_burst.then_some(now));
            self.new_line();
            return None;
        }
        let text: String = self.pieces.iter().map(Piece::text).collect();
        if text.trim().is_empty() {
            return None;
        }
        self.clear();
        Some(text)
    }

    /// Empties the box.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Returns the text that the box shows.
    pub(super) fn shown(&self) -> String {
        self.pieces.iter().map(Piece::shown).collect()
    }

    fn push(&mut self, text: &str) {
        match self.pieces.last_mut() {
            Some(Piece::Shown(before)) => before.push_str(text),
            _ => self.pieces.push(Piece::Shown(text.to_owned())),
        }
    }
}

impl Piece {
    fn text(&self) -> &str {
        let (Self::Shown(text) | Self::Collapsed(text)) = self;
        text
    }

    fn shown(&self) -> String {
        match self {
            Self::Shown(text) => text.clone(),
            Self::Collapsed(text) => match line_count(text) {
                1 => "[pasted 1 line]".to_owned(),
                lines => format!("[pasted {lines} lines]"),
            },
        }
    }
}

fn line_count(text: &str) -> usize {
    text.trim_end_matches('\n').split('\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Patience = Patience { quiet: Duration::ZERO, burst: Duration::ZERO };
    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn a_long_paste_collapses_and_goes_whole() {
        let (now, mut entry) = (Instant::now(), Entry::default());
        entry.type_text("see ", now);
        entry.paste("1\n2\n3\n4\n".to_owned(), now);
        entry.paste("x".repeat(401), now);
        assert_eq!(entry.shown(), "see [pasted 4 lines][pasted 1 line]");
        entry.backspace();
        assert_eq!(entry.enter(now, NONE).as_deref(), Some("see 1\n2\n3\n4\n"));
        assert_eq!(entry.shown(), "");
    }

    #[test]
    fn short_pastes_are_shown_and_blank_ones_not_submitted() {
        let (now, mut entry) = (Instant::now(), Entry::default());
        entry.paste(" \n".to_owned(), now);
        assert_eq!(entry.enter(now, NONE), None);
        entry.type_text("é", now);
        assert_eq!(entry.shown(), " \né");
        entry.backspace();
        entry.backspace();
        assert_eq!(entry.shown(), " ");
    }

    #[test]
    fn an_early_enter_is_a_new_line() {
        for patience in [Patience { quiet: 100 * MS, ..NONE }, Patience { burst: 100 * MS, ..NONE }] {
            let (now, mut entry) = (Instant::now(), Entry::default());
            entry.paste("ab".to_owned(), now);
            assert_eq!(entry.enter(now + 60 * MS, patience), None);
            // The first Enter restarted the wait.
            assert_eq!(entry.enter(now + 120 * MS, patience), None);
            assert_eq!(entry.enter(now + 220 * MS, patience).as_deref(), Some("ab\n\n"));
        }
    }

    #[test]
    fn one_key_is_no_burst_and_typing_is_no_paste() {
        let (now, mut entry) = (Instant::now(), Entry::default());
        entry.type_text("a", now);
        assert!(entry.enter(now, Patience { burst: 100 * MS, ..NONE }).is_some());
        entry.type_text("abc", now);
        assert!(entry.enter(now, Patience { quiet: 100 * MS, ..NONE }).is_some());
    }
}
