//! The queues in front of the threads: one for each session that a verb works on, and the permits for threads.
//!
//! A verb keeps its thread for as long as it works, and for as long as it waits for the session's lock. So that one held
//! session cannot take every thread, the verbs on one session wait for each other here, in the order of their calls, where
//! waiting costs no thread. Reads have threads that no verb can take.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use standing::Error;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use wire::SessionName;

/// Verbs at work at once, on whatever sessions. Each has a thread.
const VERBS: usize = 32;

/// Reads at once. Each has a thread.
const READS: usize = 24;

/// Callers that may wait for one session. Further ones are refused.
const MOST_WAITING: usize = 100;

/// Threads that verbs and reads can use at the same time. A runtime that has fewer makes them wait for each other.
pub const THREADS: usize = VERBS + READS;

/// The queues of one instance.
#[derive(Debug)]
pub(crate) struct Queues {
    verbs: Arc<Semaphore>,
    reads: Arc<Semaphore>,
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
pub(crate) struct Turn {
    // Order matters: the thread is free before the next one of the session takes one.
    _thread: Option<OwnedSemaphorePermit>,
    _turn: Option<OwnedSemaphorePermit>,
    place: Option<Place>,
    /// Time spent in the queue.
    waited: Duration,
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
            reads: Arc::new(Semaphore::new(READS)),
            sessions: Mutex::default(),
        }
    }
}

impl Queues {
    /// Waits for a turn to do a verb on one session, in the order of the calls and without a thread. Refused if too many
    /// callers wait already.
    pub(crate) async fn turn_of(self: &Arc<Self>, name: &str) -> Result<Turn, Error> {
        // The verb refuses what is not a name.
        let Ok(name) = SessionName::parse(name) else { return Ok(self.turn_of_verb().await) };
        let begun = Instant::now();
        let place = Place::take(self, &name)?;
        let turn = permit(&place.queue.turn).await;
        let waited = begun.elapsed();
        Ok(Turn { _thread: permit(&self.verbs).await, _turn: turn, place: Some(place), waited })
    }

    /// Verbs that work on a session or wait for one.
    pub(crate) fn in_them(&self) -> usize {
        let sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.values().map(|queue| queue.in_it.load(Ordering::Relaxed)).sum()
    }

    /// Waits for a thread to do a verb on every session.
    pub(crate) async fn turn_of_verb(&self) -> Turn {
        Turn::without_queue(permit(&self.verbs).await)
    }

    /// Waits for a thread to read. No verb can take those.
    pub(crate) async fn turn_to_read(&self) -> Turn {
        Turn::without_queue(permit(&self.reads).await)
    }
}

/// The semaphores are never closed.
async fn permit(of: &Arc<Semaphore>) -> Option<OwnedSemaphorePermit> {
    Arc::clone(of).acquire_owned().await.ok()
}

impl Turn {
    fn without_queue(thread: Option<OwnedSemaphorePermit>) -> Self {
        Self { _thread: thread, _turn: None, place: None, waited: Duration::ZERO }
    }

    /// The session, and the time that this turn waited for the others in its queue.
    pub(crate) fn late(&self) -> Option<(SessionName, Duration)> {
        Some((self.place.as_ref()?.name.clone(), self.waited))
    }
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
    use tokio::{runtime::Builder, task};

    use super::*;

    fn runtime() -> tokio::runtime::Runtime {
        Builder::new_current_thread().build().expect("a runtime")
    }

    #[test]
    fn one_at_a_time_and_in_turn_on_one_session_and_others_beside_it() {
        let queues = Arc::new(Queues::default());
        runtime().block_on(async {
            let first = queues.turn_of("ops").await.expect("free");
            let order = Arc::new(Mutex::new(Vec::new()));
            let waiting: Vec<_> = (0..MOST_WAITING)
                .map(|number| {
                    let (queues, order) = (Arc::clone(&queues), Arc::clone(&order));
                    task::spawn(async move {
                        let turn = queues.turn_of("ops").await.expect("its turn");
                        order.lock().expect("no panic").push(number);
                        drop(turn);
                    })
                })
                .collect();
            while queues
                .sessions
                .lock()
                .expect("no panic")
                .values()
                .any(|queue| queue.in_it.load(Ordering::Relaxed) <= MOST_WAITING)
            {
                task::yield_now().await;
            }
            let refused = queues.turn_of("ops").await.expect_err("too many");
            assert!(matches!(refused, Error::Crowded { waiting: MOST_WAITING, .. }), "{refused}");
            // Whoever waits keeps no thread: there are as many as ever for others.
            let others: Vec<_> = (0..VERBS - 1).map(|number| format!("s{number}")).collect();
            let mut turns = Vec::new();
            for name in &others {
                turns.push(queues.turn_of(name).await.expect("free"));
            }
            let reads: Vec<_> = (0..READS).map(|_| queues.turn_to_read()).collect();
            for read in reads {
                drop(read.await);
            }
            drop((first, turns));
            for waiter in waiting {
                waiter.await.expect("no panic");
            }
            assert_eq!(*order.lock().expect("no panic"), (0..MOST_WAITING).collect::<Vec<_>>());
            assert!(queues.sessions.lock().expect("no panic").is_empty(), "nothing is kept");
        });
    }

    #[test]
    fn a_caller_who_leaves_while_it_waits_gives_its_place_to_the_next() {
        let queues = Arc::new(Queues::default());
        runtime().block_on(async {
            let first = queues.turn_of("ops").await.expect("free");
            let waiter = task::spawn({
                let queues = Arc::clone(&queues);
                async move { queues.turn_of("ops").await.map(drop) }
            });
            task::yield_now().await;
            waiter.abort();
            assert!(waiter.await.expect_err("it left").is_cancelled());
            drop(first);
            drop(queues.turn_of("ops").await.expect("free"));
            assert!(queues.sessions.lock().expect("no panic").is_empty(), "nothing is kept");
        });
    }
}
