//! Spawns a new session with all its options and marks, in one invocation.

use std::path::Path;

use wire::SessionName;

use super::{Answer, Pane, Silence, Tmux};

/// Width of a session without an attached client.
const COLUMNS: &str = "200";
const ROWS: &str = "50";

/// Session to spawn.
#[derive(Clone, Copy, Debug)]
pub struct Spawn<'a> {
    /// Name of the session.
    pub name: &'a SessionName,
    /// Id that marks session and pane as managed.
    pub loop_id: &'a str,
    /// Mark of the state folder that it belongs to.
    pub root: &'a str,
    /// Text that the session carries for its owner, of at most [`KEPT_LIMIT`] bytes; empty for none.
    pub kept: &'a str,
    /// Working directory. It must have been checked, since tmux silently replaces a missing one.
    pub cwd: &'a Path,
    /// Spec file of the launcher.
    pub spec: &'a Path,
}

/// Result of a spawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpawnAnswer {
    /// The session was created. The probe determines whether its program runs.
    Spawned,
    /// A session of that name exists; it was not touched.
    NameTaken,
    /// The server ended meanwhile: with its last session before this one, or with this one.
    ServerEnded,
    /// tmux refused, for the reason it gave.
    Refused(String),
}

/// Escapes a word so that tmux takes it literally: a `;` at its end would separate two commands.
fn word(text: &str) -> String {
    match text.strip_suffix(';') {
        Some(rest) => format!("{rest}\\;"),
        None => text.to_owned(),
    }
}

/// Returns the hook that restores a window's own size when the last attached client leaves: a small terminal must not
/// leave the harness with an unreadable screen.
fn restore_size(session: &str) -> String {
    let window = format!("={session}:^");
    format!(
        "if-shell -F -t {window} '#{{session_attached}}' '' \
         'resize-window -t {window} -x {COLUMNS} -y {ROWS} ; set-option -w -t {window} window-size largest'"
    )
}

/// Returns the command that drains a program's output into a pipe. When a program ends, 3.3a drops output that it has
/// not read yet, unless the pane is piped. Without the pipe that was 5 of 60 quick exits, whose last output tells the
/// cause. With the pipe it is 3 of 510, where the kernel had not passed on everything when tmux learned of the end.
fn begin_drain(pane: &str) -> String {
    // Quoted: a brace in a command begins a block.
    format!("set-option -p -t \"{pane}\" {DRAIN} 1 ; pipe-pane -t \"{pane}\" 'exec env -i cat >/dev/null'")
}

const DRAIN: &str = "@loop_drain";

/// Option that holds the text that a session carries.
const KEPT: &str = "@loop_record";

/// Maximum length of the text that a session carries: tmux takes no command of more than 16 KiB.
pub const KEPT_LIMIT: usize = 6000;

impl Tmux {
    /// Ends the drain once a program has proven to run. A pipe that another program set up stays.
    pub fn end_drain(&self, pane: &Pane) {
        let (id, ours) = (&pane.id, format!("#{{{DRAIN}}}"));
        let end = format!("set-option -p -u -t {id} {DRAIN} ; pipe-pane -t {id}");
        // A drain that continues costs only a sleeping process.
        let _ = self.call(&["if-shell", "-F", "-t", id, &ours, &end, ""], b"");
    }

    /// Returns the text that a session carries; `None` if it has none.
    pub fn kept(&self, name: &SessionName) -> Answer<Option<String>> {
        let window = format!("={}:", name.tmux_session());
        match self.call(&["show-options", "-v", "-t", &window, KEPT], b"") {
            Answer::Silent(silence) => Answer::Silent(silence),
            Answer::Said(output) if output.status.success() => {
                let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
                Answer::Said(Some(text).filter(|text| !text.is_empty()))
            }
            // An option that a session does not have is an error to tmux.
            Answer::Said(_) => Answer::Said(None),
        }
    }

    /// Spawns a session. After silence it may still be created later.
    pub fn spawn(&self, spawn: &Spawn<'_>) -> Answer<SpawnAnswer> {
        let session = spawn.name.tmux_session();
        // `=name:` for every option, including the session's own: a bare `=name` is not a target for them. A hook of
        // the operator may have made other windows and panes by then: the-loop's are the first ones.
        let target = format!("={session}:");
        let window = format!("={session}:^");
        let pane = format!("={session}:^.{{top-left}}");
        let (Some(exe), Some(spec), Some(cwd)) = (self.exe.to_str(), spawn.spec.to_str(), spawn.cwd.to_str()) else {
            return Answer::Said(SpawnAnswer::Refused("a path is not UTF-8, which tmux does not support".to_owned()));
        };
        // tmux would run a `#(…)` in a directory's name.
        let (exe, spec, cwd) = (word(exe), word(spec), word(&cwd.replace('#', "##")));
        let (exe, spec, cwd) = (exe.as_str(), spec.as_str(), cwd.as_str());
        let remain = if self.remain_on_exit { "on" } else { "off" };
        let restore = restore_size(&session);
        let drain = if self.remain_on_exit { begin_drain(&pane) } else { String::new() };
        #[rustfmt::skip]
        let args = [
            // tmux execs two or more words directly; one word would go through a shell.
            "new-session", "-d", "-s", &session, "-x", COLUMNS, "-y", ROWS, "-c", cwd, "--", exe, "launch", spec,
            // The marks come first: whatever fails after them, the session can be identified.
            ";", "set-option", "-w", "-t", &window, "remain-on-exit", remain,
            ";", "set-option", "-t", &target, "@loop_id", spawn.loop_id,
            ";", "set-option", "-p", "-t", &pane, "@loop_pane", spawn.loop_id,
            ";", "set-option", "-t", &target, "@loop_root", spawn.root,
            ";", "set-option", "-t", &target, KEPT, spawn.kept,
            // Both would end a session without attached clients; the second is an option of the whole server.
            ";", "set-option", "-t", &target, "destroy-unattached", "off",
            ";", "if-shell", "-F", "#{exit-unattached}", "set-option -s exit-unattached off",
            ";", "set-option", "-w", "-t", &window, "window-size", "largest",
            ";", "set-hook", "-t", &target, "client-detached", &restore,
            ";", "if-shell", "-F", "-t", &pane, "#{pane_pipe}", "", &drain,
        ];
        let output = match self.call_by(&self.scope(), &args, b"") {
            Answer::Said(output) => output,
            Answer::Silent(silence) => return Answer::Silent(silence),
        };
        if output.stderr.contains("duplicate session") {
            return Answer::Said(SpawnAnswer::NameTaken);
        }
        if output.status.success() {
            return Answer::Said(SpawnAnswer::Spawned);
        }
        // With `remain-on-exit off` an instantly exiting pane ends its session before the options are set.
        if output.no_target() {
            return Answer::Said(SpawnAnswer::Spawned);
        }
        if output.server_ended() {
            return Answer::Said(SpawnAnswer::ServerEnded);
        }
        match output.silence() {
            silence if output.no_server() => Answer::Silent(silence),
            Silence(reason) => Answer::Said(SpawnAnswer::Refused(reason)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_semicolon_at_the_end_stays_in_its_word() {
        assert_eq!(word("/a;b"), "/a;b");
        assert_eq!(word("/a;"), "/a\\;");
        assert_eq!(word("/a\\;"), "/a\\\\;");
    }
}
