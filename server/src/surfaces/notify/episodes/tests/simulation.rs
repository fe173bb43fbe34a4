//! Thirty minutes of 200 sessions, with every fault that a watcher sees.

use wire::{Activity, Need, Row, State};

use super::{Stage, asking, at, idle, notify, time, unclear, unknown};
use crate::surfaces::notify::episodes::Done;

/// A small generator, so that a run can be repeated.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// Session of the simulation: what is true of it, and what a look shows.
#[derive(Clone)]
struct Simulated {
    truth: Row,
    /// End of a fault, and the row that is shown until then.
    fault: Option<(u64, Row)>,
    /// End of the need, or of the time without one.
    until: u64,
    /// Episodes that a person could have noticed.
    episodes: usize,
}

impl Simulated {
    fn shown(&self, ms: u64) -> Row {
        self.fault.as_ref().filter(|(until, _)| ms < *until).map_or_else(|| self.truth.clone(), |(_, row)| row.clone())
    }

    /// Ends a need, or begins one.
    fn turn(&mut self, ms: u64, dice: &mut Dice) {
        let name = self.truth.name.clone();
        if Need::of(&self.truth).is_some() {
            self.truth = Row { since: time(ms), ..idle(&name) };
            self.until = ms + 30_000 + dice.roll(240_000);
        } else {
            self.truth = match dice.roll(3) {
                0 => Row { state: State::Ended, since: time(ms), ..Row::titled(&name) },
                _ => asking(&name, ["Go on?", "Delete?"][usize::from(dice.roll(2) == 0)], ms),
            };
            self.until = ms + 100_000 + dice.roll(240_000);
            self.episodes += 1;
        }
    }

    /// Shows something else for a while: a screen between two states, an unreadable screen.
    fn hiccup(&mut self, ms: u64, dice: &mut Dice) {
        let name = &self.truth.name;
        let (lasts, row) = if dice.roll(2) == 0 { (1_500, idle(name)) } else { (20_000, unclear(name)) };
        // Two misreadings in a row are one that lasts longer.
        if self.fault.as_ref().is_some_and(|(until, _)| ms <= until + 250) {
            return;
        }
        // Only what is awaited can be misread as at rest.
        if self.truth.activity == Activity::Waiting {
            self.fault = Some((ms + 100 + dice.roll(lasts), row));
        }
    }
}

#[test]
fn thirty_minutes_of_faults_ring_each_episode_of_200_sessions_once() {
    const STEP: u64 = 250;
    const END: u64 = 30 * 60_000;
    let mut dice = Dice(7);
    let mut stage = Stage::new(&[notify("a"), notify("b")]);
    let mut sessions: Vec<Simulated> = (0..200)
        .map(|at| Simulated {
            truth: idle(&format!("s{at:03}")),
            fault: None,
            until: 1_000 + dice.roll(120_000),
            episodes: 0,
        })
        .collect();
    let mut restarted = false;
    let (mut silent_until, mut restarts, mut silences, mut failed) = (0, 0, 0, 0);
    for ms in (0..END + 120_000).step_by(usize::try_from(STEP).expect("a step")) {
        for session in sessions.iter_mut().filter(|session| session.until <= ms && ms < END) {
            session.turn(ms, &mut dice);
        }
        if dice.roll(8) == 0 && ms < END {
            let hit = usize::try_from(dice.roll(200)).expect("a session");
            sessions[hit].hiccup(ms, &mut dice);
        }
        if dice.roll(600) == 0 && ms < END {
            silent_until = ms + 1_000 + dice.roll(30_000);
            silences += 1;
        }
        if dice.roll(400) == 0 {
            stage.restart();
            restarted = true;
            restarts += 1;
        }
        let silent = ms < silent_until;
        let rows: Vec<Row> =
            sessions.iter().map(|one| if silent { unknown(&one.truth.name) } else { one.shown(ms) }).collect();
        // As the watcher does: a look for each change, and one after a restart.
        if rows != stage.rows || std::mem::take(&mut restarted) {
            stage.rows = rows;
            stage.look(ms);
        }
        for job in stage.tracker.due(at(ms)) {
            // A target that refuses now and then.
            if dice.roll(10) == 0 {
                failed += 1;
                stage.tracker.done(at(ms), &job, Done::Failed { pause: 0, unsure: false });
            } else {
                stage.record(&job);
                stage.tracker.done(at(ms), &job, Done::Well);
            }
        }
    }
    let episodes: usize = sessions.iter().map(|session| session.episodes).sum();
    assert!(
        episodes > 800 && restarts > 5 && silences > 5 && failed > 100,
        "{episodes} {restarts} {silences} {failed}"
    );
    for rule in 0..2 {
        let rings = stage.rings.iter().filter(|(of, _)| *of == rule).count();
        assert_eq!(rings, episodes, "target {rule}");
    }
    // Those that are still open have no end yet.
    let open = sessions.iter().filter(|session| Need::of(&session.truth).is_some()).count();
    assert_eq!(stage.ends.len(), 2 * (episodes - open));
}
