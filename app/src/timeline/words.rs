//! Words for entries: one sentence for each event, and one for the verdict of a message.

use ::standing::timeline::Entry;
use wire::{Evidence, Verdict};

/// Sentence about an event: the words in bold, and the rest with the space or colon before it.
pub(super) struct Sentence {
    pub(super) bold: String,
    pub(super) rest: String,
}

fn sentence(bold: &str, rest: &str) -> Sentence {
    let space = if rest.is_empty() { "" } else { " " };
    Sentence { bold: bold.to_owned(), rest: format!("{space}{rest}") }
}

/// Returns a sentence with a detail in the words of the core.
fn detailed(bold: &str, detail: &str) -> Sentence {
    let colon = if detail.is_empty() { "" } else { ": " };
    Sentence { bold: bold.to_owned(), rest: format!("{colon}{detail}") }
}

/// Returns the sentence about an event that is neither a message nor an answer.
pub(super) fn sentence_of(entry: &Entry) -> Sentence {
    let field = |key: &str| entry.field(key);
    let in_directory = || if field("cwd").is_empty() { String::new() } else { format!("in {}", field("cwd")) };
    match entry.event.as_str() {
        "standing.created" => sentence("Created", &in_directory()),
        "standing.restored" => match listed(entry, "not_restored") {
            missing if missing.is_empty() => sentence("Record restored", ""),
            missing => sentence("Record restored", &format!("without {missing}")),
        },
        "standing.create_failed" => sentence("Could not create it", ""),
        "standing.started" => sentence("Started", "with a new conversation"),
        "standing.resumed" => sentence("Resumed", "its conversation"),
        "standing.resume_failed" => sentence("Could not resume", "its conversation"),
        "standing.spawn_failed" => sentence("Could not start it", ""),
        "standing.stopped" => detailed("Stopped", field("detail")),
        "standing.stop_failed" => sentence("Could not stop it", ""),
        "standing.deleted" => sentence("Deleted", ""),
        "standing.prompt_opened" => sentence("A prompt", "opened"),
        "standing.terminal_opened" if field("mode") == "write" => sentence("Terminal opened", "to type into it"),
        "standing.terminal_opened" => sentence("Terminal opened", "to read"),
        "standing.taken_up" => sentence("A queued message", "became a turn"),
        "standing.taken_back" => sentence("A queued message", "was removed from the queue"),
        "standing.announced" => sentence("Announced", "in Slack"),
        "standing.announce_failed" => sentence("Could not announce it", "in Slack"),
        "workspace.trust_failed" => sentence("Could not trust its directory", &in_directory()),
        "channel.reply_received" => sentence(&who(entry), "replied in Slack"),
        "channel.mirror_skipped" => detailed("Not sent to Slack", field("reason")),
        "channel.dropped" => detailed("Slack message ignored", field("reason")),
        "service.started" => sentence("Service started", &place(entry)),
        "service.stopped" => sentence("Service stopped", ""),
        other => sentence(other, &fields(entry)),
    }
}

/// Returns a field that is a list of texts.
fn listed(entry: &Entry, key: &str) -> String {
    let items = entry.fields.get(key).and_then(|value| value.as_array()).into_iter().flatten();
    items.filter_map(|item| item.as_str()).collect::<Vec<_>>().join(", ")
}

fn place(entry: &Entry) -> String {
    match (entry.field("host"), entry.fields.get("port")) {
        ("", _) | (_, None) => String::new(),
        (host, Some(port)) => format!("on {host}:{port}"),
    }
}

/// Returns the fields of an event without words of its own.
fn fields(entry: &Entry) -> String {
    let shown = entry.fields.iter().map(|(key, value)| match value.as_str() {
        Some(text) => format!("{key}={text}"),
        None => format!("{key}={value}"),
    });
    shown.collect::<Vec<_>>().join(" ")
}

/// Returns the sender for people: its name, or the surface if it has none.
pub(super) fn who(entry: &Entry) -> String {
    if entry.actor.is_empty() { surface(&entry.surface).to_owned() } else { entry.actor.clone() }
}

/// Returns the surface that a message came through, unless the name of its sender says so.
pub(super) fn through(entry: &Entry) -> Option<String> {
    let told = entry.actor.is_empty() || entry.actor == entry.surface || entry.actor.starts_with("slack:");
    (!told && !entry.surface.is_empty()).then(|| surface(&entry.surface).to_owned())
}

/// Surfaces that can be filtered, as the event log names them, and their names for people.
pub(super) const SURFACES: [(&str, &str); 6] = [
    ("cli", "command line"),
    ("page", "page"),
    ("channels", "Slack"),
    ("mcp", "MCP"),
    ("service", "service and REST"),
    ("sdk", "SDK"),
];

/// Returns the name of a surface for people.
pub(super) fn surface(source: &str) -> &str {
    SURFACES.iter().find(|(name, _)| *name == source).map_or(source, |(_, label)| label)
}

/// Certainty of a delivery, as it is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    Plain,
    Unsure,
    Refused,
}

/// Returns the line under an entry: the verdict with its evidence or reason, or the reason of a failure.
pub(super) fn proof_of(entry: &Entry) -> Option<(Tone, String)> {
    let because = |verdict: Verdict| match reason_of(entry) {
        reason if reason.is_empty() => verdict.label().to_owned(),
        reason => format!("{}: {reason}", verdict.label()),
    };
    match (entry.verdict, entry.evidence) {
        (Some(Verdict::Submitted), Some(Evidence::QuestionGone)) => Some((Tone::Plain, "the prompt closed".to_owned())),
        (Some(Verdict::Submitted), Some(Evidence::Transcript)) => {
            Some((Tone::Plain, "submitted, seen in the transcript".to_owned()))
        }
        (Some(Verdict::Submitted), Some(Evidence::InputEmptied)) => {
            Some((Tone::Plain, "submitted, its input box is empty again".to_owned()))
        }
        (Some(Verdict::Submitted), _) => Some((Tone::Plain, "submitted".to_owned())),
        (Some(Verdict::Queued), _) => Some((Tone::Plain, "queued until the current turn ends".to_owned())),
        (Some(Verdict::Unconfirmed), _) => Some((Tone::Unsure, because(Verdict::Unconfirmed))),
        (Some(Verdict::NotDelivered), _) => Some((Tone::Refused, because(Verdict::NotDelivered))),
        (None, _) => {
            let tone = if entry.failed { Tone::Refused } else { Tone::Plain };
            (!entry.reason.is_empty()).then(|| (tone, entry.reason.clone()))
        }
    }
}

/// Returns the reason of a verdict, in the words of the core or from the code of a refusal in the event log.
fn reason_of(entry: &Entry) -> String {
    if !entry.reason.is_empty() {
        return entry.reason.clone();
    }
    match entry.field("code") {
        "waiting" => "a prompt was open".to_owned(),
        "unsent-text" => "its input box contained unsent text".to_owned(),
        "not-running" => "it was not running".to_owned(),
        "tmux-silent" => "tmux did not answer".to_owned(),
        _ => String::new(),
    }
}

/// Returns the name of the mark of an entry.
pub(super) fn mark_of(entry: &Entry) -> &'static str {
    match (entry.verdict, entry.event.as_str()) {
        (Some(Verdict::Submitted), _) | (None, "standing.taken_up") => "check",
        (Some(Verdict::Queued), _) => "limited",
        (Some(Verdict::Unconfirmed), _) => "alert",
        (Some(Verdict::NotDelivered), _) | (None, "standing.deleted" | "standing.taken_back") => "close",
        (None, _) if entry.failed => "alert",
        (None, "standing.created") => "plus",
        (None, "standing.started" | "service.started") => "start",
        (None, "standing.resumed" | "standing.restored") => "resume",
        (None, "standing.stopped" | "service.stopped") => "stopped",
        (None, "standing.prompt_opened") => "waiting",
        (None, event) if event.starts_with("channel.") || event == "standing.announced" => "bell",
        _ => "dots",
    }
}
