//! The sessions in groups: waiting for an answer, running, not running.

use std::{fmt, sync::Arc};

use leptos::prelude::*;

use crate::{
    page::{Common, Session},
    screens::{
        card::Card,
        state::{Appearance, Group},
    },
};

/// Number of sessions in each group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counts {
    all: usize,
    pub(crate) waiting: usize,
    running: usize,
}

/// Counts the sessions. A session that waits for an answer also counts as running.
pub(crate) fn counts(sessions: &[Session]) -> Counts {
    let of = |group| sessions.iter().filter(|session| Appearance::of(&session.row).group == group).count();
    let waiting = of(Group::Waits);
    Counts { all: sessions.len(), waiting, running: of(Group::Running) + waiting }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.all {
            0 => return Ok(()),
            1 => write!(f, "1 session")?,
            n => write!(f, "{n} sessions")?,
        }
        match self.waiting {
            0 => {}
            1 => write!(f, " · 1 waiting for you")?,
            n => write!(f, " · {n} waiting for you")?,
        }
        match self.running {
            0 => write!(f, " · none running"),
            n => write!(f, " · {n} running"),
        }
    }
}

/// Renders headings and cards in one flat list. A card that changes its group keeps its node in the document, so that
/// typing in it is not disturbed.
#[component]
pub(crate) fn List(sessions: Vec<Session>, common: Arc<Common>) -> impl IntoView {
    let filter = common.query.filter.clone();
    let shown = |session: &Session| {
        let row = &session.row;
        filter.takes(row.declared, &format!("{} {} {}", row.name, Appearance::of(row).word, row.description))
    };
    let none = !sessions.iter().any(shown);
    let groups = Group::ALL.map(|group| {
        let members: Vec<&Session> =
            sessions.iter().filter(|session| Appearance::of(&session.row).group == group).collect();
        let heading = (!members.is_empty()).then(|| {
            let hidden = !members.iter().any(|session| shown(session));
            view! {
                <h2 class="group" id=group.id() hidden=hidden>
                    {group.title()}
                </h2>
            }
        });
        let cards = members
            .into_iter()
            .map(|session| {
                view! { <Card session=session.clone() hidden=!shown(session) common=common.clone() /> }
            })
            .collect_view();
        (heading, cards)
    });
    view! {
        <div class="list" id="list">
            {groups.into_iter().collect_view()}
            <p class="nothing" id="nothing" hidden=!none>
                "No sessions match this filter. "
                <a href="/">"Show all"</a>
            </p>
        </div>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counts_read_as_a_sentence() {
        let text = |all, waiting, running| Counts { all, waiting, running }.to_string();
        assert_eq!(text(5, 1, 3), "5 sessions · 1 waiting for you · 3 running");
        assert_eq!(text(1, 0, 0), "1 session · none running");
        assert_eq!(text(0, 0, 0), "");
    }
}
