//! Waits for the ends of turns: one task for each session that a caller waits on.
//!
//! A waiting caller holds neither the session nor a thread. The task of its session reads the transcripts of all turns
//! that are waited for, a few times a second, and takes a thread only while it reads. It ends with its last caller.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use standing::{Error, TurnFollower};
use tokio::{sync::watch, time};
use wire::{Row, SessionName, Turn};

/// Pause between two reads while something happens, and once nothing did for a while.
const PAUSE: Duration = Duration::from_millis(100);
const LONG_PAUSE: Duration = Duration::from_millis(400);

/// Time without a change after which the pause is long.
const QUIET: Duration = Duration::from_secs(10);

/// Time for which the end of a turn may stay unrecorded because another verb works on the session.
const RECORD: Duration = Duration::from_secs(10);

/// Reader of turns and rows.
pub(crate) trait Source: Clone + Send + Sync + 'static {
    /// Looks at the turns with these ids.
    fn look(
        &self,
        follower: TurnFollower,
        ids: Vec<String>,
        row: Option<Row>,
    ) -> impl Future<Output = (TurnFollower, Result<Vec<Turn>, Error>)> + Send;

    /// Returns the row of a session; `None` if it could not be read.
    fn row(&self, name: &SessionName) -> impl Future<Output = Option<Row>> + Send;
}

/// Turns of one instance that are waited for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Turns(Arc<Mutex<HashMap<SessionName, Arc<Followed>>>>);

/// Turns of one session.
#[derive(Debug)]
struct Followed {
    /// Number of callers by message id. An id without callers stays until the end of its turn is recorded. Changed only
    /// while the map is locked.
    wanted: Mutex<HashMap<String, usize>>,
    seen: watch::Sender<HashMap<String, Turn>>,
}

/// Caller that waits for one turn.
struct Place {
    turns: Turns,
    id: String,
    followed: Arc<Followed>,
}

impl Turns {
    /// Waits until a turn is no longer open; `None` if it still is when the time is over.
    pub(crate) async fn wait(
        &self,
        source: &impl Source,
        name: &SessionName,
        id: &str,
        wait: Duration,
    ) -> Option<Turn> {
        let place = self.join(source, name, id);
        let mut seen = place.followed.seen.subscribe();
        let ended = seen.wait_for(|seen| seen.get(id).is_some_and(|turn| !turn.state.is_open()));
        let ended = time::timeout(wait, ended).await.ok()?.ok()?;
        ended.get(id).cloned()
    }

    /// Records the end of a turn once no other verb works on the session.
    pub(crate) fn record(&self, source: &impl Source, name: &SessionName, id: &str) {
        drop(self.join(source, name, id));
    }

    fn join(&self, source: &impl Source, name: &SessionName, id: &str) -> Place {
        let mut sessions = self.lock();
        let followed = sessions.entry(name.clone()).or_insert_with(|| {
            let followed = Arc::new(Followed { wanted: Mutex::default(), seen: watch::Sender::default() });
            tokio::spawn(follow(self.clone(), source.clone(), name.clone(), Arc::clone(&followed)));
            followed
        });
        *lock(&followed.wanted).entry(id.to_owned()).or_default() += 1;
        Place { turns: self.clone(), id: id.to_owned(), followed: Arc::clone(followed) }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionName, Arc<Followed>>> {
        lock(&self.0)
    }

    /// Removes the turns that need no further look, and the session if none is left. True if it is.
    fn leave(&self, name: &SessionName, followed: &Followed, over: impl Fn(&str) -> bool) -> bool {
        let mut sessions = self.lock();
        let mut wanted = lock(&followed.wanted);
        wanted.retain(|id, callers| *callers > 0 || !over(id));
        if wanted.is_empty() {
            sessions.remove(name);
        }
        wanted.is_empty()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _sessions = self.turns.lock();
        let mut wanted = lock(&self.followed.wanted);
        if let Some(callers) = wanted.get_mut(&self.id) {
            *callers -= 1;
        }
    }
}

/// Removes a session whose task has ended, however it ended.
struct Task {
    turns: Turns,
    name: SessionName,
    followed: Arc<Followed>,
}

impl Drop for Task {
    fn drop(&mut self) {
        let mut sessions = self.turns.lock();
        if sessions.get(&self.name).is_some_and(|now| Arc::ptr_eq(now, &self.followed)) {
            sessions.remove(&self.name);
        }
    }
}

/// Follows the turns of a session while a caller waits for one.
async fn follow(turns: Turns, source: impl Source, name: SessionName, followed: Arc<Followed>) {
    let task = Task { turns, name, followed };
    let Ok(mut follower) = TurnFollower::new(task.name.as_str()) else { return };
    let mut changed = Instant::now();
    loop {
        let ids: Vec<String> = lock(&task.followed.wanted).keys().cloned().collect();
        let row = if follower.needs_row() { source.row(&task.name).await } else { None };
        let (back, seen) = source.look(follower, ids, row).await;
        follower = back;
        if let Ok(seen) = seen {
            let seen: HashMap<String, Turn> = seen.into_iter().map(|turn| (turn.message_id.clone(), turn)).collect();
            task.followed.seen.send_if_modified(|last| {
                let news = *last != seen;
                *last = seen;
                news.then(|| changed = Instant::now()).is_some()
            });
        }
        // The end of a turn is recorded even if its callers have left, unless that takes too long.
        let late = changed.elapsed() >= RECORD;
        if task.turns.leave(&task.name, &task.followed, |id| late || follower.is_recorded(id)) {
            return;
        }
        time::sleep(if changed.elapsed() < QUIET { PAUSE } else { LONG_PAUSE }).await;
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
