//! Episodes: when a need of a session begins and ends, and which notifications follow.
//!
//! Pure: it gets the time and the sessions, and returns jobs. An episode is notified once to each target that wants it,
//! again only as its rule says, and is settled when the need is over. A job that was handed out is recorded before it is
//! done, so that a crash neither repeats nor loses a notification.

mod episode;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use wire::{Attention, Need};

use super::{hash, rule::Rule};
use episode::{Absence, Subject, subjects_of};
pub(super) use episode::{Episode, Told};

/// Time that a need must last before any notification, in milliseconds: a prompt that is answered at once is none.
const SETTLES: u64 = 500;

/// Time that a need must be absent before its episode is over, in milliseconds: one look may fall between two states of
/// a screen.
const ABSENT: u64 = 2_000;

/// Longer time, for a session whose screen is not recognised.
const UNCLEAR: u64 = 60_000;

/// Number of jobs that a target does at a time.
const AT_A_TIME: usize = 4;

/// First and longest pause after a failed job, in milliseconds.
const PAUSES: (u64, u64) = (1_000, 300_000);

/// Number of attempts to settle. A target that is gone for good is not tried for ever.
const SETTLING: u32 = 12;

/// Point in time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Now {
    /// Milliseconds since 1970.
    pub(super) ms: u64,
    /// Minute of the local day.
    pub(super) minute: u16,
}

/// How much is known of a session without a need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sight {
    /// Its state is known.
    Clear,
    /// Its screen is not recognised.
    Unclear,
    /// Nothing is known: tmux does not answer.
    Blind,
}

/// Job for a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Job {
    /// Id of the episode.
    pub(super) episode: String,
    /// Position of the rule.
    pub(super) rule: usize,
    pub(super) act: Act,
    /// Number of the notification, from 1.
    pub(super) number: u32,
    /// True if the job may have been done already.
    pub(super) unsure: bool,
    pub(super) kind: Need,
    pub(super) sessions: Vec<String>,
    pub(super) since: String,
}

/// Content of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// Notify of a need.
    Ring(Box<Attention>),
    /// Withdraw the notification, since the need is over.
    Settle,
}

/// Result of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Done {
    /// The target accepted it.
    Well,
    /// It failed.
    Failed {
        /// Pause that the target asked for, in milliseconds.
        pause: u64,
        /// True if it may have arrived anyway.
        unsure: bool,
    },
}

/// Episodes of all sessions.
#[derive(Clone, Debug, Default)]
pub(super) struct Tracker {
    rules: Vec<Rule>,
    episodes: BTreeMap<String, Episode>,
}

impl Tracker {
    /// Returns a tracker with the episodes of an earlier run.
    pub(super) fn new(rules: Vec<Rule>, mut episodes: BTreeMap<String, Episode>) -> Self {
        for told in episodes.values_mut().flat_map(|episode| episode.told.values_mut()) {
            (told.unsure, told.busy) = (told.unsure || told.busy, false);
        }
        Self { rules, episodes }
    }

    /// Returns the episodes to keep across a restart.
    pub(super) fn kept(&self) -> &BTreeMap<String, Episode> {
        &self.episodes
    }

    /// Applies a look at the sessions. `sight` says how much is known of a session without a need.
    pub(super) fn look(&mut self, now: Now, seen: &[Attention], sight: impl Fn(&str) -> Sight) {
        let open = self.open();
        let mut present = BTreeSet::new();
        let mut subjects = BTreeSet::new();
        for entry in seen.iter().filter(|entry| entry.kind != Need::Unknown) {
            let id = self.id_of(now, entry, &open);
            let episode = self.episodes.entry(id.clone()).or_insert_with(|| Episode::begin(now, entry));
            (episode.absent, episode.hidden, episode.entry) = (None, false, Some(entry.clone()));
            episode.sessions.clone_from(&entry.sessions);
            if episode.since.is_empty() {
                episode.since.clone_from(&entry.since);
            }
            present.insert(id);
            subjects.extend(subjects_of(entry.kind, &entry.sessions));
        }
        for (_, episode) in self.episodes.iter_mut().filter(|(id, episode)| !episode.over && !present.contains(*id)) {
            // Another prompt of the session has taken its place, so this one was answered.
            let is_replaced = subjects_of(episode.kind, &episode.sessions).any(|subject| subjects.contains(&subject));
            let sight = episode.sessions.iter().map(|name| sight(name)).max().unwrap_or(Sight::Clear);
            let grace = match sight {
                _ if is_replaced => 0,
                Sight::Clear => ABSENT,
                Sight::Unclear => UNCLEAR,
                Sight::Blind => {
                    (episode.absent, episode.hidden) = (None, true);
                    continue;
                }
            };
            (episode.absent, episode.hidden) = (Some(Absence::continued(episode.absent, now, grace)), false);
        }
        self.close(now);
    }

    /// Returns the ids of the open episodes, by their subjects.
    fn open(&self) -> BTreeMap<Subject, Vec<String>> {
        let mut open: BTreeMap<Subject, Vec<String>> = BTreeMap::new();
        for (id, episode) in self.episodes.iter().filter(|(_, episode)| !episode.over) {
            for subject in subjects_of(episode.kind, &episode.sessions) {
                open.entry(subject).or_default().push(id.clone());
            }
        }
        open
    }

    /// Notes that nothing is known of any session.
    pub(super) fn blind(&mut self) {
        for episode in self.episodes.values_mut() {
            (episode.absent, episode.hidden) = (None, true);
        }
    }

    /// Ends the episodes whose need has been absent for long enough.
    fn close(&mut self, now: Now) {
        for episode in self.episodes.values_mut() {
            if episode.absent.is_some_and(|absence| now.ms >= absence.ends()) {
                (episode.over, episode.absent, episode.entry) = (true, None, None);
                for told in episode.told.values_mut().filter(|told| !told.busy) {
                    (told.failed, told.not_before) = (0, 0);
                }
            }
        }
        self.forget();
    }

    /// Removes what is over and known to all its targets.
    fn forget(&mut self) {
        let known = |target: &String| self.rules.iter().any(|rule| rule.target == *target);
        for episode in self.episodes.values_mut().filter(|episode| episode.over) {
            episode.told.retain(|target, told| {
                let remains = told.busy || ((told.rings > 0 || told.unsure) && told.failed < SETTLING);
                remains && known(target)
            });
        }
        self.episodes.retain(|_, episode| !episode.over || !episode.told.is_empty());
    }

    /// Returns the id of the episode that a need belongs to.
    fn id_of(&self, now: Now, entry: &Attention, open: &BTreeMap<Subject, Vec<String>>) -> String {
        let mark = hash::short(&entry.reason);
        let fits = |episode: &Episode| {
            let unknown = episode.since.is_empty() || entry.since.is_empty();
            (unknown || episode.since == entry.since || entry.kind.is_of_account())
                && (entry.kind != Need::Prompt || episode.mark == mark)
        };
        let candidates = subjects_of(entry.kind, &entry.sessions).filter_map(|subject| open.get(&subject)).flatten();
        for id in candidates {
            if self.episodes.get(id).is_some_and(fits) {
                return id.clone();
            }
        }
        // Without a known start, the time of the first sight tells two episodes apart.
        let start = if entry.since.is_empty() { now.ms.to_string() } else { entry.since.clone() };
        let session = entry.sessions.first().map_or("", String::as_str);
        let mark = if entry.kind == Need::Prompt { entry.reason.as_str() } else { "" };
        let id = hash::short(&[entry.kind.as_str(), session, &start, mark].join("\n"));
        // An episode that is over may still have to be settled.
        if self.episodes.contains_key(&id) { hash::short(&format!("{id} {}", now.ms)) } else { id }
    }

    /// Hands out the jobs that are due, and records that they are being done.
    pub(super) fn due(&mut self, now: Now) -> Vec<Job> {
        self.close(now);
        let mut jobs = Vec::new();
        for (at, rule) in self.rules.iter().enumerate() {
            let busy = |episode: &Episode| episode.told.get(&rule.target).is_some_and(|told| told.busy);
            let mut free = AT_A_TIME.saturating_sub(self.episodes.values().filter(|episode| busy(episode)).count());
            for (id, episode) in &mut self.episodes {
                if free == 0 {
                    break;
                }
                let Some(act) = episode.due(now, rule) else { continue };
                let told = episode.told.entry(rule.target.clone()).or_default();
                told.busy = true;
                let number = told.rings + u32::from(matches!(act, Act::Ring(_)));
                free -= 1;
                jobs.push(Job {
                    episode: id.clone(),
                    rule: at,
                    act,
                    number,
                    unsure: std::mem::take(&mut told.unsure),
                    kind: episode.kind,
                    sessions: episode.sessions.clone(),
                    since: episode.since.clone(),
                });
            }
        }
        jobs
    }

    /// Records the result of a job.
    pub(super) fn done(&mut self, now: Now, job: &Job, done: Done) {
        let target = self.rules.get(job.rule).map(|rule| rule.target.clone()).unwrap_or_default();
        let Some(episode) = self.episodes.get_mut(&job.episode) else { return };
        let Some(told) = episode.told.get_mut(&target) else { return };
        told.busy = false;
        match done {
            Done::Well if job.act == Act::Settle => {
                episode.told.remove(&target);
            }
            Done::Well => {
                *told = Told { rings: told.rings + 1, at: now.ms, ..Told::default() };
            }
            Done::Failed { pause: asked, unsure } => {
                let pause = PAUSES.0.saturating_mul(1 << told.failed.min(16)).min(PAUSES.1);
                told.failed += 1;
                told.not_before = now.ms + pause.max(asked);
                told.unsure = unsure || job.unsure;
            }
        }
        self.forget();
    }

    /// Returns the time of the next job, in milliseconds, if nothing changes before.
    pub(super) fn next(&self, now: Now) -> Option<u64> {
        let over = self.episodes.values().filter_map(|episode| Some(episode.absent?.ends()));
        let busy = |rule: &Rule| {
            let told = self.episodes.values().filter_map(|episode| episode.told.get(&rule.target));
            told.filter(|told| told.busy).count() >= AT_A_TIME
        };
        let jobs = self.rules.iter().filter(|rule| !busy(rule)).flat_map(|rule| {
            self.episodes.values().filter_map(move |episode| {
                let at = episode.due_at(rule)?;
                // The end of a quiet time is looked for every minute.
                let quiet = !episode.over && rule.quiet.is_some_and(|quiet| quiet.holds(now.minute));
                Some(if quiet { at.max(now.ms + 60_000 - now.ms % 60_000) } else { at })
            })
        });
        over.chain(jobs).min()
    }
}
