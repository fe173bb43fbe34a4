//! Rows of sessions: definition, record and condition.

use harness::Screen;
use jiff::Timestamp;
use tmux::Pane;
use wire::{Activity, Outcome, Row, SessionName, State, Status};

use super::{
    context::{Context, Judged},
    detail::Detail,
    orphan,
    recognise::unrecorded,
    say::Queue,
    screen::{above_input, last_line},
};
use crate::{
    clock,
    definition::Definition,
    registry::{Entry, Phase, Record, RecordStatus},
    state::{Condition, replaced},
};

impl Context {
    /// Returns the row of a session as it is now.
    pub(crate) fn row(&self, name: &SessionName, entry: &Entry, judged: &Judged) -> Row {
        self.row_with(name, entry, judged, true)
    }

    /// Returns the row of a session as it is now. Its queue is read only if there may be one.
    pub(super) fn row_with(&self, name: &SessionName, entry: &Entry, judged: &Judged, may_have_queue: bool) -> Row {
        let record = entry.record();
        let mut row = Row::bare(name);
        if let Some(definition) = self.definitions().known(name, record) {
            define(&mut row, &definition);
        }
        if let Some(record) = record {
            note(&mut row, record);
        }
        if let Some(record) = record
            && let Some(id) = self.seen_in(record, &judged.condition, false)
        {
            row.harness_session_id = id;
        }
        if let Some(record) = record.filter(|_| may_have_queue) {
            row.queued = self.untaken(record);
        }
        row.as_of = clock::now();
        row.state = judged.word;
        let reason = self.reason(name, entry, judged);
        row.reason = reason.text();
        row.remedies = reason.remedies;
        row.running = matches!(judged.condition, Condition::Live(_));
        row.status = match (&judged.condition, record) {
            (Condition::Live(_), _) => Status::Running,
            // Silence is not absence: the last known status stays.
            (Condition::Silent(_), Some(record)) if record.status == RecordStatus::Running => Status::Running,
            (_, Some(_)) => Status::Stopped,
            (_, None) if matches!(entry, Entry::Unreadable(_)) => Status::Stopped,
            (_, None) => Status::Absent,
        };
        if let (Condition::Unrecorded(pane), Entry::Vacant) = (&judged.condition, entry) {
            self.note_unrecorded(&mut row, name, pane);
        }
        if let Condition::Live(pane) = &judged.condition {
            row.pid = Some(pane.pid);
            self.read_title(&mut row, record, pane);
        }
        self.date(&mut row, record);
        if let Condition::Live(pane) = &judged.condition {
            self.add_obstacle(&mut row, record, pane, None);
        }
        if let (State::Ended, Some(pane)) = (row.state, judged.condition.shown()) {
            let ended = pane.ended_at.and_then(|seconds| Timestamp::from_second(seconds).ok());
            row.since = ended.map(clock::at).unwrap_or_default();
        }
        row
    }

    /// Updates a row from cheap sources: the status that the harness writes, its hooks, else the title, which every look
    /// contains.
    fn read_title(&self, row: &mut Row, record: Option<&Record>, pane: &Pane) {
        let Ok(adapter) = self.harness(&row.harness) else { return };
        let claims = self.claims(adapter.as_ref(), record, &row.harness_session_id, pane, None);
        let reading = claims.decide().map(|decision| decision.winner.reading).unwrap_or_default();
        row.activity = reading.activity;
        row.question = reading.question;
    }

    /// Updates a row from its screen, and from what is newer.
    pub(crate) fn read_screen(&self, row: &mut Row, record: Option<&Record>, pane: &Pane, text: &str) {
        row.last_line = last_line(text);
        if let Ok(adapter) = self.harness(&row.harness) {
            let adapter = adapter.as_ref();
            let screen = Screen { text, title: &pane.title };
            row.last_line = last_line(above_input(adapter, screen));
            let claims = self.claims(adapter, record, &row.harness_session_id, pane, Some(text));
            let reading = claims.decide().map(|decision| decision.winner.reading).unwrap_or_default();
            row.activity = reading.activity;
            row.question = reading.question;
            row.choices = if row.activity == Activity::Waiting { adapter.choices(screen) } else { Vec::new() };
            self.date(row, record);
            self.add_obstacle(row, record, pane, Some(text));
            if row.reason.is_empty() {
                row.reason = claims.contradiction(clock::timestamp()).unwrap_or_default();
            }
        }
    }

    /// Returns the number of queued messages, which are not turns yet.
    fn untaken(&self, record: &Record) -> usize {
        let queue = Queue::open(self, &record.name);
        match self.harness(&record.harness) {
            Ok(harness) if queue.len() > 0 => queue.waiting(self, record, harness.as_ref()),
            _ => queue.len(),
        }
    }

    /// Returns the row after a verb, from a new look, with the result of the verb.
    pub(crate) fn row_after(&self, name: &SessionName, outcome: Outcome, detail: impl Into<Detail>) -> Row {
        let entry = self.registry.read(name);
        let panes = self.look();
        let judged = self.judge(name, &entry, panes.as_ref());
        let mut row = self.row(name, &entry, &judged);
        row.outcome = Some(outcome);
        let detail = detail.into();
        row.detail = Some(detail.text());
        row.remedies = detail.remedies;
        row
    }
}

fn define(row: &mut Row, definition: &Definition) {
    row.declared = definition.declared;
    row.description.clone_from(&definition.description);
    row.auto_start = definition.auto_start;
    row.harness.clone_from(&definition.harness);
    row.cwd = definition.cwd.display().to_string();
    row.slack_enabled = definition.slack_enabled;
    row.env = definition.env.keys().cloned().collect();
    row.secrets = definition.secrets.keys().cloned().collect();
    row.slack_channel = if definition.slack_enabled { definition.slack_channel.clone() } else { String::new() };
}

fn note(row: &mut Row, record: &Record) {
    // A resume continues in the directory in which the conversation began.
    if !record.harness_session_id.is_empty() && !record.cwd.is_empty() {
        row.cwd.clone_from(&record.cwd);
    }
    row.harness_session_id.clone_from(&record.harness_session_id);
    row.slack_thread.clone_from(&record.slack_thread);
    // A bound thread keeps its channel, even if another channel is configured later.
    if !row.slack_channel.is_empty() && !record.slack_thread.is_empty() && !record.slack_channel.is_empty() {
        row.slack_channel.clone_from(&record.slack_channel);
    }
    row.started_at.clone_from(&record.started_at);
    row.last_message_at.clone_from(&record.last_message_at);
    row.created_at.clone_from(&record.created_at);
}

impl Context {
    fn reason(&self, name: &SessionName, entry: &Entry, judged: &Judged) -> Detail {
        if let (Entry::Unreadable(reason), State::Unreadable) = (entry, judged.word) {
            return format!("could not read its record: {reason}").into();
        }
        match &judged.condition {
            Condition::Dead(pane) | Condition::Deserted { dead: Some(pane) } => self.how_it_ended(pane).into(),
            Condition::Deserted { dead: None } => {
                "its pane was closed, but other panes of its tmux session are open".into()
            }
            Condition::Orphaned => entry.record().map(orphan::told).unwrap_or_default(),
            Condition::Replaced(pane) => replaced(pane).into(),
            Condition::Unrecorded(_) => unrecorded(name),
            Condition::Foreign(_) => "a tmux session that is not managed by the-loop has its name".into(),
            Condition::Silent(silence) => format!("tmux did not answer ({})", silence.0).into(),
            Condition::Gone if entry.record().is_some_and(|record| record.status == RecordStatus::Running) => {
                "its tmux session no longer exists; its conversation is kept".into()
            }
            Condition::Live(_) if judged.word == State::Running => cut_short(entry).into(),
            Condition::Gone | Condition::Live(_) => Detail::default(),
        }
    }
}

/// Describes the phase of an interrupted verb, for a running session.
fn cut_short(entry: &Entry) -> &'static str {
    match entry.record().and_then(|record| record.phase) {
        Some(Phase::Starting) => "its start was interrupted; the next command completes it",
        Some(Phase::Stopping) => "its stop was interrupted; the next command completes it",
        Some(Phase::Deleting) => "its delete was interrupted; the next command completes it",
        Some(Phase::Created | Phase::Running | Phase::Stopped) | None => "",
    }
}
