//! Entries after a position in the log, for a page that is open.

use std::io;

use super::{
    Entry, TimelineQuery,
    entry::{TAKEN_BACK, TAKEN_UP, TURN_ENDED},
    texts::Texts,
};
use crate::{events::EventReader, messages::Messages};

/// Entries after a position in the log.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct News {
    /// New entries, and earlier messages whose verdict or turn has changed, oldest first. An earlier message has no position.
    pub entries: Vec<Entry>,
    /// Position of the next read. Equal to the given position if there is nothing new.
    pub position: u64,
    /// True if the lines after the given position are no longer kept: the page must be read again.
    pub gap: bool,
}

pub(super) fn read(log: &EventReader, messages: &Messages, query: &TimelineQuery, from: u64) -> io::Result<News> {
    let batch = log.read(from)?;
    let mut texts = Texts::new(messages);
    let mut news = News { entries: Vec::new(), position: batch.next, gap: batch.gap };
    for line in batch.lines {
        let Some(entry) = line.value().and_then(|value| Entry::of_event(line.id, value)) else { continue };
        if matches!(entry.event.as_str(), TAKEN_UP | TAKEN_BACK | TURN_ENDED)
            && let Some(changed) = texts.by_id(&entry.session, &entry.message_id)
            && query.takes(&changed)
        {
            news.entries.push(changed);
        }
        if query.takes(&entry) {
            news.entries.push(texts.complete(entry));
        }
    }
    Ok(news)
}
