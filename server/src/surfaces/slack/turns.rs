//! Whose turn it is to be read: the bound threads, page by page, whatever Slack grants.
//!
//! Invariant: of the threads that are due, the one that was granted a page longest ago is next, so that neither a long
//! thread nor a new one keeps the others from being read. Being told to wait costs no thread its turn.

use std::{
    collections::{BTreeMap, HashMap},
    time::Duration,
};

use tokio::time::Instant;

use super::{api::ApiError, threads::Thread, ts::Ts};

/// How long the thread whose turn it is may hold up others of another channel. Slack tells waits in whole seconds, so
/// that waits for one limit may end that far apart.
const HOLD: Duration = Duration::from_secs(2);

/// A channel that was refused so often in a row has a limit of its own, and holds up no other channel.
const ALONE: u32 = 3;

/// After so many failures in a row, with nothing read between them, a channel fails as a whole.
const OFTEN: u32 = 3;

/// The longest pause after a failure that only an operator can mend.
const LONGEST: Duration = Duration::from_hours(1);

/// The pauses after failures.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pauses {
    /// After a failure that may pass: the first one, and the longest.
    pub(super) passing: (Duration, Duration),
    /// The first one after a failure that only an operator can mend.
    pub(super) mending: Duration,
}

/// Of what a failure is more than an accident.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lasts {
    /// Of nothing: it may be over at the next try.
    No,
    /// Of the thread.
    InThread,
    /// Of its whole channel.
    InChannel,
}

/// What there is to do now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// A page of a thread is to be read.
    Read(Ask),
    /// Nothing, until a moment if there is one.
    Wait(Option<Instant>),
}

/// A page that is to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ask {
    pub(super) thread: Thread,
    /// Where it goes on, if a page was read before; else it begins where the thread was read to.
    pub(super) page: Option<Page>,
}

/// Where a page begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Page {
    /// From where on the thread is listed, the same for all pages of one reading.
    pub(super) after: Ts,
    /// Slack's word for the page.
    pub(super) cursor: String,
    /// The newest message on the pages before it.
    pub(super) newest: Option<Ts>,
}

/// The turns of all bound threads.
#[derive(Debug, Default)]
pub(super) struct Turns {
    threads: BTreeMap<Ts, Turn>,
    channels: HashMap<String, Channel>,
    /// Raised by each greeting of a socket.
    greeting: u64,
}

#[derive(Debug)]
struct Turn {
    thread: Thread,
    /// From when on it is to be read.
    due: Instant,
    /// When it was last granted a page, or failed.
    served: Option<Instant>,
    page: Option<Page>,
    /// Failures in a row.
    failures: u32,
    /// True while a page of it is being read.
    reading: bool,
    /// The greeting that the reading under way began after, and that of the last whole one.
    began: u64,
    whole: Option<u64>,
}

#[derive(Debug, Default)]
struct Channel {
    /// It is left alone until then.
    until: Option<Instant>,
    /// How often in a row Slack asked to wait, and how often something else failed.
    limited: u32,
    failures: u32,
    /// True if only an operator can mend it.
    stuck: bool,
}

impl Turns {
    /// Takes over which threads are bound. A new one is due at `due`.
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
                    // All of one that came to be since the greeting is news.
                    whole: Some(self.greeting).filter(|greeting| *greeting > 0),
                    thread: thread.clone(),
                },
            };
            self.threads.insert(thread.ts, turn);
        }
        let threads = &self.threads;
        self.channels.retain(|id, _| threads.values().any(|turn| turn.thread.channel == *id));
    }

    /// Every thread is due now: a socket greeted, and what was said before is not known.
    pub(super) fn greeted(&mut self, now: Instant) {
        self.greeting += 1;
        for turn in self.threads.values_mut() {
            turn.due = turn.due.min(now);
            turn.failures = 0;
        }
    }

    /// Something was heard from a channel: what kept it from being read may be over. True if there was something.
    pub(super) fn heard_from(&mut self, channel: &str) -> bool {
        let Some(known) = self.channels.get_mut(channel).filter(|known| known.failures > 0) else { return false };
        *known = Channel::default();
        let now = Instant::now();
        for turn in self.threads.values_mut().filter(|turn| turn.thread.channel == channel && turn.failures > 0) {
            (turn.failures, turn.due) = (0, turn.due.min(now));
        }
        true
    }

    /// What there is to do. A thread that is `urgent` has a reply that waits for it.
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

    /// A page was granted. If it was the last one the thread is due again at `due`.
    pub(super) fn granted(&mut self, thread: &Thread, next: Option<Page>, now: Instant, due: Instant) {
        self.channels.insert(thread.channel.clone(), Channel::default());
        let greeting = self.greeting;
        let Some(turn) = self.turn(thread) else { return };
        (turn.reading, turn.served, turn.failures) = (false, Some(now), 0);
        turn.page = next;
        if turn.page.is_none() {
            turn.whole = Some(turn.began);
            // A greeting in between wants the thread read from there on.
            turn.due = if turn.began == greeting { due } else { now };
        }
    }

    /// Slack asks to wait. The thread keeps its turn.
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

    /// A page could not be read. The thread goes behind the others, and its channel is left alone for a moment, for
    /// longer if that is the channel's own fault.
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
            // The page's name is too old: it is found again by where the thread was read to.
            turn.page = None;
        }
        turn.due = now + pause(turn.failures);
        turn.failures += 1;
        (turn.reading, turn.served) = (false, Some(now));
        lasts
    }

    /// True if the thread was read as a whole since the last greeting, so that whatever is new in it is news.
    pub(super) fn was_read(&self, thread: &Ts) -> bool {
        self.threads.get(thread).is_some_and(|turn| turn.whole == Some(self.greeting))
    }

    /// How many threads are due and wait, and for how long the one does that waits longest.
    pub(super) fn behind(&self, now: Instant) -> (usize, Duration) {
        let due = self.threads.values().filter(|turn| turn.due < now);
        due.fold((0, Duration::ZERO), |(count, longest), turn| (count + 1, longest.max(now.duration_since(turn.due))))
    }

    /// True if a channel's threads can be read, as far as is known.
    pub(super) fn any_channel_answers(&self) -> bool {
        self.channels.is_empty() || self.channels.values().any(|channel| channel.failures == 0)
    }

    /// True if only an operator can mend what keeps the threads from being read.
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
