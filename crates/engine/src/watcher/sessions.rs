//! Looks at the sessions: after a sign of a change, on request, and periodically.

use std::{
    os::fd::OwnedFd,
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use standing::{Look, Reason, Watching};
use tokio::{io::unix::AsyncFd, task, time};

use super::{
    Shared,
    ends::Ends,
    prompts, registered,
    snapshot::{Stamp, Taken},
};

/// Longest pause between two looks, to find changes that gave no sign.
const SURVEY: Duration = Duration::from_mins(1);

/// Pause while a change is pending, or while changes are not signalled.
const UNSETTLED: Duration = Duration::from_secs(1);

/// Interval for checking a silent server in the process table, since a stopped server is silent as well.
const CHECK: Duration = Duration::from_secs(10);

/// Time to wait for more changes after one.
const GATHER: Duration = Duration::from_millis(30);

/// Pause after a look, as a multiple of its duration, unless a reader waits. With many sessions a look takes long.
const REST: u32 = 10;

/// Longest pause after a look. A page shows every change within a second.
const LONGEST_REST: Duration = Duration::from_millis(600);

/// Pause after a look that panicked.
const BROKEN: Duration = Duration::from_secs(10);

/// Looks repeatedly.
pub(super) async fn look(shared: &Arc<Shared>) {
    let mut watching = Watching::new(shared.the_loop.clone());
    let (mut signal, mut ends, mut why) = (Signal::default(), Ends::default(), Reason::Told);
    loop {
        let covers = shared.wanted.load(Ordering::SeqCst);
        let begun = Instant::now();
        let Ok((back, look, taken)) = task::spawn_blocking(move || once(watching, why, covers)).await else {
            tracing::error!("a check of the sessions panicked");
            watching = Watching::new(shared.the_loop.clone());
            time::sleep(BROKEN).await;
            continue;
        };
        watching = back;
        let (unsettled, took) = (look.unsettled, begun.elapsed());
        if let Ok(rows) = &look.rows {
            ends.follow(shared, rows);
        }
        prompts::write(shared, shared.publish(look, taken));
        signal.follow(&watching);
        why = wait(shared, &watching, &signal, unsettled, took).await;
    }
}

fn once(mut watching: Watching, why: Reason, covers: u64) -> (Watching, Look, Taken) {
    let places = watching.places();
    // Order matters: a file written between this stamp and the look is read twice, and never missed.
    let stamp = Stamp::of(&places);
    let look = watching.look(why);
    let server = look.server.clone();
    (watching, look, Taken { covers, places, stamp, server })
}

/// Waits until another look is due, and returns the reason.
async fn wait(shared: &Shared, watching: &Watching, signal: &Signal, unsettled: bool, took: Duration) -> Reason {
    let rest = took.saturating_mul(REST).min(LONGEST_REST);
    let due = time::Instant::now() + if unsettled { UNSETTLED.max(rest) } else { SURVEY };
    while !watching.heard() {
        tokio::select! {
            biased;
            () = shared.urgent.notified() => return Reason::Told,
            () = shared.changed.notified() => break,
            () = signal.readable() => {},
            () = time::sleep_until(due) => return Reason::Time,
            () = time::sleep(CHECK), if watching.may_be_stopped() => {
                if watching.server_is_stopped() {
                    return Reason::Told;
                }
            }
        }
    }
    tokio::select! {
        () = shared.urgent.notified() => {},
        () = time::sleep(GATHER.max(rest)) => {},
    }
    Reason::Told
}

/// Becomes readable when the control client has output.
#[derive(Debug, Default)]
struct Signal {
    connection: Option<Instant>,
    file: Option<AsyncFd<OwnedFd>>,
}

impl Signal {
    /// Follows the control client in use, if it is another one.
    fn follow(&mut self, watching: &Watching) {
        if self.connection == watching.connection() {
            return;
        }
        self.connection = watching.connection();
        self.file = watching.signal().and_then(|file| file.map(registered).transpose()).unwrap_or_else(|error| {
            tracing::warn!(%error, "could not subscribe to changes in tmux; polling the sessions instead");
            None
        });
    }

    /// Waits until the control client has output. Waits forever without a control client.
    async fn readable(&self) {
        let Some(file) = &self.file else { return std::future::pending().await };
        match file.readable().await {
            // The output is read completely before the next wait.
            Ok(mut ready) => ready.clear_ready(),
            Err(_) => std::future::pending().await,
        }
    }
}
