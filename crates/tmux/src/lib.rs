//! tmux: the only crate that builds its command lines and parses its answers.
//!
//! It must not know records: a caller passes the texts and marks that a session carries.
//!
//! Two rules hold everywhere. A query returns an answer or silence, and silence never counts as absence: see
//! [`Answer`]. Steps that must not be separated (spawn with its options, the dead check with the paste, the owner check
//! with the kill) are one tmux invocation.
//!
//! Facts about tmux in this crate were measured on 3.3a.

mod about;
mod attach;
mod call;
mod capture;
mod close;
mod control;
mod listing;
mod options;
mod paste;
mod permits;
mod picture;
mod scope;
mod spawn;

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, atomic::AtomicBool},
    time::{Duration, Instant},
};

pub use about::About;
pub use attach::{Attach, TerminalSize};
pub use capture::Shown;
pub use close::{Closed, KillAnswer, close_this_pane};
pub use control::Control;
pub use listing::{Pane, Panes};
pub use options::configured;
pub use paste::{Paste, PasteAnswer};
pub use picture::{Facts, Picture};
pub use spawn::{KEPT_LIMIT, Spawn, SpawnAnswer};

use process::{Surroundings, marks::scrubbed};

/// Timeout of a query, after which it counts as silence.
const DEADLINE: Duration = Duration::from_secs(5);

/// Timeout of queries after an unanswered one: a verb waits out one full timeout, not one per query.
const IMPATIENT: Duration = Duration::from_millis(250);

/// Result of a query to tmux.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer<T> {
    /// tmux answered.
    Said(T),
    /// tmux did not answer, or not in a known form: nothing is known.
    Silent(Silence),
}

/// Reason why tmux failed to answer, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Silence(
    /// Reason.
    pub String,
);

impl Silence {
    /// True if the machine, not tmux, refused.
    pub fn is_of_the_machine(&self) -> bool {
        self.0.contains(call::REFUSED_CALL)
    }
}

impl<T> Answer<T> {
    /// Converts the value of an answer.
    pub fn map<U>(self, with: impl FnOnce(T) -> U) -> Answer<U> {
        match self {
            Self::Said(value) => Answer::Said(with(value)),
            Self::Silent(silence) => Answer::Silent(silence),
        }
    }

    /// Converts silence to an error.
    pub fn into_result(self) -> Result<T, Silence> {
        match self {
            Self::Said(value) => Ok(value),
            Self::Silent(silence) => Err(silence),
        }
    }
}

/// Functions that are told of the calls of tmux.
#[derive(Clone, Copy, Debug)]
pub struct Observer {
    /// Called after each call, with its begin; the flag is true if tmux answered.
    pub called: fn(Instant, bool),
    /// Called with a feature that this machine refuses and that sessions can do without, for people.
    pub refused: fn(String),
}

/// Control client that many callers share.
pub type Line = Arc<Mutex<Control>>;

/// tmux server, identified by the way to reach it.
#[derive(Clone, Debug)]
pub struct Tmux {
    socket: String,
    /// Socket path of a server that is not the config's.
    path: Option<PathBuf>,
    remain_on_exit: bool,
    env: Vec<(OsString, OsString)>,
    exe: PathBuf,
    /// True if systemd says so; the control group may say so as well.
    within_a_unit: bool,
    /// True while the last query has timed out.
    unanswered: Arc<AtomicBool>,
    /// Control client that replaces one process per query.
    line: Option<Line>,
    permits: Arc<permits::Permits>,
    observer: Observer,
}

impl Tmux {
    /// Returns the name of the socket, as `tmux -L` takes it; empty for the default one.
    pub fn socket_name(&self) -> String {
        self.socket.clone()
    }

    /// Returns a suffix for a command shown to people that names the server; empty for the user's default one.
    pub fn server_hint(&self) -> String {
        if self.socket.is_empty() { String::new() } else { format!(" (add `-L {}` after `tmux`)", self.socket) }
    }

    /// Returns the path of the server's socket, which may not exist.
    pub fn socket_path(&self) -> PathBuf {
        if let Some(path) = &self.path {
            return path.clone();
        }
        let folder = self.env.iter().find(|(key, value)| key == "TMUX_TMPDIR" && !value.is_empty());
        let folder = folder.map_or_else(|| Path::new("/tmp"), |(_, folder)| Path::new(folder));
        let name = if self.socket.is_empty() { "default" } else { &self.socket };
        folder.join(format!("tmux-{}", rustix::process::getuid().as_raw())).join(name)
    }

    /// Returns the server at another socket.
    #[must_use]
    pub fn behind(&self, socket: &Path) -> Self {
        Self { path: Some(socket.to_owned()), unanswered: Arc::default(), line: None, ..self.clone() }
    }

    /// Returns the server with queries through a control client, as long as that answers.
    #[must_use]
    pub fn through(mut self, line: Option<Line>) -> Self {
        self.line = line;
        self
    }

    /// Returns the server behind a socket name, empty for the default one. Its clients and itself get these
    /// surroundings without the secrets. With `remain_on_exit`, panes are retained after their program has ended.
    pub fn new(
        socket: &str,
        remain_on_exit: bool,
        surroundings: &Surroundings,
        secrets: &[&str],
        observer: Observer,
    ) -> Self {
        Self {
            socket: socket.to_owned(),
            path: None,
            remain_on_exit,
            // A server that this call starts keeps its environment for life: no nesting marks, no secrets.
            env: scrubbed(surroundings, secrets),
            exe: surroundings.exe().to_owned(),
            within_a_unit: surroundings.var("INVOCATION_ID").is_some(),
            unanswered: Arc::default(),
            line: None,
            permits: Arc::default(),
            observer,
        }
    }
}
