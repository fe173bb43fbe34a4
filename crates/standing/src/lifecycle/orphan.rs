//! A harness that lives while its tmux session cannot be seen, and the tmux server that lives behind a lost socket.
//!
//! To tmux's client a server whose socket was deleted looks like no server, and the next spawn would start a second
//! one beside it. The record knows the server it was spawned on, so that this is told apart from absence.

use std::{
    os::unix::net::UnixStream,
    thread,
    time::{Duration, Instant},
};

use crate::registry::{Entry, Record, Server};

use super::Context;

/// How long a server that loses its last session may take to end, once its socket is gone.
const ENDING: Duration = Duration::from_secs(2);

const LOOK: Duration = Duration::from_millis(10);

impl Context {
    /// A server that lives and cannot be reached any more, if a session of ours was spawned on one. To be asked only
    /// where tmux said that there is no server: it reads every record.
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

/// Whether a server is lost for good. One that ends with its last session removes its socket first and is alive for a
/// moment more: a start right after a stop comes into that.
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

/// Whether a server lives and nobody answers at its socket. One that is stopped still takes connections.
pub(crate) fn is_lost(server: &Server) -> bool {
    server.process.is_alive() && UnixStream::connect(&server.socket).is_err()
}

/// What is known of an orphaned session, and what can be done about it.
pub(crate) fn told(record: &Record) -> String {
    let pid = record.process.as_ref().map_or(0, |process| process.pid);
    let harness = format!("its harness (pid {pid}) is running, but its tmux session was not found");
    match &record.server {
        Some(server) if is_lost(server) => format!("{harness}: {}", remedy(server)),
        Some(server) if server.process.is_alive() => format!(
            "{harness}: it was started on the tmux server at {}, which answers; the session was renamed or moved, or \
             `routing.tmux.socket` was changed",
            server.socket.display()
        ),
        _ => format!("{harness}: the tmux server it was started on has exited"),
    }
}

/// How a lost server is found again.
pub(crate) fn remedy(server: &Server) -> String {
    let (pid, socket) = (server.process.pid, server.socket.display());
    format!("a tmux server (pid {pid}) is running, but its socket {socket} is missing; {}", revival(server))
}

/// What makes the socket of a lost server anew.
pub(crate) fn revival(server: &Server) -> String {
    format!("`kill -USR1 {}` recreates the socket", server.process.pid)
}
