//! Files of the threads: `slack.json` in its published form, and a second file for entries that do not fit into it.

use std::{collections::HashMap, io};

use files::write::{self, Durability};
use serde_json::{Map, Value, json};
use wire::StandingRef;

use super::Thread;
use crate::surfaces::slack::{folder::Folder, ts::Ts};

pub(super) const FILE: &str = "slack.json";
pub(super) const LOCK: &str = "slack.json.lock";

/// File in the same form for threads that do not fit into `slack.json`. Other programs do not read it.
const MORE: &str = "slack.more.json";

/// Maximum number of threads that older readers expect in `slack.json`.
const PUBLISHED: usize = 200;

/// Combined content of both files.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Document {
    threads: Map<String, Value>,
    cursors: Map<String, Value>,
    other: Map<String, Value>,
}

impl Document {
    /// Reads both files. For an entry in both, `slack.json` wins.
    pub(super) fn read(folder: &Folder) -> io::Result<Self> {
        let mut document = Self::of_file(folder, MORE)?;
        let published = Self::of_file(folder, FILE)?;
        document.threads.extend(published.threads);
        document.cursors.extend(published.cursors);
        document.other = published.other;
        Ok(document)
    }

    /// Writes both files. A thread that moves from one file to the other is in both for a moment, and always in at
    /// least one.
    pub(super) fn write(&self, before: &Self, folder: &Folder) -> io::Result<()> {
        let ((published, more), (published_before, more_before)) = (self.split(), before.split());
        let mut both = more.clone();
        both.threads.extend(more_before.threads.clone());
        both.cursors.extend(more_before.cursors.clone());
        if both != more_before {
            folder.write(MORE, &both.text(), Durability::PowerLoss)?;
        }
        if published != published_before {
            folder.write(FILE, &published.text(), Durability::PowerLoss)?;
        }
        if both != more {
            folder.write(MORE, &more.text(), Durability::PowerLoss)?;
        }
        Ok(())
    }

    /// Splits the content into the part for `slack.json` and the rest: the oldest threads of standing sessions.
    fn split(&self) -> (Self, Self) {
        let mut ours = self.ours();
        ours.sort_by(|a, b| b.ts.cmp(&a.ts));
        let room = PUBLISHED.saturating_sub(self.threads.len() - ours.len());
        let (mut published, mut more) = (self.clone(), Self::default());
        for thread in ours.into_iter().skip(room) {
            let ts = thread.ts.as_str();
            more.threads.extend(published.threads.remove(ts).map(|bound| (ts.to_owned(), bound)));
            more.cursors.extend(published.cursors.remove(ts).map(|cursor| (ts.to_owned(), cursor)));
        }
        (published, more)
    }

    fn of_file(folder: &Folder, file: &str) -> io::Result<Self> {
        let text = folder.read(file)?;
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        if let Some(document) = serde_json::from_str(&text).ok().and_then(Self::of) {
            return Ok(document);
        }
        // The records hold the bindings, so nothing is lost. The unreadable file is kept for inspection.
        let aside = folder.path_of(&format!("{file}.unreadable"));
        write::rename(&folder.path_of(file), &aside)?;
        tracing::warn!(moved_to = %aside.display(), "could not read the file of Slack threads; rebuilt it");
        Ok(Self::default())
    }

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

    /// Returns the threads that are bound to standing sessions.
    pub(super) fn ours(&self) -> Vec<Thread> {
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

    /// Binds a thread.
    pub(super) fn put(&mut self, thread: &Thread) {
        let known = self.threads.get(thread.ts.as_str());
        let reference = thread.name.standing_ref().to_string();
        let is_so = |known: &Value| known["workItem"] == reference.as_str() && known["channel"] == *thread.channel;
        if !known.is_some_and(is_so) {
            self.threads.insert(thread.ts.to_string(), json!({ "workItem": reference, "channel": thread.channel }));
        }
    }

    /// Sets the read position of a thread that has none.
    pub(super) fn begin(&mut self, thread: &Ts, cursor: &Ts) {
        self.cursors.entry(thread.to_string()).or_insert_with(|| json!(cursor.as_str()));
    }

    /// Advances the read position of a bound thread. It never moves back.
    pub(super) fn advance(&mut self, thread: &Ts, cursor: &Ts) {
        let known = self.cursors.get(thread.as_str()).and_then(Value::as_str).and_then(Ts::parse);
        if self.threads.contains_key(thread.as_str()) && known.is_none_or(|known| known < *cursor) {
            self.cursors.insert(thread.to_string(), json!(cursor.as_str()));
        }
    }

    pub(super) fn remove(&mut self, thread: &Ts) {
        self.threads.remove(thread.as_str());
        self.cursors.remove(thread.as_str());
    }

    /// Returns the read position of every thread.
    pub(super) fn cursors(&self) -> HashMap<Ts, Ts> {
        let parsed = |(thread, cursor): (&String, &Value)| Some((Ts::parse(thread)?, Ts::parse(cursor.as_str()?)?));
        self.cursors.iter().filter_map(parsed).collect()
    }
}
