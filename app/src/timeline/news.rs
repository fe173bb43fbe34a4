//! New entries of a page that is open, as finished HTML for its event stream.

use ::standing::{
    SessionName,
    timeline::{Kinds, TimelineQuery},
};
use jiff::Timestamp;
use leptos::prelude::*;

use super::{
    EventsQuery,
    item::{Item, Scope, id_of},
    list::Head,
    time,
};
use crate::AppContext;

/// New entries after a position in the event log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct News {
    /// Items in the order in which they are added: each goes to the top of the list.
    pub items: Vec<NewsItem>,
    /// Position from which the next call continues.
    pub position: u64,
    /// True if lines are missing: the page must be read again.
    pub gap: bool,
}

/// Item of a timeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewsItem {
    /// Id of the element. An element with this id is replaced: the verdict of a message changed.
    pub id: String,
    /// The `<li>` element.
    pub html: String,
    /// Day of the entry, as in `data-day` of the list that it belongs to: `2026-11-30`.
    pub day: String,
    /// Heading of that day, if the page has no list of it yet.
    pub head: String,
}

/// Page that news are for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewsOf {
    /// Page of one session, with all entries or messages only.
    Session {
        /// Name of the session.
        name: SessionName,
        /// `messages`, or empty for all entries.
        kind: String,
    },
    /// Events page with its filter.
    Events(EventsQuery),
}

impl NewsOf {
    fn scope(&self) -> Scope {
        match self {
            Self::Session { .. } => Scope::Session,
            Self::Events(_) => Scope::All,
        }
    }

    fn query(&self) -> TimelineQuery {
        match self {
            Self::Session { name, kind } => {
                TimelineQuery { kinds: Kinds::parse(kind), ..TimelineQuery::of(name.clone()) }
            }
            Self::Events(query) => query.for_core().0,
        }
    }
}

/// Returns the new entries of a session, or of all sessions that match the filter of an Events page. An unreadable log
/// has no news.
pub async fn news(context: &AppContext, of: &NewsOf, position: u64) -> News {
    let scope = of.scope();
    let Ok(news) = context.engine().timeline_news(of.query(), position).await else {
        return News { position, ..News::default() };
    };
    let now = Timestamp::now();
    let item = |entry: ::standing::timeline::Entry| {
        let (id, day) = (id_of(&entry), time::day(entry.at));
        let html = Owner::new().with(|| view! { <Item entry=entry scope=scope /> }.to_html());
        let head = Owner::new().with(|| view! { <Head day=day.clone() scope=scope now=now /> }.to_html());
        NewsItem { id, html: ::standing::text::inert(&html), head, day }
    };
    News { items: news.entries.into_iter().map(item).collect(), position: news.position, gap: news.gap }
}
