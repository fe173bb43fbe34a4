//! Turns while Slack grants little, fails, or fails in part.

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

/// A fake Slack that grants one page per `every`, for any channel, and otherwise asks to wait for the rest of it.
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

    /// Reads until that many pages were granted.
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
                let lasts = turns.failed(&ask.thread, &ApiError::Refused { word: word.to_owned() }, now, PAUSES);
                let whose = if ask.thread.channel == "C9" { Lasts::InChannel } else { Lasts::InThread };
                assert_eq!(lasts, whose);
            }
        }
    }
    assert!(served > 2000 && tries["s1"] < 12 && tries["s3"] < 12, "{served} {tries:?}");
    assert!(turns.any_channel_answers());
    assert!(turns.heard_from("C9") && !turns.heard_from("C9"));
    assert!(matches!(turns.next(now, |ts| *ts == thread("C9", 3).ts), Next::Read(ask) if ask.thread.channel == "C9"));
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
