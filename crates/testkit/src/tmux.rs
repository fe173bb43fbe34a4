//! A private tmux server for a test.

use std::{
    env, fs,
    path::PathBuf,
    process::{Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::{Pid, getuid},
};
use uuid::Uuid;

use crate::processes;

/// A private server under a unique `-L` name. It starts with its first session. Dropping this ends that server and no
/// other, and removes its socket.
#[derive(Debug)]
pub struct PrivateTmux {
    name: String,
}

impl PrivateTmux {
    /// Chooses a name that no server has.
    #[expect(clippy::new_without_default, reason = "each is another one, which `default` would not say")]
    pub fn new() -> Self {
        Self { name: format!("loop-test-{}", Uuid::new_v4().simple()) }
    }

    /// Returns the `-L` name, for `routing.tmux.socket`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Runs one tmux command on this server.
    ///
    /// # Panics
    ///
    /// If tmux could not be run at all.
    pub fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().expect("tmux runs")
    }

    /// Returns the names of its sessions, sorted; none if there is no server.
    pub fn sessions(&self) -> Vec<String> {
        let listed = self.run(&["list-sessions", "-F", "#{session_name}"]);
        let mut names: Vec<String> = String::from_utf8_lossy(&listed.stdout).lines().map(str::to_owned).collect();
        names.sort();
        names
    }

    /// Returns the screen of a session's active pane, with wrapped lines joined; empty if there is none.
    pub fn screen(&self, session: &str) -> String {
        let shown = self.run(&["capture-pane", "-p", "-J", "-t", &format!("={session}:")]);
        String::from_utf8_lossy(&shown.stdout).into_owned()
    }

    /// Starts an unmanaged session, which shows its name and waits.
    ///
    /// # Panics
    ///
    /// If tmux refuses.
    pub fn start_foreign(&self, session: &str) {
        let made = self.run(&["new-session", "-d", "-s", session, "--", "sh", "-c", "echo foreign; exec sleep 600"]);
        assert!(made.status.success(), "tmux: {}", String::from_utf8_lossy(&made.stderr));
    }

    /// Ends this server, if it is running, and removes its socket.
    pub fn end(&self) {
        self.ask_to_end();
        // A server or client that did not react still has the unique name among its arguments.
        for pid in processes::with_argument(&self.name) {
            let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
        }
        let _ = fs::remove_file(self.socket());
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new("tmux");
        command.args(["-u", "-f", "/dev/null", "-L", &self.name]).args(args);
        command.env_remove("TMUX").env_remove("TMUX_PANE").stdin(Stdio::null());
        command
    }

    fn socket(&self) -> PathBuf {
        let folder = env::var_os("TMUX_TMPDIR").map_or_else(|| PathBuf::from("/tmp"), PathBuf::from);
        folder.join(format!("tmux-{}", getuid())).join(&self.name)
    }

    /// Requests the end of the server, with a timeout: a stopped server never answers.
    fn ask_to_end(&self) {
        let asked = self.command(&["kill-server"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let Ok(mut client) = asked else { return };
        let begun = Instant::now();
        while matches!(client.try_wait(), Ok(None)) && begun.elapsed() < Duration::from_secs(2) {
            thread::sleep(Duration::from_millis(5));
        }
        let _ = client.kill();
        let _ = client.wait();
    }
}

impl Drop for PrivateTmux {
    fn drop(&mut self) {
        self.end();
    }
}
