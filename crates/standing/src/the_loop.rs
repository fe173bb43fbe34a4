//! The in-process SDK: an instance of the-loop on one config, and the verbs on its standing sessions.

use std::{
    collections::HashMap,
    fs,
    os::unix::fs::MetadataExt,
    path::Path,
    sync::{Arc, Mutex, PoisonError, atomic::AtomicBool},
};

use process::single_flight::SingleFlight;
use wire::{
    AnswerRequest, ControlReport, ControlRequest, ControlVerb, CreateRequest, DeleteRequest, Finding, PlannedSession,
    Row, SayReceipt, SayRequest, SessionName,
};

use crate::{
    Caller, Error, Surroundings, blocking,
    config::{self, ConfigPath, Loaded},
    doctor,
    events::{Event, EventLog, EventReader},
    harness::{self, find_program},
    lifecycle::{self, Context, list::EarlyLook, reconcile::Recovered},
    metrics,
};

/// One instance of the-loop: a config file and where its state lives. Cheap to clone; safe to share.
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

/// What several callers may ask for at once.
#[derive(Debug, Default)]
struct Looks {
    list: SingleFlight<Vec<Row>>,
    /// By the number of lines.
    surveys: Mutex<HashMap<usize, Arc<SingleFlight<Survey>>>>,
}

/// Every session with the last lines of its pane.
type Survey = Vec<(Row, String)>;

/// The config as last read, and what the file looked like then.
#[derive(Debug)]
struct Read {
    stamp: Option<(u64, u64, i64, i64)>,
    loaded: Arc<Loaded>,
}

impl TheLoop {
    /// Opens the instance of a config file, or of the one found for this process if `None`. Opening never fails for
    /// what stands in the file: the verbs say what is wrong with it, and `stop` works all the same.
    pub fn open(config: Option<&Path>) -> Self {
        Self::open_in(config, Surroundings::of_process(), "sdk")
    }

    /// The same with surroundings and a name for the event log (`cli`, `service`, …).
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

    /// Returns the instance under another name for the event log.
    #[must_use]
    pub fn with_source(mut self, source: &'static str) -> Self {
        self.source = source;
        self
    }

    /// The same for another caller than this process: a service acts for whoever calls it.
    #[must_use]
    pub fn with_caller(mut self, caller: Caller) -> Self {
        self.caller = caller;
        self
    }

    /// The config as it stands in the file now. An edit is noticed; while a broken one stands there, the settings are
    /// the last good ones and [`Loaded::standing`] refuses.
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

    /// The config file of this instance, whether it exists or not.
    pub fn config_file(&self) -> &Path {
        self.path.file()
    }

    /// What this instance was started with.
    pub fn surroundings(&self) -> &Surroundings {
        &self.surroundings
    }

    /// The harnesses a session can be created with, the default one first, each with whether its program was found.
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

    /// Writes an event of another part of the-loop into the log.
    pub fn emit(&self, event: Event) {
        self.events(&self.config()).emit(event);
    }

    /// The event log, to be read. It may be there even if `eventLog.enabled` is false: then nothing is added to it.
    pub fn event_log(&self) -> EventReader {
        EventReader::new(self.config().settings.event_log.path.clone())
    }

    /// What of this machine endangers the sessions, hazards first: what `the-loop doctor` tells of the core. Works
    /// whatever stands in the config; starts nothing and changes nothing.
    pub fn doctor(&self) -> Vec<Finding> {
        doctor::examine(&self.tolerant())
    }

    /// The verbs.
    pub fn standing(&self) -> Standing<'_> {
        Standing { the_loop: self, caller: self.caller }
    }

    fn events(&self, config: &Loaded) -> EventLog {
        EventLog::new(&config.settings, self.source, Arc::clone(&self.event_warned))
    }

    /// How long a verb waits for another one on the same session.
    pub fn lock_wait(&self) -> std::time::Duration {
        self.tolerant().lock_wait().0
    }

    /// What a verb works with, if the config can be used.
    pub(crate) fn strict(&self) -> Result<Context, Error> {
        let context = self.tolerant();
        context.config.standing()?;
        Ok(context)
    }

    /// The same for `stop`: any config but one that does not tell where the sessions are recorded.
    fn stopping(&self) -> Result<Context, Error> {
        let context = self.tolerant();
        context.config.stopping()?;
        context.owned()?;
        Ok(context)
    }

    /// The same for a verb that writes: refused in the state folder of another user before anything is looked at.
    fn changing(&self) -> Result<Context, Error> {
        let context = self.strict()?;
        context.owned()?;
        Ok(context)
    }

    /// The same whatever stands in the config.
    pub(crate) fn tolerant(&self) -> Context {
        let config = self.config();
        let events = self.events(&config);
        Context::new(config, Arc::clone(&self.surroundings), events)
    }
}

/// The verbs on standing sessions. Each blocks until it is done: seconds for start and stop, a moment for the rest.
#[derive(Clone, Copy, Debug)]
pub struct Standing<'a> {
    the_loop: &'a TheLoop,
    caller: Caller,
}

impl Standing<'_> {
    /// The same verbs, asked for by that caller. Create, delete, start, stop, restart, answers and forced messages are
    /// refused if it runs inside a session; the rest is open to everyone.
    #[must_use]
    pub fn called_by(self, caller: Caller) -> Self {
        Self { caller, ..self }
    }

    /// Refuses a caller that runs inside a session, unless `standingSessions.agentsMayControl` is true. For what is
    /// not a verb of the core, such as stopping the service; `doing` says what, as in "stop the service".
    pub fn may_control(self, doing: &'static str) -> Result<(), Error> {
        lifecycle::permit::permit(&self.the_loop.tolerant(), self.caller, doing)
    }

    /// Every session that is declared or recorded, sorted by name.
    /// Who asks while others do shares their look, if it begins after the call.
    pub fn list(&self) -> Result<Vec<Row>, Error> {
        self.the_loop.looks.list.share(|| {
            // A process that has not read its config yet asks tmux while it does.
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

    /// Every session with the last `lines` lines of its pane, sorted by name: for a page.
    pub fn survey(&self, lines: usize) -> Result<Vec<(Row, String)>, Error> {
        let mut surveys = self.the_loop.looks.surveys.lock().unwrap_or_else(PoisonError::into_inner);
        let looks = Arc::clone(surveys.entry(lines).or_default());
        drop(surveys);
        looks.share(|| lifecycle::list::survey(&self.the_loop.strict()?, lines))
    }

    /// One session.
    pub fn get(&self, name: &str) -> Result<Row, Error> {
        let name = SessionName::parse(name)?;
        lifecycle::get::get(&self.the_loop.strict()?, &name)
    }

    /// Makes a session, and starts it unless told otherwise.
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

    /// Starts, stops or restarts one session. An empty name is refused: it never means every session. Stopping works
    /// with a config that cannot be used, but not with one that was named and cannot be read: where the sessions are
    /// written down is not known then.
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

    /// Stops every recorded session, with a config that cannot be used as well, as [`Standing::control`] does.
    pub fn stop_all(&self) -> Result<ControlReport, Error> {
        metrics::verb("stop", || {
            self.may_control("stop sessions")?;
            lifecycle::control::stop_all(&self.the_loop.stopping()?)
        })
    }

    /// Starts what starts by itself: what `the-loop start` does once the service is up.
    pub fn start_auto(&self) -> Result<ControlReport, Error> {
        metrics::verb("start", || {
            self.may_control("start sessions")?;
            lifecycle::control::start_all(&self.the_loop.changing()?, lifecycle::control::Which::AutoStart(&[]))
        })
    }

    /// The same, and starts those that ran before as well: for a restart of everything.
    pub fn start_again(&self, ran: &[SessionName]) -> Result<ControlReport, Error> {
        metrics::verb("start", || {
            self.may_control("start sessions")?;
            lifecycle::control::start_all(&self.the_loop.changing()?, lifecycle::control::Which::AutoStart(ran))
        })
    }

    /// Restores the record of a running session whose record is gone.
    pub fn restore(&self, name: &str) -> Result<ControlReport, Error> {
        metrics::verb("restore", || {
            let name = SessionName::parse(name)?;
            self.may_control("restore sessions")?;
            lifecycle::restore::restore(&self.the_loop.changing()?, &name)
        })
    }

    /// Every session, and whether all that start by themselves run: what `the-loop status` tells.
    pub fn status(&self) -> Result<ControlReport, Error> {
        lifecycle::status::status(&self.the_loop.strict()?)
    }

    /// What [`Standing::start_auto`] would do, without doing any of it.
    pub fn plan(&self) -> Result<Vec<PlannedSession>, Error> {
        lifecycle::plan::plan(&self.the_loop.strict()?)
    }

    /// Finishes what a crash cut short, in every session: what the service does when it comes up. Looks at the
    /// records alone if there is nothing to finish.
    pub fn reconcile(&self) -> Result<Vec<Recovered>, Error> {
        lifecycle::reconcile::reconcile(&self.the_loop.changing()?)
    }

    /// Pastes text into a running session and submits it.
    pub fn say(&self, request: &SayRequest) -> Result<SayReceipt, Error> {
        metrics::say(|| {
            let name = SessionName::parse(&request.name)?;
            lifecycle::fields::of_say(request)?;
            // Forced, its Enter may choose an answer.
            if request.force {
                self.may_control("send a message with force")?;
            }
            lifecycle::say::say(&self.the_loop.changing()?, &name, request)
        })
    }

    /// Chooses one of the answers that a session offers to its own question: an operator's act, since it may grant what
    /// the harness asks permission for.
    pub fn answer(&self, request: &AnswerRequest) -> Result<SayReceipt, Error> {
        metrics::answer(|| {
            let name = SessionName::parse(&request.name)?;
            lifecycle::fields::of_answer(request)?;
            self.may_control("answer a session's question")?;
            lifecycle::answer::answer(&self.the_loop.changing()?, &name, request)
        })
    }

    /// The session that a process belongs to: its harness, or what that started. A process that hides its environment
    /// is nobody's.
    pub fn session_of(&self, pid: u32) -> Option<SessionName> {
        lifecycle::session_of::session_of(&self.the_loop.tolerant(), pid)
    }

    /// Whether verbs can be done: the config can be used, and tmux answers.
    pub fn ready(&self) -> Result<(), Error> {
        self.the_loop.strict()?.look()?;
        Ok(())
    }

    /// Notes the thread in which a session is answered, and tells the session's row. One that is bound already stays
    /// bound as it is: whoever announces it twice at once finds in the row which thread counts.
    pub fn bind_thread(&self, name: &str, channel: &str, thread: &str) -> Result<Row, Error> {
        let name = SessionName::parse(name)?;
        lifecycle::bind_thread::bind_thread(&self.the_loop.changing()?, &name, channel, thread)
    }

    /// The last lines that a session's pane shows, as plain text without control characters; empty without a pane.
    pub fn screen(&self, name: &str, lines: usize) -> Result<String, Error> {
        let name = SessionName::parse(name)?;
        lifecycle::screen::screen(&self.the_loop.strict()?, &name, lines)
    }
}
