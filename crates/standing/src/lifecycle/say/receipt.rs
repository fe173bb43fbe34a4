//! Receipts: the result of a message, for programs and for people.

use wire::{Evidence, Message, SayReceipt, Verdict};

use super::deliver::Delivered;
use crate::{registry::Record, text::CleanText};

pub(super) fn receipt(record: &Record, cleaned: &CleanText, delivery: &Delivered, message_id: String) -> SayReceipt {
    SayReceipt {
        name: record.name.to_string(),
        delivered: delivery.delivered,
        exit_code: u8::from(!delivery.delivered),
        messages: messages(record, cleaned, delivery),
        verdict: delivery.verdict,
        evidence: delivery.evidence,
        message_id,
        turn: None,
    }
}

fn messages(record: &Record, cleaned: &CleanText, delivery: &Delivered) -> Vec<Message> {
    let target = &record.tmux_target;
    let mut messages = vec![match (delivery.verdict, delivery.evidence) {
        (Verdict::Submitted, Evidence::Transcript) => {
            Message::out(format!("submitted to {target}, confirmed by the transcript"))
        }
        (Verdict::Queued, _) => Message::out(format!("queued in {target} until the session finishes its current turn")),
        (Verdict::Submitted, _) => Message::out(format!("submitted to {target}, confirmed by the input box")),
        (Verdict::Unconfirmed, _) if !delivery.delivered => {
            Message::err(format!("may not have been delivered to {target}: {}", delivery.note))
        }
        (Verdict::Unconfirmed, _) => Message::out(format!("pasted into {target}, unconfirmed: {}", delivery.note)),
        (Verdict::NotDelivered, _) => Message::err(format!("not delivered to {target}: {}", delivery.note)),
    }];
    let counted = [
        (cleaned.removed, "control character(s) were removed"),
        (cleaned.line_ends, "carriage return(s) were converted to line feeds"),
        (cleaned.trailing, "line feed(s) at the end were removed"),
    ];
    messages.extend(
        counted.iter().filter(|(count, _)| *count > 0).map(|(count, what)| Message::out(format!("{count} {what}"))),
    );
    if cleaned.text.starts_with(['/', '!']) {
        messages.push(Message::out("it looks like a command of the harness; it was sent as plain text"));
    }
    messages
}
