//! Socket Mode: Slack pushes what is said, and is told at once that we have it.
//!
//! A connection is never trusted: it is pinged, it is replaced before Slack ends it, and what it should have brought
//! is looked up in the threads themselves, after each connection and now and then beside it. One that answers pings
//! and brings nothing is deaf, and is opened anew.

mod connect;
mod envelope;
mod listen;
mod probe;

use std::{sync::Arc, time::Duration};

use tokio::time::{self, Instant};

use super::{api::ApiError, catch_up::catch_up, hub::Hub, receive::Heard, status::Hearing};
use connect::connect;
use listen::{Ended, listen};

pub(super) use probe::Probe;

/// Opens connections and listens, until the run ends.
pub(super) async fn socket(hub: Arc<Hub>) {
    hub.spawn(sweep(Arc::clone(&hub)));
    let mut pauses = hub.pace.backoff();
    loop {
        let begun = Instant::now();
        let ended = match connect(&hub.api, hub.pace.hello).await {
            Ok(connection) => listen(&hub, connection).await,
            Err(error) => Ended::Failed(error),
        };
        if begun.elapsed() > hub.pace.dead {
            pauses = hub.pace.backoff();
        }
        let pause = pause(&hub, &ended, &mut pauses);
        hub.board.set(|status| {
            status.hearing = if ended.is_stuck() { Hearing::Stuck } else { Hearing::Connecting };
            status.problem = ended.to_string();
        });
        // What is accepted already is typed: nobody knows how long there will be no connection.
        hub.gate.send_replace(true);
        tracing::warn!(reason = %ended, pause_ms = pause.as_millis(), "the socket to Slack ended; it is opened anew");
        time::sleep(pause).await;
    }
}

fn pause(hub: &Hub, ended: &Ended, pauses: &mut impl Iterator<Item = Duration>) -> Duration {
    let next = pauses.next().unwrap_or(hub.pace.pauses.1);
    match ended {
        ended if ended.is_stuck() => hub.pace.mending,
        Ended::Failed(ApiError::Limited { after }) => next.max(*after),
        _ => next,
    }
}

/// Called with every greeting: what was missed is fetched, and goes before what the connection brings.
fn greeted(hub: &Arc<Hub>) {
    let at = Arc::clone(hub);
    hub.spawn(async move {
        // A thread that cannot be read keeps nothing waiting for ever.
        let reading = time::timeout(at.pace.hello.saturating_mul(2), catch_up(&at)).await;
        if let Ok(Some(error)) = reading.map(|reading| reading.failure) {
            tracing::warn!(%error, "not every thread could be read; the next reading finds what is missing");
        }
        let _ = at.heard.send(Heard::all_of_it());
    });
}

/// Reads the threads now and then. What the socket does not bring within a while after it stood there, it did not
/// hear.
async fn sweep(hub: Arc<Hub>) {
    loop {
        time::sleep(hub.pace.sweep).await;
        let fresh = catch_up(&hub).await.fresh;
        if fresh.is_empty() {
            continue;
        }
        time::sleep(hub.pace.deaf).await;
        if fresh.iter().any(|key| !hub.was_brought(key)) {
            hub.reconnect.notify_one();
        }
    }
}
