//! Command of a client that shows a session in a terminal.

use std::{ffi::OsString, path::PathBuf};

use super::{Answer, Pane, Tmux};

/// Terminal type of the client. Its capabilities are those of the terminal on the page.
const TERM: &str = "xterm-256color";

/// Command of a client that attaches to a session. It needs a terminal as its standard input and output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attach {
    /// Program.
    pub program: PathBuf,
    /// Arguments.
    pub args: Vec<OsString>,
    /// Whole environment.
    pub env: Vec<(OsString, OsString)>,
    /// Size of a terminal that shows the whole window, with the status line.
    pub size: TerminalSize,
}

/// Size of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalSize {
    /// Width in columns.
    pub cols: u16,
    /// Height in lines.
    pub rows: u16,
}

impl Tmux {
    /// Returns the command that attaches to the session of a pane; `None` if the pane no longer exists. Without `write`
    /// the client is read-only. It never decides the size of a window that another client shows.
    pub fn attach(&self, pane: &Pane, write: bool) -> Answer<Option<Attach>> {
        let format = "#{session_id}\t#{window_width}\t#{window_height}\t#{status}";
        let output = match self.call(&["display-message", "-p", "-t", &pane.id, format], b"") {
            Answer::Said(output) => output,
            Answer::Silent(silence) => return Answer::Silent(silence),
        };
        let Some((session, size)) = parse(&String::from_utf8_lossy(&output.stdout)) else {
            let gone = output.no_target() || output.no_server() || output.status.success();
            return if gone { Answer::Said(None) } else { Answer::Silent(output.silence()) };
        };
        let flags = if write { "ignore-size" } else { "ignore-size,read-only" };
        let options = format!("{session}:");
        // The id, since another session could get the name meanwhile. Without the option, the end of the session could
        // move the client to another session.
        #[rustfmt::skip]
        let args = [
            "-N", "-T", "256,RGB",
            "set-option", "-t", &options, "detach-on-destroy", "on", ";",
            "attach-session", "-f", flags, "-t", &session,
        ];
        let command = self.command(&[]);
        let args = command.get_args().map(OsString::from).chain(args.map(OsString::from)).collect();
        let mut env = self.env.clone();
        env.retain(|(key, _)| key != "TERM");
        env.push(("TERM".into(), TERM.into()));
        Answer::Said(Some(Attach { program: self.program("tmux"), args, env, size }))
    }
}

/// Parses the id of a session and the size of its window. The status line takes lines of the terminal as well.
fn parse(text: &str) -> Option<(String, TerminalSize)> {
    let mut fields = text.trim_end().split('\t');
    let session = fields.next().filter(|id| id.starts_with('$'))?.to_owned();
    let (cols, rows) = (fields.next()?.parse().ok()?, fields.next()?.parse::<u16>().ok()?);
    let status = match fields.next()? {
        "off" => 0,
        "on" => 1,
        lines => lines.parse().ok()?,
    };
    Some((session, TerminalSize { cols, rows: rows.saturating_add(status) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_line_is_part_of_the_terminal() {
        let parsed = |text: &str| parse(text).map(|(session, size)| (session, size.cols, size.rows));
        assert_eq!(parsed("$3\t200\t50\ton\n"), Some(("$3".to_owned(), 200, 51)));
        assert_eq!(parsed("$3\t200\t50\toff\n"), Some(("$3".to_owned(), 200, 50)));
        assert_eq!(parsed("$3\t200\t50\t3\n"), Some(("$3".to_owned(), 200, 53)));
        for text in ["", "\t\t\t\n", "ops\t200\t50\ton", "$3\t200\t50"] {
            assert_eq!(parsed(text), None, "{text}");
        }
    }
}
