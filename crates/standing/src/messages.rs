//! Texts of the last messages and answers of each session, for its timeline.
//!
//! The event log never contains a text. The texts are in a private file per session, `.messages/<name>.jsonl` beside the
//! records, with one JSON object a line, oldest first. The file is bounded in entries and in bytes, and is replaced as a
//! whole, so a killed writer leaves the old file or the new one. A text that could not be kept never fails a delivery.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use files::{folder, read, write};
use serde::{Deserialize, Serialize};
use wire::{Evidence, SayReceipt, SessionName, Turn, TurnState, Verdict};

use crate::{Error, clock, config::Settings, notices, registry, text};

/// Number of entries that are kept for a session: the newest ones.
const KEPT: usize = 50;

/// Maximum length of a kept text, in bytes. A longer one is cut.
pub(crate) const TEXT_LIMIT: usize = 64 * 1024;

/// Maximum size of a file in bytes. Escapes at most double a text, and an entry has three of them.
const MAX_FILE: usize = KEPT * 7 * TEXT_LIMIT;

/// Message or answer, with its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Kept {
    /// Time, in the form of an event's time, and the time of its event.
    pub(crate) at: String,
    /// Id, as in the receipt and in the event log.
    pub(crate) message_id: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) idempotency_key: String,
    /// Name of the sender; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) actor: String,
    /// Source of its event: `cli`, `page`, …
    pub(crate) surface: String,
    /// Prompt that was answered; empty for a message.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) question: String,
    /// Text as it was typed, or the answer that was selected.
    pub(crate) text: String,
    /// Length of the whole text in bytes, if the text was cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cut_from: Option<usize>,
    pub(crate) verdict: Verdict,
    pub(crate) evidence: Evidence,
    /// Reason of a verdict without evidence; empty if there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) reason: String,
    /// Turn of the message, once it has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) turn: Option<KeptTurn>,
}

/// End of a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KeptTurn {
    /// Time at which the end was seen.
    pub(crate) at: String,
    pub(crate) state: TurnState,
    /// Answer, or the reason why there is none.
    pub(crate) text: String,
    /// Length of the whole answer in bytes, if it was cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cut_from: Option<usize>,
}

impl Kept {
    /// Returns an entry of now that is not delivered yet, with texts that are safe to show.
    pub(crate) fn new(surface: &str, actor: &str, text: &str) -> Self {
        let (text, cut_from) = cut(text::inert(text));
        Self {
            at: clock::now_millis(),
            message_id: String::new(),
            idempotency_key: String::new(),
            actor: text::inert_line(actor),
            surface: surface.to_owned(),
            question: String::new(),
            text,
            cut_from,
            verdict: Verdict::NotDelivered,
            evidence: Evidence::None,
            reason: String::new(),
            turn: None,
        }
    }

    /// Returns the entry as the answer to a prompt.
    pub(crate) fn answering(self, question: &str) -> Self {
        Self { question: cut(text::inert(question)).0, ..self }
    }

    /// Returns the entry with the reason of its verdict.
    pub(crate) fn because(self, reason: &str) -> Self {
        Self { reason: text::inert(reason), ..self }
    }

    /// Returns the entry with the result of its delivery, which has just ended.
    pub(crate) fn with(self, receipt: &SayReceipt) -> Self {
        let (verdict, evidence, message_id) = (receipt.verdict, receipt.evidence, receipt.message_id.clone());
        Self { at: clock::now_millis(), verdict, evidence, message_id, ..self }
    }

    /// Returns the entry as refused just now.
    pub(crate) fn refused(self, reason: &str) -> Self {
        let message_id = uuid::Uuid::new_v4().simple().to_string();
        Self { at: clock::now_millis(), message_id, reason: text::inert(reason), ..self }
    }

    /// True if this is the same message, refused again for the same reason. A caller that retries would otherwise push
    /// out every other message.
    fn repeats(&self, before: &Self) -> bool {
        self.verdict == Verdict::NotDelivered
            && self.verdict == before.verdict
            && (&self.text, &self.actor, &self.reason) == (&before.text, &before.actor, &before.reason)
    }
}

/// Cuts a text to the limit at a character, and returns the length of the whole text if it was longer.
fn cut(mut text: String) -> (String, Option<usize>) {
    let whole = text.len();
    if whole <= TEXT_LIMIT {
        return (text, None);
    }
    text.truncate(text.floor_char_boundary(TEXT_LIMIT));
    (text, Some(whole))
}

/// Kept messages of one state folder. Invariant: changed only while the session is locked.
#[derive(Clone, Debug)]
pub(crate) struct Messages {
    dir: PathBuf,
    keep: bool,
}

impl Messages {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self { dir: settings.state_root.join("local/standing/.messages"), keep: settings.keep_messages }
    }

    /// Returns the messages that are kept in a folder, for a test.
    #[cfg(test)]
    pub(crate) fn in_folder(dir: PathBuf) -> Self {
        Self { dir, keep: true }
    }

    /// Keeps a message. With `standingSessions.keepMessages: false`, removes the kept ones instead.
    pub(crate) fn keep(&self, name: &SessionName, kept: Kept) {
        if !self.keep {
            return self.forget(name);
        }
        files::failpoint::at("messages.keep");
        let mut all = self.read(name);
        all.retain(|one| one.message_id != kept.message_id);
        if all.last().is_some_and(|last| kept.repeats(last)) {
            all.pop();
        }
        all.push(kept);
        let excess = all.len().saturating_sub(KEPT);
        all.drain(..excess);
        self.write(name, &all);
    }

    /// Changes the verdict of a kept message.
    pub(crate) fn follow(
        &self,
        name: &SessionName,
        message_id: &str,
        verdict: Verdict,
        evidence: Evidence,
        reason: &str,
    ) {
        if !self.keep {
            return self.forget(name);
        }
        let mut all = self.read(name);
        let Some(kept) = all.iter_mut().find(|kept| kept.message_id == message_id) else { return };
        if kept.verdict != verdict || kept.evidence != evidence {
            (kept.verdict, kept.evidence) = (verdict, evidence);
            reason.clone_into(&mut kept.reason);
            self.write(name, &all);
        }
    }

    /// Adds the end of its turn to a kept message.
    pub(crate) fn answered(&self, name: &SessionName, turn: &Turn) {
        if !self.keep {
            return self.forget(name);
        }
        let mut all = self.read(name);
        let Some(kept) = all.iter_mut().find(|kept| kept.message_id == turn.message_id) else { return };
        let text = if turn.state == TurnState::Answered { &turn.answer } else { &turn.reason };
        let (text, cut_from) = cut(text::inert(text));
        kept.turn = Some(KeptTurn { at: clock::now_millis(), state: turn.state, text, cut_from });
        self.write(name, &all);
    }

    /// Removes the kept messages of a session.
    pub(crate) fn forget(&self, name: &SessionName) {
        let path = self.path_of(name);
        match fs::remove_file(&path) {
            Err(error) if !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                notices::tell(format!("{}: could not remove the texts of messages ({error})", path.display()));
            }
            Ok(()) | Err(_) => {}
        }
    }

    /// Returns the kept messages of a session, oldest first; none if they are not kept or could not be read. A line that
    /// is not an entry is left out.
    pub(crate) fn read(&self, name: &SessionName) -> Vec<Kept> {
        if !self.keep {
            return Vec::new();
        }
        let text = read::text_if_there(&self.path_of(name), MAX_FILE).ok().flatten().unwrap_or_default();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    fn path_of(&self, name: &SessionName) -> PathBuf {
        self.dir.join(format!("{name}.jsonl"))
    }

    fn write(&self, name: &SessionName, all: &[Kept]) {
        let lines = all.iter().filter_map(|kept| serde_json::to_string(kept).ok());
        let text: String = lines.flat_map(|line| [line, "\n".to_owned()]).collect();
        let written = prepare(&self.dir).and_then(|()| match registry::atomic(&self.path_of(name), text.as_bytes()) {
            Err(Error::Storage { source, .. }) => Err(source.to_string()),
            Err(other) => Err(other.to_string()),
            Ok(()) => Ok(()),
        });
        if let Err(reason) = written {
            let dir = self.dir.display();
            notices::tell(format!(
                "{dir}: could not keep the texts of messages ({reason}); messages are delivered without them"
            ));
        }
    }
}

/// Prepares the folder, which no other user may write in.
fn prepare(dir: &Path) -> Result<(), String> {
    folder::make(dir).map_err(|error| error.to_string())?;
    folder::check(dir).map_err(|found| found.to_string())?;
    write::tidy(dir);
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

    use proptest::prelude::*;

    use super::*;

    fn messages(dir: &Path) -> Messages {
        Messages::in_folder(dir.join(".messages"))
    }

    fn name() -> SessionName {
        SessionName::parse("ops").expect("a name")
    }

    fn kept(id: &str, text: &str) -> Kept {
        Kept { message_id: id.to_owned(), verdict: Verdict::Submitted, ..Kept::new("test", "me", text) }
    }

    #[test]
    fn the_last_fifty_are_kept_in_a_private_file() {
        let dir = tempfile::tempdir().expect("made");
        let messages = messages(dir.path());
        for number in 0..KEPT + 3 {
            messages.keep(&name(), kept(&number.to_string(), "hello"));
        }
        let ids: Vec<String> = messages.read(&name()).into_iter().map(|kept| kept.message_id).collect();
        assert_eq!((ids.len(), ids[0].as_str(), ids[KEPT - 1].as_str()), (KEPT, "3", "52"));
        let mode = |path: &Path| fs::metadata(path).expect("there").mode() & 0o777;
        assert_eq!((mode(&messages.dir), mode(&messages.path_of(&name()))), (0o700, 0o600));
        assert!(messages.read(&SessionName::parse("other").expect("a name")).is_empty());
    }

    #[test]
    fn a_long_text_is_cut_at_a_character_and_says_so() {
        let dir = tempfile::tempdir().expect("made");
        let messages = messages(dir.path());
        // One byte and then characters of three bytes: the limit is inside of one.
        let long = format!("a{}", "日".repeat(TEXT_LIMIT));
        messages.keep(&name(), kept("1", &long));
        messages.keep(&name(), kept("2", &"x".repeat(TEXT_LIMIT)));
        let read = messages.read(&name());
        assert_eq!(read[0].cut_from, Some(long.len()));
        assert!(long.starts_with(&read[0].text) && read[0].text.len() > TEXT_LIMIT - 3);
        assert_eq!((read[1].cut_from, read[1].text.len()), (None, TEXT_LIMIT));
    }

    #[test]
    fn fifty_of_the_longest_texts_are_read_again() {
        let dir = tempfile::tempdir().expect("made");
        let messages = messages(dir.path());
        let worst = "\"\n".repeat(TEXT_LIMIT / 2);
        let entry = |number: usize| kept(&number.to_string(), &worst).answering(&worst);
        messages.write(&name(), &(0..KEPT).map(entry).collect::<Vec<_>>());
        assert_eq!(messages.read(&name()).len(), KEPT);
    }

    #[test]
    fn a_verdict_is_followed_and_an_unknown_message_changes_nothing() {
        let dir = tempfile::tempdir().expect("made");
        let messages = messages(dir.path());
        messages.keep(&name(), Kept { verdict: Verdict::Queued, evidence: Evidence::Queue, ..kept("1", "later") });
        messages.follow(&name(), "1", Verdict::Submitted, Evidence::Transcript, "");
        messages.follow(&name(), "none", Verdict::Unconfirmed, Evidence::None, "");
        let read = messages.read(&name());
        assert_eq!((read.len(), read[0].verdict, read[0].evidence), (1, Verdict::Submitted, Evidence::Transcript));
    }

    #[test]
    fn a_refusal_that_is_repeated_is_one_entry() {
        let dir = tempfile::tempdir().expect("made");
        let messages = messages(dir.path());
        let refused = |id: &str, text: &str| Kept { verdict: Verdict::NotDelivered, ..kept(id, text) };
        messages.keep(&name(), kept("0", "again"));
        for id in ["1", "2", "3"] {
            messages.keep(&name(), refused(id, "again"));
        }
        messages.keep(&name(), refused("4", "something else"));
        let ids: Vec<String> = messages.read(&name()).into_iter().map(|kept| kept.message_id).collect();
        assert_eq!(ids, ["0", "3", "4"]);
    }

    #[test]
    fn with_the_setting_off_nothing_is_kept_and_the_next_message_removes_the_rest() {
        let dir = tempfile::tempdir().expect("made");
        let on = messages(dir.path());
        let off = Messages { keep: false, ..on.clone() };
        on.keep(&name(), kept("1", "private"));
        assert!(off.read(&name()).is_empty(), "it is not shown any more");
        assert!(on.path_of(&name()).exists());
        off.keep(&name(), kept("2", "private"));
        assert!(!on.path_of(&name()).exists());
    }

    #[test]
    fn a_torn_line_a_link_and_an_unfinished_file_are_survived() {
        let dir = tempfile::tempdir().expect("made");
        let messages = messages(dir.path());
        messages.keep(&name(), kept("1", "one"));
        let path = messages.path_of(&name());
        let mut text = fs::read_to_string(&path).expect("kept");
        text.push_str("{\"at\":\"2026-05-08T1");
        fs::write(&path, &text).expect("written");
        messages.keep(&name(), kept("2", "two"));
        assert_eq!(messages.read(&name()).len(), 2);

        // A link is not read through, and its target stays.
        let victim = dir.path().join("victim");
        fs::rename(&path, &victim).expect("moved");
        std::os::unix::fs::symlink(&victim, &path).expect("linked");
        assert!(messages.read(&name()).is_empty());
        messages.keep(&name(), kept("3", "three"));
        assert_eq!(messages.read(&name()).len(), 1);
        assert_eq!(fs::read_to_string(&victim).expect("there").lines().count(), 2);
    }

    #[test]
    fn what_cannot_be_kept_is_told_once() {
        let dir = tempfile::tempdir().expect("made");
        let messages = messages(dir.path());
        fs::create_dir(&messages.dir).expect("made");
        fs::set_permissions(&messages.dir, fs::Permissions::from_mode(0o777)).expect("set");
        let other = SessionName::parse("other").expect("a name");
        for session in [&name(), &other, &name()] {
            messages.keep(session, kept("1", "one"));
            assert!(messages.read(session).is_empty(), "another user could read or replace it");
        }
        let told = notices::notices().into_iter().filter(|told| told.contains(dir.path().to_str().expect("UTF-8")));
        assert_eq!(told.count(), 1);
    }

    proptest! {
        #[test]
        fn any_text_is_read_as_it_was_written_without_control_characters(text in proptest::collection::vec(any::<char>(), 0..80)) {
            let text: String = text.into_iter().chain("\u{1b}[2J\r\n\0\u{2028}\u{9b}".chars()).collect();
            let dir = tempfile::tempdir().expect("made");
            let messages = messages(dir.path());
            messages.keep(&name(), kept("1", &text).answering(&text));
            let read = messages.read(&name());
            prop_assert_eq!(&read[0].text, &text::inert(&text));
            prop_assert!(!read[0].text.contains(|c: char| c.is_control() && c != '\n' && c != '\t'));
        }
    }
}
