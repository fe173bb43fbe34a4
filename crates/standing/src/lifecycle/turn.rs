//! turn: follows the turn of a message to the answer of the agent.
//!
//! The message is found in the transcript of its conversation by the id in its first line. What the transcript does not
//! tell is judged from the session: a turn whose process has ended, whose conversation was left, or whose agent is idle
//! has no answer. Another turn's answer is never taken for this one's.
//!
//! Nothing here waits. A follower keeps its place in the transcripts between two looks, so each line is read once.

mod reading;

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use harness::{Harness, Progress};
use wire::{Activity, Block, Row, SessionName, Turn, TurnState};

use super::{Context, say::Queue};
use crate::{
    Error,
    events::Event,
    process::ProcessIdentity,
    registry::{Record, RecordStatus},
    text,
    turns::{Sent, Turns},
};
use reading::Reading;

/// Time without a new line in the transcript after which the state of the session counts.
const QUIET: Duration = Duration::from_secs(1);

/// Time without a new line after which an idle agent has lost the turn. An agent may write its last line a moment after
/// its screen shows that it is idle.
const IDLE: Duration = Duration::from_secs(4);

/// Time for which a prompt must be open to block the turn: an agent may show one for a moment.
const PROMPT: Duration = Duration::from_secs(1);

/// Characters of a prompt that a reason quotes.
const QUOTED: usize = 200;

/// Follows turns of one session.
#[derive(Debug)]
pub struct TurnFollower {
    name: SessionName,
    tracks: HashMap<String, Track>,
}

/// Turn that is followed.
#[derive(Debug)]
struct Track {
    readings: Vec<Reading>,
    /// Time of the last new line.
    moved: Instant,
    /// Time since when a prompt or an obstacle blocks the turn.
    held_since: Option<Instant>,
    result: Option<Seen>,
}

/// Result of a look.
#[derive(Clone, Debug)]
struct Seen {
    turn: Turn,
    /// True if the turn has ended. One that a prompt or an obstacle blocks has not: it may continue.
    ended: bool,
    /// True if the end is recorded.
    recorded: bool,
}

impl Track {
    fn new() -> Self {
        Self { readings: Vec::new(), moved: Instant::now(), held_since: None, result: None }
    }
}

impl TurnFollower {
    /// Returns a follower of a session that has not looked yet.
    pub fn new(name: &str) -> Result<Self, Error> {
        Ok(Self { name: SessionName::parse(name)?, tracks: HashMap::new() })
    }

    /// True if a look needs the row of the session: a transcript has been quiet for a while.
    pub fn needs_row(&self) -> bool {
        self.tracks.values().any(|track| track.is_open() && track.moved.elapsed() >= QUIET)
    }

    /// Returns the current state of these turns, in their order. Turns that are not named are no longer followed.
    /// `row` is the row of the session as it is now, if the caller has one.
    pub(crate) fn look(&mut self, context: &Context, ids: &[String], row: Option<&Row>) -> Result<Vec<Turn>, Error> {
        self.tracks.retain(|id, _| ids.contains(id));
        let turns = Turns::open(context, &self.name);
        let record = context.registry.read_whole(&self.name)?;
        let mut seen = Vec::with_capacity(ids.len());
        for id in ids {
            let track = self.tracks.entry(id.clone()).or_insert_with(Track::new);
            seen.push(match (turns.find(id), &record) {
                (Some(sent), Some(record)) => track.look(context, record, sent, row),
                _ => match track.result.take() {
                    None => return Err(Error::UnknownMessage { name: self.name.clone(), id: id.clone() }),
                    Some(Seen { turn, ended: true, .. }) => turn,
                    Some(Seen { turn, .. }) => {
                        Turn { state: TurnState::LostTrack, reason: "the session was deleted".to_owned(), ..turn }
                    }
                },
            });
        }
        Ok(seen)
    }

    /// True if nothing is left to record of a turn: it is open, or its end is recorded.
    pub fn is_recorded(&self, id: &str) -> bool {
        self.tracks.get(id).and_then(|track| track.result.as_ref()).is_none_or(|seen| !seen.ended || seen.recorded)
    }
}

/// Returns the turn of a message as it is now.
pub(crate) fn turn(context: &Context, name: &str, id: &str) -> Result<Turn, Error> {
    let mut follower = TurnFollower::new(name)?;
    let ids = [id.to_owned()];
    let mut turns = follower.look(context, &ids, None)?;
    turns.pop().ok_or_else(|| Error::UnknownMessage { name: follower.name, id: id.to_owned() })
}

impl Track {
    fn is_open(&self) -> bool {
        self.result.as_ref().is_none_or(|seen| !seen.ended)
    }

    /// Looks once. A turn that has ended is not judged again.
    fn look(&mut self, context: &Context, record: &Record, sent: &Sent, row: Option<&Row>) -> Turn {
        let mut seen = if let Some(seen) = self.result.take().filter(|seen| seen.ended) {
            seen
        } else {
            let turn = self.judge(context, record, sent, row);
            let held = turn.state == TurnState::Blocked && self.held_since.is_some();
            let ended = !turn.state.is_open() && !held;
            Seen { recorded: ended && sent.ended == Some(turn.state), turn, ended }
        };
        if seen.ended && !seen.recorded {
            seen.recorded = settle(context, &record.name, &seen.turn);
        }
        self.result.insert(seen).turn.clone()
    }

    fn judge(&mut self, context: &Context, record: &Record, sent: &Sent, row: Option<&Row>) -> Turn {
        let turn = |state, reason: String| Turn {
            name: record.name.to_string(),
            message_id: sent.message_id.clone(),
            state,
            answer: String::new(),
            reason,
            shared_with: Vec::new(),
        };
        let Ok(harness) = context.harness(&record.harness) else {
            return turn(TurnState::NotFollowed, format!("the harness `{}` is not defined", record.harness));
        };
        // Order matters: what an ending process wrote last is read after its end was seen.
        let (run, waits) = (run(record, sent), waits(context, record, sent));
        let Some(progress) = self.read(context, record, sent, row, harness.as_ref()) else {
            let reason = format!("`{}` does not record which answer belongs to which message", record.harness);
            return turn(TurnState::NotFollowed, reason);
        };
        let lost = |reason: &str| turn(TurnState::LostTrack, reason.to_owned());
        match progress {
            Progress::Answered(answer) => {
                self.held_since = None;
                let (text, shared_with) = (text::inert(&answer.text), answer.with);
                return Turn { answer: text, shared_with, ..turn(TurnState::Answered, String::new()) };
            }
            Progress::Blocked(reason) => {
                self.held_since = None;
                return turn(TurnState::Blocked, text::inert_line(&reason));
            }
            Progress::Lost(why) => return lost(why.as_str()),
            Progress::Working | Progress::Unseen => {}
        }
        if waits {
            // It may also wait behind a prompt.
        } else if run == Run::Over {
            return lost(harness::Lost::ProcessEnded.as_str());
        } else if self.left(record, sent, row) {
            return lost("the agent moved to another conversation");
        }
        let row = row.filter(|row| row.running);
        if let Some(blocked) = row.and_then(|row| row.blocked.as_ref()).filter(|blocked| lasts(blocked.kind)) {
            self.held_since.get_or_insert_with(Instant::now);
            return turn(
                TurnState::Blocked,
                format!("{}: {}", blocked.kind.label(), text::inert_line(&blocked.evidence)),
            );
        }
        match row.map(|row| (row.activity, &row.question)) {
            Some((Activity::Waiting, question)) if self.moved.elapsed() >= QUIET => {
                let since = *self.held_since.get_or_insert_with(Instant::now);
                if since.elapsed() >= PROMPT {
                    return turn(
                        TurnState::Blocked,
                        format!("waiting for an answer to its prompt: {}", quoted(question)),
                    );
                }
            }
            Some((Activity::Idle, _)) if !waits && self.moved.elapsed() >= IDLE => {
                self.held_since = None;
                return lost("the agent is idle, and its transcript does not contain the end of this turn");
            }
            Some(_) => self.held_since = None,
            None => {}
        }
        turn(TurnState::Working, String::new())
    }

    /// Reads the transcripts on; `None` if the harness's transcripts do not tell.
    fn read(
        &mut self,
        context: &Context,
        record: &Record,
        sent: &Sent,
        row: Option<&Row>,
        harness: &dyn Harness,
    ) -> Option<Progress> {
        let here = row.map_or(&record.harness_session_id, |row| &row.harness_session_id);
        for conversation in [&sent.conversation, &record.harness_session_id, here] {
            let known = self.readings.iter().any(|reading| reading.conversation == *conversation);
            if known || (conversation.is_empty() && !sent.conversation.is_empty()) {
                continue;
            }
            let first = *conversation == sent.conversation;
            let (path, from) = if first { (sent.transcript.clone(), sent.transcript_from) } else { (None, 0) };
            self.readings.push(Reading::new(conversation, path, from, harness.follow(&sent.message_id)?));
        }
        let place = context.place(record);
        for reading in &mut self.readings {
            if reading.read_on(|conversation| harness.transcript(&place, conversation)) {
                self.moved = Instant::now();
            }
        }
        let mut all = self.readings.iter().map(Reading::progress);
        Some(all.find(|progress| *progress != Progress::Unseen).unwrap_or_default())
    }

    /// True if the agent is in another conversation than the one in which the message is.
    fn left(&self, record: &Record, sent: &Sent, row: Option<&Row>) -> bool {
        let here = row.map_or(&record.harness_session_id, |row| &row.harness_session_id);
        let found = self.readings.iter().find(|reading| reading.progress() != Progress::Unseen);
        let of = found.map_or(&sent.conversation, |reading| &reading.conversation);
        !of.is_empty() && !here.is_empty() && of != here
    }
}

/// Life of the process that received a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Run {
    Alive,
    Over,
}

fn run(record: &Record, sent: &Sent) -> Run {
    let ended = match &record.process {
        Some(process) => !ProcessIdentity::is_alive(process),
        None => record.status == RecordStatus::Stopped,
    };
    if ended || record.loop_id != sent.loop_id { Run::Over } else { Run::Alive }
}

/// True for an obstacle that the agent does not overcome by a retry of its own within moments.
const fn lasts(kind: Block) -> bool {
    !matches!(kind, Block::Overloaded)
}

/// True if the message is queued: it becomes a turn later, if need be in the next process.
fn waits(context: &Context, record: &Record, sent: &Sent) -> bool {
    Queue::open(context, &record.name).has(&sent.message_id)
}

/// Records the end of a turn, unless another verb works on the session. False if it is not recorded.
fn settle(context: &Context, name: &SessionName, turn: &Turn) -> bool {
    let Some(_hold) = context.registry.try_hold(name) else { return false };
    if Turns::open(context, name).end(&turn.message_id, turn.state) {
        // Order matters: a reader that is notified of the event finds the answer.
        context.messages().answered(name, turn);
        context.emit(
            Event::info("standing.turn_ended")
                .with("standing", name.as_str())
                .with("message_id", turn.message_id.as_str())
                .with("state", turn.state.as_str()),
        );
    }
    true
}

/// Returns the beginning of a prompt in one line.
fn quoted(question: &str) -> String {
    let line = text::inert_line(&question.split_whitespace().collect::<Vec<_>>().join(" "));
    match line.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
