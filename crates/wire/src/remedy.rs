//! Remedies of an error, as data.
//!
//! An error says what failed and why; its remedies say what to do. They are separate so that each surface can show
//! them in its own form: the page as a button, the command line as a command, MCP as a tool or as an action for the
//! operator. The texts here are those of the command line, which REST repeats in the `detail` of a problem.

use serde::{Deserialize, Serialize};

use crate::SessionName;

/// One act that helps after a refusal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(tag = "action", rename_all = "kebab-case")]
pub enum Remedy {
    /// Choose another name.
    ChooseName,
    /// Create the session.
    Create {
        /// The session.
        #[cfg_attr(feature = "schema", schema(value_type = String))]
        name: SessionName,
    },
    /// Delete the session.
    Delete {
        /// The session.
        #[cfg_attr(feature = "schema", schema(value_type = String))]
        name: SessionName,
    },
    /// Start the session.
    Start {
        /// The session.
        #[cfg_attr(feature = "schema", schema(value_type = String))]
        name: SessionName,
    },
    /// Stop the session.
    Stop {
        /// The session.
        #[cfg_attr(feature = "schema", schema(value_type = String))]
        name: SessionName,
    },
    /// Stop the session, then start it.
    Restart {
        /// The session.
        #[cfg_attr(feature = "schema", schema(value_type = String))]
        name: SessionName,
    },
    /// Close the tmux session or pane that is in the way, then start the session.
    CloseAndStart {
        /// The session.
        #[cfg_attr(feature = "schema", schema(value_type = String))]
        name: SessionName,
    },
    /// Restore the record of the session.
    Restore {
        /// The session.
        #[cfg_attr(feature = "schema", schema(value_type = String))]
        name: SessionName,
    },
    /// Answer the prompt of the session.
    Answer {
        /// The session.
        #[cfg_attr(feature = "schema", schema(value_type = String))]
        name: SessionName,
    },
    /// Show the session.
    Show {
        /// The session.
        #[cfg_attr(feature = "schema", schema(value_type = String))]
        name: SessionName,
    },
    /// List the sessions.
    List,
    /// Look at the tmux session without typing into it.
    Look {
        /// The tmux session.
        target: String,
        /// The name of the tmux socket; empty for the default one.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        socket: String,
    },
    /// Attach to the tmux session.
    Attach {
        /// The tmux session.
        target: String,
        /// The name of the tmux socket; empty for the default one.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        socket: String,
    },
    /// Send the message with `force`.
    Force,
    /// Use a new idempotency key.
    NewKey,
    /// Send the request again.
    Retry {
        /// Seconds to wait before that; left out where it makes no difference.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seconds: Option<u64>,
    },
    /// Put the text in a file and send its path.
    UseFile,
    /// Fix a file or move it away.
    FixFile {
        /// The file.
        file: String,
    },
    /// Change a key of the config.
    Configure {
        /// The config file; empty for the one in use.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        file: String,
        /// The key.
        key: String,
        /// The value that helps; left out where that is for the operator to choose.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<String>,
    },
    /// Remove the session's entry from the config.
    RemoveEntry {
        /// The config file.
        file: String,
        /// The key that holds the entry.
        key: String,
    },
    /// Use a terminal outside all sessions.
    LeaveSession,
    /// Run the command as another user.
    SwitchUser {
        /// The user's id.
        uid: u32,
    },
    /// Check the machine.
    Doctor,
    /// Make a tmux server create its socket again.
    RecreateSocket {
        /// Process id of the server.
        pid: u32,
    },
    /// Show whether the service is running.
    Status,
    /// Restart the service; sessions keep running.
    RestartService,
}

impl Remedy {
    /// Returns a shell command for the remedy; `None` if no single command does it.
    pub fn command(&self) -> Option<String> {
        let standing = |verb: &str, name: &SessionName| Some(format!("the-loop standing {verb} {name}"));
        match self {
            Self::Create { name } => standing("create", name),
            Self::Delete { name } => standing("delete", name),
            Self::Start { name } | Self::CloseAndStart { name } => standing("start", name),
            Self::Stop { name } => standing("stop", name),
            Self::Restart { name } => standing("restart", name),
            Self::Restore { name } => standing("restore", name),
            Self::Answer { name } => standing("answer", name),
            Self::Show { name } => standing("get", name),
            Self::List => Some("the-loop standing list".to_owned()),
            Self::Look { target, socket } => Some(format!("{} attach -r -t '={target}'", tmux(socket))),
            Self::Attach { target, socket } => Some(format!("{} attach -t '={target}'", tmux(socket))),
            Self::Doctor => Some("the-loop doctor".to_owned()),
            Self::RecreateSocket { pid } => Some(format!("kill -USR1 {pid}")),
            Self::Status => Some("the-loop status".to_owned()),
            Self::RestartService => Some("the-loop restart --service-only".to_owned()),
            Self::ChooseName
            | Self::Force
            | Self::NewKey
            | Self::Retry { .. }
            | Self::UseFile
            | Self::FixFile { .. }
            | Self::Configure { .. }
            | Self::RemoveEntry { .. }
            | Self::LeaveSession
            | Self::SwitchUser { .. } => None,
        }
    }

    /// Returns the action in the imperative, without a full stop, with its command in backticks.
    pub fn text(&self) -> String {
        let with = |act: &str| format!("{act} with `{}`", self.command().unwrap_or_default());
        match self {
            Self::ChooseName => "choose another name".to_owned(),
            Self::Create { .. } => with("create it"),
            Self::Delete { .. } => with("delete it"),
            Self::Start { .. } => with("start it"),
            Self::Stop { .. } => with("stop it"),
            Self::Restart { name } => {
                format!(
                    "stop it with `the-loop standing stop {name}` and start it with `the-loop standing start {name}`"
                )
            }
            Self::CloseAndStart { .. } => with("close it and then start the session"),
            Self::Restore { .. } => with("restore its record"),
            Self::Answer { .. } => with("answer it"),
            Self::Show { .. } => with("see its prompt"),
            Self::List => with("list the sessions"),
            // Published text. Scripts look for `tmux attach`, so the option `-L` is not put between the two words.
            Self::Look { target, socket } => format!("look at it with `tmux attach -r -t '={target}'`{}", hint(socket)),
            Self::Attach { target, socket } => {
                format!("attach to it with `tmux attach -t '={target}'`{}", hint(socket))
            }
            Self::Force => "send it anyway with `--force`".to_owned(),
            Self::NewKey => "use a new idempotency key for a new message".to_owned(),
            Self::Retry { seconds: Some(seconds) } => format!("retry in {seconds} s"),
            Self::Retry { seconds: None } => "retry".to_owned(),
            Self::UseFile => "put the text in a file and send its path".to_owned(),
            Self::FixFile { file } => format!("fix {file} or move it away"),
            Self::Configure { file, key, value } => {
                let act =
                    value.as_ref().map_or_else(|| format!("change `{key}`"), |value| format!("set `{key}: {value}`"));
                if file.is_empty() { act } else { format!("{act} in {file}") }
            }
            Self::RemoveEntry { file, key } => format!("remove its entry under `{key}` in {file}"),
            Self::LeaveSession => "use a terminal outside all sessions, or the Standing screen".to_owned(),
            Self::SwitchUser { uid } => format!("run this as the user with uid {uid}"),
            Self::Doctor => with("check this machine"),
            Self::RecreateSocket { .. } => with("recreate the socket"),
            Self::Status => with("check the service"),
            Self::RestartService => with("restart the service"),
        }
    }

    /// Joins all actions into one phrase: `start it with …, or delete it with …`.
    pub fn phrase(remedies: &[Self]) -> String {
        let texts: Vec<String> = remedies.iter().map(Self::text).collect();
        match &texts[..] {
            [] => String::new(),
            [one] => one.clone(),
            [others @ .., last] => format!("{}, or {last}", others.join(", ")),
        }
    }
}

/// Returns a cause of a row, followed by its remedies as text.
pub fn with_remedies(cause: &str, remedies: &[Remedy]) -> String {
    [cause, &separated(cause, remedies)].concat()
}

/// Returns the cause of a row without the text of its remedies.
pub(crate) fn without_remedies<'a>(text: &'a str, remedies: &[Remedy]) -> &'a str {
    let phrase = Remedy::phrase(remedies);
    if phrase.is_empty() {
        return text;
    }
    text.strip_suffix(&phrase).map_or(text, |cause| cause.strip_suffix("; ").unwrap_or(cause))
}

fn separated(cause: &str, remedies: &[Remedy]) -> String {
    match (cause.is_empty(), remedies.is_empty()) {
        (_, true) => String::new(),
        (true, false) => Remedy::phrase(remedies),
        (false, false) => format!("; {}", Remedy::phrase(remedies)),
    }
}

/// Returns the `tmux` command with the option for a socket.
fn tmux(socket: &str) -> String {
    if socket.is_empty() { "tmux".to_owned() } else { format!("tmux -L {socket}") }
}

/// Returns a hint to append to a `tmux` command without the option for a socket; empty for the default socket.
fn hint(socket: &str) -> String {
    if socket.is_empty() { String::new() } else { format!(" (add `-L {socket}` after `tmux`)") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remedy_is_flat_in_json() {
        let remedy = Remedy::Look { target: "loop-standing-ops".to_owned(), socket: String::new() };
        let json = serde_json::to_value(&remedy).expect("JSON");
        assert_eq!(json, serde_json::json!({ "action": "look", "target": "loop-standing-ops" }));
        assert_eq!(serde_json::from_value::<Remedy>(json).expect("a remedy"), remedy);
    }

    #[test]
    fn a_look_names_the_published_words_and_the_command_names_the_socket() {
        let remedy = Remedy::Look { target: "x".to_owned(), socket: "loop".to_owned() };
        assert!(remedy.text().contains("tmux attach -r -t '=x'") && remedy.text().contains("-L loop"));
        assert_eq!(remedy.command().as_deref(), Some("tmux -L loop attach -r -t '=x'"));
    }

    #[test]
    fn several_remedies_are_one_phrase() {
        let doctor = || Remedy::Doctor;
        assert_eq!(Remedy::phrase(&[]), "");
        assert_eq!(
            Remedy::phrase(&[Remedy::Retry { seconds: None }, Remedy::Force, doctor()]),
            "retry, send it anyway with `--force`, or check this machine with `the-loop doctor`"
        );
    }
}
