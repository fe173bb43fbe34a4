//! The outbox: receipts, questions and notices, in a queue for each channel, for as long as it takes within reason.
//!
//! A channel that fails holds up no other. A receipt that cannot be posted is given up in the end: what became of the
//! reply is in the event log, and the reply itself was delivered or refused long before. What does not fit into a
//! queue is not lost either: receipts are in the inbox, and are taken up once there is room.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, PoisonError},
};

use standing::config::Verbosity;
use tokio::time::{self, Instant};

use super::{
    api::ApiError,
    context::{Asked, Context},
    inbox::Outcome,
    message::{Key, Reply},
    messages,
    threads::Thread,
    ts::Ts,
};

/// How much may wait in the queue of a channel.
const MOST: usize = 256;

/// Something to post.
#[derive(Debug)]
pub(super) enum Post {
    /// What became of a reply, which is done with after that.
    Receipt { reply: Reply, outcome: Outcome },
    /// What a session asks, in its thread.
    Question { thread: Thread, question: String, text: String },
    /// A line in a thread.
    Line { channel: String, thread: Ts, text: String },
}

impl Post {
    fn channel(&self) -> &str {
        match self {
            Self::Receipt { reply, .. } => &reply.channel,
            Self::Question { thread, .. } => &thread.channel,
            Self::Line { channel, .. } => channel,
        }
    }

    fn receipt_of(&self) -> Option<Key> {
        match self {
            Self::Receipt { reply, .. } => Some(reply.key()),
            Self::Question { .. } | Self::Line { .. } => None,
        }
    }
}

const SUBMITTED: &str = "white_check_mark";
const IN_PART: &str = "warning";
const QUEUED: &str = "hourglass_flowing_sand";
const UNCONFIRMED: &str = "grey_question";
const REFUSED: &str = "no_entry";

/// What waits to be posted, by channel.
#[derive(Debug, Default)]
pub(super) struct Outbox(Mutex<HashMap<String, Queue>>);

#[derive(Debug, Default)]
struct Queue {
    posts: VecDeque<(Instant, Post)>,
    /// True if receipts were left to the inbox.
    overflowed: bool,
}

impl Outbox {
    /// Has something posted, behind what waits for the same channel.
    pub(super) fn post(&self, context: &Arc<Context>, post: Post) {
        let channel = post.channel().to_owned();
        let mut queues = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let worked_on = queues.contains_key(&channel);
        let queue = queues.entry(channel.clone()).or_default();
        let receipt = post.receipt_of();
        if receipt.is_some() && queue.posts.iter().any(|(_, waiting)| waiting.receipt_of() == receipt) {
            return;
        }
        if queue.posts.len() < MOST {
            queue.posts.push_back((Instant::now(), post));
        } else if receipt.is_some() {
            queue.overflowed = true;
        } else {
            tracing::warn!(channel, "dropped a Slack post: too many are waiting");
        }
        drop(queues);
        if !worked_on {
            context.spawn(work(Arc::clone(context), channel));
        }
    }

    fn next(&self, channel: &str) -> Next {
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

enum Next {
    Post(Instant, Box<Post>),
    /// There is room again for what was left to the inbox.
    TakeUp,
    Nothing,
}

/// Posts what waits for a channel.
async fn work(context: Arc<Context>, channel: String) {
    loop {
        match context.outbox.next(&channel) {
            Next::Post(since, post) => {
                let receipt = post.receipt_of();
                put(&Turn { context: &context, until: since + context.timing.patience }, *post).await;
                if let Some(key) = receipt {
                    let left = context.kept.with(move |inbox| {
                        inbox.done(&key);
                        inbox.len()
                    });
                    if let Ok(pending) = left.await {
                        context.board.set(|status| status.pending = pending);
                    }
                }
            }
            Next::TakeUp => {
                let pending = context.kept.with(|inbox| inbox.pending()).await.unwrap_or_default();
                for pending in pending.into_iter().filter(|pending| pending.reply.channel == channel) {
                    if let Some(outcome) = pending.outcome {
                        context.outbox.post(&context, Post::Receipt { reply: pending.reply, outcome });
                    }
                }
            }
            Next::Nothing => return,
        }
    }
}

/// The turn of one post.
struct Turn<'a> {
    context: &'a Context,
    /// When it is given up.
    until: Instant,
}

async fn put(turn: &Turn<'_>, post: Post) {
    match post {
        Post::Question { thread, question, text } => {
            // It can be answered by a reply that was written after it was told.
            let posted = line(turn, &thread.channel, &thread.ts, &text).await;
            if let Some(ts) = posted {
                turn.context.asked(thread.ts, Asked { question, ts });
            }
        }
        Post::Line { channel, thread, text } => drop(line(turn, &channel, &thread, &text).await),
        Post::Receipt { reply, outcome } => receipt(turn, &reply, &outcome).await,
    }
}

/// A mark and its line do not wait for each other.
async fn receipt(turn: &Turn<'_>, reply: &Reply, outcome: &Outcome) {
    let quiet = turn.context.config().await.settings.slack.verbosity == Verbosity::Quiet;
    let say = async |text: &str| drop(line(turn, &reply.channel, &reply.thread, text).await);
    let beside = async |note: &str| {
        if !quiet && !note.is_empty() {
            say(note).await;
        }
    };
    let mut taken = SUBMITTED;
    let typed = matches!(outcome, Outcome::Submitted { .. } | Outcome::Queued { .. } | Outcome::Unconfirmed { .. });
    if typed && !reply.missing.is_empty() {
        // Said before the mark, which alone would say that all of it arrived.
        let told = line(turn, &reply.channel, &reply.thread, &messages::in_part(&reply.missing)).await;
        taken = if told.is_some() { SUBMITTED } else { IN_PART };
    }
    match outcome {
        Outcome::Submitted { note } => {
            tokio::join!(mark(turn, reply, taken, "✅ Delivered."), beside(note));
        }
        Outcome::Queued { note } => {
            let instead = "⏳ Queued until the session finishes its current turn.";
            tokio::join!(mark(turn, reply, QUEUED, instead), beside(note));
        }
        Outcome::Unconfirmed { note } => {
            let instead = "❔ Sent, but could not confirm that the session received it.";
            tokio::join!(mark(turn, reply, UNCONFIRMED, instead), beside(note));
        }
        Outcome::Refused { reason } => {
            tokio::join!(mark(turn, reply, REFUSED, ""), say(reason));
        }
        Outcome::Shown { text } => say(text).await,
    }
}

/// A mark on the reply, or words in the thread if the app may not mark.
async fn mark(turn: &Turn<'_>, reply: &Reply, name: &str, instead: &str) {
    let marked = patiently(turn, || turn.context.api.add_reaction(&reply.channel, &reply.ts, name)).await;
    match &marked {
        // It was deleted: there is nothing to mark.
        Err(ApiError::Refused { word }) if word == "message_not_found" => {}
        Err(error @ ApiError::Refused { word }) if word == "missing_scope" || !error.is_of_the_channel() => {
            if !instead.is_empty() {
                line(turn, &reply.channel, &reply.thread, instead).await;
            }
        }
        _ => tell(turn.context, &reply.channel, &marked),
    }
}

async fn line(turn: &Turn<'_>, channel: &str, thread: &Ts, text: &str) -> Option<Ts> {
    let posted = patiently(turn, || turn.context.api.post_message(channel, Some(thread), text)).await;
    tell(turn.context, channel, &posted);
    posted.ok().map(|posted| posted.ts)
}

fn tell<T>(context: &Context, channel: &str, posted: &Result<T, ApiError>) {
    match posted {
        Ok(_) => context.board.mended(channel, "post"),
        // That one message is gone says nothing of its channel.
        Err(error) if error.is_passing() || error.is_of_the_channel() => context.board.failed(channel, "post", error),
        Err(error) => tracing::warn!(%error, "could not post to Slack"),
    }
}

/// Tries again what failed in passing, until the post is given up. A line that may stand there already is said again:
/// twice is better than never for a refusal.
async fn patiently<T, F>(turn: &Turn<'_>, call: impl Fn() -> F) -> Result<T, ApiError>
where
    F: Future<Output = Result<T, ApiError>>,
{
    let mut pauses = turn.context.timing.backoff();
    loop {
        let error = match call().await {
            Ok(done) => return Ok(done),
            Err(error) if !error.is_passing() => return Err(error),
            Err(error) => error,
        };
        let pause =
            pauses.next().unwrap_or(turn.context.timing.pauses.1).max(error.asked_to_wait().unwrap_or_default());
        if Instant::now() + pause > turn.until {
            return Err(error);
        }
        time::sleep(pause).await;
    }
}
