//! Repeated looks at every session: the blocking half of a watcher.
//!
//! It keeps a control client while a server runs sessions of the-loop, so a look starts no process and changes are
//! signalled. Its user waits for [`Watching::signal`] and for changes of the [`Places`], and then looks again.
//! Nothing here waits, and nothing here changes a session.

mod connection;
mod panes;

use std::{io, mem, os::fd::OwnedFd, path::PathBuf, sync::Arc, time::Instant};

use tmux::{Control, Panes, Silence};
use wire::{Row, State};

use crate::{
    Error, TheLoop, clock,
    lifecycle::{Context, watch},
    process::ProcessIdentity,
};
use connection::{Connection, Socket};

pub use panes::{PaneLook, PaneWatching};

/// Files whose changes require another look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// Folder of records.
    pub records: PathBuf,
    /// Folder of queued messages, which are given to sessions and are not turns yet.
    pub queues: PathBuf,
    /// Config file.
    pub config: PathBuf,
    /// Event log.
    pub event_log: PathBuf,
    /// Socket of the tmux server.
    pub socket: PathBuf,
}

/// Period in which the sessions cannot be seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blind {
    /// Time of the first failed look, in the format of a row's times.
    pub since: String,
    /// Reason, for people.
    pub reason: String,
}

/// Reason for another look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A change was signalled, or a caller requested a look.
    Told,
    /// Time has passed.
    Time,
}

/// Result of a look at every session.
#[derive(Debug)]
pub struct Look {
    /// All sessions, sorted by name, or the reason why they could not be listed.
    pub rows: Result<Vec<Row>, Error>,
    /// Screen of each row, as plain text; empty without a pane.
    pub screens: Vec<Arc<str>>,
    /// Time of the look.
    pub as_of: String,
    /// Set while tmux does not answer: every row is `unknown` since that time.
    pub blind: Option<Blind>,
    /// tmux server that answered last.
    pub server: Option<Server>,
    /// True if another look is due in a second: a change is pending, or changes are not signalled.
    pub unsettled: bool,
}

/// A tmux server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server(ProcessIdentity);

impl Server {
    /// True while the server is stopped by a signal. It sends nothing then, which does not mean that nothing changed.
    pub fn is_stopped(&self) -> bool {
        self.0.is_stopped()
    }
}

/// Looks at the sessions of one instance. Each look blocks until tmux answers.
#[derive(Debug)]
pub struct Watching {
    the_loop: TheLoop,
    memory: watch::Memory,
    connection: Connection,
    /// Server that answered last.
    server: Option<ProcessIdentity>,
    blind: Option<Blind>,
    /// File at the path of the socket when its server had no session of the-loop.
    empty: Option<Socket>,
}

impl Watching {
    /// Creates a watcher of an instance's sessions, without looking yet.
    pub fn new(the_loop: TheLoop) -> Self {
        Self {
            the_loop,
            memory: watch::Memory::default(),
            connection: Connection::new(),
            server: None,
            blind: None,
            empty: None,
        }
    }

    /// Returns the files whose changes require another look. Reads the config if it changed.
    pub fn places(&self) -> Places {
        let context = self.the_loop.tolerant();
        let (config, settings) = (context.config.path.file().to_owned(), context.settings());
        Places {
            records: context.registry.dir().to_owned(),
            queues: context.registry.launch_dir(),
            config,
            event_log: settings.event_log.path.clone(),
            socket: context.tmux.socket_path(),
        }
    }

    /// Looks at every session.
    pub fn look(&mut self, why: Reason) -> Look {
        let context = match self.the_loop.strict() {
            Ok(context) => context,
            Err(error) => return self.refused(error),
        };
        let socket = Socket::of(&context);
        self.connection.keep(&socket);
        let context = context.through(self.connection.line());
        if let Some(connected) = self.connection.connected() {
            // Changes signalled from here on may be newer than this look.
            connected.with(Control::take_change);
        }
        let mut memory = mem::take(&mut self.memory);
        let found = watch::watch(&context, &mut memory, &|| self.panes(&context, &socket, why));
        self.memory = memory;
        let found = match found {
            Ok(found) => found,
            Err(error) => return self.refused(error),
        };
        self.note(&found.panes);
        let told = self.follow(&context, socket, &found.panes);
        let mut rows = found.rows;
        if let Some(blind) = &self.blind {
            for row in rows.iter_mut().filter(|row| row.state == State::Unknown) {
                row.since.clone_from(&blind.since);
            }
        }
        let unsettled = found.unsettled || !told || self.blind.is_some();
        let server = self.server.clone().map(Server);
        Look {
            rows: Ok(rows),
            screens: found.screens,
            as_of: clock::now(),
            blind: self.blind.clone(),
            server,
            unsettled,
        }
    }

    fn panes(&self, context: &Context, socket: &Socket, why: Reason) -> Result<Panes, Silence> {
        if self.server_is_stopped() {
            return Err(stopped(self.server.as_ref()));
        }
        // A new session creates a record, and a new server a new socket. Without either, there is no new session.
        if why == Reason::Time && self.empty.as_ref() == Some(socket) {
            return Ok(Panes::default());
        }
        context.look()
    }

    /// Returns a file that becomes readable when the control client has output, if there is a control client.
    /// [`Watching::heard`] reads the output.
    pub fn signal(&self) -> io::Result<Option<OwnedFd>> {
        let output = |control: &mut Control| control.output().try_clone_to_owned();
        self.connection.connected().map(|connected| connected.with(output)).transpose()
    }

    /// Identifies the connection: when it differs, [`Watching::signal`] returns another file.
    pub fn connection(&self) -> Option<Instant> {
        self.connection.connected().map(|connected| connected.since)
    }

    /// Reads the output of the control client, without waiting. True if another look is due.
    pub fn heard(&self) -> bool {
        self.connection.connected().is_some_and(|connected| connected.with(Control::take_change))
    }

    /// True while the server that answered last is stopped by a signal.
    pub fn server_is_stopped(&self) -> bool {
        self.server.as_ref().is_some_and(ProcessIdentity::is_stopped)
    }

    /// True if a server answered last; it may have been stopped since.
    pub fn may_be_stopped(&self) -> bool {
        self.server.is_some() && self.blind.is_none()
    }

    fn refused(&mut self, error: Error) -> Look {
        self.connection.disconnect();
        self.blind = None;
        Look { rows: Err(error), screens: Vec::new(), as_of: clock::now(), blind: None, server: None, unsettled: false }
    }

    /// Records what a look says about the server.
    fn note(&mut self, panes: &Result<Panes, Silence>) {
        match panes {
            Ok(panes) => {
                self.blind = None;
                let server = panes.sessions().find_map(|(_, panes)| panes.first()).map(|pane| pane.server_pid);
                self.server = server.and_then(ProcessIdentity::of);
            }
            Err(silence) => {
                let since = self.blind.take().map_or_else(clock::now, |blind| blind.since);
                self.blind = Some(Blind { since, reason: silence.0.clone() });
            }
        }
    }

    /// Connects if there are sessions to watch, and disconnects if there are none. True if changes are signalled, or
    /// if no change is possible without starting a server.
    fn follow(&mut self, context: &Context, socket: Socket, panes: &Result<Panes, Silence>) -> bool {
        self.empty = None;
        let Ok(panes) = panes else {
            self.connection.disconnect();
            return false;
        };
        if panes.sessions().next().is_none() {
            // Order matters: without a session of the-loop, the control client would keep the server alive.
            self.connection.disconnect();
            self.empty = Some(socket);
            return true;
        }
        self.connection.keep(&socket);
        self.connection.connect(socket, || context.tmux.connect())
    }
}

fn stopped(server: Option<&ProcessIdentity>) -> Silence {
    let pid = server.map_or(0, |server| server.pid);
    Silence(format!("its server (pid {pid}) is suspended"))
}
