//! news: what the transcript of a session says about the progress of its turns.
//!
//! Only the end of a transcript is read, back to the last answer of the model. A reading is kept until the file changes,
//! because the watcher asks again every second.

use std::{
    collections::HashMap,
    fs::File,
    io::{Read as _, Seek as _, SeekFrom},
    path::{Path, PathBuf},
    sync::{LazyLock, Mutex, PoisonError},
    time::SystemTime,
};

use harness::{Harness, News, Signal};
use serde_json::Value;

/// Numbers of bytes at the end of a transcript that are searched, one after the other.
const TAILS: [u64; 2] = [16 * 1024, 512 * 1024];

/// Largest number of readings that are kept.
const KEPT: usize = 4096;

/// Reading of a transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Told {
    /// Its last signals, oldest first, from the last answer of the model on.
    pub(super) signals: Vec<Signal>,
    /// Time of the last write to it.
    pub(super) written: SystemTime,
}

/// State of a file that a reading belongs to.
type Version = (u64, SystemTime);

static READINGS: LazyLock<Mutex<HashMap<PathBuf, (Version, Told)>>> = LazyLock::new(Mutex::default);

/// Reads a transcript; `None` if there is none.
pub(super) fn read(adapter: &dyn Harness, transcript: &Path) -> Option<Told> {
    let mut file = File::open(transcript).ok()?;
    let metadata = file.metadata().ok()?;
    let version = (metadata.len(), metadata.modified().ok()?);
    let readings = || READINGS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((of, told)) = readings().get(transcript)
        && *of == version
    {
        return Some(told.clone());
    }
    let signals = TAILS.into_iter().find_map(|tail| {
        let whole = version.0 <= tail || tail == TAILS[TAILS.len() - 1];
        let (signals, answered) = signals(adapter, &mut file, version.0.saturating_sub(tail))?;
        (answered || whole).then_some(signals)
    })?;
    let told = Told { signals, written: version.1 };
    let mut readings = readings();
    if readings.len() >= KEPT {
        readings.clear();
    }
    readings.insert(transcript.to_owned(), (version, told.clone()));
    Some(told)
}

/// Returns the signals from a position on, oldest first, and true if the search ended at an answer of the model.
fn signals(adapter: &dyn Harness, file: &mut File, from: u64) -> Option<(Vec<Signal>, bool)> {
    file.seek(SeekFrom::Start(from)).ok()?;
    let mut bytes = Vec::new();
    file.take(TAILS[TAILS.len() - 1]).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let values = text.lines().rev().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut signals = Vec::new();
    for signal in values.filter_map(|entry| adapter.signal(&entry)) {
        let answered = matches!(signal.news, News::Answered { .. });
        signals.push(signal);
        if answered {
            break;
        }
    }
    signals.reverse();
    let answered = signals.first().is_some_and(|signal| matches!(signal.news, News::Answered { .. }));
    Some((signals, answered))
}
