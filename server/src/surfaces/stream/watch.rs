//! One watcher for all streams of a service, at work only while somebody listens.

use std::{
    fs,
    os::unix::fs::MetadataExt as _,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use engine::Engine;
use tokio::{sync::watch, time};
use tokio_util::sync::CancellationToken;

use super::{seats::Seats, sessions::Sessions};

/// How often the log is looked at: one question for the size of a file.
const LOG_LOOK: Duration = Duration::from_millis(250);

/// How often the sessions are looked at.
const SESSIONS_LOOK: Duration = Duration::from_secs(1);

/// With many sessions a look takes long: this many times as long is waited until the next one.
const REST: u32 = 10;

/// What the watcher saw last.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    /// None before the first look.
    pub(super) sessions: Option<Arc<Sessions>>,
    log: Option<(u64, u64)>,
}

/// What all streams of a service share. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Live(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    engine: Engine,
    end: CancellationToken,
    seats: Seats,
    seen: watch::Sender<Seen>,
    /// Whether the watcher is at work. Held while somebody begins to listen and while the watcher leaves, so that
    /// nobody is left without one.
    at_work: Mutex<bool>,
}

impl Live {
    /// Streams end when `end` is cancelled.
    pub(crate) fn new(engine: Engine, end: CancellationToken) -> Self {
        let (seats, (seen, _)) = (Seats::default(), watch::channel(Seen::default()));
        Self(Arc::new(Shared { engine, end, seats, seen, at_work: Mutex::default() }))
    }

    pub(super) fn engine(&self) -> &Engine {
        &self.0.engine
    }

    pub(super) fn end(&self) -> &CancellationToken {
        &self.0.end
    }

    pub(crate) fn seats(&self) -> &Seats {
        &self.0.seats
    }

    /// What is seen, from now on.
    pub(super) fn watch(&self) -> watch::Receiver<Seen> {
        let mut at_work = self.0.at_work.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = self.0.seen.subscribe();
        if !*at_work {
            *at_work = true;
            let live = self.clone();
            tokio::spawn(async move {
                tokio::select! {
                    () = live.end().cancelled() => {},
                    () = live.look_at_log() => {},
                    () = live.look_at_sessions() => {},
                }
            });
        }
        seen
    }

    /// True if nobody listens any more: the watcher leaves, and forgets what it saw.
    fn leave(&self) -> bool {
        let mut at_work = self.0.at_work.lock().unwrap_or_else(PoisonError::into_inner);
        let leave = self.0.seen.receiver_count() == 0;
        if leave {
            *at_work = false;
            self.0.seen.send_replace(Seen::default());
        }
        leave
    }

    async fn look_at_log(&self) {
        while !self.leave() {
            let log = self.engine().read(|the_loop| stamp(&the_loop.config().settings.event_log.path)).await;
            self.0.seen.send_if_modified(|seen| std::mem::replace(&mut seen.log, log) != log);
            time::sleep(LOG_LOOK).await;
        }
    }

    async fn look_at_sessions(&self) {
        loop {
            let begun = Instant::now();
            self.show(Sessions::look(self.engine()).await);
            time::sleep(SESSIONS_LOOK.max(begun.elapsed() * REST)).await;
        }
    }

    fn show(&self, sessions: Sessions) {
        self.0.seen.send_if_modified(|seen| {
            let changed = seen.sessions.as_deref() != Some(&sessions);
            if changed {
                seen.sessions = Some(Arc::new(sessions));
            }
            changed
        });
    }
}

/// Changes whenever a line is added or the file is rotated away.
fn stamp(path: &Path) -> Option<(u64, u64)> {
    fs::metadata(path).ok().map(|meta| (meta.ino(), meta.len()))
}
