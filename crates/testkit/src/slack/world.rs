//! State of the fake Slack: messages, reactions, sockets, unacknowledged events, and active faults.

use std::{
    collections::{BTreeMap, HashMap, HashSet, VecDeque},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::{Fault, StubSlack, socket::Order};

/// Fields of a call.
pub(super) type Fields = HashMap<String, String>;

/// State of the fake Slack.
#[derive(Debug, Default)]
pub(super) struct World {
    pub(super) messages: BTreeMap<(String, String), Value>,
    /// Contents of uploaded files.
    pub(super) files: Vec<String>,
    last_ts: u64,
    pub(super) reactions: HashMap<String, Vec<String>>,
    pub(super) calls: HashMap<String, usize>,
    pub(super) faults: HashMap<String, VecDeque<Fault>>,
    /// Faults by method and channel.
    pub(super) broken: HashMap<(String, String), Fault>,
    /// Interval and next time at which a method is granted.
    pub(super) grants: HashMap<String, (Duration, Option<Instant>)>,
    /// Answered calls, in order.
    pub(super) granted: Vec<(String, Fields)>,
    /// Number of replies per page; 0 for the default.
    pub(super) page: usize,
    pub(super) tickets: HashSet<String>,
    pub(super) sockets: BTreeMap<u64, mpsc::UnboundedSender<Order>>,
    pub(super) opened: usize,
    pub(super) most: usize,
    pub(super) deliveries: HashMap<String, Delivery>,
    pub(super) acknowledged: usize,
    pub(super) given_up: usize,
    pub(super) slowest: Duration,
    pub(super) events: u64,
    pub(super) repeat: usize,
    pub(super) reorders: bool,
    pub(super) held: Option<Value>,
    pub(super) delay: Duration,
    pub(super) retries: Vec<Duration>,
    pub(super) deaf: bool,
    pub(super) cuts: Option<Cuts>,
}

/// An event that is not acknowledged yet.
#[derive(Clone, Debug)]
pub(super) struct Delivery {
    pub(super) payload: Value,
    pub(super) attempt: usize,
    pub(super) begun: Instant,
    pub(super) due: Instant,
}

/// Sockets that will be cut.
#[derive(Debug)]
pub(super) struct Cuts {
    /// Number of events per socket before the cut.
    pub(super) events: usize,
    /// Number of remaining events until the next cut.
    pub(super) left: usize,
    /// Number of remaining cuts.
    pub(super) times: usize,
}

impl World {
    /// Adds a message and pushes it, unless sockets are deaf.
    pub(super) fn say(&mut self, channel: &str, fields: &Value) -> String {
        let ts = self.put(channel, fields);
        let mut event = self.messages[&(channel.to_owned(), ts.clone())].clone();
        event["channel"] = json!(channel);
        self.push(&event);
        ts
    }

    /// Adds a message to its channel or thread.
    pub(super) fn put(&mut self, channel: &str, fields: &Value) -> String {
        let mut message = fields.clone();
        let ts = match fields["ts"].as_str() {
            Some(ts) => ts.to_owned(),
            None => self.next_ts(),
        };
        message["type"] = json!("message");
        message["ts"] = json!(ts);
        self.messages.insert((channel.to_owned(), ts.clone()), message);
        ts
    }

    /// Returns the messages of a channel outside of threads, or those of a thread.
    pub(super) fn listing(&self, channel: &str, thread: Option<&str>) -> Vec<Value> {
        let belongs = |message: &&Value| match thread {
            Some(thread) => message["ts"] == thread || message["thread_ts"] == thread,
            None => message["thread_ts"].is_null() || message["thread_ts"] == message["ts"],
        };
        let of_channel = self.messages.iter().filter(|((of, _), _)| of == channel);
        of_channel.map(|(_, message)| message).filter(belongs).cloned().collect()
    }

    /// Returns all messages of a channel.
    pub(super) fn all_in(&self, channel: &str) -> Vec<Value> {
        self.messages.iter().filter(|((of, _), _)| of == channel).map(|(_, message)| message.clone()).collect()
    }

    /// Returns the next time stamp. Stamps always grow, and are otherwise the current time.
    fn next_ts(&mut self) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let micros = u64::try_from(now.as_micros()).unwrap_or(u64::MAX).max(self.last_ts + 1);
        self.last_ts = micros;
        format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000)
    }

    pub(super) fn is_channel(channel: &str) -> Option<&'static str> {
        match channel {
            StubSlack::CHANNEL | "#ops" | "ops" => Some(StubSlack::CHANNEL),
            StubSlack::OTHER | "#dev" | "dev" => Some(StubSlack::OTHER),
            _ => None,
        }
    }

    pub(super) fn order(&self, order: &Order) {
        for socket in self.sockets.values() {
            let _ = socket.send(order.clone());
        }
    }

    /// Returns the fault of a call, if any: requested faults first, then the granted rate.
    pub(super) fn refusal(&mut self, method: &str, fields: &Fields) -> Option<Fault> {
        if let Some(fault) = self.faults.get_mut(method).and_then(VecDeque::pop_front) {
            return Some(fault);
        }
        let channel = Self::is_channel(fields.get("channel").map_or("", String::as_str)).unwrap_or_default();
        if let Some(fault) = self.broken.get(&(method.to_owned(), channel.to_owned())) {
            return Some(fault.clone());
        }
        let (every, next) = self.grants.get_mut(method)?;
        let now = Instant::now();
        if let Some(left) = next.and_then(|next| next.checked_duration_since(now)).filter(|left| !left.is_zero()) {
            return Some(Fault::Limited(left.as_secs() + 1));
        }
        *next = Some(now + *every);
        None
    }

    pub(super) fn outstanding(&self) -> usize {
        self.deliveries.len()
    }
}
