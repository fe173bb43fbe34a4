//! Runs the Slack listener inside the service: starts with it, restarts when the settings change, ends with it.
//!
//! A failure in this module never prevents the service or a session from running.

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
    context::Context,
    deliver::enqueue,
    event_log::EventLog,
    folder::Folder,
    outbox::Post,
    posting::post,
    reading::{Plan, read},
    receive::judge_all,
    socket::socket,
    status::{Board, Hearing},
    timing::Timing,
    tokens::Tokens,
    unannounced::tell_unannounced,
    watch::{follow, watch as watch_sessions},
};

/// Lock held by the process that listens.
pub(super) const LISTENING: &str = "slack.listening.lock";

/// Timeout for writing the remaining events at the end.
const WRITING: Duration = Duration::from_secs(2);

/// Handle of Slack in a running service.
#[derive(Debug)]
pub struct Hosting {
    end: watch::Sender<bool>,
    life: JoinHandle<()>,
}

impl Hosting {
    /// Stops the listener. A message that is being typed is typed to its end. Replies that are accepted and not typed
    /// are kept for the next run.
    pub async fn end(self) {
        self.end.send_replace(true);
        let _ = self.life.await;
    }
}

/// Starts Slack for a service, when the config enables it now or later. Needs a runtime.
pub fn host(engine: &Engine, timing: Timing) -> Hosting {
    let (end, ended) = watch::channel(false);
    // The list of authorised members decides who may write from Slack, regardless of the caller that started this
    // process.
    let own = engine.clone().acting_as("channels", Caller::Unidentified);
    Hosting { end, life: tokio::spawn(live(own, timing, ended)) }
}

/// Settings of a run. When they change, the run ends and another one starts.
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

async fn live(engine: Engine, timing: Timing, mut ended: watch::Receiver<bool>) {
    let (events, writing) = EventLog::open(engine.clone());
    loop {
        let settings = Settings::of(&engine).await;
        let changed = async {
            // Order matters: the watch starts before the settings are read, so a later change is noticed.
            let mut file = engine.follow_config().await;
            while Settings::of(&engine).await == settings {
                file.changed().await;
            }
        };
        tokio::select! {
            biased;
            _ = ended.wait_for(|ended| *ended) => break,
            () = run(&engine, &events, &timing, &settings) => {},
            () = changed => tracing::info!("the Slack settings changed"),
        }
    }
    drop(events);
    // Remaining events are written, unless that takes too long.
    let _ = time::timeout(WRITING, writing).await;
}

/// Runs with one set of settings. Ends only when it is dropped, which happens when the settings change.
async fn run(engine: &Engine, events: &EventLog, timing: &Timing, settings: &Settings) {
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
    let _listening = alone(&folder, timing).await;
    let board = Arc::new(Board::new(mode));
    board.set(|status| status.hearing = Hearing::Connecting);
    tokio::select! {
        () = listen(engine, events, timing, settings, &board) => {},
        () = board.write_down(folder) => {},
    }
}

async fn listen(engine: &Engine, events: &EventLog, timing: &Timing, settings: &Settings, board: &Arc<Board>) {
    let folder = Folder::below(&settings.state_root);
    let api = match client(engine.surroundings(), settings) {
        Ok(api) => Arc::new(api),
        Err(problem) => return stuck(engine, events, timing, board, &problem).await,
    };
    let us = tokio::select! {
        us = introduced(&api, timing, board) => us,
        () = tell_unannounced(engine, events, timing, board) => return,
    };
    board.set(|status| {
        status.bot.clone_from(&us.name);
        status.team.clone_from(&us.team);
        status.problem.clear();
    });
    tracing::info!(bot = us.name, team = us.team, "Slack is on");
    let made = Context::new(engine.clone(), timing.clone(), api, us, &folder, Arc::clone(board), events.clone()).await;
    let (context, heard) = match made {
        Ok(made) => made,
        Err(error) => {
            let problem = format!("could not open the inbox in `{}`: {error}", folder.path_of("").display());
            return stuck(engine, events, timing, board, &problem).await;
        }
    };
    let _tasks = Tasks(Arc::clone(&context));
    context.spawn(judge_all(Arc::clone(&context), heard));
    resume(&context).await;
    // The threads must be known before messages are received.
    super::watch::look(&context).await;
    context.spawn(watch_sessions(Arc::clone(&context)));
    context.spawn(follow(Arc::clone(&context)));
    match settings.slack.read {
        SlackRead::Socket => {
            context.spawn(socket(Arc::clone(&context)));
            context.spawn(read(Arc::clone(&context), Plan { every: context.timing.sweep, polls: false }));
        }
        SlackRead::Poll => {
            context.gate.open();
            let every = context.timing.poll.unwrap_or(settings.slack.read_interval);
            context.spawn(read(Arc::clone(&context), Plan { every, polls: true }));
        }
        SlackRead::Off => {
            context.gate.open();
            board.set(|status| status.hearing = Hearing::Off);
        }
    }
    std::future::pending::<()>().await;
}

/// Ends the tasks of a run when it is dropped.
struct Tasks(Arc<Context>);

impl Drop for Tasks {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Processes the replies of an earlier run: accepted ones are typed, and receipts of typed ones are posted.
async fn resume(context: &Arc<Context>) {
    for pending in context.kept.with(|inbox| inbox.pending()).await.unwrap_or_default() {
        match pending.outcome {
            Some(outcome) => post(context, Post::Receipt { reply: pending.reply, outcome }),
            None => enqueue(context, pending.reply),
        }
    }
}

/// Waits until no other process listens for the same state.
async fn alone(folder: &Folder, timing: &Timing) -> Lock {
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
        time::sleep(timing.look).await;
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

/// Determines the app's identity. Without it, the app would take its own messages for replies.
async fn introduced(api: &Api, timing: &Timing, board: &Board) -> super::api::Identity {
    let (mut pauses, mut mending) = (timing.backoff(), timing.mending);
    let mut told = None;
    loop {
        let error = match api.auth_test().await {
            Ok(us) => return us,
            Err(error) => error,
        };
        let mut pause = pauses.next().unwrap_or(timing.pauses.1).max(error.asked_to_wait().unwrap_or_default());
        if !error.is_passing() {
            (pause, mending) = (mending, timing.longer(mending));
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

/// Waits for other settings, because nothing else can fix the problem.
async fn stuck(engine: &Engine, events: &EventLog, timing: &Timing, board: &Board, problem: &str) {
    tracing::warn!(problem, "Slack is enabled but not usable");
    board.set(|status| {
        status.hearing = Hearing::Stuck;
        problem.clone_into(&mut status.problem);
    });
    tell_unannounced(engine, events, timing, board).await;
}
