//! Data of one page, read from the watcher before rendering starts, so that rendering never waits.

use std::{path::Path, sync::Arc};

use ::engine::Snapshot;
use ::standing::{Blind, Error, TheLoop, config::ConfigProblems};
use wire::{Row, SessionName};

use crate::{
    context::AppContext,
    counts::Summary,
    look::{Appearance, Group},
    notices::{Draft, Notice, Place},
    query::{Confirm, Query},
    rows::Rows,
    serverfns::CreateForm,
};

/// Number of sessions up to which everything is unfolded.
pub(crate) const FEW: usize = 6;

/// Number of a pane's last lines in an unfolded row.
const LINES: usize = 8;

/// All data of one page.
#[derive(Clone, Debug)]
pub struct Page {
    pub(crate) sessions: Result<Vec<Session>, Trouble>,
    /// Set while tmux does not answer: start time and reason.
    pub(crate) blind: Option<Blind>,
    /// Version of the list, from which the stream of the page continues.
    pub(crate) version: u64,
    pub(crate) harnesses: Vec<Harness>,
    pub(crate) common: Arc<Common>,
}

/// A session in the list.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    pub(crate) row: Row,
    /// Last lines of its pane, if it has one.
    pub(crate) screen: Option<String>,
    /// True if the row is the last known one, since tmux does not answer.
    pub(crate) stale: bool,
    /// True if the row is unfolded.
    pub(crate) open: bool,
}

impl Session {
    fn new(snapshot: &Snapshot, row: &Row) -> Self {
        let known = snapshot.last_known(&row.name);
        let screen = Some(telling(snapshot.screen(&row.name))).filter(|text| !text.is_empty());
        Self { row: known.unwrap_or(row).clone(), screen, stale: known.is_some(), open: false }
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
    pub(crate) rows: Arc<Rows>,
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
        let notice = self.notice_at(&Place::Session(name.to_owned()))?;
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

    /// Returns a session by its name.
    pub(crate) fn session(&self, name: &str) -> Option<&Session> {
        self.sessions().iter().find(|session| session.row.name == name)
    }

    pub(crate) fn summary(&self) -> Summary {
        Summary::of(self.sessions().iter().map(|session| &session.row))
    }

    /// Returns the verb that must be confirmed, with the sessions that exist.
    pub(crate) fn confirmed(&self) -> Option<Confirm> {
        let Confirm { verb, mut names } = self.common.query.confirm.clone()?;
        names.retain(|name| self.session(name).is_some());
        (!names.is_empty()).then_some(Confirm { verb, names })
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

    /// Unfolds the rows that are asked for; in a short list, those that run.
    fn unfold(&mut self) {
        let Ok(sessions) = &mut self.sessions else { return };
        let few = sessions.len() <= FEW;
        for session in sessions {
            let runs = Appearance::of(&session.row).group == Group::Running;
            session.open = few && runs || self.common.query.open.contains(&session.row.name);
        }
    }
}

/// Reads all data of the page at this address.
pub async fn load(context: &AppContext, query: Query) -> Page {
    let notice = query.notice.as_deref().and_then(|id| context.notices().get(id));
    // The stream of this page subscribes before the watcher rests.
    let mut watch = context.engine().watcher().subscribe();
    let _ = watch.first().await;
    let snapshot = match context.engine().watcher().current().await {
        Some(snapshot) => snapshot,
        None => watch.snapshot(),
    };
    let mut page = of_snapshot(context, snapshot, query).await;
    let asked = context.engine().read(|the_loop| the_loop.harnesses().unwrap_or_default()).await;
    page.harnesses = asked.into_iter().map(|(name, found)| Harness { name, found }).collect();
    page.unfold();
    if let Some(mut notice) = notice {
        keep_in_view(&mut notice, &page);
        Arc::make_mut(&mut page.common).notice = Some(notice);
    }
    page
}

/// Returns the data of a list as it was in a snapshot, without the data of forms.
pub(crate) async fn of_snapshot(context: &AppContext, snapshot: Arc<Snapshot>, query: Query) -> Page {
    let rows = Arc::clone(context.rows());
    context.engine().read(move |the_loop| ask(the_loop, &snapshot, query, rows)).await
}

fn ask(the_loop: &TheLoop, snapshot: &Snapshot, query: Query, rows: Arc<Rows>) -> Page {
    let sessions = match snapshot.problem() {
        None => Ok(snapshot.rows().iter().map(|row| Session::new(snapshot, row)).collect::<Vec<_>>()),
        // Only the core's own error has the place of each mistake.
        Some(problem) => Err(match the_loop.standing().list() {
            Err(error) => trouble(error),
            Ok(_) => Trouble::Other(problem.detail.clone()),
        }),
    };
    let config = the_loop.config();
    let socket = &config.settings.routing.tmux.socket;
    Page {
        sessions,
        blind: snapshot.blind.clone(),
        version: snapshot.version,
        harnesses: Vec::new(),
        common: Arc::new(Common {
            query,
            notice: None,
            config_file: config.path.file().display().to_string(),
            home: the_loop.surroundings().home().and_then(Path::to_str).unwrap_or_default().to_owned(),
            tmux: if socket.is_empty() { "tmux".to_owned() } else { format!("tmux -L {socket}") },
            rows,
        }),
    }
}

/// Moves a notice about a session without an unfolded row to the top of the page.
fn keep_in_view(notice: &mut Notice, page: &Page) {
    let Place::Session(name) = &notice.place else { return };
    if !page.session(name).is_some_and(|session| session.open) {
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
            rows: Arc::default(),
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
