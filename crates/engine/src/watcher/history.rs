//! CPU and memory of each session in the last hour: at most one sample a minute, in memory, while someone watches.

use std::collections::{HashMap, VecDeque};

use wire::Row;

/// Time that is kept, in seconds.
const SPAN: u32 = 3600;

/// Shortest time between two samples of a session, in seconds. A little less than the pause between two looks.
const PAUSE: u32 = 55;

/// CPU and memory of a session at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Time in seconds since 1970.
    pub at: u32,
    /// CPU in percent of one processor.
    pub cpu: u16,
    /// Memory in megabytes.
    pub memory: u32,
}

/// Samples of all sessions, oldest first. Bounded: 66 samples of 12 bytes for each session that was measured.
#[derive(Debug, Default)]
pub(super) struct History(HashMap<String, VecDeque<Sample>>);

impl History {
    /// Notes the measurements of the rows, and forgets sessions that no longer exist.
    pub(super) fn note(&mut self, rows: &[Row], now: u32) {
        self.0.retain(|name, _| rows.iter().any(|row| row.name == *name));
        for row in rows {
            let Some(memory) = row.memory else { continue };
            let samples = self.0.entry(row.name.clone()).or_default();
            if samples.back().is_some_and(|last| now < last.at.saturating_add(PAUSE)) {
                continue;
            }
            while samples.front().is_some_and(|first| first.at.saturating_add(SPAN) < now) {
                samples.pop_front();
            }
            let cpu = u16::try_from(row.cpu.unwrap_or(0)).unwrap_or(u16::MAX);
            samples.push_back(Sample { at: now, cpu, memory: u32::try_from(memory / 1_000_000).unwrap_or(u32::MAX) });
        }
    }

    /// Returns the samples of a session in the hour before a time, oldest first.
    pub(super) fn of(&self, name: &str, now: u32) -> Vec<Sample> {
        let samples = self.0.get(name).into_iter().flatten().copied();
        samples.filter(|sample| sample.at.saturating_add(SPAN) >= now).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, memory: Option<u64>) -> Row {
        Row { cpu: memory.map(|_| 3), memory, ..Row::titled(name) }
    }

    #[test]
    fn one_sample_a_minute_is_kept_for_an_hour() {
        let mut history = History::default();
        let rows = [row("ops", Some(7_900_000)), row("stopped", None)];
        for second in 0..=2 * SPAN {
            history.note(&rows, 1_000_000 + second);
        }
        let now = 1_000_000 + 2 * SPAN;
        let samples = history.of("ops", now);
        assert!((60..=66).contains(&samples.len()), "{}", samples.len());
        assert!(samples.iter().all(|sample| sample.at + SPAN >= now && (sample.cpu, sample.memory) == (3, 7)));
        assert!(samples.is_sorted_by_key(|sample| sample.at));
        assert_eq!(history.of("stopped", now), []);
        assert_eq!(history.of("ops", now + 2 * SPAN), [], "a gap is not bridged");
    }

    #[test]
    fn a_session_that_is_gone_is_forgotten() {
        let mut history = History::default();
        history.note(&[row("ops", Some(1))], 10);
        history.note(&[], 20);
        assert!(history.0.is_empty());
    }
}
