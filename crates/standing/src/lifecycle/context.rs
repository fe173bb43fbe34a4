//! Context of a verb: the current config, the registry, tmux, and the event log.

use std::{convert::Infallible, sync::Arc, time::Duration};

use harness::Adapter;
use process::single_flight::SingleFlight;
use tmux::{Line, Pane, Panes, Silence, Tmux};
use wire::SessionName;

use crate::{
    Error, Surroundings,
    config::{Loaded, Settings, TmuxSettings},
    definition::Definitions,
    events::{Event, EventLog},
    messages::Messages,
    metrics,
    process::ProcessIdentity,
    registry::{Entry, Hold, LockWait, Phase, Record, Registry, Server},
    state::{self, Condition, Seen, how_it_ended},
    state_folder,
};

/// Time to wait for another verb on the same session, in addition to the time that the settings allow such a verb.
const LOCK_WAIT: Duration = Duration::from_secs(20);

/// Context of a verb.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) config: Arc<Loaded>,
    pub(crate) surroundings: Arc<Surroundings>,
    pub(crate) registry: Registry,
    pub(crate) tmux: Tmux,
    /// Mark of the sessions of this state folder.
    pub(crate) mark: String,
    events: EventLog,
    /// Shared by the threads of a verb on all sessions, which look at the same time.
    looks: SingleFlight<Result<Panes, Silence>>,
}

impl Context {
    pub(crate) fn new(config: Arc<Loaded>, surroundings: Arc<Surroundings>, events: EventLog) -> Self {
        let registry = Registry::new(&config.settings.state_root);
        let tmux = tmux_of(&config.settings, &surroundings);
        let mark = state_folder::mark(&config.settings.state_root);
        Self { config, surroundings, registry, tmux, mark, events, looks: SingleFlight::new() }
    }

    /// Calls tmux through a control client while it answers.
    pub(crate) fn through(mut self, line: Option<Line>) -> Self {
        self.tmux = self.tmux.through(line);
        self
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.config.settings
    }

    pub(crate) fn definitions(&self) -> Definitions<'_> {
        Definitions {
            settings: self.settings(),
            project_dir: self.config.path.project_dir(),
            surroundings: &self.surroundings,
        }
    }

    /// Returns the path of the config file, for people.
    pub(crate) fn config_file(&self) -> String {
        self.config.path.file().display().to_string()
    }

    pub(crate) fn harness(&self, name: &str) -> Result<Adapter, String> {
        harness::by_name(name, &self.settings().routing, &self.surroundings)
    }

    /// Returns the variables with secrets of the service, which no harness gets.
    pub(crate) fn secrets(&self) -> Vec<&str> {
        secrets(self.settings())
    }

    /// Returns the part of the-loop that runs the verb.
    pub(crate) fn source(&self) -> &'static str {
        self.events.source()
    }

    pub(crate) fn emit(&self, event: Event) {
        self.events.emit(event);
    }

    /// Returns the surface that a request came through, as the event log names it.
    pub(crate) const fn surface(&self) -> &'static str {
        self.events.source()
    }

    /// Returns the kept messages.
    pub(crate) fn messages(&self) -> Messages {
        Messages::new(self.settings())
    }

    /// Refuses the state folder of another user. If the folder could not be read, the verb itself fails on it later.
    pub(crate) fn owned(&self) -> Result<(), Error> {
        match state_folder::check_owner(&self.settings().state_root) {
            Err(error @ Error::NotOurFolder { .. }) => Err(error),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Locks a session for a verb.
    pub(crate) fn hold(&self, name: &SessionName, verb: &str) -> Result<Hold, Error> {
        self.registry.hold(name, verb, self.lock_wait())
    }

    pub(crate) fn lock_wait(&self) -> LockWait {
        let tmux = &self.settings().routing.tmux;
        LockWait(LOCK_WAIT.saturating_add(tmux.kill_grace).saturating_add(tmux.probe.saturating_mul(2)))
    }

    /// Looks at all sessions once; the look begins no earlier than this call. A silence is shared like an answer.
    pub(crate) fn look(&self) -> Result<Panes, Silence> {
        let Ok(seen) = self.looks.share(|| Ok::<_, Infallible>(self.tmux.panes().into_result()));
        seen
    }

    /// Describes how the program of a dead pane ended, for people.
    pub(crate) fn how_it_ended(&self, pane: &Pane) -> String {
        if pane.is_told() {
            return how_it_ended(pane);
        }
        self.tmux.wake(pane);
        let panes = self.look().unwrap_or_default();
        how_it_ended(panes.with_id(&pane.id).unwrap_or(pane))
    }

    /// Closes the dead pane of a session to make room for the next one.
    pub(crate) fn clear_dead(&self, name: &SessionName, pane: &Pane) -> Result<(), Silence> {
        if !pane.dead {
            self.tmux.wake(pane);
        }
        self.tmux.clear_dead(name, pane).into_result()
    }

    /// Judges one session from its registry entry and a look.
    pub(crate) fn judge(&self, name: &SessionName, entry: &Entry, panes: Result<&Panes, &Silence>) -> Judged {
        let recorded = entry.record();
        let recognised = recorded.zip(panes.ok()).and_then(|(record, panes)| self.recognised(record, panes, false));
        let record = recognised.as_ref().or(recorded);
        let underway = record.and_then(|record| record.phase).is_some_and(Phase::is_unfinished);
        let seen = Seen {
            name,
            record,
            mark: &self.mark,
            unreadable: matches!(entry, Entry::Unreadable(_)),
            panes,
            process_alive: record.is_some_and(process_alive),
            at_work: underway && self.registry.is_held(name),
        };
        let condition = state::judge(&seen);
        Judged { word: state::word(&seen, &condition), condition }
    }

    /// Takes a new look at one session with a record.
    pub(crate) fn condition(&self, record: &Record) -> Condition {
        let panes = self.look();
        let seen = Seen {
            name: &record.name,
            record: Some(record),
            mark: &self.mark,
            unreadable: false,
            panes: panes.as_ref(),
            process_alive: process_alive(record),
            at_work: false,
        };
        state::judge(&seen)
    }
}

/// Condition of a session, and its state.
#[derive(Debug)]
pub(crate) struct Judged {
    pub(crate) condition: Condition,
    pub(crate) word: wire::State,
}

fn process_alive(record: &Record) -> bool {
    record.process.as_ref().is_some_and(ProcessIdentity::is_alive)
}

/// Records the process in a session's pane, and the tmux server that runs it.
pub(super) fn note_process(record: &mut Record, process: Option<ProcessIdentity>, pane: &Pane) {
    let server = ProcessIdentity::of(pane.server_pid);
    record.process = process;
    record.server = server.map(|process| Server { process, socket: pane.socket.as_str().into() });
}

/// Returns the tmux server of these settings.
fn tmux_of(settings: &Settings, surroundings: &Surroundings) -> Tmux {
    let TmuxSettings { socket, remain_on_exit, .. } = &settings.routing.tmux;
    Tmux::new(socket, *remain_on_exit, surroundings, &secrets(settings), metrics::OBSERVER)
}

/// Returns the variables with secrets of the service.
fn secrets(settings: &Settings) -> Vec<&str> {
    vec![
        "THE_LOOP_SLACK_BOT_TOKEN",
        "THE_LOOP_SLACK_APP_TOKEN",
        &settings.slack.bot_token_env,
        &settings.slack.app_token_env,
    ]
}
