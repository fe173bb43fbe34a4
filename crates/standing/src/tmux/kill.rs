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
    /// It was killed, or was gone already.
    Gone,
    /// A session of that name is there and is not the one that was meant: it was not touched.
    NotOurs,
}

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
        let (kill, refuse) = (format!("kill-session -t {exact}"), format!("display-message -p {NOT_OURS}"));
        let output = match self.call(&["if-shell", "-F", "-t", &window, &condition, &kill, &refuse], b"") {
            Answer::Said(output) => output,
            Answer::Silent(silence) => return Answer::Silent(silence),
        };
        if output.no_server() || output.no_target() || output.server_ended() {
            return Answer::Said(KillAnswer::Gone);
        }
        if !output.status.success() {
            return Answer::Silent(output.silence());
        }
        // A missing target expands every field to nothing, so that this may also mean a session that is gone: the
        // caller's next look at the panes tells.
        let refused = String::from_utf8_lossy(&output.stdout).contains(NOT_OURS);
        Answer::Said(if refused { KillAnswer::NotOurs } else { KillAnswer::Gone })
    }
}
