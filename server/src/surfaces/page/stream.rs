//! `GET /app/stream`: the live half of the page, as server-sent events.
//!
//! The page's own stream: its events are HTML, and its format is not published. Programs use `GET /api/v1/stream`.
//! Without a free place, or with streams disabled, the answer is short: it contains what changed, and the browser asks
//! again automatically.

use std::{collections::BTreeSet, convert::Infallible, time::Duration};

use app::{
    AppContext, PaneFeed,
    live::{Event as Part, Feed, Log, Wants},
};
use axum::{
    extract::{RawQuery, State},
    http::{HeaderMap, HeaderName, HeaderValue},
    response::{
        IntoResponse, Response,
        sse::{Event, Sse},
    },
};
use standing::text;
use tokio::{sync::mpsc, time};
use tokio_stream::{StreamExt as _, wrappers::ReceiverStream};

use super::PageState;

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// Delay before the browser reconnects a lost stream.
const RETRY: Duration = Duration::from_secs(1);

/// Delay before the browser asks again without a stream.
const POLL: Duration = Duration::from_secs(5);

/// Number of events that wait for one page to read.
const WAITING: usize = 64;

/// Maximum number of panes that one stream follows.
const PANES: usize = 16;

/// Data of an event without data: a browser does not report an event whose data is empty.
const NOTHING: &str = "-";

/// Time limit for one waiting event. The stream of a page that takes none for so long is closed.
const STALLED: Duration = Duration::from_mins(1);

/// Serves the stream. The address contains what the page shows: see [`Wants`].
pub(super) async fn stream(State(state): State<PageState>, RawQuery(query): RawQuery, headers: HeaderMap) -> Response {
    let wants = wants(query.as_deref().unwrap_or_default(), &headers);
    let config = state.context.config().await;
    let settings = &config.settings.service;
    let permit = settings.stream_enabled.then(|| state.live.permits().take(settings.stream_max_subscribers)).flatten();
    let beat = settings.stream_keep_alive;
    let (sender, events) = mpsc::channel(WAITING);
    let (context, names) = (state.context.clone(), wants.panes.clone());
    let feed = Feed::new(&state.context, wants);
    let end = state.live.end().clone();
    tokio::spawn(async move {
        let live = permit.is_some();
        tokio::select! {
            () = end.cancelled() => {},
            () = sender.closed() => {},
            _ = async { tokio::try_join!(panes(&context, &names, &sender, live), run(feed, &sender, live, beat)) } => {},
        }
        drop(permit);
    });
    let mut response = Sse::new(ReceiverStream::new(events).map(Ok::<_, Infallible>)).into_response();
    response.headers_mut().insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response
}

fn wants(query: &str, headers: &HeaderMap) -> Wants {
    let mut wants = Wants::default();
    for (key, value) in form_urlencoded::parse(query.as_bytes()) {
        match &*key {
            "after" => wants.after = value.parse().ok(),
            "open" => drop(wants.open.insert(value.into_owned())),
            "page" => drop(wants.pages.insert(value.into_owned())),
            "log" => wants.logs.extend(log(&value)),
            "pane" if wants.panes.len() < PANES => drop(wants.panes.insert(value.into_owned())),
            _ => {}
        }
    }
    // The browser knows better than the address where its stream broke off.
    if let Some(id) = headers.get(LAST_EVENT_ID).and_then(|id| id.to_str().ok()?.trim().parse().ok()) {
        wants.after = Some(id);
    }
    wants
}

/// Parses a timeline and its position, as in `session:ops@1234`.
fn log(value: &str) -> Option<(Log, u64)> {
    let (key, position) = value.split_once('@')?;
    Some((Log::parse(key)?, position.parse().ok()?))
}

/// The stream is over: its page has left or stalled, or the service is shutting down.
struct Over;

async fn run(mut feed: Feed, events: &mpsc::Sender<Event>, live: bool, beat: Duration) -> Result<(), Over> {
    let retry = if live { RETRY } else { POLL };
    let mode = if live { "live" } else { "poll" };
    send(events, Event::default().retry(retry).event("mode").data(mode)).await?;
    send_all(events, feed.begin().await.ok_or(Over)?).await?;
    if !live {
        return Ok(());
    }
    loop {
        match time::timeout(beat, feed.changed()).await {
            Ok(change) => send_all(events, feed.events(change).await.ok_or(Over)?).await?,
            // A beat is an event and not a comment, since scripts do not see comments.
            Err(_) => send(events, Event::default().event("beat").data(NOTHING)).await?,
        }
    }
}

/// Sends the panes that are in view, and then their changes while the stream is live. They have a task of their own
/// beside the list, which paces its events.
async fn panes(
    context: &AppContext,
    names: &BTreeSet<String>,
    events: &mpsc::Sender<Event>,
    live: bool,
) -> Result<(), Over> {
    let follow = |name: String| async move {
        // Without a pane to show, the page says why, and the list goes on alone.
        let Some(mut feed) = PaneFeed::new(context, &name).await else { return Ok(()) };
        send_all(events, feed.whole().into_iter().collect()).await?;
        if !live {
            return Ok(());
        }
        loop {
            let change = feed.changed().await;
            send_all(events, vec![change]).await?;
        }
    };
    futures_util::future::try_join_all(names.iter().cloned().map(follow)).await.map(drop)
}

async fn send_all(events: &mpsc::Sender<Event>, parts: Vec<Part>) -> Result<(), Over> {
    for part in parts {
        // HTML contains texts of files and of other people. A carriage return would end an event's line.
        let data = text::inert(&part.data).replace('\r', "");
        let event = Event::default().event(part.name).data(if data.is_empty() { NOTHING } else { &data });
        let event = match part.version {
            Some(version) => event.id(version.to_string()),
            None => event,
        };
        send(events, event).await?;
    }
    Ok(())
}

async fn send(events: &mpsc::Sender<Event>, event: Event) -> Result<(), Over> {
    events.send_timeout(event, STALLED).await.map_err(|_| Over)
}
