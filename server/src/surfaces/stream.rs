//! `GET /api/v1/stream`: live events, as server-sent events.
//!
//! Lines of the event log are replayed from any position that is still stored, so a client misses none. Session changes
//! are short and not replayed. Each stream starts with `resync`, at which a client reads the sessions. It then receives
//! every later change.
//!
//! Invariant: a client that does not read delays no other client, and its backlog does not grow. Its stream waits with
//! the next event: the log is its own buffer, and only the latest state of a session is sent.

mod live;
mod log;
mod permits;
mod sessions;

use std::{convert::Infallible, time::Duration};

use axum::{
    extract::State,
    http::{HeaderMap, HeaderName, HeaderValue, header},
    response::{
        IntoResponse, Response,
        sse::{Event, KeepAlive, Sse},
    },
};
use engine::{Change, Snapshot};
use serde::Serialize;
use standing::events::EventReader;
use tokio::sync::mpsc;
use tokio_stream::{StreamExt as _, wrappers::ReceiverStream};
use utoipa::ToSchema;
use wire::ProblemCode;

use crate::{
    problem::ApiProblem,
    refusals::{Refused, refusals},
};
pub(crate) use live::Live;
pub(crate) use permits::{Permit, Permits};

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// Delay before a client reconnects a lost stream.
const RETRY: Duration = Duration::from_secs(2);

/// Delay in seconds before a client retries when all places are taken.
const FULL_RETRY: u16 = 10;

/// Number of events that wait for one client to read.
const WAITING: usize = 16;

/// Time limit for one waiting event. The stream of a client that takes none for so long is closed, and its permit is
/// freed.
const STALLED: Duration = Duration::from_mins(1);

/// Reason why a client must read the sessions again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Reason {
    /// The stream begins.
    Begin,
    /// Events to be replayed are no longer stored.
    Log,
    /// The sessions can be listed again.
    Listed,
}

/// Event at which a client reads the sessions again: earlier data may be out of date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct Resync {
    /// Reason for reading again.
    pub(crate) reason: Reason,
}

refusals!(Refusals = Refused::with(&[wire::ProblemCode::NoRoute]).of_stream());

/// Follow events
///
/// Server-sent events. `resync`: read the sessions again; the first event of every stream. `session`: a session changed
/// (`SessionChange`). `log`: a line of the event log, with an increasing id; a client that reconnects with the last id
/// in `Last-Event-ID` misses none. `problem`: could not list the sessions (`Problem`). Ignore unknown events. An idle
/// stream sends a comment every `service.stream.keepAliveSeconds`.
#[utoipa::path(get, path = "/api/v1/stream", operation_id = "stream_events", tag = "service",
    params(("Last-Event-ID" = Option<String>, Header, description = "Id of the last `log` event that was received")),
    responses((status = 200, description = "Stream of events", body = String, content_type = "text/event-stream"), Refusals))]
pub(crate) async fn stream(State(live): State<Live>, headers: HeaderMap) -> Result<Response, ApiProblem> {
    let config = live.engine().config().await;
    let settings = &config.settings.service;
    if !settings.stream_enabled {
        return Err(ApiProblem::no_route("streams are disabled: `service.stream.enabled` is false in the config"));
    }
    let Some(permit) = live.permits().take(settings.stream_max_subscribers) else { return Ok(full()) };
    let log = live.engine().event_log().await;
    let (sender, events) = mpsc::channel(WAITING);
    let feed = Feed { live: live.clone(), log, events: sender };
    let from = Place::of(&headers);
    tokio::spawn(async move {
        feed.run(from).await;
        drop(permit);
    });
    let alive = KeepAlive::new().interval(settings.stream_keep_alive);
    let mut response = Sse::new(ReceiverStream::new(events).map(Ok::<_, Infallible>)).keep_alive(alive).into_response();
    response.headers_mut().insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    Ok(response)
}

fn full() -> Response {
    let text = "the maximum number of streams (`service.stream.maxSubscribers`) is open: close one, or retry later";
    let mut response = ApiProblem::new(ProblemCode::TooMany, text).with_status(503).into_response();
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(FULL_RETRY));
    response
}

/// Last position of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// The client is new.
    Now,
    /// The client has the event of this ID.
    Behind(u64),
    /// The service never issued this ID.
    NotOurs,
}

impl Place {
    fn of(headers: &HeaderMap) -> Self {
        let Some(id) = headers.get(LAST_EVENT_ID) else { return Self::Now };
        id.to_str().ok().and_then(|id| id.trim().parse().ok()).map_or(Self::NotOurs, Self::Behind)
    }
}

/// Writer of one stream.
struct Feed {
    live: Live,
    log: EventReader,
    events: mpsc::Sender<Event>,
}

/// The stream is over: its client has left or stalled, or the service ends.
struct Over;

impl Feed {
    /// Runs until the stream is over.
    async fn run(self, from: Place) {
        let end = self.live.end().clone();
        tokio::select! {
            () = end.cancelled() => {},
            () = self.events.closed() => {},
            _ = self.follow(from) => {},
        }
    }

    async fn follow(&self, from: Place) -> Result<(), Over> {
        let mut seen = self.live.watch();
        let mut at = match from {
            Place::Behind(id) => id,
            Place::Now | Place::NotOurs => log::end(self.live.engine(), &self.log).await,
        };
        // Clients dispatch no event without data, but they keep its ID and interval: a client that loses the stream now
        // reconnects from here.
        self.send(Event::default().id(at.to_string()).retry(RETRY)).await?;
        let Some(mut known) = seen.first().await else { return Err(Over) };
        // Order matters: every change after this snapshot is sent, so nothing read at `resync` becomes stale unnoticed.
        self.tell("resync", &Resync { reason: Reason::Begin }).await?;
        if let Some(problem) = known.problem() {
            self.tell("problem", problem).await?;
        }
        if from == Place::NotOurs {
            self.tell("resync", &Resync { reason: Reason::Log }).await?;
        }
        at = self.catch_up(at).await?;
        loop {
            match seen.changed().await {
                Change::Log => at = self.catch_up(at).await?,
                Change::Sessions => {
                    let now = seen.snapshot();
                    self.tell_changes(&known, &now).await?;
                    known = now;
                }
                Change::Shown => {}
                Change::Over => return Err(Over),
            }
        }
    }

    async fn tell_changes(&self, before: &Snapshot, now: &Snapshot) -> Result<(), Over> {
        for change in sessions::changes(before, now) {
            match change {
                sessions::Change::Session(change) => self.tell("session", &change).await?,
                sessions::Change::Refused(problem) => self.tell("problem", &problem).await?,
                sessions::Change::Listed => self.tell("resync", &Resync { reason: Reason::Listed }).await?,
            }
        }
        Ok(())
    }

    /// Sends the log from a position on, and returns the position after it.
    async fn catch_up(&self, mut at: u64) -> Result<u64, Over> {
        loop {
            let batch = log::read(self.live.engine(), &self.log, at).await;
            if batch.gap {
                self.tell("resync", &Resync { reason: Reason::Log }).await?;
            }
            if batch.next == at {
                return Ok(at);
            }
            for line in batch.lines {
                // An incomplete line is not an event. The event is serialised again, since JSON may contain a carriage
                // return.
                if let Some(value) = line.value() {
                    self.send(Event::default().event("log").id(line.id.to_string()).data(value.to_string())).await?;
                }
            }
            at = batch.next;
        }
    }

    async fn tell(&self, name: &str, data: &impl Serialize) -> Result<(), Over> {
        let data = serde_json::to_string(data).map_err(|_| Over)?;
        self.send(Event::default().event(name).data(data)).await
    }

    async fn send(&self, event: Event) -> Result<(), Over> {
        self.events.send_timeout(event, STALLED).await.map_err(|_| Over)
    }
}
