//! A server that has missed the end of a child is made to look again.

use std::{thread, time::Duration};

use rustix::process::Signal;

use super::{Answer, Pane, Tmux};
use process::{ProcessHold, ProcessIdentity, command_name};

/// How long the server may take to notice, and how often it is asked.
const LOOKS: u32 = 40;
const INTERVAL: Duration = Duration::from_millis(25);

impl Tmux {
    /// Makes the server notice that the program of a pane has ended, and waits until it says so and how. Now and then
    /// 3.3a misses that, until another child ends: the pane counts as alive, and is neither cleared nor respawned, or
    /// it counts as dead and nobody knows of what.
    pub(crate) fn wake(&self, pane: &Pane) {
        for _ in 0..LOOKS {
            if ProcessIdentity::of(pane.pid).is_some() {
                return;
            }
            let server = ProcessHold::of(pane.server_pid).filter(is_tmux);
            // It is the server's own signal for that, and does nothing where there is nothing to notice.
            if server.is_none_or(|server| server.signal(Signal::CHILD).is_err()) {
                return;
            }
            match self.panes() {
                Answer::Said(panes) if panes.any(|listed| listed.id == pane.id && !listed.is_told()) => {}
                Answer::Said(_) | Answer::Silent(_) => return,
            }
            thread::sleep(INTERVAL);
        }
    }
}

fn is_tmux(held: &ProcessHold) -> bool {
    command_name(held.identity.pid).starts_with("tmux")
}
