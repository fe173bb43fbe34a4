//! follow: which conversation a session is in, where its harness decides that and not we.
//!
//! Some harnesses make their own conversation ids and tell them only once the conversation is under way, and whoever
//! types into a harness may have it move on to another conversation. So the record follows: after a start, and at every
//! later verb that holds the session's lock. Nothing is forgotten: the conversation before is remembered as a former one.

use std::{
    thread,
    time::{Duration, Instant},
};

use super::Scope;
use crate::{
    harness::{Harness, Spawned},
    registry::Record,
};

/// How long a harness that makes its own ids may take to tell the first one before the start is reported.
const PATIENCE: Duration = Duration::from_secs(5);

const INTERVAL: Duration = Duration::from_millis(50);

impl Scope {
    /// Has a held record follow its harness, and writes it if it did. `pid` is the pane's process, if it lives.
    pub(super) fn follow(&self, record: &mut Record, pid: Option<u32>) {
        let learned = self.learn_account(record, pid);
        if self.find_conversation(record, pid) || learned {
            // If it cannot be written, the next verb finds it again.
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
        if record.of_another_program() || (pid.is_none() && !record.harness_session_id.is_empty()) {
            return false;
        }
        let Ok(adapter) = self.harness(&record.harness) else { return false };
        let place = self.place(record);
        let spawned = Spawned {
            session: &record.name,
            pid,
            loop_id: &record.loop_id,
            since: &record.spawned_at,
            known: &record.harness_session_id,
        };
        let found = adapter.discover(&place, &spawned).filter(|id| *id != record.harness_session_id);
        let Some(id) = found else { return false };
        let former = std::mem::replace(&mut record.harness_session_id, id);
        record.remember_former(&former);
        true
    }
}
