//! Board of notices: results of actions, kept for the page that the browser is redirected to.
//!
//! The address contains only a random ID and no text: a link cannot put text on the page.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use uuid::Uuid;
use wire::Remedy;

use crate::create_form::CreateForm;

/// Maximum number of notices; the oldest is dropped first.
const CAPACITY: usize = 256;
/// Lifetime of a notice.
const LIFETIME: Duration = Duration::from_mins(15);

/// Position of a notice on the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Top of the page.
    Page,
    /// Form for a new session.
    Create,
    /// A session.
    Session(String),
}

/// Kind of result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    /// Success.
    Done,
    /// Success as far as is known.
    Unsure,
    /// Refusal or failure.
    Failed,
}

impl Tone {
    /// Returns the name in the style sheet and the tests.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Unsure => "unsure",
            Self::Failed => "failed",
        }
    }
}

/// Content of a refused form, kept so that it is not lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Draft {
    /// Form for a new session.
    Create(Box<CreateForm>),
    /// A message.
    Say(String),
}

/// Result of one action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Notice {
    pub(crate) place: Place,
    pub(crate) tone: Tone,
    /// Complete text, as worded by the core; may have several lines.
    pub(crate) text: String,
    /// Remedies, the most likely first.
    pub(crate) remedies: Vec<Remedy>,
    /// Message that it is about, shortened; empty for other actions.
    pub(crate) quote: String,
    /// Time `HH:MM`, by the server's clock.
    pub(crate) at: String,
    pub(crate) draft: Option<Draft>,
    /// Mistakes in the fields of a form.
    pub(crate) mistakes: Vec<::standing::Mistake>,
}

/// Notices of the last minutes.
#[derive(Debug, Default)]
pub(crate) struct Notices {
    board: Mutex<VecDeque<(Uuid, Instant, Notice)>>,
}

impl Notices {
    /// Adds a notice and returns its ID.
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

    /// Returns the notice with that ID, if it has not expired.
    pub(crate) fn get(&self, id: &str) -> Option<Notice> {
        let id = Uuid::try_parse(id).ok()?;
        let board = self.lock();
        board.iter().find(|(known, since, _)| *known == id && since.elapsed() < LIFETIME).map(|(.., n)| n.clone())
    }

    /// Locks the board. It stays consistent if a holder panics, since each change is one call.
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
            mistakes: Vec::new(),
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
