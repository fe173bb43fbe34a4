//! Startup message of a background service to its starter: ready, or the reason for the failure. It is one line of JSON
//! on standard output, which is a pipe until then and `/dev/null` afterwards.

use std::{
    fs::OpenOptions,
    io::{self, BufRead, BufReader, Write},
    process::ChildStdout,
    sync::mpsc,
    thread,
    time::Duration,
};

use serde::{Deserialize, Serialize};

/// Startup message of a service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum StartupMessage {
    /// The service listens.
    Ready {
        /// Address of the page.
        address: String,
    },
    /// Another service is running.
    AlreadyRunning {
        /// Process ID of that service.
        pid: u32,
        /// Address of that service; empty if unknown.
        address: String,
    },
    /// The service did not start.
    Failed {
        /// Reason, for a person.
        text: String,
        /// Exit status.
        code: u8,
    },
}

/// Sends the message and closes standard output. The starter may have left; the message is then lost.
pub(crate) fn tell(word: &StartupMessage) {
    let line = serde_json::to_string(word).unwrap_or_default() + "\n";
    let _ = io::stdout().write_all(line.as_bytes()).and_then(|()| io::stdout().flush());
    // An open pipe would keep its reader waiting for the end.
    if let Ok(nothing) = OpenOptions::new().write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdout(&nothing);
    }
}

/// Received message, or `None` if the service ended without one.
#[derive(Debug)]
pub(crate) enum Heard {
    StartupMessage(StartupMessage),
    Ended,
    TooLate,
}

/// Waits for the startup message of a service.
pub(crate) fn listen(stdout: ChildStdout, limit: Duration) -> Heard {
    let (sender, receiver) = mpsc::channel();
    // The thread ends with the pipe, which the service closes after its message.
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
