//! Queues in front of the threads: one for each session that a verb works on, and the permits for threads.
//!
//! A verb holds its thread while it works and while it waits for the session's lock. If verbs on one held session
//! waited on threads, they could take them all. So they wait for each other here, in the order of their calls and
//! without a thread. Reads have their own threads, which verbs never use.

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

/// Verbs that may run at the same time, on any sessions. Each needs a thread.
const VERBS: usize = 32;

/// Reads that may run at the same time. Each needs a thread.
const READS: usize = 24;

/// Callers that may wait for one session. Further ones are refused.
const MOST_WAITING: usize = 100;

/// Threads that verbs and reads can use at the same time. With fewer threads in the runtime, they wait for each
/// other.
pub const THREADS: usize = VERBS + READS;

/// Queues of one instance.
#[derive(Debug)]
pub(crate) struct Queues {
    verbs: Arc<Semaphore>,
    reads: Arc<Semaphore>,
    /// Contains only sessions that a caller waits for or a verb works on.
    sessions: Mutex<HashMap<SessionName, Arc<Queue>>>,
}

/// Queue of one session.
#[derive(Debug)]
struct Queue {
    turn: Arc<Semaphore>,
    /// Number of callers in the queue, including the one whose verb runs.
    in_it: AtomicUsize,
}

/// Permit for a thread. It is moved into the work, so the next turn begins when the work ends, even if its caller is
/// gone.
#[derive(Debug)]
pub(crate) struct Turn {
    // Order matters: the thread is released before the next verb of the session takes one.
    _thread: Option<OwnedSemaphorePermit>,
    _turn: Option<OwnedSemaphorePermit>,
    place: Option<Place>,
    /// Time spent in the queue.
    waited: Duration,
}

/// Place in the queue of a session, released when dropped.
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
    /// Waits for a turn to run a verb on one session, in the order of the calls and without a thread. Fails if too
    /// many callers are waiting already.
    pub(crate) async fn turn_of(self: &Arc<Self>, name: &str) -> Result<Turn, Error> {
        // The verb itself refuses an invalid name.
        let Ok(name) = SessionName::parse(name) else { return Ok(self.turn_of_verb().await) };
        let begun = Instant::now();
        let place = Place::take(self, &name)?;
        let turn = permit(&place.queue.turn).await;
        let waited = begun.elapsed();
        Ok(Turn { _thread: permit(&self.verbs).await, _turn: turn, place: Some(place), waited })
    }

    /// Number of verbs that work on a session or wait for one.
    pub(crate) fn in_them(&self) -> usize {
        let sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.values().map(|queue| queue.in_it.load(Ordering::Relaxed)).sum()
    }

    /// Waits for a thread to run a verb on every session.
    pub(crate) async fn turn_of_verb(&self) -> Turn {
        Turn::without_queue(permit(&self.verbs).await)
    }

    /// Waits for a thread to read. Verbs never use these threads.
    pub(crate) async fn turn_to_read(&self) -> Turn {
        Turn::without_queue(permit(&self.reads).await)
    }
}

/// Waits for a permit. The semaphores are never closed.
async fn permit(of: &Arc<Semaphore>) -> Option<OwnedSemaphorePermit> {
    Arc::clone(of).acquire_owned().await.ok()
}

impl Turn {
    fn without_queue(thread: Option<OwnedSemaphorePermit>) -> Self {
        Self { _thread: thread, _turn: None, place: None, waited: Duration::ZERO }
    }

    /// Returns the session, and the time that this turn waited in its queue.
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
        // Counted under the lock, so that a queue is never removed after a new caller has entered it.
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
            // Waiting callers hold no thread, so all others are free.
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
