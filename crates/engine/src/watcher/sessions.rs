//! Looks at the sessions: when something tells of a change, when somebody asks, and now and then.

use std::{
    io,
    os::fd::OwnedFd,
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use standing::{Look, Reason, Watching};
use tokio::{io::unix::AsyncFd, task, time};

use super::{
    Shared,
    snapshot::{Stamp, Taken},
};

/// The longest pause between two looks: finds what nothing told of.
const SURVEY: Duration = Duration::from_mins(1);

/// The pause while something is about to change, or no change is told.
const UNSETTLED: Duration = Duration::from_secs(1);

/// How often a server that says nothing is looked at in the process table: a stopped one says nothing either.
const CHECK: Duration = Duration::from_secs(10);

/// How long to wait for more changes after one.
const GATHER: Duration = Duration::from_millis(30);

/// With many sessions a look takes long: unless somebody waits, the pause after it is so many times as long.
const REST: u32 = 10;

const LONGEST_REST: Duration = Duration::from_secs(3);

/// The pause after a look that failed in a way that it must not.
const BROKEN: Duration = Duration::from_secs(10);

/// Looks again and again.
pub(super) async fn look(shared: &Arc<Shared>) {
    let mut watching = Watching::new(shared.the_loop.clone());
    let (mut signal, mut why) = (Signal::default(), Reason::Told);
    loop {
        let covers = shared.wanted.load(Ordering::SeqCst);
        let begun = Instant::now();
        let Ok((back, look, taken)) = task::spawn_blocking(move || once(watching, why, covers)).await else {
            tracing::error!("a look at the sessions did not come to its end");
            watching = Watching::new(shared.the_loop.clone());
            time::sleep(BROKEN).await;
            continue;
        };
        watching = back;
        let (unsettled, took) = (look.unsettled, begun.elapsed());
        shared.publish(look, taken);
        signal.follow(&watching);
        why = wait(shared, &watching, &signal, unsettled, took).await;
    }
}

fn once(mut watching: Watching, why: Reason, covers: u64) -> (Watching, Look, Taken) {
    let places = watching.places();
    // Order matters: what is written after this and before the look is looked at twice, and never missed.
    let stamp = Stamp::of(&places);
    let look = watching.look(why);
    let server = look.server.clone();
    (watching, look, Taken { covers, places, stamp, server })
}

/// Waits until another look is due, and returns why it is.
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

/// What becomes readable when the control client says something.
#[derive(Debug, Default)]
struct Signal {
    connection: Option<Instant>,
    file: Option<AsyncFd<OwnedFd>>,
}

impl Signal {
    /// Follows to another control client, if there is another one.
    fn follow(&mut self, watching: &Watching) {
        if self.connection == watching.connection() {
            return;
        }
        self.connection = watching.connection();
        self.file = watching.signal().and_then(|file| file.map(registered).transpose()).unwrap_or_else(|error| {
            tracing::warn!(%error, "changes in tmux are not told; the sessions are looked at now and then");
            None
        });
    }

    /// Waits until it says something. Never ends without one.
    async fn readable(&self) {
        let Some(file) = &self.file else { return std::future::pending().await };
        match file.readable().await {
            // Everything is taken in before this is waited for again.
            Ok(mut ready) => ready.clear_ready(),
            Err(_) => std::future::pending().await,
        }
    }
}

#[expect(deprecated, reason = "an owned descriptor keeps what the unsafe successor has its caller promise")]
pub(super) fn registered(file: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    AsyncFd::new(file)
}
