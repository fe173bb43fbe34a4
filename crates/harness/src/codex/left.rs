//! Finds the conversation that Codex was in when it ended.
//!
//! A person may have typed `/new` unobserved before the end. After an orderly end its pane names the conversation.
//! After a kill there is no such line. But the file of a conversation that was never closed keeps its writer's lock
//! file, which no process holds any more, and its last message is on the pane.

use std::path::Path;

use files::lock::LockFile;

use super::rollout::{self, Begun};
use crate::{Ended, screen::named_after};

/// Length of the message prefix that is looked for on the pane: a long line is wrapped there.
const SHOWN: usize = 24;

pub(super) fn conversation(home: &Path, cwd: &Path, ended: &Ended<'_>) -> Option<String> {
    let named = named_after(ended.last_words, "codex resume ").filter(|id| rollout::of(home, id).is_some());
    named.or_else(|| killed(home, cwd, ended))
}

/// Finds the newest conversation that this spawn began and that ended with a kill.
fn killed(home: &Path, cwd: &Path, ended: &Ended<'_>) -> Option<String> {
    if ended.since.is_empty() {
        return None;
    }
    let begun = rollout::begun_since(home, cwd, ended.since);
    let cut_off = begun.into_iter().filter(|begun| begun.id != ended.known && was_never_closed(home, &begun.id));
    let ours = |begun: &Begun| {
        let said = rollout::last_said(&begun.path)?;
        let first: String = said.lines().next()?.chars().take(SHOWN).collect();
        (!first.trim().is_empty() && ended.last_words.contains(&first)).then(|| begun.id.clone())
    };
    cut_off.rev().find_map(|begun| ours(&begun))
}

/// True if the lock file of a conversation's writer exists and no process holds it.
fn was_never_closed(home: &Path, id: &str) -> bool {
    let path = home.join("thread-writer-locks").join(format!("{id}.lock"));
    LockFile::existing(&path).is_ok_and(|file| !matches!(file.is_held_by_any(), Ok(true)))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use process::ProcessIdentity;
    use wire::SessionName;

    use super::*;

    const OLD: &str = "01a22ad3-dabc-7a81-8258-0f4af531624a";
    const NEW: &str = "01a22ad4-90b5-7a01-b3b4-88daf35dfd14";

    struct Stage {
        home: tempfile::TempDir,
        process: ProcessIdentity,
        name: SessionName,
    }

    impl Stage {
        fn new() -> Self {
            let stage = Self {
                home: tempfile::tempdir().expect("made"),
                process: ProcessIdentity { pid: 1, start_ticks: 1, boot_id: "b".to_owned() },
                name: SessionName::parse("ops").expect("valid"),
            };
            stage.write(OLD, "2026-11-30T05:00:10.000Z", "the brief");
            stage
        }

        fn write(&self, id: &str, at: &str, said: &str) {
            let dir = self.home.path().join("sessions/2026/11/30");
            fs::create_dir_all(&dir).expect("made");
            let meta = serde_json::json!({"type": "session_meta", "payload": {"id": id, "cwd": self.home.path(),
                "timestamp": at, "source": "cli"}});
            let turn = |text: &str| serde_json::json!({"type": "response_item", "payload": {"role": "user", "content": [{"text": text}]}});
            let text = format!("{meta}\n{}\n{}\n", turn("<environment_context>"), turn(said));
            fs::write(dir.join(format!("rollout-2026-11-30T05-00-00-{id}.jsonl")), text).expect("written");
        }

        fn lock_file(&self, id: &str) -> fs::File {
            let dir = self.home.path().join("thread-writer-locks");
            fs::create_dir_all(&dir).expect("made");
            fs::File::create(dir.join(format!("{id}.lock"))).expect("made")
        }

        fn left(&self, last_words: &str) -> Option<String> {
            let since = "2026-11-30T05:00:00Z";
            let ended = Ended { session: &self.name, process: &self.process, since, known: OLD, last_words };
            conversation(self.home.path(), self.home.path(), &ended)
        }
    }

    #[test]
    fn an_orderly_end_names_the_conversation_on_the_pane() {
        let stage = Stage::new();
        let words = format!("To continue this session, run:\n  codex resume {NEW}\nOr run codex resume and select it.");
        assert_eq!(stage.left(&words), None, "there is no such conversation");
        stage.write(NEW, "2026-11-30T05:01:00.000Z", "after new");
        assert_eq!(stage.left(&words).as_deref(), Some(NEW));
    }

    #[test]
    fn a_killed_one_is_known_by_its_lock_file_and_its_words_on_the_pane() {
        let stage = Stage::new();
        stage.write(NEW, "2026-11-30T05:01:00.000Z", "after new\nand more");
        let pane = "› after new\n  and more\n• heard you";
        assert_eq!(stage.left(pane), None, "it was closed");
        let held = stage.lock_file(NEW);
        assert_eq!(stage.left("› something else"), None, "another one's words");
        assert_eq!(stage.left(pane).as_deref(), Some(NEW));
        held.lock().expect("held");
        assert_eq!(stage.left(pane), None, "its writer lives");
    }

    #[test]
    fn what_was_begun_before_this_spawn_is_another_ones() {
        let stage = Stage::new();
        stage.write(NEW, "2026-11-30T04:59:00.000Z", "after new");
        stage.lock_file(NEW);
        assert_eq!(stage.left("› after new"), None);
    }
}
