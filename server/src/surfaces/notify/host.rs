//! Runs the notifications inside the service: starts with it, restarts when the settings change, ends with it.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use engine::{Engine, Snapshot};
use files::lock::{Lock, LockError};
use jiff::{Timestamp, tz::TimeZone};
use standing::{
    Activity, Caller, State,
    config::Notify,
    events::{Event, Level},
};
use tokio::{
    sync::watch,
    task::{self, JoinHandle, JoinSet},
    time,
};
use wire::Need;

use super::{
    episodes::{Act, Done, Job, Now, Sight, Tracker},
    failure::Failure,
    folder::Folder,
    kept,
    links::Links,
    note::Note,
    rule::Rule,
    secret,
    target::{self, Target},
};

/// Lock held by the process that notifies.
const NOTIFYING: &str = "notifying.lock";

/// Interval at which a lock of another process is tried.
const ALONE: Duration = Duration::from_secs(3);

/// Time that jobs have to finish at the end.
const ENDING: Duration = Duration::from_secs(2);

/// Longest pause between two checks of what is due.
const LONGEST: u64 = 60_000;

/// Handle of the notifications in a running service.
#[derive(Debug)]
pub(crate) struct Hosting {
    end: watch::Sender<bool>,
    life: JoinHandle<()>,
}

impl Hosting {
    /// Ends the notifications. What was not sent is sent by the next run.
    pub(crate) async fn end(self) {
        self.end.send_replace(true);
        let _ = self.life.await;
    }
}

/// Starts the notifications of a service, when the config sets targets now or later. Needs a runtime.
pub(crate) fn host(engine: &Engine) -> Hosting {
    let (end, ended) = watch::channel(false);
    let own = engine.clone().acting_as("notify", Caller::Unidentified);
    Hosting { end, life: tokio::spawn(live(own, ended)) }
}

/// Settings of a run. When they change, the run ends and another one starts.
#[derive(Clone, Debug, PartialEq)]
struct Settings {
    notify: Vec<Notify>,
    public_url: String,
    state_root: PathBuf,
}

impl Settings {
    async fn of(engine: &Engine) -> Self {
        let config = engine.config().await;
        let settings = &config.settings;
        Self {
            notify: settings.notify.clone(),
            public_url: settings.service.public_url.clone(),
            state_root: settings.state_root.clone(),
        }
    }
}

async fn live(engine: Engine, ended: watch::Receiver<bool>) {
    loop {
        let settings = Settings::of(&engine).await;
        let changed = async {
            // Order matters: the watch starts before the settings are read, so a later change is noticed.
            let mut file = engine.follow_config().await;
            while Settings::of(&engine).await == settings {
                file.changed().await;
            }
        };
        let mut end = ended.clone();
        let stop = async {
            tokio::select! {
                _ = end.wait_for(|ended| *ended) => {},
                () = changed => tracing::info!("the settings of the notifications changed"),
            }
        };
        tokio::pin!(stop);
        if settings.notify.is_empty() {
            stop.await;
        } else {
            let folder = Folder::below(&settings.state_root);
            tokio::select! {
                biased;
                () = &mut stop => {},
                held = alone(&folder) => {
                    run(&engine, &settings, folder, stop).await;
                    drop(held);
                },
            }
        }
        if *ended.borrow() {
            return;
        }
    }
}

/// Waits until no other process notifies for the same state.
async fn alone(folder: &Folder) -> Lock {
    let mut told = false;
    loop {
        let at = folder.clone();
        match task::spawn_blocking(move || at.lock(NOTIFYING, Duration::ZERO)).await {
            Ok(Ok(held)) => return held,
            Ok(Err(LockError::Busy)) if !told => {
                tracing::warn!("another the-loop process notifies for this state directory; waiting for it");
            }
            Ok(Err(error)) if !told => tracing::warn!(%error, "notifications are off"),
            _ => {}
        }
        told = true;
        time::sleep(ALONE).await;
    }
}

/// Runs with one set of settings until `stop`.
async fn run(engine: &Engine, settings: &Settings, folder: Folder, stop: impl Future<Output = ()>) {
    let mut keeper = Keeper::new(engine, settings, folder).await;
    let mut sessions = engine.watcher().subscribe();
    tokio::pin!(stop);
    loop {
        let pause = keeper.step(&sessions.snapshot()).await;
        tokio::select! {
            biased;
            () = &mut stop => break,
            Some(done) = keeper.jobs.join_next(), if !keeper.jobs.is_empty() => keeper.finish(done),
            () = sessions.sessions_changed() => {},
            () = time::sleep(pause) => {},
        }
    }
    keeper.end().await;
}

/// Episodes of a run, with their targets and the jobs that are being done.
struct Keeper {
    engine: Engine,
    folder: Folder,
    links: Links,
    public: String,
    targets: Vec<(String, Result<Arc<Target>, String>)>,
    tracker: Tracker,
    /// Text of the file, as last written.
    written: String,
    /// Version of the last look.
    version: Option<u64>,
    jobs: JoinSet<(Job, Result<(), Failure>)>,
    /// Last failure of each target, so that each is logged once.
    failures: HashMap<usize, String>,
}

impl Keeper {
    async fn new(engine: &Engine, settings: &Settings, folder: Folder) -> Self {
        let config = engine.config().await;
        let environment = secret::environment(engine.surroundings(), &config.settings);
        let of = |notify: &Notify| {
            let target = Target::of(&notify.to, &environment).map(Arc::new);
            (target::described(&notify.to), target)
        };
        let at = folder.clone();
        let kept = task::spawn_blocking(move || kept::read(&at)).await;
        let kept = match kept.map_err(std::io::Error::other).and_then(|kept| kept) {
            Ok(kept) => kept,
            Err(error) => {
                tracing::warn!(%error, "could not read the notifications of the last run; some may be repeated");
                BTreeMap::new()
            }
        };
        Self {
            engine: engine.clone(),
            folder,
            links: Links::below(&settings.state_root),
            public: settings.public_url.clone(),
            targets: settings.notify.iter().map(of).collect(),
            tracker: Tracker::new(Rule::all(&settings.notify), kept),
            written: String::new(),
            version: None,
            jobs: JoinSet::new(),
            failures: HashMap::new(),
        }
    }

    /// Applies what changed, starts the jobs that are due, and returns the time until the next one.
    async fn step(&mut self, snapshot: &Snapshot) -> Duration {
        let now = now();
        // The first look is yet to come at version 0.
        if snapshot.version > 0 && self.version.replace(snapshot.version) != Some(snapshot.version) {
            look(&mut self.tracker, now, snapshot);
        }
        let jobs = self.tracker.due(now);
        // Order matters: a job is recorded before it is done, so that a crash cannot repeat it unseen.
        self.keep().await;
        for job in jobs {
            self.start(job);
        }
        let next = self.tracker.next(now).unwrap_or(u64::MAX).saturating_sub(now.ms);
        Duration::from_millis(next.clamp(1, LONGEST))
    }

    fn start(&mut self, job: Job) {
        let Some((_, target)) = self.targets.get(job.rule) else { return };
        let (target, links, public) = (target.clone(), self.links.clone(), self.public.clone());
        self.jobs.spawn(async move {
            let sent = match target {
                Ok(target) => target.send(&note(&job, links, &public).await).await,
                Err(why) => Err(Failure::new(why)),
            };
            (job, sent)
        });
    }

    /// Records the result of a job.
    fn finish(&mut self, done: Result<(Job, Result<(), Failure>), task::JoinError>) {
        let (job, sent) = match done {
            Ok(done) => done,
            Err(error) => return tracing::error!(%error, "a notification was not finished"),
        };
        let described = self.targets.get(job.rule).map(|(described, _)| described.clone()).unwrap_or_default();
        let event = |level, name| {
            Event::new(level, name)
                .with("standing", job.sessions.first().map_or("", String::as_str))
                .with("kind", job.kind.as_str())
                .with("target", described.as_str())
        };
        let done = match sent {
            Ok(()) => {
                self.failures.remove(&job.rule);
                let name = if job.act == Act::Settle { "notify.settled" } else { "notify.sent" };
                self.emit(event(Level::Info, name).with("number", job.number));
                Done::Well
            }
            Err(failure) => {
                if self.failures.insert(job.rule, failure.text.clone()).as_ref() != Some(&failure.text) {
                    tracing::warn!(target = described, error = failure.text, "could not notify; retrying");
                    self.emit(event(Level::Error, "notify.failed").with("error", failure.text.as_str()));
                }
                let pause = failure.pause.as_millis().try_into().unwrap_or(0);
                Done::Failed { pause, unsure: failure.unsure }
            }
        };
        self.tracker.done(now(), &job, done);
    }

    fn emit(&self, event: Event) {
        let engine = self.engine.clone();
        tokio::spawn(async move { engine.read(move |the_loop| the_loop.emit(event)).await });
    }

    /// Writes the episodes, if they changed.
    async fn keep(&mut self) {
        let text = kept::text(self.tracker.kept());
        if text == self.written {
            return;
        }
        let (folder, copy) = (self.folder.clone(), text.clone());
        match task::spawn_blocking(move || kept::write(&folder, &copy)).await {
            Ok(Ok(())) => self.written = text,
            Ok(Err(error)) => tracing::warn!(%error, "could not record the notifications; a restart may repeat some"),
            Err(_) => {}
        }
    }

    /// Waits for the jobs for a moment, and records their results.
    async fn end(mut self) {
        let _ = time::timeout(ENDING, async {
            while let Some(done) = self.jobs.join_next().await {
                self.finish(done);
            }
        })
        .await;
        self.keep().await;
    }
}

/// Returns the notification of a job, with an answer link if it can have one.
async fn note(job: &Job, links: Links, public: &str) -> Note {
    let mut note = Note::of(job, public);
    if let Act::Ring(entry) = &job.act
        && entry.kind == Need::Prompt
        && !entry.choices.is_empty()
        && !public.is_empty()
    {
        let prompt = entry.as_ref().clone();
        match task::spawn_blocking(move || links.create(&prompt)).await {
            Ok(Ok(token)) => note.answer = Some(format!("{public}/answer/{token}")),
            Ok(Err(error)) => tracing::warn!(%error, "could not create an answer link"),
            Err(_) => {}
        }
    }
    note
}

/// Applies a look at the sessions.
fn look(tracker: &mut Tracker, now: Now, snapshot: &Snapshot) {
    if snapshot.problem().is_some() {
        return tracker.blind();
    }
    let of_state = |state| move |row: &&wire::Row| row.state == state;
    let names = |rows: Vec<&wire::Row>| rows.into_iter().map(|row| row.name.clone()).collect::<BTreeSet<_>>();
    let rows = snapshot.rows();
    let blind = names(rows.iter().filter(of_state(State::Unknown)).collect());
    let running = rows.iter().filter(of_state(State::Running));
    let unclear = names(running.filter(|row| row.activity == Activity::Unknown).collect());
    tracker.look(now, &wire::attention(rows), |name| match () {
        () if blind.contains(name) => Sight::Blind,
        () if unclear.contains(name) => Sight::Unclear,
        () => Sight::Clear,
    });
}

fn now() -> Now {
    let now = Timestamp::now();
    let local = now.to_zoned_datetime(TimeZone::system());
    let minute = u16::from(local.hour().unsigned_abs()) * 60 + u16::from(local.minute().unsigned_abs());
    Now { ms: u64::try_from(now.as_millisecond()).unwrap_or(0), minute }
}
