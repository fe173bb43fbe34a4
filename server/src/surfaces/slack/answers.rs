//! Answer of a session to a reply, in its thread: one message, edited from "working" to the answer.
//!
//! Only for sessions with `slack.answers: true`, and only for replies: what a session says unasked stays in its pane. A
//! restart of the service ends the wait, and the message stays as it is.

use std::{sync::Arc, time::Duration};

use engine::StandingApi as _;
use tokio::time::{self, Instant};
use wire::{SayReceipt, Turn, TurnState, Verdict};

use super::{api::ApiError, context::Context, message::Reply, messages, ts::Ts};

/// Longest answer in a message, in characters. Slack cuts longer messages; a longer answer becomes a file.
const WHOLE: usize = 3500;

/// Longest wait of one call, and of all calls for one reply.
const STEP: Duration = Duration::from_mins(10);
const LONGEST: Duration = Duration::from_hours(12);

/// Follows a reply that was typed to its answer, if the session answers in Slack.
pub(super) fn follow(context: &Arc<Context>, reply: &Reply, session: &str, receipt: &SayReceipt) {
    if receipt.verdict == Verdict::NotDelivered || !receipt.delivered {
        return;
    }
    let (at, session, id) = (Arc::clone(context), session.to_owned(), receipt.message_id.clone());
    let (channel, thread) = (reply.channel.clone(), reply.thread.clone());
    context.spawn(async move {
        if answers(&at, &session).await {
            answer(&at, &channel, &thread, &session, &id).await;
        }
    });
}

async fn answers(context: &Context, session: &str) -> bool {
    let config = context.config().await;
    config.settings.sessions.iter().any(|declared| declared.name.as_str() == session && declared.slack_answers)
}

/// Posts that the session works, and edits this message once the turn has ended.
async fn answer(context: &Context, channel: &str, thread: &Ts, session: &str, id: &str) {
    let posted = patiently(context, || context.api.post_message(channel, Some(thread), messages::working())).await;
    let Some(posted) = told(posted) else { return };
    let Some(turn) = ended(context, session, id).await else { return };
    let text = messages::answered(&turn);
    if text.chars().count() <= WHOLE {
        told(patiently(context, || context.api.update_message(&posted, &text)).await);
        return;
    }
    let name = format!("answer-{session}.md");
    let file = patiently(context, || context.api.upload_text(&posted.channel, thread, &name, &turn.answer)).await;
    let text = match told(file) {
        Some(()) => messages::answered_in_file(&turn, &name),
        None => messages::answered_in_part(&turn, WHOLE),
    };
    told(patiently(context, || context.api.update_message(&posted, &text)).await);
}

/// Waits for the end of a turn. A prompt does not end it: the watcher posts the prompt, and a reply may answer it.
async fn ended(context: &Context, session: &str, id: &str) -> Option<Turn> {
    let until = Instant::now() + LONGEST;
    while Instant::now() < until {
        let turn = context.engine.turn(session, id, STEP).await.ok()?;
        match turn.state {
            TurnState::Working => {}
            TurnState::Blocked => time::sleep(context.timing.pauses.1).await,
            TurnState::Answered | TurnState::LostTrack | TurnState::NotFollowed => return Some(turn),
        }
    }
    None
}

/// Repeats a call that fails for a moment.
async fn patiently<T, F>(context: &Context, call: impl Fn() -> F) -> Result<T, ApiError>
where
    F: Future<Output = Result<T, ApiError>>,
{
    let until = Instant::now() + context.timing.patience;
    let mut pauses = context.timing.backoff();
    loop {
        let error = match call().await {
            Err(error) if error.is_passing() => error,
            done => return done,
        };
        let pause = pauses.next().unwrap_or(context.timing.pauses.1).max(error.asked_to_wait().unwrap_or_default());
        if Instant::now() + pause > until {
            return Err(error);
        }
        time::sleep(pause).await;
    }
}

fn told<T>(done: Result<T, ApiError>) -> Option<T> {
    done.inspect_err(|error| tracing::warn!(%error, "could not post an answer to Slack")).ok()
}
