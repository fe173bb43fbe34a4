//! The built-in `demo` harness: a small full-screen terminal program that behaves as an AI coding agent does.
//!
//! It lets a newcomer, and every test, run the real thing with no account: it asks for bracketed paste, shows what it
//! is told, answers by echoing, keeps a transcript that can be resumed by id, and flushes it when asked to go. It
//! stands in for another vendor's program, so it must not use any other crate of the workspace, and none may reach into
//! it: the core starts it, types into it and signals it as it does any harness.
//!
//! # What a reader of it can rely on
//!
//! - Title (OSC 2): `demo: idle`, `demo: working` while it works on a turn, `demo: waiting: QUESTION` while a dialog is
//!   up (the question in one line, without control characters).
//! - Screen: a header with the id of the conversation, the conversation with the newest line at the bottom, a rule, the
//!   input box (`> `), a rule, a line of hints. A dialog stands in place of the box: a question, then numbered choices
//!   with `❯` on the preselected one. A long paste shows as `[pasted N lines]` in the box.
//! - `/clear` moves on to another conversation. Which one it is in stands in `…/sessions/<pid>-<start ticks>` beside the
//!   transcripts; an orderly end removes that file and prints the id.
//! - Transcript: `${THE_LOOP_DEMO_HOME:-$HOME/.the-loop-demo}/projects/<cwd, non-alphanumerics as ->/<id>.jsonl`, one
//!   object a line: `type` (`user`, `assistant`, `interrupt`, `signal`, `queued`), `text`, `at`. It exists from the first prompt
//!   on. What is said to it is written at once; a reply is held back until a quiet second has passed or it is asked to
//!   go, so that an ungraceful end loses it, as it does with real agents.
//! - Exit codes: 0 when asked to go (TERM, HUP, `/exit`, Ctrl-C twice, end of input); 1 for a conversation that cannot
//!   be opened, a refused dialog and bad arguments.
//!
//! # Fault switches
//!
//! Hidden from newcomers, for tests: `--fault SWITCH`, any number of times.
//!
//! | switch | what happens |
//! |---|---|
//! | `ignore-term`, `ignore-hup` | the signal is noted in the transcript and otherwise ignored; with `ignore-hup` the loss of the terminal is ignored too (it leaves by itself after ten minutes) |
//! | `fork` | a child in the same process group, on the same terminal, that sleeps |
//! | `setsid` | a child in a session of its own, off the terminal, that sleeps |
//! | `double-fork` | the same, but orphaned: its parent is not this program |
//! | `exit-after=MS:CODE` | leaves with that code after that time, whatever it is doing |
//! | `crash-times=N:FILE` | exits with 1 at once on its first N starts, counted in the file |
//! | `resume-fails` | `--resume` fails as for an unknown id |
//! | `slow-start=MS` | shows nothing and reads nothing for that long |
//! | `dialog=TEXT` | asks that question first; a digit answers, a bare Enter takes the preselected exit, all else is lost |
//! | `no-bracketed-paste` | never asks for paste frames |
//! | `quiet=MS` | a paste is held open that long; Enter inside it is a new line |
//! | `burst=MS` | Enter within that time after several characters at once is a new line |
//! | `busy=MS` | works that long on each turn before it replies |
//! | `queue` | a turn submitted while another is in hand is written down as `queued`, and as `user` when it is taken up; it is lost with the process |
//! | `deaf-box` | the first turn is put into the input box and not submitted |
//! | `deaf-enters=N` | the first N Enters are ignored |
//! | `hold=MS` | the quiet time until a held reply is written, in place of a second |
//! | `redraw=MS` | all but the first picture is shown that much later |
//! | `noisy` | prints without end |
//! | `title=TEXT` | that title, whatever its state |
//!
//! Sleeping children inherit the environment and what is ignored, and end by themselves after ten minutes.

mod agent;
mod args;
mod entry;
mod faults;
mod input;
mod run;
mod screen;
mod signals;
mod sleeper;
mod terminal;
mod transcript;
mod turn;
mod whereabouts;
mod wrap;

use std::{
    ffi::OsString,
    io::{self, Write},
    process::ExitCode,
};

use args::Order;
pub use turn::checksum;

/// Runs the demo harness with the arguments that follow its subcommand.
///
/// Must be called while the process has one thread only: it takes its signals from a descriptor, which a second thread
/// that does not block them would steal.
pub fn main(args: impl Iterator<Item = OsString>) -> ExitCode {
    let done = match args::parse(args) {
        Ok(Order::Help) => say(io::stdout(), args::HELP).map(|()| 0).map_err(|error| error.to_string()),
        Ok(Order::Sleep(sleeper)) => sleeper::sleep(sleeper).map(|()| 0),
        Ok(Order::Talk(talk)) => run::run(*talk),
        Err(problem) => Err(problem),
    };
    match done {
        Ok(code) => ExitCode::from(code),
        Err(problem) => {
            // Nothing is left to be done when even this cannot be written.
            let _ = say(io::stderr(), &format!("demo: {problem}\n"));
            terminal::linger();
            ExitCode::FAILURE
        }
    }
}

/// Writes text for a person.
fn say(mut to: impl Write, text: &str) -> io::Result<()> {
    to.write_all(text.as_bytes())?;
    to.flush()
}
