//! How a service in the background tells whoever started it that it is ready, or why it is not: one line of JSON on
//! its standard output, which is a pipe until then and nothing afterwards.

use std::{
    fs::OpenOptions,
    io::{self, BufRead, BufReader, Write},
    process::ChildStdout,
    sync::mpsc,
    thread,
    time::Duration,
};

use serde::{Deserialize, Serialize};

/// What a service has to say once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum StartupMessage {
    /// It listens.
    Ready {
        /// The page's address.
        address: String,
    },
    /// Another one runs.
    AlreadyRunning {
        /// Its pid.
        pid: u32,
        /// Where it is, if that is known.
        address: String,
    },
    /// It does not come up.
    Failed {
        /// Why, for a person.
        text: String,
        /// The exit status.
        code: u8,
    },
}

/// Says it, and lets go of standard output. Whoever asked may have left: then nobody is told.
pub(crate) fn tell(word: &StartupMessage) {
    let line = serde_json::to_string(word).unwrap_or_default() + "\n";
    let _ = io::stdout().write_all(line.as_bytes()).and_then(|()| io::stdout().flush());
    // A pipe that stays open would keep a reader of it waiting for its end.
    if let Ok(nothing) = OpenOptions::new().write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdout(&nothing);
    }
}

/// What was said, or `None` if it ended in silence.
#[derive(Debug)]
pub(crate) enum Heard {
    StartupMessage(StartupMessage),
    Ended,
    TooLate,
}

/// Waits for the word of a service that was started.
pub(crate) fn listen(stdout: ChildStdout, limit: Duration) -> Heard {
    let (sender, receiver) = mpsc::channel();
    // Ends with the pipe, which the service lets go of once it has spoken.
    thread::spawn(move || {
        let mut line = String::new();
        let read = BufReader::new(stdout).read_line(&mut line);
        let _ = sender.send(read.ok().and_then(|_| serde_json::from_str::<StartupMessage>(&line).ok()));
    });
    match receiver.recv_timeout(limit) {
        Ok(Some(word)) => Heard::StartupMessage(word),
        Ok(None) => Heard::Ended,
        Err(_) => Heard::TooLate,
    }
}
