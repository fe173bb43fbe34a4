//! Settings that a harness gets for one launch: its hooks, and its manners towards other sessions. They are in a private
//! file of that launch. No file of the user is changed.

use std::path::Path;

use config::CrossSession;
use serde_json::Value;

/// Launch whose settings are made.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// Shell command that a hook runs. It gets the event on its standard input.
    pub hook: &'a str,
    /// File for the settings.
    pub file: &'a Path,
    /// Messages of other sessions.
    pub cross_session: CrossSession,
}

/// Settings of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchSettings {
    /// Arguments of the operator with the settings file in the place of the operator's own settings.
    pub args: Vec<String>,
    /// Content of the settings file.
    pub content: Value,
}

/// Quotes a word for a shell.
pub fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_quoted_word_is_one_word() {
        let command = format!("printf %s {}", quoted("a 'b' $c\n*"));
        let out = std::process::Command::new("sh").arg("-c").arg(command).output().expect("sh runs");
        assert_eq!(String::from_utf8_lossy(&out.stdout), "a 'b' $c\n*");
    }
}
