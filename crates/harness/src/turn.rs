//! Turn of a message, followed through a transcript from the message to its answer.
//!
//! A message is found by the id in its first line. A parser is pure: it takes the entries of a transcript in order, and
//! says what is known after each. It never guesses: an answer that another message may have got counts as lost.

use serde_json::Value;
use wire::Speaker;

/// Known state of a turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Progress {
    /// The message is not a turn of this transcript yet.
    #[default]
    Unseen,
    /// The agent works on it.
    Working,
    /// The agent has answered.
    Answered(Answer),
    /// The vendor refused a request, and the turn stopped there. The reason is the agent's own sentence.
    Blocked(String),
    /// The turn ended without an answer.
    Lost(Lost),
}

/// Answer to a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Last words of the agent in the turn.
    pub text: String,
    /// Ids of the other messages that the agent read as part of the same turn.
    pub with: Vec<String>,
}

/// Reason why a turn has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// A person interrupted it.
    Interrupted,
    /// Its process ended first.
    ProcessEnded,
    /// The conversation continued without it: it was rewound, or another message began first.
    Passed,
    /// It ended, and the agent said nothing.
    Silent,
}

impl Lost {
    /// Returns the reason, for people.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Interrupted => "the turn was interrupted",
            Self::ProcessEnded => "the agent's process ended before the turn did",
            Self::Passed => "the conversation continued without this turn",
            Self::Silent => "the turn ended without an answer",
        }
    }
}

/// Text in a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// Time, as the harness recorded it.
    pub at: String,
    /// Author.
    pub speaker: Speaker,
    /// Text as the harness recorded it.
    pub text: String,
}

impl Said {
    /// Returns the text parts of a content; `None` if there are none.
    pub(super) fn of(at: &Value, speaker: Speaker, content: &Value) -> Option<Self> {
        let text = texts(content).collect::<Vec<_>>().join("\n");
        let at = at.as_str().unwrap_or_default().to_owned();
        (!text.trim().is_empty()).then_some(Self { at, speaker, text })
    }
}

/// Follows the turn of one message through the entries of a transcript.
pub trait Follow: Send {
    /// Takes the next entry.
    fn take(&mut self, entry: &Value);

    /// Returns the state after the entries so far.
    fn progress(&self) -> Progress;
}

/// Returns the id of a message in the text parts of an entry: a string, or a list of parts with `text`.
pub(super) fn id_in(content: &Value) -> Option<&str> {
    texts(content).find_map(wire::message_id)
}

/// Iterates over the texts of a content: a string, or a list of parts with `text`.
pub(super) fn texts(content: &Value) -> impl Iterator<Item = &str> {
    let parts = content.as_array().into_iter().flatten().filter_map(|part| part["text"].as_str());
    content.as_str().into_iter().chain(parts)
}

/// Reads the fixtures of a harness: recorded transcripts, shortened, with ids of one letter.
#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Follows the message `id` through the lines of a transcript, and returns the state after each line.
    pub(crate) fn states(text: &str, mut follow: Box<dyn Follow>) -> Vec<Progress> {
        let entries = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        let mut states: Vec<Progress> = entries
            .map(|entry| {
                follow.take(&entry);
                follow.progress()
            })
            .collect();
        states.dedup();
        states
    }

    /// Returns the last state.
    pub(crate) fn end(text: &str, follow: Box<dyn Follow>) -> Progress {
        states(text, follow).pop().unwrap_or_default()
    }

    pub(crate) fn answered(text: &str, with: &[&str]) -> Progress {
        let with = with.iter().map(|id| (*id).to_owned()).collect();
        Progress::Answered(Answer { text: text.to_owned(), with })
    }
}
