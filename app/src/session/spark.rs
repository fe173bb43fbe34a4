//! CPU and memory of the last hour, as two lines.

use std::fmt::Write as _;

use ::engine::Sample;
use leptos::prelude::*;

/// Width in minutes, and height.
const SIZE: (u32, u32) = (60, 16);

/// Longest time in seconds between two samples that are connected.
const GAP: u32 = 180;

/// Renders the lines; nothing without two samples that are connected.
pub(crate) fn spark(samples: &[Sample], now: u64) -> Option<AnyView> {
    let now = u32::try_from(now).unwrap_or(u32::MAX);
    let most = |value: fn(&Sample) -> u32| samples.iter().map(value).max().unwrap_or(0);
    let (cpu, memory) = (most(|sample| sample.cpu.into()), most(|sample| sample.memory));
    // A session at rest has a flat line, and not the noise of one percent.
    let cpu_line = line(samples, now, cpu.max(10), |sample| sample.cpu.into());
    let memory_line = line(samples, now, memory.max(1), |sample| sample.memory);
    if !cpu_line.contains('L') {
        return None;
    }
    let label = format!("Last hour: CPU at most {cpu} %, memory at most {memory} MB");
    let (width, height) = SIZE;
    Some(
        view! {
            <svg class="spark" viewBox=format!("0 0 {width} {height}") role="img" aria-label=label.clone()>
                <title>{label.clone()}</title>
                <path class="memory" d=memory_line />
                <path class="cpu" d=cpu_line />
            </svg>
        }
        .into_any(),
    )
}

/// Returns the path through the samples. Missing minutes are gaps.
fn line(samples: &[Sample], now: u32, most: u32, value: impl Fn(&Sample) -> u32) -> String {
    let (width, height) = SIZE;
    let mut path = String::new();
    let mut last: Option<u32> = None;
    for sample in samples {
        let ago = now.saturating_sub(sample.at) / 60;
        let x = width.saturating_sub(ago);
        // A line at the edge would be cut in half.
        let y =
            height - 1 - u32::try_from(u64::from(value(sample)) * u64::from(height - 2) / u64::from(most)).unwrap_or(0);
        let connected = last.is_some_and(|last| sample.at.saturating_sub(last) <= GAP);
        // Writing to a string never fails.
        let _ = write!(path, "{}{x} {y}", if connected { 'L' } else { 'M' });
        last = Some(sample.at);
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(at: u32, cpu: u16) -> Sample {
        Sample { at, cpu, memory: 100 }
    }

    #[test]
    fn minutes_that_were_not_watched_are_gaps() {
        let samples = [sample(0, 0), sample(60, 50), sample(600, 100), sample(660, 100)];
        assert_eq!(line(&samples, 3600, 100, |sample| sample.cpu.into()), "M0 15L1 8M10 1L11 1");
    }

    #[test]
    fn one_sample_is_no_line() {
        assert!(spark(&[], 3600).is_none());
        assert!(spark(&[sample(0, 1)], 3600).is_none());
        assert!(spark(&[sample(0, 1), sample(3000, 1)], 3600).is_none());
        let two = Owner::new().with(|| spark(&[sample(3500, 1), sample(3560, 7)], 3600).to_html());
        assert!(two.contains("CPU at most 7 %, memory at most 100 MB"), "{two}");
    }
}
