//! Watching the sessions: announcing those that came to be, letting go of those that are gone, telling of those that
//! wait on a question.
//!
//! The engine's watcher tells of every change, whoever made it. Beside that a pass is due when an announcement that failed
//! is to be tried again, and now and then.

use std::{sync::Arc, time::Duration};

use tokio::time::{self, Instant};
use wire::Row;

use super::{announce::Farewell, hub::Hub, inbox::Inbox, outbox::Post, questions::Questions, threads::Thread, words};

/// The event that a waiting session counts as, in `channels.slack.events`.
const AWAITING: &str = "session.awaiting_input";

/// The longest pause between two passes.
const SURVEY: Duration = Duration::from_mins(1);

/// Watches until the run ends.
pub(super) async fn watch(hub: Arc<Hub>) {
    let mut questions = Questions::default();
    let mut sessions = hub.engine.watcher().subscribe();
    loop {
        let asks = hub.config().await.settings.slack.events.iter().any(|event| event == AWAITING);
        let rows = look(&hub).await;
        // Who has no thread yet is looked at once there is one to tell it in.
        let heard_of = |row: &&Row| asks && Thread::of_row(row).is_some();
        for name in questions.look(rows.iter().filter(heard_of)) {
            tell_of_question(&hub, &rows, &name);
        }
        write_down(&hub).await;
        let soon = questions.are_open().then(|| std::time::Instant::now() + hub.pace.look);
        let again = soon.into_iter().chain(hub.announcer.next_try(&rows)).min();
        let again = again.map_or_else(|| Instant::now() + SURVEY, Instant::from_std);
        tokio::select! {
            () = sessions.sessions_changed() => {},
            () = hub.look.notified() => {},
            () = time::sleep_until(again) => {},
        }
    }
}

/// Writes down how far the threads were read, a while after something was.
pub(super) async fn follow(hub: Arc<Hub>) {
    loop {
        hub.kept.worked().await;
        time::sleep(hub.pace.look).await;
        write_down(&hub).await;
    }
}

/// One look: lets go, says farewell where that is due, and has announced what is to be. Gives back the sessions, none if
/// that failed.
pub(super) async fn look(hub: &Arc<Hub>) -> Vec<Row> {
    hub.looks.send_modify(|(begun, _)| *begun += 1);
    let begun = hub.looks.borrow().0;
    let seen = hub.kept.read(Inbox::newest).await.unwrap_or_default();
    match hub.announcer.look(seen).await {
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
    let (newest, pending) = hub.kept.read(|inbox| (inbox.newest(), inbox.len())).await.unwrap_or_default();
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
