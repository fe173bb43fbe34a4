//! follow: which conversation a session is in, where its harness decides that and not we.
//!
//! Some harnesses make their own conversation ids and tell them only once the conversation is under way, and a person who
//! types into a harness may have it move on to another conversation. So the record follows: after a start, whenever
//! something looks at the session, and after its end from what the harness left behind. Nothing is forgotten: the
//! conversation before is remembered as a former one.

use std::{
    thread,
    time::{Duration, Instant},
};

use super::Context;
use crate::{
    harness::{Ended, Harness, Spawned},
    process::ProcessIdentity,
    registry::Record,
    state::Condition,
    tmux::Pane,
};

/// How long a harness that makes its own ids may take to tell the first one before the start is reported.
const PATIENCE: Duration = Duration::from_secs(5);

const INTERVAL: Duration = Duration::from_millis(50);

impl Context {
    /// Has a held record follow its harness, and writes it if it did. `pid` is the pane's process, if it lives.
    pub(super) fn follow(&self, record: &mut Record, pid: Option<u32>) {
        let learned = self.learn_account(record, pid);
        if self.find_conversation(record, pid) || learned {
            // If it cannot be written, the next verb finds it again.
            let _ = self.registry.write(record);
        }
    }

    /// Has a held record follow a harness that has ended, and writes it if it did. `pane` is its retained pane.
    pub(super) fn follow_ended(&self, record: &mut Record, pane: Option<&Pane>) {
        if let Some(id) = self.left_in(record, pane) {
            self.move_on(record, id);
            let _ = self.registry.write(record);
        }
    }

    /// Waits for a harness that has just been started to tell its conversation. False if that is still not known and
    /// could yet be.
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

    /// Looks once; true if the record was changed.
    pub(super) fn find_conversation(&self, record: &mut Record, pid: Option<u32>) -> bool {
        // What has ended can only be looked for by its traces, which prove less than what is on record.
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

    /// The conversation that a session is in, if it is another one than the one on record, for a look that holds nothing.
    /// The record follows if nothing else is at work on the session.
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
            session: &record.name,
            pid,
            loop_id: &record.loop_id,
            since: &record.spawned_at,
            known: &record.harness_session_id,
            thorough,
        };
        adapter.discover(&place, &spawned).filter(|id| *id != record.harness_session_id)
    }

    /// The conversation that a harness was in when it ended, if it is another one than the one on record.
    fn left_in(&self, record: &Record, pane: Option<&Pane>) -> Option<String> {
        // A stop follows before it ends anything, and leaves no process on record.
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
