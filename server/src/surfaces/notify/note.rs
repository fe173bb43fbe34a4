//! Texts of a notification, and its JSON.

use serde::Serialize;
use standing::text;
use wire::{Attention, Choice, Need};

use super::episodes::{Act, Job};

/// Maximum number of characters of the text.
const MOST: usize = 400;

/// Notification, as targets get it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Note {
    /// Id of the episode: the notification, its repetitions and its end have the same one.
    pub(super) id: String,
    pub(super) event: Event,
    /// Number of the notification in its episode, from 1.
    pub(super) number: u32,
    pub(super) kind: Need,
    pub(super) sessions: Vec<String>,
    /// Start of the need; empty if unknown.
    pub(super) since: String,
    /// Time at which it ends without help.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) until: Option<String>,
    pub(super) title: String,
    pub(super) text: String,
    /// Answers that the prompt offers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) choices: Vec<Choice>,
    /// Address of the answer link: a `POST` to it with `/<key>` added selects an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) answer: Option<String>,
    /// Address of the page of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) page: Option<String>,
    /// True if it may have been sent already.
    #[serde(skip)]
    pub(super) unsure: bool,
}

/// Event of a notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Event {
    /// A session needs somebody.
    Needed,
    /// The need is over.
    Settled,
    /// A test of the target.
    Test,
}

impl Event {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Needed => "needed",
            Self::Settled => "settled",
            Self::Test => "test",
        }
    }
}

impl Note {
    /// Returns the notification of a job. `public` is the address of the service for other devices, if it has one.
    pub(super) fn of(job: &Job, public: &str) -> Self {
        let (event, entry) = match &job.act {
            Act::Ring(entry) => (Event::Needed, Some(entry.as_ref())),
            Act::Settle => (Event::Settled, None),
        };
        let page = job.sessions.first().filter(|_| !public.is_empty()).map(|name| format!("{public}/standing/{name}"));
        Self {
            id: job.episode.clone(),
            event,
            number: job.number,
            kind: job.kind,
            sessions: job.sessions.clone(),
            since: job.since.clone(),
            until: entry.and_then(|entry| entry.until.clone()),
            title: title(job.kind, &job.sessions),
            text: entry.map(body).unwrap_or_default(),
            choices: entry.map(|entry| entry.choices.clone()).unwrap_or_default(),
            answer: None,
            page,
            unsure: job.unsure,
        }
    }

    /// Returns a notification that tests a target.
    pub(super) fn test() -> Self {
        Self {
            id: format!("test-{}", uuid::Uuid::new_v4().simple()),
            event: Event::Test,
            number: 1,
            kind: Need::Prompt,
            sessions: Vec::new(),
            since: String::new(),
            until: None,
            title: "Test of the-loop".to_owned(),
            text: "Notifications of the-loop reach this target.".to_owned(),
            choices: Vec::new(),
            answer: None,
            page: None,
            unsure: false,
        }
    }

    /// Returns a key that is the same for each attempt to send this.
    pub(super) fn key(&self) -> String {
        format!("{}-{}-{}", self.id, self.event.as_str(), self.number)
    }
}

fn title(kind: Need, sessions: &[String]) -> String {
    let name = sessions.first().map_or("a session", String::as_str);
    let who = match sessions.len() {
        0 | 1 => name.to_owned(),
        several => format!("{name} and {} more", several - 1),
    };
    match kind {
        Need::Prompt => format!("{who} is waiting for an answer"),
        Need::Exited => format!("{who} exited"),
        Need::Answer => format!("{who} has answered"),
        other => format!("{who}: {}", other.label()),
    }
}

fn body(entry: &Attention) -> String {
    let until = entry.until.as_deref().map(|until| format!(" (until {until})")).unwrap_or_default();
    let reason = text::inert(&entry.reason);
    let mut body: String = reason.chars().take(MOST).collect();
    if body.len() < reason.len() {
        body.push('…');
    }
    body.push_str(&until);
    // Some targets refuse an empty text.
    if body.is_empty() { entry.kind.about().to_owned() } else { body }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_names_the_session_and_the_need() {
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        assert_eq!(title(Need::Prompt, &names(&["ops"])), "ops is waiting for an answer");
        assert_eq!(title(Need::Limited, &names(&["ops", "web", "db"])), "ops and 2 more: usage limit");
        assert_eq!(title(Need::Broken, &names(&["ops"])), "ops: broken");
    }

    #[test]
    fn a_text_is_short_and_harmless() {
        let entry = |reason: String| Attention {
            kind: Need::Prompt,
            sessions: vec!["ops".to_owned()],
            since: String::new(),
            until: None,
            reason,
            choices: Vec::new(),
        };
        assert_eq!(body(&entry("x".repeat(1000))).chars().count(), MOST + 1);
        assert!(!body(&entry("a\u{1b}[31mb".to_owned())).contains('\u{1b}'));
        assert_eq!(body(&entry(String::new())), Need::Prompt.about());
    }
}
