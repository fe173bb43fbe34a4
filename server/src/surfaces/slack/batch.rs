//! Received messages on their way to be judged.

use super::{
    message::{Message, Reply},
    ts::Ts,
};

/// Messages that arrived together.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) messages: Vec<(Message, Fate)>,
    pub(super) opens: Opens,
}

/// Part of the gate to open after a batch is judged. If it opened earlier, replies that still wait to be judged would
/// lose their place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Opens {
    /// Opens nothing.
    Nothing,
    /// Opens the gate for replies of a thread.
    Thread(Ts),
}

/// Result of the first look at a message.
#[derive(Debug)]
pub(super) enum Fate {
    /// A possible reply that is new and on disk.
    Kept(Reply),
    /// A possible reply that was stored before.
    Known,
    /// Not a reply of an authorised member.
    Other,
}

impl Batch {
    /// Returns an empty batch that only opens the gate.
    pub(super) fn nothing(opens: Opens) -> Self {
        Self { messages: Vec::new(), opens }
    }

    /// Sets the part of the gate that opens after this batch.
    pub(super) fn and_then(self, opens: Opens) -> Self {
        Self { opens, ..self }
    }

    /// Returns the new replies.
    pub(super) fn kept(&self) -> impl Iterator<Item = &Reply> {
        self.messages.iter().filter_map(|(_, fate)| match fate {
            Fate::Kept(reply) => Some(reply),
            Fate::Known | Fate::Other => None,
        })
    }
}
