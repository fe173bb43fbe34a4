//! witness: the sources of a session's activity, each with its age, and the decision between them.
//!
//! A recognised screen shows the present and wins, unless another source is newer by more than a moment. A prompt on the
//! screen always wins: whatever the agent wrote elsewhere, it waits. A hook can only say that a turn began: after the end of
//! one, the agent may continue with a queued message, of which no hook tells.

use harness::{Harness, Reading, Screen};
use jiff::{SignedDuration, Timestamp};
use tmux::Pane;
use wire::{Activity, Source};

use super::Context;
use crate::{
    clock,
    hook::{self, Line},
    registry::Record,
};

/// Difference below which two sources are of the same time: tmux counts in seconds.
const MOMENT: SignedDuration = SignedDuration::from_secs(2);

/// Time after which a contradiction is lasting.
const LASTING: SignedDuration = SignedDuration::from_secs(60);

/// Activity that a source reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Claim {
    pub(super) source: Source,
    pub(super) reading: Reading,
    /// Time since which it says so; `None` if unknown.
    pub(super) at: Option<Timestamp>,
}

/// Claims about one session. A source without a claim is left out.
#[derive(Clone, Debug, Default)]
pub(super) struct Claims {
    pub(super) screen: Option<Claim>,
    pub(super) file: Option<Claim>,
    pub(super) hook: Option<Claim>,
    pub(super) title: Option<Claim>,
}

/// Decision between claims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decision {
    pub(super) winner: Claim,
    /// Rule by which it won.
    pub(super) why: &'static str,
}

impl Claims {
    /// Returns the claim that counts; `None` if no source says anything.
    pub(super) fn decide(&self) -> Option<Decision> {
        let known = |claim: &Option<Claim>| claim.clone().filter(|claim| claim.reading.activity != Activity::Unknown);
        let (screen, file, hook) = (known(&self.screen), known(&self.file), known(&self.hook));
        let hook = hook.filter(|claim| claim.reading.activity == Activity::Busy);
        let decided = |winner: Claim, why| Some(Decision { winner, why });
        match screen {
            Some(screen) if screen.reading.activity == Activity::Waiting => {
                decided(screen, "a prompt is on the screen")
            }
            Some(screen) => {
                let others = [file, hook].into_iter().flatten();
                let others = others.filter(|other| other.reading.activity != screen.reading.activity);
                // A prompt that is not on the screen is not open.
                let others = others.filter(|other| other.reading.activity != Activity::Waiting);
                match others.filter(|other| other.is_newer(&screen)).max_by_key(|other| other.at) {
                    Some(other) => decided(other, "it is newer than the last change of the screen"),
                    None => decided(screen, "the screen shows the present, and no other source is newer"),
                }
            }
            None => match (file, hook) {
                (Some(file), Some(hook)) if hook.is_newer(&file) => decided(hook, "it is newer than the session file"),
                (Some(file), _) => decided(file, "the screen was not read or not recognised"),
                (None, Some(hook)) => decided(hook, "no other source is known"),
                (None, None) => {
                    known(&self.title).map(|title| Decision { winner: title, why: "no other source is known" })
                }
            },
        }
    }

    /// Describes a lasting contradiction between the agent's session file and its screen.
    pub(super) fn contradiction(&self, now: Timestamp) -> Option<String> {
        let (screen, file) = (self.screen.as_ref()?, self.file.as_ref()?);
        let word = |claim: &Claim| match claim.reading.activity {
            Activity::Busy | Activity::Idle => Some(claim.reading.activity.as_str()),
            Activity::Waiting | Activity::Unknown => None,
        };
        let (by_screen, by_file) = (word(screen)?, word(file)?);
        let (shown, written) = (screen.at?, file.at?);
        let lasts = now.duration_since(shown.max(written)) >= LASTING;
        (by_screen != by_file && lasts).then(|| {
            let hook = self.hook.as_ref().and_then(|hook| hook.at).filter(|at| *at > shown.min(written));
            let hook = hook.map_or("no hook since".to_owned(), |at| format!("last hook at {}", clock::at(at)));
            format!(
                "{by_file} by its session file since {}, {by_screen} by its screen, which last changed at {}, {hook}",
                clock::at(written),
                clock::at(shown)
            )
        })
    }

    /// Returns every claim, the strongest source first.
    pub(super) fn all(&self) -> impl Iterator<Item = &Claim> {
        [&self.hook, &self.file, &self.screen, &self.title].into_iter().flatten()
    }
}

impl Claim {
    /// True if this claim is newer than another by more than a moment.
    fn is_newer(&self, other: &Self) -> bool {
        matches!((self.at, other.at), (Some(own), Some(other)) if own.duration_since(other) > MOMENT)
    }
}

impl Context {
    /// Collects what the sources say about a session's activity. `screen` is its screen, if it was read.
    pub(super) fn claims(
        &self,
        adapter: &dyn Harness,
        record: Option<&Record>,
        conversation: &str,
        pane: &Pane,
        screen: Option<&str>,
    ) -> Claims {
        let told = record.and_then(|record| adapter.told(&self.place(record), pane.pid));
        let file = told.map(|(reading, at)| Claim { source: Source::SessionFile, reading, at });
        let shown_at = i64::try_from(pane.shown_at).ok().and_then(|at| Timestamp::from_second(at).ok());
        let screen = screen.map(|text| Claim {
            source: Source::Screen,
            reading: adapter.read(Screen { text, title: &pane.title }),
            at: shown_at,
        });
        let title = adapter.read(Screen { text: "", title: &pane.title });
        let title = Some(Claim { source: Source::Title, reading: title, at: None });
        let hook = record.and_then(|record| {
            let lines = self.hook_lines(adapter, record, conversation);
            let activity = |line: &Line| adapter.hook_activity(&line.event).map(|activity| (activity, line.at));
            let (activity, at) = lines.iter().rev().find_map(activity)?;
            Some(Claim { source: Source::Hook, reading: Reading { activity, question: String::new() }, at: Some(at) })
        });
        Claims { screen, file, hook, title }
    }

    /// Returns the hook lines of a session's launch and conversation, oldest first.
    pub(super) fn hook_lines(&self, adapter: &dyn Harness, record: &Record, conversation: &str) -> Vec<Line> {
        if record.loop_id.is_empty() || !adapter.has_hooks() {
            return Vec::new();
        }
        let file = hook::lines_file(&self.registry.hooks_dir(), &record.loop_id);
        let mut lines = hook::lines(&file, &record.loop_id);
        lines.retain(|line| line.conversation == conversation);
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::unnecessary_wraps, reason = "as the fields of `Claims`")]
    fn claim(source: Source, activity: Activity, second: i64) -> Option<Claim> {
        let reading = Reading { activity, question: String::new() };
        Some(Claim { source, reading, at: Timestamp::from_second(second).ok() })
    }

    fn decided(screen: Option<Claim>, file: Option<Claim>, hook: Option<Claim>) -> Option<(Source, Activity)> {
        let decision = Claims { screen, file, hook, title: None }.decide()?;
        Some((decision.winner.source, decision.winner.reading.activity))
    }

    #[test]
    fn the_screen_wins_unless_another_source_is_newer() {
        use Activity::{Busy, Idle, Unknown, Waiting};
        use Source::{Hook, Screen, SessionFile};
        let screen = |activity, at| claim(Screen, activity, at);
        let file = |activity, at| claim(SessionFile, activity, at);
        let hook = |activity, at| claim(Hook, activity, at);
        for (claims, expected) in [
            ((screen(Idle, 100), file(Busy, 101), None), (Screen, Idle)),
            ((screen(Idle, 100), file(Busy, 103), None), (SessionFile, Busy)),
            ((screen(Idle, 100), file(Idle, 90), hook(Busy, 110)), (Hook, Busy)),
            ((screen(Busy, 100), file(Busy, 90), hook(Idle, 110)), (Screen, Busy)),
            ((screen(Waiting, 100), file(Busy, 200), hook(Idle, 300)), (Screen, Waiting)),
            ((screen(Idle, 100), file(Waiting, 200), None), (Screen, Idle)),
            ((screen(Unknown, 100), file(Waiting, 50), None), (SessionFile, Waiting)),
            ((None, file(Idle, 100), hook(Busy, 101)), (SessionFile, Idle)),
            ((None, file(Idle, 100), hook(Busy, 103)), (Hook, Busy)),
            ((None, file(Busy, 100), hook(Idle, 103)), (SessionFile, Busy)),
            ((None, None, hook(Busy, 103)), (Hook, Busy)),
        ] {
            let (screen, file, hook) = claims.clone();
            assert_eq!(decided(screen, file, hook), Some(expected), "{claims:?}");
        }
        assert_eq!(decided(None, None, claim(Hook, Waiting, 1)), None, "an answer would not end it");
    }

    #[test]
    fn only_a_lasting_contradiction_is_told() {
        let claims = Claims {
            screen: claim(Source::Screen, Activity::Idle, 1000),
            file: claim(Source::SessionFile, Activity::Busy, 990),
            ..Claims::default()
        };
        let at = |second| claims.contradiction(Timestamp::from_second(second).expect("a time"));
        assert_eq!(at(1059), None);
        let told = at(1061).expect("told");
        assert!(told.contains("busy by its session file") && told.contains("no hook since"), "{told}");
        let agreed = Claims { file: claim(Source::SessionFile, Activity::Idle, 990), ..claims };
        assert_eq!(agreed.contradiction(Timestamp::MAX), None);
    }
}
