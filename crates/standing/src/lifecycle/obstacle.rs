//! obstacle: why a running session makes no progress, from its transcript and its screen.
//!
//! A screen shows the present, and a transcript the end of a limit to the second. If both report the same obstacle, the
//! transcript is quoted. Without a report there is no obstacle, except after a silence of `routing.stalledAfter`.

use std::time::{Duration, SystemTime};

use harness::{
    Harness, News, Obstacle, Place, Screen,
    signal::{Signal, Standing},
};
use jiff::Timestamp;
use tmux::Pane;
use wire::{Activity, Block, Blocked, Row};

use super::{
    Context,
    news::{self, Told},
};
use crate::{clock, registry::Record};

impl Context {
    /// Adds the obstacle of a running session to its row, after its activity is known.
    pub(super) fn add_obstacle(&self, row: &mut Row, record: Option<&Record>, pane: &Pane, screen: Option<&str>) {
        row.blocked = None;
        let (Ok(adapter), Some(record)) = (self.harness(&row.harness), record) else { return };
        let place = self.place(record);
        let conversation = Some(row.harness_session_id.as_str()).filter(|id| !id.is_empty());
        let transcript = conversation.and_then(|id| adapter.conversation_file(&place, id, pane.pid));
        let told = transcript.and_then(|file| news::read(adapter.as_ref(), &file));
        let written = told.as_ref().and_then(|told| told.standing.clone());
        let written = written.filter(|standing| still_holds(standing, record, adapter.as_ref(), &place));
        let shown = screen.and_then(|text| adapter.obstacle(Screen { text, title: &pane.title }));
        let blocked = match (shown, written) {
            (Some(shown), Some(written)) if shown.kind == written.obstacle.kind => Some(by_transcript(&written)),
            (Some(shown), _) => Some(by_screen(&shown, &row.since)),
            (None, Some(written)) => Some(by_transcript(&written)),
            (None, None) => self.stalled(row, told.as_ref()),
        };
        row.set_blocked(blocked);
    }

    /// Returns the obstacle of a session that works on a turn without progress for too long. A tool may run for any
    /// time.
    fn stalled(&self, row: &Row, told: Option<&Told>) -> Option<Blocked> {
        let after = self.settings().routing.stalled_after;
        let told = told.filter(|_| row.activity == Activity::Busy && !after.is_zero())?;
        let runs_tool = matches!(&told.last, Some(Signal { news: News::Answered { calls_tool: true }, .. }));
        let silence = SystemTime::now().duration_since(told.written).ok().filter(|silence| *silence >= after)?;
        let since = Timestamp::try_from(told.written).map(clock::at).unwrap_or_default();
        (!runs_tool).then(|| Blocked {
            kind: Block::Stalled,
            since,
            until: None,
            evidence: format!("it is working, but its transcript has not changed for {}", minutes(silence)),
        })
    }
}

/// Formats a long duration so that it stays the same for a minute.
fn minutes(silence: Duration) -> String {
    match silence.as_secs() / 60 {
        0 => format!("{} s", silence.as_secs()),
        minutes => format!("{minutes} min"),
    }
}

/// True if a report of the transcript still says something about the running process. A former process may have failed
/// for a reason that its end removed.
fn still_holds(standing: &Standing, record: &Record, adapter: &dyn Harness, place: &Place<'_>) -> bool {
    let spawned = record.spawned_at.parse::<Timestamp>().ok();
    let is_of_this_process = spawned.is_none_or(|spawned| standing.last >= spawned);
    match (standing.obstacle.kind, standing.obstacle.until) {
        (Block::Limited, Some(until)) => until > Timestamp::now(),
        (Block::NoCredit | Block::ContextFull, _) => true,
        (Block::LoggedOut, _) => {
            let changed = adapter.credentials(place).and_then(|file| file.metadata().ok()?.modified().ok());
            let changed = changed.and_then(|at| Timestamp::try_from(at).ok());
            is_of_this_process && changed.is_none_or(|changed| changed <= standing.last)
        }
        (Block::Limited | Block::Overloaded | Block::Refused | Block::Stalled, _) => is_of_this_process,
    }
}

fn by_transcript(standing: &Standing) -> Blocked {
    let Obstacle { kind, until, words } = &standing.obstacle;
    let evidence = format!("its transcript says: {words}");
    Blocked { kind: *kind, since: clock::at(standing.since), until: until.map(clock::at), evidence }
}

fn by_screen(obstacle: &Obstacle, since: &str) -> Blocked {
    let Obstacle { kind, until, words } = obstacle;
    let evidence = format!("its screen shows: {words}");
    Blocked { kind: *kind, since: since.to_owned(), until: until.map(clock::at), evidence }
}
