//! tmux: the only module that builds its command lines and parses its answers.
//!
//! Two rules hold everywhere. A query returns an answer or silence, and silence never counts as absence: see
//! [`Answer`]. Steps that must not be separated (spawn with its options, the dead check with the paste, the owner check
//! with the kill) are one tmux invocation.
//!
//! Facts about tmux in this module were measured on 3.3a.

mod about;
mod call;
mod capture;
mod close;
mod control;
mod listing;
mod options;
mod paste;
mod permits;
mod scope;
mod spawn;

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, atomic::AtomicBool},
    time::Duration,
};

pub(crate) use about::About;
pub(crate) use capture::Shown;
pub(crate) use close::{Closed, KillAnswer, close_this_pane};
pub(crate) use control::Control;
pub(crate) use listing::{Pane, Panes};
pub(crate) use options::configured;
pub(crate) use paste::{Paste, PasteAnswer};
pub(crate) use spawn::{Spawn, SpawnAnswer};

use process::marks::scrubbed;

use crate::{Surroundings, config::TmuxSettings};

/// Timeout of a query, after which it counts as silence.
const DEADLINE: Duration = Duration::from_secs(5);

/// Timeout of queries after an unanswered one: a verb waits out one full timeout, not one per query.
const IMPATIENT: Duration = Duration::from_millis(250);

/// Result of a query to tmux.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer<T> {
    /// tmux answered.
    Said(T),
    /// tmux did not answer, or not in a known form: nothing is known.
    Silent(Silence),
}

/// Reason why tmux failed to answer, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Silence(pub(crate) String);

impl Silence {
    /// True if the machine, not tmux, refused.
    pub(crate) fn is_of_the_machine(&self) -> bool {
        self.0.contains(call::REFUSED_CALL)
    }
}

impl<T> Answer<T> {
    pub(crate) fn map<U>(self, with: impl FnOnce(T) -> U) -> Answer<U> {
        match self {
            Self::Said(value) => Answer::Said(with(value)),
            Self::Silent(silence) => Answer::Silent(silence),
        }
    }

    pub(crate) fn into_result(self) -> Result<T, Silence> {
        match self {
            Self::Said(value) => Ok(value),
            Self::Silent(silence) => Err(silence),
        }
    }
}

impl From<Silence> for crate::Error {
    fn from(silence: Silence) -> Self {
        Self::TmuxSilent { reason: silence.0 }
    }
}

/// Control client that many callers share.
pub(crate) type Line = Arc<Mutex<Control>>;

/// tmux server, identified by the way to reach it.
#[derive(Clone, Debug)]
pub(crate) struct Tmux {
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
}

impl Tmux {
    /// Returns the name of the socket, as `tmux -L` takes it; empty for the default one.
    pub(crate) fn socket_name(&self) -> String {
        self.socket.clone()
    }

    /// Returns a suffix for a command shown to people that names the server; empty for the user's default one.
    pub(crate) fn server_hint(&self) -> String {
        if self.socket.is_empty() { String::new() } else { format!(" (add `-L {}` after `tmux`)", self.socket) }
    }

    /// Returns the path of the server's socket, which may not exist.
    pub(crate) fn socket_path(&self) -> PathBuf {
        if let Some(path) = &self.path {
            return path.clone();
        }
        let folder = self.env.iter().find(|(key, value)| key == "TMUX_TMPDIR" && !value.is_empty());
        let folder = folder.map_or_else(|| Path::new("/tmp"), |(_, folder)| Path::new(folder));
        let name = if self.socket.is_empty() { "default" } else { &self.socket };
        folder.join(format!("tmux-{}", rustix::process::getuid().as_raw())).join(name)
    }

    /// Returns the server at another socket.
    pub(crate) fn behind(&self, socket: &Path) -> Self {
        Self { path: Some(socket.to_owned()), unanswered: Arc::default(), line: None, ..self.clone() }
    }

    /// Returns the server with queries through a control client, as long as that answers.
    pub(crate) fn through(mut self, line: Option<Line>) -> Self {
        self.line = line;
        self
    }

    pub(crate) fn new(settings: &TmuxSettings, surroundings: &Surroundings, secrets: &[&str]) -> Self {
        Self {
            socket: settings.socket.clone(),
            path: None,
            remain_on_exit: settings.remain_on_exit,
            // A server that this call starts keeps its environment for life: no nesting marks, no secrets.
            env: scrubbed(surroundings, secrets),
            exe: surroundings.exe().to_owned(),
            within_a_unit: surroundings.var("INVOCATION_ID").is_some(),
            unanswered: Arc::default(),
            line: None,
            permits: Arc::default(),
        }
    }
}
