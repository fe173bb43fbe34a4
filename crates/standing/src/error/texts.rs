//! The golden file of every error of the core.

use std::{io, path::PathBuf};

use wire::{Remedy, SessionName};

use super::Error;

/// Returns one error of each variant, in the order of the type.
fn every() -> Vec<Error> {
    let name = || SessionName::parse("ops").expect("a name");
    let text = str::to_owned;
    let (session, socket) = (|| text("loop-standing-ops"), String::new);
    let path = |file: &str| PathBuf::from(format!("/home/u/.the-loop/{file}"));
    vec![
        SessionName::parse("Ops!").expect_err("no name").into(),
        Error::InvalidRequest(text("{what is wrong with the request}")),
        Error::AlreadyDeclared { name: name(), config: text("/home/u/.the-loop/cli-config.yaml") },
        Error::AlreadyExists { name: name() },
        Error::Declared { name: name(), config: text("/home/u/.the-loop/cli-config.yaml") },
        Error::Unknown { name: name() },
        Error::UnknownMessage { name: name(), id: text("5e1c") },
        Error::NotRunning { name: name(), reason: text("{reason}") },
        Error::OutOfReach { name: name(), reason: text("{reason}"), remedies: vec![Remedy::Restart { name: name() }] },
        Error::Foreign { name: name(), session: session(), socket: socket() },
        Error::Foreign { name: name(), session: session(), socket: text("loop") },
        Error::NotShown { session: session(), socket: socket() },
        Error::NoTerminal { name: name(), reason: text("{reason}"), remedies: vec![Remedy::Start { name: name() }] },
        Error::Unrecorded { name: name(), session: session(), socket: socket() },
        Error::NotOurFolder { path: path("local"), owner: 1001 },
        Error::Waiting { name: name(), session: session(), socket: socket(), question: text("Go on?"), offers: true },
        Error::Waiting { name: name(), session: session(), socket: socket(), question: text("Go on?"), offers: false },
        Error::UnsentText { name: name(), session: session(), socket: socket(), text: text("half a message") },
        Error::NotWaiting { name: name(), reason: text("{reason}") },
        Error::TooLarge { found: 1_048_577, limit: 1_048_576 },
        Error::KeyReused { name: name() },
        Error::BadRecord { name: name(), path: path("local/standing/ops.json"), reason: text("{reason}") },
        Error::Storage {
            path: path("local/standing"),
            doing: "{what was being done}",
            source: io::Error::from_raw_os_error(28),
        },
        Error::TmuxSilent { reason: text("{reason}") },
        Error::InsideSession { session: Some(name()), doing: "stop sessions", config: text("cli-config.yaml") },
        Error::InsideSession { session: None, doing: "stop sessions", config: text("cli-config.yaml") },
        Error::CallerGone { doing: "stop sessions" },
        Error::ShuttingDown,
        Error::Crowded { name: name(), waiting: 100 },
        Error::Busy { name: name(), holder: text("say, pid 7"), waited_seconds: 20 },
    ]
}

/// Returns the code, the message, and each remedy as text and as data.
fn section(error: &Error) -> String {
    let mut lines = vec![format!("== {}", error.code().as_str()), error.to_string()];
    for remedy in error.remedies() {
        lines.push(format!("  {}  {}", remedy.text(), serde_json::json!(remedy)));
    }
    lines.join("\n") + "\n"
}

#[test]
fn texts_are_current() {
    testkit::assert_text("errors.txt", &every().iter().map(section).collect::<Vec<_>>().join("\n"));
}
