//! Connection of a watcher to the server: one control client that is kept, dropped and renewed.

use std::{
    fs,
    os::unix::fs::MetadataExt as _,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use tmux::{Control, Line, Silence};

use crate::lifecycle::Context;

/// Pauses between two attempts to connect: the first, and the longest.
const PAUSES: (Duration, Duration) = (Duration::from_secs(1), Duration::from_mins(1));

/// A connection that lasted this long was good: the next attempt follows immediately.
const GOOD: Duration = Duration::from_secs(10);

/// Path of a server's socket, and the identity of the file there. Another file belongs to another server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Socket {
    path: PathBuf,
    file: Option<(u64, u64)>,
}

impl Socket {
    pub(super) fn of(context: &Context) -> Self {
        let path = context.tmux.socket_path();
        let file = fs::symlink_metadata(&path).ok().map(|meta| (meta.dev(), meta.ino()));
        Self { path, file }
    }
}

/// Control client, and the server that it is connected to.
#[derive(Debug)]
pub(super) struct Connected {
    line: Line,
    pub(super) since: Instant,
    socket: Socket,
}

impl Connected {
    pub(super) fn with<T>(&self, ask: impl FnOnce(&mut Control) -> T) -> T {
        ask(&mut self.line.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Control client of a watcher, if it has one now.
#[derive(Debug)]
pub(super) struct Connection {
    connected: Option<Connected>,
    /// Time of the next attempt to connect, and the pause after another failure.
    again: (Instant, Duration),
}

impl Connection {
    pub(super) fn new() -> Self {
        Self { connected: None, again: (Instant::now(), PAUSES.0) }
    }

    pub(super) fn connected(&self) -> Option<&Connected> {
        self.connected.as_ref()
    }

    /// Returns the control client, to call tmux through it.
    pub(super) fn line(&self) -> Option<Line> {
        self.connected.as_ref().map(|connected| Arc::clone(&connected.line))
    }

    pub(super) fn disconnect(&mut self) {
        self.connected = None;
    }

    /// Drops a control client that has ended, or whose server other clients would not reach.
    pub(super) fn keep(&mut self, socket: &Socket) {
        let Some(connected) = &self.connected else { return };
        let elsewhere = connected.socket != *socket;
        if !elsewhere && !connected.with(|control| control.has_ended()) {
            return;
        }
        if elsewhere || connected.since.elapsed() >= GOOD {
            self.again = (Instant::now(), PAUSES.0);
        } else {
            self.later();
        }
        self.connected = None;
    }

    /// Connects, unless there is a control client or the next attempt is not due yet. True if there is one.
    pub(super) fn connect(&mut self, socket: Socket, connect: impl FnOnce() -> Result<Control, Silence>) -> bool {
        if self.connected.is_some() {
            return true;
        }
        if Instant::now() < self.again.0 {
            return false;
        }
        match connect() {
            Ok(control) => {
                let line = Arc::new(Mutex::new(control));
                self.connected = Some(Connected { line, since: Instant::now(), socket });
                true
            }
            Err(silence) => {
                tracing::debug!(reason = silence.0, "using one process for each tmux query");
                self.later();
                false
            }
        }
    }

    /// Postpones the next attempt to connect.
    fn later(&mut self) {
        let pause = self.again.1;
        self.again = (Instant::now() + pause, pause.saturating_mul(2).min(PAUSES.1));
    }
}
