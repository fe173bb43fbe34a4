//! In-process SDK: an instance of the-loop with one config, and the verbs on its standing sessions.

use std::{
    collections::HashMap,
    fs,
    os::unix::fs::MetadataExt,
    path::Path,
    sync::{Arc, Mutex, PoisonError, atomic::AtomicBool},
};

use harness::find_program;
use process::single_flight::SingleFlight;
use wire::{
    AnswerRequest, ControlReport, ControlRequest, ControlVerb, CreateRequest, DeleteRequest, Finding, PlannedSession,
    Row, SayReceipt, SayRequest, SessionName,
};

use crate::{
    Caller, Details, Error, Surroundings, blocking,
    config::{self, ConfigPath, Loaded},
    doctor,
    events::{Event, EventLog, EventReader},
    lifecycle::{
        self, Context,
        list::EarlyLook,
        pane::{PaneView, Scrollback},
        reconcile::Recovered,
    },
    metrics,
};

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

/// Verbs on standing sessions. Each blocks until it is done: seconds for start and stop, a moment for the others.
#[derive(Clone, Copy, Debug)]
pub struct Standing<'a> {
    the_loop: &'a TheLoop,
    caller: Caller,
}

impl Standing<'_> {
    /// Returns the verbs for another caller. Create, delete, start, stop, restart, answers and forced messages are
    /// refused if the caller runs inside a session; the other verbs are open to all callers.
    #[must_use]
    pub fn called_by(self, caller: Caller) -> Self {
        Self { caller, ..self }
    }

    /// Refuses a caller that runs inside a session, unless `standingSessions.agentsMayControl` is true. For actions
    /// that are not verbs of the core, such as stopping the service; `doing` names the action, as in "stop the
    /// service".
    pub fn may_control(self, doing: &'static str) -> Result<(), Error> {
        lifecycle::permit::permit(&self.the_loop.tolerant(), self.caller, doing)
    }

    /// Returns all declared and recorded sessions, sorted by name. Concurrent callers share one look, but never one
    /// that began before their call.
    pub fn list(&self) -> Result<Vec<Row>, Error> {
        self.the_loop.looks.list.share(|| {
            // A process that has not read its config yet calls tmux while it does.
            let unread = self.the_loop.read.lock().unwrap_or_else(PoisonError::into_inner).is_none();
            let (path, surroundings) = (self.the_loop.path.clone(), Arc::clone(&self.the_loop.surroundings));
            let early = unread.then(|| EarlyLook::begin(path, surroundings)).flatten();
            match self.the_loop.strict() {
                Ok(context) => lifecycle::list::list(&context, early),
                Err(error) => {
                    if let Some(early) = early {
                        early.end();
                    }
                    Err(error)
                }
            }
        })
    }

    /// Returns all sessions with the last `lines` lines of their panes, sorted by name. For the page.
    pub fn survey(&self, lines: usize) -> Result<Vec<(Row, String)>, Error> {
        let mut surveys = self.the_loop.looks.surveys.lock().unwrap_or_else(PoisonError::into_inner);
        let looks = Arc::clone(surveys.entry(lines).or_default());
        drop(surveys);
        looks.share(|| lifecycle::list::survey(&self.the_loop.strict()?, lines))
    }

    /// Returns one session.
    pub fn get(&self, name: &str) -> Result<Row, Error> {
        let name = SessionName::parse(name)?;
        lifecycle::get::get(&self.the_loop.strict()?, &name)
    }

    /// Creates a session, and starts it unless the request says otherwise.
    pub fn create(&self, request: &CreateRequest) -> Result<ControlReport, Error> {
        metrics::verb("create", || {
            let name = SessionName::parse(&request.name)?;
            lifecycle::fields::of_create(request)?;
            self.may_control("create sessions")?;
            lifecycle::create::create(&self.the_loop.changing()?, &name, request)
        })
    }

    /// Stops a created session and removes its record.
    pub fn delete(&self, request: &DeleteRequest) -> Result<ControlReport, Error> {
        metrics::verb("delete", || {
            let name = SessionName::parse(&request.name)?;
            self.may_control("delete sessions")?;
            lifecycle::delete::delete(&self.the_loop.changing()?, &name)
        })
    }

    /// Starts, stops or restarts one session. An empty name is refused; it never means every session. Stopping works
    /// with an invalid config, but not with one that was given explicitly and cannot be read: the location of the
    /// records is unknown then.
    pub fn control(&self, request: &ControlRequest) -> Result<ControlReport, Error> {
        metrics::verb(request.verb.as_str(), || {
            self.may_control(match request.verb {
                ControlVerb::Start => "start sessions",
                ControlVerb::Stop => "stop sessions",
                ControlVerb::Restart => "restart sessions",
            })?;
            let context = match request.verb {
                ControlVerb::Stop => self.the_loop.stopping()?,
                ControlVerb::Start | ControlVerb::Restart => self.the_loop.changing()?,
            };
            let name = lifecycle::fields::name_of_one(request)?;
            lifecycle::control::one(&context, &name, request.verb)
        })
    }

    /// Starts every session: created ones, and declared ones if `standingSessions.enabled` is true.
    pub fn start_all(&self) -> Result<ControlReport, Error> {
        metrics::verb("start", || {
            self.may_control("start sessions")?;
            lifecycle::control::start_all(&self.the_loop.changing()?, lifecycle::control::Which::Every)
        })
    }

    /// Stops every recorded session. Works with an invalid config, as [`Standing::control`] does.
    pub fn stop_all(&self) -> Result<ControlReport, Error> {
        metrics::verb("stop", || {
            self.may_control("stop sessions")?;
            lifecycle::control::stop_all(&self.the_loop.stopping()?)
        })
    }

    /// Starts the auto-start sessions, as `the-loop start` does once the service is up.
    pub fn start_auto(&self) -> Result<ControlReport, Error> {
        metrics::verb("start", || {
            self.may_control("start sessions")?;
            lifecycle::control::start_all(&self.the_loop.changing()?, lifecycle::control::Which::AutoStart(&[]))
        })
    }

    /// Starts the auto-start sessions and those that ran before, for a restart of everything.
    pub fn start_again(&self, ran: &[SessionName]) -> Result<ControlReport, Error> {
        metrics::verb("start", || {
            self.may_control("start sessions")?;
            lifecycle::control::start_all(&self.the_loop.changing()?, lifecycle::control::Which::AutoStart(ran))
        })
    }

    /// Restores the record of a running session that has lost it.
    pub fn restore(&self, name: &str) -> Result<ControlReport, Error> {
        metrics::verb("restore", || {
            let name = SessionName::parse(name)?;
            self.may_control("restore sessions")?;
            lifecycle::restore::restore(&self.the_loop.changing()?, &name)
        })
    }

    /// Returns all sessions, and reports if all auto-start sessions are running. For `the-loop status`.
    pub fn status(&self) -> Result<ControlReport, Error> {
        lifecycle::status::status(&self.the_loop.strict()?)
    }

    /// Returns what [`Standing::start_auto`] would do, without doing it.
    pub fn plan(&self) -> Result<Vec<PlannedSession>, Error> {
        lifecycle::plan::plan(&self.the_loop.strict()?)
    }

    /// Finishes operations that a crash interrupted, in every session, when the service starts. Reads only the
    /// records if there is nothing to finish.
    pub fn reconcile(&self) -> Result<Vec<Recovered>, Error> {
        lifecycle::reconcile::reconcile(&self.the_loop.changing()?)
    }

    /// Pastes text into a running session and submits it.
    pub fn say(&self, request: &SayRequest) -> Result<SayReceipt, Error> {
        metrics::say(|| {
            let name = SessionName::parse(&request.name)?;
            lifecycle::fields::of_say(request)?;
            // With force, its Enter may select an answer.
            if request.force {
                self.may_control("send a message with force")?;
            }
            lifecycle::say::say(&self.the_loop.changing()?, &name, request)
        })
    }

    /// Selects one of the answers that the prompt of a session offers. Only for operators, since an answer may grant
    /// a permission that the harness asks for.
    pub fn answer(&self, request: &AnswerRequest) -> Result<SayReceipt, Error> {
        metrics::answer(|| {
            let name = SessionName::parse(&request.name)?;
            lifecycle::fields::of_answer(request)?;
            self.may_control("answer a session's question")?;
            lifecycle::answer::answer(&self.the_loop.changing()?, &name, request)
        })
    }

    /// Returns the session that a process belongs to, as its harness or a descendant of it. `None` for a process that
    /// hides its environment.
    pub fn session_of(&self, pid: u32) -> Option<SessionName> {
        lifecycle::session_of::session_of(&self.the_loop.tolerant(), pid)
    }

    /// Checks that verbs can be done: the config is valid, and tmux answers.
    pub fn ready(&self) -> Result<(), Error> {
        self.the_loop.strict()?.look()?;
        Ok(())
    }

    /// Binds a session to the Slack thread in which it is answered, and returns its row. A session that is already
    /// bound keeps its thread. So if a session is announced twice at once, the row says which thread counts.
    pub fn bind_thread(&self, name: &str, channel: &str, thread: &str) -> Result<Row, Error> {
        let name = SessionName::parse(name)?;
        lifecycle::bind_thread::bind_thread(&self.the_loop.changing()?, &name, channel, thread)
    }

    /// Returns the last lines of a session's pane as plain text without control characters; empty without a pane.
    pub fn screen(&self, name: &str, lines: usize) -> Result<String, Error> {
        let name = SessionName::parse(name)?;
        lifecycle::screen::screen(&self.the_loop.strict()?, &name, lines)
    }

    /// Returns the details of one session.
    pub fn details(&self, name: &str) -> Result<Details, Error> {
        let name = SessionName::parse(name)?;
        lifecycle::details::details(&self.the_loop.strict()?, &name)
    }

    /// Returns the pane of a session with its colours, alive or retained; `None` if it has no pane. Refuses a tmux
    /// session that is not managed by the-loop.
    pub fn pane(&self, name: &str) -> Result<Option<PaneView>, Error> {
        let name = SessionName::parse(name)?;
        lifecycle::pane::view(&self.the_loop.strict()?, &name)
    }

    /// Returns up to 500 lines of a session's history that are above the line with a number; `None` if it has no
    /// pane.
    pub fn scrollback(&self, name: &str, before: usize) -> Result<Option<Scrollback>, Error> {
        let name = SessionName::parse(name)?;
        lifecycle::pane::scrollback(&self.the_loop.strict()?, &name, before)
    }
}
