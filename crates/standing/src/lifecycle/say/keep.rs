//! Texts of messages, kept for the timeline of their session, and the event of a refused message.

use wire::{Evidence, SayReceipt, SayRequest, SessionName, Verdict};

use crate::{
    Error,
    events::{Event, Level},
    lifecycle::Context,
    messages::Kept,
    text::CleanText,
};

/// Returns the entry of a message that is about to be delivered.
pub(super) fn message(context: &Context, request: &SayRequest, cleaned: &CleanText) -> Kept {
    let kept = Kept::new(context.surface(), &request.actor, &cleaned.text);
    Kept { idempotency_key: request.idempotency_key.clone(), ..kept }
}

/// Keeps a message that was refused because of the state of its session, and records the refusal. A message that was
/// refused because of its own content, or that is a repetition, is not kept.
pub(super) fn refusal(context: &Context, name: &SessionName, kept: Kept, error: &Error) {
    let reason = match error {
        Error::Waiting { .. } => "a prompt was open".to_owned(),
        Error::UnsentText { .. } => "its input box contained unsent text".to_owned(),
        Error::NotRunning { reason, .. } => format!("it was not running ({reason})"),
        Error::OutOfReach { .. } | Error::Foreign { .. } | Error::Unrecorded { .. } | Error::TmuxSilent { .. } => {
            error.to_string()
        }
        _ => return,
    };
    let kept = kept.refused(&reason);
    context.messages().keep(name, kept.clone());
    note_refusal(context, name, &kept, error.code().as_str());
}

/// Records that a message was not delivered, with the code of the reason: the reason itself may quote a screen.
pub(super) fn note_refusal(context: &Context, name: &SessionName, kept: &Kept, code: &str) {
    context.emit(
        Event::new(Level::Warning, "standing.say_refused")
            .with("standing", name.as_str())
            .with("actor", kept.actor.as_str())
            .with("message_id", kept.message_id.as_str())
            .with("code", code)
            .at(&kept.at),
    );
}

/// Updates the kept verdict of a message whose receipt has changed.
pub(super) fn followed(context: &Context, name: &SessionName, receipt: &SayReceipt, reason: &str) {
    context.messages().follow(name, &receipt.message_id, receipt.verdict, receipt.evidence, reason);
}

/// Updates the kept verdict of a queued message that became a turn.
pub(super) fn taken_up(context: &Context, name: &SessionName, message_id: &str) {
    context.messages().follow(name, message_id, Verdict::Submitted, Evidence::Transcript, "");
}

/// Updates the kept verdict of a queued message that a person removed.
pub(super) fn taken_back(context: &Context, name: &SessionName, message_id: &str) {
    let reason = "it was removed from the queue";
    context.messages().follow(name, message_id, Verdict::NotDelivered, Evidence::None, reason);
}
