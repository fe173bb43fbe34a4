//! Where asynchronous callers wait for a thread.
//!
//! A verb keeps its thread for as long as it works, and for as long as it waits for the session's lock. So that one
//! session that is held does not take every thread there is, the verbs on one session wait for each other here, where
//! waiting costs no thread; and those that only look have threads that no verb can take.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use wire::SessionName;

use crate::{Error, TheLoop};

/// Verbs at work at once, on whatever sessions. Each has a thread.
const VERBS: usize = 32;

/// Looks at once. Each has a thread.
const LOOKS: usize = 24;

/// How many may wait for one session. What comes then is told to come later.
const MOST_WAITING: usize = 100;

/// How many threads verbs and looks can keep at the same time. A runtime that has fewer makes them wait for each other.
pub const THREADS: usize = VERBS + LOOKS;

/// The queues of one instance.
#[derive(Debug)]
pub(crate) struct Queues {
    verbs: Arc<Semaphore>,
    looks: Arc<Semaphore>,
    /// Only of sessions that somebody waits for or works on.
    sessions: Mutex<HashMap<SessionName, Arc<Queue>>>,
}

/// The queue of one session.
#[derive(Debug)]
struct Queue {
    turn: Arc<Semaphore>,
    /// Those who wait, and whoever is at work.
    in_it: AtomicUsize,
}

/// The right to a thread. Moved into the work, so that the next one comes when it is done, whoever still waits for it.
#[derive(Debug)]
pub struct Turn {
    // Order matters: the thread is free before the next one of the session takes one.
    _thread: Option<OwnedSemaphorePermit>,
    _turn: Option<OwnedSemaphorePermit>,
    _place: Option<Place>,
}

/// A place in the queue of a session, given back when this is dropped.
#[derive(Debug)]
struct Place {
    queues: Arc<Queues>,
    name: SessionName,
    queue: Arc<Queue>,
}

impl Default for Queues {
    fn default() -> Self {
        Self {
            verbs: Arc::new(Semaphore::new(VERBS)),
            looks: Arc::new(Semaphore::new(LOOKS)),
            sessions: Mutex::default(),
        }
    }
}

impl TheLoop {
    /// Waits for a turn to do a verb to one session, in the order of the calls and without a thread. Refused if too many
    /// wait already, or if the session was held by others for too long.
    pub async fn turn_of(&self, name: &str) -> Result<Turn, Error> {
        // What is no name is refused by the verb.
        let Ok(name) = SessionName::parse(name) else { return Ok(self.turn_of_verb().await) };
        let limit = self.lock_wait();
        let begun = Instant::now();
        let place = Place::take(&self.queues, &name)?;
        let turn = permit(&place.queue.turn).await;
        if begun.elapsed() > limit {
            return Err(late(name, limit));
        }
        Ok(Turn { _thread: permit(&self.queues.verbs).await, _turn: turn, _place: Some(place) })
    }

    /// Waits for a thread to do a verb to every session.
    pub async fn turn_of_verb(&self) -> Turn {
        Turn { _thread: permit(&self.queues.verbs).await, _turn: None, _place: None }
    }

    /// Waits for a thread to look. No verb can keep those.
    pub async fn turn_to_look(&self) -> Turn {
        Turn { _thread: permit(&self.queues.looks).await, _turn: None, _place: None }
    }
}

/// The semaphores are never closed.
async fn permit(of: &Arc<Semaphore>) -> Option<OwnedSemaphorePermit> {
    Arc::clone(of).acquire_owned().await.ok()
}

/// Those before it took their time: as if it had waited for the lock itself.
fn late(name: SessionName, limit: Duration) -> Error {
    Error::Busy { name, holder: "other requests to this service".to_owned(), waited_seconds: limit.as_secs() }
}

impl Place {
    fn take(queues: &Arc<Queues>, name: &SessionName) -> Result<Self, Error> {
        let mut sessions = queues.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let queue = sessions
            .entry(name.clone())
            .or_insert_with(|| Arc::new(Queue { turn: Arc::new(Semaphore::new(1)), in_it: AtomicUsize::new(0) }));
        let waiting = queue.in_it.load(Ordering::Relaxed).saturating_sub(1);
        if waiting >= MOST_WAITING {
            return Err(Error::Crowded { name: name.clone(), waiting });
        }
        queue.in_it.fetch_add(1, Ordering::Relaxed);
        Ok(Self { queues: Arc::clone(queues), name: name.clone(), queue: Arc::clone(queue) })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // Counted under the lock, so that a queue is never removed under somebody who has just come.
        let mut sessions = self.queues.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        if self.queue.in_it.fetch_sub(1, Ordering::Relaxed) == 1 {
            sessions.remove(&self.name);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use tokio::{runtime::Builder, task};

    use super::*;

    fn the_loop(dir: &Path) -> TheLoop {
        TheLoop::open(Some(&dir.join("cli-config.yaml")))
    }

    fn runtime() -> tokio::runtime::Runtime {
        Builder::new_current_thread().build().expect("a runtime")
    }

    #[test]
    fn one_at_a_time_and_in_turn_on_one_session_and_others_beside_it() {
        let dir = tempfile::tempdir().expect("a folder");
        let the_loop = the_loop(dir.path());
        runtime().block_on(async {
            let first = the_loop.turn_of("ops").await.expect("free");
            let order = Arc::new(Mutex::new(Vec::new()));
            let waiting: Vec<_> = (0..MOST_WAITING)
                .map(|number| {
                    let (the_loop, order) = (the_loop.clone(), Arc::clone(&order));
                    task::spawn(async move {
                        let turn = the_loop.turn_of("ops").await.expect("its turn");
                        order.lock().expect("no panic").push(number);
                        drop(turn);
                    })
                })
                .collect();
            while the_loop
                .queues
                .sessions
                .lock()
                .expect("no panic")
                .values()
                .any(|queue| queue.in_it.load(Ordering::Relaxed) <= MOST_WAITING)
            {
                task::yield_now().await;
            }
            let refused = the_loop.turn_of("ops").await.expect_err("too many");
            assert!(matches!(refused, Error::Crowded { waiting: MOST_WAITING, .. }), "{refused}");
            // Whoever waits keeps no thread: there are as many as ever for others.
            let others: Vec<_> = (0..VERBS - 1).map(|number| format!("s{number}")).collect();
            let mut turns = Vec::new();
            for name in &others {
                turns.push(the_loop.turn_of(name).await.expect("free"));
            }
            let looks: Vec<_> = (0..LOOKS).map(|_| the_loop.turn_to_look()).collect();
            for look in looks {
                drop(look.await);
            }
            drop((first, turns));
            for waiter in waiting {
                waiter.await.expect("no panic");
            }
            assert_eq!(*order.lock().expect("no panic"), (0..MOST_WAITING).collect::<Vec<_>>());
            assert!(the_loop.queues.sessions.lock().expect("no panic").is_empty(), "nothing is kept");
        });
    }

    #[test]
    fn a_caller_who_leaves_while_it_waits_gives_its_place_to_the_next() {
        let dir = tempfile::tempdir().expect("a folder");
        let the_loop = the_loop(dir.path());
        runtime().block_on(async {
            let first = the_loop.turn_of("ops").await.expect("free");
            let waiter = task::spawn({
                let the_loop = the_loop.clone();
                async move { the_loop.turn_of("ops").await.map(drop) }
            });
            task::yield_now().await;
            waiter.abort();
            assert!(waiter.await.expect_err("it left").is_cancelled());
            drop(first);
            drop(the_loop.turn_of("ops").await.expect("free"));
            assert!(the_loop.queues.sessions.lock().expect("no panic").is_empty(), "nothing is kept");
        });
    }
}
