//! Variables that mark a session's programs, and the environment without any mark.

use std::ffi::OsString;

use crate::{Surroundings, nesting};

/// Variable that every harness carries in its environment and its children inherit: the id of its spawn.
pub const LOOP_ID_VAR: &str = "THE_LOOP_ID";

/// Variable with the name of the session, for its harness.
pub const SESSION_VAR: &str = "THE_LOOP_SESSION";

/// Variable with the mark of the state folder that the session belongs to.
pub const ROOT_VAR: &str = "THE_LOOP_ROOT";

/// Variables by which systemd describes one process of a unit to itself. They are wrong for its children.
const OF_A_UNIT: [&str; 9] = [
    "NOTIFY_SOCKET",
    "LISTEN_FDS",
    "LISTEN_FDNAMES",
    "LISTEN_PID",
    "WATCHDOG_USEC",
    "WATCHDOG_PID",
    "INVOCATION_ID",
    "JOURNAL_STREAM",
    "SYSTEMD_EXEC_PID",
];

/// Returns the environment for tmux and for harnesses: without nesting marks, without marks of a session, and without
/// the variables that hold secrets of the service.
pub fn scrubbed(surroundings: &Surroundings, secrets: &[&str]) -> Vec<(OsString, OsString)> {
    surroundings
        .vars()
        .filter(|(key, _)| key.to_str().is_none_or(|key| !is_mark(key) && !secrets.contains(&key)))
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect()
}

/// True if a variable marks a program that runs inside another one, or is meant by systemd for one process only.
pub fn is_mark(key: &str) -> bool {
    nesting::is_mark(key)
        || (key.starts_with("TMUX") && key != "TMUX_TMPDIR")
        || [LOOP_ID_VAR, SESSION_VAR, ROOT_VAR].contains(&key)
        || OF_A_UNIT.contains(&key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_secrets_are_left_out_and_settings_pass() {
        let here = Surroundings::of_process()
            .with_var("CLAUDECODE", "1")
            .with_var("CLAUDE_CODE_CHILD_SESSION", "1")
            .with_var("CLAUDE_CODE_USE_BEDROCK", "1")
            .with_var("TMUX", "/tmp/x,1,0")
            .with_var("TMUX_PANE", "%1")
            .with_var("SLACK", "xoxb-secret");
        let kept: Vec<String> =
            scrubbed(&here, &["SLACK"]).into_iter().filter_map(|(key, _)| key.into_string().ok()).collect();
        for gone in ["CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION", "TMUX", "TMUX_PANE", "SLACK"] {
            assert!(!kept.iter().any(|key| key == gone), "{gone} was kept");
        }
        assert!(kept.iter().any(|key| key == "CLAUDE_CODE_USE_BEDROCK"));
        assert!(kept.iter().any(|key| key == "PATH"));
    }
}
