//! Test guard that marks a thread that must not block, and fails every blocking call.
//!
//! The core blocks: it waits for tmux, for locks and for disks. An asynchronous host calls it from separate threads.
//! One call from a thread that serves requests would delay every request. Such a call returns as usual, so no ordinary
//! test notices it. In a build with debug assertions each blocking place checks here first.

use std::{cell::Cell, marker::PhantomData};

thread_local! {
    static FORBIDDEN: Cell<bool> = const { Cell::new(false) };
}

/// Guard that keeps the core from blocking this thread, until dropped.
#[derive(Debug)]
pub struct MustNotBlock(PhantomData<*const ()>);

/// Marks this thread as one that must not block.
#[must_use]
pub fn forbid() -> MustNotBlock {
    FORBIDDEN.set(true);
    MustNotBlock(PhantomData)
}

impl Drop for MustNotBlock {
    fn drop(&mut self) {
        FORBIDDEN.set(false);
    }
}

/// Panics in a debug build if this thread must not block.
pub fn about_to(block: &str) {
    debug_assert!(!FORBIDDEN.get(), "{block} on a thread that must not block");
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    use super::*;

    #[test]
    fn a_call_that_blocks_is_noticed_on_a_marked_thread_and_on_no_other() {
        about_to("wait");
        let forbidden = forbid();
        assert!(catch_unwind(|| about_to("wait")).is_err());
        std::thread::spawn(|| about_to("wait")).join().expect("another thread may block");
        drop(forbidden);
        about_to("wait");
    }
}
