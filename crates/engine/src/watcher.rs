//! Session watcher: the only part that reads the sessions without a request.
//!
//! The watcher publishes [`Snapshot`]s and works only while there are subscribers. Between two looks it waits for a
//! sign of a change: from a tmux control client, from inotify, or from the verbs of this process. At rest it starts
//! no process. A slow poll finds changes that gave no sign.
//!
//! It must not change a session, and must not guess: while tmux does not answer, rows are `unknown` since a given
//! time.

mod ends;
mod files;
mod history;
mod prompts;
mod sessions;
mod snapshot;

use std::{
    fmt, io,
    os::fd::OwnedFd,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use standing::{Look, TheLoop};
use tokio::{
    io::unix::AsyncFd,
    sync::{Notify, watch},
    time,
};
use tokio_util::sync::CancellationToken;

pub use files::ConfigFile;
use history::History;
pub use history::Sample;
use snapshot::Taken;
pub use snapshot::{Sessions, Snapshot};

/// Time that the watcher keeps working after the last subscriber has left, since a reloaded page subscribes again at
/// once.
const LINGER: Duration = Duration::from_secs(5);

/// Time that a reader waits for a look. After that, the reader looks itself.
const PATIENCE: Duration = Duration::from_secs(1);

/// Watcher of one instance. Cheap to clone.
#[derive(Clone)]
pub struct SessionWatcher(Arc<Shared>);

struct Shared {
    the_loop: TheLoop,
    end: CancellationToken,
    snapshots: watch::Sender<Arc<Snapshot>>,
    /// Incremented with every change of the event log.
    log: watch::Sender<u64>,
    /// Incremented with every look that found another screen or measurement.
    shown: watch::Sender<u64>,
    /// Incremented when a verb ends and when a reader needs a new look.
    wanted: AtomicU64,
    /// Value of `wanted` at the start of the last published look.
    covered: watch::Sender<u64>,
    /// Notified when a reader waits for a look.
    urgent: Notify,
    /// Notified when a file changed or a verb ended.
    changed: Notify,
    history: Mutex<History>,
    /// True while the watcher works. Locked by a new subscriber and by the watcher while it leaves, so that no
    /// subscriber is left without a watcher.
    at_work: Mutex<bool>,
}

/// Subscription to changes. The watcher works while there is one.
#[derive(Clone, Debug)]
pub struct Subscription {
    snapshots: watch::Receiver<Arc<Snapshot>>,
    log: watch::Receiver<u64>,
    shown: watch::Receiver<u64>,
}

/// Change that a subscription reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// A session changed, or the sessions became unavailable or available again.
    Sessions,
    /// The event log has new lines.
    Log,
    /// Only screens or measurements changed. Reported by [`Subscription::shown`] alone.
    Shown,
    /// The watcher has ended with its service.
    Over,
}

impl fmt::Debug for SessionWatcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionWatcher").finish_non_exhaustive()
    }
}

impl Subscription {
    /// Returns the last snapshot. Its version is 0 before the first look.
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

    /// Waits for the next change, including those of screens and measurements alone.
    pub async fn shown(&mut self) -> Change {
        tokio::select! {
            changed = self.snapshots.changed() => changed.map_or(Change::Over, |()| Change::Sessions),
            changed = self.log.changed() => changed.map_or(Change::Over, |()| Change::Log),
            changed = self.shown.changed() => changed.map_or(Change::Over, |()| Change::Shown),
        }
    }

    /// Waits until a session changes. Waits forever once the watcher has ended.
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
            shown: watch::Sender::new(0),
            wanted: AtomicU64::new(0),
            covered: watch::Sender::new(0),
            urgent: Notify::new(),
            changed: Notify::new(),
            history: Mutex::default(),
            at_work: Mutex::new(false),
        }))
    }

    /// Subscribes, and starts the watcher if it is not working. Needs a runtime.
    pub fn subscribe(&self) -> Subscription {
        let mut at_work = self.0.at_work.lock().unwrap_or_else(PoisonError::into_inner);
        let subscription = Subscription {
            snapshots: self.0.snapshots.subscribe(),
            log: self.0.log.subscribe(),
            shown: self.0.shown.subscribe(),
        };
        if !*at_work {
            *at_work = true;
            tokio::spawn(work(Arc::clone(&self.0)));
        }
        subscription
    }

    /// Returns a snapshot that contains every change known at the time of the call: all verbs of this process that
    /// have ended, and all records written by other processes. While tmux does not answer, its rows are `unknown`.
    /// Returns `None` if the watcher is not working, if the sessions could not be listed, or if a look takes too
    /// long.
    ///
    /// Reads only the time stamps of two files and the state of a process from the kernel, which never waits.
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

    /// Requests a look, and returns a snapshot of a look that began after the call. Returns `None` if the watcher is
    /// not working or takes too long.
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

    /// Returns the CPU and memory of a session in the last hour, as far as it was watched.
    pub fn history(&self, name: &str) -> Vec<Sample> {
        self.0.history.lock().unwrap_or_else(PoisonError::into_inner).of(name, seconds())
    }

    /// Requests a look, since a verb has ended.
    pub(crate) fn verb_ended(&self) {
        self.0.want();
        self.0.changed.notify_one();
    }

    pub(crate) fn is_at_work(&self) -> bool {
        *self.0.at_work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Registers a descriptor, to wait until it is readable.
#[expect(deprecated, reason = "an owned descriptor keeps what the unsafe successor has its caller promise")]
fn registered(file: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    AsyncFd::new(file)
}

/// Works until there are no subscribers, or the service ends.
async fn work(shared: Arc<Shared>) {
    tokio::select! {
        () = shared.end.cancelled() => {},
        () = shared.unwatched() => {},
        () = files::follow(&shared) => {},
        () = sessions::look(&shared) => {},
    }
}

impl Shared {
    /// Makes every look that has begun count as too old, and returns the number that a newer look has.
    fn want(&self) -> u64 {
        self.wanted.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// Waits until there are no subscribers. Then marks the watcher as stopped and drops its snapshot.
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

    /// Publishes a look. Subscribers are notified if it differs from the last one in more than measurements. Returns the
    /// sessions whose prompts have opened since.
    fn publish(&self, look: Look, taken: Taken) -> Vec<String> {
        let covers = taken.covers;
        let (mut shown, mut asking) = (false, Vec::new());
        self.snapshots.send_if_modified(|last| {
            let (next, changed) = Snapshot::after(last, look, taken);
            shown = next.shows_other_than(last);
            asking = prompts::opened(last, &next);
            self.history.lock().unwrap_or_else(PoisonError::into_inner).note(next.rows(), seconds());
            *last = Arc::new(next);
            changed
        });
        if shown {
            self.shown.send_modify(|looks| *looks += 1);
        }
        self.covered.send_replace(covers);
        asking
    }
}

/// Returns seconds since 1970.
fn seconds() -> u32 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u32::try_from(since.as_secs()).unwrap_or(u32::MAX)
}
