//! tmux: the one place that builds its command lines and reads its answers.
//!
//! Two rules hold everywhere. A question has an answer or it has silence, and silence is never read as absence: see
//! [`Answer`]. And whatever must not be torn apart (spawn with its options, the dead check with the paste, the check
//! of the owner with the kill) is one tmux invocation.
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

/// How long a question may take before its silence counts as such.
const DEADLINE: Duration = Duration::from_secs(5);

/// The same for the questions after one that was not answered: a verb waits in vain once, not for each of them.
const IMPATIENT: Duration = Duration::from_millis(250);

/// What came of asking tmux something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer<T> {
    /// It answered.
    Said(T),
    /// It did not, or not in a way that is understood: nothing is known.
    Silent(Silence),
}

/// How tmux failed to answer, for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Silence(pub(crate) String);

impl Silence {
    /// True if the machine, and not tmux, is what refused.
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

/// A control client that many may ask.
pub(crate) type Line = Arc<Mutex<Control>>;

/// A tmux server, by how it is reached.
#[derive(Clone, Debug)]
pub(crate) struct Tmux {
    socket: String,
    /// The socket itself, for a server that is not the config's.
    path: Option<PathBuf>,
    remain_on_exit: bool,
    env: Vec<(OsString, OsString)>,
    exe: PathBuf,
    /// True if systemd says so; its control group may say so as well.
    within_a_unit: bool,
    /// True while the last question was not answered in time.
    unanswered: Arc<AtomicBool>,
    /// What is asked in place of a process for each question.
    line: Option<Line>,
    permits: Arc<permits::Permits>,
}

impl Tmux {
    /// The name of the socket, as `tmux -L` takes it; empty for the default one.
    pub(crate) fn socket_name(&self) -> String {
        self.socket.clone()
    }

    /// Which server that is, to be put behind a command for a person; nothing for the user's default one.
    pub(crate) fn server_hint(&self) -> String {
        if self.socket.is_empty() { String::new() } else { format!(" (add `-L {}` after `tmux`)", self.socket) }
    }

    /// The path of the server's socket, whether there is one or not.
    pub(crate) fn socket_path(&self) -> PathBuf {
        if let Some(path) = &self.path {
            return path.clone();
        }
        let folder = self.env.iter().find(|(key, value)| key == "TMUX_TMPDIR" && !value.is_empty());
        let folder = folder.map_or_else(|| Path::new("/tmp"), |(_, folder)| Path::new(folder));
        let name = if self.socket.is_empty() { "default" } else { &self.socket };
        folder.join(format!("tmux-{}", rustix::process::getuid().as_raw())).join(name)
    }

    /// The server behind another socket.
    pub(crate) fn behind(&self, socket: &Path) -> Self {
        Self { path: Some(socket.to_owned()), unanswered: Arc::default(), line: None, ..self.clone() }
    }

    /// The server, asked through a control client as long as that answers.
    pub(crate) fn through(mut self, line: Option<Line>) -> Self {
        self.line = line;
        self
    }

    pub(crate) fn new(settings: &TmuxSettings, surroundings: &Surroundings, secrets: &[&str]) -> Self {
        Self {
            socket: settings.socket.clone(),
            path: None,
            remain_on_exit: settings.remain_on_exit,
            // A server that we happen to start keeps its environment for life: no nesting marks, no secrets.
            env: scrubbed(surroundings, secrets),
            exe: surroundings.exe().to_owned(),
            within_a_unit: surroundings.var("INVOCATION_ID").is_some(),
            unanswered: Arc::default(),
            line: None,
            permits: Arc::default(),
        }
    }
}
