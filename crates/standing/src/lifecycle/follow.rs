//! follow: tracks the conversation of a session where the harness chooses it.
//!
//! Some harnesses create their own conversation ids and reveal them only once the conversation has begun, and a
//! person who types into a harness may switch to another conversation. So the record is updated after a start,
//! whenever a verb looks at the session, and after its end from the files of the harness. Nothing is forgotten: the
//! previous conversation is remembered as a former one.

use std::{
    thread,
    time::{Duration, Instant},
};

use harness::{Ended, Harness, Spawned};
use tmux::Pane;

use super::Context;
use crate::{directive, process::ProcessIdentity, registry::Record, state::Condition};

/// Time for a harness that creates its own ids to reveal the first one before the start is reported.
const PATIENCE: Duration = Duration::from_secs(5);

const INTERVAL: Duration = Duration::from_millis(50);

impl Context {
    /// Updates a locked record from its running harness, and writes it if it changed. `pid` is the pane's process, if
    /// it is alive.
    pub(super) fn follow(&self, record: &mut Record, pid: Option<u32>) {
        let learned = self.learn_account(record, pid);
        if self.find_conversation(record, pid) || learned {
            // If the write fails, the next verb finds the change again.
            let _ = self.registry.write(record);
        }
    }

    /// Updates a locked record from its exited harness, and writes it if it changed. `pane` is the retained pane.
    pub(super) fn follow_ended(&self, record: &mut Record, pane: Option<&Pane>) {
        if let Some(id) = self.left_in(record, pane) {
            self.move_on(record, id);
            let _ = self.registry.write(record);
        }
    }

    /// Waits for a harness that has just been started to reveal its conversation. False if the conversation is still
    /// unknown and may become known later.
    pub(super) fn learn(&self, adapter: &dyn Harness, record: &mut Record) -> bool {
        let pid = record.process.as_ref().map(|process| process.pid);
        if !record.harness_session_id.is_empty() || !adapter.makes_its_ids() {
            return true;
        }
        let deadline = Instant::now() + PATIENCE;
        while !self.find_conversation(record, pid) {
            if Instant::now() >= deadline {
                return false;
            }
            thread::sleep(INTERVAL);
        }
        true
    }

    /// Looks once for the conversation; true if the record changed.
    pub(super) fn find_conversation(&self, record: &mut Record, pid: Option<u32>) -> bool {
        // An exited harness can be searched only by its traces, which are weaker evidence than the record.
        if pid.is_none() && !record.harness_session_id.is_empty() {
            return false;
        }
        match self.conversation(record, pid, true) {
            Some(id) => {
                self.move_on(record, id);
                true
            }
            None => false,
        }
    }

    /// Returns the conversation of a session if it differs from the recorded one, for a look without the lock. The
    /// record is updated if no other verb is working on the session.
    pub(super) fn seen_in(&self, record: &Record, condition: &Condition, thorough: bool) -> Option<String> {
        let id = match condition {
            Condition::Live(pane) => self.conversation(record, Some(pane.pid), false),
            Condition::Dead(pane) if thorough => self.left_in(record, Some(pane)),
            Condition::Gone if thorough => self.left_in(record, None),
            _ => None,
        }?;
        if let Some(_hold) = self.registry.try_hold(&record.name)
            && let Ok(Some(mut now)) = self.registry.read_whole(&record.name)
            && now.loop_id == record.loop_id
            && now.harness_session_id == record.harness_session_id
        {
            self.move_on(&mut now, id.clone());
            let _ = self.registry.write(&now);
        }
        Some(id)
    }

    fn conversation(&self, record: &Record, pid: Option<u32>, thorough: bool) -> Option<String> {
        if record.of_another_program() {
            return None;
        }
        let adapter = self.harness(&record.harness).ok()?;
        let place = self.place(record);
        let spawned = Spawned {
            opening: &directive::opening(&record.name),
            pid,
            loop_id: &record.loop_id,
            since: &record.spawned_at,
            known: &record.harness_session_id,
            thorough,
        };
        adapter.discover(&place, &spawned).filter(|id| *id != record.harness_session_id)
    }

    /// Returns the last conversation of an exited harness if it differs from the recorded one.
    fn left_in(&self, record: &Record, pane: Option<&Pane>) -> Option<String> {
        // A stop updates the record before it ends the harness, and leaves no process in the record.
        let process = record.process.as_ref().filter(|process| !ProcessIdentity::is_alive(process))?;
        if record.harness_session_id.is_empty() {
            return None;
        }
        let adapter = self.harness(&record.harness).ok()?;
        let place = self.place(record);
        let last_words = pane.and_then(|pane| self.tmux.capture(pane).into_result().ok().flatten()).unwrap_or_default();
        let ended = Ended {
            session: &record.name,
            process,
            since: &record.spawned_at,
            known: &record.harness_session_id,
            last_words: &last_words,
        };
        adapter.left_in(&place, &ended).filter(|id| *id != record.harness_session_id)
    }

    fn move_on(&self, record: &mut Record, id: String) {
        let former = std::mem::replace(&mut record.harness_session_id, id);
        record.remember_former(&former);
        let Ok(adapter) = self.harness(&record.harness) else { return };
        let between = adapter.between(&self.place(record), &record.spawned_at, &former, &record.harness_session_id);
        for id in &between {
            record.remember_former(id);
        }
    }
}
