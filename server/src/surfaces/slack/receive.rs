//! Receiving: from a message that was heard of to a reply in its session's lane, or to nothing.
//!
//! In two steps. `keep` puts what may be a reply on disk, and only then is Slack told that we have it. `judge` goes
//! through the gates in their order: is the thread bound, is it a person's, may that person speak. There is no other
//! way in, whether a message came by the socket or out of a thread's listing.

use std::sync::Arc;

use standing::events::{Event, Level};
use tokio::sync::mpsc;

use super::{
    context::Context,
    inbox::Outcome,
    message::{Edit, Message, Reply},
    messages,
    outbox::Post,
    threads::Thread,
    ts::Ts,
};

/// Messages that were heard of together.
#[derive(Debug)]
pub(super) struct Batch {
    messages: Vec<(Message, Fate)>,
    opens: Opens,
}

/// What of the gate is opened behind what was heard, once that is judged: what waits to be judged would come too late
/// for its place among the replies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Opens {
    /// Nothing.
    Nothing,
    /// It is open for replies of a thread.
    Thread(Ts),
}

#[derive(Debug)]
enum Fate {
    /// It may be a reply, is new, and is on disk.
    Kept(Reply),
    /// It may be a reply, and was kept before.
    Known,
    /// It is no reply of anybody who may speak.
    Other,
}

/// Keeps what may be a reply: a person's words in a thread, by somebody who may speak. What others say is not kept.
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

impl Batch {
    /// Nothing was heard, and no more is waited for.
    pub(super) fn nothing(opens: Opens) -> Self {
        Self { messages: Vec::new(), opens }
    }

    /// The same, with the gate opened behind it.
    pub(super) fn and_then(self, opens: Opens) -> Self {
        Self { opens, ..self }
    }

    /// The replies that are new.
    pub(super) fn kept(&self) -> impl Iterator<Item = &Reply> {
        self.messages.iter().filter_map(|(_, fate)| match fate {
            Fate::Kept(reply) => Some(reply),
            Fate::Known | Fate::Other => None,
        })
    }
}

/// Judges what was heard, in that order, until the run ends.
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

/// A reply that is kept: by a person who may speak.
fn judge_reply(context: &Arc<Context>, reply: Reply) {
    if let Some(thread) = context.threads.get(&reply.channel, &reply.thread) {
        return accept(context, &thread, reply);
    }
    // One that is not known may have been bound this moment, by this process or another. Others do not wait for that.
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
    context.queues.push(context, reply);
}

/// Anything else: dropped, and told of once. The gates are the same.
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
        // A thread's listing may be read again: what was dropped stays dropped, whoever may speak by then.
        let (key, thread, event) = (message.key(), thread.clone(), message.event_id.clone());
        if !context.kept.with(move |inbox| inbox.note(key, Some(thread), &event)).await.unwrap_or(true) {
            return;
        }
        tell_of_kind(context, message).await;
    }
    let thread = message.thread.as_ref().map_or("", |thread| thread.as_str());
    drop_with(context, level, reason, &message.channel, thread, &message.user);
}

/// An edit changes nothing, which is told once to those who may speak: they would think otherwise.
async fn tell_of_edit(context: &Arc<Context>, channel: &str, edit: &Edit) {
    let allowed = context.config().await.settings.slack.authorized_users.contains(&edit.user);
    if !allowed || context.threads.get(channel, &edit.thread).is_none() {
        return;
    }
    let key = (channel.to_owned(), edit.ts.clone());
    let heard = context.kept.with(move |inbox| inbox.has_seen(&key)).await.unwrap_or_default();
    if heard && context.drop_once((format!("an edit in {channel}"), edit.ts.clone())) {
        let (channel, thread) = (channel.to_owned(), edit.thread.clone());
        context.outbox.post(context, Post::Line { channel, thread, text: messages::edited() });
    }
}

/// Words of somebody who may speak that came in a form that is not read are refused aloud.
async fn tell_of_kind(context: &Arc<Context>, message: &Message) {
    let Some((kind, reply)) = message.unread_kind().zip(message.unread(&context.us)) else { return };
    if context.config().await.settings.slack.authorized_users.contains(&message.user) {
        context
            .outbox
            .post(context, Post::Receipt { reply, outcome: Outcome::Refused { reason: messages::unread_kind(kind) } });
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
