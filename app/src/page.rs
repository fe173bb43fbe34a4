//! Data of one page, read from the core before rendering starts, so that rendering never waits.

use std::{path::Path, sync::Arc};

use ::standing::{Error, TheLoop, config::ConfigProblems};
use wire::{Row, SessionName};

use crate::{
    context::AppContext,
    notices::{Draft, Notice, Place},
    query::Query,
    serverfns::CreateForm,
};

/// Number of a pane's last lines on a card.
const LINES: usize = 6;
/// Number of lines that are searched for them: rulers and empty boxes are not shown on a card.
const LOOKED_AT: usize = 200;

/// All data of one page.
#[derive(Clone, Debug)]
pub struct Page {
    pub(crate) sessions: Result<Vec<Session>, Trouble>,
    pub(crate) harnesses: Vec<Harness>,
    pub(crate) common: Arc<Common>,
}

/// A session on its card.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    pub(crate) row: Row,
    /// Last lines of its pane, if it has one.
    pub(crate) screen: Option<String>,
}

impl Session {
    fn new(row: Row, screen: &str) -> Self {
        Self { row, screen: Some(telling(screen)).filter(|text| !text.is_empty()) }
    }
}

/// Returns the last lines that contain words.
fn telling(screen: &str) -> String {
    let lines: Vec<&str> = screen.lines().filter(|line| line.contains(char::is_alphanumeric)).collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}

/// Reason why there is no list.
#[derive(Clone, Debug)]
pub(crate) enum Trouble {
    /// The config is invalid, for these reasons, verbatim.
    Config(Vec<String>),
    /// Another error, verbatim.
    Other(String),
}

/// A harness that a session can be created with.
#[derive(Clone, Debug)]
pub(crate) struct Harness {
    pub(crate) name: String,
    pub(crate) found: bool,
}

/// Data that many parts of the page need.
#[derive(Clone, Debug)]
pub(crate) struct Common {
    pub(crate) query: Query,
    pub(crate) notice: Option<Notice>,
    pub(crate) config_file: String,
    /// Home directory. Paths below it are shown with `~`.
    pub(crate) home: String,
    /// Tmux command that reaches the sessions: `tmux`, or `tmux -L <socket>`.
    pub(crate) tmux: String,
}

impl Common {
    /// Returns the notice, if this is its place.
    pub(crate) fn notice_at(&self, place: &Place) -> Option<Notice> {
        self.notice.clone().filter(|notice| notice.place == *place)
    }

    /// Formats a path for a person.
    pub(crate) fn shown(&self, path: &str) -> String {
        match path.strip_prefix(&self.home) {
            Some("") if !self.home.is_empty() => "~".to_owned(),
            Some(rest) if !self.home.is_empty() && rest.starts_with('/') => format!("~{rest}"),
            _ => path.to_owned(),
        }
    }

    /// Returns the refused content of the form for a new session, if any.
    pub(crate) fn create_draft(&self) -> Option<CreateForm> {
        match self.notice.as_ref()?.draft.as_ref()? {
            Draft::Create(form) => Some((**form).clone()),
            Draft::Say(_) => None,
        }
    }

    /// Returns a message that was not delivered, if any.
    pub(crate) fn say_draft(&self, name: &str) -> Option<String> {
        let notice = self.notice_at(&Place::Say(name.to_owned()))?;
        match notice.draft? {
            Draft::Say(text) => Some(text),
            Draft::Create(_) => None,
        }
    }
}

impl Page {
    /// Returns the sessions; none if there is an error.
    pub(crate) fn sessions(&self) -> &[Session] {
        self.sessions.as_deref().unwrap_or_default()
    }

    /// Returns the session whose deletion must be confirmed. Only a created session can be deleted.
    pub(crate) fn confirmed(&self) -> Option<&Session> {
        let name = self.common.query.confirm.as_deref()?;
        self.sessions().iter().find(|session| session.row.name == name && !session.row.declared)
    }

    /// True if a session without a named harness can be started on this machine, as far as is known.
    pub(crate) fn default_harness_found(&self) -> bool {
        self.harnesses.first().is_none_or(|harness| harness.found)
    }

    /// Returns the draft of the form for a new session, or a blank one with defaults that work on this machine.
    pub(crate) fn create_form(&self) -> CreateForm {
        self.common.create_draft().unwrap_or_else(|| {
            let harness = if self.default_harness_found() { String::new() } else { "demo".to_owned() };
            CreateForm { harness, auto_start: true, ..CreateForm::default() }
        })
    }
}

/// Reads all data of the page at this address from the core.
pub async fn load(context: &AppContext, query: Query) -> Page {
    let notice = query.notice.as_deref().and_then(|id| context.notices().get(id));
    let survey = context.engine().survey(LOOKED_AT).await;
    context.engine().read(move |the_loop| ask(the_loop, survey, query, notice)).await
}

fn ask(
    the_loop: &TheLoop,
    survey: Result<Vec<(Row, String)>, Error>,
    query: Query,
    mut notice: Option<Notice>,
) -> Page {
    let sessions = survey.map_err(trouble);
    let sessions =
        sessions.map(|rows| rows.into_iter().map(|(row, text)| Session::new(row, &text)).collect::<Vec<_>>());
    let config = the_loop.config();
    let socket = &config.settings.routing.tmux.socket;
    if let Some(notice) = &mut notice {
        keep_in_view(notice, sessions.as_deref().unwrap_or_default());
    }
    let harnesses = the_loop.harnesses().unwrap_or_default();
    Page {
        sessions,
        harnesses: harnesses.into_iter().map(|(name, found)| Harness { name, found }).collect(),
        common: Arc::new(Common {
            query,
            notice,
            config_file: config.path.file().display().to_string(),
            home: the_loop.surroundings().home().and_then(Path::to_str).unwrap_or_default().to_owned(),
            tmux: if socket.is_empty() { "tmux".to_owned() } else { format!("tmux -L {socket}") },
        }),
    }
}

/// Moves a notice about a session without a card to the top of the page.
fn keep_in_view(notice: &mut Notice, sessions: &[Session]) {
    let (Place::Acts(name) | Place::Say(name)) = &notice.place else { return };
    if !sessions.iter().any(|session| session.row.name == *name) {
        if SessionName::parse(name).is_ok() && !notice.text.contains(name.as_str()) {
            notice.text = format!("{name}: {}", notice.text);
        }
        notice.place = Place::Page;
    }
}

fn trouble(error: Error) -> Trouble {
    match error {
        Error::Misconfigured(problems) => Trouble::Config(reasons(&problems)),
        other => Trouble::Other(other.to_string()),
    }
}

fn reasons(problems: &ConfigProblems) -> Vec<String> {
    problems.iter().map(ToString::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn common(home: &str) -> Common {
        Common {
            query: Query::default(),
            notice: None,
            config_file: String::new(),
            home: home.to_owned(),
            tmux: "tmux".to_owned(),
        }
    }

    #[test]
    fn a_card_shows_lines_that_say_something() {
        assert_eq!(telling("one\n───\n\n  > two\n│    │\n"), "one\n  > two");
        assert_eq!(telling("───\n\n"), "");
        assert_eq!(telling(&"line\n".repeat(30)).lines().count(), LINES);
    }

    #[test]
    fn only_a_path_below_home_is_shortened() {
        assert_eq!(common("/home/u").shown("/home/u/src"), "~/src");
        assert_eq!(common("/home/u").shown("/home/u"), "~");
        assert_eq!(common("/home/u").shown("/home/user2"), "/home/user2");
        assert_eq!(common("").shown("/srv"), "/srv");
    }
}
