//! Watching the sessions: announcing those that came to be, letting go of those that are gone, telling of those that
//! wait on a question.
//!
//! A change of the records is noticed as it happens, whoever made it; a look now and then finds what makes no change
//! there, and what was missed.

use std::{
    fs,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use rustix::{
    fs::inotify::{self, CreateFlags, WatchFlags},
    io::{Errno, read},
};
use tokio::{io::unix::AsyncFd, time};
use wire::Row;

use super::{
    announce::Farewell, blocking::blocking, hub::Hub, outbox::Post, questions::Questions, threads::Thread, words,
};

/// The event that a waiting session counts as, in `channels.slack.events`.
const AWAITING: &str = "session.awaiting_input";

/// How long to wait for more changes after one.
const SETTLE: Duration = Duration::from_millis(30);

/// Watches until the run ends.
pub(super) async fn watch(hub: Arc<Hub>) {
    let mut questions = Questions::default();
    let mut records = Records::new(&hub.config().await.settings.state_root);
    loop {
        let asks = hub.config().await.settings.slack.events.iter().any(|event| event == AWAITING);
        let rows = look(&hub, asks).await;
        // Who has no thread yet is looked at once there is one to tell it in.
        let heard_of = |row: &&Row| asks && Thread::of_row(row).is_some();
        for name in questions.look(rows.iter().filter(heard_of)) {
            tell_of_question(&hub, &rows, &name);
        }
        write_down(&hub).await;
        tokio::select! {
            () = records.changed() => time::sleep(SETTLE).await,
            () = hub.look.notified() => {},
            () = time::sleep(hub.pace.look) => {},
        }
    }
}

/// One look: lets go, says farewell where that is due, and has announced what is to be. Gives back the sessions, none if
/// that failed.
pub(super) async fn look(hub: &Arc<Hub>, screens: bool) -> Vec<Row> {
    hub.looks.send_modify(|(begun, _)| *begun += 1);
    let begun = hub.looks.borrow().0;
    let seen = hub.kept.with(|inbox| inbox.newest()).await.unwrap_or_default();
    match hub.announcer.look(screens, seen).await {
        Ok(look) => {
            say_farewell(hub, look.farewells);
            if !look.gone.is_empty() {
                let _ = hub.kept.with(move |inbox| inbox.let_go(&look.gone)).await;
            }
            announce(hub, &look.rows);
            hub.reader.changed.notify_one();
            hub.looks.send_modify(|(_, ended)| *ended = begun);
            look.rows
        }
        Err(error) => {
            tracing::debug!(error, "could not list the sessions; announcements are paused");
            Vec::new()
        }
    }
}

/// Announces beside the looks, however long Slack takes for it.
fn announce(hub: &Arc<Hub>, rows: &[Row]) {
    if !hub.announcer.any_due(rows) {
        return;
    }
    let (at, rows) = (Arc::clone(hub), rows.to_vec());
    hub.spawn(async move {
        let announced = at.announcer.announce_due(&rows).await;
        say_farewell(&at, announced.farewells);
        at.reader.changed.notify_one();
        at.look.notify_one();
    });
}

fn say_farewell(hub: &Arc<Hub>, farewells: Vec<Farewell>) {
    for (thread, text) in farewells {
        hub.outbox.post(hub, Post::Line { channel: thread.channel, thread: thread.ts, text });
    }
}

fn tell_of_question(hub: &Arc<Hub>, rows: &[Row], name: &str) {
    let Some(row) = rows.iter().find(|row| row.name == name) else { return };
    if let Some(thread) = Thread::of_row(row) {
        hub.outbox.post(hub, Post::Question { thread, question: row.question.clone(), text: words::asks(row) });
    }
}

async fn write_down(hub: &Hub) {
    let (newest, pending) = hub.kept.with(|inbox| (inbox.newest(), inbox.len())).await.unwrap_or_default();
    let ours = hub.threads.all().into_iter();
    let cursors = ours.filter_map(|thread| Some((thread.ts.clone(), newest.get(&thread.ts)?.clone()))).collect();
    if let Err(error) = hub.threads.advance(cursors).await {
        tracing::debug!(error, "could not store the read position of the threads");
    }
    let threads = hub.threads.len();
    hub.board.set(|status| {
        status.threads = threads;
        status.pending = pending;
    });
}

/// The folder of records, watched for files that come to be, are replaced or go.
#[derive(Debug)]
struct Records {
    dir: PathBuf,
    notices: Option<AsyncFd<OwnedFd>>,
}

impl Records {
    fn new(state_root: &Path) -> Self {
        Self { dir: state_root.join("local/standing"), notices: None }
    }

    /// Ends when something changed. Never, if that cannot be noticed: then the looks now and then must do.
    async fn changed(&mut self) {
        if self.notices.is_none() {
            let dir = self.dir.clone();
            self.notices = blocking(move || begin(&dir)).await.ok().flatten().and_then(registered);
        }
        let Some(notices) = &self.notices else { return std::future::pending().await };
        loop {
            let Ok(mut ready) = notices.readable().await else { return std::future::pending().await };
            let mut buffer = [0; 4096];
            let mut any = false;
            loop {
                match read(notices.get_ref(), &mut buffer) {
                    Ok(n) if n > 0 => any = true,
                    Err(Errno::AGAIN) | Ok(_) => break,
                    Err(_) => return std::future::pending().await,
                }
            }
            ready.clear_ready();
            let dir = self.dir.clone();
            if !blocking(move || dir.exists()).await.unwrap_or(true) {
                self.notices = None;
                return;
            }
            if any {
                return;
            }
        }
    }
}

fn begin(dir: &Path) -> Option<OwnedFd> {
    if !fs::metadata(dir).is_ok_and(|meta| meta.is_dir()) {
        return None;
    }
    let notices = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
    let what = WatchFlags::MOVED_TO | WatchFlags::DELETE | WatchFlags::DELETE_SELF | WatchFlags::MOVE_SELF;
    inotify::add_watch(&notices, dir, what).ok()?;
    Some(notices)
}

#[expect(deprecated, reason = "an owned descriptor keeps what the unsafe successor has its caller promise")]
fn registered(notices: OwnedFd) -> Option<AsyncFd<OwnedFd>> {
    AsyncFd::new(notices).ok()
}
