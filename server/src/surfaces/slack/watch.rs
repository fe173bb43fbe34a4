//! Watches the sessions: announces new ones, releases the threads of deleted ones, and reports open prompts.
//!
//! The engine's watcher reports every change, whatever its cause. A pass is also due when a failed announcement is to
//! be retried, and at intervals.

use std::{sync::Arc, time::Duration};

use tokio::time::{self, Instant};
use wire::Row;

use super::{
    announce::Farewell, context::Context, inbox::Inbox, messages, outbox::Post, posting::post, questions::Questions,
    threads::Thread,
};

/// Event name of an open prompt in `channels.slack.events`.
const AWAITING: &str = "session.awaiting_input";

/// Longest pause between two passes.
const SURVEY: Duration = Duration::from_mins(1);

/// Watches until the run ends.
pub(super) async fn watch(context: Arc<Context>) {
    let mut questions = Questions::default();
    let mut sessions = context.engine.watcher().subscribe();
    loop {
        let asks = context.config().await.settings.slack.events.iter().any(|event| event == AWAITING);
        let rows = look(&context).await;
        // A session without a thread is checked once it has one.
        let heard_of = |row: &&Row| asks && Thread::of_row(row).is_some();
        for name in questions.look(rows.iter().filter(heard_of)) {
            tell_of_question(&context, &rows, &name);
        }
        write_down(&context).await;
        let soon = questions.are_open().then(|| std::time::Instant::now() + context.timing.look);
        let again = soon.into_iter().chain(context.announcer.next_try(&rows)).min();
        let again = again.map_or_else(|| Instant::now() + SURVEY, Instant::from_std);
        tokio::select! {
            () = sessions.sessions_changed() => {},
            () = context.look.notified() => {},
            () = time::sleep_until(again) => {},
        }
    }
}

/// Stores the read positions of the threads, some time after each reading.
pub(super) async fn follow(context: Arc<Context>) {
    loop {
        context.kept.worked().await;
        time::sleep(context.timing.look).await;
        write_down(&context).await;
    }
}

/// Runs one pass: releases threads, posts due closing messages, and starts due announcements. Returns the sessions, or
/// none if the pass failed.
pub(super) async fn look(context: &Arc<Context>) -> Vec<Row> {
    context.looks.send_modify(|(begun, _)| *begun += 1);
    let begun = context.looks.borrow().0;
    let seen = context.kept.read(Inbox::newest).await.unwrap_or_default();
    match context.announcer.look(seen).await {
        Ok(look) => {
            say_farewell(context, look.farewells);
            if !look.gone.is_empty() {
                let _ = context.kept.with(move |inbox| inbox.let_go(&look.gone)).await;
            }
            announce(context, &look.rows);
            context.reader.changed.notify_one();
            context.looks.send_modify(|(_, ended)| *ended = begun);
            look.rows
        }
        Err(error) => {
            tracing::debug!(error, "could not list the sessions; announcements are paused");
            Vec::new()
        }
    }
}

/// Announces sessions in a separate task, since Slack may take long.
fn announce(context: &Arc<Context>, rows: &[Row]) {
    if !context.announcer.any_due(rows) {
        return;
    }
    let (at, rows) = (Arc::clone(context), rows.to_vec());
    context.spawn(async move {
        let announced = at.announcer.announce_due(&rows).await;
        say_farewell(&at, announced.farewells);
        at.reader.changed.notify_one();
        at.look.notify_one();
    });
}

fn say_farewell(context: &Arc<Context>, farewells: Vec<Farewell>) {
    for (thread, text) in farewells {
        post(context, Post::Line { channel: thread.channel, thread: thread.ts, text });
    }
}

fn tell_of_question(context: &Arc<Context>, rows: &[Row], name: &str) {
    let Some(row) = rows.iter().find(|row| row.name == name) else { return };
    if let Some(thread) = Thread::of_row(row) {
        post(context, Post::Question { thread, question: row.question.clone(), text: messages::asks(row) });
    }
}

async fn write_down(context: &Context) {
    let (newest, pending) = context.kept.read(|inbox| (inbox.newest(), inbox.len())).await.unwrap_or_default();
    let ours = context.threads.all().into_iter();
    let cursors = ours.filter_map(|thread| Some((thread.ts.clone(), newest.get(&thread.ts)?.clone()))).collect();
    if let Err(error) = context.threads.advance(cursors).await {
        tracing::debug!(error, "could not store the read position of the threads");
    }
    let threads = context.threads.len();
    context.board.set(|status| {
        status.threads = threads;
        status.pending = pending;
    });
}
