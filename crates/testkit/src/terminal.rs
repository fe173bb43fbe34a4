//! A terminal with a shell, for behaviour that needs a person at a terminal.

use std::process::Command;

use crate::{PrivateTmux, TestHome};

/// A shell in a terminal, in a home's project and with its environment. It runs in its own tmux server, so that the
/// home's server contains only sessions of the-loop.
#[derive(Debug)]
pub struct Terminal {
    tmux: PrivateTmux,
}

const SESSION: &str = "terminal";

impl Terminal {
    /// Opens the terminal. `TERM` is set by tmux.
    ///
    /// # Panics
    ///
    /// If tmux refuses.
    pub fn open(home: &TestHome) -> Self {
        let tmux = PrivateTmux::new();
        let mut shell = home.command("sh");
        shell.env_remove("TERM");
        let folder = home.project().display().to_string();
        let variables: Vec<String> = variables(&shell);
        let mut args =
            vec!["new-session", "-d", "-s", SESSION, "-x", "160", "-y", "50", "-c", &folder, "--", "env", "-i"];
        args.extend(variables.iter().map(String::as_str));
        args.extend(["TERM=screen-256color", "PS1=> ", "sh", "-i"]);
        let made = tmux.run(&args);
        assert!(made.status.success(), "tmux: {}", String::from_utf8_lossy(&made.stderr));
        Self { tmux }
    }

    /// Types a line and Enter.
    pub fn type_line(&self, line: &str) {
        self.tmux.run(&["send-keys", "-t", &format!("={SESSION}:"), "-l", "--", line]);
        self.tmux.run(&["send-keys", "-t", &format!("={SESSION}:"), "Enter"]);
    }

    /// Returns the screen as text.
    pub fn screen(&self) -> String {
        self.tmux.screen(SESSION)
    }

    /// Returns the screen with the escape sequences of its colours.
    pub fn coloured(&self) -> String {
        let shown = self.tmux.run(&["capture-pane", "-p", "-e", "-J", "-t", &format!("={SESSION}:")]);
        String::from_utf8_lossy(&shown.stdout).into_owned()
    }
}

fn variables(command: &Command) -> Vec<String> {
    let set = command.get_envs().filter_map(|(key, value)| Some((key, value?)));
    set.map(|(key, value)| format!("{}={}", key.to_string_lossy(), value.to_string_lossy())).collect()
}
