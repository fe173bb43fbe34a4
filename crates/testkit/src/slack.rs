//! A fake Slack on loopback: the Web API methods that are used and Socket Mode, as documented, with faults.
//!
//! It keeps channels and threads as Slack does. Posted messages can be listed. Messages of members are pushed over a
//! socket as events, and repeated until they are acknowledged. Only the intervals are shorter.

mod api;
mod events;
mod socket;
mod world;

use std::{
    collections::HashMap,
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use axum::{
    Router,
    routing::{any, post},
};
use serde_json::Value;
use tokio::{net::TcpListener, sync::oneshot, time};

use world::World;

/// Interval at which due events are pushed.
const TICK: Duration = Duration::from_millis(2);

/// Fault of a call.
#[derive(Clone, Debug)]
pub enum Fault {
    /// Status 429 with `Retry-After` in seconds.
    Limited(u64),
    /// Another HTTP status.
    Status(u16),
    /// `ok: false` with this error code.
    Refused(&'static str),
    /// The call is carried out, and the connection ends without an answer.
    Lost,
    /// A page of HTML instead of an answer, with status 200.
    Page,
    /// No answer ever arrives.
    Silent,
}

/// A fake Slack. Dropping it ends it.
#[derive(Debug)]
pub struct StubSlack {
    shared: Shared,
    end: Option<oneshot::Sender<()>>,
    server: Option<thread::JoinHandle<()>>,
}

/// Shared state of the handlers.
#[derive(Clone, Debug)]
struct Shared {
    address: SocketAddr,
    world: Arc<Mutex<World>>,
}

impl Shared {
    fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StubSlack {
    /// Bot token that it accepts.
    pub const BOT_TOKEN: &str = "xoxb-1111-stub-b0t-s3cret";
    /// App token that it accepts.
    pub const APP_TOKEN: &str = "xapp-1-stub-4pp-s3cret";
    /// A channel that the app is in; `#ops` names it as well.
    pub const CHANNEL: &str = "C0OPS";
    /// Another channel that the app is in; `#dev` names it as well.
    pub const OTHER: &str = "C0DEV";
    /// User of the app.
    pub const BOT_USER: &str = "U0BOT";

    /// Starts a fake Slack on its own port.
    ///
    /// # Panics
    ///
    /// If it could not listen.
    pub fn start() -> Self {
        let (ready, told) = std::sync::mpsc::channel();
        let (end, ended) = oneshot::channel();
        let server = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
                let address = listener.local_addr().expect("an address");
                let shared = Shared { address, world: Arc::default() };
                ready.send(shared.clone()).expect("the test waits");
                let app = Router::new()
                    .route("/api/{method}", post(api::call))
                    .route("/link/{ticket}", any(socket::open))
                    .route("/upload/{id}", post(api::upload))
                    .with_state(shared.clone());
                let pumped = shared.clone();
                let pump = async move {
                    let mut tick = time::interval(TICK);
                    loop {
                        tick.tick().await;
                        pumped.world().pump();
                    }
                };
                tokio::select! {
                    () = pump => {}
                    served = axum::serve(listener, app) => served.expect("it serves"),
                    _ = ended => {}
                }
            });
        });
        let shared = told.recv().expect("it comes up");
        Self { shared, end: Some(end), server: Some(server) }
    }

    /// Returns the base address of its Web API, for `THE_LOOP_SLACK_API`.
    pub fn api(&self) -> String {
        format!("http://{}/api/", self.shared.address)
    }

    /// Returns the environment variables for a process that uses it.
    pub fn vars(&self) -> [(&'static str, String); 3] {
        [
            ("THE_LOOP_SLACK_API", self.api()),
            ("THE_LOOP_SLACK_BOT_TOKEN", Self::BOT_TOKEN.to_owned()),
            ("THE_LOOP_SLACK_APP_TOKEN", Self::APP_TOKEN.to_owned()),
        ]
    }

    /// Posts a member's message in a thread, and returns its time stamp.
    pub fn reply(&self, thread: &str, user: &str, text: &str) -> String {
        let fields = serde_json::json!({ "user": user, "text": text, "thread_ts": thread });
        self.shared.world().say(Self::CHANNEL, &fields)
    }

    /// Posts any message, given the fields of its event. `type`, `ts` and `channel` are added where they are missing.
    /// Returns its time stamp.
    pub fn event(&self, fields: &Value) -> String {
        self.shared.world().say(Self::CHANNEL, fields)
    }

    /// Posts any message in the other channel.
    pub fn event_elsewhere(&self, fields: &Value) -> String {
        self.shared.world().say(Self::OTHER, fields)
    }

    /// Adds a message with any fields to its thread without pushing it.
    pub fn unheard_event(&self, fields: &Value) -> String {
        self.shared.world().put(Self::CHANNEL, fields)
    }

    /// Pushes an event that is in no listing.
    pub fn push(&self, event: &Value) {
        self.shared.world().push(event);
    }

    /// Adds a message to its thread without pushing it.
    pub fn unheard(&self, thread: &str, user: &str, text: &str) -> String {
        let fields = serde_json::json!({ "user": user, "text": text, "thread_ts": thread });
        self.shared.world().put(Self::CHANNEL, &fields)
    }

    /// Returns the messages of a channel outside of threads, including the first messages of threads.
    pub fn posted(&self) -> Vec<Value> {
        self.shared.world().listing(Self::CHANNEL, None)
    }

    /// Returns the messages of a thread, including its first one.
    pub fn thread(&self, thread: &str) -> Vec<Value> {
        self.shared.world().listing(Self::CHANNEL, Some(thread))
    }

    /// Returns the app's messages in a thread after the first one.
    pub fn said_in(&self, thread: &str) -> Vec<String> {
        let said = self.thread(thread).into_iter().skip(1).filter(|message| message["user"] == Self::BOT_USER);
        said.map(|message| message["text"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Returns the messages of the other channel, including its threads.
    pub fn said_elsewhere(&self) -> Vec<String> {
        let said =
            self.shared.world().all_in(Self::OTHER).into_iter().filter(|message| message["user"] == Self::BOT_USER);
        said.map(|message| message["text"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Returns the reactions to a message.
    pub fn reactions(&self, ts: &str) -> Vec<String> {
        self.shared.world().reactions.get(ts).cloned().unwrap_or_default()
    }

    /// Returns the number of calls of each method, including failed ones.
    pub fn calls(&self) -> HashMap<String, usize> {
        self.shared.world().calls.clone()
    }

    /// Returns the number of acknowledgements.
    pub fn acknowledged(&self) -> usize {
        self.shared.world().acknowledged
    }

    /// Returns the number of events that wait to be acknowledged.
    pub fn unacknowledged(&self) -> usize {
        self.shared.world().outstanding()
    }

    /// Returns the number of events that were given up after their last repetition.
    pub fn given_up(&self) -> usize {
        self.shared.world().given_up
    }

    /// Returns the number of open sockets, and of all sockets ever opened.
    pub fn sockets(&self) -> (usize, usize) {
        let world = self.shared.world();
        (world.sockets.len(), world.opened)
    }

    /// Returns the highest number of sockets open at the same time.
    pub fn most_sockets(&self) -> usize {
        self.shared.world().most
    }

    /// Returns the longest time between the push of an event and its first acknowledgement.
    pub fn slowest_acknowledgement(&self) -> Duration {
        self.shared.world().slowest
    }

    /// Makes the next calls of a method fail with these faults, one after the other.
    pub fn fail(&self, method: &str, faults: impl IntoIterator<Item = Fault>) {
        self.shared.world().faults.entry(method.to_owned()).or_default().extend(faults);
    }

    /// Removes all faults.
    pub fn forgive(&self) {
        self.shared.world().faults.clear();
    }

    /// Makes every call of a method for a channel fail from now on, or removes that fault.
    pub fn break_for(&self, method: &str, channel: &str, fault: Option<Fault>) {
        let mut world = self.shared.world();
        let key = (method.to_owned(), channel.to_owned());
        match fault {
            Some(fault) => drop(world.broken.insert(key, fault)),
            None => drop(world.broken.remove(&key)),
        }
    }

    /// Grants a method once per interval; earlier calls are told to wait for the rest of it. Zero removes the limit.
    pub fn grant_every(&self, method: &str, every: Duration) {
        let mut world = self.shared.world();
        if every.is_zero() {
            world.grants.remove(method);
        } else {
            world.grants.insert(method.to_owned(), (every, None));
        }
    }

    /// Returns a field of every answered call of a method, in order.
    pub fn granted(&self, method: &str, field: &str) -> Vec<String> {
        let world = self.shared.world();
        let calls = world.granted.iter().filter(|(called, _)| called == method);
        calls.map(|(_, fields)| fields.get(field).cloned().unwrap_or_default()).collect()
    }

    /// Sets the number of replies on a page of a thread.
    pub fn pages_of(&self, replies: usize) {
        self.shared.world().page = replies;
    }

    /// Pushes every event this many times.
    pub fn repeat(&self, times: usize) {
        self.shared.world().repeat = times;
    }

    /// Holds every event until the next one was pushed.
    pub fn reorder(&self, yes: bool) {
        self.shared.world().set_reorder(yes);
    }

    /// Delays every event.
    pub fn delay(&self, delay: Duration) {
        self.shared.world().delay = delay;
    }

    /// Sets the times after which an unacknowledged event is pushed again.
    pub fn retry_after(&self, times: &[Duration]) {
        self.shared.world().retries = times.to_vec();
    }

    /// Makes sockets deaf: they stay open, answer pings, and deliver nothing.
    pub fn deafen(&self, yes: bool) {
        self.shared.world().deaf = yes;
    }

    /// Freezes the open sockets: they do nothing from now on, and do not answer pings.
    pub fn freeze(&self) {
        self.shared.world().order(&socket::Order::Freeze);
    }

    /// Ends the open sockets without a message.
    pub fn cut(&self) {
        self.shared.world().order(&socket::Order::Cut);
    }

    /// Ends a socket without a message after this number of events, and so the next ones, `times` in all.
    pub fn cut_after(&self, events: usize, times: usize) {
        self.shared.world().cuts = Some(world::Cuts { events, left: events, times });
    }

    /// Announces that the sockets will end: `warning`, `refresh_requested` or `link_disabled`. They stay open until the
    /// client closes them.
    pub fn disconnect(&self, reason: &str) {
        let text = serde_json::json!({ "type": "disconnect", "reason": reason, "debug_info": {} }).to_string();
        self.shared.world().order(&socket::Order::Say(text));
    }
}

impl Drop for StubSlack {
    fn drop(&mut self) {
        if let Some(end) = self.end.take() {
            let _ = end.send(());
        }
        if let Some(server) = self.server.take() {
            let _ = server.join();
        }
    }
}
