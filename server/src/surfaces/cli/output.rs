//! Output of a command: data to standard output, messages to standard error.
//!
//! Colours appear only on a terminal that shows them (`NO_COLOR` and `TERM=dumb` are honoured). A closed reader is not
//! an error: the rest of the output is dropped. Any other write error, such as a full disk, is a failure.

use std::{
    borrow::Cow,
    fmt::Display,
    io::{self, Stderr, Write as _},
    process::ExitCode,
};

use anstream::{AutoStream, ColorChoice, adapter::strip_str};
use clap::{
    ValueEnum,
    builder::styling::{AnsiColor, Style},
};

use super::{Refusal, sanitize};

/// Output format of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Text for people.
    Text,
    /// One JSON document, as in REST.
    Json,
}

/// The two output streams of a command.
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

    /// Writes text to standard output, line ends included. Text of other origin must be sanitised already.
    pub(super) fn out(&mut self, text: &str) {
        if self.failed.is_none() {
            // Colours are stripped from the whole text: a stream that strips writes once per change of style, and a
            // listing writes once per row.
            let text = if self.coloured { Cow::Borrowed(text) } else { Cow::Owned(strip_str(text).to_string()) };
            let mut out = io::stdout().lock();
            self.failed = out.write_all(text.as_bytes()).and_then(|()| out.flush()).err();
        }
    }

    /// Returns the width of standard output, if it is a terminal that reports it.
    pub(super) fn columns() -> Option<usize> {
        let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
        Some(usize::from(size.ws_col)).filter(|&columns| columns > 0)
    }

    /// True once standard output is closed, for example because its reader has ended.
    pub(super) fn is_closed(&self) -> bool {
        self.failed.is_some()
    }

    /// Writes text to standard error. A write error there cannot be reported.
    pub(super) fn err(&mut self, text: &str) {
        let _ = self.err.write_all(text.as_bytes());
    }

    /// Returns the exit status, once all output is written.
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

/// Formats the text in a style; a stream without colours removes it again.
pub(super) fn paint(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}
