//! Queues of replies, one per thread. Replies of a thread are typed one after the other, oldest first. Threads do not
//! wait for each other.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, PoisonError},
};

use tokio::time;

use super::{context::Context, deliver::deliver, message::Reply, ts::Ts};

/// Replies that wait to be typed, by thread.
#[derive(Debug, Default)]
pub(super) struct Queues(Mutex<HashMap<Ts, BTreeMap<Ts, Reply>>>);

impl Queues {
    /// Adds a reply to the queue of its thread.
    pub(super) fn push(&self, context: &Arc<Context>, reply: Reply) {
        let thread = reply.thread.clone();
        let mut queues = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let worked_on = queues.contains_key(&thread);
        queues.entry(thread.clone()).or_default().insert(reply.ts.clone(), reply);
        drop(queues);
        if !worked_on {
            context.spawn(work(Arc::clone(context), thread));
        }
    }

    /// True if a reply of a thread waits to be typed.
    pub(super) fn waits(&self, thread: &Ts) -> bool {
        let queues = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        queues.get(thread).is_some_and(|lane| !lane.is_empty())
    }

    /// Takes the oldest reply of a queue. An empty queue is removed.
    fn next(&self, thread: &Ts) -> Option<Reply> {
        let mut queues = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let next = queues.get_mut(thread).and_then(BTreeMap::pop_first).map(|(_, reply)| reply);
        if next.is_none() {
            queues.remove(thread);
        }
        next
    }
}

async fn work(context: Arc<Context>, thread: Ts) {
    // An older reply may arrive directly after this one.
    time::sleep(context.timing.gather).await;
    loop {
        if !context.gate.pass(&thread).await {
            return;
        }
        let Some(reply) = context.queues.next(&thread) else { return };
        deliver(&context, reply).await;
    }
}
