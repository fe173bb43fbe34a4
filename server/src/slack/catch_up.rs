//! Catching up: what stands in the bound threads and was not heard of. The whole of poll mode; beside a socket, what
//! it missed while it was down, or does not bring.

use std::sync::Arc;

use tokio::time;

use super::{
    api::ApiError,
    hub::Hub,
    message::{Key, Message},
    receive,
    threads::Thread,
};

/// How many threads are read side by side.
const AT_ONCE: usize = 4;

/// What came of a reading.
#[derive(Debug, Default)]
pub(super) struct Reading {
    /// What was new in it.
    pub(super) fresh: Vec<Key>,
    /// True if no thread could be read although there are some.
    pub(super) in_vain: bool,
    /// The first failure, if there was one.
    pub(super) failure: Option<ApiError>,
}

/// Reads every bound thread from where it was read to, and hands on what is new. A thread that cannot be read keeps
/// none of the others from it.
pub(super) async fn catch_up(hub: &Arc<Hub>) -> Reading {
    let mut reading = Reading::default();
    let mut any = false;
    for threads in hub.threads.all().chunks(AT_ONCE) {
        let readings = threads.iter().map(|thread| read(hub, thread));
        for (found, ended) in futures_util::future::join_all(readings).await {
            reading.fresh.extend(found);
            any |= ended.is_ok();
            reading.failure = reading.failure.or(ended.err());
        }
    }
    reading.in_vain = reading.failure.is_some() && !any;
    reading
}

async fn read(hub: &Arc<Hub>, thread: &Thread) -> (Vec<Key>, Result<(), ApiError>) {
    let after = hub.unread_from(&thread.ts);
    let (mut fresh, mut page) = (Vec::new(), String::new());
    loop {
        let listed = match hub.api.replies(&thread.channel, &thread.ts, &after, &page).await {
            Ok(listed) => listed,
            // Slack asked for a moment's patience; a longer one is for the caller to have.
            Err(ApiError::Limited { after }) if after < hub.pace.hello => {
                time::sleep(after).await;
                continue;
            }
            Err(error) => return (fresh, Err(error)),
        };
        let messages: Vec<Message> = listed
            .messages
            .iter()
            .filter_map(|message| Message::of_listing(&thread.channel, message, ""))
            .filter(|message| message.ts != thread.ts)
            .collect();
        match receive::keep(hub, messages).await {
            Ok(heard) => {
                fresh.extend(heard.kept().map(super::message::Reply::key));
                let _ = hub.heard.send(heard);
            }
            Err(reason) => return (fresh, Err(ApiError::Unreachable { reason, sent: false })),
        }
        if listed.next.is_empty() || listed.next == page {
            return (fresh, Ok(()));
        }
        page = listed.next;
    }
}
