//! Orphaned sessions: a harness that is alive without a visible tmux session, and a tmux server that is alive without
//! its socket.
//!
//! To a tmux client, a server whose socket was deleted looks like no server, and the next spawn would start a second
//! one beside it. The record contains the server of its spawn, so a lost server can be distinguished from an absent
//! one.

use std::{
    os::unix::net::UnixStream,
    thread,
    time::{Duration, Instant},
};

use wire::Remedy;

use super::{Context, detail::Detail};
use crate::registry::{Entry, Record, Server};

/// Time for a server that lost its last session to exit, once its socket is gone.
const ENDING: Duration = Duration::from_secs(2);

const LOOK: Duration = Duration::from_millis(10);

impl Context {
    /// Returns a server that is alive and cannot be reached any more, if a session was spawned on one. Call this only
    /// if tmux said that there is no server: it reads every record.
    pub(crate) fn lost_server(&self) -> Option<Server> {
        let entries = self.registry.all().ok()?;
        let mut servers: Vec<&Server> = Vec::new();
        for server in entries.values().filter_map(Entry::record).filter_map(|record| record.server.as_ref()) {
            if !servers.contains(&server) {
                servers.push(server);
            }
        }
        servers.into_iter().find(|server| stays_lost(server)).cloned()
    }
}

/// True if a server is lost for good. A server that ends with its last session removes its socket first and lives for
/// a moment more; a start right after a stop falls into that moment.
fn stays_lost(server: &Server) -> bool {
    let deadline = Instant::now() + ENDING;
    while is_lost(server) {
        if Instant::now() >= deadline {
            return true;
        }
        thread::sleep(LOOK);
    }
    false
}

/// True if a server is alive and does not accept connections at its socket. A stopped server still accepts them.
pub(crate) fn is_lost(server: &Server) -> bool {
    server.process.is_alive() && UnixStream::connect(&server.socket).is_err()
}

/// Describes an orphaned session.
pub(crate) fn told(record: &Record) -> Detail {
    let pid = record.process.as_ref().map_or(0, |process| process.pid);
    let harness = format!("its harness (pid {pid}) is running, but its tmux session was not found");
    match &record.server {
        Some(server) if is_lost(server) => Detail::from(harness).and(lost(server)),
        Some(server) if server.process.is_alive() => format!(
            "{harness}: it was started on the tmux server at {}, which answers; the session was renamed or moved, or \
             `routing.tmux.socket` was changed",
            server.socket.display()
        )
        .into(),
        _ => format!("{harness}: the tmux server it was started on has exited").into(),
    }
}

/// Describes a tmux server without its socket.
pub(crate) fn lost(server: &Server) -> Detail {
    let (pid, socket) = (server.process.pid, server.socket.display());
    let cause = format!("a tmux server (pid {pid}) is running, but its socket {socket} is missing");
    Detail::new(cause, [Remedy::RecreateSocket { pid }])
}

/// Describes the command that recreates the socket of a lost server.
pub(crate) fn revival(server: &Server) -> String {
    format!("`kill -USR1 {}` recreates the socket", server.process.pid)
}
