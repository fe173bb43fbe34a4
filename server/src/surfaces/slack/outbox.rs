//! Outbox: receipts, prompts and notices that wait, in one queue per channel.
//!
//! A full queue loses nothing: receipts are in the inbox, and are queued once there is room.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, PoisonError},
};

use tokio::time::Instant;

use super::{
    inbox::Outcome,
    message::{Key, Reply},
    threads::Thread,
    ts::Ts,
};

/// Maximum number of posts in the queue of a channel.
const MOST: usize = 256;

/// A message to post.
#[derive(Debug)]
pub(super) enum Post {
    /// Outcome of a reply. The reply is finished once this is posted.
    Receipt { reply: Reply, outcome: Outcome },
    /// Prompt of a session, in its thread.
    Question { thread: Thread, question: String, text: String },
    /// Line in a thread.
    Line { channel: String, thread: Ts, text: String },
}

impl Post {
    /// Returns the channel that it is posted in.
    pub(super) fn channel(&self) -> &str {
        match self {
            Self::Receipt { reply, .. } => &reply.channel,
            Self::Question { thread, .. } => &thread.channel,
            Self::Line { channel, .. } => channel,
        }
    }

    /// Returns the key of the reply that it is the receipt of.
    pub(super) fn receipt_of(&self) -> Option<Key> {
        match self {
            Self::Receipt { reply, .. } => Some(reply.key()),
            Self::Question { .. } | Self::Line { .. } => None,
        }
    }
}

/// Posts that wait, by channel.
#[derive(Debug, Default)]
pub(super) struct Outbox(Mutex<HashMap<String, Queue>>);

#[derive(Debug, Default)]
struct Queue {
    posts: VecDeque<(Instant, Post)>,
    /// True if receipts did not fit and remain in the inbox.
    overflowed: bool,
}

impl Outbox {
    /// Queues a post behind those for the same channel. True if no task works on that queue yet.
    pub(super) fn push(&self, post: Post) -> bool {
        let channel = post.channel().to_owned();
        let mut queues = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let worked_on = queues.contains_key(&channel);
        let queue = queues.entry(channel.clone()).or_default();
        let receipt = post.receipt_of();
        if receipt.is_some() && queue.posts.iter().any(|(_, waiting)| waiting.receipt_of() == receipt) {
            return false;
        }
        if queue.posts.len() < MOST {
            queue.posts.push_back((Instant::now(), post));
        } else if receipt.is_some() {
            queue.overflowed = true;
        } else {
            tracing::warn!(channel, "dropped a Slack post: too many are waiting");
        }
        !worked_on
    }

    pub(super) fn next(&self, channel: &str) -> Next {
        let mut queues = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(queue) = queues.get_mut(channel) else { return Next::Nothing };
        if let Some((since, post)) = queue.posts.pop_front() {
            return Next::Post(since, Box::new(post));
        }
        if std::mem::take(&mut queue.overflowed) {
            return Next::TakeUp;
        }
        queues.remove(channel);
        Next::Nothing
    }
}

/// Next task of the worker of a channel.
pub(super) enum Next {
    Post(Instant, Box<Post>),
    /// The queue has room again for receipts that remained in the inbox.
    TakeUp,
    Nothing,
}
