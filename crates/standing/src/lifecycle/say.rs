//! say: text into the pane of a running session, as one message, submitted. A message never starts a session.

mod evidence;

use wire::{Evidence, Message, SayReceipt, SayRequest, SessionName, Verdict};

use super::{Scope, stop::attach};
use crate::{
    Error, clock, directive,
    events::Event,
    harness::{Harness, Place, Screen},
    registry::{Entry, Phase, Record},
    state::{Condition, how_it_ended},
    text::{self, CleanText, MESSAGE_LIMIT},
    tmux::{Answer, Pane, PasteAnswer, Tmux},
};
use evidence::Watch;

/// Delivers one message.
pub(crate) fn say(scope: &Scope, name: &SessionName, request: &SayRequest) -> Result<SayReceipt, Error> {
    if request.text.len() > MESSAGE_LIMIT {
        return Err(Error::TooLarge { found: request.text.len(), limit: MESSAGE_LIMIT });
    }
    let cleaned = text::clean(&request.text);
    if cleaned.text.trim().is_empty() {
        return Err(Error::InvalidRequest("the message is empty: give it some text".to_owned()));
    }
    let entry = scope.registry.read(name);
    if let Entry::Vacant = entry {
        scope.definitions().resolve(name, None)?;
        return Err(without_record(scope, name));
    }
    let hold = scope.hold(name, "say")?;
    let Some(record) = scope.settle(&hold, name)? else { return Err(Error::Unknown { name: name.clone() }) };
    let pane = speakable(scope, &record)?;
    let harness = scope.harness(&record.harness).map_err(Error::InvalidRequest)?;
    if !request.force {
        refuse_dialog(scope, name, &pane, harness.as_ref())?;
    }
    let message =
        format!("{}\n\n{}", directive::message_header(name, &request.actor), cleaned.text.trim_end_matches('\n'));
    let delivery = deliver(scope, &record, &pane, harness.as_ref(), &message);
    Ok(conclude(scope, record, request, &cleaned, &delivery))
}

fn without_record(scope: &Scope, name: &SessionName) -> Error {
    match scope.look() {
        Err(silence) => silence.into(),
        Ok(panes) if panes.of(name).iter().any(|pane| !pane.dead) => {
            Error::Foreign { name: name.clone(), session: name.tmux_session() }
        }
        Ok(_) => Error::NotRunning { name: name.clone(), reason: "it was never started".to_owned() },
    }
}

/// The pane to type into, or why there is none.
fn speakable(scope: &Scope, record: &Record) -> Result<Pane, Error> {
    let name = record.name.clone();
    let reason = match scope.condition(record) {
        Condition::Live(pane) if pane_is_ours(record, &pane) => return Ok(pane),
        Condition::Live(_) | Condition::Foreign(_) => {
            return Err(Error::Foreign { session: name.tmux_session(), name });
        }
        Condition::Silent(silence) => return Err(silence.into()),
        Condition::Dead(pane) | Condition::Deserted { dead: Some(pane) } => how_it_ended(&pane),
        Condition::Deserted { dead: None } => "its pane was closed".to_owned(),
        Condition::Orphaned => format!("its tmux session cannot be seen; {}", attach(&name)),
        Condition::Gone if record.phase == Some(Phase::Created) => "it was never started".to_owned(),
        Condition::Gone => "it is stopped".to_owned(),
    };
    Err(Error::NotRunning { name, reason })
}

/// Whether the pane still runs what we put there; an operator may have respawned it.
fn pane_is_ours(record: &Record, pane: &Pane) -> bool {
    record.process.as_ref().is_none_or(|process| process.pid == pane.pid && process.is_alive())
}

/// On a dialog a pasted Enter would choose an answer.
fn refuse_dialog(scope: &Scope, name: &SessionName, pane: &Pane, harness: &dyn Harness) -> Result<(), Error> {
    let text = scope.tmux.capture(pane).into_result()?.unwrap_or_default();
    let reading = harness.read(Screen { text: &text, title: &pane.title });
    if reading.activity == wire::Activity::Waiting {
        return Err(Error::Waiting { name: name.clone(), session: name.tmux_session(), question: reading.question });
    }
    Ok(())
}

/// What came of a delivery.
#[derive(Debug)]
struct Delivery {
    verdict: Verdict,
    evidence: Evidence,
    note: String,
}

fn deliver(scope: &Scope, record: &Record, pane: &Pane, harness: &dyn Harness, message: &str) -> Delivery {
    let place = Place { surroundings: &scope.surroundings, cwd: record.cwd.as_ref() };
    let watch = Watch::begin(harness.transcript(&place, &record.harness_session_id), message);
    match scope.tmux.paste(pane, message.as_bytes(), harness.enter_gap()) {
        Answer::Said(PasteAnswer::Pasted) => confirm(&scope.tmux, pane, harness, &watch),
        Answer::Said(PasteAnswer::Refused) => Delivery {
            verdict: Verdict::NotDelivered,
            evidence: Evidence::None,
            note: format!("the pane ended before the message was typed: `the-loop standing start {}`", record.name),
        },
        Answer::Silent(silence) => Delivery {
            verdict: if watch.seen() { Verdict::Submitted } else { Verdict::Unconfirmed },
            evidence: if watch.seen() { Evidence::Transcript } else { Evidence::None },
            note: format!("tmux did not answer ({}): it may arrive yet, look before you say it again", silence.0),
        },
    }
}

/// Looks for evidence that the message was taken. Only Enter is ever pressed again, and only on a screen that shows
/// the text still unsent.
fn confirm(tmux: &Tmux, pane: &Pane, harness: &dyn Harness, watch: &Watch) -> Delivery {
    let delivered = |verdict, evidence, note: &str| Delivery { verdict, evidence, note: note.to_owned() };
    for attempt in 0..3 {
        if watch.wait() {
            return delivered(Verdict::Submitted, Evidence::Transcript, "");
        }
        let Ok(Some(text)) = tmux.capture(pane).into_result() else { break };
        match harness.holds_input(Screen { text: &text, title: &pane.title }) {
            Some(false) => return delivered(Verdict::Submitted, Evidence::InputEmptied, ""),
            Some(true) if attempt < 2 => {
                tmux.press_enter(pane);
            }
            Some(true) => {
                return delivered(Verdict::Unconfirmed, Evidence::None, "its input box still holds the message");
            }
            None => break,
        }
    }
    delivered(Verdict::Unconfirmed, Evidence::None, "nothing proves that the harness took it")
}

fn conclude(
    scope: &Scope,
    mut record: Record,
    request: &SayRequest,
    cleaned: &CleanText,
    delivery: &Delivery,
) -> SayReceipt {
    let message_id = uuid::Uuid::new_v4().to_string();
    let delivered = delivery.verdict != Verdict::NotDelivered;
    if delivered {
        record.last_message_at = clock::now();
        // A power loss may take this back; the message itself is in the event log and the transcript.
        let _ = scope.registry.write_lightly(&record);
        scope.emit(
            Event::info("standing.said")
                .with("standing", record.name.as_str())
                .with("tmux_target", record.tmux_target.as_str())
                .with("actor", text::inert_line(&request.actor))
                .with("message_id", message_id.as_str())
                .with("verdict", serde_json::to_value(delivery.verdict).unwrap_or_default()),
        );
    }
    SayReceipt {
        name: record.name.to_string(),
        delivered,
        exit_code: u8::from(!delivered),
        messages: messages(&record, cleaned, delivery),
        verdict: delivery.verdict,
        evidence: delivery.evidence,
        message_id,
    }
}

fn messages(record: &Record, cleaned: &CleanText, delivery: &Delivery) -> Vec<Message> {
    let target = &record.tmux_target;
    let mut messages = vec![match (delivery.verdict, delivery.evidence) {
        (Verdict::Submitted, Evidence::Transcript) => {
            Message::out(format!("submitted to {target}, seen in the transcript"))
        }
        (Verdict::Submitted, _) => Message::out(format!("submitted to {target}, its input box took it")),
        (Verdict::Unconfirmed, _) => Message::out(format!("pasted into {target}, unconfirmed: {}", delivery.note)),
        (Verdict::NotDelivered, _) => Message::err(format!("not delivered to {target}: {}", delivery.note)),
    }];
    if cleaned.removed > 0 {
        messages.push(Message::out(format!("{} control character(s) were taken out of the text", cleaned.removed)));
    }
    if cleaned.line_ends > 0 {
        messages.push(Message::out(format!("{} carriage return(s) were made line feeds", cleaned.line_ends)));
    }
    if cleaned.text.starts_with(['/', '!']) {
        messages.push(Message::out("it begins like a command of the harness and was delivered as plain text"));
    }
    messages
}
