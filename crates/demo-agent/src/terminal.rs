//! Terminal: raw mode, alternate screen, paste frames, title. Its former state is restored when dropped.

use std::{
    io::{self, Write},
    thread,
    time::Duration,
};

use rustix::termios::{self, OptionalActions, Termios};

/// Size used when the terminal does not know its own.
const FALLBACK: Size = Size { columns: 80, rows: 24 };

/// Time that the last output stays before the end. Programs that run agents take longer to shut down.
const LINGER: Duration = Duration::from_millis(50);

/// Size in character cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) columns: usize,
    pub(super) rows: usize,
}

/// Terminal on standard input and output, taken over.
pub(super) struct Terminal {
    original: Termios,
    title: String,
}

impl Terminal {
    /// Takes over the terminal; requests paste frames if `framed`.
    pub(super) fn enter(framed: bool) -> io::Result<Self> {
        let original = termios::tcgetattr(io::stdin())?;
        let mut raw = original.clone();
        raw.make_raw();
        // Not flushing: characters typed ahead are input too.
        termios::tcsetattr(io::stdin(), OptionalActions::Now, &raw)?;
        let terminal = Self { original, title: String::new() };
        write("\x1b[?1049h\x1b[2J")?;
        if framed {
            write("\x1b[?2004h")?;
        }
        Ok(terminal)
    }

    /// Returns the current size.
    pub(super) fn size() -> Size {
        match termios::tcgetwinsize(io::stdout()) {
            Ok(size) if size.ws_col > 0 && size.ws_row > 0 => {
                Size { columns: size.ws_col.into(), rows: size.ws_row.into() }
            }
            _ => FALLBACK,
        }
    }

    /// Shows one whole screen and the state in the title.
    pub(super) fn show(&mut self, picture: &str, title: &str) -> io::Result<()> {
        if self.title != title {
            title.clone_into(&mut self.title);
            let printable: String = title.chars().filter(|char| !char.is_control()).collect();
            write(&format!("\x1b]2;{printable}\x1b\\"))?;
        }
        write(picture)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // The terminal may be gone already; then there is no one to report to.
        let _ = write("\x1b[?2004l\x1b[?25h\x1b[?1049l");
        let _ = termios::tcsetattr(io::stdin(), OptionalActions::Now, &self.original);
    }
}

/// Waits a moment before a failed end. tmux drops a program's last output if it learns of the end before it has read
/// that, and then the cause is lost.
pub(super) fn linger() {
    if termios::isatty(io::stdout()) {
        thread::sleep(LINGER);
    }
}

/// Writes immediately.
pub(super) fn write(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}
