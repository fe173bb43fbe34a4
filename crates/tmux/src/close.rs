//! Ends sessions and panes, only if they are still the intended ones.
//!
//! It also removes a dead retained pane before the next start, and makes a server that missed the end of a child look
//! again.

use std::{
    env,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use process::{ProcessHold, ProcessIdentity, command_name};
use rustix::process::Signal;
use wire::SessionName;

use super::{Answer, Pane, Tmux};

/// Maximum number of looks until tmux notices that a program has ended.
const LOOKS: u32 = 40;

/// Number of looks for a pane that an operator has moved elsewhere.
const LOOKS_ELSEWHERE: u32 = 20;

/// Time between two looks.
const INTERVAL: Duration = Duration::from_millis(25);

/// Result of a kill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KillAnswer {
    /// The session was killed or was gone already, and these panes with it.
    Gone(Vec<Closed>),
    /// A session of that name exists but is not the intended one: it was not touched.
    NotOurs,
}

/// Pane that was closed with its session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closed {
    /// tmux pane id, `%N`.
    pub id: String,
    pid: String,
    dead: bool,
    command: String,
}

impl Closed {
    /// Describes what the pane ran, for people; `None` if its program had ended.
    pub fn told(&self) -> Option<String> {
        (!self.dead).then(|| format!("{} (pid {})", self.command, self.pid))
    }

    fn parse(line: &str) -> Option<Self> {
        let mut words = line.strip_prefix(CLOSED)?.splitn(4, ' ').map(str::to_owned);
        Some(Self { id: words.next()?, pid: words.next()?, dead: words.next()? == "1", command: words.next()? })
    }
}

const CLOSED: &str = "closed ";

/// Closes the pane that this process runs in. Only for a pane that should never have been created.
pub fn close_this_pane() {
    if let Some(pane) = env::var_os("TMUX_PANE") {
        // The server is the one that `TMUX` names, which a pane finds in its environment.
        let _ = Command::new("tmux").args(["kill-pane", "-t"]).arg(pane).stdout(Stdio::null()).status();
    }
}

const NOT_OURS: &str = "not-ours";

impl Tmux {
    /// Ends the whole server. Only for a server that is not shared.
    pub fn end_server(&self) {
        let _ = self.call(&["kill-server"], b"");
    }

    /// Kills the session of that name if its `@loop_id` is `loop_id` (empty for a session that never had one).
    pub fn kill(&self, name: &SessionName, loop_id: &str) -> Answer<KillAnswer> {
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
        // A missing target expands every field to nothing, so this may also mean a session that is gone: the caller's
        // next look at the panes decides.
        let refused = said.lines().any(|line| line == NOT_OURS);
        Answer::Said(if refused { KillAnswer::NotOurs } else { KillAnswer::Gone(closed) })
    }

    /// Removes a session whose only pane is dead. The same invocation checks that the pane is dead and kills it. A
    /// session that came back to life meanwhile is left alone, as the caller's next look shows.
    pub fn clear_dead(&self, name: &SessionName, pane: &Pane) -> Answer<()> {
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

    /// Closes the retained pane of a spawn whose program has ended, wherever an operator has moved it: under another
    /// name, or into another session. Other panes there are left alone.
    pub fn clear_elsewhere(&self, loop_id: &str) {
        let format = "#{@loop_pane} #{pane_id}";
        for _ in 0..LOOKS_ELSEWHERE {
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

    /// Makes the server notice that the program of a pane has ended, and waits until it reports the end and its cause.
    /// 3.3a sometimes misses the end until another child ends. The pane then counts as alive and is neither cleared nor
    /// respawned, or it counts as dead without a cause.
    pub fn wake(&self, pane: &Pane) {
        for _ in 0..LOOKS {
            if ProcessIdentity::of(pane.pid).is_some() {
                return;
            }
            let server = ProcessHold::of(pane.server_pid).filter(is_tmux);
            // SIGCHLD is the signal that the server expects for this; it has no effect if there is nothing to notice.
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
