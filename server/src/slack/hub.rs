//! What the tasks of one run share: who we are, what is bound, what is accepted, and the ways between them.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    future::Future,
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use standing::TheLoop;
use tokio::{
    sync::{Notify, mpsc, watch},
    task::JoinSet,
};

use super::{
    announce::Announcer,
    api::{Api, Identity},
    folder::Folder,
    inbox::{Inbox, OVERLAP},
    lanes::Lanes,
    message::Key,
    outbox::Post,
    pace::Pace,
    receive::Heard,
    status::Board,
    threads::Threads,
    ts::Ts,
};

/// What the tasks of one run share.
#[derive(Debug)]
pub(super) struct Hub {
    pub(super) the_loop: TheLoop,
    pub(super) pace: Pace,
    pub(super) api: Arc<Api>,
    pub(super) us: Identity,
    pub(super) threads: Arc<Threads>,
    pub(super) announcer: Announcer,
    pub(super) board: Arc<Board>,
    pub(super) lanes: Lanes,
    /// Replies are typed only while this is true: on a new connection what was missed goes first.
    pub(super) gate: watch::Sender<bool>,
    /// To the one who judges what was heard, in the order in which it was heard.
    pub(super) heard: mpsc::UnboundedSender<Heard>,
    pub(super) posts: mpsc::UnboundedSender<Post>,
    /// Rung when something changed that calls for a look at the sessions.
    pub(super) look: Notify,
    /// Rung when the socket is to be opened anew.
    pub(super) reconnect: Notify,
    inbox: Mutex<Inbox>,
    asked: Mutex<HashMap<Ts, Asked>>,
    by_socket: Mutex<Recent<Key>>,
    dropped: Mutex<Recent<Key>>,
    tasks: Mutex<JoinSet<()>>,
}

/// A question that was told in a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) question: String,
    /// The stamp of the message that told it.
    pub(super) ts: Ts,
}

/// The ends of a hub's ways, for the tasks that read them.
#[derive(Debug)]
pub(super) struct Ends {
    pub(super) heard: mpsc::UnboundedReceiver<Heard>,
    pub(super) posts: mpsc::UnboundedReceiver<Post>,
}

impl Hub {
    pub(super) fn new(
        the_loop: TheLoop,
        pace: Pace,
        api: Arc<Api>,
        us: Identity,
        folder: &Folder,
        board: Arc<Board>,
    ) -> io::Result<(Arc<Self>, Ends)> {
        let inbox = Inbox::open(folder)?;
        let threads = Arc::new(Threads::of(folder));
        let announcer = Announcer::new(the_loop.clone(), Arc::clone(&api), folder.clone(), Arc::clone(&threads));
        let (heard, heard_end) = mpsc::unbounded_channel();
        let (posts, posts_end) = mpsc::unbounded_channel();
        let hub = Self {
            the_loop,
            pace,
            api,
            us,
            threads,
            announcer,
            board,
            lanes: Lanes::default(),
            gate: watch::Sender::new(false),
            heard,
            posts,
            look: Notify::new(),
            reconnect: Notify::new(),
            inbox: Mutex::new(inbox),
            asked: Mutex::default(),
            by_socket: Mutex::default(),
            dropped: Mutex::default(),
            tasks: Mutex::default(),
        };
        Ok((Arc::new(hub), Ends { heard: heard_end, posts: posts_end }))
    }

    /// The inbox. What it writes is small, but is on disk when it returns: not for an asynchronous task.
    pub(super) fn inbox(&self) -> MutexGuard<'_, Inbox> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a task that ends with the run.
    pub(super) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        tasks.spawn(task);
    }

    /// Ends every task. A verb at work goes on to its end, and what became of it is found out by the next run.
    pub(super) fn end(&self) {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner).abort_all();
    }

    /// From where on a thread's listing is read.
    pub(super) fn unread_from(&self, thread: &Ts) -> Ts {
        let seen = self.inbox().newest(thread);
        let cursor = self.threads.cursor(thread).into_iter().chain(seen).max();
        cursor.map_or_else(|| thread.clone(), |cursor| cursor.before(OVERLAP)).max(thread.clone())
    }

    /// How far threads were read, by what was seen of them.
    pub(super) fn cursors(&self) -> HashMap<Ts, Ts> {
        let inbox = self.inbox();
        let threads = self.threads.all().into_iter();
        threads.filter_map(|thread| Some((thread.ts.clone(), inbox.newest(&thread.ts)?))).collect()
    }

    /// Notes what was asked last in a thread.
    pub(super) fn asked(&self, thread: Ts, asked: Asked) {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).insert(thread, asked);
    }

    /// The question that a message in a thread came after, if one was told there.
    pub(super) fn asked_before(&self, thread: &Ts, message: &Ts) -> Option<String> {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.get(thread).filter(|asked| asked.ts < *message).map(|asked| asked.question.clone())
    }

    /// Notes that the socket brought a message.
    pub(super) fn brought(&self, key: Key) {
        self.by_socket.lock().unwrap_or_else(PoisonError::into_inner).insert(key);
    }

    /// True if the socket brought a message.
    pub(super) fn was_brought(&self, key: &Key) -> bool {
        self.by_socket.lock().unwrap_or_else(PoisonError::into_inner).has(key)
    }

    /// Notes a message that is dropped; true if it is new.
    pub(super) fn drop_once(&self, key: Key) -> bool {
        self.dropped.lock().unwrap_or_else(PoisonError::into_inner).insert(key)
    }
}

/// The last few thousand of something.
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
