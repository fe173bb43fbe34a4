//! Why a verb was refused or could not be done.
//!
//! A message says what failed and why; [`Error::remedies`] says what to do, so that each surface can show it in its own
//! way. A session that failed to start or stop is not an error but a row with
//! [`Outcome::Failed`](wire::Outcome::Failed).

#[cfg(test)]
mod texts;

use std::{
    io,
    path::{Path, PathBuf},
};

use wire::{InvalidName, Problem, ProblemCode, Remedy, SessionName};

use crate::config::ConfigProblems;

/// Why a verb was refused or could not be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The name does not follow the pattern.
    #[error(transparent)]
    InvalidName(#[from] InvalidName),
    /// The request cannot be done as asked; the text says why.
    #[error("{0}")]
    InvalidRequest(String),
    /// Create: the config declares the name.
    #[error("`{name}` is already declared in {config}")]
    AlreadyDeclared {
        /// The name.
        name: SessionName,
        /// The config file.
        config: String,
    },
    /// Create: a record of the name exists.
    #[error("`{name}` already exists")]
    AlreadyExists {
        /// The name.
        name: SessionName,
    },
    /// Delete: the config declares the name.
    #[error("`{name}` is declared in {config}, and the next `the-loop start` would create it again")]
    Declared {
        /// The name.
        name: SessionName,
        /// The config file.
        config: String,
    },
    /// No session has that name.
    #[error("no session named `{name}`: neither declared nor recorded (no record)")]
    Unknown {
        /// The name.
        name: SessionName,
    },
    /// Say: the session does not run, and a message never starts one.
    #[error("`{name}` is not running ({reason}), and a message never starts a session")]
    NotRunning {
        /// The name.
        name: SessionName,
        /// What it is instead.
        reason: String,
    },
    /// Say: the harness cannot be typed to, and a start alone would not help.
    #[error("could not type into `{name}` ({reason})")]
    OutOfReach {
        /// The name.
        name: SessionName,
        /// Why not.
        reason: String,
        /// The acts that help.
        remedies: Vec<Remedy>,
    },
    /// Say: the pane under that name is not ours to type into.
    #[error("the tmux session `{session}` is not managed by the-loop, so nothing was typed into it")]
    Foreign {
        /// The name.
        name: SessionName,
        /// Its tmux session.
        session: String,
        /// The name of the tmux socket; empty for the default one.
        socket: String,
    },
    /// A live session of the-loop whose record is gone: only `restore` and the operator act on it.
    #[error("`{name}` is running, but its record is missing")]
    Unrecorded {
        /// The name.
        name: SessionName,
        /// Its tmux session.
        session: String,
        /// The name of the tmux socket; empty for the default one.
        socket: String,
    },
    /// The state folder belongs to another user, and what was written there would lock that user out.
    #[error("{}: owned by another user (uid {owner}), so nothing was changed", path.display())]
    NotOurFolder {
        /// The folder.
        path: PathBuf,
        /// The user it belongs to.
        owner: u32,
    },
    /// Say: the session shows a dialog, and a pasted Enter would answer it.
    #[error("`{name}` is waiting for an answer to a prompt, so nothing was typed:\n{question}")]
    Waiting {
        /// The name.
        name: SessionName,
        /// Its tmux session.
        session: String,
        /// The name of the tmux socket; empty for the default one.
        socket: String,
        /// The question as the screen shows it.
        question: String,
        /// Whether it offers answers that `answer` can choose.
        offers: bool,
    },
    /// Say: text that was not submitted stands in the input box, and a paste would join it.
    #[error("the input box of `{name}` contains unsent text, so nothing was typed:\n{text}")]
    UnsentText {
        /// The name.
        name: SessionName,
        /// Its tmux session.
        session: String,
        /// The name of the tmux socket; empty for the default one.
        socket: String,
        /// The text in the box, as the screen shows it.
        text: String,
    },
    /// Answer: the session does not ask what is to be answered.
    #[error("nothing was selected in `{name}`: {reason}")]
    NotWaiting {
        /// The name.
        name: SessionName,
        /// What it shows instead.
        reason: String,
    },
    /// Say: the message is over the limit.
    #[error("the message has {found} bytes and the limit is {limit}")]
    TooLarge {
        /// Its size in bytes.
        found: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// Say: the same idempotency key came with another message.
    #[error("the idempotency key was already used for another message to `{name}`")]
    KeyReused {
        /// The name.
        name: SessionName,
    },
    /// The config cannot be used, with every reason.
    #[error("{0}")]
    Misconfigured(#[from] ConfigProblems),
    /// A record cannot be read; it is never overwritten.
    #[error("{}: could not read the record of `{name}` ({reason}), so nothing was changed", path.display())]
    BadRecord {
        /// The name.
        name: SessionName,
        /// Its file.
        path: PathBuf,
        /// What is wrong, and where in it.
        reason: String,
    },
    /// The state folder cannot be read or written.
    #[error("{}: {doing}: {source}", path.display())]
    Storage {
        /// The file or folder.
        path: PathBuf,
        /// What was being done.
        doing: &'static str,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// tmux did not answer; silence is not absence, so nothing was done.
    #[error("tmux did not answer ({reason}), so nothing was done")]
    TmuxSilent {
        /// How it did not answer.
        reason: String,
    },
    /// The caller is an agent inside a session, and agents do not control sessions.
    #[error("{} may not {doing}: agents do not control sessions", inside(session.as_ref()))]
    InsideSession {
        /// The session that it runs inside of, if that is known.
        session: Option<SessionName>,
        /// What it asked for.
        doing: &'static str,
        /// The config file.
        config: String,
    },
    /// The caller closed its connection before it was known who it is.
    #[error(
        "could not determine who asked to {doing}, because the connection was closed before the answer, so nothing was done"
    )]
    CallerGone {
        /// What it asked for.
        doing: &'static str,
    },
    /// The service is shutting down, and the verb had not begun.
    #[error("the service is shutting down, so nothing was done")]
    ShuttingDown,
    /// Too many callers wait for the session already.
    #[error("`{name}` is busy: {waiting} requests are waiting for it")]
    Crowded {
        /// The name.
        name: SessionName,
        /// How many.
        waiting: usize,
    },
    /// Another verb holds the session.
    #[error("`{name}` is busy: {holder} has held it for more than {waited_seconds} s")]
    Busy {
        /// The name.
        name: SessionName,
        /// Who holds it, as far as is known.
        holder: String,
        /// How long was waited.
        waited_seconds: u64,
    },
}

/// Seconds after which a busy session is worth another try.
const BUSY_RETRY: u64 = 5;

fn look(session: &str, socket: &str) -> Remedy {
    Remedy::Look { target: session.to_owned(), socket: socket.to_owned() }
}

fn attach(session: &str, socket: &str) -> Remedy {
    Remedy::Attach { target: session.to_owned(), socket: socket.to_owned() }
}

fn inside(session: Option<&SessionName>) -> String {
    session.map_or_else(
        || "a process inside a standing session".to_owned(),
        |name| format!("a process inside the standing session `{name}`"),
    )
}

impl From<files::Error> for Error {
    fn from(files::Error { path, doing, source }: files::Error) -> Self {
        Self::Storage { path, doing, source }
    }
}

/// Makes a storage error of an I/O error, as a function for `map_err`.
pub(crate) fn storage(path: &Path, doing: &'static str) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::Storage { path, doing, source }
}

impl wire::Refusal for Error {
    fn problem(&self) -> Option<Problem> {
        Some(Self::problem(self))
    }
}

impl Error {
    /// The stable code that surfaces answer with.
    pub fn code(&self) -> ProblemCode {
        match self {
            Self::InvalidName(_) => ProblemCode::InvalidName,
            Self::InvalidRequest(_) => ProblemCode::InvalidRequest,
            Self::AlreadyDeclared { .. } | Self::AlreadyExists { .. } => ProblemCode::NameTaken,
            Self::Declared { .. } => ProblemCode::Declared,
            Self::Unknown { .. } => ProblemCode::UnknownSession,
            Self::NotRunning { .. } | Self::OutOfReach { .. } | Self::Foreign { .. } | Self::Unrecorded { .. } => {
                ProblemCode::NotRunning
            }
            Self::Waiting { .. } => ProblemCode::Waiting,
            Self::NotWaiting { .. } => ProblemCode::NotWaiting,
            Self::UnsentText { .. } => ProblemCode::UnsentText,
            Self::TooLarge { .. } => ProblemCode::TooLarge,
            Self::KeyReused { .. } => ProblemCode::KeyReused,
            Self::Misconfigured(_) => ProblemCode::Misconfigured,
            Self::BadRecord { .. } | Self::Storage { .. } | Self::NotOurFolder { .. } => ProblemCode::Registry,
            Self::TmuxSilent { .. } => ProblemCode::TmuxSilent,
            Self::Busy { .. } | Self::Crowded { .. } | Self::ShuttingDown => ProblemCode::Busy,
            Self::InsideSession { .. } | Self::CallerGone { .. } => ProblemCode::Forbidden,
        }
    }

    /// Returns the acts that help, the likeliest first; none where none is known.
    pub fn remedies(&self) -> Vec<Remedy> {
        let key = |key: &str| key.to_owned();
        match self {
            Self::AlreadyDeclared { name, .. } => vec![Remedy::ChooseName, Remedy::Start { name: name.clone() }],
            Self::AlreadyExists { name } => {
                vec![Remedy::ChooseName, Remedy::Start { name: name.clone() }, Remedy::Delete { name: name.clone() }]
            }
            Self::Declared { name, config } => vec![
                Remedy::RemoveEntry { file: config.clone(), key: key("standingSessions.sessions") },
                Remedy::Stop { name: name.clone() },
            ],
            Self::Unknown { name } => vec![Remedy::List, Remedy::Create { name: name.clone() }],
            Self::NotRunning { name, .. } => vec![Remedy::Start { name: name.clone() }],
            Self::OutOfReach { remedies, .. } => remedies.clone(),
            Self::Foreign { name, session, socket } => {
                vec![look(session, socket), Remedy::CloseAndStart { name: name.clone() }]
            }
            Self::Unrecorded { name, session, socket } => {
                vec![Remedy::Restore { name: name.clone() }, look(session, socket)]
            }
            Self::NotOurFolder { owner, .. } => vec![
                Remedy::SwitchUser { uid: *owner },
                Remedy::Configure { file: String::new(), key: key("state.root"), value: None },
            ],
            Self::Waiting { name, session, socket, offers, .. } => {
                let answer = offers.then(|| Remedy::Answer { name: name.clone() });
                answer.into_iter().chain([attach(session, socket), Remedy::Force]).collect()
            }
            Self::UnsentText { session, socket, .. } => vec![attach(session, socket), Remedy::Force],
            Self::NotWaiting { name, .. } => vec![Remedy::Show { name: name.clone() }],
            Self::TooLarge { .. } => vec![Remedy::UseFile],
            Self::KeyReused { .. } => vec![Remedy::NewKey],
            Self::BadRecord { path, .. } => vec![Remedy::FixFile { file: path.display().to_string() }],
            Self::TmuxSilent { .. } => vec![Remedy::Retry { seconds: None }, Remedy::Doctor],
            Self::InsideSession { config, .. } => vec![
                Remedy::LeaveSession,
                Remedy::Configure {
                    file: config.clone(),
                    key: key("standingSessions.agentsMayControl"),
                    value: Some(key("true")),
                },
            ],
            Self::CallerGone { .. } | Self::ShuttingDown => vec![Remedy::Retry { seconds: None }],
            Self::Crowded { .. } | Self::Busy { .. } => vec![Remedy::Retry { seconds: Some(BUSY_RETRY) }],
            Self::InvalidName(_) | Self::InvalidRequest(_) | Self::Misconfigured(_) | Self::Storage { .. } => {
                Vec::new()
            }
        }
    }

    /// Returns the problem document that surfaces send.
    pub fn problem(&self) -> Problem {
        Problem::new(self.code(), self.to_string()).with_remedies(self.remedies())
    }
}
