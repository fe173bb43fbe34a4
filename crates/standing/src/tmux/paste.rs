//! A message into a pane: checked, pasted and submitted in one invocation.

use std::time::Duration;

use super::{Answer, Pane, Tmux};

/// What came of a paste.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PasteAnswer {
    /// tmux took the text and the Enter for that pane. It proves no more than that.
    Pasted,
    /// The pane is dead, gone, or no longer ours: nothing was typed.
    Refused,
}

const REFUSED: &str = "refused";

impl Tmux {
    /// Pastes `text` into a pane, waits `gap` and presses Enter. Nothing is typed unless the pane is alive and still
    /// carries its `@loop_pane`: a paste into a dead pane takes the whole 3.3a server down, so that check cannot be a
    /// call of its own.
    ///
    /// Invariant: `text` has gone through the text policy; an escape character would end the frame.
    pub(crate) fn paste(&self, pane: &Pane, text: &[u8], gap: Duration) -> Answer<PasteAnswer> {
        let buffer = format!("loop-{}", uuid::Uuid::new_v4().simple());
        let (id, seconds) = (&pane.id, gap.as_secs_f64());
        // Order matters: copy mode would eat the frame of the paste and the Enter; the buffer's name is nobody else's.
        let deliver = format!(
            "copy-mode -q -t {id} ; load-buffer -b {buffer} - ; paste-buffer -d -p -r -b {buffer} -t {id} ; \
             run-shell -d {seconds:.3} ; send-keys -t {id} Enter"
        );
        self.guarded(pane, &deliver, text)
    }

    /// Presses Enter in a pane, under the same check.
    pub(crate) fn press_enter(&self, pane: &Pane) -> Answer<PasteAnswer> {
        self.guarded(pane, &format!("send-keys -t {} Enter", pane.id), b"")
    }

    fn guarded(&self, pane: &Pane, commands: &str, stdin: &[u8]) -> Answer<PasteAnswer> {
        let unfit = format!("#{{||:#{{pane_dead}},#{{!=:#{{@loop_pane}},{}}}}}", pane.pane_loop_id);
        let refuse = format!("display-message -p {REFUSED}");
        let output = match self.call(&["if-shell", "-F", "-t", &pane.id, &unfit, &refuse, commands], stdin) {
            Answer::Said(output) => output,
            Answer::Silent(silence) => return Answer::Silent(silence),
        };
        if output.no_server() || output.no_target() || String::from_utf8_lossy(&output.stdout).contains(REFUSED) {
            return Answer::Said(PasteAnswer::Refused);
        }
        if output.status.success() && output.stderr.is_empty() {
            return Answer::Said(PasteAnswer::Pasted);
        }
        Answer::Silent(output.silence())
    }
}
