//! Poll mode: the bound threads are read at an interval.

use std::sync::Arc;

use tokio::time;

use super::{catch_up::catch_up, hub::Hub, status::Hearing};

/// Reads again and again, until the run ends.
pub(super) async fn poll(hub: Arc<Hub>) {
    let every = hub.pace.poll.unwrap_or(hub.the_loop.config().settings.slack.read_interval);
    hub.gate.send_replace(true);
    let mut pauses = hub.pace.backoff();
    loop {
        let reading = catch_up(&hub).await;
        if !reading.fresh.is_empty() {
            hub.board.heard();
        }
        let failure = reading.failure.as_ref();
        let hearing = match failure {
            Some(error) if reading.in_vain && !error.is_passing() => Hearing::Stuck,
            Some(_) if reading.in_vain => Hearing::Connecting,
            _ => Hearing::Connected,
        };
        hub.board.set(|status| {
            status.hearing = hearing;
            status.problem = failure.map(ToString::to_string).unwrap_or_default();
        });
        let pause = match failure {
            None => {
                pauses = hub.pace.backoff();
                every
            }
            Some(error) => {
                let pause = pauses.next().unwrap_or(hub.pace.pauses.1);
                pause.max(every).max(error.asked_to_wait().unwrap_or_default())
            }
        };
        time::sleep(pause).await;
    }
}
