//! A newcomer's machine: an empty home, an empty project, an empty tmux, a network of its own, and `the-loop` on PATH.
//!
//! The network is a namespace with nothing but loopback, so that the port in the documents is free, and no command can
//! reach anything else.

use std::{
    env,
    fmt::Write as _,
    fs,
    os::unix::{fs::symlink, process::CommandExt as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use tempfile::TempDir;
use uuid::Uuid;

use super::blocks::{Block, Kind};
use crate::app::THE_LOOP;

/// Timeout for one document.
const CAP: Duration = Duration::from_mins(3);

/// Command line that runs the rest of its arguments in a network of its own.
pub(super) struct Network(Vec<&'static str>);

/// Finds out how this user gets a network of their own.
pub(super) fn network() -> Result<Network, String> {
    let up = "ip link set lo up";
    for way in [&["unshare", "--net"][..], &["unshare", "--user", "--map-current-user", "--keep-caps", "--net"]] {
        let tried = Command::new(way[0]).args(&way[1..]).args(["--", "sh", "-c", up]).output();
        if tried.is_ok_and(|output| output.status.success()) {
            return Ok(Network(way.to_vec()));
        }
    }
    Err("a network namespace is not available here (it needs `unshare`, `ip` and the permission)".to_owned())
}

/// How the commands of a document ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    AllDone,
    /// In this block, for this reason.
    In(usize, &'static str),
}

/// A home that nothing was installed into. Dropping it ends all that was started in it.
pub(super) struct Newcomer<'a> {
    network: &'a Network,
    folder: TempDir,
    marker: String,
}

impl<'a> Newcomer<'a> {
    pub(super) fn arrive(network: &'a Network) -> Self {
        let folder = tempfile::Builder::new().prefix("newcomer-").tempdir().expect("a temporary folder");
        let newcomer = Self { network, folder, marker: format!("THE_LOOP_TEST={}", Uuid::new_v4()) };
        for made in ["home/project", "home/aside", "bin", "tmux", "shown"] {
            fs::create_dir_all(newcomer.path(made)).expect("a folder");
        }
        symlink(THE_LOOP, newcomer.path("bin/the-loop")).expect("a link");
        newcomer
    }

    /// Follows the blocks in order, in one shell, up to the first that fails.
    pub(super) fn follow(&self, blocks: &[Block]) -> Ended {
        let script = self.path("follow.sh");
        fs::write(&script, self.script(blocks)).expect("a file");
        let mut shell = self.command();
        shell.arg(&script).process_group(0).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut shell = shell.spawn().expect("a shell");
        let status = wait(&mut shell);
        let at = fs::read_to_string(self.path("at")).ok().and_then(|at| at.trim().parse().ok()).unwrap_or_default();
        match status {
            Some(0) => Ended::AllDone,
            Some(_) => Ended::In(at, "another exit status than expected"),
            None => Ended::In(at, "it did not end"),
        }
    }

    /// Returns what the block printed, on both streams.
    pub(super) fn shown(&self, block: usize) -> String {
        let home = self.path("home").display().to_string();
        let shown = fs::read(self.path(&format!("shown/{block}"))).unwrap_or_default();
        String::from_utf8_lossy(&shown).replace(&home, "/home/you")
    }

    /// One script for all blocks, so that a variable or a `cd` holds for the next block, as in a terminal.
    fn script(&self, blocks: &[Block]) -> String {
        let mut script = "set -e\nip link set lo up\ncd \"$HOME/project\"\n".to_owned();
        let mut add = |line: String| writeln!(script, "{line}").expect("a string takes everything");
        for (index, block) in blocks.iter().enumerate() {
            let text = self.path(&format!("{index}.txt"));
            fs::write(&text, &block.text).expect("a file");
            let (text, shown) = (text.display(), self.path(&format!("shown/{index}")));
            let begin = format!("exec >'{}' 2>&1; echo {index} >'{}'", shown.display(), self.path("at").display());
            match &block.kind {
                Kind::Commands { status: 0, .. } => add(format!("{begin}\n. '{text}'")),
                Kind::Commands { status, .. } => {
                    add(format!("{begin}\nset +e\n. '{text}'\ngot=$?\nset -e\n[ $got -eq {status} ]"));
                }
                Kind::File(path) => {
                    let path = path.strip_prefix("~/").map_or_else(|| path.clone(), |rest| format!("$HOME/{rest}"));
                    add(format!("{begin}\nmkdir -p \"$(dirname \"{path}\")\"\ncp '{text}' \"{path}\""));
                }
                // Aside, because the project may have sessions by now.
                Kind::Config => add(format!("{begin}\n(cd \"$HOME/aside\"; the-loop --config '{text}' standing list)")),
                Kind::NotRun(_) | Kind::Other => {}
            }
        }
        script
    }

    fn command(&self) -> Command {
        let mut command = Command::new(self.network.0[0]);
        command.args(&self.network.0[1..]).args(["--", "sh"]);
        let path = env::var("PATH").unwrap_or_default();
        let (key, value) = self.marker.split_once('=').expect("a variable");
        command.env_clear().current_dir(self.project()).env(key, value);
        command.env("HOME", self.path("home")).env("TMUX_TMPDIR", self.path("tmux"));
        command.env("PATH", format!("{}:{path}", self.path("bin").display()));
        command.env("LANG", "C.UTF-8").env("TERM", "dumb").env("USER", "you");
        command
    }

    fn project(&self) -> PathBuf {
        self.path("home/project")
    }

    fn path(&self, name: &str) -> PathBuf {
        Path::new(self.folder.path()).join(name)
    }
}

/// Returns the exit status of the shell; `None` if it had to be killed.
fn wait(shell: &mut Child) -> Option<i32> {
    let begun = Instant::now();
    while begun.elapsed() < CAP {
        if let Ok(Some(status)) = shell.try_wait() {
            return Some(status.code().unwrap_or(-1));
        }
        thread::sleep(Duration::from_millis(20));
    }
    let _ = shell.kill();
    let _ = shell.wait();
    None
}

impl Drop for Newcomer<'_> {
    fn drop(&mut self) {
        // Everything that was started has the marker in its environment.
        for signal in [Signal::SIGTERM, Signal::SIGKILL] {
            for (pid, _) in testkit::marked(&self.marker) {
                let _ = kill(Pid::from_raw(pid), signal);
            }
            let begun = Instant::now();
            while !testkit::marked(&self.marker).is_empty() && begun.elapsed() < Duration::from_secs(5) {
                thread::sleep(Duration::from_millis(20));
            }
        }
        let left = testkit::marked(&self.marker);
        assert!(left.is_empty() || thread::panicking(), "processes were left behind: {left:?}");
    }
}
