//! Start times of activities, from files on disk.
//!
//! Nothing is guessed: if no file contains the time, the row has none. A time may be slightly too early, never too
//! late: an agent writes its conversation before it shows a prompt or waits for the next message.

use std::{
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom},
    path::Path,
};

use harness::Harness;
use jiff::Timestamp;
use serde_json::Value;
use wire::{Activity, Row, State};

use super::Context;
use crate::{clock, registry::Record};

/// Number of bytes at the end of a conversation that are searched for the start of a turn.
const TAIL: u64 = 256 * 1024;

impl Context {
    /// Adds to a row the start time of its activity or state.
    pub(super) fn date(&self, row: &mut Row, record: Option<&Record>) {
        row.since = match (row.running, row.state) {
            (true, _) => record.and_then(|record| self.active_since(row, record)).unwrap_or_default(),
            (false, State::Stopped) => record.map(|record| record.stopped_at.clone()).unwrap_or_default(),
            (false, _) => String::new(),
        };
    }

    /// Returns the start time of a harness's activity.
    fn active_since(&self, row: &Row, record: &Record) -> Option<String> {
        if row.activity == Activity::Unknown {
            return None;
        }
        let adapter = self.harness(&row.harness).ok()?;
        let conversation = Some(&record.harness_session_id).filter(|id| !id.is_empty())?;
        let transcript = adapter.conversation_file(&self.place(record), conversation, row.pid?)?;
        match row.activity {
            Activity::Unknown => None,
            Activity::Busy => turn_begun(adapter.as_ref(), &transcript),
            // A resumed conversation has been idle since the start of its harness, even if its last write is older.
            Activity::Idle | Activity::Waiting => match written(&transcript) {
                Ok(at) => Some(at.max(row.started_at.clone())),
                // Nothing was ever said: it has been idle since its start.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    Some(row.started_at.clone()).filter(|at| !at.is_empty())
                }
                Err(_) => None,
            },
        }
    }
}

/// Returns the time of the last write to a conversation, in the format of a record's times, which sort as text.
fn written(transcript: &Path) -> io::Result<String> {
    let at = transcript.metadata()?.modified()?;
    Timestamp::try_from(at).map(clock::at).map_err(io::Error::other)
}

/// Returns the start time of the current turn; `None` if it is too far back or the harness does not record it.
fn turn_begun(adapter: &dyn Harness, transcript: &Path) -> Option<String> {
    let mut file = File::open(transcript).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL))).ok()?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let values = text.lines().rev().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let begun = values.into_iter().find_map(|line| adapter.begins_turn(&line))?;
    begun.parse::<Timestamp>().ok().map(clock::at)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Surroundings, config::Routing};

    fn begins(name: &str, line: &Value) -> Option<String> {
        let here = Surroundings::of_process();
        harness::by_name(name, &Routing::default(), &here).expect("built in").begins_turn(line)
    }

    #[test]
    fn only_a_message_begins_a_turn() {
        let at = "2026-11-30T05:00:00.123Z";
        let claude = |content: Value| json!({ "type": "user", "timestamp": at, "message": { "content": content } });
        assert_eq!(begins("claude", &claude(json!("go on"))).as_deref(), Some(at));
        assert_eq!(begins("claude", &claude(json!([{ "type": "text", "text": "go on" }]))).as_deref(), Some(at));
        assert_eq!(begins("claude", &claude(json!([{ "type": "tool_result" }]))), None);
        let mut side = claude(json!("of an agent of its own"));
        side["isSidechain"] = json!(true);
        assert_eq!(begins("claude", &side), None);
        let message = json!({ "timestamp": at, "type": "event_msg", "payload": { "type": "user_message" } });
        assert_eq!(begins("codex", &message).as_deref(), Some(at));
        let started = json!({ "timestamp": at, "type": "event_msg", "payload": { "type": "task_started" } });
        assert_eq!(begins("codex", &started).as_deref(), Some(at));
        assert_eq!(begins("codex", &json!({ "timestamp": at, "type": "event_msg", "payload": {} })), None);
        assert_eq!(begins("demo", &json!({ "type": "user", "text": "x", "at": at })).as_deref(), Some(at));
        assert_eq!(begins("demo", &json!({ "type": "assistant", "text": "x", "at": at })), None);
        assert_eq!(begins("gemini", &json!({ "type": "user", "timestamp": at })), None, "it is not known there");
    }
}
