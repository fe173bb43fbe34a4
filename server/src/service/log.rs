//! Logs: to standard error, and for a background service to a file of limited size.

use std::{
    fs,
    io::{self, Write},
    path::PathBuf,
    sync::Mutex,
};

use standing::TheLoop;
use tracing_subscriber::{EnvFilter, fmt::MakeWriter};

/// Size in bytes at which the log file of a background service is rotated; one older file is kept.
const LIMIT: u64 = 8 * 1024 * 1024;

/// Logs to standard error. `THE_LOOP_LOG` sets the filter, in the syntax of `tracing`.
pub(crate) fn to_stderr(the_loop: &TheLoop) {
    let colours = anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never;
    begin(the_loop, io::stderr, colours);
}

/// Logs to the file that is the service's standard error.
pub(crate) fn to_file(the_loop: &TheLoop, path: PathBuf) {
    let written = fs::metadata(&path).map(|meta| meta.len()).unwrap_or_default();
    begin(the_loop, Mutex::new(Rotating { path, written, limit: LIMIT }), false);
}

fn begin(the_loop: &TheLoop, writer: impl for<'w> MakeWriter<'w> + Send + Sync + 'static, colours: bool) {
    let wanted = the_loop.surroundings().var("THE_LOOP_LOG").and_then(|text| text.to_str()).unwrap_or("info");
    let filter = EnvFilter::try_new(wanted);
    let unread = filter.as_ref().err().map(ToString::to_string);
    tracing_subscriber::fmt()
        .with_env_filter(filter.unwrap_or_else(|_| EnvFilter::new("info")))
        .with_writer(writer)
        .with_ansi(colours)
        .init();
    if let Some(error) = unread {
        tracing::warn!("invalid `THE_LOOP_LOG` ({error}): using `info`");
    }
}

/// Standard error, redirected to a log file. Other writers of standard error, such as a panic, write there as well.
struct Rotating {
    path: PathBuf,
    written: u64,
    limit: u64,
}

impl Rotating {
    /// Rotates the file. If that fails, the file keeps growing: that is better than a service without a log.
    fn make_room(&mut self) -> io::Result<()> {
        files::write::rename(&self.path, &self.path.with_extension("log.1"))?;
        let file = files::open::append(&self.path)?;
        rustix::stdio::dup2_stderr(&file)?;
        Ok(())
    }
}

impl Write for Rotating {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.written >= self.limit {
            let _ = self.make_room();
            self.written = 0;
        }
        let written = io::stderr().write(bytes)?;
        self.written += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
