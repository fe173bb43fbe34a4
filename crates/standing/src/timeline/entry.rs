//! Entry of a timeline, from a line of the event log or from a kept message.

use jiff::Timestamp;
use serde_json::{Map, Value};
use wire::{Evidence, TurnState, Verdict};

use crate::{messages::Kept, text};

/// Kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EntryKind {
    /// Message to a session, delivered or not.
    Message,
    /// Answer to a prompt of a session.
    Answer,
    /// Change of a message that was queued.
    Queue,
    /// Change of a session: created, started, stopped, deleted.
    Lifecycle,
    /// Slack.
    Slack,
    /// Service.
    Service,
    /// Another event.
    Other,
    /// Detail for an investigation; not shown by default.
    Detail,
}

/// Entry of a timeline.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Time of the event.
    pub at: Timestamp,
    /// Position in the event log; `None` for a kept message without a line in the log.
    pub position: Option<u64>,
    /// Name of the session; empty if the event is not about one.
    pub session: String,
    /// Name of the event, as in `docs/events.md`.
    pub event: String,
    /// Kind of the event.
    pub kind: EntryKind,
    /// True for a warning, an error, and a message that was not delivered.
    pub failed: bool,
    /// Name of the sender; may be empty.
    pub actor: String,
    /// Surface, as in `source` of an event: `cli`, `page`, …
    pub surface: String,
    /// Id of the message; empty for other kinds.
    pub message_id: String,
    /// Text of the message, or the selected answer; `None` if it is not kept.
    pub text: Option<String>,
    /// Length of the whole text in bytes, if the text was cut.
    pub cut_from: Option<usize>,
    /// Prompt that was answered; empty if it is not kept.
    pub question: String,
    /// Verdict of a message or answer.
    pub verdict: Option<Verdict>,
    /// Evidence for the verdict; `None` if it is not kept.
    pub evidence: Option<Evidence>,
    /// Reason of a failure, for people; empty if there is none.
    pub reason: String,
    /// End of the turn of a message, if it is kept.
    pub turn: Option<TurnEnd>,
    /// Other fields of the event.
    pub fields: Map<String, Value>,
}

/// End of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnEnd {
    /// State of the turn.
    pub state: TurnState,
    /// Answer, or the reason why there is none.
    pub text: String,
    /// Length of the whole answer in bytes, if it was cut.
    pub cut_from: Option<usize>,
}

/// Fields that have a place of their own in an entry.
const OWN: [&str; 8] = ["ts", "source", "event", "level", "pid", "standing", "actor", "message_id"];

impl Entry {
    /// Returns the entry of an event; `None` if it has no readable time or name.
    pub(super) fn of_event(position: u64, event: Value) -> Option<Self> {
        let Value::Object(mut event) = event else { return None };
        let word = |key: &str| text::inert_line(event.get(key).and_then(Value::as_str).unwrap_or_default());
        let at = word("ts").parse().ok()?;
        let (name, level) = (word("event"), word("level"));
        if name.is_empty() {
            return None;
        }
        let kind = if level == "debug" { EntryKind::Detail } else { kind_of(&name) };
        let verdict = serde_json::from_value(Value::String(word("verdict"))).ok();
        let entry = Self {
            at,
            position: Some(position),
            session: word("standing"),
            kind,
            failed: matches!(level.as_str(), "warning" | "error"),
            actor: word("actor"),
            surface: word("source"),
            message_id: word("message_id"),
            text: None,
            cut_from: None,
            question: String::new(),
            verdict: verdict.or_else(|| (name == REFUSED).then_some(Verdict::NotDelivered)),
            evidence: None,
            reason: text::inert(event.get("error").and_then(Value::as_str).unwrap_or_default()),
            event: name,
            turn: None,
            fields: Map::new(),
        };
        event.retain(|key, _| !OWN.contains(&key.as_str()));
        Some(Self { fields: event, ..entry })
    }

    /// Returns the text of one of the other fields; empty if there is none.
    pub fn field(&self, key: &str) -> &str {
        self.fields.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns the entry of a kept message that has no line in the log; `None` if it has no readable time.
    pub(super) fn of_kept(session: &str, kept: Kept) -> Option<Self> {
        let (answer, refused) = (!kept.question.is_empty(), kept.verdict == Verdict::NotDelivered);
        let event = if answer {
            ANSWERED
        } else if refused {
            REFUSED
        } else {
            SAID
        };
        let entry = Self {
            at: kept.at.parse().ok()?,
            position: None,
            session: session.to_owned(),
            kind: kind_of(event),
            event: event.to_owned(),
            failed: false,
            actor: kept.actor.clone(),
            surface: kept.surface.clone(),
            message_id: kept.message_id.clone(),
            text: None,
            cut_from: None,
            question: String::new(),
            verdict: None,
            evidence: None,
            reason: String::new(),
            turn: None,
            fields: Map::new(),
        };
        Some(entry.with(kept))
    }

    /// Returns the entry with the text of its message, and the verdict as it is now.
    pub(super) fn with(self, kept: Kept) -> Self {
        Self {
            text: Some(kept.text),
            cut_from: kept.cut_from,
            question: kept.question,
            verdict: Some(kept.verdict),
            evidence: Some(kept.evidence),
            failed: self.failed || kept.verdict == Verdict::NotDelivered,
            reason: if kept.reason.is_empty() { self.reason } else { kept.reason },
            turn: kept.turn.map(|turn| TurnEnd { state: turn.state, text: turn.text, cut_from: turn.cut_from }),
            ..self
        }
    }
}

const SAID: &str = "standing.said";
const REFUSED: &str = "standing.say_refused";
const ANSWERED: &str = "standing.answered";
/// Events of a queued message: it became a turn, or a person removed it.
pub(super) const TAKEN_UP: &str = "standing.taken_up";
pub(super) const TAKEN_BACK: &str = "standing.taken_back";
/// Event of a message whose turn has ended. The message itself shows the end.
pub(super) const TURN_ENDED: &str = "standing.turn_ended";

fn kind_of(event: &str) -> EntryKind {
    match event {
        SAID | REFUSED => EntryKind::Message,
        ANSWERED => EntryKind::Answer,
        TAKEN_UP | TAKEN_BACK => EntryKind::Queue,
        "standing.announced" | "standing.announce_failed" => EntryKind::Slack,
        "log.rotated" | "api.request" | TURN_ENDED => EntryKind::Detail,
        _ if event.starts_with("channel.") => EntryKind::Slack,
        _ if event.starts_with("service.") => EntryKind::Service,
        _ if event.starts_with("standing.") || event.starts_with("workspace.") => EntryKind::Lifecycle,
        _ => EntryKind::Other,
    }
}
