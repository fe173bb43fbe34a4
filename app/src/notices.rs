//! The board of notices: what came of an act, kept for the page that the browser is sent back to.
//!
//! The address carries only a random id, so that no text is ever taken from it: a link cannot put words on the page.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use uuid::Uuid;
use wire::Remedy;

use crate::serverfns::CreateForm;

/// How many notices are kept; the oldest goes first.
const CAPACITY: usize = 256;
/// How long a notice is kept.
const LIFETIME: Duration = Duration::from_mins(15);

/// Beside what a notice stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The page as a whole.
    Page,
    /// The form for a new session.
    Create,
    /// The buttons of a session.
    Acts(String),
    /// The message box of a session.
    Say(String),
}

/// How a notice is to be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    /// It was done.
    Done,
    /// It was done as far as is known.
    Unsure,
    /// It was refused or failed.
    Failed,
}

impl Tone {
    /// As the style sheet and the tests know it.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Unsure => "unsure",
            Self::Failed => "failed",
        }
    }
}

/// What was typed into a form that was not accepted, so that it is not lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Draft {
    /// The form for a new session.
    Create(Box<CreateForm>),
    /// A message.
    Say(String),
}

/// What came of one act.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Notice {
    pub(crate) place: Place,
    pub(crate) tone: Tone,
    /// Whole, as the core worded it; may have several lines.
    pub(crate) text: String,
    /// The acts that help, the likeliest first.
    pub(crate) remedies: Vec<Remedy>,
    /// The message it is about, shortened; empty for other acts.
    pub(crate) quote: String,
    /// `HH:MM`, by the server's clock.
    pub(crate) at: String,
    pub(crate) draft: Option<Draft>,
}

/// The notices of the last minutes.
#[derive(Debug, Default)]
pub(crate) struct Notices {
    board: Mutex<VecDeque<(Uuid, Instant, Notice)>>,
}

impl Notices {
    /// Puts a notice up and returns its id.
    pub(crate) fn post(&self, notice: Notice) -> String {
        let id = Uuid::new_v4();
        let mut board = self.lock();
        board.retain(|(_, since, _)| since.elapsed() < LIFETIME);
        if board.len() == CAPACITY {
            board.pop_front();
        }
        board.push_back((id, Instant::now(), notice));
        id.simple().to_string()
    }

    /// The notice of that id, if it is still up.
    pub(crate) fn get(&self, id: &str) -> Option<Notice> {
        let id = Uuid::try_parse(id).ok()?;
        let board = self.lock();
        board.iter().find(|(known, since, _)| *known == id && since.elapsed() < LIFETIME).map(|(.., n)| n.clone())
    }

    /// A panic while it was held leaves the board whole: each change is one call.
    fn lock(&self) -> MutexGuard<'_, VecDeque<(Uuid, Instant, Notice)>> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notice(text: &str) -> Notice {
        Notice {
            place: Place::Page,
            tone: Tone::Done,
            text: text.to_owned(),
            remedies: Vec::new(),
            quote: String::new(),
            at: String::new(),
            draft: None,
        }
    }

    #[test]
    fn a_notice_is_found_by_its_id_and_by_nothing_else() {
        let notices = Notices::default();
        let id = notices.post(notice("done"));
        assert_eq!(notices.get(&id), Some(notice("done")));
        assert_eq!(notices.get("<b>words</b>"), None);
        assert_eq!(notices.get(&Uuid::new_v4().simple().to_string()), None);
    }

    #[test]
    fn the_board_is_bounded() {
        let notices = Notices::default();
        let first = notices.post(notice("first"));
        for _ in 0..CAPACITY {
            notices.post(notice("more"));
        }
        assert_eq!(notices.get(&first), None);
        assert_eq!(notices.lock().len(), CAPACITY);
    }
}
