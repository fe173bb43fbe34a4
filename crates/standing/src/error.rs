//! Why a verb was refused or could not be done.
//!
//! Every message is for a person: what happened, where, and what to type next. A session that merely failed to start
//! or stop is no error but a row with [`Outcome::Failed`](wire::Outcome::Failed).

#[cfg(test)]
mod texts;

use std::{
    io,
    path::{Path, PathBuf},
};

use wire::{InvalidName, Problem, ProblemCode, SessionName};

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
    #[error("`{name}` is already declared in {config}: choose another name, or `the-loop standing start {name}`")]
    AlreadyDeclared {
        /// The name.
        name: SessionName,
        /// The config file.
        config: String,
    },
    /// Create: a record of the name exists.
    #[error(
        "`{name}` already exists: choose another name, `the-loop standing start {name}` to go on with it, or \
         `the-loop standing delete {name}` to be rid of it"
    )]
    AlreadyExists {
        /// The name.
        name: SessionName,
    },
    /// Delete: the config declares the name.
    #[error(
        "`{name}` is declared under `standingSessions.sessions` in {config}, and the next `the-loop start` would bring \
         it back: remove the entry there to be rid of it, or stop it with `the-loop standing stop {name}`"
    )]
    Declared {
        /// The name.
        name: SessionName,
        /// The config file.
        config: String,
    },
    /// No session has that name.
    #[error(
        "no standing session is called `{name}`: it is neither declared nor recorded (no record); \
         `the-loop standing list` shows those there are, `the-loop standing create {name}` makes it"
    )]
    Unknown {
        /// The name.
        name: SessionName,
    },
    /// Say: the session does not run, and a message never starts one.
    #[error(
        "`{name}` is not running ({reason}), and a message never starts a session: `the-loop standing start {name}`"
    )]
    NotRunning {
        /// The name.
        name: SessionName,
        /// What it is instead.
        reason: String,
    },
    /// Say: the harness cannot be typed to, and a start alone would not help.
    #[error("`{name}` cannot be typed to ({reason}), so nothing was typed: {remedy}")]
    OutOfReach {
        /// The name.
        name: SessionName,
        /// Why not.
        reason: String,
        /// What helps.
        remedy: String,
    },
    /// Say: the pane under that name is not ours to type into.
    #[error(
        "`{name}` is a live tmux session that the-loop did not start, so nothing was typed into it: look at it with \
         `tmux attach -r -t '={session}'`{server}; once it is closed, `the-loop standing start {name}`"
    )]
    Foreign {
        /// The name.
        name: SessionName,
        /// Its tmux session.
        session: String,
        /// Which tmux server that is on, for a person; empty for the default one.
        server: String,
    },
    /// A live session of the-loop whose record is gone: only `restore` and the operator act on it.
    #[error(
        "`{name}` runs, and its record is gone: `the-loop standing restore {name}` restores it; look at the session \
         with `tmux attach -r -t '={session}'`{server}"
    )]
    Unrecorded {
        /// The name.
        name: SessionName,
        /// Its tmux session.
        session: String,
        /// Which tmux server that is on, for a person; empty for the default one.
        server: String,
    },
    /// The state folder belongs to another user, and what was written there would lock that user out.
    #[error(
        "{}: it belongs to another user (uid {owner}), and nothing was changed: run this as that user, or choose \
         another `state.root`",
        path.display()
    )]
    NotOurFolder {
        /// The folder.
        path: PathBuf,
        /// The user it belongs to.
        owner: u32,
    },
    /// Say: the session shows a dialog, and a pasted Enter would answer it.
    #[error(
        "`{name}` waits for an answer to its own question, so nothing was typed: {question}\n{}answer it in \
         `tmux attach -t '={session}'`{server}, or send anyway with `--force`",
        offered(name, *offers)
    )]
    Waiting {
        /// The name.
        name: SessionName,
        /// Its tmux session.
        session: String,
        /// Which tmux server that is on, for a person; empty for the default one.
        server: String,
        /// The question as the screen shows it.
        question: String,
        /// Whether it offers answers that `answer` can choose.
        offers: bool,
    },
    /// Say: text that was not submitted stands in the input box, and a paste would join it.
    #[error(
        "the input box of `{name}` holds text that was not sent, so nothing was typed: {text}\nsend or clear it in \
         `tmux attach -t '={session}'`{server}, or use `--force` to send that text first and the message after it"
    )]
    UnsentText {
        /// The name.
        name: SessionName,
        /// Its tmux session.
        session: String,
        /// Which tmux server that is on, for a person; empty for the default one.
        server: String,
        /// The text in the box, as the screen shows it.
        text: String,
    },
    /// Answer: the session does not ask what is to be answered.
    #[error("nothing was chosen in `{name}`: {reason}; `the-loop standing get {name}` shows what it asks")]
    NotWaiting {
        /// The name.
        name: SessionName,
        /// What it shows instead.
        reason: String,
    },
    /// Say: the message is over the limit.
    #[error("the message has {found} bytes and the limit is {limit}: put it in a file and say where it is")]
    TooLarge {
        /// Its size in bytes.
        found: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// Say: the same idempotency key came with another message.
    #[error("the idempotency key was used for another message to `{name}`: use a new key for a new message")]
    KeyReused {
        /// The name.
        name: SessionName,
    },
    /// The config cannot be used, with every reason.
    #[error("{0}")]
    Misconfigured(#[from] ConfigProblems),
    /// A record cannot be read; it is never overwritten.
    #[error("{}: the record of `{name}` cannot be read ({reason}): mend the file or move it away; nothing was changed", path.display())]
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
    #[error("tmux did not answer ({reason}): nothing was done; try again, and `the-loop doctor` tells more")]
    TmuxSilent {
        /// How it did not answer.
        reason: String,
    },
    /// The caller is an agent inside a session, and agents do not control sessions.
    #[error(
        "{} may not {doing}: agents do not control sessions, so that none can end the one that supervises it. If you \
         are the operator, use a terminal that was not opened from inside a session, or the Standing screen; \
         `standingSessions.agentsMayControl: true` in {config} allows it to every session",
        inside(session.as_ref())
    )]
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
        "could not determine who asked to {doing}, because the connection was closed before the answer: nothing was \
         done; send it again and wait for the answer"
    )]
    CallerGone {
        /// What it asked for.
        doing: &'static str,
    },
    /// The service is shutting down, and the verb had not begun.
    #[error("the service is shutting down, and nothing was done: send it again when the service is back")]
    ShuttingDown,
    /// Too many callers wait for the session already.
    #[error("{waiting} requests wait for `{name}` already: try again in some seconds")]
    Crowded {
        /// The name.
        name: SessionName,
        /// How many.
        waiting: usize,
    },
    /// Another verb holds the session.
    #[error(
        "`{name}` is held by another verb ({holder}) for longer than {waited_seconds} s: try again when it is done"
    )]
    Busy {
        /// The name.
        name: SessionName,
        /// Who holds it, as far as is known.
        holder: String,
        /// How long was waited.
        waited_seconds: u64,
    },
}

fn inside(session: Option<&SessionName>) -> String {
    session.map_or_else(
        || "a process inside a standing session".to_owned(),
        |name| format!("a process inside the standing session `{name}`"),
    )
}

/// How a question is answered from here, where that can be done.
fn offered(name: &SessionName, offers: bool) -> String {
    if offers {
        format!("`the-loop standing answer {name}` shows its answers and chooses one; or ")
    } else {
        String::new()
    }
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

    /// The problem document that surfaces send.
    pub fn problem(&self) -> Problem {
        Problem::new(self.code(), self.to_string())
    }
}
