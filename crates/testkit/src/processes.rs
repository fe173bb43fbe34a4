//! Processes started by a test, recognised by the marker in their environment.

use std::fs;

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};

/// Returns the PIDs and command lines of the running processes with `marker` in their initial environment. A zombie has
/// no environment, so it does not count.
pub fn marked(marker: &str) -> Vec<(i32, String)> {
    pids().filter(|&pid| carries(pid, marker)).map(|pid| (pid, command_line(pid))).collect()
}

/// Kills the processes with the marker. The marker is checked again right before the signal, so that a PID reused
/// meanwhile is not killed.
pub(crate) fn kill_marked(marker: &str) {
    for (pid, _) in marked(marker) {
        if carries(pid, marker) {
            let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
        }
    }
}

/// Returns the PIDs of the running processes with `word` as an argument.
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
