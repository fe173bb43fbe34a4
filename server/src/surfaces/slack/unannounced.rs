//! Reports sessions that cannot be announced while Slack is unusable.

use std::{collections::HashMap, time::Duration};

use engine::{Engine, StandingApi as _};
use standing::TheLoop;
use tokio::time;
use wire::Row;

use super::{
    announce::{tell_failed, wants_a_thread},
    event_log::EventLog,
    status::Board,
    timing::Timing,
};

/// Longest pause between two passes.
const SURVEY: Duration = Duration::from_mins(1);

/// Reports each such session once per start, with the problem on the board, until it is dropped.
pub(super) async fn tell_unannounced(engine: &Engine, events: &EventLog, timing: &Timing, board: &Board) {
    let mut told = HashMap::new();
    let mut sessions = engine.watcher().subscribe();
    loop {
        let problem = board.problem();
        if !problem.is_empty() {
            for row in engine.list().await.unwrap_or_default().into_iter().filter(wants_a_thread) {
                if told.insert(row.name.clone(), row.started_at.clone()) != Some(row.started_at) {
                    tell_failed(events, &row.name, &problem);
                }
            }
        }
        // A problem may appear at any time. Once there is one, only a change of the sessions matters.
        let again = if problem.is_empty() { timing.look } else { SURVEY };
        tokio::select! {
            () = sessions.sessions_changed() => {},
            () = time::sleep(again) => {},
        }
    }
}

/// Returns the sessions that need a thread now.
pub(super) fn due(the_loop: &TheLoop) -> Vec<Row> {
    the_loop.standing().list().unwrap_or_default().into_iter().filter(wants_a_thread).collect()
}
