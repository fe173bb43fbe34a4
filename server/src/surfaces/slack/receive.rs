//! Receives messages: each becomes a reply in the queue of its session, or is dropped.
//!
//! There are two steps. `keep` writes possible replies to disk, and only then acknowledges them to Slack. `judge`
//! applies the checks in their order: the thread is bound, the author is a person, the person is authorised. Messages
//! of the socket and of a thread's listing take the same path.

use std::sync::Arc;

use standing::events::{Event, Level};
use tokio::sync::mpsc;

use super::{
    batch::{Batch, Fate, Opens},
    context::Context,
    deliver::enqueue,
    inbox::Outcome,
    message::{Edit, Message, Reply},
    messages,
    outbox::Post,
    posting::post,
    threads::Thread,
};

/// Stores possible replies: messages that authorised persons wrote in a thread. Other messages are not stored.
pub(super) async fn keep(context: &Arc<Context>, messages: Vec<Message>) -> Result<Batch, String> {
    let config = context.config().await;
    let allowed = &config.settings.slack.authorized_users;
    let reply = |message: &Message| allowed.contains(&message.user).then(|| message.reply(&context.us)).flatten();
    let replies: Vec<Option<Reply>> = messages.iter().map(reply).collect();
    let candidates: Vec<Reply> = replies.iter().flatten().cloned().collect();
    let mut kept = Vec::new();
    if !candidates.is_empty() {
        kept = context.kept.with(move |inbox| inbox.accept(candidates)).await?.map_err(|error| error.to_string())?;
    }
    let mut fate = |reply: Option<Reply>| {
        let Some(reply) = reply else { return Fate::Other };
        match kept.iter().position(|kept| kept.key() == reply.key()) {
            Some(at) => Fate::Kept(kept.swap_remove(at)),
            None => Fate::Known,
        }
    };
    let messages = messages.into_iter().zip(replies).map(|(message, reply)| (message, fate(reply))).collect();
    Ok(Batch { messages, opens: Opens::Nothing })
}

/// Judges received batches in their order until the run ends.
pub(super) async fn judge_all(context: Arc<Context>, mut heard: mpsc::Receiver<Batch>) {
    while let Some(Batch { messages, opens }) = heard.recv().await {
        for (message, fate) in messages {
            match fate {
                Fate::Kept(reply) => judge_reply(&context, reply),
                Fate::Known => {}
                Fate::Other => judge_other(&context, &message).await,
            }
        }
        if let Opens::Thread(thread) = opens {
            context.gate.was_read(&thread);
        }
    }
}

/// Judges a stored reply of an authorised person.
fn judge_reply(context: &Arc<Context>, reply: Reply) {
    if let Some(thread) = context.threads.get(&reply.channel, &reply.thread) {
        return accept(context, &thread, reply);
    }
    // An unknown thread may just have been bound, by this process or another. Other replies do not wait for that check.
    let at = Arc::clone(context);
    context.spawn(async move {
        at.looked().await;
        if let Some(thread) = at.threads.get(&reply.channel, &reply.thread) {
            return accept(&at, &thread, reply);
        }
        drop_with(&at, Level::Debug, "unmapped", &reply.channel, reply.thread.as_str(), &reply.user);
        let _ = at.kept.with(move |inbox| inbox.done(&reply.key())).await;
    });
}

fn accept(context: &Arc<Context>, thread: &Thread, reply: Reply) {
    let about = |name| {
        Event::info(name)
            .with("standing", thread.name.as_str())
            .with("channel", reply.channel.as_str())
            .with("thread", reply.thread.as_str())
    };
    context.emit(
        about("channel.reply_received").with("actor", format!("slack:{}", reply.user)).with("ts", reply.ts.as_str()),
    );
    context.emit(about("channel.mirror_skipped").with("reason", "standing-session"));
    enqueue(context, reply);
}

/// Drops any other message and reports it once. The checks are the same.
async fn judge_other(context: &Arc<Context>, message: &Message) {
    if let Some(edit) = message.edit() {
        tell_of_edit(context, &message.channel, edit).await;
    }
    if message.user == context.us.user {
        context.board.heard_own(&message.channel, &message.ts);
    }
    let thread = message.thread.as_ref().filter(|thread| context.threads.get(&message.channel, thread).is_some());
    if !context.drop_once(message.key()) {
        return;
    }
    let (level, reason) = match thread {
        None => (Level::Debug, "unmapped"),
        Some(_) if message.is_by_a_bot(&context.us) => (Level::Debug, "self-authored"),
        Some(_) if !message.is_words() => (Level::Debug, "unsupported-subtype"),
        Some(_) => (Level::Warning, "unauthorized-actor"),
    };
    if let Some(thread) = thread {
        // A thread's listing may be read again. A dropped message stays dropped, even if its author is authorised
        // later.
        let (key, thread, event) = (message.key(), thread.clone(), message.event_id.clone());
        if !context.kept.with(move |inbox| inbox.note(key, Some(thread), &event)).await.unwrap_or(true) {
            return;
        }
        tell_of_kind(context, message).await;
    }
    let thread = message.thread.as_ref().map_or("", |thread| thread.as_str());
    drop_with(context, level, reason, &message.channel, thread, &message.user);
}

/// Tells an authorised author once that an edit has no effect.
async fn tell_of_edit(context: &Arc<Context>, channel: &str, edit: &Edit) {
    let allowed = context.config().await.settings.slack.authorized_users.contains(&edit.user);
    if !allowed || context.threads.get(channel, &edit.thread).is_none() {
        return;
    }
    let key = (channel.to_owned(), edit.ts.clone());
    let heard = context.kept.with(move |inbox| inbox.has_seen(&key)).await.unwrap_or_default();
    if heard && context.drop_once((format!("an edit in {channel}"), edit.ts.clone())) {
        let (channel, thread) = (channel.to_owned(), edit.thread.clone());
        post(context, Post::Line { channel, thread, text: messages::edited() });
    }
}

/// Posts a refusal for an authorised member's message of a kind that is not read.
async fn tell_of_kind(context: &Arc<Context>, message: &Message) {
    let Some((kind, reply)) = message.unread_kind().zip(message.unread(&context.us)) else { return };
    if context.config().await.settings.slack.authorized_users.contains(&message.user) {
        post(context, Post::Receipt { reply, outcome: Outcome::Refused { reason: messages::unread_kind(kind) } });
    }
}

fn drop_with(context: &Context, level: Level, reason: &str, channel: &str, thread: &str, user: &str) {
    let mut event = Event::new(level, "channel.dropped").with("reason", reason).with("channel", channel);
    if !thread.is_empty() {
        event = event.with("thread", thread);
    }
    if !user.is_empty() {
        event = event.with("actor", format!("slack:{user}"));
    }
    context.emit(event);
}
