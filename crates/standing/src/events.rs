//! Event log: the audit trail of sessions that have no ticket.
//!
//! Each line is one compact JSON object, appended in one write. A line that cannot be written causes one warning and
//! never fails a verb. No event field ever holds message text or a secret.
//!
//! A file of 16 MiB is rotated, and three rotated files are kept. Positions continue across rotations, see
//! [`EventReader`].

mod append;
mod backwards;
mod read;
mod segment;

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use serde_json::{Map, Value};

pub(crate) use backwards::Earlier;
pub use read::{Batch, EventReader, LogLine};

use crate::{Error, clock, config, metrics, state_folder};
use segment::{Limits, ROTATED};

/// Severity of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Detail for an investigation.
    Debug,
    /// Completed action.
    Info,
    /// Skipped step; the work continued.
    Warning,
    /// Request that could not be carried out.
    Error,
}

impl Level {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// Event under construction: `Event::info("standing.said").with("standing", "ops")`.
#[derive(Clone, Debug)]
pub struct Event {
    name: &'static str,
    level: Level,
    fields: Map<String, Value>,
}

impl Event {
    /// Creates an event of a level.
    pub fn new(level: Level, name: &'static str) -> Self {
        Self { name, level, fields: Map::new() }
    }

    /// Creates an event for a completed action.
    pub fn info(name: &'static str) -> Self {
        Self::new(Level::Info, name)
    }

    /// Creates an event for a failed action.
    pub fn error(name: &'static str) -> Self {
        Self::new(Level::Error, name)
    }

    /// Adds a field with a name in `snake_case`. An empty text is left out.
    #[must_use]
    pub fn with(mut self, field: &str, value: impl Into<Value>) -> Self {
        let value = value.into();
        if value != "" {
            self.fields.insert(field.to_owned(), value);
        }
        self
    }

    /// Sets the time of the event to one that is recorded elsewhere as well.
    #[must_use]
    pub(crate) fn at(self, time: &str) -> Self {
        self.with("ts", time)
    }
}

/// Destination of events.
#[derive(Clone, Debug)]
pub(crate) struct EventLog {
    path: Option<PathBuf>,
    state_root: PathBuf,
    source: &'static str,
    warned: Arc<AtomicBool>,
}

impl EventLog {
    pub(crate) fn new(settings: &config::Settings, source: &'static str, warned: Arc<AtomicBool>) -> Self {
        let path = settings.event_log.enabled.then(|| settings.event_log.path.clone());
        Self { path, state_root: settings.state_root.clone(), source, warned }
    }

    /// Returns the part of the program that emits.
    pub(crate) const fn source(&self) -> &'static str {
        self.source
    }

    pub(crate) fn emit(&self, event: Event) {
        let Some(path) = &self.path else { return };
        let header = |before: u64| self.line(Event::info(ROTATED).with("offset", before));
        // A folder of another user that refused a verb is not written to for its events either.
        if self.prepare(path).is_err() {
            return;
        }
        let Err(error) = append::append(path, &self.line(event), Limits::DEFAULT, header) else { return };
        metrics::event_error();
        if !self.warned.swap(true, Ordering::Relaxed) {
            tracing::warn!(path = %path.display(), %error, "could not write events; commands continue without them");
        }
    }

    fn prepare(&self, path: &Path) -> Result<(), Error> {
        if path.starts_with(&self.state_root) && !self.state_root.join("logs").exists() {
            return state_folder::make(&self.state_root);
        }
        state_folder::check_owner(&self.state_root)
    }

    fn line(&self, event: Event) -> String {
        let mut object = Map::new();
        object.insert("ts".to_owned(), clock::now_millis().into());
        object.insert("source".to_owned(), self.source.into());
        object.insert("event".to_owned(), event.name.into());
        object.insert("level".to_owned(), event.level.as_str().into());
        object.insert("pid".to_owned(), std::process::id().into());
        object.extend(event.fields);
        let mut line = Value::Object(object).to_string();
        line.push('\n');
        line
    }
}
