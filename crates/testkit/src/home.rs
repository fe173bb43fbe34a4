//! A private home, project and config for a test.

use std::{
    env, fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use standing::{Surroundings, TheLoop};
use tempfile::TempDir;
use uuid::Uuid;

use crate::{PrivateTmux, processes};

/// Variable whose value identifies the processes of one home.
const MARKER: &str = "THE_LOOP_TEST";

/// Timeout for processes to end after their tmux server has ended.
const LEAVE: Duration = Duration::from_secs(5);

/// A temporary folder with a HOME, a project with its config and state, and a private tmux server.
///
/// Dropping it ends the tmux server and then asserts that no process of this home is left.
#[derive(Debug)]
pub struct TestHome {
    tmux: PrivateTmux,
    folder: TempDir,
    marker: String,
    exe: Option<PathBuf>,
}

/// Builder of a [`TestHome`].
#[derive(Debug)]
pub struct TestHomeBuilder {
    exe: Option<PathBuf>,
    config: Value,
}

impl TestHomeBuilder {
    /// Sets the program that new panes run first: the built `the-loop`.
    #[must_use]
    pub fn exe(mut self, exe: impl Into<PathBuf>) -> Self {
        self.exe = Some(exe.into());
        self
    }

    /// Sets a key of the config, given as a JSON pointer: `/standingSessions/enabled`.
    #[must_use]
    pub fn set(mut self, pointer: &str, value: Value) -> Self {
        set(&mut self.config, pointer, value);
        self
    }

    /// Declares a session, and enables the block.
    ///
    /// # Panics
    ///
    /// If `/standingSessions/sessions` was set to a value other than a list.
    #[must_use]
    pub fn declare(mut self, entry: Value) -> Self {
        set(&mut self.config, "/standingSessions/enabled", json!(true));
        let mut entries = self.config.pointer("/standingSessions/sessions").cloned().unwrap_or_else(|| json!([]));
        entries.as_array_mut().expect("sessions is a list").push(entry);
        set(&mut self.config, "/standingSessions/sessions", entries);
        self
    }

    /// Creates the home.
    ///
    /// # Panics
    ///
    /// If a folder or file could not be created.
    pub fn build(self) -> TestHome {
        let folder = tempfile::Builder::new().prefix("the-loop-test-").tempdir().expect("a temporary folder");
        let marker = format!("{MARKER}={}", Uuid::new_v4());
        let home = TestHome { tmux: PrivateTmux::new(), folder, marker, exe: self.exe };
        for made in [home.home(), home.work(), home.project().join(".the-loop"), home.path().join("bin")] {
            fs::create_dir_all(made).expect("a folder");
        }
        let mut config = self.config;
        set(&mut config, "/routing/tmux/socket", json!(home.tmux.name()));
        set(&mut config, "/routing/spawnWorkdir", json!(home.work()));
        let agent = home.path().join("bin/echoer");
        fs::write(&agent, ECHOER).expect("a file");
        fs::set_permissions(&agent, fs::Permissions::from_mode(0o755)).expect("permissions");
        set(&mut config, "/routing/harnesses/echoer", echoer(&agent));
        home.write_config(&format!("{config:#}\n"));
        home
    }
}

impl TestHome {
    /// Returns a builder for a home with the default harness `demo`, short waits, no declared sessions, and a custom
    /// harness `echoer`.
    pub fn builder() -> TestHomeBuilder {
        let tmux = json!({ "resumeProbeSeconds": 0.3, "harnessKillGraceSeconds": 2 });
        let config = json!({ "version": "0.5.0", "routing": { "defaultHarness": "demo", "tmux": tmux } });
        TestHomeBuilder { exe: None, config }
    }

    /// Returns the whole temporary folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the value of HOME.
    pub fn home(&self) -> PathBuf {
        self.path().join("home")
    }

    /// Returns the default working directory of sessions.
    pub fn work(&self) -> PathBuf {
        self.path().join("work")
    }

    /// Returns the project, in which commands run.
    pub fn project(&self) -> PathBuf {
        self.path().join("project")
    }

    /// Returns the config file.
    pub fn config_file(&self) -> PathBuf {
        self.project().join(".the-loop/cli-config.yaml")
    }

    /// Returns the folder of records.
    pub fn records(&self) -> PathBuf {
        self.project().join(".the-loop/local/standing")
    }

    /// Returns the current event log, one value per line.
    pub fn events(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.project().join(".the-loop/logs/events.jsonl")).unwrap_or_default();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// Replaces the config file.
    ///
    /// # Panics
    ///
    /// If it could not be written.
    pub fn write_config(&self, text: &str) {
        fs::write(self.config_file(), text).expect("the config is written");
    }

    /// Returns the config file as a JSON value.
    ///
    /// # Panics
    ///
    /// If it is not JSON, after a [`TestHome::write_config`] of another text.
    pub fn config(&self) -> Value {
        let text = fs::read_to_string(self.config_file()).expect("the config is there");
        serde_json::from_str(&text).expect("the config is JSON")
    }

    /// Changes one key of the config file, given as a JSON pointer.
    pub fn reconfigure(&self, pointer: &str, value: Value) {
        let mut config = self.config();
        set(&mut config, pointer, value);
        self.write_config(&format!("{config:#}\n"));
    }

    /// Returns its tmux server.
    pub fn tmux(&self) -> &PrivateTmux {
        &self.tmux
    }

    /// Returns `THE_LOOP_TEST=<uuid>`, which every process of this home has in its environment.
    pub fn marker(&self) -> &str {
        &self.marker
    }

    /// Returns the environment for an instance of the-loop in this home.
    pub fn surroundings(&self) -> Surroundings {
        let mut surroundings = Surroundings::of_process().in_dir(self.project());
        for (key, _) in env::vars_os() {
            if !KEPT.iter().any(|kept| key == *kept) {
                surroundings = surroundings.without_var(key);
            }
        }
        for (key, value) in self.vars() {
            surroundings = surroundings.with_var(key, value);
        }
        match &self.exe {
            Some(exe) => surroundings.with_exe(exe),
            None => surroundings,
        }
    }

    /// Opens an instance of the-loop in this home, in this process.
    pub fn the_loop(&self) -> TheLoop {
        // The tests may run inside a session.
        TheLoop::open_in(None, self.surroundings(), "test").with_caller(standing::Caller::Unidentified)
    }

    /// Returns a command that runs in this home and the project's folder, without the rest of this process's
    /// environment.
    pub fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        command.env_clear().current_dir(self.project());
        command.envs(KEPT.iter().filter_map(|key| Some((key, env::var_os(key)?)))).envs(self.vars());
        command
    }

    fn vars(&self) -> [(String, String); 4] {
        let (key, value) = self.marker.split_once('=').expect("a marker is a variable");
        let own = |text: &str| text.to_owned();
        [
            (own("HOME"), self.home().display().to_string()),
            (own("LANG"), own("C.UTF-8")),
            (own("TERM"), own("dumb")),
            (own(key), own(value)),
        ]
    }
}

/// Variables of the test's own process that a home keeps.
const KEPT: [&str; 3] = ["PATH", "TMPDIR", "TMUX_TMPDIR"];

impl Drop for TestHome {
    fn drop(&mut self) {
        // The fixture created the server, so it ends the server, and with it all that a failed test left in a pane.
        self.tmux.end();
        let begun = Instant::now();
        while !processes::marked(&self.marker).is_empty() && begun.elapsed() < LEAVE {
            thread::sleep(Duration::from_millis(10));
        }
        let left = processes::marked(&self.marker);
        processes::kill_marked(&self.marker);
        assert!(left.is_empty() || thread::panicking(), "processes were left behind: {left:?}");
    }
}

/// Runs `act` and asserts that the home has the same processes and tmux sessions after it as before.
///
/// # Panics
///
/// If there are others.
#[track_caller]
pub fn assert_nothing_spawned<T>(home: &TestHome, act: impl FnOnce() -> T) -> T {
    let look = || (processes::marked(home.marker()), home.tmux().sessions());
    let before = look();
    let result = act();
    let after = look();
    // Compared by PID: a new process may not have executed its program yet.
    let who = |(found, sessions): &(Vec<(i32, String)>, Vec<String>)| {
        (found.iter().map(|(pid, _)| *pid).collect::<Vec<_>>(), sessions.clone())
    };
    assert_eq!(who(&after), who(&before), "something was spawned or ended: {before:?}, and then {after:?}");
    result
}

/// A custom harness: enables bracketed paste, prints its arguments, and echoes each line of its input.
const ECHOER: &str = r#"#!/bin/sh
printf '%s\n' "$*" >> "$HOME/echoer.log"
printf '\033[?2004hechoer is ready: %s\n' "$1 $2"
while IFS= read -r line; do
    printf 'echo: %s\n' "$line"
done
"#;

fn echoer(program: &Path) -> Value {
    json!({
        "command": [program],
        "newArgs": ["--new", "{id}", "{prompt}"],
        "resumeArgs": ["--resume", "{id}"],
        "sessionId": "minted",
    })
}

/// Sets a key, and creates the objects on its path.
fn set(config: &mut Value, pointer: &str, value: Value) {
    let mut at = config;
    for key in pointer.trim_start_matches('/').split('/') {
        if !at.is_object() {
            *at = json!({});
        }
        at = at.as_object_mut().expect("made an object above").entry(key).or_insert(Value::Null);
    }
    *at = value;
}
