//! A look that many callers ask for at once, done once for all of them.
//!
//! Nobody is given a picture from before they asked: a caller shares a look only if it began after the call. So fifty
//! pages that are open cost two looks at tmux, and not fifty. A look that fails is nobody else's.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Looks of one kind.
#[derive(Debug)]
pub struct SingleFlight<T> {
    state: Mutex<State<T>>,
    ended: Condvar,
}

#[derive(Debug)]
struct State<T> {
    /// How many looks were begun.
    begun: u64,
    looking: bool,
    waiting: usize,
    /// What the newest look that succeeded saw, and which one that was; kept only for those who wait.
    seen: Option<(u64, T)>,
}

impl<T> Default for SingleFlight<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> SingleFlight<T> {
    /// Looks of which none was begun.
    pub const fn new() -> Self {
        Self { state: Mutex::new(State { begun: 0, looking: false, waiting: 0, seen: None }), ended: Condvar::new() }
    }
}

impl<T: Clone> SingleFlight<T> {
    /// Gives the result of a look that begins no earlier than this call: the caller's own, or one that it shares.
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

/// Ends a look, however it ends, so that nobody waits for one that is not under way.
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

    /// Waits until so many callers wait for a look that is under way.
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
        // Whoever comes too late for the second has a third, at the most.
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
