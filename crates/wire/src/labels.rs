//! Labels of states and results: one table, used by every surface.
//!
//! Each value has a published word, which programs read and which does not change; a label for people; and an
//! explanation of one line. A test compares the tables in `docs/api.md` with these.

use crate::{Activity, Block, Evidence, Need, Outcome, Row, Source, State, Status, TurnState, Verdict};

/// Adds the labels of a type: the list of its values, and for each value its published word, its label and its
/// explanation.
macro_rules! labels {
    ($type:ident { $($value:ident: $word:literal, $label:literal, $about:literal;)+ }) => {
        impl $type {
            /// All values, in the order of the type.
            pub const ALL: &[Self] = &[$(Self::$value),+];

            /// Returns the published word.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$value => $word,)+
                }
            }

            /// Returns the label for people.
            pub const fn label(self) -> &'static str {
                match self {
                    $(Self::$value => $label,)+
                }
            }

            /// Returns an explanation of one line.
            pub const fn about(self) -> &'static str {
                match self {
                    $(Self::$value => $about,)+
                }
            }
        }
    };
}

labels!(Status {
    Running: "running", "running", "The harness is running in its pane.";
    Stopped: "stopped", "stopped", "There is a record, and the harness is not running.";
    Absent: "absent", "not started", "Declared and not started yet, or deleted.";
});

labels!(State {
    Absent: "absent", "not started", "No record and no tmux session.";
    Stopped: "stopped", "stopped", "The harness is not running; the next start resumes its conversation.";
    Starting: "starting", "starting", "A start is in progress.";
    Running: "running", "running", "The harness is running in its pane.";
    Stopping: "stopping", "stopping", "A stop or delete is in progress.";
    Ended: "ended", "exited", "The harness exited on its own; its pane shows the last output.";
    Orphaned: "orphaned", "running without a pane", "The harness is running, but its tmux session was not found.";
    Foreign: "foreign", "not managed by the-loop", "Another program created the tmux session of this name.";
    Unrecorded: "unrecorded", "running without a record", "The session is running, but its record is missing.";
    Unknown: "unknown", "unknown", "Could not determine the state: tmux did not answer.";
    Unreadable: "unreadable", "record unreadable", "Could not read the record; it is not overwritten.";
});

labels!(Activity {
    Busy: "busy", "working", "The harness is working on a turn.";
    Idle: "idle", "idle", "The harness is ready for the next message.";
    Waiting: "waiting", "waiting", "The harness shows a prompt and waits for an answer.";
    Unknown: "unknown", "unknown", "Could not determine the activity from the screen.";
});

labels!(Block {
    Limited: "limited", "usage limit", "The account reached a usage limit.";
    LoggedOut: "logged-out", "logged out", "The account is not signed in.";
    NoCredit: "no-credit", "no credit", "The account has no credit left.";
    Overloaded: "overloaded", "overloaded", "The vendor's service is overloaded or fails.";
    Refused: "refused", "refused", "The vendor refused the request.";
    ContextFull: "context-full", "context full", "The conversation no longer fits the model's context.";
    Stalled: "stalled", "stalled", "The harness is working, but has made no progress for a long time.";
});

labels!(Need {
    Prompt: "prompt", "waiting", "The session shows a prompt and waits for an answer.";
    LoggedOut: "logged-out", "logged out", "The account is not signed in.";
    Exited: "exited", "exited", "The harness exited on its own.";
    NoCredit: "no-credit", "no credit", "The account has no credit left.";
    Limited: "limited", "usage limit", "The account reached a usage limit.";
    ContextFull: "context-full", "context full", "The conversation no longer fits the model's context.";
    Refused: "refused", "refused", "The vendor refused the request.";
    Stalled: "stalled", "stalled", "The harness is working, but has made no progress for a long time.";
    Overloaded: "overloaded", "overloaded", "The vendor's service is overloaded or fails.";
    Broken: "broken", "broken", "The session and its record, pane or name do not fit together.";
    Unknown: "unknown", "unknown", "Could not determine the state of the session.";
    Answer: "answer", "answered", "The session has answered a message; no action is needed.";
});

labels!(Source {
    Tmux: "tmux", "tmux", "Answer of tmux: pane and process.";
    Hook: "hook", "hook", "Hook of the harness.";
    SessionFile: "session-file", "session file", "Status file that the harness keeps while it runs.";
    Transcript: "transcript", "transcript", "Transcript of the conversation.";
    Screen: "screen", "screen", "Screen of the pane.";
    Title: "title", "title", "Title of the pane.";
});

labels!(Outcome {
    Started: "started", "started", "Started with a new conversation.";
    Resumed: "resumed", "resumed", "Started, conversation resumed.";
    AlreadyRunning: "already-running", "already running", "Already running, left untouched.";
    Stopped: "stopped", "stopped", "Stopped, conversation kept.";
    NotRunning: "not-running", "not running", "Not running: there was nothing to stop, or it was not started.";
    Failed: "failed", "failed", "The command failed; the detail has the reason.";
    Deleted: "deleted", "deleted", "Stopped, and its record was removed.";
    Misconfigured: "misconfigured", "invalid config", "The config is invalid.";
});

labels!(Verdict {
    Submitted: "submitted", "submitted", "There is evidence that the harness received the message.";
    Queued: "queued", "queued", "The harness will read the message when its current turn ends.";
    Unconfirmed: "unconfirmed", "unconfirmed", "Sent, but could not confirm that the harness received the message.";
    NotDelivered: "not-delivered", "not delivered", "The message did not reach the pane.";
});

labels!(Evidence {
    Transcript: "transcript", "transcript", "The message is in the transcript of the harness.";
    InputEmptied: "input-emptied", "input box", "The input box received the text and is empty again.";
    Queue: "queue", "queue", "The queue of the harness contains the message.";
    QuestionGone: "question-gone", "prompt closed", "The prompt that was answered is no longer on the screen.";
    None: "none", "none", "No evidence.";
});

labels!(TurnState {
    Working: "working", "working", "The message waits for its turn, or the agent works on it.";
    Answered: "answered", "answered", "The agent has answered.";
    Blocked: "blocked", "blocked", "The agent cannot continue; the reason says why.";
    LostTrack: "lost-track", "lost track", "The turn ended without an answer that is certainly its own.";
    NotFollowed: "not-followed", "not followed", "The turns of this harness cannot be followed.";
});

impl Row {
    /// Returns the label of a running session: its prompt, its obstacle or its activity, in this order, as far as
    /// known. Returns the label of the state otherwise.
    pub const fn label(&self) -> &'static str {
        match (self.state, self.activity, &self.blocked) {
            (State::Running, Activity::Busy | Activity::Idle | Activity::Unknown, Some(blocked)) => {
                blocked.kind.label()
            }
            (State::Running, Activity::Busy | Activity::Idle | Activity::Waiting, _) => self.activity.label(),
            _ => self.state.label(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use serde::Serialize;

    use super::*;

    fn assert_published<T: Copy + Debug + Serialize>(all: &[T], word: fn(T) -> &'static str) {
        for &value in all {
            assert_eq!(serde_json::json!(value), word(value), "{value:?}");
        }
    }

    #[test]
    fn the_words_are_those_of_json() {
        assert_published(Status::ALL, Status::as_str);
        assert_published(State::ALL, State::as_str);
        assert_published(Activity::ALL, Activity::as_str);
        assert_published(Block::ALL, Block::as_str);
        assert_published(Need::ALL, Need::as_str);
        assert_published(Source::ALL, Source::as_str);
        assert_published(Outcome::ALL, Outcome::as_str);
        assert_published(Verdict::ALL, Verdict::as_str);
        assert_published(Evidence::ALL, Evidence::as_str);
        assert_published(TurnState::ALL, TurnState::as_str);
    }
}
