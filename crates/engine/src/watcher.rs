//! The session watcher: the only thing that looks at the sessions while nobody asks.
//!
//! It publishes [`Snapshot`]s and is at work only while somebody subscribes. Between two looks it waits for what tells of a
//! change: a tmux control client, the kernel's notices of changed files, and the verbs of this process. At rest it starts
//! no process. A slow survey finds what nothing told of.
//!
//! It must not change a session, and must not guess: while it cannot see, rows are `unknown` since a time.

mod files;
mod sessions;
mod snapshot;

use std::{
    fmt,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use standing::{Look, TheLoop};
use tokio::{
    sync::{Notify, watch},
    time,
};
use tokio_util::sync::CancellationToken;

pub use files::ConfigFile;
use snapshot::Taken;
pub use snapshot::{Sessions, Snapshot};

/// How long the watcher stays when the last subscriber has left: a page that is loaded again comes back at once.
const LINGER: Duration = Duration::from_secs(5);

/// How long a reader waits for a look. It looks itself after that.
const PATIENCE: Duration = Duration::from_secs(1);

/// The watcher of one instance. Cheap to clone.
#[derive(Clone)]
pub struct SessionWatcher(Arc<Shared>);

struct Shared {
    the_loop: TheLoop,
    end: CancellationToken,
    snapshots: watch::Sender<Arc<Snapshot>>,
    /// Grows with every change of the event log.
    log: watch::Sender<u64>,
    /// Grows with every end of a verb and every reader that needs a new look.
    wanted: AtomicU64,
    /// What was wanted before the last look that was published began.
    covered: watch::Sender<u64>,
    /// Rung when somebody waits for a look.
    urgent: Notify,
    /// Rung when a file changed or a verb ended.
    changed: Notify,
    /// True while the watcher is at work. Held while somebody subscribes and while the watcher leaves, so that nobody is
    /// left without one.
    at_work: Mutex<bool>,
}

/// A subscription. The watcher is at work while there is one.
#[derive(Clone, Debug)]
pub struct Subscription {
    snapshots: watch::Receiver<Arc<Snapshot>>,
    log: watch::Receiver<u64>,
}

/// Something that a subscription tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// A session is not as it was, or the sessions cannot be listed, or can again.
    Sessions,
    /// The event log has new lines.
    Log,
    /// The watcher is gone with its service.
    Over,
}

impl fmt::Debug for SessionWatcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionWatcher").finish_non_exhaustive()
    }
}

impl Subscription {
    /// The last snapshot. Its version is 0 before the first look.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.snapshots.borrow())
    }

    /// Waits for the first look and returns it; `None` if the watcher ends first.
    pub async fn first(&mut self) -> Option<Arc<Snapshot>> {
        self.snapshots.wait_for(|snapshot| snapshot.version > 0).await.ok().map(|seen| Arc::clone(&seen))
    }

    /// Waits for the next change.
    pub async fn changed(&mut self) -> Change {
        tokio::select! {
            changed = self.snapshots.changed() => changed.map_or(Change::Over, |()| Change::Sessions),
            changed = self.log.changed() => changed.map_or(Change::Over, |()| Change::Log),
        }
    }

    /// Waits until a session changes. Never ends once the watcher is gone.
    pub async fn sessions_changed(&mut self) {
        if self.snapshots.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

impl SessionWatcher {
    pub(crate) fn new(the_loop: TheLoop, end: CancellationToken) -> Self {
        Self(Arc::new(Shared {
            the_loop,
            end,
            snapshots: watch::Sender::new(Arc::default()),
            log: watch::Sender::new(0),
            wanted: AtomicU64::new(0),
            covered: watch::Sender::new(0),
            urgent: Notify::new(),
            changed: Notify::new(),
            at_work: Mutex::new(false),
        }))
    }

    /// Subscribes, and puts the watcher to work if it is not. Needs a runtime.
    pub fn subscribe(&self) -> Subscription {
        let mut at_work = self.0.at_work.lock().unwrap_or_else(PoisonError::into_inner);
        let subscription = Subscription { snapshots: self.0.snapshots.subscribe(), log: self.0.log.subscribe() };
        if !*at_work {
            *at_work = true;
            tokio::spawn(work(Arc::clone(&self.0)));
        }
        subscription
    }

    /// Returns a snapshot that holds every change that was known when this was called: every end of a verb of this process,
    /// and every record that was written by another. While tmux does not answer, its rows are `unknown`. `None` if the
    /// watcher is not at work, if the sessions cannot be listed, or if a look takes too long.
    ///
    /// Asks the kernel for the time stamps of two files and the state of a process, and for nothing that could wait.
    pub async fn current(&self) -> Option<Arc<Snapshot>> {
        if !self.is_at_work() {
            return None;
        }
        let snapshot = Arc::clone(&self.0.snapshots.borrow());
        let covered = *self.0.covered.borrow() >= self.0.wanted.load(Ordering::SeqCst);
        let holds = covered && snapshot.is_current() && snapshot.can_see();
        let snapshot = if holds { snapshot } else { self.fresh().await? };
        snapshot.problem().is_none().then_some(snapshot)
    }

    /// Has the sessions looked at, and returns a snapshot of a look that began after this was called. `None` if the watcher
    /// is not at work, or takes too long.
    pub async fn fresh(&self) -> Option<Arc<Snapshot>> {
        if !self.is_at_work() {
            return None;
        }
        let mut covered = self.0.covered.subscribe();
        let wanted = self.0.want();
        self.0.urgent.notify_one();
        time::timeout(PATIENCE, covered.wait_for(|covered| *covered >= wanted)).await.ok()?.ok()?;
        Some(Arc::clone(&self.0.snapshots.borrow()))
    }

    /// Has the sessions looked at, since a verb has ended.
    pub(crate) fn verb_ended(&self) {
        self.0.want();
        self.0.changed.notify_one();
    }

    fn is_at_work(&self) -> bool {
        *self.0.at_work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Works until nobody subscribes any more, or the service ends.
async fn work(shared: Arc<Shared>) {
    tokio::select! {
        () = shared.end.cancelled() => {},
        () = shared.unwatched() => {},
        () = files::follow(&shared) => {},
        () = sessions::look(&shared) => {},
    }
}

impl Shared {
    /// Makes every look that has begun count as too old, and returns the number of those that do not.
    fn want(&self) -> u64 {
        self.wanted.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// Waits until nobody subscribes. The watcher has left then, and what it saw is forgotten.
    async fn unwatched(&self) {
        loop {
            self.snapshots.closed().await;
            time::sleep(LINGER).await;
            let mut at_work = self.at_work.lock().unwrap_or_else(PoisonError::into_inner);
            if self.snapshots.receiver_count() == 0 {
                *at_work = false;
                self.snapshots.send_replace(Arc::default());
                return;
            }
        }
    }

    /// Publishes a look. Subscribers are told if it differs from the last one in more than what was measured.
    fn publish(&self, look: Look, taken: Taken) {
        let covers = taken.covers;
        self.snapshots.send_if_modified(|last| {
            let (next, changed) = Snapshot::after(last, look, taken);
            *last = Arc::new(next);
            changed
        });
        self.covered.send_replace(covers);
    }
}
