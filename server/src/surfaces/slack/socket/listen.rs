//! Listens on a connection until it ends: receives frames, sends acknowledgements, and opens a new connection before it
//! leaves an old one.

use std::{fmt, future, pin::Pin, sync::Arc};

use futures_util::{FutureExt as _, SinkExt as _, StreamExt as _};
use tokio::time::{self, Instant, MissedTickBehavior};
use tokio_tungstenite::tungstenite::Message as Frame;

use super::{
    connect::{Connection, connect},
    envelope::{Envelope, Goodbye, acknowledgement},
    greeted,
};
use crate::surfaces::slack::{api::ApiError, context::Context, message::Message, receive, status::Hearing};

/// Maximum number of ready frames taken together. One write puts them all on disk.
const AT_ONCE: usize = 64;

const UNKEPT: &str = "could not store a reply";

/// Reason why a connection ended.
#[derive(Debug)]
pub(super) enum Ended {
    /// The connection could not be opened.
    Failed(ApiError),
    /// Slack or the network closed it.
    Closed,
    /// It was silent for too long.
    Dead,
    /// It did not deliver messages that appeared in their threads.
    Deaf,
    /// Socket Mode was disabled.
    Disabled,
}

impl Ended {
    /// True if only an operator can fix the cause.
    pub(super) fn is_stuck(&self) -> bool {
        match self {
            Self::Failed(error) => !error.is_passing(),
            Self::Disabled => true,
            Self::Closed | Self::Dead | Self::Deaf => false,
        }
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(error) => error.fmt(f),
            Self::Closed => f.write_str("the connection was closed"),
            Self::Dead => f.write_str("no ping or message on the connection"),
            Self::Deaf => f.write_str("the connection missed a message in a thread"),
            Self::Disabled => f.write_str("Socket Mode is off: turn it on in the app's settings"),
        }
    }
}

type Opening<'a> = Pin<Box<dyn Future<Output = Result<Connection, ApiError>> + Send + 'a>>;

/// Listens until the connection ends without a replacement.
pub(super) async fn listen(context: &Arc<Context>, connection: Connection) -> Ended {
    let mut current = Some(settle_in(context, connection, false));
    let mut opening: Option<Opening<'_>> = None;
    let mut ping = time::interval(context.timing.ping);
    ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut alive = Instant::now();
    loop {
        let frame = async {
            match &mut current {
                Some(connection) => connection.stream.next().await,
                None => future::pending().await,
            }
        };
        let opened = async {
            match &mut opening {
                Some(opening) => opening.await,
                None => future::pending().await,
            }
        };
        tokio::select! {
            frame = frame => {
                alive = Instant::now();
                let connection = current.as_mut();
                match take(context, connection, frame).await {
                    Next::Replace if opening.is_none() => opening = Some(Box::pin(connect(&context.api, context.timing.hello))),
                    Next::GoOn | Next::Replace => {}
                    Next::End(Ended::Closed) if opening.is_some() => current = None,
                    Next::End(ended) => return ended,
                }
            }
            opened = opened => {
                opening = None;
                match opened {
                    Ok(new) => {
                        alive = Instant::now();
                        let old = current.replace(settle_in(context, new, true));
                        // Frames that the old connection still delivers are not acknowledged, so Slack sends them
                        // again.
                        if let Some(mut old) = old {
                            let _ = old.stream.close(None).now_or_never();
                        }
                    }
                    Err(error) => return Ended::Failed(error),
                }
            }
            _ = ping.tick() => {
                if alive.elapsed() > context.timing.dead {
                    return Ended::Dead;
                }
                if let Some(connection) = &mut current
                    && connection.stream.send(Frame::Ping("the-loop".into())).await.is_err()
                    && opening.is_none()
                {
                    return Ended::Closed;
                }
            }
            () = context.reconnect.notified() => return Ended::Deaf,
        }
    }
}

/// Action after a frame.
enum Next {
    GoOn,
    Replace,
    End(Ended),
}

type Received = Option<Result<Frame, tokio_tungstenite::tungstenite::Error>>;

/// Takes a frame, and all frames that are ready behind it.
async fn take(context: &Arc<Context>, connection: Option<&mut Connection>, first: Received) -> Next {
    let Some(connection) = connection else { return Next::End(Ended::Closed) };
    let (mut ids, mut messages) = (Vec::new(), Vec::new());
    let mut next = Next::GoOn;
    let mut frame = first;
    loop {
        match frame {
            Some(Ok(Frame::Text(text))) => match Envelope::parse(&text) {
                Some(Envelope::Event { id, message }) => {
                    ids.push(id);
                    messages.extend(message.map(|message| *message));
                }
                Some(Envelope::Disconnect(Goodbye::Refresh)) => next = Next::Replace,
                Some(Envelope::Disconnect(Goodbye::Disabled)) => next = Next::End(Ended::Disabled),
                Some(Envelope::Hello { .. } | Envelope::Other) | None => {}
            },
            Some(Ok(Frame::Close(_)) | Err(_)) | None => next = Next::End(Ended::Closed),
            Some(Ok(_)) => {}
        }
        if ids.len() >= AT_ONCE || matches!(next, Next::End(_)) {
            break;
        }
        match connection.stream.next().now_or_never() {
            Some(ready) => frame = ready,
            None => break,
        }
    }
    if !ids.is_empty() && !acknowledge(context, connection, &ids, messages).await {
        return Next::End(Ended::Closed);
    }
    next
}

/// Acknowledges frames. Order matters: write to disk, acknowledge, process. A frame that could not be stored is not
/// acknowledged, so that Slack sends it again.
async fn acknowledge(
    context: &Arc<Context>,
    connection: &mut Connection,
    ids: &[String],
    messages: Vec<Message>,
) -> bool {
    for message in &messages {
        context.brought(message.key());
        context.reader.heard_from(&message.channel);
    }
    if !messages.is_empty() {
        context.board.heard();
    }
    let heard = match receive::keep(context, messages).await {
        Ok(heard) => heard,
        Err(error) => {
            tracing::error!(error, "could not store a reply; Slack will send it again");
            context.board.set(|status| status.problem = format!("{UNKEPT}: {error}"));
            return true;
        }
    };
    context.board.set(|status| {
        if status.problem.starts_with(UNKEPT) {
            status.problem.clear();
        }
    });
    let mut sent = true;
    for id in ids {
        sent = sent && connection.stream.feed(Frame::Text(acknowledgement(id).into())).await.is_ok();
    }
    let sent = sent && connection.stream.flush().await.is_ok();
    let _ = context.heard.send(heard).await;
    sent
}

fn settle_in(context: &Arc<Context>, connection: Connection, in_place_of_another: bool) -> Connection {
    // While one connection replaces another, both belong to this process.
    let others = connection.of.saturating_sub(1 + u64::from(in_place_of_another));
    context.board.set(|status| {
        status.hearing = Hearing::Connected;
        status.problem = match others {
            0 => String::new(),
            n => format!("{n} other connection(s) use the same app token and may receive replies instead of this one"),
        };
    });
    greeted(context, in_place_of_another);
    connection
}
