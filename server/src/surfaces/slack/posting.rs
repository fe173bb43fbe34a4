//! Posts receipts, prompts and notices, retried for a limited time.
//!
//! A failing channel does not delay the others. A receipt that cannot be posted is given up in the end: the outcome of
//! the reply is in the event log, and the reply itself was delivered or refused long before.

use std::sync::Arc;

use standing::config::Verbosity;
use tokio::time::{self, Instant};
use wire::Verdict;

use super::{
    api::ApiError,
    context::{Asked, Context},
    inbox::Outcome,
    message::Reply,
    messages,
    outbox::{Next, Post},
    ts::Ts,
};

const SUBMITTED: &str = "white_check_mark";
const IN_PART: &str = "warning";
const QUEUED: &str = "hourglass_flowing_sand";
const UNCONFIRMED: &str = "grey_question";
const REFUSED: &str = "no_entry";

/// Queues a post behind those for the same channel.
pub(super) fn post(context: &Arc<Context>, post: Post) {
    let channel = post.channel().to_owned();
    if context.outbox.push(post) {
        context.spawn(work(Arc::clone(context), channel));
    }
}

/// Posts the queue of a channel.
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
                        post(&context, Post::Receipt { reply: pending.reply, outcome });
                    }
                }
            }
            Next::Nothing => return,
        }
    }
}

/// One post at work.
struct Turn<'a> {
    context: &'a Context,
    /// Deadline after which the post is given up.
    until: Instant,
}

async fn put(turn: &Turn<'_>, post: Post) {
    match post {
        Post::Question { thread, question, text } => {
            // A reply can answer the prompt if it was written after the prompt was posted.
            let posted = line(turn, &thread.channel, &thread.ts, &text).await;
            if let Some(ts) = posted {
                turn.context.asked(thread.ts, Asked { question, ts });
            }
        }
        Post::Line { channel, thread, text } => drop(line(turn, &channel, &thread, &text).await),
        Post::Receipt { reply, outcome } => receipt(turn, &reply, &outcome).await,
    }
}

/// Posts a receipt. The reaction and its line do not wait for each other.
async fn receipt(turn: &Turn<'_>, reply: &Reply, outcome: &Outcome) {
    let quiet = turn.context.config().await.settings.slack.verbosity == Verbosity::Quiet;
    let say = async |text: &str| drop(line(turn, &reply.channel, &reply.thread, text).await);
    let beside = async |note: &str| {
        if !quiet && !note.is_empty() {
            say(note).await;
        }
    };
    let instead = messages::instead_of_reaction;
    let mut taken = SUBMITTED;
    let typed = matches!(outcome, Outcome::Submitted { .. } | Outcome::Queued { .. } | Outcome::Unconfirmed { .. });
    if typed && !reply.missing.is_empty() {
        // This goes before the reaction, which alone would report a complete delivery.
        let told = line(turn, &reply.channel, &reply.thread, &messages::in_part(&reply.missing)).await;
        taken = if told.is_some() { SUBMITTED } else { IN_PART };
    }
    match outcome {
        Outcome::Submitted { note } => {
            tokio::join!(mark(turn, reply, taken, instead(Verdict::Submitted)), beside(note));
        }
        Outcome::Queued { note } => {
            tokio::join!(mark(turn, reply, QUEUED, instead(Verdict::Queued)), beside(note));
        }
        Outcome::Unconfirmed { note } => {
            tokio::join!(mark(turn, reply, UNCONFIRMED, instead(Verdict::Unconfirmed)), beside(note));
        }
        Outcome::Refused { reason } => {
            tokio::join!(mark(turn, reply, REFUSED, String::new()), say(reason));
        }
        Outcome::Shown { text } => say(text).await,
    }
}

/// Adds a reaction to the reply, or posts a line in the thread if the app may not add reactions.
async fn mark(turn: &Turn<'_>, reply: &Reply, name: &str, instead: String) {
    let marked = patiently(turn, || turn.context.api.add_reaction(&reply.channel, &reply.ts, name)).await;
    match &marked {
        // The reply was deleted and cannot get a reaction.
        Err(ApiError::Refused { word }) if word == "message_not_found" => {}
        Err(error @ ApiError::Refused { word }) if word == "missing_scope" || !error.is_of_the_channel() => {
            if !instead.is_empty() {
                line(turn, &reply.channel, &reply.thread, &instead).await;
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
        // A single deleted message is not a problem of its channel.
        Err(error) if error.is_passing() || error.is_of_the_channel() => context.board.failed(channel, "post", error),
        Err(error) => tracing::warn!(%error, "could not post to Slack"),
    }
}

/// Retries temporary failures until the deadline. A line that may already have been posted is posted again: a duplicate
/// is better than a lost refusal.
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
