//! Schedules the reading of the bound threads, page by page, at the rate that Slack grants.
//!
//! Invariant: of the due threads, the one whose last granted page is oldest is next. Neither a long thread nor a new
//! one therefore keeps the others from being read. A thread does not lose its turn when Slack asks to wait.

use std::{
    collections::{BTreeMap, HashMap},
    time::Duration,
};

use tokio::time::Instant;

use super::{api::ApiError, threads::Thread, ts::Ts};

/// Time for which the next thread may delay threads of other channels. Slack reports waits in whole seconds, so waits
/// for one limit may end that far apart.
const HOLD: Duration = Duration::from_secs(2);

/// Consecutive refusals after which a channel counts as having its own limit. It then no longer delays other channels.
const ALONE: u32 = 3;

/// Consecutive failures, with no page read between them, after which a channel fails as a whole.
const OFTEN: u32 = 3;

/// Longest pause after a failure that only an operator can fix.
const LONGEST: Duration = Duration::from_hours(1);

/// Pauses after failures.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pauses {
    /// First and longest pause after a temporary failure.
    pub(super) passing: (Duration, Duration),
    /// First pause after a failure that only an operator can fix.
    pub(super) mending: Duration,
}

/// Scope of a lasting failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lasts {
    /// The failure is temporary: the next attempt may succeed.
    No,
    /// The failure lasts for the thread.
    InThread,
    /// The failure lasts for the whole channel.
    InChannel,
}

/// Next action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Read a page of a thread.
    Read(Ask),
    /// Wait until the given time, or until something changes.
    Wait(Option<Instant>),
}

/// A page to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ask {
    pub(super) thread: Thread,
    /// Start of the page after earlier pages; otherwise reading starts at the thread's read position.
    pub(super) page: Option<Page>,
}

/// Start of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Page {
    /// Point from which the thread is listed, the same for all pages of one reading.
    pub(super) after: Ts,
    /// Slack's cursor of the page.
    pub(super) cursor: String,
    /// Newest message on the earlier pages.
    pub(super) newest: Option<Ts>,
}

/// Turns of all bound threads.
#[derive(Debug, Default)]
pub(super) struct Turns {
    threads: BTreeMap<Ts, Turn>,
    channels: HashMap<String, Channel>,
    /// Number of the last greeting of a socket.
    greeting: u64,
}

#[derive(Debug)]
struct Turn {
    thread: Thread,
    /// Time at which the thread is due.
    due: Instant,
    /// Time of the last granted page or failure.
    served: Option<Instant>,
    page: Option<Page>,
    /// Number of consecutive failures.
    failures: u32,
    /// True while a page of the thread is being read.
    reading: bool,
    /// Number of the greeting before the reading in progress, and before the last complete one.
    began: u64,
    whole: Option<u64>,
}

#[derive(Debug, Default)]
struct Channel {
    /// End of the pause of the channel.
    until: Option<Instant>,
    /// Number of consecutive rate limits, and of other consecutive failures.
    limited: u32,
    failures: u32,
    /// True if only an operator can fix it.
    stuck: bool,
}

impl Turns {
    /// Sets the bound threads. A new one is due at `due`.
    pub(super) fn follow(&mut self, bound: Vec<Thread>, due: Instant) {
        let mut before = std::mem::take(&mut self.threads);
        for thread in bound {
            let turn = match before.remove(&thread.ts) {
                Some(turn) if turn.thread == thread => turn,
                _ => Turn {
                    due,
                    served: None,
                    page: None,
                    failures: 0,
                    reading: false,
                    began: self.greeting,
                    // All messages of a thread created after the greeting are new.
                    whole: Some(self.greeting).filter(|greeting| *greeting > 0),
                    thread: thread.clone(),
                },
            };
            self.threads.insert(thread.ts, turn);
        }
        let threads = &self.threads;
        self.channels.retain(|id, _| threads.values().any(|turn| turn.thread.channel == *id));
    }

    /// Makes every thread due now: a socket has greeted, and earlier messages may have been missed.
    pub(super) fn greeted(&mut self, now: Instant) {
        self.greeting += 1;
        for turn in self.threads.values_mut() {
            turn.due = turn.due.min(now);
            turn.failures = 0;
        }
    }

    /// Records that a message arrived from a channel, so its failure may be over. Returns true if there was one.
    pub(super) fn heard_from(&mut self, channel: &str) -> bool {
        let Some(known) = self.channels.get_mut(channel).filter(|known| known.failures > 0) else { return false };
        *known = Channel::default();
        let now = Instant::now();
        for turn in self.threads.values_mut().filter(|turn| turn.thread.channel == channel && turn.failures > 0) {
            (turn.failures, turn.due) = (0, turn.due.min(now));
        }
        true
    }

    /// Returns the next action. A thread is `urgent` if a reply waits for its reading.
    pub(super) fn next(&mut self, now: Instant, urgent: impl Fn(&Ts) -> bool) -> Next {
        let mut due: Vec<&Ts> =
            self.threads.iter().filter(|(_, turn)| !turn.reading && turn.due <= now).map(|(ts, _)| ts).collect();
        due.sort_by_key(|ts| (!urgent(ts), self.threads[*ts].served, (*ts).clone()));
        let later = self.threads.values().filter(|turn| !turn.reading && turn.due > now).map(|turn| turn.due);
        let mut until = later.min();
        let mut chosen = None;
        for ts in due {
            let channel = self.channels.get(&self.threads[ts].thread.channel);
            let Some(opens) = channel.and_then(|channel| channel.until).filter(|until| *until > now) else {
                chosen = Some(ts.clone());
                break;
            };
            until = Some(until.map_or(opens, |until| until.min(opens)));
            if opens <= now + HOLD && channel.is_some_and(|channel| channel.limited < ALONE && channel.failures == 0) {
                break;
            }
        }
        let Some(turn) = chosen.and_then(|ts| self.threads.get_mut(&ts)) else { return Next::Wait(until) };
        turn.reading = true;
        if turn.page.is_none() {
            turn.began = self.greeting;
        }
        Next::Read(Ask { thread: turn.thread.clone(), page: turn.page.clone() })
    }

    /// Records a granted page. After the last one the thread is due again at `due`.
    pub(super) fn granted(&mut self, thread: &Thread, next: Option<Page>, now: Instant, due: Instant) {
        self.channels.insert(thread.channel.clone(), Channel::default());
        let greeting = self.greeting;
        let Some(turn) = self.turn(thread) else { return };
        (turn.reading, turn.served, turn.failures) = (false, Some(now), 0);
        turn.page = next;
        if turn.page.is_none() {
            turn.whole = Some(turn.began);
            // A greeting meanwhile requires another reading of the thread.
            turn.due = if turn.began == greeting { due } else { now };
        }
    }

    /// Records that Slack asked to wait. The thread keeps its turn.
    pub(super) fn limited(&mut self, thread: &Thread, now: Instant, after: Duration) {
        if let Some(turn) = self.turn(thread) {
            turn.reading = false;
        }
        let channel = self.channels.entry(thread.channel.clone()).or_default();
        if channel.until.is_none_or(|until| until <= now) {
            channel.limited += 1;
        }
        channel.until = channel.until.max(Some(now + after));
    }

    /// Records that a page could not be read. The thread goes behind the others, and its channel pauses for a moment,
    /// or longer if the failure is the channel's.
    pub(super) fn failed(&mut self, thread: &Thread, error: &ApiError, now: Instant, pauses: Pauses) -> Lasts {
        let pause = |failures: u32| {
            let (first, longest) =
                if error.is_passing() { pauses.passing } else { (pauses.mending, pauses.mending.max(LONGEST)) };
            first.saturating_mul(2_u32.saturating_pow(failures.min(20))).min(longest)
        };
        let channel = self.channels.entry(thread.channel.clone()).or_default();
        if error.is_passing() || error.is_of_the_channel() {
            channel.until = Some(now + pause(channel.failures));
            channel.failures += 1;
            channel.stuck = !error.is_passing();
        }
        let lasts = match error {
            error if *error == ApiError::stale_page() => Lasts::No,
            error if error.is_of_the_channel() => Lasts::InChannel,
            error if !error.is_passing() => Lasts::InThread,
            _ if channel.failures >= OFTEN => Lasts::InChannel,
            _ => Lasts::No,
        };
        let Some(turn) = self.turn(thread) else { return lasts };
        if *error == ApiError::stale_page() {
            // The cursor has expired. Reading resumes from the thread's read position.
            turn.page = None;
        }
        turn.due = now + pause(turn.failures);
        turn.failures += 1;
        (turn.reading, turn.served) = (false, Some(now));
        lasts
    }

    /// True if the thread was read completely since the last greeting: all later messages are new.
    pub(super) fn was_read(&self, thread: &Ts) -> bool {
        self.threads.get(thread).is_some_and(|turn| turn.whole == Some(self.greeting))
    }

    /// Returns the number of threads that are due and wait, and the longest wait among them.
    pub(super) fn behind(&self, now: Instant) -> (usize, Duration) {
        let due = self.threads.values().filter(|turn| turn.due < now);
        due.fold((0, Duration::ZERO), |(count, longest), turn| (count + 1, longest.max(now.duration_since(turn.due))))
    }

    /// True if some channel's threads can be read, as far as is known.
    pub(super) fn any_channel_answers(&self) -> bool {
        self.channels.is_empty() || self.channels.values().any(|channel| channel.failures == 0)
    }

    /// True if only an operator can fix the failure that prevents reading.
    pub(super) fn is_stuck(&self) -> bool {
        self.channels.values().any(|channel| channel.stuck)
    }

    pub(super) fn len(&self) -> usize {
        self.threads.len()
    }

    fn turn(&mut self, thread: &Thread) -> Option<&mut Turn> {
        self.threads.get_mut(&thread.ts).filter(|turn| turn.thread == *thread)
    }
}

#[cfg(test)]
mod tests;
