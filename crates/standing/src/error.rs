//! Errors of the verbs.
//!
//! A message says what failed and why; [`Error::remedies`] says what to do, so that each surface can show it in its
//! own form. A session that failed to start or stop is not an error but a row with
//! [`Outcome::Failed`](wire::Outcome::Failed).

#[cfg(test)]
mod texts;

use std::{
    io,
    path::{Path, PathBuf},
};

use wire::{InvalidName, Problem, ProblemCode, Remedy, SessionName};

use crate::config::ConfigProblems;

/// Error of a verb that was refused or failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The name does not follow the pattern.
    #[error(transparent)]
    InvalidName(#[from] InvalidName),
    /// The request is valid and cannot be done as asked; the text says why.
    #[error("{0}")]
    InvalidRequest(String),
    /// Create: the config declares the name.
    #[error("`{name}` is already declared in {config}")]
    AlreadyDeclared {
        /// Name of the session.
        name: SessionName,
        /// Config file.
        config: String,
    },
    /// Create: the name is already recorded.
    #[error("`{name}` already exists")]
    AlreadyExists {
        /// Name of the session.
        name: SessionName,
    },
    /// Delete: the config declares the name.
    #[error("`{name}` is declared in {config}, and the next `the-loop start` would create it again")]
    Declared {
        /// Name of the session.
        name: SessionName,
        /// Config file.
        config: String,
    },
    /// No session has this name.
    #[error("no session named `{name}`: neither declared nor recorded (no record)")]
    Unknown {
        /// Name of the session.
        name: SessionName,
    },
    /// Turn: no message with this id was sent to the session, or it was too long ago.
    #[error("no message with the id `{id}` is known in `{name}`")]
    UnknownMessage {
        /// Name of the session.
        name: SessionName,
        /// Id of the message.
        id: String,
    },
    /// Say: the session is not running, and a message never starts a session.
    #[error("`{name}` is not running ({reason}), and a message never starts a session")]
    NotRunning {
        /// Name of the session.
        name: SessionName,
        /// State of the session.
        reason: String,
    },
    /// Say: the pane cannot be typed into, and a start alone would not help.
    #[error("could not type into `{name}` ({reason})")]
    OutOfReach {
        /// Name of the session.
        name: SessionName,
        /// Reason.
        reason: String,
        /// Actions that help.
        remedies: Vec<Remedy>,
    },
    /// Say: the tmux session of this name is not managed by the-loop.
    #[error("the tmux session `{session}` is not managed by the-loop, so nothing was typed into it")]
    Foreign {
        /// Name of the session.
        name: SessionName,
        /// Name of the tmux session.
        session: String,
        /// Name of the tmux socket; empty for the default one.
        socket: String,
    },
    /// Pane: the tmux session of this name is not managed by the-loop.
    #[error("the tmux session `{session}` is not managed by the-loop, so its pane is not shown")]
    NotShown {
        /// Name of the tmux session.
        session: String,
        /// Name of the tmux socket; empty for the default one.
        socket: String,
    },
    /// Terminal: the session has no pane in which its harness is running.
    #[error("could not open a terminal of `{name}` ({reason})")]
    NoTerminal {
        /// Name of the session.
        name: SessionName,
        /// Reason.
        reason: String,
        /// Actions that help.
        remedies: Vec<Remedy>,
    },
    /// A live session of the-loop has lost its record: only `restore` and the operator act on it.
    #[error("`{name}` is running, but its record is missing")]
    Unrecorded {
        /// Name of the session.
        name: SessionName,
        /// Name of the tmux session.
        session: String,
        /// Name of the tmux socket; empty for the default one.
        socket: String,
    },
    /// The state folder belongs to another user. Files written to it would lock that user out.
    #[error("{}: owned by another user (uid {owner}), so nothing was changed", path.display())]
    NotOurFolder {
        /// State folder.
        path: PathBuf,
        /// Owner of the folder.
        owner: u32,
    },
    /// Say: the session shows a prompt, and the Enter after a paste would answer it.
    #[error("`{name}` is waiting for an answer to a prompt, so nothing was typed:\n{question}")]
    Waiting {
        /// Name of the session.
        name: SessionName,
        /// Name of the tmux session.
        session: String,
        /// Name of the tmux socket; empty for the default one.
        socket: String,
        /// Prompt, as the screen shows it.
        question: String,
        /// True if the prompt offers answers that `answer` can select.
        offers: bool,
    },
    /// Say: the input box contains unsent text, and a paste would be appended to it.
    #[error("the input box of `{name}` contains unsent text, so nothing was typed:\n{text}")]
    UnsentText {
        /// Name of the session.
        name: SessionName,
        /// Name of the tmux session.
        session: String,
        /// Name of the tmux socket; empty for the default one.
        socket: String,
        /// Text in the box, as the screen shows it.
        text: String,
    },
    /// Answer: the session does not show the prompt that should be answered.
    #[error("nothing was selected in `{name}`: {reason}")]
    NotWaiting {
        /// Name of the session.
        name: SessionName,
        /// Reason, with what the session shows instead.
        reason: String,
    },
    /// Say: the message exceeds the size limit.
    #[error("the message has {found} bytes and the limit is {limit}")]
    TooLarge {
        /// Size of the message in bytes.
        found: usize,
        /// Limit in bytes.
        limit: usize,
    },
    /// Say: the idempotency key was already used for another message.
    #[error("the idempotency key was already used for another message to `{name}`")]
    KeyReused {
        /// Name of the session.
        name: SessionName,
    },
    /// The config is invalid; lists every reason.
    #[error("{0}")]
    Misconfigured(#[from] ConfigProblems),
    /// A record could not be read. It is never overwritten.
    #[error("{}: could not read the record of `{name}` ({reason}), so nothing was changed", path.display())]
    BadRecord {
        /// Name of the session.
        name: SessionName,
        /// File of the record.
        path: PathBuf,
        /// Reason, with its position in the file.
        reason: String,
    },
    /// The state folder could not be read or written.
    #[error("{}: {doing}: {source}", path.display())]
    Storage {
        /// File or folder.
        path: PathBuf,
        /// Failed operation.
        doing: &'static str,
        /// Cause.
        #[source]
        source: io::Error,
    },
    /// tmux did not answer. Silence is not absence, so nothing was done.
    #[error("tmux did not answer ({reason}), so nothing was done")]
    TmuxSilent {
        /// Reason: the kind of silence.
        reason: String,
    },
    /// The caller is an agent inside a session, and agents do not control sessions.
    #[error("{} may not {doing}: agents do not control sessions", inside(session.as_ref()))]
    InsideSession {
        /// Session that the caller runs in, if known.
        session: Option<SessionName>,
        /// Requested action.
        doing: &'static str,
        /// Config file.
        config: String,
    },
    /// The caller closed its connection before it could be identified.
    #[error(
        "could not determine who asked to {doing}, because the connection was closed before the answer, so nothing was done"
    )]
    CallerGone {
        /// Requested action.
        doing: &'static str,
    },
    /// The service is shutting down, and the verb had not begun.
    #[error("the service is shutting down, so nothing was done")]
    ShuttingDown,
    /// Too many callers are already waiting for the session.
    #[error("`{name}` is busy: {waiting} requests are waiting for it")]
    Crowded {
        /// Name of the session.
        name: SessionName,
        /// Number of waiting callers.
        waiting: usize,
    },
    /// Another verb holds the session.
    #[error("`{name}` is busy: {holder} has held it for more than {waited_seconds} s")]
    Busy {
        /// Name of the session.
        name: SessionName,
        /// Holder of the session, as far as is known.
        holder: String,
        /// Seconds that the caller waited.
        waited_seconds: u64,
    },
}

/// Seconds to wait before a retry on a busy session.
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

impl From<tmux::Silence> for Error {
    fn from(silence: tmux::Silence) -> Self {
        Self::TmuxSilent { reason: silence.0 }
    }
}

/// Wraps an I/O error as a storage error, as a function for `map_err`.
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
    /// Returns the stable code that surfaces answer with.
    pub fn code(&self) -> ProblemCode {
        match self {
            Self::InvalidName(_) => ProblemCode::InvalidName,
            Self::InvalidRequest(_) => ProblemCode::InvalidRequest,
            Self::AlreadyDeclared { .. } | Self::AlreadyExists { .. } => ProblemCode::NameTaken,
            Self::Declared { .. } => ProblemCode::Declared,
            Self::Unknown { .. } => ProblemCode::UnknownSession,
            Self::UnknownMessage { .. } => ProblemCode::UnknownMessage,
            Self::NotRunning { .. }
            | Self::OutOfReach { .. }
            | Self::Foreign { .. }
            | Self::NotShown { .. }
            | Self::NoTerminal { .. }
            | Self::Unrecorded { .. } => ProblemCode::NotRunning,
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

    /// Returns the actions that help, most likely first; empty if none is known.
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
            Self::UnknownMessage { .. } => Vec::new(),
            Self::NotRunning { name, .. } => vec![Remedy::Start { name: name.clone() }],
            Self::OutOfReach { remedies, .. } | Self::NoTerminal { remedies, .. } => remedies.clone(),
            Self::Foreign { name, session, socket } => {
                vec![look(session, socket), Remedy::CloseAndStart { name: name.clone() }]
            }
            Self::NotShown { session, socket } => vec![look(session, socket)],
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
