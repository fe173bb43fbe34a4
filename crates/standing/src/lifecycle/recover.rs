//! recover: finishes the operation that a crash interrupted, before a verb does its own work.
//!
//! | recorded phase | observed | action |
//! |---|---|---|
//! | starting | the session's pane is live | adopted: the start is recorded as done |
//! | starting | no session, no process | the launch is revoked; the previous conversation stays |
//! | starting | no session, but a process with its id | recorded as its harness, so nothing is spawned beside it |
//! | stopping | anything but silence | the stop is finished |
//! | deleting | anything but silence | the delete is finished |

use harness::Spawned;
use tmux::Pane;
use wire::SessionName;

use crate::{
    Error, clock, directive,
    events::Event,
    launcher,
    process::{self, ProcessIdentity},
    registry::{Hold, Phase, Record, RecordStatus},
    state::Condition,
};

use super::{Context, context::note_process, delete, stop};

impl Context {
    /// Returns the record of a locked session, with nothing left unfinished as far as that can be known.
    pub(crate) fn recover(&self, hold: &Hold, name: &SessionName) -> Result<Option<Record>, Error> {
        let Some(record) = self.read_held(hold, name)? else { return Ok(None) };
        match record.phase {
            Some(Phase::Starting) => self.settle_start(record).map(Some),
            Some(Phase::Stopping) => {
                stop::finish(self, hold, record, Phase::Stopping);
                self.registry.read_whole(name)
            }
            Some(Phase::Deleting) => {
                if stop::finish(self, hold, record, Phase::Deleting).done() {
                    delete::erase(self, name)?;
                }
                self.registry.read_whole(name)
            }
            Some(Phase::Created | Phase::Running | Phase::Stopped) | None => Ok(Some(record)),
        }
    }

    /// Recovers an interrupted start.
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
            Condition::Deserted { .. }
            | Condition::Orphaned
            | Condition::Replaced(_)
            | Condition::Foreign(_)
            | Condition::Unrecorded(_)
            | Condition::Silent(_) => return Ok(record),
        }
        self.registry.write(&record)?;
        Ok(record)
    }

    /// Records a start that succeeded without being recorded.
    fn adopt(&self, record: &mut Record, pane: &Pane) {
        let mut fresh = record.pending.is_some();
        record.keep_pending();
        fresh |= self.find_conversation(record, Some(pane.pid));
        self.tmux.end_drain(pane);
        record.phase = Some(Phase::Running);
        record.status = RecordStatus::Running;
        note_process(record, ProcessIdentity::of(pane.pid), pane);
        if let Ok(adapter) = self.harness(&record.harness) {
            Self::note_account(record, adapter.as_ref());
        }
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

    /// Records a start that failed.
    fn give_up_start(&self, record: &mut Record) {
        self.resolve_pending(record);
        record.phase = Some(Phase::Stopped);
        record.status = RecordStatus::Stopped;
    }

    /// Resolves a conversation whose start was never confirmed. It is adopted if its harness wrote a transcript. If
    /// there is no way to check, the conversation may exist anyway: it is kept, but does not replace one that is
    /// already recorded.
    pub(super) fn resolve_pending(&self, record: &mut Record) {
        let Some(mut pending) = record.pending.take() else { return };
        let account = if pending.account.is_empty() { &record.account } else { &pending.account };
        let place = self.place_in(record, account, pending.cwd.as_ref());
        let adapter = self.harness(&pending.harness).ok();
        let spawned = Spawned {
            opening: &directive::opening(&record.name),
            pid: None,
            loop_id: &record.loop_id,
            since: &record.spawned_at,
            known: &pending.session_id,
            thorough: true,
        };
        if let (true, Some(adapter)) = (pending.session_id.is_empty(), &adapter) {
            pending.session_id = adapter.discover(&place, &spawned).unwrap_or_default();
        }
        if pending.session_id.is_empty() {
            return;
        }
        let transcript = adapter.and_then(|adapter| adapter.transcript(&place, &pending.session_id));
        match transcript {
            Some(path) if !path.exists() => {}
            None if !record.harness_session_id.is_empty() => record.remember_former(&pending.session_id),
            Some(_) | None => {
                record.pending = Some(pending);
                record.keep_pending();
            }
        }
    }
}
