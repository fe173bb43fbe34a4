//! In-process SDK: an instance of the-loop with one config.

mod verbs;

use std::{
    collections::HashMap,
    fs,
    os::unix::fs::MetadataExt,
    path::Path,
    sync::{Arc, Mutex, PoisonError, atomic::AtomicBool},
};

use harness::find_program;
use process::single_flight::SingleFlight;
use wire::{Finding, Row};

use crate::{
    Caller, Error, Surroundings, blocking,
    config::{self, ConfigPath, Loaded},
    doctor,
    events::{Event, EventLog, EventReader},
    lifecycle::Context,
};
pub use verbs::Standing;

/// Instance of the-loop: a config file and the place of its state. Cheap to clone; safe to share.
#[derive(Clone, Debug)]
pub struct TheLoop {
    path: ConfigPath,
    surroundings: Arc<Surroundings>,
    source: &'static str,
    caller: Caller,
    read: Arc<Mutex<Option<Read>>>,
    event_warned: Arc<AtomicBool>,
    looks: Arc<Looks>,
}

/// Results that concurrent callers share.
#[derive(Debug, Default)]
struct Looks {
    list: SingleFlight<Vec<Row>>,
    /// By number of lines.
    surveys: Mutex<HashMap<usize, Arc<SingleFlight<Survey>>>>,
}

/// All sessions with the last lines of their panes.
type Survey = Vec<(Row, String)>;

/// Config as last read, and the metadata of its file at that time.
#[derive(Debug)]
struct Read {
    stamp: Option<(u64, u64, i64, i64)>,
    loaded: Arc<Loaded>,
}

impl TheLoop {
    /// Opens the instance of a config file, or of the one found for this process if `None`. Opening never fails
    /// because of the content of the file: the verbs report what is wrong with it, and `stop` works anyway.
    pub fn open(config: Option<&Path>) -> Self {
        Self::open_in(config, Surroundings::of_process(), "sdk")
    }

    /// Opens an instance with a given environment and a source name for the event log (`cli`, `service`, …).
    pub fn open_in(config: Option<&Path>, surroundings: Surroundings, source: &'static str) -> Self {
        let path = config::locate(config, &surroundings);
        Self {
            path,
            surroundings: Arc::new(surroundings),
            source,
            caller: Caller::ThisProcess,
            read: Arc::default(),
            event_warned: Arc::default(),
            looks: Arc::default(),
        }
    }

    /// Returns the instance with another source name for the event log.
    #[must_use]
    pub fn with_source(mut self, source: &'static str) -> Self {
        self.source = source;
        self
    }

    /// Returns the instance with another caller than this process, for a service that acts on behalf of its callers.
    #[must_use]
    pub fn with_caller(mut self, caller: Caller) -> Self {
        self.caller = caller;
        self
    }

    /// Returns the config as it is in the file now. Changes are detected. While the file is invalid, the settings are
    /// the last valid ones and [`Loaded::standing`] refuses.
    pub fn config(&self) -> Arc<Loaded> {
        blocking::about_to("the config is read");
        let stamp =
            fs::metadata(self.path.file()).ok().map(|meta| (meta.ino(), meta.len(), meta.mtime(), meta.mtime_nsec()));
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(read) = read.as_ref().filter(|read| read.stamp == stamp) {
            return Arc::clone(&read.loaded);
        }
        let mut loaded = config::load(self.path.clone(), &self.surroundings);
        if let Some(last) = read.as_ref().filter(|_| !loaded.problems.is_empty()) {
            loaded.settings = last.loaded.settings.clone();
            loaded.state_is_known = last.loaded.state_is_known;
        }
        let loaded = Arc::new(loaded);
        *read = Some(Read { stamp, loaded: Arc::clone(&loaded) });
        loaded
    }

    /// Returns the path of the config file, which may not exist.
    pub fn config_file(&self) -> &Path {
        self.path.file()
    }

    /// Returns the environment that this instance was opened with.
    pub fn surroundings(&self) -> &Surroundings {
        &self.surroundings
    }

    /// Returns the harnesses that a session can be created with, the default one first. The flag is true if the
    /// program of the harness was found.
    pub fn harnesses(&self) -> Result<Vec<(String, bool)>, Error> {
        let context = self.strict()?;
        let routing = &context.settings().routing;
        let mut names = vec![routing.default_harness.clone()];
        names.extend(harness::BUILT_IN.into_iter().map(str::to_owned).chain(routing.harnesses.keys().cloned()));
        let mut known: Vec<(String, bool)> = Vec::new();
        for name in names {
            if known.iter().any(|(known, _)| *known == name) {
                continue;
            }
            let found = context.harness(&name).is_ok_and(|harness| {
                let mut needed = std::iter::once(harness.program()).chain(harness.program_behind());
                needed.all(|program| find_program(program, self.path.project_dir(), &self.surroundings).is_ok())
            });
            known.push((name, found));
        }
        Ok(known)
    }

    /// Writes an event of another part of the-loop to the event log.
    pub fn emit(&self, event: Event) {
        self.events(&self.config()).emit(event);
    }

    /// Returns a reader of the event log. The log may exist even if `eventLog.enabled` is false; nothing is added to
    /// it then.
    pub fn event_log(&self) -> EventReader {
        EventReader::new(self.config().settings.event_log.path.clone())
    }

    /// Checks this machine for problems that could affect sessions, hazards first: the part of `the-loop doctor` that
    /// is about the core. Works with any content of the config; starts nothing and changes nothing.
    pub fn doctor(&self) -> Vec<Finding> {
        doctor::examine(&self.tolerant())
    }

    /// Returns the verbs.
    pub fn standing(&self) -> Standing<'_> {
        Standing { the_loop: self, caller: self.caller }
    }

    fn events(&self, config: &Loaded) -> EventLog {
        EventLog::new(&config.settings, self.source, Arc::clone(&self.event_warned))
    }

    /// Returns the time that a verb waits for another one on the same session.
    pub fn lock_wait(&self) -> std::time::Duration {
        self.tolerant().lock_wait().0
    }

    /// Returns the context of a verb; fails if the config is invalid.
    pub(crate) fn strict(&self) -> Result<Context, Error> {
        let context = self.tolerant();
        context.config.standing()?;
        Ok(context)
    }

    /// Returns the context of `stop`: accepts any config, unless it leaves unknown where the sessions are recorded.
    fn stopping(&self) -> Result<Context, Error> {
        let context = self.tolerant();
        context.config.stopping()?;
        context.owned()?;
        Ok(context)
    }

    /// Returns the context of a verb that writes. Refuses the state folder of another user before anything else.
    fn changing(&self) -> Result<Context, Error> {
        let context = self.strict()?;
        context.owned()?;
        Ok(context)
    }

    /// Returns a context with any content of the config.
    pub(crate) fn tolerant(&self) -> Context {
        let config = self.config();
        let events = self.events(&config);
        Context::new(config, Arc::clone(&self.surroundings), events)
    }
}
