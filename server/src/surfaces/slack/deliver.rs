//! Delivers one reply to its session, with the same verb as every other surface, and posts the receipt.
//!
//! Invariant: the text is typed at most once. The core stores the key of a reply before it types, and checks that key
//! first. An interrupted delivery is reported as unconfirmed and never repeated.

use std::sync::Arc;

use engine::StandingApi as _;
use standing::events::{Event, Level};
use tokio::time;
use wire::{Activity, AnswerRequest, SayReceipt, SayRequest, Verdict};

use super::{
    answers, blocking::unbroken, context::Context, entities::code_block, inbox::Outcome, message::Reply, messages,
    outbox::Post, posting::post, threads::Thread, ts::Ts,
};

/// Maximum lines and characters of a screen that is posted: Slack cuts longer messages.
const SHOWN: (usize, usize) = (60, 3500);

/// Delivers a reply after those that wait in its thread.
pub(super) fn enqueue(context: &Arc<Context>, reply: Reply) {
    let thread = reply.thread.clone();
    if context.queues.push(reply) {
        context.spawn(work(Arc::clone(context), thread));
    }
}

async fn work(context: Arc<Context>, thread: Ts) {
    // An older reply may arrive directly after this one.
    time::sleep(context.timing.gather).await;
    loop {
        if !context.gate.pass(&thread).await {
            return;
        }
        let Some(reply) = context.queues.next(&thread) else { return };
        deliver(&context, reply).await;
    }
}

/// Delivers one reply and posts its receipt.
async fn deliver(context: &Arc<Context>, reply: Reply) {
    let outcome = outcome(context, &reply).await;
    let (key, came_to) = (reply.key(), outcome.clone());
    // The outbox ends with the run. The next run posts the receipts in the inbox.
    let _ = context.kept.with(move |inbox| inbox.came_to(&key, &came_to)).await;
    post(context, Post::Receipt { reply, outcome });
}

async fn outcome(context: &Arc<Context>, reply: &Reply) -> Outcome {
    // Settings may have changed since the reply was accepted.
    let allowed = context.config().await.settings.slack.authorized_users.contains(&reply.user);
    let thread = context.threads.get(&reply.channel, &reply.thread).filter(|_| allowed);
    let Some(thread) = thread else {
        let reason = if allowed { messages::no_session() } else { messages::not_allowed() };
        dropped(context, reply, None, if allowed { "unmapped" } else { "unauthorized-actor" }, "");
        return Outcome::Refused { reason };
    };
    let text = reply.words();
    if text.trim().is_empty() && !reply.missing.is_empty() {
        dropped(context, reply, Some(&thread), "undeliverable", "the message has no text");
        return Outcome::Refused { reason: messages::nothing_to_type(&reply.missing) };
    }
    if text.trim() == messages::SCREEN {
        return show(context, reply, &thread).await;
    }
    if let Some(outcome) = answer(context, reply, &thread, &text).await {
        return outcome;
    }
    say(context, reply, &thread, messages::with_missing(text, &reply.missing)).await
}

/// Answers a prompt with a reply that is a single number and was written after the prompt was posted. Returns `None`
/// for any other reply, or if that prompt is no longer open: the reply is then ordinary text.
///
/// A digit has no key in the core by which it could be recognised later, so the journal records it as unconfirmed
/// before it is typed.
async fn answer(context: &Arc<Context>, reply: &Reply, thread: &Thread, text: &str) -> Option<Outcome> {
    let choice = text.trim().to_owned();
    let question = context.asked_before(&thread.ts, &reply.ts)?;
    if choice.len() != 1 || !choice.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let (actor, name) = (format!("slack:{}", reply.user), thread.name.to_string());
    let request = AnswerRequest { name, choice, question, actor, ..AnswerRequest::default() };
    let (at, key, bound) = (Arc::clone(context), reply.key(), thread.ts.to_string());
    let session = request.name.clone();
    let answered = context.engine.on_session(&session, move |standing| {
        let row = standing.get(&request.name)?;
        let asks = row.activity == Activity::Waiting && row.question == request.question;
        if row.slack_thread != bound || !asks || row.choices.is_empty() {
            return Ok(None);
        }
        at.kept.here(|inbox| inbox.came_to(&key, &Outcome::Unconfirmed { note: messages::cut_short() }));
        standing.answer(&request).map(Some)
    });
    match unbroken(answered).await {
        Ok(Ok(None)) => None,
        Ok(Ok(Some(receipt))) => Some(of_receipt(context, reply, thread, &receipt)),
        Ok(Err(error)) => {
            dropped(context, reply, Some(thread), "undeliverable", &error.to_string());
            Some(Outcome::Refused { reason: messages::refusal(&error) })
        }
        Err(fault) => {
            dropped(context, reply, Some(thread), "undeliverable", &fault);
            Some(Outcome::Unconfirmed { note: messages::cut_short() })
        }
    }
}

async fn say(context: &Arc<Context>, reply: &Reply, thread: &Thread, text: String) -> Outcome {
    let request = SayRequest {
        wait: 0,
        name: thread.name.to_string(),
        text,
        actor: format!("slack:{}", reply.user),
        force: false,
        idempotency_key: format!("slack:{}:{}", reply.channel, reply.ts),
    };
    let (session, bound) = (request.name.clone(), thread.ts.to_string());
    let said = context.engine.on_session(&session, move |standing| {
        // A session that was deleted and created again has the same name but another thread.
        if standing.get(&request.name)?.slack_thread != bound {
            return Ok(None);
        }
        standing.say(&request).map(Some)
    });
    match unbroken(said).await {
        Ok(Ok(Some(receipt))) => {
            answers::follow(context, reply, thread.name.as_str(), &receipt);
            of_receipt(context, reply, thread, &receipt)
        }
        Ok(Ok(None)) => {
            dropped(context, reply, Some(thread), "undeliverable", "the thread no longer belongs to a session");
            Outcome::Refused { reason: messages::no_session() }
        }
        Ok(Err(error)) => {
            dropped(context, reply, Some(thread), "undeliverable", &error.to_string());
            Outcome::Refused { reason: messages::refusal(&error) }
        }
        Err(fault) => {
            dropped(context, reply, Some(thread), "undeliverable", &fault);
            Outcome::Unconfirmed {
                note: "The delivery was interrupted. Check the session before you send it again.".into(),
            }
        }
    }
}

fn of_receipt(context: &Context, reply: &Reply, thread: &Thread, receipt: &SayReceipt) -> Outcome {
    let note = messages::besides(receipt);
    match receipt.verdict {
        Verdict::Submitted => Outcome::Submitted { note },
        // The harness processes a queued message without further input.
        Verdict::Queued => Outcome::Queued { note },
        Verdict::Unconfirmed if receipt.delivered => Outcome::Unconfirmed { note },
        Verdict::Unconfirmed => Outcome::Unconfirmed { note: messages::all(receipt) },
        Verdict::NotDelivered => {
            dropped(context, reply, Some(thread), "undeliverable", &messages::all(receipt));
            Outcome::Refused { reason: messages::not_delivered(receipt) }
        }
    }
}

/// Posts the screen. This only reads the pane; the session sends nothing.
async fn show(context: &Arc<Context>, reply: &Reply, thread: &Thread) -> Outcome {
    match unbroken(context.engine.screen(thread.name.as_str(), SHOWN.0)).await {
        Ok(Ok(screen)) if screen.trim().is_empty() => Outcome::Shown { text: "Its screen is empty.".to_owned() },
        Ok(Ok(screen)) => Outcome::Shown { text: code_block(&screen, SHOWN.1) },
        Ok(Err(error)) => Outcome::Refused { reason: messages::refusal(&error) },
        Err(fault) => {
            dropped(context, reply, Some(thread), "undeliverable", &fault);
            Outcome::Refused { reason: "⛔ Could not read the screen.".to_owned() }
        }
    }
}

fn dropped(context: &Context, reply: &Reply, thread: Option<&Thread>, reason: &str, error: &str) {
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
    context.emit(event);
}
