//! Delivering: one reply to its session, by the same verb as every other surface, and the receipt for it.
//!
//! Invariant: the text is typed at most once. The core keeps the key of a reply before it types and looks there first;
//! a delivery that was cut short is reported as unconfirmed and never made again.

use std::sync::Arc;

use engine::StandingApi as _;
use standing::events::{Event, Level};
use wire::{Activity, AnswerRequest, SayReceipt, SayRequest, Verdict};

use super::{
    blocking::unbroken, entities::code_block, hub::Hub, inbox::Outcome, message::Reply, outbox::Post, threads::Thread,
    words,
};

/// How many lines of a screen are shown, and how many characters: Slack cuts longer messages.
const SHOWN: (usize, usize) = (60, 3500);

/// Delivers one reply and has its receipt posted.
pub(super) async fn deliver(hub: &Arc<Hub>, reply: Reply) {
    let outcome = outcome(hub, &reply).await;
    let (key, came_to) = (reply.key(), outcome.clone());
    // The outbox ends with the run; the next one posts what is in the inbox.
    let _ = hub.kept.with(move |inbox| inbox.came_to(&key, &came_to)).await;
    hub.outbox.post(hub, Post::Receipt { reply, outcome });
}

async fn outcome(hub: &Arc<Hub>, reply: &Reply) -> Outcome {
    // Things may have changed since it was accepted.
    let allowed = hub.config().await.settings.slack.authorized_users.contains(&reply.user);
    let thread = hub.threads.get(&reply.channel, &reply.thread).filter(|_| allowed);
    let Some(thread) = thread else {
        let reason = if allowed { words::no_session() } else { words::not_allowed() };
        dropped(hub, reply, None, if allowed { "unmapped" } else { "unauthorized-actor" }, "");
        return Outcome::Refused { reason };
    };
    let text = reply.words();
    if text.trim().is_empty() && !reply.missing.is_empty() {
        dropped(hub, reply, Some(&thread), "undeliverable", "the message has no text");
        return Outcome::Refused { reason: words::nothing_to_type(&reply.missing) };
    }
    if text.trim() == words::SCREEN {
        return show(hub, reply, &thread).await;
    }
    if let Some(outcome) = answer(hub, reply, &thread, &text).await {
        return outcome;
    }
    say(hub, reply, &thread, words::with_missing(text, &reply.missing)).await
}

/// A reply that is a number alone, written after a question was told, chooses an answer to that question. `None` if it
/// is no such reply, or that question is not asked any more: then it is words like any others.
///
/// A digit has no key in the core by which it would be known again, so that the journal says that it is unconfirmed
/// before it is typed.
async fn answer(hub: &Arc<Hub>, reply: &Reply, thread: &Thread, text: &str) -> Option<Outcome> {
    let choice = text.trim().to_owned();
    let question = hub.asked_before(&thread.ts, &reply.ts)?;
    if choice.len() != 1 || !choice.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let (actor, name) = (format!("slack:{}", reply.user), thread.name.to_string());
    let request = AnswerRequest { name, choice, question, actor, ..AnswerRequest::default() };
    let (at, key, bound) = (Arc::clone(hub), reply.key(), thread.ts.to_string());
    let session = request.name.clone();
    let answered = hub.engine.on_session(&session, move |standing| {
        let row = standing.get(&request.name)?;
        let asks = row.activity == Activity::Waiting && row.question == request.question;
        if row.slack_thread != bound || !asks || row.choices.is_empty() {
            return Ok(None);
        }
        at.kept.here(|inbox| inbox.came_to(&key, &Outcome::Unconfirmed { note: words::cut_short() }));
        standing.answer(&request).map(Some)
    });
    match unbroken(answered).await {
        Ok(Ok(None)) => None,
        Ok(Ok(Some(receipt))) => Some(of_receipt(hub, reply, thread, &receipt)),
        Ok(Err(error)) => {
            dropped(hub, reply, Some(thread), "undeliverable", &error.to_string());
            Some(Outcome::Refused { reason: words::refusal(&error) })
        }
        Err(fault) => {
            dropped(hub, reply, Some(thread), "undeliverable", &fault);
            Some(Outcome::Unconfirmed { note: words::cut_short() })
        }
    }
}

async fn say(hub: &Arc<Hub>, reply: &Reply, thread: &Thread, text: String) -> Outcome {
    let request = SayRequest {
        name: thread.name.to_string(),
        text,
        actor: format!("slack:{}", reply.user),
        force: false,
        idempotency_key: format!("slack:{}:{}", reply.channel, reply.ts),
    };
    let (session, bound) = (request.name.clone(), thread.ts.to_string());
    let said = hub.engine.on_session(&session, move |standing| {
        // A session that was deleted and made anew has another thread, and its name.
        if standing.get(&request.name)?.slack_thread != bound {
            return Ok(None);
        }
        standing.say(&request).map(Some)
    });
    match unbroken(said).await {
        Ok(Ok(Some(receipt))) => of_receipt(hub, reply, thread, &receipt),
        Ok(Ok(None)) => {
            dropped(hub, reply, Some(thread), "undeliverable", "the thread no longer belongs to a session");
            Outcome::Refused { reason: words::no_session() }
        }
        Ok(Err(error)) => {
            dropped(hub, reply, Some(thread), "undeliverable", &error.to_string());
            Outcome::Refused { reason: words::refusal(&error) }
        }
        Err(fault) => {
            dropped(hub, reply, Some(thread), "undeliverable", &fault);
            Outcome::Unconfirmed {
                note: "The delivery was interrupted. Check the session before you send it again.".into(),
            }
        }
    }
}

fn of_receipt(hub: &Hub, reply: &Reply, thread: &Thread, receipt: &SayReceipt) -> Outcome {
    let note = words::besides(receipt);
    match receipt.verdict {
        Verdict::Submitted => Outcome::Submitted { note },
        // It is taken up without another word of anybody's.
        Verdict::Queued => Outcome::Queued { note },
        Verdict::Unconfirmed if receipt.delivered => Outcome::Unconfirmed { note },
        Verdict::Unconfirmed => Outcome::Unconfirmed { note: words::all(receipt) },
        Verdict::NotDelivered => {
            dropped(hub, reply, Some(thread), "undeliverable", &words::all(receipt));
            Outcome::Refused { reason: words::not_delivered(receipt) }
        }
    }
}

/// Reading a pane is not the session speaking.
async fn show(hub: &Arc<Hub>, reply: &Reply, thread: &Thread) -> Outcome {
    match unbroken(hub.engine.screen(thread.name.as_str(), SHOWN.0)).await {
        Ok(Ok(screen)) if screen.trim().is_empty() => Outcome::Shown { text: "Its screen is empty.".to_owned() },
        Ok(Ok(screen)) => Outcome::Shown { text: code_block(&screen, SHOWN.1) },
        Ok(Err(error)) => Outcome::Refused { reason: words::refusal(&error) },
        Err(fault) => {
            dropped(hub, reply, Some(thread), "undeliverable", &fault);
            Outcome::Refused { reason: "⛔ Could not read the screen.".to_owned() }
        }
    }
}

fn dropped(hub: &Hub, reply: &Reply, thread: Option<&Thread>, reason: &str, error: &str) {
    let mut event = Event::new(Level::Warning, "channel.dropped").with("reason", reason);
    if let Some(thread) = thread {
        event = event.with("standing", thread.name.as_str());
    }
    event = event
        .with("channel", reply.channel.as_str())
        .with("thread", reply.thread.as_str())
        .with("actor", format!("slack:{}", reply.user));
    if !error.is_empty() {
        event = event.with("error", error);
    }
    hub.emit(event);
}
