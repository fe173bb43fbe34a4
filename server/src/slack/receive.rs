//! Receiving: from a message that was heard of to a reply in its session's lane, or to nothing.
//!
//! In two steps. `keep` puts what may be a reply on disk, and only then is Slack told that we have it. `judge` goes
//! through the gates in their order: is the thread bound, is it a person's, may that person speak. There is no other
//! way in, whether a message came by the socket or out of a thread's listing.

use std::sync::Arc;

use standing::events::{Event, Level};
use tokio::sync::mpsc;

use super::{
    announce::blocking,
    hub::Hub,
    message::{Message, Reply},
    threads::Thread,
};

/// Messages that were heard of together.
#[derive(Debug)]
pub(super) struct Heard {
    messages: Vec<(Message, Fate)>,
    /// True if the gate is to be opened once they are judged.
    opens_the_gate: bool,
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
pub(super) async fn keep(hub: &Arc<Hub>, messages: Vec<Message>) -> Result<Heard, String> {
    let config = hub.the_loop.config();
    let allowed = &config.settings.slack.authorized_users;
    let reply = |message: &Message| allowed.contains(&message.user).then(|| message.reply(&hub.us)).flatten();
    let replies: Vec<Option<Reply>> = messages.iter().map(reply).collect();
    let candidates: Vec<Reply> = replies.iter().flatten().cloned().collect();
    let mut kept = Vec::new();
    if !candidates.is_empty() {
        let at = Arc::clone(hub);
        kept = blocking(move || at.inbox().accept(candidates)).await?.map_err(|error| error.to_string())?;
    }
    let mut fate = |reply: Option<Reply>| {
        let Some(reply) = reply else { return Fate::Other };
        match kept.iter().position(|kept| kept.key() == reply.key()) {
            Some(at) => Fate::Kept(kept.swap_remove(at)),
            None => Fate::Known,
        }
    };
    let messages = messages.into_iter().zip(replies).map(|(message, reply)| (message, fate(reply))).collect();
    Ok(Heard { messages, opens_the_gate: false })
}

impl Heard {
    /// Nothing but the word to open the gate, behind whatever was heard before: what waits to be judged would come
    /// too late for its place among the replies.
    pub(super) fn all_of_it() -> Self {
        Self { messages: Vec::new(), opens_the_gate: true }
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
pub(super) async fn judge_all(hub: Arc<Hub>, mut heard: mpsc::UnboundedReceiver<Heard>) {
    while let Some(Heard { messages, opens_the_gate }) = heard.recv().await {
        for (message, fate) in messages {
            match fate {
                Fate::Kept(reply) => judge_reply(&hub, reply).await,
                Fate::Known => {}
                Fate::Other => judge_other(&hub, &message),
            }
        }
        if opens_the_gate {
            hub.gate.send_replace(true);
        }
    }
}

/// A reply that is kept: by a person who may speak.
async fn judge_reply(hub: &Arc<Hub>, reply: Reply) {
    let Some(thread) = thread_of(hub, &reply).await else {
        drop_with(hub, Level::Debug, "unmapped", &reply.channel, reply.thread.as_str(), &reply.user);
        let at = Arc::clone(hub);
        let _ = blocking(move || at.inbox().done(&reply.key())).await;
        return;
    };
    let about = |name| {
        Event::info(name)
            .with("standing", thread.name.as_str())
            .with("channel", reply.channel.as_str())
            .with("thread", reply.thread.as_str())
    };
    hub.the_loop.emit(
        about("channel.reply_received").with("actor", format!("slack:{}", reply.user)).with("ts", reply.ts.as_str()),
    );
    hub.the_loop.emit(about("channel.mirror_skipped").with("reason", "standing-session"));
    hub.lanes.push(hub, reply);
}

/// Whose the thread is. One that is not known may have been bound this moment, by this process or another.
async fn thread_of(hub: &Arc<Hub>, reply: &Reply) -> Option<Thread> {
    if let Some(thread) = hub.threads.get(&reply.channel, &reply.thread) {
        return Some(thread);
    }
    super::watch::look(hub, false).await;
    hub.threads.get(&reply.channel, &reply.thread)
}

/// Anything else: dropped, and told of once. The gates are the same.
fn judge_other(hub: &Hub, message: &Message) {
    if message.user == hub.us.user {
        hub.board.heard_own(&message.channel, &message.ts);
    }
    let thread = message.thread.as_ref().filter(|thread| hub.threads.get(&message.channel, thread).is_some());
    if !hub.drop_once(message.key()) {
        return;
    }
    let (level, reason) = match thread {
        None => (Level::Debug, "unmapped"),
        Some(_) if message.is_by_a_bot(&hub.us) => (Level::Debug, "self-authored"),
        Some(_) if !message.is_words() => (Level::Debug, "unsupported-subtype"),
        Some(_) => (Level::Warning, "unauthorized-actor"),
    };
    if let Some(thread) = thread {
        // A thread's listing is read again and again: what was dropped stays dropped, whoever may speak by then.
        if !hub.inbox().note(message.key(), Some(thread.clone()), &message.event_id) {
            return;
        }
    }
    let thread = message.thread.as_ref().map_or("", |thread| thread.as_str());
    drop_with(hub, level, reason, &message.channel, thread, &message.user);
}

fn drop_with(hub: &Hub, level: Level, reason: &str, channel: &str, thread: &str, user: &str) {
    let mut event = Event::new(level, "channel.dropped").with("reason", reason).with("channel", channel);
    if !thread.is_empty() {
        event = event.with("thread", thread);
    }
    if !user.is_empty() {
        event = event.with("actor", format!("slack:{user}"));
    }
    hub.the_loop.emit(event);
}
