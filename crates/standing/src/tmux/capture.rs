//! What a pane shows.

use super::{Answer, Pane, Tmux};

impl Tmux {
    /// The visible lines of a pane as plain text, without trailing blank lines and without control characters.
    /// `None` if the pane is gone.
    pub(crate) fn capture(&self, pane: &Pane) -> Answer<Option<String>> {
        let output = match self.call(&["capture-pane", "-p", "-J", "-t", &pane.id], b"") {
            Answer::Said(output) => output,
            Answer::Silent(silence) => return Answer::Silent(silence),
        };
        if output.no_server() || output.no_target() {
            return Answer::Said(None);
        }
        if !output.status.success() {
            return Answer::Silent(output.silence());
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let lines: Vec<String> =
            text.lines().map(|line| line.trim_end().chars().filter(|c| !c.is_control()).collect()).collect();
        Answer::Said(Some(lines.join("\n").trim_end().to_owned()))
    }
}
