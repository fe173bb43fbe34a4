//! A dead retained pane makes room for the next start, if nothing else lives in its session.

use std::{thread, time::Duration};

use wire::SessionName;

use super::{Answer, Pane, Tmux};

/// How long tmux may take to notice that a program has ended, and how often it is asked.
const LOOKS: u32 = 20;
const INTERVAL: Duration = Duration::from_millis(25);

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

    /// Closes the retained pane of a spawn whose program has ended, wherever an operator has taken it to: under another
    /// name, into another session. What else stands there is left alone.
    pub(crate) fn clear_elsewhere(&self, loop_id: &str) {
        let format = "#{@loop_pane} #{pane_id}";
        for _ in 0..LOOKS {
            let Answer::Said(output) = self.call(&["list-panes", "-a", "-F", format], b"") else { return };
            let listed = String::from_utf8_lossy(&output.stdout);
            let Some(pane) = listed.lines().find_map(|line| line.strip_prefix(loop_id)?.strip_prefix(' ')) else {
                return;
            };
            let ended = format!("#{{&&:#{{pane_dead}},#{{==:#{{@loop_pane}},{loop_id}}}}}");
            // A pane that counts as alive is looked at again.
            let _ = self.call(&["if-shell", "-F", "-t", pane, &ended, &format!("kill-pane -t {pane}"), ""], b"");
            thread::sleep(INTERVAL);
        }
    }
}
