//! Reads and computations on many sessions, spread over the processors. It must not be used for work that waits, such as a
//! start: that needs more threads than processors.

use std::{num::NonZero, thread};

/// Number of items that is worth a thread.
const WORTH: usize = 64;
/// Largest number of threads: a list must not take a whole large machine.
const MOST: usize = 4;

/// Returns the result of each item, in the order of the items.
pub(crate) fn map<I: Sync, T: Send>(items: &[I], work: impl Fn(&I) -> T + Sync) -> Vec<T> {
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = processors.min(MOST).min(items.len() / WORTH).max(1);
    let size = items.len().div_ceil(threads);
    let all = |items: &[I]| items.iter().map(&work).collect::<Vec<T>>();
    thread::scope(|scope| {
        let mut parts = items.chunks(size.max(1));
        let first = parts.next().unwrap_or_default();
        let others: Vec<_> =
            parts.map(|part| (part, thread::Builder::new().spawn_scoped(scope, move || all(part)))).collect();
        let mut done = all(first);
        for (part, thread) in others {
            // If no thread could be created, this thread does its work.
            let results = thread.ok().and_then(|thread| thread.join().ok()).unwrap_or_else(|| all(part));
            done.extend(results);
        }
        done
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_results_are_in_the_order_of_the_items() {
        for count in [0, 1, WORTH - 1, 2 * WORTH, 5 * WORTH + 1] {
            let items: Vec<usize> = (0..count).collect();
            assert_eq!(map(&items, |item| item * 2), items.iter().map(|item| item * 2).collect::<Vec<_>>());
        }
    }
}
