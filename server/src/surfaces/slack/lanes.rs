//! Lanes: one for each thread, so that replies of one are typed one after the other, oldest first, and threads do not
//! wait for each other.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, PoisonError},
};

use tokio::time;

use super::{deliver::deliver, hub::Hub, message::Reply, ts::Ts};

/// The replies that wait to be typed, by thread.
#[derive(Debug, Default)]
pub(super) struct Lanes(Mutex<HashMap<Ts, BTreeMap<Ts, Reply>>>);

impl Lanes {
    /// Puts a reply into its lane.
    pub(super) fn push(&self, hub: &Arc<Hub>, reply: Reply) {
        let thread = reply.thread.clone();
        let mut lanes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let worked_on = lanes.contains_key(&thread);
        lanes.entry(thread.clone()).or_default().insert(reply.ts.clone(), reply);
        drop(lanes);
        if !worked_on {
            hub.spawn(work(Arc::clone(hub), thread));
        }
    }

    /// True if a reply of a thread waits to be typed.
    pub(super) fn waits(&self, thread: &Ts) -> bool {
        let lanes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lanes.get(thread).is_some_and(|lane| !lane.is_empty())
    }

    /// The oldest reply of a lane; an empty lane is closed.
    fn next(&self, thread: &Ts) -> Option<Reply> {
        let mut lanes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let next = lanes.get_mut(thread).and_then(BTreeMap::pop_first).map(|(_, reply)| reply);
        if next.is_none() {
            lanes.remove(thread);
        }
        next
    }
}

async fn work(hub: Arc<Hub>, thread: Ts) {
    // What was sent right before may come right behind.
    time::sleep(hub.pace.gather).await;
    loop {
        if !hub.gate.pass(&thread).await {
            return;
        }
        let Some(reply) = hub.lanes.next(&thread) else { return };
        deliver(&hub, reply).await;
    }
}
