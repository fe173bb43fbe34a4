//! Socket Mode: Slack pushes messages, and the app acknowledges them at once.
//!
//! No connection is assumed to be healthy. It is pinged, and replaced before Slack ends it. The threads themselves are
//! read to find missed messages, after each connection and at intervals. A connection that answers pings and delivers
//! nothing is deaf, and is replaced.

mod connect;
mod envelope;
mod listen;
mod probe;

use std::{sync::Arc, time::Duration};

use tokio::time::{self, Instant};

use super::{api::ApiError, context::Context, status::Hearing};
use connect::connect;
use listen::{Ended, listen};

pub(super) use probe::Probe;

/// Opens connections and listens, until the run ends.
pub(super) async fn socket(context: Arc<Context>) {
    let (mut pauses, mut mending) = (context.timing.backoff(), context.timing.mending);
    let mut told = None;
    loop {
        let begun = Instant::now();
        let ended = match connect(&context.api, context.timing.hello).await {
            Ok(connection) => listen(&context, connection).await,
            Err(error) => Ended::Failed(error),
        };
        if begun.elapsed() > context.timing.dead {
            (pauses, mending, told) = (context.timing.backoff(), context.timing.mending, None);
        }
        let mut pause = pause(&context, &ended, &mut pauses);
        if ended.is_stuck() {
            (pause, mending) = (mending, context.timing.longer(mending));
        }
        context.board.set(|status| {
            status.hearing = if ended.is_stuck() { Hearing::Stuck } else { Hearing::Connecting };
            status.problem = ended.to_string();
        });
        // Accepted replies are typed, because the outage may last indefinitely.
        context.gate.open();
        // A lasting problem is reported once.
        if told.replace(ended.to_string()) != Some(ended.to_string()) {
            tracing::warn!(reason = %ended, pause_ms = pause.as_millis(), "the Slack socket closed; reconnecting");
        }
        time::sleep(pause).await;
    }
}

fn pause(context: &Context, ended: &Ended, pauses: &mut impl Iterator<Item = Duration>) -> Duration {
    let next = pauses.next().unwrap_or(context.timing.pauses.1);
    match ended {
        Ended::Failed(ApiError::Limited { after }) => next.max(*after),
        _ => next,
    }
}

/// Called at every greeting: missed messages are read, and go before those of the connection. A connection that
/// replaces another one has missed nothing, and no reply waits for the reading.
fn greeted(context: &Arc<Context>, in_place_of_another: bool) {
    if !in_place_of_another {
        let greeting = context.gate.close(context.threads.all().into_iter().map(|thread| thread.ts));
        let at = Arc::clone(context);
        context.spawn(async move {
            // Replies of an unreadable thread must not wait forever.
            time::sleep(at.timing.hello.saturating_mul(2)).await;
            at.gate.open_since(greeting);
        });
    }
    context.reader.greeted();
}
