//! A tmux client on a terminal of its own, connected to a WebSocket.
//!
//! Binary messages are the output of the client. Text messages are JSON: `{"size": [columns, lines]}` to the page, and
//! `{"input": "text"}` and `{"resize": [columns, lines]}` from it.
//!
//! Invariant: memory does not grow with a browser that does not read. Output is read from the terminal only after the
//! message before it was sent, and tmux drops what a slow client does not take.
//!
//! Invariant: the client ends with its socket. The kernel hangs it up when the terminal is closed, even if the service
//! was killed, and a client that stays is killed by its process id.

use std::{io, time::Duration};

use axum::{
    body::Bytes,
    extract::ws::{CloseFrame, Message, WebSocket, close_code},
};
use futures_util::{
    SinkExt as _, StreamExt as _,
    stream::{SplitSink, SplitStream},
};
use pty_process::{OwnedReadPty, OwnedWritePty, Pty, Size};
use serde::Deserialize;
use serde_json::json;
use standing::{Attach, TerminalSize};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    process::Child,
    time,
};
use tokio_util::sync::CancellationToken;

/// Size of one read of the client's output.
const CHUNK: usize = 16 << 10;

/// Time limit for one message. A page that takes none for so long has left.
const STALLED: Duration = Duration::from_mins(1);

/// Interval of pings.
const BEAT: Duration = Duration::from_secs(15);

/// Time without a message or an answer to a ping, after which the page has left.
const SILENT: Duration = Duration::from_secs(50);

/// Time that a client has to leave once its terminal is closed.
const LEAVE: Duration = Duration::from_secs(1);

/// Time limit for the last message.
const FAREWELL: Duration = Duration::from_secs(1);

/// Largest width and height that a page can ask for.
const LARGEST: u16 = 1000;

/// Message of the page.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum FromPage {
    Input(String),
    Resize([u16; 2]),
}

/// Reason why a terminal is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Closed {
    /// The page has left.
    Left,
    /// The session ended, or a key detached the client.
    Ended,
    /// The page sent a message that is not understood.
    Misunderstood,
    /// The service is shutting down.
    Shutdown,
}

impl Closed {
    fn frame(self) -> CloseFrame {
        let (code, reason) = match self {
            Self::Left => (close_code::NORMAL, ""),
            Self::Ended => (close_code::NORMAL, "The session ended, or the terminal was detached."),
            Self::Misunderstood => (close_code::POLICY, "The service did not understand a message of this page."),
            Self::Shutdown => (close_code::AWAY, "The service is shutting down."),
        };
        CloseFrame { code, reason: reason.into() }
    }
}

/// A tmux client on a terminal of its own.
pub(super) struct Attached {
    pty: Pty,
    client: Child,
    size: TerminalSize,
}

impl Attached {
    /// Starts the client on a new terminal, which is as large as the window that it shows.
    pub(super) fn open(attach: &Attach) -> Result<Self, pty_process::Error> {
        let (pty, pts) = pty_process::open()?;
        pty.resize(Size::new(attach.size.rows, attach.size.cols))?;
        let command = pty_process::Command::new(&attach.program).args(&attach.args);
        let command = command.env_clear().envs(attach.env.iter().map(|(key, value)| (key, value)));
        let client = command.current_dir("/").kill_on_drop(true).spawn(pts)?;
        Ok(Self { pty, client, size: attach.size })
    }

    /// Connects the terminal to the socket until one of them ends. Without `write`, input is dropped and the size stays.
    pub(super) async fn run(self, socket: WebSocket, write: bool, end: CancellationToken) {
        let Self { pty, mut client, size } = self;
        let (mut page, mut messages) = socket.split();
        let (mut output, mut input) = pty.into_split();
        let closed = tokio::select! {
            closed = show(&mut output, &mut page, size) => closed,
            closed = obey(&mut messages, &mut input, write) => closed,
            _ = client.wait() => Closed::Ended,
            () = end.cancelled() => Closed::Shutdown,
        };
        // The last handles of the terminal: the kernel hangs the client up.
        drop((output, input));
        end_client(&mut client).await;
        let farewell = page.send(Message::Close(Some(closed.frame())));
        let _ = time::timeout(FAREWELL, farewell).await;
    }
}

/// Ends the client: it has a moment to leave, so that tmux closes its side first.
async fn end_client(client: &mut Child) {
    if time::timeout(LEAVE, client.wait()).await.is_err() {
        // The child is not reaped yet, so the process id is still its own.
        if let Err(error) = client.kill().await {
            tracing::warn!(%error, "could not end the tmux client of a terminal");
        }
    }
}

/// Sends the output of the client to the page.
async fn show(output: &mut OwnedReadPty, page: &mut SplitSink<WebSocket, Message>, size: TerminalSize) -> Closed {
    let mut beat = time::interval(BEAT);
    let mut chunk = vec![0; CHUNK];
    let mut message = Message::text(json!({ "size": [size.cols, size.rows] }).to_string());
    loop {
        match time::timeout(STALLED, page.send(message)).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) | Err(_) => return Closed::Left,
        }
        message = tokio::select! {
            read = output.read(&mut chunk) => match read {
                // The kernel reports a terminal without a program as an error.
                Ok(0) | Err(_) => return Closed::Ended,
                Ok(read) => Message::Binary(Bytes::copy_from_slice(&chunk[..read])),
            },
            _ = beat.tick() => Message::Ping(Bytes::new()),
        };
    }
}

/// Passes the messages of the page on to the client.
async fn obey(messages: &mut SplitStream<WebSocket>, input: &mut OwnedWritePty, write: bool) -> Closed {
    loop {
        let text = match time::timeout(SILENT, messages.next()).await {
            Ok(Some(Ok(Message::Text(text)))) => text,
            Ok(Some(Ok(Message::Ping(_) | Message::Pong(_)))) => continue,
            Ok(Some(Ok(Message::Binary(_)))) => return Closed::Misunderstood,
            Ok(Some(Ok(Message::Close(_)) | Err(_)) | None) | Err(_) => return Closed::Left,
        };
        let Ok(message) = serde_json::from_str(&text) else { return Closed::Misunderstood };
        if !write {
            continue;
        }
        let done: io::Result<()> = match message {
            FromPage::Input(text) => input.write_all(text.as_bytes()).await,
            FromPage::Resize([cols, rows]) => {
                let fit = |length: u16| length.clamp(2, LARGEST);
                input.resize(Size::new(fit(rows), fit(cols))).map_err(io::Error::other)
            }
        };
        if done.is_err() {
            return Closed::Ended;
        }
    }
}

/// Closes a socket whose terminal could not be opened.
pub(super) async fn refuse(mut socket: WebSocket, error: &pty_process::Error) {
    tracing::warn!(%error, "could not open a terminal");
    let frame = CloseFrame { code: close_code::ERROR, reason: "The service could not open a terminal.".into() };
    let _ = time::timeout(FAREWELL, socket.send(Message::Close(Some(frame)))).await;
}
