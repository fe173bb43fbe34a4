//! say: pastes text into the pane of a running session as one message and submits it. A message never starts a
//! session.

mod deliver;
mod evidence;
mod keep;
mod once;
mod queue;
mod ready;
mod receipt;

use harness::Harness;
use tmux::Pane;
use wire::{Evidence, Remedy, SayReceipt, SayRequest, SessionName, Verdict, message_header};

use super::{Context, detail::Detail, orphan};
use crate::{
    Error, clock,
    events::Event,
    messages::Kept,
    registry::{Entry, Phase, Record},
    state::{Condition, replaced},
    text::{self, CleanText, MESSAGE_LIMIT},
    turns::{self, Sent, Turns},
};
use deliver::Delivered;
pub(super) use deliver::Delivery;
use evidence::Transcript;
pub(super) use evidence::Watch;
pub(super) use once::{Intent, Known, Once};
pub(super) use queue::Queue;
use queue::{At, Untaken};
use receipt::receipt;

/// Delivers one message.
pub(crate) fn say(context: &Context, name: &SessionName, request: &SayRequest) -> Result<SayReceipt, Error> {
    let cleaned = fit(request)?;
    if let Entry::Vacant = context.registry.read(name) {
        context.resolve_vacant(name)?;
        return Err(without_record(context, name));
    }
    let hold = context.hold(name, "say")?;
    let Some(record) = context.recover(&hold, name)? else { return Err(Error::Unknown { name: name.clone() }) };
    let kept = keep::message(context, request, &cleaned);
    say_held(context, record, request, &cleaned, kept.clone())
        .inspect_err(|error| keep::refusal(context, name, kept, error))
}

/// Delivers one message to a session whose lock is held.
fn say_held(
    context: &Context,
    mut record: Record,
    request: &SayRequest,
    cleaned: &CleanText,
    kept: Kept,
) -> Result<SayReceipt, Error> {
    let name = &record.name.clone();
    let with_id = |id: &str| format!("{}\n\n{}", message_header(name, &request.actor, id), cleaned.text);
    let mut once = Once::open(context, name, &request.idempotency_key, &with_id(""))?;
    let known = once.as_ref().map_or(Ok(Known::New), |once| once.known(name))?;
    let harness = context.harness(&record.harness).map_err(Error::InvalidRequest)?;
    if let Known::Ended(receipt, intent) = known {
        let message = with_id(&intent.message_id);
        let receipt = taken_since(context, &record, harness.as_ref(), *receipt, &intent, &message, cleaned);
        if let Some(once) = &mut once {
            once.end(&receipt);
        }
        return Ok(receipt);
    }
    let pane = speakable(context, &record);
    if let (Known::CutShort(intent), Some(once)) = (&known, &mut once) {
        let (pane, message) = (pane.as_ref(), with_id(&intent.message_id));
        if let Some(delivery) = resume(context, &record, harness.as_ref(), pane, intent, &message)? {
            let receipt = receipt(&record, cleaned, &delivery, intent.message_id.clone());
            return Ok(end(context, record, kept.because(&delivery.note), Some(once), pane.ok(), receipt));
        }
    }
    let pane = pane?;
    context.follow(&mut record, Some(pane.pid));
    let mut queue = Queue::open(context, name);
    queue.recover(context, &record, harness.as_ref());
    let was_busy = ready::wait(context, &record, &pane, harness.as_ref(), request.force)?.busy;

    files::failpoint::at("say.checked");
    let message_id = uuid::Uuid::new_v4().simple().to_string();
    let message = with_id(&message_id);
    let watch = Watch::begin(transcript(context, &record, harness.as_ref()), &message);
    let mut mark = "";
    let (transcript, transcript_from) = watch.begun_at();
    if let Some(once) = &mut once {
        let (loop_id, transcript) = (record.loop_id.clone(), transcript.clone());
        once.begin(Intent { message_id: message_id.clone(), loop_id, transcript, transcript_from })?;
        mark = &message_id;
    }
    files::failpoint::at("say.intended");
    let mut turns = Turns::open(context, name);
    turns.begin(Sent::now(&message_id, &record, transcript.clone(), transcript_from));
    let (tmux, harness) = (&context.tmux, harness.as_ref());
    let delivery =
        Delivery { session: name, tmux, pane: &pane, harness, watch, message: &message, mark, was_busy }.deliver();
    let at = match delivery.verdict {
        Verdict::Queued => Some(At::Queue),
        Verdict::Unconfirmed if delivery.in_box => Some(At::Box),
        _ => None,
    };
    if let Some(at) = at {
        queue.push(Untaken {
            message_id: message_id.clone(),
            actor: request.actor.clone(),
            message: message.clone(),
            at,
            loop_id: record.loop_id.clone(),
            conversation: record.harness_session_id.clone(),
            transcript,
            transcript_from,
        });
    }
    if delivery.verdict == Verdict::NotDelivered {
        turns.withdraw(&message_id);
    }
    let receipt = receipt(&record, cleaned, &delivery, message_id);
    Ok(end(context, record, kept.because(&delivery.note), once.as_mut(), Some(&pane), receipt))
}

/// Returns the receipt of an earlier delivery, updated to now: a queued or unconfirmed message may have become a turn
/// since. If it is still in the input box of the same process, Enter is pressed again.
fn taken_since(
    context: &Context,
    record: &Record,
    harness: &dyn Harness,
    before: SayReceipt,
    intent: &Intent,
    message: &str,
    cleaned: &CleanText,
) -> SayReceipt {
    if !matches!(before.verdict, Verdict::Queued | Verdict::Unconfirmed) {
        return before;
    }
    let of = transcript(context, record, harness);
    let watch = Watch::resumed(of, intent.transcript.clone(), intent.transcript_from, message);
    let delivery = if watch.seen() {
        Delivered::submitted(Evidence::Transcript)
    } else {
        let same_process = record.loop_id == intent.loop_id && before.verdict == Verdict::Unconfirmed;
        let Some(pane) = speakable(context, record).ok().filter(|_| same_process) else { return before };
        let (session, tmux, mark, was_busy) = (&record.name, &context.tmux, "", false);
        let courier = Delivery { session, tmux, pane: &pane, harness, watch, message, mark, was_busy };
        if !courier.in_box() {
            return before;
        }
        courier.confirm("")
    };
    let receipt = receipt(record, cleaned, &delivery, before.message_id.clone());
    keep::followed(context, &record.name, &receipt, &delivery.note);
    if receipt.verdict == Verdict::Submitted {
        Queue::open(context, &record.name).recover(context, record, harness);
    }
    receipt
}

/// Removes the stored messages of a deleted session.
pub(crate) fn forget(context: &Context, name: &SessionName) {
    once::forget(context, name);
    queue::forget(context, name);
    turns::forget(context, name);
    context.messages().forget(name);
}

/// Returns the text as it may be pasted, or the reason why it is refused.
fn fit(request: &SayRequest) -> Result<CleanText, Error> {
    if request.text.len() > MESSAGE_LIMIT {
        return Err(Error::TooLarge { found: request.text.len(), limit: MESSAGE_LIMIT });
    }
    let cleaned = text::clean(&request.text);
    if cleaned.text.trim().is_empty() {
        let what = match (request.text.is_empty(), request.text.trim().is_empty()) {
            (true, _) => "the message is empty",
            (false, true) => "the message contains only spaces and line breaks",
            (false, false) => "the message contains only control characters, which are removed",
        };
        return Err(Error::InvalidRequest(format!("{what}: send some text")));
    }
    Ok(cleaned)
}

/// Returns the transcript of a session's conversation.
pub(super) fn transcript<'a>(context: &'a Context, record: &'a Record, harness: &'a dyn Harness) -> Transcript<'a> {
    let place = context.place(record);
    Transcript { harness, place, conversation: record.harness_session_id.clone() }
}

/// Returns the result of a delivery that was interrupted by the exit of its process. `None` if it certainly never
/// reached the pane, so it can be made now.
fn resume(
    context: &Context,
    record: &Record,
    harness: &dyn Harness,
    pane: Result<&Pane, &Error>,
    intent: &Intent,
    message: &str,
) -> Result<Option<Delivered>, Error> {
    let of = transcript(context, record, harness);
    let watch = Watch::resumed(of, intent.transcript.clone(), intent.transcript_from, message);
    if watch.seen() {
        return Ok(Some(Delivered::submitted(Evidence::Transcript)));
    }
    let lost = || Delivered::unconfirmed("the-loop exited while typing the message, and did not type it again");
    let pane = match pane {
        Ok(pane) if record.loop_id == intent.loop_id => pane,
        Err(Error::TmuxSilent { reason }) => return Err(Error::TmuxSilent { reason: reason.clone() }),
        // The marked pane is gone, and with it the answer.
        Ok(_) | Err(_) => return Ok(Some(lost())),
    };
    match context.tmux.is_marked(pane, &intent.message_id).into_result()? {
        Some(false) => Ok(None),
        Some(true) => {
            let (session, tmux, mark, was_busy) = (&record.name, &context.tmux, "", false);
            let courier = Delivery { session, tmux, pane, harness, watch, message, mark, was_busy };
            Ok(Some(courier.confirm("")))
        }
        None => Ok(Some(lost())),
    }
}

/// Records the result of a delivery.
fn end(
    context: &Context,
    record: Record,
    kept: Kept,
    once: Option<&mut Once>,
    pane: Option<&Pane>,
    receipt: SayReceipt,
) -> SayReceipt {
    files::failpoint::at("say.delivered");
    if let Some(once) = once {
        once.end(&receipt);
        if let Some(pane) = pane {
            context.tmux.unmark(pane, &receipt.message_id);
        }
    }
    let kept = kept.with(&receipt);
    // Order matters: a reader that is notified of the event finds the text.
    context.messages().keep(&record.name, kept.clone());
    note(context, record, &kept);
    receipt
}

/// Returns the error for a message to a session without a record.
pub(super) fn without_record(context: &Context, name: &SessionName) -> Error {
    match context.look() {
        Err(silence) => silence.into(),
        Ok(panes) if panes.of(name).iter().any(|pane| !pane.dead && context.is_ours(pane)) => {
            context.is_unrecorded(name)
        }
        Ok(panes) if panes.of(name).iter().any(|pane| !pane.dead) => {
            Error::Foreign { name: name.clone(), session: name.tmux_session(), socket: context.tmux.socket_name() }
        }
        Ok(_) => Error::NotRunning { name: name.clone(), reason: "not started yet".to_owned() },
    }
}

/// Returns the pane to type into, or the reason why there is none.
pub(super) fn speakable(context: &Context, record: &Record) -> Result<Pane, Error> {
    let name = record.name.clone();
    let reason = match context.condition(record) {
        Condition::Live(pane) => return Ok(pane),
        Condition::Unrecorded(_) => return Err(context.is_unrecorded(&name)),
        Condition::Foreign(_) => {
            return Err(Error::Foreign { session: name.tmux_session(), socket: context.tmux.socket_name(), name });
        }
        Condition::Silent(silence) => return Err(silence.into()),
        Condition::Dead(pane) => context.how_it_ended(&pane),
        Condition::Deserted { dead } => {
            let how = dead.map_or_else(|| "its pane was closed".to_owned(), |pane| context.how_it_ended(&pane));
            let reason = format!("{how}, but other panes of its tmux session are open");
            return Err(Error::OutOfReach { remedies: vec![Remedy::Restart { name: name.clone() }], name, reason });
        }
        Condition::Replaced(pane) => {
            let remedies = vec![context.look_at(&name), Remedy::CloseAndStart { name: name.clone() }];
            return Err(Error::OutOfReach { name, reason: replaced(&pane), remedies });
        }
        Condition::Orphaned => {
            let told = orphan::told(record).and(Detail::new("", [Remedy::Restart { name: name.clone() }]));
            return Err(Error::OutOfReach { name, reason: told.cause, remedies: told.remedies });
        }
        Condition::Gone if record.phase == Some(Phase::Created) => "not started yet".to_owned(),
        Condition::Gone => "stopped".to_owned(),
    };
    Err(Error::NotRunning { name, reason })
}

/// Records a delivery. The sender is recorded, the text is not.
fn note(context: &Context, mut record: Record, kept: &Kept) {
    if kept.verdict == Verdict::NotDelivered {
        return keep::note_refusal(context, &record.name, kept, "not-delivered");
    }
    record.last_message_at = clock::now();
    // A power loss may undo this write; the delivery is in the event log as well.
    let _ = context.registry.write_lightly(&record);
    context.emit(
        Event::info("standing.said")
            .with("standing", record.name.as_str())
            .with("tmux_target", record.tmux_target.as_str())
            .with("actor", kept.actor.as_str())
            .with("message_id", kept.message_id.as_str())
            .with("verdict", kept.verdict.as_str())
            .at(&kept.at),
    );
}
