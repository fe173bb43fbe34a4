//! Sleeping children that outlive their parent: this program itself, started again to do nothing.
//!
//! Each carries the environment it inherited, by which a stop finds it. It ends on its own, so a failed test leaves
//! nothing behind for long.

use std::{env, process::Command, process::Stdio, str::FromStr, thread, time::Duration};

use nix::unistd;

/// Maximum lifetime of a process without a purpose.
pub(super) const LIFETIME: Duration = Duration::from_mins(10);

/// Detachment of a child from its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sleeper {
    /// Not detached: same group, same terminal.
    Fork,
    /// In a session of its own, off the terminal.
    Setsid,
    /// In a session of its own, off the terminal, and its parent is gone.
    DoubleFork,
}

impl Sleeper {
    fn word(self) -> &'static str {
        match self {
            Self::Fork => "fork",
            Self::Setsid => "setsid",
            Self::DoubleFork => "double-fork",
        }
    }
}

impl FromStr for Sleeper {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        [Self::Fork, Self::Setsid, Self::DoubleFork]
            .into_iter()
            .find(|kind| kind.word() == word)
            .ok_or_else(|| format!("error: unknown sleeper `{word}`"))
    }
}

/// Starts a child of that kind.
pub(super) fn spawn(kind: Sleeper) -> Result<(), String> {
    let fail = |error: std::io::Error| format!("cannot start the sleeper `{}`: {error}", kind.word());
    let mut command = Command::new(env::current_exe().map_err(fail)?);
    command.args(["demo", "--sleeper", kind.word()]);
    if kind != Sleeper::Fork {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    }
    let mut child = command.spawn().map_err(fail)?;
    if kind == Sleeper::DoubleFork {
        child.wait().map_err(fail)?;
    }
    Ok(())
}

/// Runs as a child of that kind.
pub(super) fn sleep(kind: Sleeper) -> Result<(), String> {
    if kind != Sleeper::Fork {
        unistd::setsid().map_err(|error| format!("setsid: {error}"))?;
    }
    if kind == Sleeper::DoubleFork {
        return spawn(Sleeper::Fork);
    }
    thread::sleep(LIFETIME);
    Ok(())
}
