//! Limits the number of open streams.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// Counter of the open streams.
#[derive(Clone, Debug, Default)]
pub(crate) struct Permits(Arc<AtomicUsize>);

/// Permit for one stream, returned when it is dropped.
#[derive(Debug)]
pub(crate) struct Permit(Arc<AtomicUsize>);

impl Permits {
    /// Takes a permit, unless `max` are taken.
    pub(crate) fn take(&self, max: usize) -> Option<Permit> {
        let more = |taken: usize| (taken < max).then_some(taken + 1);
        self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, more).ok().map(|_| Permit(Arc::clone(&self.0)))
    }

    /// Returns the number of permits taken.
    pub(crate) fn taken(&self) -> usize {
        self.0.load(Ordering::Acquire)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seat_is_free_again_once_it_is_left() {
        let permits = Permits::default();
        let first = permits.take(2).expect("empty");
        let _second = permits.take(2).expect("one is free");
        assert!(permits.take(2).is_none());
        assert_eq!(permits.taken(), 2);
        drop(first);
        assert!(permits.take(2).is_some());
        assert!(permits.take(0).is_none());
    }
}
