//! Which thread belongs to which session, and how far each was read: `slack.json`, in its published form.
//!
//! The records of the sessions say what is bound; this file follows them, and is read by other programs. What belongs
//! to work items in it is theirs and is left alone.

use std::{
    collections::HashMap,
    io,
    sync::{PoisonError, RwLock},
    time::Duration,
};

use serde_json::{Map, Value, json};
use wire::{Row, SessionName, StandingRef};

use super::{folder::Folder, ts::Ts};

const FILE: &str = "slack.json";
const LOCK: &str = "slack.json.lock";

/// How many threads are kept, the newest.
const MOST: usize = 200;

/// How long a writer waits for another one; each is done in a moment.
const WAIT: Duration = Duration::from_secs(5);

/// A thread and whose it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Thread {
    pub(super) name: SessionName,
    pub(super) channel: String,
    pub(super) ts: Ts,
}

impl Thread {
    /// The thread that a session is bound to, if Slack is on for it.
    pub(super) fn of_row(row: &Row) -> Option<Self> {
        let name = SessionName::parse(&row.name).ok()?;
        let ts = Ts::parse(&row.slack_thread)?;
        (!row.slack_channel.is_empty()).then(|| Self { name, channel: row.slack_channel.clone(), ts })
    }
}

/// The threads of one instance.
#[derive(Debug)]
pub(super) struct Threads {
    folder: Folder,
    bound: RwLock<HashMap<Ts, Thread>>,
}

impl Threads {
    pub(super) fn of(folder: &Folder) -> Self {
        Self { folder: folder.clone(), bound: RwLock::default() }
    }

    /// Whose a thread is.
    pub(super) fn get(&self, channel: &str, thread: &Ts) -> Option<Thread> {
        self.read().get(thread).filter(|bound| bound.channel == channel).cloned()
    }

    /// All of them, oldest first.
    pub(super) fn all(&self) -> Vec<Thread> {
        let mut all: Vec<Thread> = self.read().values().cloned().collect();
        all.sort_by(|a, b| a.ts.cmp(&b.ts));
        all
    }

    /// Notes a thread that was just made, before anything else does, so that it can be found again after a crash.
    pub(super) fn add(&self, thread: &Thread) -> io::Result<()> {
        self.change(|document| {
            put(document, thread);
            document.cursors.entry(thread.ts.to_string()).or_insert_with(|| json!(thread.ts.as_str()));
        })?;
        self.bound.write().unwrap_or_else(PoisonError::into_inner).insert(thread.ts.clone(), thread.clone());
        Ok(())
    }

    /// Takes over what the records say. Gives back the threads that were bound to a session and are not any more;
    /// `unsure` names sessions of which nothing can be said, whose threads stay.
    ///
    /// A thread of which it is not known how far it was read counts as read up to what was `seen` of it, or else to
    /// this moment: what stands in it may have been typed before.
    pub(super) fn follow(
        &self,
        mut bound: Vec<Thread>,
        unsure: &[String],
        seen: impl Fn(&Ts) -> Option<Ts>,
    ) -> io::Result<Vec<Thread>> {
        bound.sort_by(|a, b| b.ts.cmp(&a.ts));
        bound.truncate(MOST);
        let mut gone = Vec::new();
        self.change(|document| {
            for thread in document.ours() {
                let stays = bound.iter().any(|bound| bound.ts == thread.ts && bound.name == thread.name);
                if !stays && !unsure.iter().any(|name| thread.name.as_str() == name) {
                    document.remove(&thread.ts);
                    gone.push(thread);
                }
            }
            for thread in &bound {
                put(document, thread);
                let cursor = || json!(seen(&thread.ts).unwrap_or_else(Ts::now).as_str());
                document.cursors.entry(thread.ts.to_string()).or_insert_with(cursor);
            }
            document.drop_oldest();
        })?;
        *self.bound.write().unwrap_or_else(PoisonError::into_inner) =
            bound.into_iter().map(|thread| (thread.ts.clone(), thread)).collect();
        Ok(gone)
    }

    /// How far a thread was read, as it is written down.
    pub(super) fn cursor(&self, thread: &Ts) -> Option<Ts> {
        self.document().ok()?.cursors.get(thread.as_str()).and_then(Value::as_str).and_then(Ts::parse)
    }

    /// Writes down how far threads were read.
    pub(super) fn advance(&self, cursors: &HashMap<Ts, Ts>) -> io::Result<()> {
        self.change(|document| {
            for (thread, cursor) in cursors {
                let known = document.cursors.get(thread.as_str()).and_then(Value::as_str).and_then(Ts::parse);
                if document.threads.contains_key(thread.as_str()) && known.is_none_or(|known| known < *cursor) {
                    document.cursors.insert(thread.to_string(), json!(cursor.as_str()));
                }
            }
        })
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, HashMap<Ts, Thread>> {
        self.bound.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn document(&self) -> io::Result<Document> {
        let text = self.folder.read(FILE)?;
        if text.trim().is_empty() {
            return Ok(Document::default());
        }
        if let Some(document) = serde_json::from_str(&text).ok().and_then(Document::of) {
            return Ok(document);
        }
        // The records know what is bound, so that nothing is lost; whoever wrote this may want to see it.
        let aside = self.folder.path_of("slack.json.unreadable");
        std::fs::rename(self.folder.path_of(FILE), &aside)?;
        tracing::warn!(moved_to = %aside.display(), "the threads of Slack could not be read; made anew");
        Ok(Document::default())
    }

    fn change(&self, edit: impl FnOnce(&mut Document)) -> io::Result<()> {
        let _held = self.folder.lock(LOCK, WAIT)?;
        let mut document = self.document()?;
        let before = document.clone();
        edit(&mut document);
        if document == before {
            return Ok(());
        }
        self.folder.write(FILE, &document.text(), true)
    }
}

fn put(document: &mut Document, thread: &Thread) {
    let known = document.threads.get(thread.ts.as_str());
    let reference = thread.name.standing_ref().to_string();
    if known.is_none_or(|known| known["workItem"] != reference.as_str() || known["channel"] != thread.channel.as_str())
    {
        document.threads.insert(thread.ts.to_string(), json!({ "workItem": reference, "channel": thread.channel }));
    }
}

/// The file as it stands.
#[derive(Clone, Debug, Default, PartialEq)]
struct Document {
    threads: Map<String, Value>,
    cursors: Map<String, Value>,
    other: Map<String, Value>,
}

impl Document {
    fn of(value: Value) -> Option<Self> {
        let Value::Object(mut other) = value else { return None };
        let mut map = |key: &str| match other.remove(key) {
            None | Some(Value::Null) => Some(Map::new()),
            Some(Value::Object(map)) => Some(map),
            Some(_) => None,
        };
        Some(Self { threads: map("threads")?, cursors: map("cursors")?, other })
    }

    fn text(&self) -> String {
        let mut whole = Map::new();
        whole.insert("threads".to_owned(), self.threads.clone().into());
        whole.insert("cursors".to_owned(), self.cursors.clone().into());
        whole.extend(self.other.clone());
        let mut text = serde_json::to_string_pretty(&whole).unwrap_or_default();
        text.push('\n');
        text
    }

    /// The threads that are bound to standing sessions.
    fn ours(&self) -> Vec<Thread> {
        let thread = |(ts, bound): (&String, &Value)| {
            let reference = StandingRef::parse(bound["workItem"].as_str()?).ok()?;
            Some(Thread {
                name: reference.name().clone(),
                channel: bound["channel"].as_str().unwrap_or_default().to_owned(),
                ts: Ts::parse(ts)?,
            })
        };
        self.threads.iter().filter_map(thread).collect()
    }

    fn remove(&mut self, thread: &Ts) {
        self.threads.remove(thread.as_str());
        self.cursors.remove(thread.as_str());
    }

    fn drop_oldest(&mut self) {
        let mut stamps: Vec<Ts> = self.threads.keys().filter_map(|ts| Ts::parse(ts)).collect();
        stamps.sort();
        for ts in stamps.iter().take(self.threads.len().saturating_sub(MOST)) {
            self.remove(ts);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thread(name: &str, ts: &str) -> Thread {
        Thread {
            name: SessionName::parse(name).expect("a name"),
            channel: "C1".to_owned(),
            ts: Ts::parse(ts).expect("a stamp"),
        }
    }

    fn written(folder: &Folder) -> Value {
        serde_json::from_str(&folder.read(FILE).expect("read")).expect("JSON")
    }

    #[test]
    fn the_file_follows_the_records_in_its_published_form() {
        let root = tempfile::tempdir().expect("a folder");
        let folder = Folder::below(root.path());
        let theirs = json!({ "workItem": "github:o/r#1", "channel": "C9" });
        let before = json!({ "threads": { "5.000000": theirs }, "cursors": { "5.000000": "6.000000" }, "v": 2 });
        folder.write(FILE, &before.to_string(), false).expect("written");
        let threads = Threads::of(&folder);
        threads.add(&thread("ops", "10.000000")).expect("noted");
        assert_eq!(threads.follow(vec![thread("ops", "10.000000")], &[], |_| None).expect("followed"), []);
        let cursor = Ts::parse("12.000000").expect("a stamp");
        threads.advance(&HashMap::from([(thread("ops", "10.000000").ts, cursor.clone())])).expect("advanced");
        assert_eq!(
            written(&folder),
            json!({
                "threads": { "5.000000": theirs, "10.000000": { "workItem": "standing:ops", "channel": "C1" } },
                "cursors": { "5.000000": "6.000000", "10.000000": "12.000000" },
                "v": 2,
            })
        );
        let ts = thread("ops", "10.000000").ts;
        assert_eq!(threads.get("C1", &ts).map(|thread| thread.name.to_string()), Some("ops".to_owned()));
        assert_eq!(threads.get("C2", &ts), None, "the same stamp in another channel");
        assert_eq!(Threads::of(&folder).cursor(&ts), Some(cursor));

        assert_eq!(
            threads.follow(vec![], &["ops".to_owned()], |_| None).expect("followed"),
            [],
            "nothing is known of it"
        );
        assert_eq!(threads.follow(vec![], &[], |_| None).expect("followed"), [thread("ops", "10.000000")]);
        assert_eq!(written(&folder), before);
    }

    #[test]
    fn the_oldest_of_too_many_are_dropped() {
        let root = tempfile::tempdir().expect("a folder");
        let folder = Folder::below(root.path());
        let threads = Threads::of(&folder);
        let many: Vec<Thread> = (1..=203).map(|n| thread(&format!("s{n}"), &format!("{n}.000000"))).collect();
        threads.follow(many.clone(), &[], |_| None).expect("followed");
        let kept = written(&folder);
        assert_eq!(kept["threads"].as_object().expect("an object").len(), MOST);
        assert!(kept["threads"].get("3.000000").is_none() && kept["threads"].get("4.000000").is_some());
        assert_eq!(threads.follow(many, &[], |_| None).expect("followed"), [], "it stays as it is");
    }

    #[test]
    fn a_file_that_cannot_be_read_is_moved_aside() {
        let root = tempfile::tempdir().expect("a folder");
        let folder = Folder::below(root.path());
        for wrong in ["{", "[]", r#"{"threads": 7}"#] {
            folder.write(FILE, wrong, false).expect("written");
            let threads = Threads::of(&folder);
            threads.follow(vec![thread("ops", "10.000000")], &[], |_| None).expect("followed");
            assert_eq!(written(&folder)["threads"]["10.000000"]["workItem"], "standing:ops");
            assert_eq!(folder.read("slack.json.unreadable").expect("kept"), wrong);
            // What was read before is not typed again.
            assert!(threads.cursor(&thread("ops", "10.000000").ts) > Ts::parse("1600000000.000000"));
        }
    }
}
