//! Pane watcher: captures the panes that someone watches, about ten times a second.
//!
//! It works only while there are subscribers: without one, nothing wakes up and no control client is connected. One
//! control client serves all watched panes. The size of a session and its `attached` state do not change.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use standing::{PaneView, PaneWatching, TheLoop};
use tokio::{
    sync::{Notify, watch},
    task, time,
};
use tokio_util::sync::CancellationToken;
use wire::SessionName;

/// Pause after a look that panicked.
const BROKEN: Duration = Duration::from_secs(10);

/// Watcher of the panes of one instance. Cheap to clone.
#[derive(Clone)]
pub(crate) struct PaneWatcher(Arc<Shared>);

struct Shared {
    the_loop: TheLoop,
    end: CancellationToken,
    watched: Mutex<Watched>,
    /// Notified when a subscriber comes, and when a verb ended.
    changed: Notify,
}

#[derive(Default)]
struct Watched {
    views: BTreeMap<SessionName, watch::Sender<Arc<PaneView>>>,
    /// True while the watcher works. A new subscriber starts it otherwise.
    at_work: bool,
    /// True if panes must be found again, since a verb ended.
    again: bool,
}

/// Subscription to the pane of one session. The pane is captured while there is one.
#[derive(Clone, Debug)]
pub struct PaneSubscription(watch::Receiver<Arc<PaneView>>);

impl fmt::Debug for PaneWatcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PaneWatcher").finish_non_exhaustive()
    }
}

impl PaneSubscription {
    /// Returns the last view. Its version is 0 if the session has had no pane so far.
    pub fn view(&self) -> Arc<PaneView> {
        Arc::clone(&self.0.borrow())
    }

    /// Waits for a view that the subscriber has not seen, and returns it; `None` once the watcher has ended with its
    /// service.
    pub async fn changed(&mut self) -> Option<Arc<PaneView>> {
        self.0.changed().await.ok()?;
        Some(Arc::clone(&self.0.borrow_and_update()))
    }
}

impl PaneWatcher {
    pub(crate) fn new(the_loop: TheLoop, end: CancellationToken) -> Self {
        Self(Arc::new(Shared { the_loop, end, watched: Mutex::default(), changed: Notify::new() }))
    }

    /// Subscribes to a pane, and starts the watcher if it is not working. `first` is the view until the first look.
    /// Needs a runtime.
    pub(crate) fn subscribe(&self, name: SessionName, first: PaneView) -> PaneSubscription {
        let mut watched = self.0.lock();
        let view = watched.views.entry(name).or_insert_with(|| watch::Sender::new(Arc::new(first)));
        let subscription = PaneSubscription(view.subscribe());
        if !watched.at_work && !self.0.end.is_cancelled() {
            watched.at_work = true;
            tokio::spawn(work(Arc::clone(&self.0)));
        }
        drop(watched);
        self.0.changed.notify_one();
        subscription
    }

    /// Finds the watched panes again, since a verb has ended.
    pub(crate) fn verb_ended(&self) {
        let mut watched = self.0.lock();
        if watched.at_work {
            watched.again = true;
            drop(watched);
            self.0.changed.notify_one();
        }
    }
}

/// Looks at the watched panes until none is watched, or the service ends.
async fn work(shared: Arc<Shared>) {
    let mut watching = PaneWatching::new(shared.the_loop.clone());
    while let Some((views, again)) = shared.wanted() {
        let begun = Instant::now();
        let looked = task::spawn_blocking(move || {
            let look = watching.look(&views, again);
            (watching, look)
        });
        let pause = if let Ok((back, look)) = looked.await {
            watching = back;
            shared.publish(look.changed);
            look.pause.saturating_sub(begun.elapsed())
        } else {
            tracing::error!("a look at panes panicked");
            watching = PaneWatching::new(shared.the_loop.clone());
            BROKEN
        };
        tokio::select! {
            () = shared.end.cancelled() => {},
            () = shared.changed.notified() => {},
            () = time::sleep(pause) => {},
        }
    }
    // Its control client ends its session, which takes a moment.
    task::spawn_blocking(move || drop(watching));
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Watched> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the views of the sessions with subscribers, and if their panes must be found again. Without a subscriber,
    /// marks the watcher as stopped and returns `None`.
    fn wanted(&self) -> Option<(BTreeMap<SessionName, Arc<PaneView>>, bool)> {
        let mut watched = self.lock();
        if self.end.is_cancelled() {
            // Subscribers learn of the end.
            watched.views.clear();
        }
        watched.views.retain(|_, view| view.receiver_count() > 0);
        watched.at_work = !watched.views.is_empty();
        let again = std::mem::take(&mut watched.again);
        let views = watched.views.iter().map(|(name, view)| (name.clone(), Arc::clone(&view.borrow())));
        watched.at_work.then(|| (views.collect(), again))
    }

    fn publish(&self, changed: Vec<(SessionName, Arc<PaneView>)>) {
        let watched = self.lock();
        for (name, view) in changed {
            if let Some(sender) = watched.views.get(&name) {
                sender.send_replace(view);
            }
        }
    }
}
