//! State of a session as a word, a shape and a colour, in that order.

use leptos::prelude::*;
use wire::{Activity, Row, State};

/// Group of a session in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Group {
    /// Waits on a prompt.
    Waits,
    /// The harness is running.
    Running,
    /// The state could not be determined.
    Unclear,
    /// The harness is not running.
    NotRunning,
}

impl Group {
    /// All groups, in the order of the page.
    pub(crate) const ALL: [Self; 4] = [Self::Waits, Self::Running, Self::Unclear, Self::NotRunning];

    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Waits => "Waiting for you",
            Self::Running => "Running",
            Self::Unclear => "Unknown",
            Self::NotRunning => "Not running",
        }
    }

    pub(crate) const fn id(self) -> &'static str {
        match self {
            Self::Waits => "group-waits",
            Self::Running => "group-running",
            Self::Unclear => "group-unclear",
            Self::NotRunning => "group-not-running",
        }
    }
}

/// Shape beside the word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Arc,
    Dot,
    Triangle,
    Ring,
    Cross,
    Question,
    Lock,
    Torn,
}

/// Appearance of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Appearance {
    /// Label of its state.
    pub(crate) word: &'static str,
    /// Name of the colour in the style sheet.
    pub(crate) colour: &'static str,
    pub(crate) group: Group,
    shape: Shape,
}

impl Appearance {
    pub(crate) fn of(row: &Row) -> Self {
        use Group::{NotRunning, Running, Unclear, Waits};
        use Shape::{Arc, Cross, Dot, Lock, Question, Ring, Torn, Triangle};
        let (colour, group, shape) = match (row.state, row.activity) {
            (State::Running, Activity::Waiting) => ("warn", Waits, Triangle),
            (State::Running, Activity::Idle | Activity::Unknown) => ("good", Running, Dot),
            (State::Running, Activity::Busy) | (State::Starting | State::Stopping, _) => ("busy", Running, Arc),
            (State::Orphaned | State::Unrecorded, _) => ("bad", Running, Torn),
            (State::Unknown, _) => ("warn", Unclear, Question),
            (State::Foreign, _) => ("warn", NotRunning, Lock),
            (State::Unreadable, _) => ("bad", NotRunning, Torn),
            (State::Ended, _) => ("bad", NotRunning, Cross),
            (State::Stopped | State::Absent, _) => ("quiet", NotRunning, Ring),
        };
        Self { word: row.label(), colour, group, shape }
    }

    /// Returns the reason why a message cannot be sent now, if there is one.
    pub(crate) fn deaf(row: &Row) -> Option<&'static str> {
        match row.state {
            State::Running if row.activity == Activity::Waiting => Some("Waiting for an answer to its prompt"),
            State::Running => None,
            State::Starting => Some("Starting"),
            State::Stopping => Some("Stopping"),
            State::Orphaned => Some("Running without a pane: stop it, then start it"),
            State::Unknown => Some("tmux did not answer"),
            State::Foreign => Some("Not managed by the-loop"),
            State::Unrecorded => Some("Its record is missing: restore it first"),
            State::Unreadable => Some("Its record is unreadable"),
            State::Ended | State::Stopped | State::Absent => Some("Not running: start it first"),
        }
    }
}

/// Renders the shape in the current colour. The word beside it has the same meaning.
#[component]
pub(crate) fn ShapeOf(face: Appearance) -> impl IntoView {
    let drawing = match face.shape {
        Shape::Arc => view! { <path d="M8 2a6 6 0 1 1-5.6 3.9" /> }.into_any(),
        Shape::Dot => view! { <circle class="solid" cx="8" cy="8" r="4.5" /> }.into_any(),
        Shape::Triangle => view! { <path d="M8 2.2 14.4 13.5H1.6ZM8 6.5v3.2M8 11.5v.3" /> }.into_any(),
        Shape::Ring => view! { <circle cx="8" cy="8" r="4.5" /> }.into_any(),
        Shape::Cross => view! { <path d="m3.5 3.5 9 9m0-9-9 9" /> }.into_any(),
        Shape::Question => {
            view! { <path d="M5.2 5.6c0-1.7 1.2-2.8 2.9-2.8s2.8 1 2.8 2.5c0 2.2-2.9 2.1-2.9 4.5M8 12.8v.4" /> }
                .into_any()
        }
        Shape::Lock => view! { <path d="M3.5 7.5h9v6h-9ZM5.5 7.5v-2a2.5 2.5 0 0 1 5 0v2" /> }.into_any(),
        Shape::Torn => view! { <path d="M8 1.8v3.4M8 10.8v3.4M1.8 8h3.4M10.8 8h3.4M6 6l4 4M10 6l-4 4" /> }.into_any(),
    };
    view! {
        <svg class="shape" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
            {drawing}
        </svg>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(state: State, activity: Activity) -> Row {
        Row { state, activity, ..Row::titled("x") }
    }

    #[test]
    fn who_waits_comes_first_and_silence_is_not_absence() {
        assert_eq!(Appearance::of(&row(State::Running, Activity::Waiting)).group, Group::Waits);
        assert_eq!(Appearance::of(&row(State::Unknown, Activity::Unknown)).group, Group::Unclear);
        assert!(Group::ALL.is_sorted());
    }

    #[test]
    fn only_a_running_session_without_a_question_is_spoken_to() {
        assert_eq!(Appearance::deaf(&row(State::Running, Activity::Busy)), None);
        assert_eq!(Appearance::deaf(&row(State::Running, Activity::Unknown)), None);
        for state in [
            State::Absent,
            State::Stopped,
            State::Ended,
            State::Unknown,
            State::Foreign,
            State::Orphaned,
            State::Unrecorded,
        ] {
            assert!(Appearance::deaf(&row(state, Activity::Idle)).is_some(), "{state:?}");
        }
        assert!(Appearance::deaf(&row(State::Running, Activity::Waiting)).is_some());
    }
}
