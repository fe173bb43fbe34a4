//! The end of a session, only if it is still the one that is meant.

use std::{
    env,
    process::{Command, Stdio},
};

use wire::SessionName;

use super::{Answer, Tmux};

/// What came of a kill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum KillAnswer {
    /// It was killed, or was gone already, and with it these panes.
    Gone(Vec<Closed>),
    /// A session of that name is there and is not the one that was meant: it was not touched.
    NotOurs,
}

/// A pane that went with its session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Closed {
    /// `%N`.
    pub(crate) id: String,
    pid: String,
    dead: bool,
    command: String,
}

impl Closed {
    /// What it ran, for a person; `None` if that had ended.
    pub(crate) fn told(&self) -> Option<String> {
        (!self.dead).then(|| format!("{} (pid {})", self.command, self.pid))
    }

    fn parse(line: &str) -> Option<Self> {
        let mut words = line.strip_prefix(CLOSED)?.splitn(4, ' ').map(str::to_owned);
        Some(Self { id: words.next()?, pid: words.next()?, dead: words.next()? == "1", command: words.next()? })
    }
}

const CLOSED: &str = "closed ";

/// Closes the pane that this process runs in. Only for a pane that should never have come to be.
pub(crate) fn close_this_pane() {
    if let Some(pane) = env::var_os("TMUX_PANE") {
        // The server is the one that `TMUX` names, which a pane finds in its environment.
        let _ = Command::new("tmux").args(["kill-pane", "-t"]).arg(pane).stdout(Stdio::null()).status();
    }
}

const NOT_OURS: &str = "not-ours";

impl Tmux {
    /// Ends the whole server. Only for one that is nobody else's.
    pub(crate) fn end_server(&self) {
        let _ = self.call(&["kill-server"], b"");
    }

    /// Kills the session of that name if its `@loop_id` is `loop_id` (empty for a session that never had one).
    pub(crate) fn kill(&self, name: &SessionName, loop_id: &str) -> Answer<KillAnswer> {
        let session = name.tmux_session();
        let (exact, window) = (format!("={session}"), format!("={session}:"));
        let condition = format!("#{{==:#{{@loop_id}},{loop_id}}}");
        let listed = format!("{CLOSED}#{{pane_id}} #{{pane_pid}} #{{pane_dead}} #{{pane_current_command}}");
        let kill = format!("list-panes -s -t {exact} -F '{listed}' ; kill-session -t {exact}");
        let refuse = format!("display-message -p {NOT_OURS}");
        let output = match self.call(&["if-shell", "-F", "-t", &window, &condition, &kill, &refuse], b"") {
            Answer::Said(output) => output,
            Answer::Silent(silence) => return Answer::Silent(silence),
        };
        let said = String::from_utf8_lossy(&output.stdout);
        let closed: Vec<Closed> = said.lines().filter_map(Closed::parse).collect();
        if output.no_server() || output.no_target() || output.server_ended() {
            return Answer::Said(KillAnswer::Gone(closed));
        }
        if !output.status.success() {
            return Answer::Silent(output.silence());
        }
        // A missing target expands every field to nothing, so that this may also mean a session that is gone: the
        // caller's next look at the panes tells.
        let refused = said.lines().any(|line| line == NOT_OURS);
        Answer::Said(if refused { KillAnswer::NotOurs } else { KillAnswer::Gone(closed) })
    }
}
