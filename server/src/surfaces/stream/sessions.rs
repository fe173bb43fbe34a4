//! The sessions as one look found them, and what changed since another.

use std::collections::BTreeMap;

use engine::Engine;
use tokio::sync::watch;
use wire::{Problem, Row, SessionChange};

use super::watch::Seen;

/// What a look found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sessions {
    Listed(BTreeMap<String, Row>),
    /// They cannot be listed.
    Refused(Problem),
}

/// What changed between two looks.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Change {
    Session(SessionChange),
    Refused(Problem),
    /// They can be listed again.
    Listed,
}

impl Sessions {
    /// Looks at all of them, screens included: what a harness is doing stands there.
    pub(super) async fn look(engine: &Engine) -> Self {
        match engine.survey(0).await {
            Ok(found) => Self::Listed(found.into_iter().map(|(row, _)| (row.name.clone(), row)).collect()),
            Err(error) => Self::Refused(error.problem()),
        }
    }

    pub(super) fn problem(&self) -> Option<&Problem> {
        match self {
            Self::Listed(_) => None,
            Self::Refused(problem) => Some(problem),
        }
    }

    pub(super) fn changes(&self, now: &Self) -> Vec<Change> {
        match (self, now) {
            (Self::Listed(before), Self::Listed(now)) => between(before, now),
            (Self::Refused(_), Self::Listed(_)) => vec![Change::Listed],
            (before, Self::Refused(problem)) if before.problem() != Some(problem) => {
                vec![Change::Refused(problem.clone())]
            }
            (_, Self::Refused(_)) => Vec::new(),
        }
    }
}

fn between(before: &BTreeMap<String, Row>, now: &BTreeMap<String, Row>) -> Vec<Change> {
    let changed = now.values().filter(|row| before.get(&row.name) != Some(row)).map(SessionChange::of);
    let gone = before.keys().filter(|name| !now.contains_key(*name)).map(|name| SessionChange::gone(name));
    changed.chain(gone).map(Change::Session).collect()
}

/// The first look since somebody watches.
pub(super) async fn first(seen: &mut watch::Receiver<Seen>) -> std::sync::Arc<Sessions> {
    loop {
        if let Some(sessions) = &seen.borrow_and_update().sessions {
            return std::sync::Arc::clone(sessions);
        }
        if seen.changed().await.is_err() {
            // The watcher is gone with its service; the stream is about to end.
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use wire::{ProblemCode, State};

    use super::*;

    fn listed(rows: &[(&str, State)]) -> Sessions {
        let row = |&(name, state): &(&str, State)| (name.to_owned(), Row { state, ..Row::titled(name) });
        Sessions::Listed(rows.iter().map(row).collect())
    }

    fn refused(detail: &str) -> Sessions {
        Sessions::Refused(Problem::new(ProblemCode::Misconfigured, detail))
    }

    #[test]
    fn what_is_new_changed_or_gone_is_told() {
        let before = listed(&[("gone", State::Stopped), ("same", State::Running), ("turned", State::Starting)]);
        let now = listed(&[("new", State::Stopped), ("same", State::Running), ("turned", State::Running)]);
        let told = before.changes(&now).into_iter().filter_map(|change| match change {
            Change::Session(change) => Some((change.name, change.listed, change.state)),
            _ => None,
        });
        let told: Vec<_> = told.collect();
        assert_eq!(
            told,
            [
                ("new".to_owned(), true, State::Stopped),
                ("turned".to_owned(), true, State::Running),
                ("gone".to_owned(), false, State::Absent),
            ]
        );
        assert_eq!(now.changes(&now), []);
    }

    #[test]
    fn trouble_is_told_once_and_so_is_its_end() {
        let (fine, trouble) = (listed(&[]), refused("a"));
        assert!(matches!(fine.changes(&trouble)[..], [Change::Refused(_)]));
        assert_eq!(trouble.changes(&trouble), []);
        assert!(matches!(trouble.changes(&refused("b"))[..], [Change::Refused(_)]));
        assert_eq!(trouble.changes(&fine), [Change::Listed]);
    }
}
