//! Measures how Slack's rate limit slows reading, and describes it for a person.

use std::{collections::VecDeque, fmt, time::Duration};

use serde::{Deserialize, Serialize};
use tokio::time::Instant;

/// Number of pages over which the rate is measured.
const PAGES: usize = 6;

/// Time without a rate limit or a waiting thread after which reading no longer counts as slowed.
const CALM: Duration = Duration::from_mins(1);

/// Effect of Slack's rate limit on reading.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Slowed {
    /// Start time, `YYYY-MM-DDTHH:MM:SSZ`.
    pub since: String,
    /// Longest wait that Slack asked for recently, in seconds.
    pub asked_seconds: u64,
    /// Approximate interval between two pages, in seconds.
    pub page_every_seconds: u64,
    /// Approximate interval between two readings of a thread at that rate, in seconds.
    pub thread_every_seconds: u64,
    /// Number of threads that are due and wait.
    pub waiting: usize,
    /// Longest wait among these threads, in seconds.
    pub longest_wait_seconds: u64,
}

impl fmt::Display for Slowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (page, thread) = (span(self.page_every_seconds), span(self.thread_every_seconds));
        write!(f, "Slack allows one read about every {page}, so each thread is read about every {thread}")?;
        match self.waiting {
            0 => f.write_str("; no threads are waiting"),
            1 => write!(f, "; 1 thread is waiting ({} so far)", span(self.longest_wait_seconds)),
            n => write!(f, "; {n} threads are waiting (longest {} so far)", span(self.longest_wait_seconds)),
        }
    }
}

/// Formats a duration for a person: `45 s`, `2 min`, `2 min 10 s`, `1 h 5 min`.
fn span(seconds: u64) -> String {
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, s) => format!("{s} s"),
        (0, min, 0) => format!("{min} min"),
        (0, min, s) => format!("{min} min {s} s"),
        (h, 0, _) => format!("{h} h"),
        (h, min, _) => format!("{h} h {min} min"),
    }
}

/// Measurements of the reading rate.
#[derive(Debug, Default)]
pub(super) struct Slowing {
    since: String,
    limited: Option<Instant>,
    asked: Duration,
    granted: VecDeque<Instant>,
}

impl Slowing {
    /// Records that Slack asked to wait.
    pub(super) fn limited(&mut self, now: Instant, after: Duration) {
        if self.limited.is_none() {
            self.since = super::timing::now();
            let keep = self.granted.len().saturating_sub(1);
            self.granted.drain(..keep);
        }
        self.limited = Some(now);
        self.asked = self.asked.max(after);
    }

    /// Records that Slack granted a page.
    pub(super) fn granted(&mut self, now: Instant) {
        self.granted.push_back(now);
        if self.granted.len() > PAGES {
            self.granted.pop_front();
            // An old wait says nothing about the current rate.
            self.asked = self.asked.min(self.every().saturating_mul(2));
        }
    }

    /// True if Slack asked to wait recently.
    pub(super) fn is_slowed(&self) -> bool {
        self.limited.is_some()
    }

    /// Returns the effect of the rate limit, if any. `behind` is the number of waiting threads and the longest wait,
    /// `threads` the number of all threads.
    pub(super) fn report(&mut self, now: Instant, behind: (usize, Duration), threads: usize) -> Option<Slowed> {
        let calm = self.limited.is_none_or(|limited| now.duration_since(limited) > CALM.max(self.asked));
        if calm && behind.1 < Duration::from_secs(1) {
            (self.limited, self.asked) = (None, Duration::ZERO);
        }
        self.limited?;
        let every = self.every();
        Some(Slowed {
            since: self.since.clone(),
            asked_seconds: self.asked.as_secs(),
            page_every_seconds: whole(every),
            thread_every_seconds: whole(every.saturating_mul(u32::try_from(threads).unwrap_or(u32::MAX))),
            waiting: behind.0,
            longest_wait_seconds: whole(behind.1),
        })
    }

    /// Returns the mean interval between two pages, or the wait that Slack asked for while there are none.
    fn every(&self) -> Duration {
        let gaps = u32::try_from(self.granted.len().saturating_sub(1)).unwrap_or(u32::MAX);
        match (self.granted.front(), self.granted.back()) {
            (Some(first), Some(last)) if gaps > 0 => last.duration_since(*first) / gaps,
            _ => self.asked,
        }
    }
}

fn whole(span: Duration) -> u64 {
    span.as_secs() + u64::from(span.subsec_millis() >= 500)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secs(secs: u64) -> Duration {
        Duration::from_secs(secs)
    }

    #[test]
    fn the_pace_is_told_by_what_is_granted() {
        let begun = Instant::now();
        let mut slowing = Slowing::default();
        for n in 0..5 {
            slowing.granted(begun + Duration::from_millis(n));
        }
        assert_eq!(slowing.report(begun, (0, Duration::ZERO), 6), None);
        for n in 1..=5 {
            slowing.limited(begun + secs(20 * n - 15), secs(15));
            slowing.granted(begun + secs(20 * n));
        }
        let told = slowing.report(begun + secs(100), (4, secs(80)), 6).expect("it is slowed");
        assert_eq!((told.asked_seconds, told.page_every_seconds, told.thread_every_seconds), (15, 20, 120));
        assert_eq!((told.waiting, told.longest_wait_seconds), (4, 80));
        assert_eq!(
            told.to_string(),
            "Slack allows one read about every 20 s, so each thread is read about every 2 min; 4 threads are waiting \
             (longest 1 min 20 s so far)"
        );
        assert!(slowing.report(begun + secs(300), (1, secs(5)), 6).is_some(), "threads still wait");
        assert_eq!(slowing.report(begun + secs(300), (0, Duration::ZERO), 6), None);
        assert!(!slowing.is_slowed());
    }
}
