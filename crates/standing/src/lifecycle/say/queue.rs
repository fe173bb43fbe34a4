//! Messages that a harness received and has not accepted as turns: in its own queue, or unsent in its input box.
//!
//! Each message is tracked until the transcript records it as a turn. If a process exits with messages left, they are
//! sent to the next process, in order, unless that process shows them in its own queue. The texts are stored in a
//! private file that is removed with the session.

use std::{collections::BTreeSet, fs, io, path::PathBuf};

use harness::{Harness, Screen};
use serde::{Deserialize, Serialize};
use tmux::Pane;
use wire::{Evidence, SessionName, Verdict};

use super::{
    deliver::Delivery,
    evidence::{Found, Transcript, Watch},
    keep, ready,
};
use crate::{
    events::Event,
    lifecycle::Context,
    registry::{self, Record},
    text,
    turns::{Sent, Turns},
};

/// End of the file name of a session's messages.
const QUEUED: &str = ".queued.json";

/// Place of a message that is not a turn yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum At {
    /// In the harness's own queue.
    Queue,
    /// Unsent in its input box.
    Box,
}

/// Message that is not a turn yet.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Untaken {
    pub(super) message_id: String,
    pub(super) actor: String,
    /// Text as it was pasted, including the line that names the sender.
    pub(super) message: String,
    pub(super) at: At,
    /// Id of the spawn that received it.
    pub(super) loop_id: String,
    /// Conversation that it was sent in.
    pub(super) conversation: String,
    /// Transcript of that conversation, and its length before.
    pub(super) transcript: Option<PathBuf>,
    pub(super) transcript_from: u64,
}

/// Result of sending a message again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Handed {
    /// It needs no further tracking.
    Taken,
    /// The process received it, and has not accepted it yet.
    Waits,
    /// It could not be sent.
    Kept,
}

/// Messages of one session that are not turns yet, oldest first. Invariant: changed only while the session is locked.
#[derive(Debug)]
pub(in crate::lifecycle) struct Queue {
    path: PathBuf,
    untaken: Vec<Untaken>,
}

impl Queue {
    /// Opens the messages of a session; empty if the file could not be read.
    pub(in crate::lifecycle) fn open(context: &Context, name: &SessionName) -> Self {
        let path = context.registry.launch_dir().join(format!("{name}{QUEUED}"));
        let text = fs::read_to_string(&path).unwrap_or_default();
        Self { untaken: serde_json::from_str(&text).unwrap_or_default(), path }
    }

    /// Returns the names of all sessions with such messages, from one read of their folder. `None` if it could not be
    /// read.
    pub(in crate::lifecycle) fn names(context: &Context) -> Option<BTreeSet<SessionName>> {
        let files = match fs::read_dir(context.registry.launch_dir()) {
            Ok(files) => files,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Some(BTreeSet::new()),
            Err(_) => return None,
        };
        let name = |file: io::Result<fs::DirEntry>| {
            let file = file.ok()?.file_name();
            SessionName::parse(file.to_str()?.strip_suffix(QUEUED)?).ok()
        };
        Some(files.filter_map(name).collect())
    }

    pub(super) fn push(&mut self, untaken: Untaken) {
        self.untaken.push(untaken);
        self.save();
    }

    /// Removes messages that became turns in the meantime or were withdrawn by a person.
    pub(in crate::lifecycle) fn recover(&mut self, context: &Context, record: &Record, harness: &dyn Harness) {
        let before = self.untaken.len();
        self.untaken.retain(|untaken| match found(context, record, harness, untaken) {
            Found::Turn => {
                keep::taken_up(context, &record.name, &untaken.message_id);
                note(context, record, "standing.taken_up", untaken);
                false
            }
            Found::TakenBack => {
                keep::taken_back(context, &record.name, &untaken.message_id);
                note(context, record, "standing.taken_back", untaken);
                false
            }
            Found::Nothing | Found::Queued => true,
        });
        if self.untaken.len() != before {
            self.save();
        }
    }

    /// Returns the number of waiting messages, without changing anything.
    pub(in crate::lifecycle) fn waiting(&self, context: &Context, record: &Record, harness: &dyn Harness) -> usize {
        let waits = |untaken: &&Untaken| found(context, record, harness, untaken) < Found::TakenBack;
        self.untaken.iter().filter(waits).count()
    }

    /// Removes messages that are no longer unsent in the box, according to `holds`: a person sent or cleared them.
    pub(in crate::lifecycle) fn look_at_box(&mut self, holds: impl Fn(&str) -> Option<bool>) {
        let before = self.untaken.len();
        self.untaken.retain(|untaken| untaken.at != At::Box || holds(&untaken.message) != Some(false));
        if self.untaken.len() != before {
            self.save();
        }
    }

    /// True if a message is among them.
    pub(in crate::lifecycle) fn has(&self, message_id: &str) -> bool {
        self.untaken.iter().any(|untaken| untaken.message_id == message_id)
    }

    /// Returns the number of messages that the process leaves behind if it exits now.
    pub(in crate::lifecycle) fn len(&self) -> usize {
        self.untaken.len()
    }

    /// Sends the messages that earlier processes did not accept to the process of a new spawn. Returns notes for the
    /// caller.
    pub(in crate::lifecycle) fn hand_over(
        &mut self,
        context: &Context,
        record: &Record,
        harness: &dyn Harness,
        pane: &Pane,
    ) -> Vec<String> {
        self.recover(context, record, harness);
        let mut notes = Vec::new();
        let (mut handed, mut kept, mut at) = (0_usize, 0_usize, 0);
        let shown = context.tmux.shown(pane).into_result().ok().flatten();
        let shown = shown.as_ref().map(|shown| Screen { text: &shown.text, title: &shown.title });
        while at < self.untaken.len() {
            let untaken = &mut self.untaken[at];
            let resumed = untaken.conversation == record.harness_session_id;
            // A harness that keeps its queue over a resume would get the message twice.
            if untaken.at == At::Queue
                && resumed
                && shown.is_some_and(|screen| harness.in_queue(screen, &untaken.message))
            {
                untaken.loop_id.clone_from(&record.loop_id);
                let sent = Sent::now(&untaken.message_id, record, untaken.transcript.clone(), untaken.transcript_from);
                Turns::open(context, &record.name).begin(sent);
            }
            if untaken.loop_id == record.loop_id {
                at += 1;
                continue;
            }
            // Order matters: a message that could not be sent now stays before those behind it.
            let handed_over =
                if kept > 0 { Handed::Kept } else { self.hand(context, record, harness, pane, at, &mut notes) };
            match handed_over {
                Handed::Taken => drop(self.untaken.remove(at)),
                Handed::Waits | Handed::Kept => at += 1,
            }
            if handed_over == Handed::Kept { kept += 1 } else { handed += 1 }
        }
        self.save();
        if handed > 0 {
            notes.insert(0, format!("{handed} queued message(s) were sent again"));
        }
        if kept > 0 {
            notes.push(format!("{kept} queued message(s) are kept for the next start"));
        }
        notes
    }

    /// Sends one message.
    fn hand(
        &mut self,
        context: &Context,
        record: &Record,
        harness: &dyn Harness,
        pane: &Pane,
        at: usize,
        notes: &mut Vec<String>,
    ) -> Handed {
        let ready = match ready::wait(context, record, pane, harness, false) {
            Ok(ready) => ready,
            Err(error) => {
                notes.push(error.to_string());
                return Handed::Kept;
            }
        };
        let before = self.untaken[at].clone();
        let watch = Watch::begin(super::transcript(context, record, harness), &before.message);
        let (transcript, transcript_from) = watch.begun_at();
        let sent = Sent::now(&before.message_id, record, transcript.clone(), transcript_from);
        Turns::open(context, &record.name).begin(sent);
        // Before it is typed, so that after a crash it is not typed into this process twice.
        self.untaken[at] = Untaken {
            loop_id: record.loop_id.clone(),
            conversation: record.harness_session_id.clone(),
            transcript,
            transcript_from,
            ..before.clone()
        };
        self.save();
        let (session, tmux, was_busy) = (&record.name, &context.tmux, ready.busy);
        let (message, mark) = (before.message.as_str(), before.message_id.as_str());
        let delivery = Delivery { session, tmux, pane, harness, watch, message, mark, was_busy }.deliver();
        match (delivery.verdict, delivery.in_box) {
            (Verdict::Submitted, _) => {
                keep::taken_up(context, &record.name, &before.message_id);
                note(context, record, "standing.taken_up", &before);
                Handed::Taken
            }
            (Verdict::Queued, _) => {
                self.untaken[at].at = At::Queue;
                Handed::Waits
            }
            (Verdict::Unconfirmed, true) => {
                self.untaken[at].at = At::Box;
                Handed::Waits
            }
            (Verdict::Unconfirmed, false) => {
                let (verdict, evidence) = (delivery.verdict, Evidence::None);
                context.messages().follow(&record.name, &before.message_id, verdict, evidence, &delivery.note);
                notes.push(format!("could not confirm a message that was sent again: {}", delivery.note));
                Handed::Taken
            }
            (Verdict::NotDelivered, _) => {
                self.untaken[at] = before;
                notes.push(delivery.note);
                Handed::Kept
            }
        }
    }

    fn save(&self) {
        if self.untaken.is_empty() {
            let _ = fs::remove_file(&self.path);
            return;
        }
        let text = serde_json::to_string(&self.untaken).unwrap_or_default();
        // If the write fails, the messages are not tracked any further; the receipt said that they were only queued.
        let _ = registry::atomic(&self.path, text.as_bytes());
    }
}

/// Removes the stored messages of a deleted session.
pub(crate) fn forget(context: &Context, name: &SessionName) {
    let _ = fs::remove_file(context.registry.launch_dir().join(format!("{name}.queued.json")));
}

fn found(context: &Context, record: &Record, harness: &dyn Harness, untaken: &Untaken) -> Found {
    let of = Transcript { conversation: untaken.conversation.clone(), ..super::transcript(context, record, harness) };
    Watch::resumed(of, untaken.transcript.clone(), untaken.transcript_from, &untaken.message).found()
}

fn note(context: &Context, record: &Record, event: &'static str, untaken: &Untaken) {
    context.emit(
        Event::info(event)
            .with("standing", record.name.as_str())
            .with("tmux_target", record.tmux_target.as_str())
            .with("actor", text::inert_line(&untaken.actor))
            .with("message_id", untaken.message_id.as_str()),
    );
}
