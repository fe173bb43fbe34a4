//! Sandbox of a selftest, and its removal.

use std::{
    fs, io,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use serde_json::json;
use tempfile::TempDir;
use tmux::Tmux;
use uuid::Uuid;

use crate::{
    Caller, Surroundings, TheLoop, metrics,
    process::{ProcessHold, with_variable},
};

/// Variable in the environment of every process of a selftest, so that all of them can be found.
const MARK: &str = "THE_LOOP_SELFTEST";

const SOCKET: &str = "selftest";

/// Length limit of the sandbox path, in bytes. A socket path has at most 107 bytes, including the part that tmux
/// adds.
const LONGEST: usize = 70;

/// Time for processes to exit on their own, before they are killed.
const LEAVE: Duration = Duration::from_secs(1);

/// Time without new processes after the last kill, before the cleanup counts as done.
const QUIET: Duration = Duration::from_millis(200);

#[derive(Debug)]
pub(super) struct Sandbox {
    folder: TempDir,
    surroundings: Surroundings,
    id: String,
}

impl Sandbox {
    pub(super) fn make(here: &Surroundings) -> Result<Self, String> {
        let fail = |place: &Path, error: &io::Error| {
            format!("{}: could not create a directory there: {error}", place.display())
        };
        let named = here.var("TMPDIR").map(PathBuf::from).filter(|place| place.as_os_str().len() <= LONGEST);
        let place = named.unwrap_or_else(|| PathBuf::from("/tmp"));
        let folder = tempfile::Builder::new().prefix("loop-selftest-").tempdir_in(&place);
        let folder = folder.map_err(|error| fail(&place, &error))?;
        let at = |name: &str| folder.path().join(name);
        for made in ["home", "work", ".the-loop"] {
            fs::create_dir(at(made)).map_err(|error| fail(folder.path(), &error))?;
        }
        let tmux = json!({ "socket": SOCKET, "resumeProbeSeconds": 0.3, "harnessKillGraceSeconds": 2 });
        let routing = json!({ "defaultHarness": "demo", "spawnWorkdir": at("work"), "tmux": tmux });
        let config = json!({ "version": "0.5.0", "routing": routing });
        fs::write(at(".the-loop/cli-config.yaml"), format!("{config:#}\n"))
            .map_err(|error| fail(folder.path(), &error))?;
        let id = Uuid::new_v4().to_string();
        let surroundings = here
            .clone()
            .in_dir(folder.path())
            .with_var("HOME", at("home"))
            .with_var("TMUX_TMPDIR", folder.path())
            .with_var(MARK, &id)
            .without_var("THE_LOOP_DEMO_HOME")
            .without_var("THE_LOOP_CLI_CONFIG");
        Ok(Self { folder, surroundings, id })
    }

    /// Returns an id that is unique to this selftest.
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    pub(super) fn the_loop(&self) -> TheLoop {
        let config = self.folder.path().join(".the-loop/cli-config.yaml");
        // The sessions belong to the selftest, so an agent may run it.
        TheLoop::open_in(Some(&config), self.surroundings.clone(), "selftest").with_caller(Caller::Unidentified)
    }

    /// Ends all remaining processes and removes the folder. Returns the processes that had to be killed.
    pub(super) fn clean(&self) -> Result<String, String> {
        // This server belongs only to the selftest, by its socket in the folder. It normally exits with its last
        // session.
        Tmux::new(SOCKET, false, &self.surroundings, &[], metrics::OBSERVER).end_server();
        let begun = Instant::now();
        let mut left = self.processes();
        while !left.is_empty() && begun.elapsed() < LEAVE {
            thread::sleep(Duration::from_millis(10));
            left = self.processes();
        }
        self.kill_all();
        let removed = fs::remove_dir_all(self.folder.path());
        if !left.is_empty() {
            return Err(format!("{} processes did not exit and were killed", left.len()));
        }
        removed.map_err(|error| format!("{}: could not remove it: {error}", self.folder.path().display()))?;
        Ok("no process, socket or file is left".to_owned())
    }

    /// Kills remaining processes, and later ones: an abandoned step may still be running, and calls tmux again after
    /// its call is killed.
    fn kill_all(&self) {
        let begun = Instant::now();
        let mut quiet = Instant::now();
        while quiet.elapsed() < QUIET && begun.elapsed() < LEAVE.saturating_mul(3) {
            for process in self.processes() {
                let _ = process.kill();
                quiet = Instant::now();
            }
            thread::sleep(Duration::from_millis(10));
        }
    }

    fn processes(&self) -> Vec<ProcessHold> {
        with_variable(MARK, &self.id)
    }
}
