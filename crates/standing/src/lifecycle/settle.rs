//! settle: what a crash left half done is finished before a verb does its own work.
//!
//! | recorded intent | seen | done |
//! |---|---|---|
//! | starting | our pane lives | adopted: the start is recorded as done |
//! | starting | no session, no process | the launch is taken back; the conversation before it stands |
//! | starting | no session, but a process with our id | recorded as its harness, so that nothing is spawned beside it |
//! | stopping | anything but silence | the stop is finished |
//! | deleting | anything but silence | the delete is finished |

use crate::{
    Error, clock,
    events::Event,
    harness::Place,
    launcher, process,
    registry::{Hold, Phase, Record, RecordStatus},
    state::Condition,
    tmux::Pane,
};
use wire::SessionName;

use super::{Scope, stop};

impl Scope {
    /// The record of a session that is held, with nothing left half done if that can be known.
    pub(crate) fn settle(&self, hold: &Hold, name: &SessionName) -> Result<Option<Record>, Error> {
        let Some(record) = self.registry.read_whole(name)? else { return Ok(None) };
        match record.phase {
            Some(Phase::Starting) => self.settle_start(record).map(Some),
            Some(Phase::Stopping) => {
                stop::finish(self, hold, record, Phase::Stopping);
                self.registry.read_whole(name)
            }
            Some(Phase::Deleting) => {
                if stop::finish(self, hold, record, Phase::Deleting).done() {
                    self.registry.remove(name)?;
                    self.emit(Event::info("standing.deleted").with("standing", name.as_str()));
                }
                self.registry.read_whole(name)
            }
            Some(Phase::Created | Phase::Running | Phase::Stopped) | None => Ok(Some(record)),
        }
    }

    /// Settles a start that was cut short.
    pub(super) fn settle_start(&self, mut record: Record) -> Result<Record, Error> {
        match self.condition(&record) {
            Condition::Live(pane) => self.adopt(&mut record, &pane),
            Condition::Gone => {
                launcher::revoke(&self.registry.launch_dir().join(format!("{}.json", record.loop_id)));
                match process::carrying(&record.loop_id).into_iter().next() {
                    Some(survivor) => record.process = Some(survivor.identity),
                    None => self.give_up_start(&mut record),
                }
            }
            Condition::Dead(_) => self.give_up_start(&mut record),
            Condition::Deserted { .. } | Condition::Orphaned | Condition::Foreign(_) | Condition::Silent(_) => {
                return Ok(record);
            }
        }
        self.registry.write(&record)?;
        Ok(record)
    }

    /// A start that came to its end without anybody to record it.
    fn adopt(&self, record: &mut Record, pane: &Pane) {
        let mut fresh = !record.pending_session_id.is_empty();
        keep_pending(record);
        fresh |= self.find_conversation(record, Some(pane.pid));
        self.tmux.end_drain(pane);
        record.phase = Some(Phase::Running);
        record.status = RecordStatus::Running;
        record.process = process::ProcessIdentity::of(pane.pid);
        record.server_pid = pane.server_pid;
        record.started_at = clock::now();
        let event = if fresh { "standing.started" } else { "standing.resumed" };
        self.emit(
            Event::info(event)
                .with("standing", record.name.as_str())
                .with("harness", record.harness.as_str())
                .with("harness_session_id", record.harness_session_id.as_str())
                .with("tmux_target", record.tmux_target.as_str())
                .with("cwd", record.cwd.as_str())
                .with("adopted", true),
        );
    }

    /// A start that came to nothing.
    fn give_up_start(&self, record: &mut Record) {
        self.resolve_pending(record);
        record.phase = Some(Phase::Stopped);
        record.status = RecordStatus::Stopped;
    }

    /// A conversation whose start was never proven counts only if the harness wrote it down.
    pub(super) fn resolve_pending(&self, record: &mut Record) {
        let place = Place { surroundings: &self.surroundings, cwd: record.cwd.as_ref() };
        let written = self
            .harness(&record.harness)
            .ok()
            .and_then(|harness| harness.transcript(&place, &record.pending_session_id))
            .is_some_and(|path| !record.pending_session_id.is_empty() && path.exists());
        if written {
            keep_pending(record);
        }
        record.pending_session_id.clear();
    }
}

/// The conversation of a fresh start becomes the session's own; the one before it is remembered.
fn keep_pending(record: &mut Record) {
    let pending = std::mem::take(&mut record.pending_session_id);
    if !pending.is_empty() {
        let former = std::mem::replace(&mut record.harness_session_id, pending);
        record.remember_former(&former);
    }
}
