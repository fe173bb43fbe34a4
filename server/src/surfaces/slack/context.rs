//! Shared state of the tasks of one run: identity, threads, inbox, and the channels between the tasks.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    future::Future,
    sync::{Arc, Mutex, PoisonError},
};

use engine::Engine;
use standing::{config::Loaded, events::Event};
use tokio::{
    sync::{Notify, mpsc, watch},
    task::JoinSet,
};

use super::{
    announce::Announcer,
    api::{Api, Identity},
    batch::Batch,
    blocking::blocking,
    event_log::EventLog,
    folder::Folder,
    gate::Gate,
    inbox::Inbox,
    kept::Kept,
    message::Key,
    outbox::Outbox,
    queues::Queues,
    reader::Reader,
    status::Board,
    threads::Threads,
    timing::Timing,
    ts::Ts,
};

/// Shared state of the tasks of one run.
#[derive(Debug)]
pub(super) struct Context {
    pub(super) engine: Engine,
    pub(super) timing: Timing,
    pub(super) api: Arc<Api>,
    pub(super) us: Identity,
    pub(super) threads: Threads,
    pub(super) announcer: Arc<Announcer>,
    pub(super) board: Arc<Board>,
    pub(super) events: EventLog,
    /// Accepted replies and messages seen before.
    pub(super) kept: Kept,
    pub(super) reader: Reader,
    pub(super) outbox: Outbox,
    pub(super) queues: Queues,
    /// Gate that replies pass before they are typed.
    pub(super) gate: Gate,
    /// Channel to the task that judges received messages, in the order in which they were received.
    pub(super) heard: mpsc::Sender<Batch>,
    /// Signals a change that calls for a look at the sessions.
    pub(super) look: Notify,
    /// Numbers of the look that started last and of the last one that succeeded.
    pub(super) looks: watch::Sender<(u64, u64)>,
    /// Signals that the socket must be reopened.
    pub(super) reconnect: Notify,
    asked: Mutex<HashMap<Ts, Asked>>,
    by_socket: Mutex<Recent<Key>>,
    dropped: Mutex<Recent<Key>>,
    tasks: Mutex<JoinSet<()>>,
}

/// A prompt that was posted in a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) question: String,
    /// Time stamp of the message that posted it.
    pub(super) ts: Ts,
}

/// Maximum number of batches of received messages that wait to be judged.
const HEARD: usize = 64;

impl Context {
    /// Creates the context and the receiver of its batches. Blocks.
    pub(super) async fn new(
        engine: Engine,
        timing: Timing,
        api: Arc<Api>,
        us: Identity,
        folder: &Folder,
        board: Arc<Board>,
        events: EventLog,
    ) -> Result<(Arc<Self>, mpsc::Receiver<Batch>), String> {
        let at = folder.clone();
        let inbox = blocking(move || Inbox::open(&at)).await?.map_err(|error| error.to_string())?;
        let threads = Threads::of(folder);
        let announcer =
            Announcer::new(engine.clone(), Arc::clone(&api), folder.clone(), threads.clone(), events.clone());
        let (heard, heard_end) = mpsc::channel(HEARD);
        let context = Self {
            engine,
            timing,
            api,
            us,
            threads,
            announcer: Arc::new(announcer),
            board,
            events,
            kept: Kept::new(inbox),
            reader: Reader::default(),
            outbox: Outbox::default(),
            queues: Queues::default(),
            gate: Gate::default(),
            heard,
            look: Notify::new(),
            looks: watch::Sender::new((0, 0)),
            reconnect: Notify::new(),
            asked: Mutex::default(),
            by_socket: Mutex::default(),
            dropped: Mutex::default(),
            tasks: Mutex::default(),
        };
        Ok((Arc::new(context), heard_end))
    }

    /// Returns the current config.
    pub(super) async fn config(&self) -> Arc<Loaded> {
        self.engine.config().await
    }

    pub(super) fn emit(&self, event: Event) {
        self.events.emit(event);
    }

    /// Starts a task that ends with the run.
    pub(super) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        tasks.spawn(task);
    }

    /// Ends every task. A verb at work runs to its end, and the next run determines its result.
    pub(super) fn end(&self) {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner).abort_all();
    }

    /// Returns the point from which a thread's listing is read.
    pub(super) async fn unread_from(&self, thread: &Ts) -> Result<Ts, String> {
        let (at, cursor) = (thread.clone(), self.threads.cursor(thread));
        self.kept.read(move |inbox| inbox.unread_from(&at, cursor)).await
    }

    /// Waits for a successful look at the sessions that started after this call.
    pub(super) async fn looked(&self) {
        let mut looks = self.looks.subscribe();
        let begun = looks.borrow_and_update().0;
        self.look.notify_one();
        let _ = looks.wait_for(|(_, ended)| *ended > begun).await;
    }

    /// Records the latest prompt of a thread.
    pub(super) fn asked(&self, thread: Ts, asked: Asked) {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).insert(thread, asked);
    }

    /// Returns the prompt that was posted before a message in a thread, if any.
    pub(super) fn asked_before(&self, thread: &Ts, message: &Ts) -> Option<String> {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.get(thread).filter(|asked| asked.ts < *message).map(|asked| asked.question.clone())
    }

    /// Records that the socket delivered a message.
    pub(super) fn brought(&self, key: Key) {
        self.by_socket.lock().unwrap_or_else(PoisonError::into_inner).insert(key);
    }

    /// True if the socket delivered a message.
    pub(super) fn was_brought(&self, key: &Key) -> bool {
        self.by_socket.lock().unwrap_or_else(PoisonError::into_inner).has(key)
    }

    /// Records a dropped message; true if it is new.
    pub(super) fn drop_once(&self, key: Key) -> bool {
        self.dropped.lock().unwrap_or_else(PoisonError::into_inner).insert(key)
    }
}

/// A set of the last few thousand items.
#[derive(Debug)]
struct Recent<T> {
    known: HashSet<T>,
    order: VecDeque<T>,
}

const RECENT: usize = 4096;

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self { known: HashSet::new(), order: VecDeque::new() }
    }
}

impl<T: Clone + Eq + std::hash::Hash> Recent<T> {
    fn insert(&mut self, item: T) -> bool {
        if !self.known.insert(item.clone()) {
            return false;
        }
        self.order.push_back(item);
        if self.order.len() > RECENT
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
        true
    }

    fn has(&self, item: &T) -> bool {
        self.known.contains(item)
    }
}
