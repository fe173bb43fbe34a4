//! Recognises sessions of the-loop by their own marks, where the record is incomplete or missing.
//!
//! | record | found | result |
//! |---|---|---|
//! | rewritten by another program, without the keys of the-loop | a pane with the marks, or a process | the session is managed; a verb that locks it restores the keys |
//! | missing | a live pane with the marks | the session is `unrecorded`: `restore` restores the record, and no other verb touches it |
//!
//! The marks name the state folder, so a session of another project is never mistaken for one of this project.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use harness::BUILT_IN;
use tmux::{Pane, Panes};
use wire::{Remedy, Row, SessionName};

use super::{Context, context::note_process, detail::Detail, restore::in_words};
use crate::{
    Error, clock,
    launcher::{ROOT_VAR, SESSION_VAR},
    notices,
    process::{self, LOOP_ID_VAR, ProcessHold, ProcessIdentity},
    registry::{Entry, Hold, Phase, Record, RecordStatus, WITHOUT_NAMES},
};

impl Context {
    /// Completes a record from the marks of its session, if another program dropped keys.
    ///
    /// Processes without a session are searched if another program considers the session running, or if `thorough`.
    pub(super) fn recognised(&self, record: &Record, panes: &Panes, thorough: bool) -> Option<Record> {
        if !record.of_another_program() && !self.is_outdated(record, panes) {
            return None;
        }
        let of_name = panes.of(&record.name);
        let pane = of_name.iter().find(|pane| self.is_ours(pane) || names_conversation(pane, record));
        let mut known = record.clone();
        known.phase = Some(Phase::Running);
        if let Some(pane) = pane {
            known.loop_id.clone_from(&pane.pane_loop_id);
            note_process(&mut known, ProcessIdentity::of(pane.pid), pane);
            return Some(known);
        }
        if !of_name.is_empty() || !(thorough || record.status == RecordStatus::Running) {
            return None;
        }
        known.loop_id = self.id_of_processes(&record.name)?;
        known.process = process::carrying(&known.loop_id).into_iter().next().map(|held| held.identity);
        Some(known)
    }

    /// Returns the record of a locked session, with the keys restored that another program dropped.
    pub(super) fn read_held(&self, _hold: &Hold, name: &SessionName) -> Result<Option<Record>, Error> {
        let Some(record) = self.registry.read_whole(name)? else { return Ok(None) };
        // Silence is not absence: nothing is concluded from it.
        let Ok(panes) = self.look() else { return Ok(Some(record)) };
        let mut completed = match self.recognised(&record, &panes, true) {
            Some(known) => {
                let kept = self.registry.copy_for(&record).or_else(|| self.kept(name, &known.loop_id));
                let kept = kept.and_then(|kept| kept.with_published_of(&known));
                let mut completed = kept.unwrap_or_else(|| known.clone());
                completed.loop_id.clone_from(&known.loop_id);
                (completed.process, completed.server) = (known.process, known.server);
                report_lost(name, &completed.left_out.take().unwrap_or_default());
                completed.phase = Some(Phase::Running);
                completed
            }
            // Nothing of the session runs, but the dropped keys are still needed for a resume.
            None if record.of_another_program() => {
                let copy = self.registry.copy_for(&record).and_then(|copy| copy.with_published_of(&record));
                let Some(mut completed) = copy else { return Ok(Some(record)) };
                completed.phase = Some(Phase::Stopped);
                completed
            }
            None => return Ok(Some(record)),
        };
        completed.pending = None;
        // If the write fails, the next verb does this again.
        let _ = self.registry.write(&completed);
        Ok(Some(completed))
    }

    /// True if the pane belongs to a session of this state folder.
    pub(super) fn is_ours(&self, pane: &Pane) -> bool {
        !pane.pane_loop_id.is_empty() && pane.root == self.mark
    }

    /// Adds the live sessions of this state folder that have no record.
    pub(crate) fn add_unrecorded(&self, entries: &mut BTreeMap<SessionName, Entry>, panes: &Panes) {
        for (name, panes) in panes.sessions() {
            if !entries.contains_key(name) && panes.iter().any(|pane| !pane.dead && self.is_ours(pane)) {
                entries.insert(name.clone(), Entry::Vacant);
            }
        }
    }

    /// Returns the pane of a live session of this state folder that has no record.
    pub(crate) fn unrecorded(&self, name: &SessionName) -> Option<Pane> {
        let panes = self.look().ok()?;
        panes.of(name).iter().find(|pane| !pane.dead && self.is_ours(pane)).cloned()
    }

    /// Refuses a name that is neither declared nor recorded, and reports its session if only the record is missing.
    pub(super) fn resolve_vacant(&self, name: &SessionName) -> Result<(), Error> {
        match self.definitions().resolve(name, None) {
            Ok(_) => Ok(()),
            Err(unknown) => Err(self.unrecorded(name).map_or(unknown, |_| self.is_unrecorded(name))),
        }
    }

    pub(super) fn is_unrecorded(&self, name: &SessionName) -> Error {
        let (session, socket) = (name.tmux_session(), self.tmux.socket_name());
        Error::Unrecorded { name: name.clone(), session, socket }
    }

    /// Reconstructs the record of a session that lost it, from its marks and its process.
    pub(crate) fn remembered(&self, name: &SessionName, pane: &Pane) -> Record {
        let mut record = self.kept(name, &pane.pane_loop_id).unwrap_or_else(|| self.told_by_process(name, pane));
        record.keep_pending();
        record.loop_id.clone_from(&pane.pane_loop_id);
        record.phase = Some(Phase::Running);
        record.status = RecordStatus::Running;
        if record.started_at.is_empty() {
            record.started_at.clone_from(&record.spawned_at);
        }
        note_process(&mut record, ProcessIdentity::of(pane.pid), pane);
        self.learn_account(&mut record, Some(pane.pid));
        self.find_conversation(&mut record, Some(pane.pid));
        record
    }

    /// Adds to a row the known facts about a session without a record.
    pub(super) fn note_unrecorded(&self, row: &mut Row, name: &SessionName, pane: &Pane) {
        let record = self.remembered(name, pane);
        row.harness.clone_from(&record.harness);
        row.description.clone_from(&record.description);
        row.cwd.clone_from(&record.cwd);
        row.harness_session_id.clone_from(&record.harness_session_id);
        row.started_at.clone_from(&record.started_at);
        row.pid = Some(pane.pid);
    }

    /// Returns the record as it was at the spawn, which is stored in the tmux session.
    fn kept(&self, name: &SessionName, loop_id: &str) -> Option<Record> {
        let text = self.tmux.kept(name).into_result().ok()??;
        Record::parse(&text, name).ok().filter(|record| record.loop_id == loop_id)
    }

    /// Reconstructs a record from the process of the harness.
    fn told_by_process(&self, name: &SessionName, pane: &Pane) -> Record {
        let mut record = Record::new(name, clock::now());
        record.left_out = Some(WITHOUT_NAMES.map(str::to_owned).to_vec());
        let argv = arguments(pane.pid);
        record.harness = self.harness_of(&argv).unwrap_or_default();
        record.cwd =
            fs::read_link(format!("/proc/{}/cwd", pane.pid)).map(|cwd| cwd.display().to_string()).unwrap_or_default();
        record.harness_session_id =
            argv.iter().find(|word| uuid::Uuid::try_parse(word).is_ok()).cloned().unwrap_or_default();
        record
    }

    /// Returns the harness whose program a command line runs, directly or by an interpreter.
    fn harness_of(&self, argv: &[String]) -> Option<String> {
        let custom = self.settings().routing.harnesses.keys().map(String::as_str);
        let runs = |name: &&str| {
            let Ok(adapter) = self.harness(name) else { return false };
            let program = Path::new(adapter.program()).file_name();
            let begins = argv.iter().take(2).any(|word| Path::new(word).file_name() == program);
            begins && (*name != "demo" || argv.get(1).is_some_and(|word| word == "demo"))
        };
        custom.chain(BUILT_IN).find(runs).map(str::to_owned)
    }

    /// True if a record is from an earlier spawn than the live session of this folder: an old record was put in its
    /// place.
    fn is_outdated(&self, record: &Record, panes: &Panes) -> bool {
        let of_name = panes.of(&record.name);
        !record.loop_id.is_empty()
            && record.phase != Some(Phase::Starting)
            && of_name.iter().any(|pane| !pane.dead && self.is_ours(pane))
            && !of_name.iter().any(|pane| [&pane.pane_loop_id, &pane.session_loop_id].contains(&&record.loop_id))
            && !record.process.as_ref().is_some_and(ProcessIdentity::is_alive)
    }

    /// Returns the id of the living processes of a session, wherever its tmux session is.
    pub(super) fn id_of_processes(&self, name: &SessionName) -> Option<String> {
        let of_session = self.processes_of(name);
        let mut ids = of_session.iter().filter_map(|held| process::variable_of(held.identity.pid, LOOP_ID_VAR));
        ids.find(|id| !id.is_empty())
    }

    /// Returns the sessions of this state folder that have a living process.
    pub(super) fn names_of_processes(&self) -> BTreeSet<SessionName> {
        let found = process::with_variable(ROOT_VAR, &self.mark);
        let names = found.iter().filter_map(|held| process::variable_of(held.identity.pid, SESSION_VAR));
        names.filter_map(|name| SessionName::parse(&name).ok()).collect()
    }

    /// Returns the living processes of a session of this state folder, wherever its tmux session is.
    pub(super) fn processes_of(&self, name: &SessionName) -> Vec<ProcessHold> {
        let mut found = process::with_variable(SESSION_VAR, name.as_str());
        found.retain(|held| process::variable_of(held.identity.pid, ROOT_VAR).as_deref() == Some(&self.mark));
        found
    }
}

/// Returns the session that a process belongs to, as its harness or a descendant of it. The environment of the
/// process names the session, and the record must agree: another instance of the-loop may have a session of the same
/// name.
pub(crate) fn session_of(context: &Context, pid: u32) -> Option<SessionName> {
    let id = process::variable_of(pid, LOOP_ID_VAR).filter(|id| !id.is_empty())?;
    let name = SessionName::parse(&process::variable_of(pid, SESSION_VAR)?).ok()?;
    // The mark of the state folder counts as well, for a record that was lost or rewritten.
    let marked = process::variable_of(pid, ROOT_VAR).is_some_and(|mark| mark == context.mark);
    let ours = marked || context.registry.read(&name).record().is_some_and(|record| record.loop_id == id);
    ours.then_some(name)
}

/// Describes a session without a record.
pub(crate) fn unrecorded(name: &SessionName) -> Detail {
    Detail::new("running, but its record is missing", [Remedy::Restore { name: name.clone() }])
}

/// Reports variables and secrets that another program dropped from a record, and that no copy holds. That program kept
/// the other keys of a definition.
fn report_lost(name: &SessionName, left_out: &[String]) {
    let private = |key: &&String| key.starts_with("env") || key.starts_with("secrets");
    let lost: Vec<String> = left_out.iter().filter(private).cloned().collect();
    if !lost.is_empty() {
        notices::tell(format!(
            "`{name}`: another program rewrote its record without {}: declare the session with them in \
             `standingSessions.sessions` of the config before its next start",
            in_words(&lost)
        ));
    }
}

/// True if a pane from a version whose marks did not name the folder runs the conversation of a record.
fn names_conversation(pane: &Pane, record: &Record) -> bool {
    let id = &record.harness_session_id;
    let marked = !pane.pane_loop_id.is_empty() && pane.root.is_empty();
    marked && !id.is_empty() && arguments(pane.pid).contains(id)
}

/// Returns the command line of a process.
fn arguments(pid: u32) -> Vec<String> {
    let raw = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    raw.split(|&byte| byte == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}
