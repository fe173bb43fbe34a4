//! Single flight: one call whose result all concurrent callers share.
//!
//! No caller gets a result from before its call: it shares a run only if that began after the call. So fifty open pages
//! cost two queries to tmux, not fifty. A failed run is not shared.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Shared runs of one kind of call.
#[derive(Debug)]
pub struct SingleFlight<T> {
    state: Mutex<State<T>>,
    ended: Condvar,
}

#[derive(Debug)]
struct State<T> {
    /// Number of runs that began.
    begun: u64,
    looking: bool,
    waiting: usize,
    /// Result of the newest successful run with its number; kept only for callers that wait.
    seen: Option<(u64, T)>,
}

impl<T> Default for SingleFlight<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> SingleFlight<T> {
    /// Creates a single flight without any run.
    pub const fn new() -> Self {
        Self { state: Mutex::new(State { begun: 0, looking: false, waiting: 0, seen: None }), ended: Condvar::new() }
    }
}

impl<T: Clone> SingleFlight<T> {
    /// Returns the result of a run that begins no earlier than this call: the caller's own, or a shared one.
    pub fn share<E>(&self, look: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let mut state = self.lock();
        let first_of_use = state.begun + 1;
        state.waiting += 1;
        while state.looking && state.seen.as_ref().is_none_or(|(number, _)| *number < first_of_use) {
            state = self.ended.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.waiting -= 1;
        let shared = state.seen.as_ref().filter(|(number, _)| *number >= first_of_use).map(|(_, seen)| seen.clone());
        if state.waiting == 0 {
            state.seen = None;
        }
        if let Some(seen) = shared {
            return Ok(seen);
        }
        state.looking = true;
        state.begun += 1;
        let number = state.begun;
        drop(state);
        let turn = Turn(self);
        let seen = look();
        let mut state = self.lock();
        if let Ok(seen) = &seen
            && state.waiting > 0
        {
            state.seen = Some((number, seen.clone()));
        }
        drop(state);
        drop(turn);
        seen
    }
}

impl<T> SingleFlight<T> {
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Guard that ends a run in every case, so that no caller waits for a run that is not in progress.
struct Turn<'a, T>(&'a SingleFlight<T>);

impl<T> Drop for Turn<'_, T> {
    fn drop(&mut self) {
        self.0.lock().looking = false;
        self.0.ended.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::{
        convert::Infallible,
        panic::{AssertUnwindSafe, catch_unwind},
        sync::{
            Arc,
            atomic::{AtomicU64, Ordering},
            mpsc,
        },
        thread,
    };

    use super::*;

    /// Waits until that many callers wait for a run in progress.
    fn until_waiting(looks: &SingleFlight<u64>, count: usize) {
        while looks.lock().waiting < count {
            thread::yield_now();
        }
    }

    #[test]
    fn those_who_ask_during_a_look_share_the_next_one() {
        let looks = Arc::new(SingleFlight::default());
        let count = Arc::new(AtomicU64::new(0));
        let look = |count: &AtomicU64| Ok::<_, Infallible>(count.fetch_add(1, Ordering::SeqCst) + 1);
        let (release, held) = mpsc::channel::<()>();
        let first = thread::spawn({
            let (looks, count) = (Arc::clone(&looks), Arc::clone(&count));
            move || {
                looks.share(|| {
                    let number = look(&count);
                    held.recv().expect("released");
                    number
                })
            }
        });
        while count.load(Ordering::SeqCst) == 0 {
            thread::yield_now();
        }
        let others: Vec<_> = (0..20)
            .map(|_| {
                let (looks, count) = (Arc::clone(&looks), Arc::clone(&count));
                thread::spawn(move || looks.share(|| look(&count)))
            })
            .collect();
        until_waiting(&looks, 20);
        release.send(()).expect("heard");
        assert_eq!(first.join().expect("ended"), Ok(1));
        for other in others {
            let Ok(number) = other.join().expect("ended");
            assert!(number > 1, "it was given a look from before it asked");
        }
        // A caller that comes too late for the second run shares a third, at most.
        assert!(count.load(Ordering::SeqCst) <= 3, "{count:?} looks");
        assert!(looks.lock().seen.is_none(), "nothing is kept");
    }

    #[test]
    fn a_look_that_fails_or_panics_is_nobody_elses_and_holds_up_nobody() {
        let looks = SingleFlight::default();
        assert_eq!(looks.share(|| Err::<u64, _>("no")), Err("no"));
        assert!(catch_unwind(AssertUnwindSafe(|| looks.share(|| -> Result<u64, ()> { panic!("it broke") }))).is_err());
        assert_eq!(looks.share(|| Ok::<_, ()>(3)), Ok(3));
    }
}
