//! history: what was said in the conversations of a session, from the transcripts of its harness.

use std::{
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom},
    path::Path,
};

use harness::{Harness, Said};
use wire::{History, Received, SessionName, Spoken};

use super::Context;
use crate::{Error, registry::Entry, text};

/// Bytes at the end of a transcript that are read.
const TAIL: u64 = 64 * 1024 * 1024;

/// Largest number of texts.
const LONGEST_HISTORY: usize = 1000;

/// Returns the last `limit` texts of a session, oldest first.
pub(crate) fn history(context: &Context, name: &SessionName, limit: usize) -> Result<History, Error> {
    let limit = limit.min(LONGEST_HISTORY);
    let mut history = History { name: name.to_string(), texts: Vec::new(), incomplete: false };
    let entry = context.registry.read(name);
    if matches!(entry, Entry::Vacant) {
        context.resolve_vacant(name)?;
    }
    let Some(record) = context.registry.read_whole(name)? else { return Ok(history) };
    let Ok(harness) = context.harness(&record.harness) else { return Ok(History { incomplete: true, ..history }) };
    let place = context.place(&record);
    let former = record.former_session_ids.iter().rev();
    for conversation in std::iter::once(&record.harness_session_id).chain(former) {
        if conversation.is_empty() || history.texts.len() >= limit {
            continue;
        }
        let path = harness.transcript(&place, conversation).filter(|path| path.exists());
        let Some(texts) = path.and_then(|path| texts(harness.as_ref(), &path, conversation).ok()) else {
            history.incomplete = true;
            continue;
        };
        history.texts.splice(0..0, texts);
    }
    let excess = history.texts.len().saturating_sub(limit);
    history.texts.drain(..excess);
    Ok(history)
}

/// Returns the texts of one transcript.
fn texts(harness: &dyn Harness, path: &Path, conversation: &str) -> io::Result<Vec<Spoken>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes)?;
    let entries = bytes.split(|&byte| byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok());
    Ok(entries.filter_map(|entry| harness.said(&entry)).map(|said| spoken(&said, conversation)).collect())
}

fn spoken(said: &Said, conversation: &str) -> Spoken {
    let whole = text::inert(&said.text);
    let Received { actor, id, text } = Received::parse(&whole).unwrap_or(Received { actor: "", id: "", text: &whole });
    Spoken {
        at: text::inert_line(&said.at),
        speaker: said.speaker,
        actor: actor.to_owned(),
        message_id: id.to_owned(),
        text: text.to_owned(),
        conversation: conversation.to_owned(),
    }
}
