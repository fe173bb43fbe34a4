//! Where a command's words go: data to standard output, talk to standard error.
//!
//! Colours only where a terminal shows them (`NO_COLOR` and `TERM=dumb` are honoured). A reader that closed its end is
//! no error: the rest is not written, quietly. Anything else that cannot be written, a full disk say, is a failure.

use std::{
    borrow::Cow,
    fmt::Display,
    io::{self, Stderr, Write as _},
    process::ExitCode,
};

use anstream::{AutoStream, ColorChoice, adapter::strip_str};
use clap::builder::styling::{AnsiColor, Style};

use super::{Refusal, sanitize};

/// The two streams of a command.
pub(super) struct Output {
    /// False if standard output shows no colours.
    coloured: bool,
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
        let coloured = AutoStream::choice(&io::stdout()) != ColorChoice::Never;
        Self { coloured, err: anstream::stderr(), failed: None }
    }

    /// Text for standard output, its line ends included. What is not ours in it must be inert already.
    pub(super) fn out(&mut self, text: &str) {
        if self.failed.is_none() {
            // Stripped as a whole: a stream that strips writes a piece for each change of style, a listing one a row.
            let text = if self.coloured { Cow::Borrowed(text) } else { Cow::Owned(strip_str(text).to_string()) };
            let mut out = io::stdout().lock();
            self.failed = out.write_all(text.as_bytes()).and_then(|()| out.flush()).err();
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
            self.err(&format!("{} {}\n", paint(BAD, "error:"), sanitize::text(&refusal.text)));
            for remedy in &refusal.remedies {
                self.err(&format!("{} {}\n", paint(BOLD, "help:"), sanitize::text(&remedy.text())));
            }
            refusal.code
        });
        match self.failed.take() {
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                self.err(&format!("{} could not write to standard output: {error}\n", paint(BAD, "error:")));
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
