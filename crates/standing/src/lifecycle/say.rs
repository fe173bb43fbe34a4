//! say: text into the pane of a running session, as one message, submitted. A message never starts a session.

mod evidence;
mod once;

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
pub(crate) use once::forget;
use once::{Known, Once};

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
    let Some(mut record) = scope.settle(&hold, name)? else { return Err(Error::Unknown { name: name.clone() }) };
    let pane = speakable(scope, &record)?;
    scope.follow(&mut record, Some(pane.pid));
    let harness = scope.harness(&record.harness).map_err(Error::InvalidRequest)?;
    if !request.force {
        refuse_dialog(scope, name, &pane, harness.as_ref())?;
    }
    let message =
        format!("{}\n\n{}", directive::message_header(name, &request.actor), cleaned.text.trim_end_matches('\n'));
    let place = Place { surroundings: &scope.surroundings, cwd: record.cwd.as_ref() };
    let transcript = harness.transcript(&place, &record.harness_session_id);
    let mut once = Once::open(scope, name, &request.idempotency_key, &message)?;
    if let Some(once) = &mut once {
        match once.known(name)? {
            Known::New => {}
            Known::Ended(receipt) => return Ok(*receipt),
            Known::CutShort { transcript_from } => {
                let receipt =
                    receipt(&record, &cleaned, &cut_short(&Watch::resumed(transcript, transcript_from, &message)));
                once.end(&receipt);
                return Ok(receipt);
            }
        }
    }
    let watch = Watch::begin(transcript, &message);
    if let Some(once) = &mut once {
        once.begin(watch.from())?;
    }
    let delivery = deliver(scope, &pane, harness.as_ref(), &watch, &message);
    let receipt = receipt(&record, &cleaned, &delivery);
    if let Some(once) = &mut once {
        once.end(&receipt);
    }
    note(scope, record, request, &receipt);
    Ok(receipt)
}

/// What can be said of a delivery that ended with the process that made it.
fn cut_short(watch: &Watch) -> Delivery {
    let seen = watch.seen();
    Delivery {
        delivered: true,
        verdict: if seen { Verdict::Submitted } else { Verdict::Unconfirmed },
        evidence: if seen { Evidence::Transcript } else { Evidence::None },
        note: "it was being typed when the-loop ended, and was not typed again".to_owned(),
    }
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
    /// False if it is known or to be feared that the text did not reach the pane.
    delivered: bool,
    verdict: Verdict,
    evidence: Evidence,
    note: String,
}

fn deliver(scope: &Scope, pane: &Pane, harness: &dyn Harness, watch: &Watch, message: &str) -> Delivery {
    match scope.tmux.paste(pane, message.as_bytes(), harness.enter_gap()) {
        Answer::Said(PasteAnswer::Pasted) => confirm(&scope.tmux, pane, harness, watch, message),
        Answer::Said(PasteAnswer::Refused) => Delivery {
            delivered: false,
            verdict: Verdict::NotDelivered,
            evidence: Evidence::None,
            note: "the pane ended before the message was typed".to_owned(),
        },
        Answer::Silent(silence) => Delivery {
            delivered: watch.seen(),
            verdict: if watch.seen() { Verdict::Submitted } else { Verdict::Unconfirmed },
            evidence: if watch.seen() { Evidence::Transcript } else { Evidence::None },
            note: format!("tmux did not answer ({}): it may arrive yet, look before you say it again", silence.0),
        },
    }
}

/// Looks for evidence that the message was taken. Only Enter is ever pressed again, and only on a screen that shows
/// the text still unsent.
fn confirm(tmux: &Tmux, pane: &Pane, harness: &dyn Harness, watch: &Watch, message: &str) -> Delivery {
    let delivered =
        |verdict, evidence, note: &str| Delivery { delivered: true, verdict, evidence, note: note.to_owned() };
    for attempt in 0..3 {
        if watch.wait() {
            return delivered(Verdict::Submitted, Evidence::Transcript, "");
        }
        let Ok(Some(text)) = tmux.capture(pane).into_result() else { break };
        match harness.holds_input(Screen { text: &text, title: &pane.title }, message) {
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

fn receipt(record: &Record, cleaned: &CleanText, delivery: &Delivery) -> SayReceipt {
    SayReceipt {
        name: record.name.to_string(),
        delivered: delivery.delivered,
        exit_code: u8::from(!delivery.delivered),
        messages: messages(record, cleaned, delivery),
        verdict: delivery.verdict,
        evidence: delivery.evidence,
        message_id: uuid::Uuid::new_v4().to_string(),
    }
}

/// The paper trail of a delivery. Who said it is noted; what was said is not.
fn note(scope: &Scope, mut record: Record, request: &SayRequest, receipt: &SayReceipt) {
    if receipt.verdict == Verdict::NotDelivered {
        return;
    }
    record.last_message_at = clock::now();
    // A power loss may take this back; the delivery is in the event log as well.
    let _ = scope.registry.write_lightly(&record);
    scope.emit(
        Event::info("standing.said")
            .with("standing", record.name.as_str())
            .with("tmux_target", record.tmux_target.as_str())
            .with("actor", text::inert_line(&request.actor))
            .with("message_id", receipt.message_id.as_str())
            .with("verdict", serde_json::to_value(receipt.verdict).unwrap_or_default()),
    );
}

fn messages(record: &Record, cleaned: &CleanText, delivery: &Delivery) -> Vec<Message> {
    let target = &record.tmux_target;
    let mut messages = vec![match (delivery.verdict, delivery.evidence) {
        (Verdict::Submitted, Evidence::Transcript) => {
            Message::out(format!("submitted to {target}, seen in the transcript"))
        }
        (Verdict::Submitted, _) => Message::out(format!("submitted to {target}, its input box took it")),
        (Verdict::Unconfirmed, _) if !delivery.delivered => {
            Message::err(format!("perhaps not delivered to {target}: {}", delivery.note))
        }
        (Verdict::Unconfirmed, _) => Message::out(format!("pasted into {target}, unconfirmed: {}", delivery.note)),
        (Verdict::NotDelivered, _) => Message::err(format!(
            "not delivered to {target}: {}: `the-loop standing start {}`",
            delivery.note, record.name
        )),
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
