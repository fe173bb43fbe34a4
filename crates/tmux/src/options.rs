//! Operator's tmux options and hooks that would end sessions and that a managed session cannot override for itself.

use std::{
    fs,
    path::{Path, PathBuf},
};

use process::Surroundings;

use super::{Answer, Tmux};

/// Hook commands that end or replace a session's program.
const ENDING: [&str; 7] =
    ["kill-session", "kill-server", "kill-window", "kill-pane", "respawn-pane", "respawn-window", "unlink-window -k"];

impl Tmux {
    /// Lists the server's options and hooks that would end sessions, as they are set. Empty if no server answers.
    pub fn ending_options(&self) -> Vec<String> {
        let args = ["show-options", "-s", "exit-unattached", ";", "show-hooks", "-g", ";", "show-hooks", "-g", "-w"];
        let Answer::Said(output) = self.call(&args, b"") else { return Vec::new() };
        let mut found: Vec<String> = Vec::new();
        for line in String::from_utf8_lossy(&output.stdout).lines().map(str::trim) {
            // A hook without a command is listed by its name alone.
            let does = line.split_once(' ').map_or("", |(_, does)| does);
            let ends = line == "exit-unattached on" || ENDING.iter().any(|command| does.contains(command));
            if ends && !found.iter().any(|known| known == line) {
                found.push(line.to_owned());
            }
        }
        found
    }
}

/// Lists the lines of tmux's config files that set such an option or hook, each with its file.
pub fn configured(here: &Surroundings) -> Vec<(PathBuf, String)> {
    let home = here.home().map(Path::to_owned).unwrap_or_default();
    let config = here.var("XDG_CONFIG_HOME").map_or_else(|| home.join(".config"), PathBuf::from);
    let files = ["/etc/tmux.conf".into(), home.join(".tmux.conf"), config.join("tmux/tmux.conf")];
    files.iter().flat_map(|file| ending_lines(file).into_iter().map(|line| (file.clone(), line))).collect()
}

fn ending_lines(file: &Path) -> Vec<String> {
    let text = fs::read(file).unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    text.lines().map(str::trim).filter(|line| is_ending(line)).map(str::to_owned).collect()
}

fn is_ending(line: &str) -> bool {
    let mut words = line.split_whitespace().filter(|word| !word.starts_with('-'));
    match words.next() {
        Some("set" | "set-option") => {
            words.next() == Some("exit-unattached") && words.next().is_none_or(|value| value == "on" || value == "1")
        }
        Some("set-hook") => ENDING.iter().any(|command| line.contains(command)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_end_sessions_are_found() {
        for line in [
            "set -s exit-unattached on",
            "set-option -g exit-unattached 1",
            "set -s exit-unattached",
            "set-hook -g client-detached kill-session",
        ] {
            assert!(is_ending(line), "{line}");
        }
        for line in
            ["# set -s exit-unattached on", "set -s exit-unattached off", "set-hook -g client-detached 'run true'", ""]
        {
            assert!(!is_ending(line), "{line}");
        }
    }
}
