//! The outbox: receipts and notices, one after the other, for as long as it takes within reason.
//!
//! A receipt that cannot be posted is given up in the end: what became of the reply is in the event log, and the
//! reply itself was delivered or refused long before.

use std::sync::Arc;

use standing::config::Verbosity;
use tokio::{sync::mpsc, time, time::Instant};

use super::{
    announce::blocking,
    api::ApiError,
    hub::{Asked, Hub},
    inbox::Outcome,
    message::Reply,
    threads::Thread,
    ts::Ts,
};

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

const SUBMITTED: &str = "white_check_mark";
const UNCONFIRMED: &str = "grey_question";
const REFUSED: &str = "no_entry";

/// Posts what comes, until the run ends.
pub(super) async fn post_all(hub: Arc<Hub>, mut posts: mpsc::UnboundedReceiver<Post>) {
    while let Some(post) = posts.recv().await {
        match post {
            Post::Question { thread, question, text } => ask(&hub, thread, question, &text).await,
            Post::Line { channel, thread, text } => line(&hub, &channel, &thread, &text).await,
            Post::Receipt { reply, outcome } => {
                receipt(&hub, &reply, &outcome).await;
                let (at, key) = (Arc::clone(&hub), reply.key());
                let _ = blocking(move || at.inbox().done(&key)).await;
                let pending = hub.inbox().len();
                hub.board.set(|status| status.pending = pending);
            }
        }
    }
}

/// A question can be answered by a reply that was written after it was told.
async fn ask(hub: &Hub, thread: Thread, question: String, text: &str) {
    let posted = patiently(hub, || hub.api.post_message(&thread.channel, Some(&thread.ts), text)).await;
    tell(posted.map(|posted| hub.asked(thread.ts, Asked { question, ts: posted.ts })));
}

async fn receipt(hub: &Hub, reply: &Reply, outcome: &Outcome) {
    let quiet = hub.the_loop.config().settings.slack.verbosity == Verbosity::Quiet;
    match outcome {
        Outcome::Submitted { note } => {
            mark(hub, reply, SUBMITTED, "✅ Delivered.").await;
            if !quiet && !note.is_empty() {
                line(hub, &reply.channel, &reply.thread, note).await;
            }
        }
        Outcome::Unconfirmed { note } => {
            mark(hub, reply, UNCONFIRMED, "❔ Typed, and nothing proves that the session took it.").await;
            if !quiet && !note.is_empty() {
                line(hub, &reply.channel, &reply.thread, note).await;
            }
        }
        Outcome::Refused { reason } => {
            mark(hub, reply, REFUSED, "").await;
            line(hub, &reply.channel, &reply.thread, reason).await;
        }
        Outcome::Shown { text } => line(hub, &reply.channel, &reply.thread, text).await,
    }
}

/// A mark on the reply, or words in the thread if the app may not mark.
async fn mark(hub: &Hub, reply: &Reply, name: &str, instead: &str) {
    let marked = patiently(hub, || hub.api.add_reaction(&reply.channel, &reply.ts, name)).await;
    if let Err(ApiError::Refused { word }) = &marked
        && word == "missing_scope"
        && !instead.is_empty()
    {
        line(hub, &reply.channel, &reply.thread, instead).await;
    }
    tell(marked);
}

async fn line(hub: &Hub, channel: &str, thread: &Ts, text: &str) {
    let posted = patiently(hub, || hub.api.post_message(channel, Some(thread), text)).await;
    tell(posted.map(drop));
}

fn tell(posted: Result<(), ApiError>) {
    if let Err(error) = posted {
        tracing::warn!(%error, "something could not be told in Slack");
    }
}

/// Tries again what failed in passing. A line that may stand there already is said again: twice is better than never
/// for a refusal.
async fn patiently<T, F: Future<Output = Result<T, ApiError>>>(hub: &Hub, call: impl Fn() -> F) -> Result<T, ApiError> {
    let until = Instant::now() + hub.pace.patience;
    let mut pauses = hub.pace.backoff();
    loop {
        let error = match call().await {
            Ok(done) => return Ok(done),
            Err(error) if !error.is_passing() => return Err(error),
            Err(error) => error,
        };
        let pause = pauses.next().unwrap_or(hub.pace.pauses.1).max(error.asked_to_wait().unwrap_or_default());
        if Instant::now() + pause > until {
            return Err(error);
        }
        time::sleep(pause).await;
    }
}
