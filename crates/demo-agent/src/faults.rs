//! Parser of the fault switches. The crate's documentation lists their effects.

use std::{fs, path::PathBuf, time::Duration};

use super::sleeper::Sleeper;

/// Faults to show; none by default.
#[derive(Debug, Default)]
pub(super) struct Faults {
    pub(super) ignore_term: bool,
    pub(super) ignore_hup: bool,
    pub(super) children: Vec<Sleeper>,
    pub(super) exit_after: Option<(Duration, u8)>,
    pub(super) crash: Option<Crash>,
    pub(super) resume_fails: bool,
    pub(super) slow_start: Duration,
    pub(super) dialog: Option<String>,
    pub(super) no_bracketed_paste: bool,
    pub(super) quiet: Duration,
    pub(super) burst: Duration,
    pub(super) busy: Duration,
    pub(super) queue: bool,
    pub(super) deaf_box: bool,
    pub(super) deaf_enters: u32,
    pub(super) hold: Option<Duration>,
    pub(super) redraw: Duration,
    pub(super) noisy: bool,
    pub(super) wordy: bool,
    pub(super) title: Option<String>,
}

/// Crash on the first starts.
#[derive(Debug)]
pub(super) struct Crash {
    times: u32,
    /// File with the number of crashes so far; a missing file means none.
    counter: PathBuf,
}

impl Crash {
    /// Counts this start; fails if it must crash.
    pub(super) fn come(&self) -> Result<(), String> {
        let so_far = fs::read_to_string(&self.counter).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0_u32);
        if so_far >= self.times {
            return Ok(());
        }
        let crash = so_far + 1;
        fs::write(&self.counter, format!("{crash}\n"))
            .map_err(|error| format!("{}: {error}", self.counter.display()))?;
        Err(format!("crashed on purpose ({crash} of {})", self.times))
    }
}

/// Parses one switch and adds it.
pub(super) fn add(faults: &mut Faults, switch: &str) -> Result<(), String> {
    let (name, value) = match switch.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (switch, None),
    };
    match (name, value) {
        ("ignore-term", None) => faults.ignore_term = true,
        ("ignore-hup", None) => faults.ignore_hup = true,
        ("fork" | "setsid" | "double-fork", None) => faults.children.push(name.parse()?),
        ("exit-after", Some(value)) => {
            let (after, code) = value.split_once(':').ok_or_else(|| wrong(name, value))?;
            faults.exit_after = Some((millis(name, after)?, code.parse().map_err(|_| wrong(name, value))?));
        }
        ("crash-times", Some(value)) => {
            let (times, counter) = value.split_once(':').ok_or_else(|| wrong(name, value))?;
            let times = times.parse().map_err(|_| wrong(name, value))?;
            faults.crash = Some(Crash { times, counter: PathBuf::from(counter) });
        }
        ("resume-fails", None) => faults.resume_fails = true,
        ("slow-start", Some(value)) => faults.slow_start = millis(name, value)?,
        ("dialog", Some(value)) => faults.dialog = Some(value.to_owned()),
        ("no-bracketed-paste", None) => faults.no_bracketed_paste = true,
        ("quiet", Some(value)) => faults.quiet = millis(name, value)?,
        ("burst", Some(value)) => faults.burst = millis(name, value)?,
        ("queue", None) => faults.queue = true,
        ("deaf-enters", Some(value)) => faults.deaf_enters = value.parse().map_err(|_| wrong(name, value))?,
        ("deaf-box", None) => faults.deaf_box = true,
        ("busy", Some(value)) => faults.busy = millis(name, value)?,
        ("hold", Some(value)) => faults.hold = Some(millis(name, value)?),
        ("redraw", Some(value)) => faults.redraw = millis(name, value)?,
        ("wordy", None) => faults.wordy = true,
        ("noisy", None) => faults.noisy = true,
        ("title", Some(value)) => faults.title = Some(value.to_owned()),
        _ => return Err(format!("error: unknown fault `{switch}` (see `demo --help`)")),
    }
    Ok(())
}

fn millis(name: &str, text: &str) -> Result<Duration, String> {
    text.parse().map(Duration::from_millis).map_err(|_| wrong(name, text))
}

fn wrong(name: &str, value: &str) -> String {
    format!("error: the fault `{name}` cannot take `{value}` (see `demo --help`)")
}
