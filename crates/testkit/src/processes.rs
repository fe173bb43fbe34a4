//! The processes that a test began, told by the marker in their environment.

use std::fs;

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};

use crate::TestHome;

/// Pids of the living processes that carry `marker` in the environment they were started with, and their command
/// lines. A zombie has no environment, so it does not count.
pub fn marked(marker: &str) -> Vec<(i32, String)> {
    pids().filter(|&pid| carries(pid, marker)).map(|pid| (pid, command_line(pid))).collect()
}

/// Runs `act` and asserts that the home has the same processes and tmux sessions after it as before.
///
/// # Panics
/// If there are others.
#[track_caller]
pub fn assert_nothing_spawned<T>(home: &TestHome, act: impl FnOnce() -> T) -> T {
    let look = || (marked(home.marker()), home.tmux().sessions());
    let before = look();
    let result = act();
    let after = look();
    // By pid: one that was just begun has yet to become the program it is to run.
    let who = |(found, sessions): &(Vec<(i32, String)>, Vec<String>)| {
        (found.iter().map(|(pid, _)| *pid).collect::<Vec<_>>(), sessions.clone())
    };
    assert_eq!(who(&after), who(&before), "something was spawned or ended: {before:?}, and then {after:?}");
    result
}

/// Kills what carries the marker. Looked at again right before the signal, so that a pid given to another process
/// meanwhile is not hit.
pub(crate) fn kill_marked(marker: &str) {
    for (pid, _) in marked(marker) {
        if carries(pid, marker) {
            let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
        }
    }
}

/// Pids of the living processes whose command line has `word` as one of its arguments.
pub(crate) fn with_argument(word: &str) -> Vec<i32> {
    let has = |pid: &i32| command_line(*pid).split(' ').any(|argument| argument == word);
    pids().filter(has).collect()
}

fn pids() -> impl Iterator<Item = i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

fn carries(pid: i32, marker: &str) -> bool {
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environment.split(|&byte| byte == 0).any(|variable| variable == marker.as_bytes())
}

fn command_line(pid: i32) -> String {
    let raw = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&raw).replace('\0', " ").trim_end().to_owned()
}
