//! Built-in `demo` harness: a small full-screen terminal program that behaves like an AI coding agent.
//!
//! It lets a newcomer, and every test, run the real thing without an account. It requests bracketed paste, shows its
//! input, answers by echoing, keeps a transcript that can be resumed by id, and flushes it when asked to exit. It takes
//! the place of another vendor's program, so it must not use any other crate of the workspace, and none may use its
//! internals. The core starts it, types into it and signals it like any harness.
//!
//! # Interface for readers
//!
//! - Title (OSC 2): `demo: idle`, `demo: working` during a turn, `demo: waiting: QUESTION` while a dialog is open (the
//!   question in one line, without control characters).
//! - Screen: a header with the id of the conversation, the conversation with the newest line at the bottom, a rule, the
//!   input box (`> `), a rule, a line of hints. A dialog replaces the box: a question, then numbered choices with `❯`
//!   on the preselected one. A long paste shows as `[pasted N lines]` in the box.
//! - `/clear` moves on to another conversation. The file `…/sessions/<pid>-<start ticks>` beside the transcripts names
//!   the current one; an orderly end removes that file and prints the id.
//! - Transcript: `${THE_LOOP_DEMO_HOME:-$HOME/.the-loop-demo}/projects/<cwd, non-alphanumerics as ->/<id>.jsonl`, one
//!   object per line: `type` (`user`, `assistant`, `interrupt`, `signal`, `queued`, `failed`), `text`, `at`. It exists from the
//!   first prompt on. Input is written immediately. A reply is held until a quiet second has passed or the program is
//!   asked to exit, so an ungraceful end loses it, as with real agents.
//! - A message whose last line is `fail KIND` or `fail KIND SECONDS` gets a `failed` line with `failure` and `until` in the
//!   place of a reply, as a turn that the vendor refused.
//! - Exit codes: 0 when asked to exit (TERM, HUP, `/exit`, Ctrl-C twice, end of input); 1 for a conversation that
//!   cannot be opened, a refused dialog and bad arguments.
//!
//! # Fault switches
//!
//! Hidden from newcomers, for tests: `--fault SWITCH`, any number of times.
//!
//! | switch | effect |
//! |---|---|
//! | `ignore-term`, `ignore-hup` | the signal is noted in the transcript and otherwise ignored; with `ignore-hup` the loss of the terminal is ignored too (it exits on its own after ten minutes) |
//! | `fork` | a sleeping child in the same process group, on the same terminal |
//! | `setsid` | a sleeping child in a session of its own, off the terminal |
//! | `double-fork` | a sleeping child in a session of its own, off the terminal, and orphaned: its parent is not this program |
//! | `exit-after=MS:CODE` | exits with that code after that time, whatever it is doing |
//! | `crash-times=N:FILE` | exits with 1 immediately on its first N starts, counted in the file |
//! | `resume-fails` | `--resume` fails as for an unknown id |
//! | `slow-start=MS` | shows nothing and reads nothing for that time |
//! | `dialog=TEXT` | asks that question first; a digit answers, a bare Enter takes the preselected exit, all other input is lost |
//! | `no-bracketed-paste` | never requests paste frames |
//! | `quiet=MS` | a paste is held open for that time; Enter inside it is a new line |
//! | `burst=MS` | Enter within that time after several characters at once is a new line |
//! | `busy=MS` | works for that time on each turn before it replies |
//! | `queue` | a turn submitted during another one is written as `queued`, and as `user` when its turn comes; it is lost with the process |
//! | `deaf-box` | the first turn is put into the input box and not submitted |
//! | `deaf-enters=N` | the first N Enters are ignored |
//! | `hold=MS` | the quiet time until a held reply is written, instead of a second |
//! | `redraw=MS` | every screen but the first is shown that much later |
//! | `noisy` | prints without end |
//! | `wordy` | replies with some hundred lines |
//! | `title=TEXT` | that title, whatever its state |
//!
//! Sleeping children inherit the environment and the ignored signals, and end on their own after ten minutes.

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

/// Runs the demo harness with the arguments after its subcommand.
///
/// Must be called while the process has one thread only: it reads its signals from a descriptor, and a second thread
/// that does not block them would take them.
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
            // If even this write fails, nothing is left to do.
            let _ = say(io::stderr(), &format!("demo: {problem}\n"));
            terminal::linger();
            ExitCode::FAILURE
        }
    }
}

/// Writes text for people.
fn say(mut to: impl Write, text: &str) -> io::Result<()> {
    to.write_all(text.as_bytes())?;
    to.flush()
}
