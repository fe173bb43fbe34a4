//! Places of the turns of sent messages: where each message was typed, and from where its transcript is read.
//!
//! There is one private file per session, `.launch/<name>.turns.json`, with ids and paths but no text. The newest 256
//! messages are kept, and a delete removes the file. If the file could not be written, the turn is not followed; the
//! message is delivered anyway.

use std::{fs, path::PathBuf};

use serde::{Deserialize, Serialize};
use wire::{SessionName, TurnState};

use crate::{
    clock,
    lifecycle::Context,
    registry::{self, Record},
};

/// Number of messages that are remembered for a session: the newest ones.
const REMEMBERED: usize = 256;

/// Sent message.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Sent {
    pub(crate) message_id: String,
    /// Id of the spawn that received it.
    pub(crate) loop_id: String,
    /// Conversation that it was sent in; may be empty.
    pub(crate) conversation: String,
    /// Transcript of that conversation, and its length before.
    pub(crate) transcript: Option<PathBuf>,
    pub(crate) transcript_from: u64,
    /// Time, in the form of an event's time.
    pub(crate) at: String,
    /// State in which the turn ended, once that is recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) ended: Option<TurnState>,
}

impl Sent {
    /// Returns a message that is sent to a session now.
    pub(crate) fn now(message_id: &str, record: &Record, transcript: Option<PathBuf>, transcript_from: u64) -> Self {
        Self {
            message_id: message_id.to_owned(),
            loop_id: record.loop_id.clone(),
            conversation: record.harness_session_id.clone(),
            transcript,
            transcript_from,
            at: clock::now_millis(),
            ended: None,
        }
    }
}

/// Sent messages of one session, oldest first. Invariant: changed only while the session is locked.
#[derive(Debug)]
pub(crate) struct Turns {
    path: PathBuf,
    sent: Vec<Sent>,
}

impl Turns {
    /// Opens the messages of a session; empty if the file could not be read.
    pub(crate) fn open(context: &Context, name: &SessionName) -> Self {
        let path = path_of(context, name);
        let text = fs::read_to_string(&path).unwrap_or_default();
        Self { sent: serde_json::from_str(&text).unwrap_or_default(), path }
    }

    pub(crate) fn find(&self, message_id: &str) -> Option<&Sent> {
        self.sent.iter().find(|sent| sent.message_id == message_id)
    }

    /// Notes a message before it is typed, in place of an earlier attempt.
    pub(crate) fn begin(&mut self, sent: Sent) {
        self.sent.retain(|before| before.message_id != sent.message_id);
        self.sent.push(sent);
        let excess = self.sent.len().saturating_sub(REMEMBERED);
        self.sent.drain(..excess);
        self.save();
    }

    /// Removes a message that was not typed.
    pub(crate) fn withdraw(&mut self, message_id: &str) {
        self.sent.retain(|sent| sent.message_id != message_id);
        self.save();
    }

    /// Records the end of a turn. False if it is recorded already, or if the message is unknown.
    pub(crate) fn end(&mut self, message_id: &str, state: TurnState) -> bool {
        let Some(sent) = self.sent.iter_mut().find(|sent| sent.message_id == message_id) else { return false };
        if sent.ended.replace(state) == Some(state) {
            return false;
        }
        self.save();
        true
    }

    fn save(&self) {
        let text = serde_json::to_string(&self.sent).unwrap_or_default();
        let _ = registry::atomic(&self.path, text.as_bytes());
    }
}

/// Removes the file of a deleted session.
pub(crate) fn forget(context: &Context, name: &SessionName) {
    let _ = fs::remove_file(path_of(context, name));
}

fn path_of(context: &Context, name: &SessionName) -> PathBuf {
    context.registry.launch_dir().join(format!("{name}.turns.json"))
}
