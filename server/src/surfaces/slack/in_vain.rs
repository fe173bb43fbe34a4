//! Telling of sessions that cannot be announced, while Slack cannot be used at all.

use std::collections::HashMap;

use engine::Engine;
use standing::{
    TheLoop,
    events::{Event, Level},
};
use tokio::time;
use wire::Row;

use super::{
    announce::{tell_failed, wants_a_thread},
    event_log::EventLog,
    pace::Pace,
    status::Board,
};

/// Tells of each such session once a start, with the reason that the board tells, for as long as it is let.
pub(super) async fn in_vain(engine: &Engine, events: &EventLog, pace: &Pace, board: &Board) {
    let mut told = HashMap::new();
    loop {
        let problem = board.problem();
        if !problem.is_empty() {
            for row in engine.read(due).await {
                if told.insert(row.name.clone(), row.started_at.clone()) != Some(row.started_at) {
                    tell_failed(events, &row.name, &problem);
                }
            }
        }
        time::sleep(pace.look).await;
    }
}

/// The sessions that want a thread now.
pub(super) fn due(the_loop: &TheLoop) -> Vec<Row> {
    the_loop.standing().list().unwrap_or_default().into_iter().filter(wants_a_thread).collect()
}

/// That a session was not announced.
pub(super) fn not_announced(name: &str, error: &str) -> Event {
    Event::new(Level::Warning, "standing.announce_failed").with("standing", name).with("error", error)
}
