//! A stand-in for Slack on loopback: the Web API methods that are used and Socket Mode, as documented, with faults.
//!
//! It keeps channels and threads as Slack does: what is posted can be listed, what a person says is pushed over a
//! socket as an event and comes again until it is acknowledged. Only the times are shorter.

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

/// How often what is due to be pushed is looked for.
const TICK: Duration = Duration::from_millis(2);

/// How a call fails.
#[derive(Clone, Debug)]
pub enum Fault {
    /// 429 with `Retry-After` in seconds.
    Limited(u64),
    /// An HTTP status.
    Status(u16),
    /// `ok: false` with this word.
    Refused(&'static str),
    /// The call is done, and the connection ends without an answer.
    Lost,
    /// A page of HTML in place of an answer, with status 200.
    Page,
    /// No answer ever comes.
    Silent,
}

/// A stand-in for Slack. Dropping it ends it.
#[derive(Debug)]
pub struct StubSlack {
    shared: Shared,
    end: Option<oneshot::Sender<()>>,
    server: Option<thread::JoinHandle<()>>,
}

/// What the handlers share.
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
    /// The bot token that it takes.
    pub const BOT_TOKEN: &str = "xoxb-1111-stub-b0t-s3cret";
    /// The app token that it takes.
    pub const APP_TOKEN: &str = "xapp-1-stub-4pp-s3cret";
    /// A channel that the app is in; `#ops` names it as well.
    pub const CHANNEL: &str = "C0OPS";
    /// Another channel that the app is in; `#dev` names it as well.
    pub const OTHER: &str = "C0DEV";
    /// The app's own user.
    pub const BOT_USER: &str = "U0BOT";

    /// Starts one on a port of its own.
    ///
    /// # Panics
    /// If it cannot listen.
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

    /// The base address of its Web API, for `THE_LOOP_SLACK_API`.
    pub fn api(&self) -> String {
        format!("http://{}/api/", self.shared.address)
    }

    /// What a process that is to use it has in its environment.
    pub fn vars(&self) -> [(&'static str, String); 3] {
        [
            ("THE_LOOP_SLACK_API", self.api()),
            ("THE_LOOP_SLACK_BOT_TOKEN", Self::BOT_TOKEN.to_owned()),
            ("THE_LOOP_SLACK_APP_TOKEN", Self::APP_TOKEN.to_owned()),
        ]
    }

    /// A person says something in a thread; the stamp of what was said.
    pub fn reply(&self, thread: &str, user: &str, text: &str) -> String {
        let fields = serde_json::json!({ "user": user, "text": text, "thread_ts": thread });
        self.shared.world().say(Self::CHANNEL, &fields)
    }

    /// Anybody says anything: the fields of the message event, `type`, `ts` and `channel` being added where they are
    /// missing. The stamp of what was said.
    pub fn event(&self, fields: &Value) -> String {
        self.shared.world().say(Self::CHANNEL, fields)
    }

    /// The same in the other channel.
    pub fn event_elsewhere(&self, fields: &Value) -> String {
        self.shared.world().say(Self::OTHER, fields)
    }

    /// A message with any fields that stands in its thread, and is not pushed.
    pub fn unheard_event(&self, fields: &Value) -> String {
        self.shared.world().put(Self::CHANNEL, fields)
    }

    /// An event that is pushed, and stands in no listing.
    pub fn push(&self, event: &Value) {
        self.shared.world().push(event);
    }

    /// A message that stands in its thread, and is not pushed.
    pub fn unheard(&self, thread: &str, user: &str, text: &str) -> String {
        let fields = serde_json::json!({ "user": user, "text": text, "thread_ts": thread });
        self.shared.world().put(Self::CHANNEL, &fields)
    }

    /// What stands in a channel outside of threads, and begins a thread perhaps.
    pub fn posted(&self) -> Vec<Value> {
        self.shared.world().listing(Self::CHANNEL, None)
    }

    /// What stands in a thread, its first message with it.
    pub fn thread(&self, thread: &str) -> Vec<Value> {
        self.shared.world().listing(Self::CHANNEL, Some(thread))
    }

    /// What the app said in a thread, after its first message.
    pub fn said_in(&self, thread: &str) -> Vec<String> {
        let said = self.thread(thread).into_iter().skip(1).filter(|message| message["user"] == Self::BOT_USER);
        said.map(|message| message["text"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// What stands in the other channel, threads with it.
    pub fn said_elsewhere(&self) -> Vec<String> {
        let said =
            self.shared.world().all_in(Self::OTHER).into_iter().filter(|message| message["user"] == Self::BOT_USER);
        said.map(|message| message["text"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// The marks on a message.
    pub fn reactions(&self, ts: &str) -> Vec<String> {
        self.shared.world().reactions.get(ts).cloned().unwrap_or_default()
    }

    /// How often each method was called, those calls that failed with them.
    pub fn calls(&self) -> HashMap<String, usize> {
        self.shared.world().calls.clone()
    }

    /// How often an event was acknowledged.
    pub fn acknowledged(&self) -> usize {
        self.shared.world().acknowledged
    }

    /// How many events wait to be acknowledged.
    pub fn unacknowledged(&self) -> usize {
        self.shared.world().outstanding()
    }

    /// How many events were given up after their last repetition.
    pub fn given_up(&self) -> usize {
        self.shared.world().given_up
    }

    /// How many sockets are open, and how many ever were.
    pub fn sockets(&self) -> (usize, usize) {
        let world = self.shared.world();
        (world.sockets.len(), world.opened)
    }

    /// How many sockets were open at the same time, at most.
    pub fn most_sockets(&self) -> usize {
        self.shared.world().most
    }

    /// The longest that an event waited for its first acknowledgement since it was pushed.
    pub fn slowest_acknowledgement(&self) -> Duration {
        self.shared.world().slowest
    }

    /// The next calls of a method fail like this, one after the other.
    pub fn fail(&self, method: &str, faults: impl IntoIterator<Item = Fault>) {
        self.shared.world().faults.entry(method.to_owned()).or_default().extend(faults);
    }

    /// No call fails any more.
    pub fn forgive(&self) {
        self.shared.world().faults.clear();
    }

    /// Every call of a method for a channel fails like this from now on, or none any more.
    pub fn break_for(&self, method: &str, channel: &str, fault: Option<Fault>) {
        let mut world = self.shared.world();
        let key = (method.to_owned(), channel.to_owned());
        match fault {
            Some(fault) => drop(world.broken.insert(key, fault)),
            None => drop(world.broken.remove(&key)),
        }
    }

    /// A method is granted once in a while; what comes earlier is told to wait for what is left of it. Zero ends that.
    pub fn grant_every(&self, method: &str, every: Duration) {
        let mut world = self.shared.world();
        if every.is_zero() {
            world.grants.remove(method);
        } else {
            world.grants.insert(method.to_owned(), (every, None));
        }
    }

    /// A field of every call of a method that was answered, in their order.
    pub fn granted(&self, method: &str, field: &str) -> Vec<String> {
        let world = self.shared.world();
        let calls = world.granted.iter().filter(|(called, _)| called == method);
        calls.map(|(_, fields)| fields.get(field).cloned().unwrap_or_default()).collect()
    }

    /// How many replies stand on a page of a thread.
    pub fn pages_of(&self, replies: usize) {
        self.shared.world().page = replies;
    }

    /// Every event is pushed so many times.
    pub fn repeat(&self, times: usize) {
        self.shared.world().repeat = times;
    }

    /// Every event waits for the next one and is pushed after it.
    pub fn reorder(&self, yes: bool) {
        self.shared.world().set_reorder(yes);
    }

    /// Every event is pushed so much later.
    pub fn delay(&self, delay: Duration) {
        self.shared.world().delay = delay;
    }

    /// The times after which an event that was not acknowledged is pushed again.
    pub fn retry_after(&self, times: &[Duration]) {
        self.shared.world().retries = times.to_vec();
    }

    /// Sockets are open, answer pings, and bring nothing.
    pub fn deafen(&self, yes: bool) {
        self.shared.world().deaf = yes;
    }

    /// The sockets that are open do nothing at all from now on: no answer to a ping either.
    pub fn freeze(&self) {
        self.shared.world().order(&socket::Order::Freeze);
    }

    /// The sockets that are open end without a word.
    pub fn cut(&self) {
        self.shared.world().order(&socket::Order::Cut);
    }

    /// A socket ends without a word once it was given so many events, and so do the next ones, `times` in all.
    pub fn cut_after(&self, events: usize, times: usize) {
        self.shared.world().cuts = Some(world::Cuts { events, left: events, times });
    }

    /// Slack says that the sockets will end: `warning`, `refresh_requested` or `link_disabled`. They stay open until
    /// the other side leaves.
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
