//! A dead retained pane makes room for the next start, if nothing else lives in its session.

use wire::SessionName;

use super::{Answer, Pane, Tmux};

impl Tmux {
    /// Removes a session whose only pane is dead. The pane's death is checked in the same invocation as the kill; a
    /// session that came back to life meanwhile is left alone, as the caller's next look shows.
    pub(crate) fn clear_dead(&self, name: &SessionName, pane: &Pane) -> Answer<()> {
        let exact = format!("={}", name.tmux_session());
        let alone = "#{&&:#{pane_dead},#{&&:#{==:#{window_panes},1},#{==:#{session_windows},1}}}";
        let kill = format!("kill-session -t {exact}");
        match self.call(&["if-shell", "-F", "-t", &pane.id, alone, &kill, ""], b"") {
            Answer::Silent(silence) => Answer::Silent(silence),
            Answer::Said(output) if output.status.success() || output.no_server() || output.no_target() => {
                Answer::Said(())
            }
            Answer::Said(output) if output.server_ended() => Answer::Said(()),
            Answer::Said(output) => Answer::Silent(output.silence()),
        }
    }
}
