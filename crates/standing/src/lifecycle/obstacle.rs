//! obstacle: why a running session makes no progress, from its transcript, its hooks and its screen.
//!
//! A screen shows the present, and a transcript the end of a limit to the second. If both report the same obstacle, the
//! transcript is quoted. Without a report there is no obstacle, except after a silence of `routing.stalledAfter`.

use std::time::Duration;

use harness::{
    Harness, News, Obstacle, Place, Screen, Signal,
    signal::{Standing, left},
};
use jiff::Timestamp;
use tmux::Pane;
use wire::{Activity, Block, Blocked, Row, Source};

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
        let adapter = adapter.as_ref();
        let told = self.told(adapter, record, &row.harness_session_id, pane.pid);
        let signals = self.with_hooks(adapter, record, &row.harness_session_id, told.as_ref());
        let last = signals.last().cloned();
        let written = left(signals).filter(|standing| still_holds(standing, record, adapter, &self.place(record)));
        let screen = screen.map(|text| Screen { text, title: &pane.title });
        let answered = matches!(&last, Some(Signal { news: News::Answered { .. }, .. }));
        let failed = |screen| adapter.failed_turn(screen).filter(|_| !answered);
        let shown = screen.and_then(|screen| adapter.obstacle(screen).or_else(|| failed(screen)));
        let blocked = match (shown, written) {
            (Some(shown), Some(written)) if shown.kind == written.obstacle.kind => Some(by_report(&written)),
            (Some(shown), _) => Some(by_screen(&shown, &row.since)),
            (None, Some(written)) => Some(by_report(&written)),
            (None, None) => told.and_then(|told| self.stalled(row, &told, last.as_ref())),
        };
        row.set_blocked(blocked);
    }

    /// Returns the last signals of a session, from its transcript and its hooks, oldest first.
    pub(super) fn signals(&self, adapter: &dyn Harness, record: &Record, conversation: &str, pid: u32) -> Vec<Signal> {
        let told = self.told(adapter, record, conversation, pid);
        self.with_hooks(adapter, record, conversation, told.as_ref())
    }

    fn told(&self, adapter: &dyn Harness, record: &Record, conversation: &str, pid: u32) -> Option<Told> {
        let conversation = Some(conversation).filter(|id| !id.is_empty())?;
        news::read(adapter, &adapter.conversation_file(&self.place(record), conversation, pid)?)
    }

    fn with_hooks(
        &self,
        adapter: &dyn Harness,
        record: &Record,
        conversation: &str,
        told: Option<&Told>,
    ) -> Vec<Signal> {
        let hooks = self.hook_lines(adapter, record, conversation).into_iter().filter_map(|line| {
            Some(Signal { at: line.at, source: Source::Hook, news: adapter.hook_news(&line.event)? })
        });
        let mut signals: Vec<Signal> = told.into_iter().flat_map(|told| told.signals.clone()).chain(hooks).collect();
        // The order of two sources of the same time stays.
        signals.sort_by_key(|signal| signal.at);
        signals
    }

    /// Returns the obstacle of a session that works on a turn without progress for too long. A tool may run for any
    /// time.
    fn stalled(&self, row: &Row, told: &Told, last: Option<&Signal>) -> Option<Blocked> {
        let after = self.settings().routing.stalled_after;
        let runs_tool = matches!(last, Some(Signal { news: News::Answered { calls_tool: true }, .. }));
        if row.activity != Activity::Busy || after.is_zero() || runs_tool {
            return None;
        }
        let written = Timestamp::try_from(told.written).ok()?;
        let last = last.map_or(written, |last| written.max(last.at));
        let silence = Duration::try_from(clock::timestamp().duration_since(last)).ok()?;
        (silence >= after).then(|| Blocked {
            kind: Block::Stalled,
            since: clock::at(last),
            until: None,
            evidence: format!("it is working, but wrote nothing for {}", minutes(silence)),
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
        (Block::Limited, Some(until)) => until > clock::timestamp(),
        (Block::NoCredit | Block::ContextFull, _) => true,
        (Block::LoggedOut, _) => {
            let changed = adapter.credentials(place).and_then(|file| file.metadata().ok()?.modified().ok());
            let changed = changed.and_then(|at| Timestamp::try_from(at).ok());
            is_of_this_process && changed.is_none_or(|changed| changed <= standing.last)
        }
        (Block::Limited | Block::Overloaded | Block::Refused | Block::Stalled, _) => is_of_this_process,
    }
}

fn by_report(standing: &Standing) -> Blocked {
    let Obstacle { kind, until, words } = &standing.obstacle;
    let evidence = format!("its {} says: {words}", standing.source.label());
    Blocked { kind: *kind, since: clock::at(standing.since), until: until.map(clock::at), evidence }
}

/// True if an obstacle ends within a minute. Nothing signals its end.
pub(super) fn ends_soon(row: &Row) -> bool {
    let until = row.blocked.as_ref().and_then(|blocked| blocked.until.as_ref()?.parse::<Timestamp>().ok());
    until.is_some_and(|until| until.duration_since(clock::timestamp()).as_secs() < 60)
}

/// Describes a signal for people.
pub(super) fn said(news: &News) -> String {
    match news {
        News::Begun => "a turn is being worked on".to_owned(),
        News::Answered { calls_tool: true } => "the model called a tool".to_owned(),
        News::Answered { calls_tool: false } => "the model answered".to_owned(),
        News::Shortened => "the conversation was shortened".to_owned(),
        News::Blocked(Obstacle { kind, words, .. }) => format!("{}: {words}", kind.label()),
    }
}

fn by_screen(obstacle: &Obstacle, since: &str) -> Blocked {
    let Obstacle { kind, until, words } = obstacle;
    let evidence = format!("its screen shows: {words}");
    Blocked { kind: *kind, since: since.to_owned(), until: until.map(clock::at), evidence }
}
