//! The listener's life inside the service: begun with it, begun anew when the settings change, ended with it.
//!
//! Nothing in here can keep the service or a session from running.

use std::{path::PathBuf, sync::Arc, time::Duration};

use standing::{
    TheLoop,
    config::{Slack, SlackRead},
};
use tokio::{sync::watch, task::JoinHandle, time};

use super::{
    address::Address,
    announce::blocking,
    api::{Api, ApiError},
    folder::{Folder, Held},
    hub::Hub,
    in_vain::in_vain,
    outbox::{Post, post_all},
    pace::Pace,
    poll::poll,
    receive::judge_all,
    socket::socket,
    status::{Board, Hearing},
    tokens::Tokens,
    watch::watch as watch_sessions,
};

/// Held by the process that listens.
pub(super) const LISTENING: &str = "slack.listening.lock";

/// How often the settings are compared with those of the run.
const COMPARE: Duration = Duration::from_secs(2);

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
pub fn host(the_loop: &TheLoop, pace: Pace) -> Hosting {
    let (end, ended) = watch::channel(false);
    let file = the_loop.config().path.file().to_owned();
    // The same instance, under a name of its own in the event log.
    let own = TheLoop::open_in(Some(&file), the_loop.surroundings().clone(), "channels");
    Hosting { end, life: tokio::spawn(live(own, pace, ended)) }
}

/// What a run depends on: if it changes, the run ends and another begins.
#[derive(Clone, Debug, PartialEq)]
struct Settings {
    slack: Slack,
    state_root: PathBuf,
}

impl Settings {
    fn of(the_loop: &TheLoop) -> Self {
        let config = the_loop.config();
        Self { slack: config.settings.slack.clone(), state_root: config.settings.state_root.clone() }
    }
}

async fn live(the_loop: TheLoop, pace: Pace, mut ended: watch::Receiver<bool>) {
    loop {
        let settings = Settings::of(&the_loop);
        let changed = async {
            while Settings::of(&the_loop) == settings {
                time::sleep(COMPARE).await;
            }
        };
        tokio::select! {
            biased;
            _ = ended.wait_for(|ended| *ended) => return,
            () = run(&the_loop, &pace, &settings) => {},
            () = changed => tracing::info!("the settings of Slack changed"),
        }
    }
}

/// One run with one set of settings. Ends only by being dropped, since that is when they change.
async fn run(the_loop: &TheLoop, pace: &Pace, settings: &Settings) {
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
    let board = Arc::new(Board::new(&folder, mode));
    board.set(|status| status.hearing = Hearing::Connecting);
    let api = match client(the_loop, settings) {
        Ok(api) => Arc::new(api),
        Err(problem) => return stuck(the_loop, pace, &board, &problem).await,
    };
    let us = tokio::select! {
        us = introduced(&api, pace, &board) => us,
        () = in_vain(the_loop, pace, &board) => return,
    };
    board.set(|status| {
        status.bot.clone_from(&us.name);
        status.team.clone_from(&us.team);
        status.problem.clear();
    });
    tracing::info!(mode, bot = us.name, team = us.team, "Slack is on");
    let made = Hub::new(the_loop.clone(), pace.clone(), api, us, &folder, Arc::clone(&board));
    let (hub, ends) = match made {
        Ok(made) => made,
        Err(error) => return stuck(the_loop, pace, &board, &format!("what is to be kept cannot be: {error}")).await,
    };
    let _tasks = Tasks(Arc::clone(&hub));
    hub.spawn(judge_all(Arc::clone(&hub), ends.heard));
    hub.spawn(post_all(Arc::clone(&hub), ends.posts));
    resume(&hub);
    // The threads are known before anything is heard of them.
    super::watch::look(&hub, false).await;
    hub.spawn(watch_sessions(Arc::clone(&hub)));
    match settings.slack.read {
        SlackRead::Socket => hub.spawn(socket(Arc::clone(&hub))),
        SlackRead::Poll => hub.spawn(poll(Arc::clone(&hub))),
        SlackRead::Off => {
            hub.gate.send_replace(true);
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
fn resume(hub: &Arc<Hub>) {
    for pending in hub.inbox().pending() {
        match pending.outcome {
            Some(outcome) => drop(hub.posts.send(Post::Receipt { reply: pending.reply, outcome })),
            None => hub.lanes.push(hub, pending.reply),
        }
    }
}

/// Waits until no other process listens for the same state.
async fn alone(folder: &Folder, pace: &Pace) -> Held {
    let mut told = false;
    loop {
        let at = folder.clone();
        match blocking(move || at.try_lock(LISTENING)).await {
            Ok(Ok(Some(held))) => return held,
            Ok(Ok(None)) if !told => tracing::warn!("another the-loop listens to Slack for this state; waiting for it"),
            Ok(Err(error)) if !told => tracing::warn!(%error, "Slack is not listened to"),
            _ => {}
        }
        told = true;
        time::sleep(pace.look).await;
    }
}

fn client(the_loop: &TheLoop, settings: &Settings) -> Result<Api, String> {
    let tokens = Tokens::of(&settings.slack, the_loop.surroundings()).map_err(|missing| missing.to_string())?;
    if settings.slack.read == SlackRead::Socket
        && let Err(missing) = &tokens.app
    {
        return Err(missing.to_string());
    }
    Api::new(Address::of(the_loop.surroundings())?, tokens)
}

/// Learns who we are. Whoever does not know that would take its own words for a reply.
async fn introduced(api: &Api, pace: &Pace, board: &Board) -> super::api::Identity {
    let mut pauses = pace.backoff();
    loop {
        let error = match api.auth_test().await {
            Ok(us) => return us,
            Err(error) => error,
        };
        let pause = pauses.next().unwrap_or(pace.pauses.1);
        let pause = match &error {
            ApiError::Limited { after } => pause.max(*after),
            error if error.is_passing() => pause,
            _ => pace.mending,
        };
        tracing::warn!(%error, pause_ms = pause.as_millis(), "Slack does not say who we are; asked again");
        board.set(|status| {
            status.hearing = if error.is_passing() { Hearing::Connecting } else { Hearing::Stuck };
            status.problem = error.to_string();
        });
        time::sleep(pause).await;
    }
}

/// There is nothing to do but to wait for other settings.
async fn stuck(the_loop: &TheLoop, pace: &Pace, board: &Board, problem: &str) {
    tracing::warn!(problem, "Slack is on and cannot be used");
    board.set(|status| {
        status.hearing = Hearing::Stuck;
        problem.clone_into(&mut status.problem);
    });
    in_vain(the_loop, pace, board).await;
}
