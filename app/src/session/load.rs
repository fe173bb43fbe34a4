//! Data of a session's page.

use std::sync::Arc;

use ::engine::Sample;
use ::standing::{Blind, Details, Error, PaneView};
use wire::SessionName;

use crate::{
    context::AppContext,
    look::Appearance,
    page::{Common, Page, Session, load},
    query::Query,
    session::missing::MissingPage,
    timeline::{SessionTimeline, of_session},
};

/// All data of one session's page.
#[derive(Clone, Debug)]
pub struct SessionPage {
    pub(crate) session: Session,
    pub(crate) details: Details,
    /// The pane; `None` if the session has none, or the reason why it could not be read.
    pub(crate) pane: Result<Option<PaneView>, String>,
    pub(crate) timeline: SessionTimeline,
    /// CPU and memory of the last hour, as far as it was watched.
    pub(crate) used: Vec<Sample>,
    pub(crate) turn: Turn,
    /// Set while tmux does not answer: start time and reason.
    pub(crate) blind: Option<Blind>,
    /// Version of the list, from which the stream of the page continues.
    pub(crate) version: u64,
    pub(crate) tab: Tab,
    /// True if the config enables the terminal.
    pub(crate) terminal: bool,
    pub(crate) common: Arc<Common>,
}

/// Place of a session in the list, and the sessions beside it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Turn {
    pub(crate) number: usize,
    pub(crate) all: usize,
    pub(crate) before: Option<String>,
    pub(crate) after: Option<String>,
}

/// Part of the page that a phone shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tab {
    /// Pane, prompt and message box.
    #[default]
    Pane,
    /// Events and messages.
    Timeline,
    /// Facts.
    About,
}

impl Tab {
    /// All tabs, in the order of the page.
    pub(crate) const ALL: [Self; 3] = [Self::Pane, Self::Timeline, Self::About];

    /// Returns the value in the address and in the style sheet.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Pane => "pane",
            Self::Timeline => "timeline",
            Self::About => "about",
        }
    }

    fn parse(text: &str) -> Self {
        Self::ALL.into_iter().find(|tab| tab.as_str() == text).unwrap_or_default()
    }
}

/// Result of a request for a session's page.
#[derive(Clone, Debug)]
pub enum Found {
    /// The session.
    Session(Box<SessionPage>),
    /// There is no session of this name.
    Missing(MissingPage),
    /// The sessions could not be listed. The list says why.
    Trouble(Box<Page>),
}

/// Reads all data of the page of a session. `query` is the part of the address after its `?`.
pub async fn load_session(context: &AppContext, name: &str, query: &str) -> Found {
    let value = |wanted: &str| {
        let found = form_urlencoded::parse(query.as_bytes()).find(|(key, _)| key == wanted);
        found.map(|(_, value)| value.into_owned())
    };
    let (kind, before) = (value("kind"), value("before"));
    // The links of the timeline lead to itself.
    let other = if kind.is_some() || before.is_some() { Tab::Timeline } else { Tab::default() };
    let tab = value("tab").map_or(other, |tab| Tab::parse(&tab));
    let Query { notice, hold, .. } = Query::parse(query);
    // A notice about the session stays with it, as in its unfolded row.
    let open = vec![name.to_owned()];
    let page = load(context, Query { open, hold, notice, ..Query::default() }).await;
    if page.sessions.is_err() {
        return Found::Trouble(Box::new(page));
    }
    let parsed = SessionName::parse(name).ok();
    let found = parsed.and_then(|name| page.session(name.as_str()).cloned().map(|session| (name, session)));
    let Some((parsed, session)) = found else { return Found::Missing(MissingPage::of(&page, name)) };
    let details = context.engine().details(name).await.unwrap_or_default();
    let pane = context.engine().pane(name).await.map_err(|error| match error {
        // A reader did not ask for anything that could have been done.
        Error::TmuxSilent { .. } => "tmux did not answer.".to_owned(),
        error => error.to_string(),
    });
    let timeline = of_session(context, &parsed, &kind.unwrap_or_default(), &before.unwrap_or_default()).await;
    let turn = Turn::of(&page, name);
    let used = context.engine().watcher().history(name);
    let terminal = context.config().await.settings.routing.web_terminal.enabled;
    let Page { blind, version, common, .. } = page;
    Found::Session(Box::new(SessionPage {
        session,
        details,
        pane,
        timeline,
        used,
        turn,
        blind,
        version,
        tab,
        terminal,
        common,
    }))
}

impl Turn {
    /// Finds a session in the order of the list.
    fn of(page: &Page, name: &str) -> Self {
        let mut ranked: Vec<_> = page
            .sessions()
            .iter()
            .map(|session| {
                let look = Appearance::of(&session.row);
                (look.group, look.rank(&session.row), &session.row.name)
            })
            .collect();
        ranked.sort_unstable();
        let Some(at) = ranked.iter().position(|(.., other)| *other == name) else { return Self::default() };
        let beside = |at: Option<usize>| at.and_then(|at| ranked.get(at)).map(|(.., name)| (*name).clone());
        Self { number: at + 1, all: ranked.len(), before: beside(at.checked_sub(1)), after: beside(Some(at + 1)) }
    }
}
