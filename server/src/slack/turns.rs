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
    pub(super) fn failed(&mut self, thread: &Thread, error: &ApiError, now: Instant, pauses: Pauses) {
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
        let Some(turn) = self.turn(thread) else { return };
        if *error == ApiError::stale_page() {
            // The page's name is too old: it is found again by where the thread was read to.
            turn.page = None;
        }
        turn.due = now + pause(turn.failures);
        turn.failures += 1;
        (turn.reading, turn.served) = (false, Some(now));
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
mod tests {
    use wire::SessionName;

    use super::*;

    const PAUSES: Pauses =
        Pauses { passing: (Duration::from_millis(500), Duration::from_mins(1)), mending: Duration::from_mins(2) };

    fn secs(secs: u64) -> Duration {
        Duration::from_secs(secs)
    }

    fn thread(channel: &str, n: usize) -> Thread {
        let name = SessionName::parse(&format!("s{n}")).expect("a name");
        Thread { name, channel: channel.to_owned(), ts: Ts::parse(&format!("{n}.000000")).expect("a stamp") }
    }

    /// A Slack that grants one page each `every`, to whichever channel, and asks to wait for what is left otherwise.
    struct Grants {
        every: Duration,
        next: Instant,
        pages: HashMap<Ts, usize>,
        served: Vec<String>,
    }

    impl Grants {
        fn new(every: Duration, now: Instant) -> Self {
            Self { every, next: now, pages: HashMap::new(), served: Vec::new() }
        }

        /// Reads until so many pages were granted.
        fn run(&mut self, turns: &mut Turns, mut now: Instant, pages: usize, again: Duration) -> Instant {
            while self.served.len() < pages {
                match turns.next(now, |_| false) {
                    Next::Wait(until) => now = until.expect("there is something to wait for"),
                    Next::Read(ask) if now < self.next => {
                        let left = self.next - now;
                        turns.limited(&ask.thread, now, secs(left.as_secs() + u64::from(left.subsec_nanos() > 0)));
                        now += Duration::from_millis(7);
                    }
                    Next::Read(ask) => {
                        self.next = now + self.every;
                        self.served.push(ask.thread.name.to_string());
                        let left = self.pages.entry(ask.thread.ts.clone()).or_insert(1);
                        *left = left.saturating_sub(1);
                        let page = (*left > 0).then(|| Page {
                            after: ask.thread.ts.clone(),
                            cursor: left.to_string(),
                            newest: None,
                        });
                        turns.granted(&ask.thread, page, now, now + again);
                        now += Duration::from_millis(7);
                    }
                }
            }
            now
        }
    }

    #[test]
    fn every_thread_gets_its_turn_under_any_retry_after() {
        for every in [0, 1, 10, 20, 60, 300] {
            for channels in [["C1", "C1", "C1"], ["C1", "C2", "C3"]] {
                let begun = Instant::now();
                let mut turns = Turns::default();
                turns.follow((0..6).map(|n| thread(channels[n % 3], n + 1)).collect(), begun);
                let mut grants = Grants::new(secs(every), begun);
                grants.run(&mut turns, begun, 24, secs(5));
                for n in 1..=6 {
                    let times = grants.served.iter().filter(|served| **served == format!("s{n}")).count();
                    assert_eq!(times, 4, "{every} s, {channels:?}: {:?}", grants.served);
                }
            }
        }
    }

    #[test]
    fn a_long_thread_and_the_others_are_read_in_turn() {
        let begun = Instant::now();
        let mut turns = Turns::default();
        turns.follow((1..=3).map(|n| thread("C1", n)).collect(), begun);
        let mut grants = Grants::new(secs(20), begun);
        grants.pages.insert(thread("C1", 2).ts, 4);
        grants.run(&mut turns, begun, 9, secs(5));
        assert_eq!(grants.served, ["s1", "s2", "s3", "s1", "s2", "s3", "s1", "s2", "s3"]);
        turns.follow((1..=4).map(|n| thread("C1", n)).collect(), begun);
        grants.run(&mut turns, grants.next, 10, secs(5));
        assert_eq!(grants.served[9], "s4", "a new one is read first");
    }

    #[test]
    fn a_channel_with_a_limit_of_its_own_holds_up_no_other() {
        let begun = Instant::now();
        let mut turns = Turns::default();
        turns.follow(vec![thread("C1", 1), thread("C2", 2)], begun);
        let (mut now, mut served) = (begun, 0);
        while now < begun + secs(60) {
            match turns.next(now, |_| false) {
                Next::Wait(until) => now = until.expect("a moment"),
                Next::Read(ask) if ask.thread.channel == "C1" => turns.limited(&ask.thread, now, secs(1)),
                Next::Read(ask) => {
                    served += 1;
                    turns.granted(&ask.thread, None, now, now + secs(1));
                }
            }
        }
        assert!(served > 50, "{served}");
    }

    #[test]
    fn a_thread_that_fails_goes_behind_the_others_and_is_tried_ever_less() {
        let begun = Instant::now();
        let mut turns = Turns::default();
        turns.follow(vec![thread("C1", 1), thread("C1", 2), thread("C9", 3)], begun);
        let (mut now, mut tries, mut served) = (begun, HashMap::new(), 0);
        while now < begun + Duration::from_hours(3) {
            match turns.next(now, |_| false) {
                Next::Wait(until) => now = until.expect("a moment"),
                Next::Read(ask) if ask.thread.name.as_str() == "s2" => {
                    served += 1;
                    turns.granted(&ask.thread, None, now, now + secs(5));
                }
                Next::Read(ask) => {
                    *tries.entry(ask.thread.name.to_string()).or_insert(0) += 1;
                    let word = if ask.thread.channel == "C9" { "channel_not_found" } else { "thread_not_found" };
                    turns.failed(&ask.thread, &ApiError::Refused { word: word.to_owned() }, now, PAUSES);
                }
            }
        }
        assert!(served > 2000 && tries["s1"] < 12 && tries["s3"] < 12, "{served} {tries:?}");
        assert!(turns.any_channel_answers());
        assert!(turns.heard_from("C9") && !turns.heard_from("C9"));
        assert!(
            matches!(turns.next(now, |ts| *ts == thread("C9", 3).ts), Next::Read(ask) if ask.thread.channel == "C9")
        );
    }

    #[test]
    fn a_thread_that_a_reply_waits_for_goes_first() {
        let begun = Instant::now();
        let mut turns = Turns::default();
        turns.follow((1..=5).map(|n| thread("C1", n)).collect(), begun);
        let wanted = thread("C1", 4);
        let next = turns.next(begun, |ts| *ts == wanted.ts);
        assert_eq!(next, Next::Read(Ask { thread: wanted.clone(), page: None }));
        turns.granted(&wanted, None, begun, begun + secs(5));
        assert!(turns.was_read(&wanted.ts));
        turns.greeted(begun);
        assert!(!turns.was_read(&wanted.ts));
        assert_eq!(turns.behind(begun + secs(2)), (5, secs(2)));
    }
}
