//! The listener's life inside the service: begun with it, begun anew when the settings change, ended with it.
//!
//! Nothing in here can keep the service or a session from running.

use std::{path::PathBuf, sync::Arc, time::Duration};

use engine::Engine;
use files::lock::{Lock, LockError};
use standing::{
    Caller, Surroundings,
    config::{Slack, SlackRead},
};
use tokio::{sync::watch, task::JoinHandle, time};

use super::{
    address::Address,
    api::Api,
    blocking::blocking,
    event_log::EventLog,
    folder::Folder,
    hub::Hub,
    in_vain::in_vain,
    outbox::Post,
    pace::Pace,
    reading::{Plan, read},
    receive::judge_all,
    socket::socket,
    status::{Board, Hearing},
    tokens::Tokens,
    watch::{follow, watch as watch_sessions},
};

/// Held by the process that listens.
pub(super) const LISTENING: &str = "slack.listening.lock";

/// How long what happened may take to be written down at the end.
const WRITING: Duration = Duration::from_secs(2);

/// Slack in a running service.
#[derive(Debug)]
pub struct Hosting {
    end: watch::Sender<bool>,
    life: JoinHandle<()>,
}

impl Hosting {
    /// Ends it. A message that is being typed is typed to its end; what is accepted and not typed is kept for the next
    /// run.
    pub async fn end(self) {
        self.end.send_replace(true);
        let _ = self.life.await;
    }
}

/// Begins to host Slack, as far as the config says so now or later. Needs a runtime.
pub fn host(engine: &Engine, pace: Pace) -> Hosting {
    let (end, ended) = watch::channel(false);
    // A list of people decides who may speak in Slack, whatever this process was started from.
    let own = engine.clone().acting_as("channels", Caller::Unidentified);
    Hosting { end, life: tokio::spawn(live(own, pace, ended)) }
}

/// What a run depends on: if it changes, the run ends and another begins.
#[derive(Clone, Debug, PartialEq)]
struct Settings {
    slack: Slack,
    state_root: PathBuf,
}

impl Settings {
    async fn of(engine: &Engine) -> Self {
        let config = engine.config().await;
        Self { slack: config.settings.slack.clone(), state_root: config.settings.state_root.clone() }
    }
}

async fn live(engine: Engine, pace: Pace, mut ended: watch::Receiver<bool>) {
    let (events, writing) = EventLog::open(engine.clone());
    loop {
        let settings = Settings::of(&engine).await;
        let changed = async {
            // Order matters: what is written after the settings are read is noticed.
            let mut file = engine.follow_config().await;
            while Settings::of(&engine).await == settings {
                file.changed().await;
            }
        };
        tokio::select! {
            biased;
            _ = ended.wait_for(|ended| *ended) => break,
            () = run(&engine, &events, &pace, &settings) => {},
            () = changed => tracing::info!("the Slack settings changed"),
        }
    }
    drop(events);
    // What happened is written down, unless that takes too long.
    let _ = time::timeout(WRITING, writing).await;
}

/// One run with one set of settings. Ends only by being dropped, since that is when they change.
async fn run(engine: &Engine, events: &EventLog, pace: &Pace, settings: &Settings) {
    let folder = Folder::below(&settings.state_root);
    let mode = match settings.slack.read {
        _ if !settings.slack.enabled => "off",
        SlackRead::Off => "off",
        SlackRead::Poll => "poll",
        SlackRead::Socket => "socket",
    };
    if !settings.slack.enabled {
        return std::future::pending().await;
    }
    let _listening = alone(&folder, pace).await;
    let board = Arc::new(Board::new(mode));
    board.set(|status| status.hearing = Hearing::Connecting);
    tokio::select! {
        () = listen(engine, events, pace, settings, &board) => {},
        () = board.write_down(folder) => {},
    }
}

async fn listen(engine: &Engine, events: &EventLog, pace: &Pace, settings: &Settings, board: &Arc<Board>) {
    let folder = Folder::below(&settings.state_root);
    let api = match client(engine.surroundings(), settings) {
        Ok(api) => Arc::new(api),
        Err(problem) => return stuck(engine, events, pace, board, &problem).await,
    };
    let us = tokio::select! {
        us = introduced(&api, pace, board) => us,
        () = in_vain(engine, events, pace, board) => return,
    };
    board.set(|status| {
        status.bot.clone_from(&us.name);
        status.team.clone_from(&us.team);
        status.problem.clear();
    });
    tracing::info!(bot = us.name, team = us.team, "Slack is on");
    let made = Hub::new(engine.clone(), pace.clone(), api, us, &folder, Arc::clone(board), events.clone()).await;
    let (hub, heard) = match made {
        Ok(made) => made,
        Err(error) => {
            let problem = format!("could not open the inbox in `{}`: {error}", folder.path_of("").display());
            return stuck(engine, events, pace, board, &problem).await;
        }
    };
    let _tasks = Tasks(Arc::clone(&hub));
    hub.spawn(judge_all(Arc::clone(&hub), heard));
    resume(&hub).await;
    // The threads are known before anything is heard of them.
    super::watch::look(&hub).await;
    hub.spawn(watch_sessions(Arc::clone(&hub)));
    hub.spawn(follow(Arc::clone(&hub)));
    match settings.slack.read {
        SlackRead::Socket => {
            hub.spawn(socket(Arc::clone(&hub)));
            hub.spawn(read(Arc::clone(&hub), Plan { every: hub.pace.sweep, polls: false }));
        }
        SlackRead::Poll => {
            hub.gate.open();
            let every = hub.pace.poll.unwrap_or(settings.slack.read_interval);
            hub.spawn(read(Arc::clone(&hub), Plan { every, polls: true }));
        }
        SlackRead::Off => {
            hub.gate.open();
            board.set(|status| status.hearing = Hearing::Off);
        }
    }
    std::future::pending::<()>().await;
}

/// Ends the tasks of a run when it is dropped.
struct Tasks(Arc<Hub>);

impl Drop for Tasks {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Takes up what an earlier run left: what was accepted is typed, what was typed is told of.
async fn resume(hub: &Arc<Hub>) {
    for pending in hub.kept.with(|inbox| inbox.pending()).await.unwrap_or_default() {
        match pending.outcome {
            Some(outcome) => hub.outbox.post(hub, Post::Receipt { reply: pending.reply, outcome }),
            None => hub.lanes.push(hub, pending.reply),
        }
    }
}

/// Waits until no other process listens for the same state.
async fn alone(folder: &Folder, pace: &Pace) -> Lock {
    let mut told = false;
    loop {
        let at = folder.clone();
        match blocking(move || at.lock(LISTENING, Duration::ZERO)).await {
            Ok(Ok(held)) => return held,
            Ok(Err(LockError::Busy)) if !told => {
                tracing::warn!("another the-loop process listens to Slack for this state directory; waiting for it");
            }
            Ok(Err(error)) if !told => tracing::warn!(%error, "not listening to Slack"),
            _ => {}
        }
        told = true;
        time::sleep(pace.look).await;
    }
}

fn client(surroundings: &Surroundings, settings: &Settings) -> Result<Api, String> {
    let tokens = Tokens::of(&settings.slack, surroundings).map_err(|missing| missing.to_string())?;
    if settings.slack.read == SlackRead::Socket
        && let Err(missing) = &tokens.app
    {
        return Err(missing.to_string());
    }
    Api::new(Address::of(surroundings)?, tokens)
}

/// Learns who we are. Whoever does not know that would take its own words for a reply.
async fn introduced(api: &Api, pace: &Pace, board: &Board) -> super::api::Identity {
    let (mut pauses, mut mending) = (pace.backoff(), pace.mending);
    let mut told = None;
    loop {
        let error = match api.auth_test().await {
            Ok(us) => return us,
            Err(error) => error,
        };
        let mut pause = pauses.next().unwrap_or(pace.pauses.1).max(error.asked_to_wait().unwrap_or_default());
        if !error.is_passing() {
            (pause, mending) = (mending, pace.longer(mending));
        }
        if told.replace(error.to_string()) != Some(error.to_string()) {
            tracing::warn!(%error, pause_ms = pause.as_millis(), "could not identify the app in Slack; retrying");
        }
        board.set(|status| {
            status.hearing = if error.is_passing() { Hearing::Connecting } else { Hearing::Stuck };
            status.problem = error.to_string();
        });
        time::sleep(pause).await;
    }
}

/// There is nothing to do but to wait for other settings.
async fn stuck(engine: &Engine, events: &EventLog, pace: &Pace, board: &Board, problem: &str) {
    tracing::warn!(problem, "Slack is enabled but not usable");
    board.set(|status| {
        status.hearing = Hearing::Stuck;
        problem.clone_into(&mut status.problem);
    });
    in_vain(engine, events, pace, board).await;
}
