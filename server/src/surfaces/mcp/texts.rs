//! Golden file of the texts that an agent reads over MCP.

use std::fmt::Write as _;

use wire::SessionName;

use super::{INSTRUCTIONS, tools};

#[test]
fn texts_are_current() {
    let name = SessionName::parse("ops").expect("a name");
    let session = || name.tmux_session();
    let reason = || "{reason}".to_owned();
    let errors = [
        standing::Error::Unknown { name: name.clone() },
        standing::Error::NotRunning { name: name.clone(), reason: reason() },
        standing::Error::Waiting {
            name: name.clone(),
            session: session(),
            socket: String::new(),
            question: "Go on?".to_owned(),
            offers: true,
        },
        standing::Error::KeyReused { name: name.clone() },
        standing::Error::TooLarge { found: 2, limit: 1 },
        standing::Error::TmuxSilent { reason: reason() },
        standing::Error::Busy { name: name.clone(), holder: "say, pid 7".to_owned(), waited_seconds: 20 },
    ];
    let mut text = format!("== instructions\n{INSTRUCTIONS}\n");
    for tool in tools::all() {
        let _ = writeln!(text, "\n== {}\n{}", tool.name, tool.description.unwrap_or_default());
    }
    for error in errors {
        let _ = writeln!(text, "\n== {}\n{}", error.code().as_str(), tools::Refusal::from(error).text());
    }
    testkit::assert_text("mcp.txt", &text);
}
