//! Maps threads to sessions, and stores how far each thread was read.
//!
//! The records of the sessions define the bindings. The files follow the records, and other programs read them. Entries
//! of work items in these files belong to those programs and are left unchanged.

mod files;

use std::{
    collections::HashMap,
    io,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use wire::{Row, SessionName};

use self::files::{Document, LOCK};
use super::{
    blocking::{blocking, lock},
    folder::Folder,
    ts::Ts,
};

/// Timeout of a writer that waits for another one. Each write takes a moment.
const WAIT: Duration = Duration::from_secs(5);

/// A thread and its session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Thread {
    pub(super) name: SessionName,
    pub(super) channel: String,
    pub(super) ts: Ts,
}

impl Thread {
    /// Returns the thread that a session is bound to, if Slack is enabled for it.
    pub(super) fn of_row(row: &Row) -> Option<Self> {
        let name = SessionName::parse(&row.name).ok()?;
        let ts = Ts::parse(&row.slack_thread)?;
        (!row.slack_channel.is_empty()).then(|| Self { name, channel: row.slack_channel.clone(), ts })
    }
}

/// Threads of one instance. All lookups are answered from memory.
#[derive(Clone, Debug)]
pub(super) struct Threads {
    folder: Folder,
    known: Arc<RwLock<Known>>,
}

#[derive(Debug, Default)]
struct Known {
    bound: HashMap<Ts, Thread>,
    /// Stored read positions.
    cursors: HashMap<Ts, Ts>,
}

impl Threads {
    pub(super) fn of(folder: &Folder) -> Self {
        Self { folder: folder.clone(), known: Arc::default() }
    }

    /// Returns a thread with its session, if it is bound.
    pub(super) fn get(&self, channel: &str, thread: &Ts) -> Option<Thread> {
        self.read().bound.get(thread).filter(|bound| bound.channel == channel).cloned()
    }

    /// Returns all threads, oldest first.
    pub(super) fn all(&self) -> Vec<Thread> {
        let mut all: Vec<Thread> = self.read().bound.values().cloned().collect();
        all.sort_by(|a, b| a.ts.cmp(&b.ts));
        all
    }

    /// Returns the number of threads.
    pub(super) fn len(&self) -> usize {
        self.read().bound.len()
    }

    /// Returns the stored read position of a thread.
    pub(super) fn cursor(&self, thread: &Ts) -> Option<Ts> {
        self.read().cursors.get(thread).cloned()
    }

    /// Records a newly created thread before any other step, so that it can be found after a crash.
    pub(super) async fn add(&self, thread: Thread) -> Result<(), String> {
        let noted = thread.clone();
        let edit = move |document: &mut Document| {
            document.put(&noted);
            document.begin(&noted.ts, &noted.ts);
        };
        self.change(edit).await?;
        self.write().bound.insert(thread.ts.clone(), thread);
        Ok(())
    }

    /// Updates the bindings from the records. Returns the threads that are no longer bound to a session. `unsure` names
    /// sessions whose state could not be determined: their threads stay.
    ///
    /// A thread with an unknown read position counts as read up to the message in `seen`, or else up to now, since its
    /// earlier messages may have been typed before.
    pub(super) async fn follow(
        &self,
        bound: Vec<Thread>,
        unsure: Vec<String>,
        seen: HashMap<Ts, Ts>,
    ) -> Result<Vec<Thread>, String> {
        let by_ts: HashMap<Ts, Thread> = bound.into_iter().map(|thread| (thread.ts.clone(), thread)).collect();
        let wanted = by_ts.clone();
        let edit = move |document: &mut Document| {
            let mut gone = Vec::new();
            for thread in document.ours() {
                let stays = wanted.get(&thread.ts).is_some_and(|bound| bound.name == thread.name);
                if !stays && !unsure.iter().any(|name| thread.name.as_str() == name) {
                    document.remove(&thread.ts);
                    gone.push(thread);
                }
            }
            for thread in wanted.values() {
                document.put(thread);
                document.begin(&thread.ts, &seen.get(&thread.ts).cloned().unwrap_or_else(Ts::now));
            }
            gone
        };
        let gone = self.change(edit).await?;
        self.write().bound = by_ts;
        Ok(gone)
    }

    /// Stores read positions.
    pub(super) async fn advance(&self, cursors: HashMap<Ts, Ts>) -> Result<(), String> {
        {
            let known = self.read();
            if cursors.iter().all(|(thread, cursor)| known.cursors.get(thread).is_some_and(|known| known >= cursor)) {
                return Ok(());
            }
        }
        self.change(move |document| {
            for (thread, cursor) in &cursors {
                document.advance(thread, cursor);
            }
        })
        .await
    }

    /// Changes the stored data. Only other changes wait meanwhile.
    async fn change<T: Send + 'static>(
        &self,
        edit: impl FnOnce(&mut Document) -> T + Send + 'static,
    ) -> Result<T, String> {
        let held = lock(&self.folder, LOCK, WAIT).await?;
        let at = self.clone();
        let changed = blocking(move || -> io::Result<T> {
            let mut document = Document::read(&at.folder)?;
            let before = document.clone();
            let edited = edit(&mut document);
            if document != before {
                document.write(&before, &at.folder)?;
            }
            at.write().cursors = document.cursors();
            drop(held);
            Ok(edited)
        });
        changed.await?.map_err(|error| error.to_string())
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, Known> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> std::sync::RwLockWriteGuard<'_, Known> {
        self.known.write().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use ::files::write::Durability;

    use super::{files::FILE, *};

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

    async fn follow(threads: &Threads, bound: Vec<Thread>, unsure: &[&str]) -> Vec<Thread> {
        let unsure = unsure.iter().map(|name| (*name).to_owned()).collect();
        threads.follow(bound, unsure, HashMap::new()).await.expect("followed")
    }

    #[tokio::test]
    async fn the_file_follows_the_records_in_its_published_form() {
        let root = tempfile::tempdir().expect("a folder");
        let folder = Folder::below(root.path());
        let theirs = json!({ "workItem": "github:o/r#1", "channel": "C9" });
        let before = json!({ "threads": { "5.000000": theirs }, "cursors": { "5.000000": "6.000000" }, "v": 2 });
        folder.write(FILE, &before.to_string(), Durability::Crash).expect("written");
        let threads = Threads::of(&folder);
        threads.add(thread("ops", "10.000000")).await.expect("noted");
        assert_eq!(follow(&threads, vec![thread("ops", "10.000000")], &[]).await, []);
        let cursor = Ts::parse("12.000000").expect("a stamp");
        let ts = thread("ops", "10.000000").ts;
        threads.advance(HashMap::from([(ts.clone(), cursor.clone())])).await.expect("advanced");
        assert_eq!(
            written(&folder),
            json!({
                "threads": { "5.000000": theirs, "10.000000": { "workItem": "standing:ops", "channel": "C1" } },
                "cursors": { "5.000000": "6.000000", "10.000000": "12.000000" },
                "v": 2,
            })
        );
        assert_eq!(threads.get("C1", &ts).map(|thread| thread.name.to_string()), Some("ops".to_owned()));
        assert_eq!(threads.get("C2", &ts), None, "the same stamp in another channel");
        assert_eq!(threads.cursor(&ts), Some(cursor));

        assert_eq!(follow(&threads, vec![], &["ops"]).await, [], "nothing is known of it");
        assert_eq!(follow(&threads, vec![], &[]).await, [thread("ops", "10.000000")]);
        assert_eq!(written(&folder), before);
    }

    #[tokio::test]
    async fn no_thread_of_a_session_is_dropped_however_many_there_are() {
        let root = tempfile::tempdir().expect("a folder");
        let folder = Folder::below(root.path());
        let theirs: serde_json::Map<String, Value> = (1..=20)
            .map(|n| (format!("{n}.000000"), json!({ "workItem": format!("github:o/r#{n}"), "channel": "C9" })))
            .collect();
        folder
            .write(FILE, &json!({ "threads": theirs, "cursors": {} }).to_string(), Durability::Crash)
            .expect("written");
        let threads = Threads::of(&folder);
        let many: Vec<Thread> = (0..500).map(|n| thread(&format!("s{n}"), &format!("{}.000000", 1000 + n))).collect();
        let seen = many.iter().map(|thread| (thread.ts.clone(), thread.ts.clone())).collect();
        assert_eq!(threads.follow(many.clone(), vec![], seen).await.expect("followed"), []);
        let in_published = |ts: &str| written(&folder)["threads"].get(ts).is_some();
        assert_eq!(written(&folder)["threads"].as_object().expect("an object").len(), 200, "for older readers");
        assert!(in_published("1.000000") && in_published("1499.000000") && !in_published("1000.000000"));
        for thread in &many {
            assert_eq!(threads.get("C1", &thread.ts).as_ref(), Some(thread));
        }
        let cursor = Ts::parse("5000.000000").expect("a stamp");
        threads.advance(HashMap::from([(many[0].ts.clone(), cursor.clone())])).await.expect("advanced");

        // After a restart, and with a file rewritten by an older program, each thread is known as before.
        let again = Threads::of(&folder);
        assert_eq!(follow(&again, many.clone(), &[]).await, []);
        assert_eq!((again.len(), again.cursor(&many[0].ts)), (500, Some(cursor)));
        // All removed threads are returned, and the remaining ones move up.
        let gone = follow(&again, many[..100].to_vec(), &[]).await;
        assert_eq!(gone.len(), 400);
        assert!(
            in_published("1000.000000") && written(&folder)["threads"].as_object().expect("an object").len() == 120
        );
        assert_eq!(again.len(), 100);
    }

    #[tokio::test]
    async fn a_file_that_cannot_be_read_is_moved_aside() {
        let root = tempfile::tempdir().expect("a folder");
        let folder = Folder::below(root.path());
        for wrong in ["{", "[]", r#"{"threads": 7}"#] {
            folder.write(FILE, wrong, Durability::Crash).expect("written");
            let threads = Threads::of(&folder);
            follow(&threads, vec![thread("ops", "10.000000")], &[]).await;
            assert_eq!(written(&folder)["threads"]["10.000000"]["workItem"], "standing:ops");
            assert_eq!(folder.read("slack.json.unreadable").expect("kept"), wrong);
            // Messages that were read before are not typed again.
            assert!(threads.cursor(&thread("ops", "10.000000").ts) > Ts::parse("1600000000.000000"));
        }
    }
}
