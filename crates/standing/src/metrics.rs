//! Metrics of this process.
//!
//! Counting must never fail or delay a verb. Only fixed words and times are recorded: no names, no texts.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use tmux::Observer;
use wire::{ControlReport, Outcome, SayReceipt};

use crate::{Error, notices};

/// Metrics since the process started.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Metrics {
    /// Number of verbs by result: an outcome of a session, a verdict, or the code of a refusal.
    pub verbs: BTreeMap<(&'static str, &'static str), u64>,
    /// Durations of say, including refused ones.
    pub say: Times,
    /// Response times of tmux.
    pub tmux: Times,
    /// Number of calls that tmux did not answer.
    pub tmux_silences: u64,
    /// Number of lines of the event log that could not be written.
    pub event_errors: u64,
}

/// Durations, as a histogram.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Times {
    /// For each bound in seconds, the number of durations up to that bound.
    pub within: Vec<(f64, u64)>,
    /// Number of durations.
    pub count: u64,
    /// Sum of the durations, in seconds.
    pub seconds: f64,
}

/// Returns the metrics of this process.
pub fn metrics() -> Metrics {
    Metrics {
        verbs: VERBS.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        say: SAY.read(),
        tmux: TMUX.read(),
        tmux_silences: TMUX_SILENCES.load(Ordering::Relaxed),
        event_errors: EVENT_ERRORS.load(Ordering::Relaxed),
    }
}

static VERBS: Mutex<BTreeMap<(&str, &str), u64>> = Mutex::new(BTreeMap::new());
static SAY: Clock<8> = Clock::new([0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0]);
static TMUX: Clock<8> = Clock::new([0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2.5]);
static TMUX_SILENCES: AtomicU64 = AtomicU64::new(0);
static EVENT_ERRORS: AtomicU64 = AtomicU64::new(0);

/// Counts the result of a verb for each session, or the code of its refusal.
pub(crate) fn verb(
    verb: &'static str,
    does: impl FnOnce() -> Result<ControlReport, Error>,
) -> Result<ControlReport, Error> {
    let done = does();
    match &done {
        Ok(report) => {
            report.sessions.iter().filter_map(|row| row.outcome).for_each(|o| count(verb, Outcome::as_str(o)));
        }
        Err(error) => count(verb, error.code().as_str()),
    }
    done
}

/// Counts and times a say.
pub(crate) fn say(does: impl FnOnce() -> Result<SayReceipt, Error>) -> Result<SayReceipt, Error> {
    let begun = Instant::now();
    let done = does();
    SAY.add(begun);
    count("say", verdict(&done));
    done
}

/// Counts an answer.
pub(crate) fn answer(does: impl FnOnce() -> Result<SayReceipt, Error>) -> Result<SayReceipt, Error> {
    let done = does();
    count("answer", verdict(&done));
    done
}

fn verdict(done: &Result<SayReceipt, Error>) -> &'static str {
    match done {
        Ok(receipt) => receipt.verdict.as_str(),
        Err(error) => error.code().as_str(),
    }
}

/// Observer of every tmux server that this process calls.
pub(crate) const OBSERVER: Observer = Observer { called: tmux, refused: notices::tell };

/// Records the time of a tmux call that started at `begun`.
fn tmux(begun: Instant, answered: bool) {
    if answered {
        TMUX.add(begun);
    } else {
        TMUX_SILENCES.fetch_add(1, Ordering::Relaxed);
    }
}

/// Counts a line of the event log that could not be written.
pub(crate) fn event_error() {
    EVENT_ERRORS.fetch_add(1, Ordering::Relaxed);
}

fn count(verb: &'static str, outcome: &'static str) {
    *VERBS.lock().unwrap_or_else(PoisonError::into_inner).entry((verb, outcome)).or_default() += 1;
}

/// Histogram in atomics, as it is collected.
#[derive(Debug)]
struct Clock<const N: usize> {
    bounds: [f64; N],
    /// For each bound, the number of durations up to that bound and above the one before it.
    within: [AtomicU64; N],
    count: AtomicU64,
    micros: AtomicU64,
}

impl<const N: usize> Clock<N> {
    const fn new(bounds: [f64; N]) -> Self {
        Self { bounds, within: [const { AtomicU64::new(0) }; N], count: AtomicU64::new(0), micros: AtomicU64::new(0) }
    }

    fn add(&self, begun: Instant) {
        let took = begun.elapsed();
        if let Some(index) = self.bounds.iter().position(|&bound| took.as_secs_f64() <= bound) {
            self.within[index].fetch_add(1, Ordering::Relaxed);
        }
        self.micros.fetch_add(u64::try_from(took.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    fn read(&self) -> Times {
        let mut sum = 0;
        let within = self.bounds.iter().zip(&self.within).map(|(&bound, count)| {
            sum += count.load(Ordering::Relaxed);
            (bound, sum)
        });
        let within = within.collect();
        #[expect(clippy::cast_precision_loss, reason = "exact for 285 years of microseconds")]
        let seconds = self.micros.load(Ordering::Relaxed) as f64 / 1e6;
        Times { within, count: self.count.load(Ordering::Relaxed).max(sum), seconds }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn times_are_told_by_what_they_are_within() {
        let clock = Clock::new([1.0, 60.0]);
        let now = Instant::now();
        let ago = |seconds| now.checked_sub(Duration::from_secs(seconds)).expect("the machine is up that long");
        clock.add(now);
        clock.add(ago(30));
        clock.add(ago(90));
        let times = clock.read();
        assert_eq!((times.within, times.count), (vec![(1.0, 1), (60.0, 2)], 3));
        assert!((120.0..125.0).contains(&times.seconds), "{}", times.seconds);
    }
}
