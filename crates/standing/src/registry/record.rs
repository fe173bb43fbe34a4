//! Record of a session: the whole definition of a created session, and the known facts of every session that was ever
//! started.
//!
//! The first sixteen keys are published and shared with other programs; the rest are private. Unknown keys survive a
//! rewrite.

mod published;

use std::path::PathBuf;

use harness::account::Account;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use wire::SessionName;

use crate::{
    process::ProcessIdentity,
    text::inert_line,
    variables::{Env, Secrets},
};

/// Newest format of the private keys that this program reads and writes.
const FORMAT: u32 = 1;

/// Contents of a session's record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Record {
    pub(crate) name: SessionName,
    #[serde(default)]
    pub(crate) harness: String,
    #[serde(default)]
    pub(crate) harness_session_id: String,
    #[serde(default)]
    pub(crate) cwd: String,
    /// Written for other readers, never trusted: it follows from the name.
    #[serde(default)]
    pub(crate) tmux_target: String,
    #[serde(default)]
    pub(crate) status: RecordStatus,
    #[serde(default)]
    pub(crate) created_at: String,
    #[serde(default)]
    pub(crate) started_at: String,
    #[serde(default)]
    pub(crate) last_message_at: String,
    #[serde(default)]
    pub(crate) slack_channel: String,
    #[serde(default)]
    pub(crate) slack_thread: String,
    #[serde(default)]
    pub(crate) description: String,
    #[serde(default)]
    pub(crate) harness_args: Vec<String>,
    #[serde(default)]
    pub(crate) prompt: String,
    #[serde(default = "yes")]
    pub(crate) auto_start: bool,
    #[serde(default)]
    pub(crate) slack_enabled: bool,

    /// Format of the keys below; absent in a record of another program.
    #[serde(default)]
    pub(crate) format: u32,
    #[serde(default)]
    pub(crate) origin: Origin,
    /// Part of the-loop that created the session, as the event log names it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) created_by: String,
    /// Operation that was last begun, written before it is carried out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) phase: Option<Phase>,
    /// True if `harnessArgs` follows changes of the config.
    #[serde(default)]
    pub(crate) harness_args_inherited: bool,
    /// Id that marks session, pane and processes of the last spawn.
    #[serde(default)]
    pub(crate) loop_id: String,
    /// Time of the last spawn.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) spawned_at: String,
    /// Time when the session was last stopped, or when the stopping caller saw that it had ended.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) stopped_at: String,
    /// Harness process of the last spawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) process: Option<ProcessIdentity>,
    /// tmux server of the last spawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) server: Option<Server>,
    /// Conversation of a fresh start in progress. It replaces the previous conversation once the harness has proven to
    /// run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) pending: Option<Pending>,
    /// Earlier conversations of the session, or ones that could not be resumed, newest last. None is ever forgotten
    /// without a trace.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) former_session_ids: Vec<String>,
    /// Variables that the definition sets.
    #[serde(default, skip_serializing_if = "Env::is_empty")]
    pub(crate) env: Env,
    /// Variables with secret values: the source of each value, never the value.
    #[serde(default, skip_serializing_if = "Secrets::is_empty")]
    pub(crate) secrets: Secrets,
    /// Account that the harness was last started in; empty if unknown.
    #[serde(default, skip_serializing_if = "Account::is_empty")]
    pub(crate) account: Account,

    #[serde(flatten)]
    other: Map<String, Value>,
}

const fn yes() -> bool {
    true
}

/// tmux server that a session was spawned on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Server {
    pub(crate) process: ProcessIdentity,
    /// Path of its socket.
    pub(crate) socket: PathBuf,
}

/// Fresh conversation that is not proven yet, with its own place and arguments. Until it is proven, the record's own
/// fields for these describe the previous conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Pending {
    /// Conversation id; empty if the harness makes its own.
    pub(crate) session_id: String,
    pub(crate) harness: String,
    pub(crate) cwd: String,
    #[serde(default, skip_serializing_if = "Account::is_empty")]
    pub(crate) account: Account,
}

/// Coarse status that other readers know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RecordStatus {
    Running,
    #[default]
    Stopped,
}

/// Source of the definition in the record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Origin {
    /// From a create: the record is the declaration.
    #[default]
    Created,
    /// From the config, as it was at the last start.
    Declared,
}

/// Operation that was last begun. The intent is written before the act, so the next caller knows what to finish.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Phase {
    /// Recorded, never started.
    Created,
    /// A spawn was about to happen.
    Starting,
    /// The harness has proven to run.
    Running,
    /// The harness was about to be signalled.
    Stopping,
    /// The session was stopped.
    Stopped,
    /// The session was about to be stopped and its record removed.
    Deleting,
}

impl Phase {
    /// Returns the word that the record uses.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Starting => "starting",
            Self::Running => "running",
            Self::Stopping => "stopping",
            Self::Stopped => "stopped",
            Self::Deleting => "deleting",
        }
    }

    /// True while a verb works on the session, or after a crash interrupted that verb.
    pub(crate) const fn is_unfinished(self) -> bool {
        matches!(self, Self::Starting | Self::Stopping | Self::Deleting)
    }
}

impl Record {
    pub(crate) fn new(name: &SessionName, created_at: String) -> Self {
        Self {
            name: name.clone(),
            harness: String::new(),
            harness_session_id: String::new(),
            cwd: String::new(),
            tmux_target: name.tmux_session(),
            status: RecordStatus::Stopped,
            created_at,
            started_at: String::new(),
            last_message_at: String::new(),
            slack_channel: String::new(),
            slack_thread: String::new(),
            description: String::new(),
            harness_args: Vec::new(),
            prompt: String::new(),
            auto_start: true,
            slack_enabled: false,
            format: FORMAT,
            origin: Origin::Created,
            created_by: String::new(),
            phase: Some(Phase::Created),
            harness_args_inherited: false,
            loop_id: String::new(),
            spawned_at: String::new(),
            stopped_at: String::new(),
            process: None,
            server: None,
            pending: None,
            former_session_ids: Vec::new(),
            env: Env::new(),
            secrets: Secrets::new(),
            account: Account::default(),
            other: Map::new(),
        }
    }

    /// Parses a record; the error says what is wrong and where in the file.
    pub(crate) fn parse(text: &str, name: &SessionName) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Err("it is empty".to_owned());
        }
        let mut record: Self = serde_json::from_str(text).map_err(|error| inert_line(&error.to_string()))?;
        if record.format > FORMAT {
            return Err(format!(
                "written by a newer version of the-loop (format {}, supported up to {FORMAT})",
                record.format
            ));
        }
        if record.name != *name {
            return Err(format!("the name in it is `{}`", record.name));
        }
        record.tmux_target = name.tmux_session();
        Ok(record)
    }

    pub(crate) fn to_json(&self) -> String {
        let mut record = self.clone();
        record.format = FORMAT;
        let mut text = serde_json::to_string_pretty(&record).unwrap_or_default();
        text.push('\n');
        text
    }

    /// True while only another program has ever started this session: its record has no loop id.
    pub(crate) fn of_another_program(&self) -> bool {
        self.phase.is_none() && self.loop_id.is_empty()
    }

    /// Makes the pending conversation the session's own and remembers the previous one.
    pub(crate) fn keep_pending(&mut self) {
        let Some(Pending { session_id, harness, cwd, account }) = self.pending.take() else { return };
        let former = std::mem::replace(&mut self.harness_session_id, session_id);
        self.remember_former(&former);
        (self.harness, self.cwd) = (harness, cwd);
        if !account.is_empty() {
            self.account = account;
        }
    }

    /// Remembers a conversation that the session leaves.
    pub(crate) fn remember_former(&mut self, id: &str) {
        if id.is_empty() || self.former_session_ids.iter().any(|known| known == id) {
            return;
        }
        self.former_session_ids.push(id.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn name() -> SessionName {
        SessionName::parse("ops").expect("valid")
    }

    #[test]
    fn a_record_of_another_program_loads_and_its_unknown_keys_survive() {
        let text = r#"{
  "name": "ops", "harness": "claude", "harnessSessionId": "c1", "cwd": "/p", "tmuxTarget": "elsewhere",
  "status": "running", "createdAt": "2026-01-02T03:04:05Z", "startedAt": "", "lastMessageAt": "",
  "slackChannel": "", "slackThread": "", "description": "d", "harnessArgs": ["-x"], "prompt": "p",
  "slackEnabled": false, "theirs": {"deep": [1, 2]}
}"#;
        let record = Record::parse(text, &name()).expect("loads");
        assert!(record.auto_start, "a missing autoStart is true");
        assert_eq!(record.tmux_target, "loop-standing-ops", "the target is never trusted");
        let written: Value = serde_json::from_str(&record.to_json()).expect("JSON");
        assert_eq!(written["theirs"]["deep"][1], 2);
        assert_eq!(written["harnessArgs"][0], "-x");
        assert!(record.to_json().starts_with("{\n  \"name\""));
        assert!(record.to_json().ends_with("}\n"));
    }

    #[test]
    fn what_is_no_record_is_refused_with_its_place() {
        for (text, part) in [
            ("", "empty"),
            ("{\"name\": \"ops\",", "line 1 column 15"),
            ("{\"name\": \"other\"}", "`other`"),
            ("{\"name\": \"ops\", \"format\": 99}", "newer"),
            ("{\"name\": \"ops\", \"autoStart\": \"yes\"}", "line 1"),
        ] {
            let error = Record::parse(text, &name()).expect_err(text);
            assert!(error.contains(part), "{error:?} lacks {part:?}");
        }
    }

    /// Builds a record with every key.
    fn whole() -> Value {
        serde_json::json!({
            "name": "ops", "harness": "claude", "harnessSessionId": "c1", "cwd": "/p", "tmuxTarget": "loop-standing-ops",
            "status": "running", "createdAt": "2026-01-02T03:04:05Z", "startedAt": "", "lastMessageAt": "",
            "slackChannel": "C1", "slackThread": "1.2", "description": "d", "harnessArgs": ["-x"], "prompt": "p",
            "autoStart": true, "slackEnabled": false, "format": 1, "origin": "created", "phase": "running",
            "harnessArgsInherited": false, "loopId": "l1", "spawnedAt": "2026-01-02T03:04:05Z",
            "process": {"pid": 7, "startTicks": 8, "bootId": "b"},
            "pending": {"sessionId": "c2", "harness": "claude", "cwd": "/p"}, "formerSessionIds": ["c0"], "theirs": [1],
        })
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            ".{0,20}".prop_map(Value::from),
        ];
        leaf.prop_recursive(2, 8, 3, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                proptest::collection::btree_map("[a-zA-Z]{0,8}", inner, 0..3)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    /// Checks that a readable file reads the same after a rewrite, and that an unreadable one gives an error text.
    fn reads_well(text: &str) -> Result<Option<Record>, TestCaseError> {
        match Record::parse(text, &name()) {
            Ok(record) => {
                // A record is always written in the private format, whatever it was read from.
                let record = Record { format: FORMAT, ..record };
                prop_assert_eq!(&Record::parse(&record.to_json(), &name()).expect("as it was written"), &record);
                Ok(Some(record))
            }
            Err(error) => {
                prop_assert!(!error.is_empty() && !error.contains('\n'), "{error:?}");
                Ok(None)
            }
        }
    }

    proptest! {
        #[test]
        fn any_file_is_read_without_a_panic(text in ".{0,300}") {
            reads_well(&text)?;
        }

        #[test]
        fn a_record_with_any_value_anywhere_is_refused_or_keeps_all_the_rest(
            at in any::<proptest::sample::Index>(),
            value in any_value(),
        ) {
            let mut text = whole();
            let fields = text.as_object_mut().expect("an object");
            let key = at.get(&fields.keys().cloned().collect::<Vec<_>>()).clone();
            fields.insert(key.clone(), value);
            if let Some(record) = reads_well(&text.to_string())? {
                let written: Value = serde_json::from_str(&record.to_json()).expect("JSON");
                for kept in ["harnessSessionId", "loopId", "formerSessionIds", "pending", "theirs", "process"] {
                    prop_assert!(kept == key || written[kept] == text[kept], "{kept}, after {key}: {written}");
                }
            }
        }

        #[test]
        fn a_record_that_was_cut_or_edited_is_refused_or_read_as_it_stands(
            edits in proptest::collection::vec((any::<proptest::sample::Index>(), 0..9_usize, ".{0,5}"), 1..4),
        ) {
            let mut bytes = serde_json::to_vec_pretty(&whole()).expect("JSON");
            for (at, cut, put) in edits {
                let at = at.index(bytes.len().max(1)).min(bytes.len());
                let end = (at + cut).min(bytes.len());
                bytes.splice(at..end, put.into_bytes());
            }
            reads_well(&String::from_utf8_lossy(&bytes))?;
        }

        #[test]
        fn half_a_record_is_none(length in any::<proptest::sample::Index>()) {
            let text = whole().to_string();
            prop_assert!(Record::parse(&text[..length.index(text.len())], &name()).is_err());
        }

        #[test]
        fn a_record_reads_back_as_written(id in "[a-f0-9-]{0,36}", prompt in ".{0,80}", args in proptest::collection::vec(".{0,12}", 0..4)) {
            let mut record = Record::new(&name(), "2026-01-02T03:04:05Z".to_owned());
            record.harness_session_id = id;
            record.prompt = prompt;
            record.harness_args = args;
            prop_assert_eq!(Record::parse(&record.to_json(), &name()).expect("reads"), record);
        }
    }
}
