//! Reads the bound threads. In poll mode this is the only source of messages. Beside a socket it finds messages that
//! the socket missed while it was down, or does not deliver.
//!
//! Pages are read one at a time and in turn, see [`super::turns`]. The content of a page is stored, and the read
//! position recorded, before the next page is requested. A page that Slack granted is therefore not requested again.

use std::{sync::Arc, time::Duration};

use futures_util::{StreamExt as _, stream::FuturesUnordered};
use tokio::time::{self, Instant};

use super::{
    api::ApiError,
    batch::{Batch, Opens},
    context::Context,
    message::{Key, Message},
    receive,
    status::Hearing,
    threads::Thread,
    ts::Ts,
    turns::{Ask, Lasts, Next, Page, Pauses},
};

/// Maximum number of threads read at the same time while there is no rate limit.
const AT_ONCE: usize = 4;

/// Time until a message reliably appears in a listing. Newer messages do not move the read position of a thread.
const SETTLED: Duration = Duration::from_secs(3);

/// Schedule of the reading.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    /// Interval between two readings of a thread.
    pub(super) every: Duration,
    /// True in poll mode, when there is no other source of messages.
    pub(super) polls: bool,
}

/// Reads until the run ends.
pub(super) async fn read(context: Arc<Context>, plan: Plan) {
    let mut pages = FuturesUnordered::new();
    loop {
        let until = loop {
            let now = Instant::now();
            let mut state = context.reader.state();
            // Beside a socket, its greeting starts the first reading.
            state.turns.follow(context.threads.all(), if plan.polls { now } else { now + plan.every });
            if pages.len() >= if state.slowing.is_slowed() { 1 } else { AT_ONCE } {
                break None;
            }
            match state.turns.next(now, |thread| context.gate.keeps_out(thread) && context.queues.waits(thread)) {
                Next::Read(ask) => {
                    drop(state);
                    pages.push(page(&context, ask));
                }
                Next::Wait(until) => break until,
            }
        };
        tell(&context, plan);
        tokio::select! {
            Some((ask, got)) = pages.next(), if !pages.is_empty() => settle(&context, plan, &ask, got),
            () = until_then(until) => {},
            () = context.reader.changed.notified() => {},
        }
    }
}

async fn until_then(until: Option<Instant>) {
    match until {
        Some(until) => time::sleep_until(until).await,
        None => std::future::pending().await,
    }
}

/// Content of a page.
struct Got {
    fresh: Vec<Key>,
    next: Option<Page>,
}

/// Reads one page and passes on its new messages.
async fn page(context: &Arc<Context>, ask: Ask) -> (Ask, Result<Got, ApiError>) {
    let got = read_page(context, &ask).await;
    (ask, got)
}

async fn read_page(context: &Arc<Context>, ask: &Ask) -> Result<Got, ApiError> {
    let broken = |reason| ApiError::Unkept { reason };
    let thread = &ask.thread;
    let page = if let Some(page) = &ask.page {
        page.clone()
    } else {
        let after = context.unread_from(&thread.ts).await.map_err(broken)?;
        Page { after, cursor: String::new(), newest: None }
    };
    let listed = context.api.replies(&thread.channel, &thread.ts, &page.after, &page.cursor).await?;
    let messages: Vec<Message> = listed
        .messages
        .iter()
        .filter_map(|message| Message::of_listing(&thread.channel, message, ""))
        .filter(|message| message.ts != thread.ts)
        .collect();
    let newest = messages.iter().map(|message| &message.ts).max().cloned();
    // A page without newer messages is the last one, whatever cursor Slack returns.
    let next = Some(listed.next).filter(|next| !next.is_empty() && newest > page.newest);
    let young = Ts::now().before(SETTLED);
    let settled = |ts: &&Ts| next.is_some() || **ts <= young;
    let read_to = messages.iter().map(|message| &message.ts).filter(settled).max().cloned();
    let heard = receive::keep(context, messages).await.map_err(broken)?;
    let fresh = heard.kept().map(super::message::Reply::key).collect();
    if let Some(read_to) = read_to {
        let at = thread.ts.clone();
        context.kept.with(move |inbox| inbox.read_to(&at, &read_to)).await.map_err(broken)?;
    }
    let opens = if next.is_none() { Opens::Thread(thread.ts.clone()) } else { Opens::Nothing };
    let _ = context.heard.send(heard.and_then(opens)).await;
    Ok(Got { fresh, next: next.map(|cursor| Page { after: page.after, cursor, newest }) })
}

fn settle(context: &Arc<Context>, plan: Plan, ask: &Ask, got: Result<Got, ApiError>) {
    let (now, thread) = (Instant::now(), &ask.thread);
    let mut state = context.reader.state();
    match got {
        Ok(got) => {
            state.slowing.granted(now);
            let is_news = !plan.polls && state.turns.was_read(&thread.ts);
            state.turns.granted(thread, got.next, now, now + plan.every);
            drop(state);
            context.board.mended(&thread.channel, "read");
            context.board.mended(&place_of(thread), "read");
            if !got.fresh.is_empty() {
                if plan.polls {
                    context.board.heard();
                }
                if is_news {
                    context.spawn(notice_deafness(Arc::clone(context), got.fresh));
                }
            }
        }
        Err(ApiError::Limited { after }) => {
            state.slowing.limited(now, after);
            state.turns.limited(thread, now, after);
        }
        Err(error) => {
            let pauses = Pauses { passing: context.timing.pauses, mending: context.timing.mending };
            let lasts = state.turns.failed(thread, &error, now, pauses);
            drop(state);
            let (at, opens) = (Arc::clone(context), thread.ts.clone());
            // Replies of an unreadable thread must not wait for it.
            context.spawn(async move { drop(at.heard.send(Batch::nothing(Opens::Thread(opens))).await) });
            match lasts {
                Lasts::No => tracing::debug!(%error, "could not read a Slack thread"),
                Lasts::InThread => context.board.failed(&place_of(thread), "read", &error),
                Lasts::InChannel => context.board.failed(&thread.channel, "read", &error),
            }
        }
    }
}

/// Returns the name of a thread for the status.
fn place_of(thread: &Thread) -> String {
    format!("{} (the thread of `{}`)", thread.channel, thread.name)
}

/// Reports messages that the socket has not delivered some time after they appeared in their thread.
async fn notice_deafness(context: Arc<Context>, fresh: Vec<Key>) {
    time::sleep(context.timing.deaf).await;
    if fresh.iter().any(|key| !context.was_brought(key)) {
        context.reconnect.notify_one();
    }
}

/// Reports the progress of the reading.
fn tell(context: &Context, plan: Plan) {
    let now = Instant::now();
    let mut state = context.reader.state();
    let (behind, threads) = (state.turns.behind(now), state.turns.len());
    let slowed = state.slowing.report(now, behind, threads);
    let answers = state.turns.any_channel_answers();
    let stuck = !answers && state.turns.is_stuck();
    drop(state);
    context.board.set(|status| {
        status.slowed = slowed;
        if plan.polls {
            status.hearing = match (answers, stuck) {
                (true, _) => Hearing::Connected,
                (false, true) => Hearing::Stuck,
                (false, false) => Hearing::Connecting,
            };
        }
    });
}
