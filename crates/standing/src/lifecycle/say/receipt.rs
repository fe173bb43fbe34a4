//! The receipt: what became of a message, for a program and for a person.

use wire::{Evidence, Message, SayReceipt, Verdict};

use super::deliver::Delivery;
use crate::{registry::Record, text::CleanText};

pub(super) fn receipt(record: &Record, cleaned: &CleanText, delivery: &Delivery, message_id: String) -> SayReceipt {
    SayReceipt {
        name: record.name.to_string(),
        delivered: delivery.delivered,
        exit_code: u8::from(!delivery.delivered),
        messages: messages(record, cleaned, delivery),
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
        (Verdict::Queued, _) => {
            Message::out(format!("queued in {target}: it is at work, and takes the message up when its turn is over"))
        }
        (Verdict::Submitted, _) => Message::out(format!("submitted to {target}, its input box took it")),
        (Verdict::Unconfirmed, _) if !delivery.delivered => {
            Message::err(format!("perhaps not delivered to {target}: {}", delivery.note))
        }
        (Verdict::Unconfirmed, _) => Message::out(format!("pasted into {target}, unconfirmed: {}", delivery.note)),
        (Verdict::NotDelivered, _) => Message::err(format!("not delivered to {target}: {}", delivery.note)),
    }];
    let counted = [
        (cleaned.removed, "control character(s) were taken out of the text"),
        (cleaned.line_ends, "carriage return(s) were made line feeds"),
        (cleaned.trailing, "line feed(s) at the end were left out"),
    ];
    messages.extend(
        counted.iter().filter(|(count, _)| *count > 0).map(|(count, what)| Message::out(format!("{count} {what}"))),
    );
    if cleaned.text.starts_with(['/', '!']) {
        messages.push(Message::out("it begins like a command of the harness and was delivered as plain text"));
    }
    messages
}
