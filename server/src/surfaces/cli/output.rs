//! Where a command's words go: data to standard output, talk to standard error.
//!
//! Colours only where a terminal shows them (`NO_COLOR` and `TERM=dumb` are honoured). A reader that closed its end is
//! no error: the rest is not written, quietly. Anything else that cannot be written, a full disk say, is a failure.

use std::{
    fmt::Display,
    io::{self, Stderr, Stdout, Write as _},
    process::ExitCode,
};

use anstream::AutoStream;
use clap::builder::styling::{AnsiColor, Style};

use super::{Refusal, inert};

/// The two streams of a command.
pub(super) struct Output {
    out: AutoStream<Stdout>,
    err: AutoStream<Stderr>,
    failed: Option<io::Error>,
}

pub(super) const BOLD: Style = Style::new().bold();
pub(super) const DIM: Style = Style::new().dimmed();
pub(super) const GOOD: Style = AnsiColor::Green.on_default();
pub(super) const WARN: Style = AnsiColor::Yellow.on_default();
pub(super) const BAD: Style = AnsiColor::Red.on_default().bold();

impl Output {
    pub(super) fn of_process() -> Self {
        Self { out: anstream::stdout(), err: anstream::stderr(), failed: None }
    }

    /// Text for standard output, its line ends included. What is not ours in it must be inert already.
    pub(super) fn out(&mut self, text: &str) {
        if self.failed.is_none() {
            let written = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush());
            self.failed = written.err();
        }
    }

    /// How many columns standard output shows, if it is a terminal that says so.
    pub(super) fn columns() -> Option<usize> {
        let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
        Some(usize::from(size.ws_col)).filter(|&columns| columns > 0)
    }

    /// True once nothing more can be written to standard output: whoever read it may have left.
    pub(super) fn is_closed(&self) -> bool {
        self.failed.is_some()
    }

    /// Text for standard error; one that cannot be written has nowhere to be told.
    pub(super) fn err(&mut self, text: &str) {
        let _ = self.err.write_all(text.as_bytes());
    }

    /// The exit status, once everything was said.
    pub(super) fn end(mut self, done: Result<u8, Refusal>) -> ExitCode {
        let code = done.unwrap_or_else(|refusal| {
            self.err(&format!("{} {}\n", paint(BAD, "error:"), inert::text(&refusal.text)));
            refusal.code
        });
        match self.failed.take() {
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                self.err(&format!("{} cannot write to standard output: {error}\n", paint(BAD, "error:")));
                ExitCode::from(code.max(1))
            }
            _ => ExitCode::from(code),
        }
    }
}

/// The text in a style; a stream that shows no colours takes it out again.
pub(super) fn paint(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}
