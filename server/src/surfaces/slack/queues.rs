//! Queues of replies, one per thread. Replies of a thread are typed one after the other, oldest first. Threads do not
//! wait for each other.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Mutex, PoisonError},
};

use super::{message::Reply, ts::Ts};

/// Replies that wait to be typed, by thread.
#[derive(Debug, Default)]
pub(super) struct Queues(Mutex<HashMap<Ts, BTreeMap<Ts, Reply>>>);

impl Queues {
    /// Adds a reply to the queue of its thread. True if no task works on that queue yet.
    pub(super) fn push(&self, reply: Reply) -> bool {
        let mut queues = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let worked_on = queues.contains_key(&reply.thread);
        queues.entry(reply.thread.clone()).or_default().insert(reply.ts.clone(), reply);
        !worked_on
    }

    /// True if a reply of a thread waits to be typed.
    pub(super) fn waits(&self, thread: &Ts) -> bool {
        let queues = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        queues.get(thread).is_some_and(|lane| !lane.is_empty())
    }

    /// Takes the oldest reply of a queue. An empty queue is removed.
    pub(super) fn next(&self, thread: &Ts) -> Option<Reply> {
        let mut queues = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let next = queues.get_mut(thread).and_then(BTreeMap::pop_first).map(|(_, reply)| reply);
        if next.is_none() {
            queues.remove(thread);
        }
        next
    }
}
