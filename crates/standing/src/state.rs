//! What is true of a session: one pure function of its record, tmux's answer and its process.
//!
//! Every verb, the listing and the service's start ask here and nowhere else, so that none can see what another does
//! not. Nothing is done here.

use crate::{
    registry::{Phase, Record},
    tmux::{Pane, Panes, Silence},
};
use wire::{SessionName, State};

/// What was seen of a session.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen<'a> {
    pub(crate) name: &'a SessionName,
    pub(crate) record: Option<&'a Record>,
    /// True if a file stands under the name that cannot be read as a record.
    pub(crate) unreadable: bool,
    pub(crate) panes: Result<&'a Panes, &'a Silence>,
    /// True if the process of the record's last spawn lives, by pid, start and boot.
    pub(crate) process_alive: bool,
}

/// What is true of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    /// No session, no process.
    Gone,
    /// Our harness is alive in this pane.
    Live(Pane),
    /// A retained pane whose program ended, and nothing alive beside it.
    Dead(Pane),
    /// Our session lives on without our harness: an operator's own panes are in it.
    Deserted {
        /// The dead pane of our harness, if it is still there.
        dead: Option<Pane>,
    },
    /// The harness lives, and no session of that name can be seen.
    Orphaned,
    /// A live session of that name that is not ours.
    Foreign(Pane),
    /// tmux did not answer.
    Silent(Silence),
}

impl Condition {
    /// The pane in which our harness is alive.
    pub(crate) fn live(&self) -> Option<&Pane> {
        match self {
            Self::Live(pane) => Some(pane),
            _ => None,
        }
    }

    /// The pane that shows the session, alive or retained, if it is ours.
    pub(crate) fn shown(&self) -> Option<&Pane> {
        match self {
            Self::Live(pane) | Self::Dead(pane) | Self::Deserted { dead: Some(pane) } => Some(pane),
            Self::Deserted { dead: None } | Self::Gone | Self::Orphaned | Self::Foreign(_) | Self::Silent(_) => None,
        }
    }
}

/// Judges what was seen.
pub(crate) fn judge(seen: &Seen<'_>) -> Condition {
    let panes = match seen.panes {
        Ok(panes) => panes.of(seen.name),
        Err(silence) => return Condition::Silent(silence.clone()),
    };
    let Some(first) = panes.first() else {
        return if seen.process_alive { Condition::Orphaned } else { Condition::Gone };
    };
    if panes.iter().all(|pane| pane.dead) {
        return Condition::Dead(seen.record.and_then(|record| ours(record, panes)).unwrap_or(first).clone());
    }
    let Some(record) = seen.record else {
        return Condition::Foreign(first.clone());
    };
    match ours(record, panes) {
        Some(pane) if !pane.dead => Condition::Live(pane.clone()),
        dead => {
            let session_is_ours = !record.loop_id.is_empty() && first.session_loop_id == record.loop_id;
            if session_is_ours {
                Condition::Deserted { dead: dead.cloned() }
            } else {
                Condition::Foreign(first.clone())
            }
        }
    }
}

/// The pane of the record's last spawn.
///
/// A record of another program knows no id. It accounts for a session that has none either; a session with an id
/// belongs to whoever gave it.
fn ours<'a>(record: &Record, panes: &'a [Pane]) -> Option<&'a Pane> {
    if record.of_another_program() {
        return panes.iter().find(|pane| pane.session_loop_id.is_empty() && pane.pane_loop_id.is_empty());
    }
    panes.iter().find(|pane| !pane.pane_loop_id.is_empty() && pane.pane_loop_id == record.loop_id)
}

/// The word for a condition, with what the record was about to do.
pub(crate) fn word(seen: &Seen<'_>, condition: &Condition) -> State {
    if seen.unreadable && !matches!(condition, Condition::Silent(_)) {
        return State::Unreadable;
    }
    let phase = seen.record.and_then(|record| record.phase);
    match condition {
        Condition::Live(_) if matches!(phase, Some(Phase::Stopping | Phase::Deleting)) => State::Stopping,
        Condition::Live(_) if phase == Some(Phase::Starting) => State::Starting,
        Condition::Live(_) => State::Running,
        Condition::Dead(_) | Condition::Deserted { .. } => State::Ended,
        Condition::Orphaned => State::Orphaned,
        Condition::Foreign(_) => State::Foreign,
        Condition::Silent(_) => State::Unknown,
        Condition::Gone if seen.record.is_some() => State::Stopped,
        Condition::Gone => State::Absent,
    }
}

/// How a dead pane's program ended, for a person.
pub(crate) fn how_it_ended(pane: &Pane) -> String {
    match (pane.exit_status, pane.exit_signal) {
        (Some(status), _) => format!("it ended by itself with exit {status}"),
        (None, Some(signal)) => format!("it was ended by signal {signal}"),
        (None, None) => "it ended by itself".to_owned(),
    }
}
