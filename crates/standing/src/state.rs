//! State of a session, as one pure function of its record, the answer of tmux and its process.
//!
//! Every verb, the list and the start of the service use this function, so that all of them agree. It has no side
//! effects.

use tmux::{Pane, Panes, Silence};
use wire::{SessionName, State};

use crate::registry::{Phase, Record};

/// Observations of a session.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen<'a> {
    pub(crate) name: &'a SessionName,
    pub(crate) record: Option<&'a Record>,
    /// Mark of the sessions of this state folder.
    pub(crate) mark: &'a str,
    /// True if there is a file of this name that cannot be read as a record.
    pub(crate) unreadable: bool,
    pub(crate) panes: Result<&'a Panes, &'a Silence>,
    /// True if the process of the record's last spawn is alive, identified by pid, start time and boot.
    pub(crate) process_alive: bool,
    /// True if a verb is working on the session now. If false, an unfinished phase in the record was interrupted.
    pub(crate) at_work: bool,
}

/// Condition of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    /// No tmux session and no process.
    Gone,
    /// The session's harness is alive in this pane.
    Live(Pane),
    /// A retained pane whose program has exited, and no live pane beside it.
    Dead(Pane),
    /// The tmux session is alive without its harness: it contains panes of the operator.
    Deserted {
        /// Dead pane of the harness, if it still exists.
        dead: Option<Pane>,
    },
    /// The harness is alive, and no tmux session of this name is visible.
    Orphaned,
    /// The session's pane runs another program: an operator respawned it.
    Replaced(Pane),
    /// A live tmux session of this name that is not managed by the-loop.
    Foreign(Pane),
    /// A live session of this state folder that has no record.
    Unrecorded(Pane),
    /// tmux did not answer.
    Silent(Silence),
}

impl Condition {
    /// Returns the pane in which the harness is alive.
    pub(crate) fn live(&self) -> Option<&Pane> {
        match self {
            Self::Live(pane) => Some(pane),
            _ => None,
        }
    }

    /// Returns the pane that shows the session, alive or retained, if it belongs to the session.
    pub(crate) fn shown(&self) -> Option<&Pane> {
        match self {
            Self::Live(pane) | Self::Dead(pane) | Self::Deserted { dead: Some(pane) } => Some(pane),
            Self::Deserted { dead: None }
            | Self::Gone
            | Self::Orphaned
            | Self::Replaced(_)
            | Self::Foreign(_)
            | Self::Unrecorded(_)
            | Self::Silent(_) => None,
        }
    }
}

/// Determines the condition from the observations.
pub(crate) fn judge(seen: &Seen<'_>) -> Condition {
    let panes = match seen.panes {
        Ok(panes) => panes.of(seen.name),
        Err(silence) => return Condition::Silent(silence.clone()),
    };
    let Some(first) = panes.first() else {
        return if seen.process_alive { Condition::Orphaned } else { Condition::Gone };
    };
    if panes.iter().all(|pane| pane.dead) {
        // The harness is alive elsewhere, for example on the server of another `routing.tmux.socket`.
        let elsewhere = seen.record.and_then(|record| record.process.as_ref()).filter(|_| seen.process_alive);
        if elsewhere.is_some_and(|process| panes.iter().all(|pane| pane.pid != process.pid)) {
            return Condition::Orphaned;
        }
        return Condition::Dead(seen.record.and_then(|record| ours(record, panes)).unwrap_or(first).clone());
    }
    let Some(record) = seen.record else {
        let marked = |pane: &&Pane| !pane.dead && !pane.pane_loop_id.is_empty() && pane.root == seen.mark;
        return match panes.iter().find(marked) {
            Some(pane) => Condition::Unrecorded(pane.clone()),
            None => Condition::Foreign(first.clone()),
        };
    };
    let ours = ours(record, panes);
    if let Some(pane) = ours.filter(|pane| !pane.dead) {
        return match &record.process {
            Some(process) if process.pid != pane.pid => Condition::Replaced(pane.clone()),
            // A completed stop leaves nothing of the session in its pane.
            None if record.phase == Some(Phase::Stopped) => Condition::Replaced(pane.clone()),
            // It has exited, and tmux has not noticed yet.
            Some(_) if !seen.process_alive => {
                let others_live = panes.iter().any(|other| !other.dead && other.id != pane.id);
                let pane = pane.clone();
                if others_live { Condition::Deserted { dead: Some(pane) } } else { Condition::Dead(pane) }
            }
            _ => Condition::Live(pane.clone()),
        };
    }
    let session_is_ours = !record.loop_id.is_empty() && first.session_loop_id == record.loop_id;
    if session_is_ours { Condition::Deserted { dead: ours.cloned() } } else { Condition::Foreign(first.clone()) }
}

/// Returns the pane of the record's last spawn.
///
/// A record of another program contains no id, so it matches only a pane without an id. A session with an id belongs
/// to the instance that set the id.
fn ours<'a>(record: &Record, panes: &'a [Pane]) -> Option<&'a Pane> {
    if record.of_another_program() {
        return panes.iter().find(|pane| pane.session_loop_id.is_empty() && pane.pane_loop_id.is_empty());
    }
    panes.iter().find(|pane| !pane.pane_loop_id.is_empty() && pane.pane_loop_id == record.loop_id)
}

/// Returns the state for a condition, together with the phase in the record.
pub(crate) fn word(seen: &Seen<'_>, condition: &Condition) -> State {
    if seen.unreadable && !matches!(condition, Condition::Silent(_)) {
        return State::Unreadable;
    }
    let phase = seen.record.and_then(|record| record.phase).filter(|_| seen.at_work);
    let has_pane = matches!(condition, Condition::Live(_) | Condition::Dead(_) | Condition::Deserted { .. });
    match condition {
        // A harness that a verb has just ended did not exit on its own.
        _ if has_pane && matches!(phase, Some(Phase::Stopping | Phase::Deleting)) => State::Stopping,
        _ if (has_pane || *condition == Condition::Gone) && phase == Some(Phase::Starting) => State::Starting,
        Condition::Live(_) => State::Running,
        Condition::Dead(_) | Condition::Deserted { .. } => State::Ended,
        Condition::Orphaned => State::Orphaned,
        Condition::Replaced(_) | Condition::Foreign(_) => State::Foreign,
        Condition::Unrecorded(_) => State::Unrecorded,
        Condition::Silent(_) => State::Unknown,
        Condition::Gone if seen.record.is_some() => State::Stopped,
        Condition::Gone => State::Absent,
    }
}

/// Describes the respawned pane of a session, for people.
pub(crate) fn replaced(pane: &Pane) -> String {
    format!("its pane runs another program (pid {}), which the-loop did not start", pane.pid)
}

/// Describes how the program of a dead pane ended, for people.
pub(crate) fn how_it_ended(pane: &Pane) -> String {
    match (pane.exit_status, pane.exit_signal) {
        (Some(status), _) => format!("exited with status {status}"),
        (None, Some(signal)) => format!("ended by signal {signal}"),
        (None, None) => "it had already exited".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::slice;

    use super::*;
    use process::ProcessIdentity;

    const PID: u32 = 10;

    fn name() -> SessionName {
        SessionName::parse("x").expect("valid")
    }

    /// Returns a record whose harness was spawned as `id` and runs as [`PID`].
    fn record(id: &str) -> Record {
        let mut record = Record::new(&name(), String::new());
        record.loop_id = id.to_owned();
        record.process = Some(ProcessIdentity { pid: PID, start_ticks: 1, boot_id: String::new() });
        record
    }

    fn pane(id: &str, session: &str, own: &str, pid: u32, dead: bool) -> Pane {
        let text = |text: &str| text.to_owned();
        Pane { id: text(id), session_loop_id: text(session), pane_loop_id: text(own), pid, dead, ..Pane::default() }
    }

    fn judged(record: Option<&Record>, panes: &[Pane], process_alive: bool) -> Condition {
        let panes = Panes::holding(&name(), panes);
        judge(&Seen {
            name: &name(),
            record,
            mark: "m",
            unreadable: false,
            panes: Ok(&panes),
            process_alive,
            at_work: false,
        })
    }

    #[test]
    fn the_pane_of_the_record_decides_whatever_stands_beside_it() {
        let ours = record("a");
        let live = pane("%1", "a", "a", PID, false);
        let (dead, split) = (pane("%1", "a", "a", PID, true), pane("%2", "a", "", 11, false));
        let is = |panes: &[Pane], alive, wanted| assert_eq!(judged(Some(&ours), panes, alive), wanted);
        is(&[], false, Condition::Gone);
        is(&[], true, Condition::Orphaned);
        is(slice::from_ref(&live), true, Condition::Live(live.clone()));
        is(&[split.clone(), live.clone()], true, Condition::Live(live.clone()));
        is(slice::from_ref(&dead), false, Condition::Dead(dead.clone()));
        is(&[dead.clone(), split.clone()], false, Condition::Deserted { dead: Some(dead.clone()) });
        is(slice::from_ref(&split), false, Condition::Deserted { dead: None });
    }

    #[test]
    fn a_pane_that_tmux_believes_alive_is_not_if_its_process_has_ended() {
        let ours = record("a");
        let (live, split) = (pane("%1", "a", "a", PID, false), pane("%2", "a", "", 11, false));
        assert_eq!(judged(Some(&ours), slice::from_ref(&live), false), Condition::Dead(live.clone()));
        let deserted = Condition::Deserted { dead: Some(live.clone()) };
        assert_eq!(judged(Some(&ours), &[live, split], false), deserted);
    }

    #[test]
    fn a_pane_that_was_respawned_is_not_our_harness() {
        let other = pane("%1", "a", "a", PID + 1, false);
        assert_eq!(judged(Some(&record("a")), slice::from_ref(&other), false), Condition::Replaced(other));
    }

    #[test]
    fn what_is_not_ours_is_foreign_unless_nothing_lives_in_it() {
        let (theirs, dead) = (pane("%1", "b", "b", PID, false), pane("%1", "b", "b", PID, true));
        assert_eq!(judged(None, slice::from_ref(&theirs), false), Condition::Foreign(theirs.clone()));
        assert_eq!(judged(Some(&record("a")), slice::from_ref(&theirs), false), Condition::Foreign(theirs));
        assert_eq!(judged(None, slice::from_ref(&dead), false), Condition::Dead(dead));
    }

    #[test]
    fn a_record_of_another_program_accounts_for_a_session_without_our_marks_only() {
        let mut theirs = Record::new(&name(), String::new());
        theirs.phase = None;
        let (plain, marked) = (pane("%1", "", "", PID, false), pane("%1", "b", "b", PID, false));
        assert_eq!(judged(Some(&theirs), slice::from_ref(&plain), false), Condition::Live(plain));
        assert_eq!(judged(Some(&theirs), slice::from_ref(&marked), false), Condition::Foreign(marked));
    }

    #[test]
    fn silence_is_not_absence() {
        let silence = Silence("no answer".to_owned());
        let ours = record("a");
        let seen = Seen {
            name: &name(),
            record: Some(&ours),
            mark: "m",
            unreadable: false,
            panes: Err(&silence),
            process_alive: false,
            at_work: false,
        };
        assert_eq!(word(&seen, &judge(&seen)), State::Unknown);
    }

    #[test]
    fn a_verb_is_at_work_only_as_long_as_it_lives() {
        let mut ours = record("a");
        let phases = [
            (Phase::Starting, State::Starting),
            (Phase::Stopping, State::Stopping),
            (Phase::Deleting, State::Stopping),
        ];
        for (dead, left) in [(false, State::Running), (true, State::Ended)] {
            let panes = Panes::holding(&name(), &[pane("%1", "a", "a", PID, dead)]);
            for (phase, at_work) in phases {
                ours.phase = Some(phase);
                let seen = |at_work| Seen {
                    name: &ours.name,
                    record: Some(&ours),
                    mark: "m",
                    unreadable: false,
                    panes: Ok(&panes),
                    process_alive: !dead,
                    at_work,
                };
                assert_eq!(word(&seen(true), &judge(&seen(true))), at_work, "dead: {dead}");
                assert_eq!(word(&seen(false), &judge(&seen(false))), left, "dead: {dead}");
            }
        }
    }
}
