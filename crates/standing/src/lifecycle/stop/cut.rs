//! Work that a stop interrupts: a turn, a prompt, or queued messages. It is reported, and the messages are kept.

use harness::{Reading, Screen};
use tmux::Pane;
use wire::Activity;

use crate::{
    events::Event,
    lifecycle::{Context, say::Queue},
    registry::Record,
    text::inert_line,
};

/// Number of characters of a prompt that are reported.
const PROMPT_SHOWN: usize = 120;

/// Work that a stop interrupts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Cut {
    reading: Reading,
    /// Last message, if it was sent in this run.
    last_message: String,
    /// Number of queued messages.
    untaken: usize,
}

impl Cut {
    /// Examines a session that is about to be stopped.
    pub(super) fn look(context: &Context, record: &Record, pane: &Pane) -> Self {
        let Ok(harness) = context.harness(&record.harness) else { return Self::default() };
        let shown = context.tmux.shown(pane).into_result().ok().flatten().unwrap_or_default();
        let screen = Screen { text: &shown.text, title: &shown.title };
        let mut queue = Queue::open(context, &record.name);
        queue.recover(context, record, harness.as_ref());
        queue.look_at_box(|message| harness.holds_input(screen, message));
        let in_this_run = record.last_message_at >= record.started_at;
        Self {
            reading: harness.read(screen),
            last_message: if in_this_run { record.last_message_at.clone() } else { String::new() },
            untaken: queue.len(),
        }
    }

    /// Describes the work; empty if nothing was interrupted.
    pub(super) fn note(&self) -> String {
        let mut notes = Vec::new();
        match self.reading.activity {
            Activity::Busy if self.last_message.is_empty() => notes.push("it was in the middle of a turn".to_owned()),
            Activity::Busy => {
                notes.push(format!("it was in the middle of a turn (last message at {})", self.last_message));
            }
            Activity::Waiting => notes.push(format!("it was waiting for an answer to its prompt: {}", self.prompt())),
            Activity::Idle | Activity::Unknown => {}
        }
        if self.untaken > 0 {
            notes.push(format!("{} queued message(s) are kept for the next start", self.untaken));
        }
        notes.join("; ")
    }

    /// Returns the prompt in one line.
    fn prompt(&self) -> String {
        let line = inert_line(&self.reading.question.split_whitespace().collect::<Vec<_>>().join(" "));
        match line.char_indices().nth(PROMPT_SHOWN) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None => line,
        }
    }

    /// Adds the work to an event, without the text of the prompt, since it may quote anything.
    pub(super) fn note_in(&self, event: Event) -> Event {
        let word = match self.reading.activity {
            Activity::Busy => "turn",
            Activity::Waiting => "prompt",
            Activity::Idle | Activity::Unknown => "",
        };
        let event = event.with("cut_off", word);
        if self.untaken == 0 { event } else { event.with("untaken_messages", self.untaken) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(activity: Activity, question: &str, untaken: usize) -> Cut {
        Cut { reading: Reading { activity, question: question.to_owned() }, untaken, ..Cut::default() }
    }

    #[test]
    fn what_is_cut_off_is_named_and_nothing_else_is() {
        assert_eq!(cut(Activity::Idle, "", 0).note(), "");
        assert_eq!(cut(Activity::Busy, "", 0).note(), "it was in the middle of a turn");
        let asked = cut(Activity::Waiting, "Run it?\n  rm -rf build", 2).note();
        assert!(asked.contains("Run it? rm -rf build; 2 queued message(s)"), "{asked}");
        assert!(cut(Activity::Waiting, &"x".repeat(500), 0).note().ends_with("xxx…"));
    }
}
