//! How many streams are open.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// Counts them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seats(Arc<AtomicUsize>);

/// One of them; dropping it makes room.
#[derive(Debug)]
pub(super) struct Seat(Arc<AtomicUsize>);

impl Seats {
    /// A seat, unless `max` are taken.
    pub(super) fn take(&self, max: usize) -> Option<Seat> {
        let more = |taken: usize| (taken < max).then_some(taken + 1);
        self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, more).ok().map(|_| Seat(Arc::clone(&self.0)))
    }

    /// How many are taken.
    pub(crate) fn taken(&self) -> usize {
        self.0.load(Ordering::Acquire)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seat_is_free_again_once_it_is_left() {
        let seats = Seats::default();
        let first = seats.take(2).expect("empty");
        let _second = seats.take(2).expect("one is free");
        assert!(seats.take(2).is_none());
        assert_eq!(seats.taken(), 2);
        drop(first);
        assert!(seats.take(2).is_some());
        assert!(seats.take(0).is_none());
    }
}
