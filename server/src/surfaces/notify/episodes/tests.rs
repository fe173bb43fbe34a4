//! Episodes in accelerated time, with every fault that a watcher sees.

mod account;
mod simulation;

use std::{collections::BTreeMap, time::Duration};

use standing::config::{Notify, NotifyTarget, Quiet};
use wire::{Activity, Row, State};

use super::*;

/// Beginning of the simulation: midnight, in milliseconds since 1970.
const BEGIN: u64 = 1_796_083_200_000;

fn at(ms: u64) -> Now {
    Now { ms: BEGIN + ms, minute: u16::try_from(ms / 60_000 % 1440).expect("a minute") }
}

/// A time of a row, so many milliseconds after the beginning.
fn time(ms: u64) -> String {
    let at = jiff::Timestamp::from_millisecond(i64::try_from(BEGIN + ms).expect("a time")).expect("a time");
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

fn notify(program: &str) -> Notify {
    let to = NotifyTarget::Command {
        argv: vec![program.to_owned()],
        dir: std::path::PathBuf::from("/"),
        limit: Duration::from_secs(1),
    };
    Notify {
        to,
        kinds: vec![Need::Prompt, Need::Exited, Need::Limited],
        after: Duration::ZERO,
        quiet: None,
        sessions: vec!["*".to_owned()],
        repeat: None,
    }
}

fn asking(name: &str, question: &str, since: u64) -> Row {
    Row {
        state: State::Running,
        activity: Activity::Waiting,
        question: question.to_owned(),
        since: time(since),
        ..Row::titled(name)
    }
}

fn idle(name: &str) -> Row {
    Row { state: State::Running, activity: Activity::Idle, ..Row::titled(name) }
}

fn unclear(name: &str) -> Row {
    Row { activity: Activity::Unknown, ..idle(name) }
}

fn unknown(name: &str) -> Row {
    Row { state: State::Unknown, ..Row::titled(name) }
}

/// A tracker, and what its targets got.
struct Stage {
    tracker: Tracker,
    rules: Vec<Rule>,
    rows: Vec<Row>,
    /// Rings and ends, by target.
    rings: Vec<(usize, String)>,
    ends: Vec<(usize, String)>,
}

impl Stage {
    fn new(notify: &[Notify]) -> Self {
        let rules = Rule::all(notify);
        let tracker = Tracker::new(rules.clone(), BTreeMap::new());
        Self { tracker, rules, rows: Vec::new(), rings: Vec::new(), ends: Vec::new() }
    }

    fn look(&mut self, ms: u64) {
        let sights: BTreeMap<String, Sight> = self
            .rows
            .iter()
            .map(|row| {
                let sight = match (row.state, row.activity) {
                    (State::Unknown, _) => Sight::Blind,
                    (State::Running, Activity::Unknown) => Sight::Unclear,
                    _ => Sight::Clear,
                };
                (row.name.clone(), sight)
            })
            .collect();
        let seen = wire::attention(&self.rows);
        self.tracker.look(at(ms), &seen, |name| sights.get(name).copied().unwrap_or(Sight::Clear));
    }

    /// Shows these rows, and does the jobs that follow within a time.
    fn shows(&mut self, ms: u64, rows: &[Row], until: u64) -> &mut Self {
        self.rows = rows.to_vec();
        self.look(ms);
        self.work(ms, until);
        self
    }

    fn work(&mut self, from: u64, until: u64) {
        let mut ms = from;
        while ms <= until {
            self.jobs(ms);
            let next = self.tracker.next(at(ms)).map_or(u64::MAX, |next| next.saturating_sub(BEGIN));
            ms = next.max(ms + 1);
        }
    }

    fn jobs(&mut self, ms: u64) {
        loop {
            let jobs = self.tracker.due(at(ms));
            if jobs.is_empty() {
                return;
            }
            for job in jobs {
                self.record(&job);
                self.tracker.done(at(ms), &job, Done::Well);
            }
        }
    }

    fn record(&mut self, job: &Job) {
        let told = (job.rule, format!("{} {}", job.sessions[0], job.kind.as_str()));
        if job.act == Act::Settle { self.ends.push(told) } else { self.rings.push(told) }
    }

    /// Restarts the service, through the file.
    fn restart(&mut self) {
        let text = serde_json::to_string(self.tracker.kept()).expect("JSON");
        let kept = serde_json::from_str(&text).expect("JSON");
        self.tracker = Tracker::new(self.rules.clone(), kept);
    }

    fn counts(&self) -> (usize, usize) {
        (self.rings.len(), self.ends.len())
    }
}

#[test]
fn a_prompt_rings_once_within_two_seconds_and_is_settled_once() {
    let mut stage = Stage::new(&[notify("a")]);
    stage.shows(0, &[asking("ops", "Go on?", 0)], 400);
    assert_eq!(stage.counts(), (0, 0), "it may be answered at once");
    stage.work(401, 2_000);
    assert_eq!(stage.rings, [(0, "ops prompt".to_owned())]);
    stage.work(2_001, 3_600_000);
    assert_eq!(stage.counts(), (1, 0), "an hour later");
    stage.shows(3_600_001, &[idle("ops")], 3_601_000);
    assert_eq!(stage.counts(), (1, 0), "one look may be wrong");
    stage.work(3_601_001, 3_605_000);
    assert_eq!(stage.counts(), (1, 1));
    assert!(stage.tracker.kept().is_empty());
    stage.shows(3_605_001, &[asking("ops", "Go on?", 3_604_000)], 3_610_000);
    assert_eq!(stage.counts(), (2, 1), "another prompt with the same words");
}

#[test]
fn a_prompt_that_is_answered_at_once_rings_nobody() {
    let mut stage = Stage::new(&[notify("a")]);
    stage.shows(0, &[asking("ops", "Go on?", 0)], 300).shows(301, &[idle("ops")], 10_000);
    assert_eq!(stage.counts(), (0, 0));
    assert!(stage.tracker.kept().is_empty());
}

#[test]
fn a_prompt_in_place_of_another_is_another_episode() {
    let mut stage = Stage::new(&[notify("a")]);
    stage.shows(0, &[asking("ops", "Go on?", 0)], 5_000).shows(5_001, &[asking("ops", "Delete?", 4_000)], 10_000);
    assert_eq!(stage.counts(), (2, 1));
    stage.shows(10_001, &[asking("ops", "Delete?", 10_000)], 20_000);
    assert_eq!(stage.counts(), (3, 2), "the same words, asked again");
}

#[test]
fn silence_rings_nobody_and_settles_nothing() {
    let mut stage = Stage::new(&[notify("a")]);
    stage.shows(0, &[asking("ops", "Go on?", 0), asking("web", "Go on?", 0)], 300);
    stage.shows(301, &[unknown("ops"), unknown("web")], 600_000);
    assert_eq!(stage.counts(), (0, 0), "not rung while nothing is known");
    stage.shows(600_001, &[asking("ops", "Go on?", 0), idle("web")], 610_000);
    assert_eq!(stage.counts(), (1, 0), "one was answered meanwhile");
    stage.shows(610_001, &[unknown("ops"), unknown("web")], 1_200_000);
    stage.tracker.blind();
    stage.work(1_200_001, 1_800_000);
    stage.shows(1_800_001, &[asking("ops", "Go on?", 0), idle("web")], 1_900_000);
    assert_eq!(stage.counts(), (1, 0));
}

#[test]
fn a_screen_that_is_not_recognised_for_a_moment_settles_nothing() {
    let mut stage = Stage::new(&[notify("a")]);
    stage.shows(0, &[asking("ops", "Go on?", 0)], 5_000).shows(5_001, &[unclear("ops")], 30_000);
    stage.shows(30_001, &[asking("ops", "Go on?", 0)], 40_000);
    assert_eq!(stage.counts(), (1, 0));
    stage.shows(40_001, &[unclear("ops")], 60_000).shows(60_001, &[idle("ops")], 61_000);
    stage.shows(61_001, &[asking("ops", "Go on?", 0)], 70_000);
    assert_eq!(stage.counts(), (1, 0), "the look after it may be wrong as well");
    stage.shows(70_001, &[unclear("ops")], 140_000);
    assert_eq!(stage.counts(), (1, 1), "but not for ever");
}

#[test]
fn rules_select_delay_repeat_and_keep_quiet() {
    let late = Notify { after: Duration::from_mins(1), ..notify("late") };
    let again = Notify { repeat: Some(Duration::from_mins(10)), ..notify("again") };
    let night = Notify { quiet: Quiet::parse("00:00-07:00"), ..notify("night") };
    let other = Notify { sessions: vec!["web-*".to_owned()], ..notify("other") };
    let kinds = Notify { kinds: vec![Need::Exited], ..notify("kinds") };
    let mut stage = Stage::new(&[late, again, night, other, kinds]);
    let rings = |stage: &Stage, rule: usize| stage.rings.iter().filter(|(of, _)| *of == rule).count();
    stage.shows(0, &[asking("ops", "Go on?", 0)], 59_000);
    assert_eq!((0..5).map(|rule| rings(&stage, rule)).collect::<Vec<_>>(), [0, 1, 0, 0, 0]);
    stage.work(59_001, 3_600_000);
    assert_eq!((0..5).map(|rule| rings(&stage, rule)).collect::<Vec<_>>(), [1, 6, 0, 0, 0]);
    stage.work(3_600_001, 7 * 3_600_000);
    assert_eq!(rings(&stage, 2), 1, "at the end of the quiet time");
    stage.shows(7 * 3_600_000 + 1, &[idle("ops")], 7 * 3_600_000 + 60_000);
    assert_eq!(stage.ends.len(), 3, "only the targets that were told: {:?}", stage.ends);
}

#[test]
fn a_failed_job_is_retried_and_a_slow_target_delays_no_other() {
    let mut stage = Stage::new(&[notify("slow"), notify("quick")]);
    let rows: Vec<Row> = (0..10).map(|at| asking(&format!("s{at}"), "Go on?", 0)).collect();
    stage.rows = rows;
    stage.look(0);
    let jobs = stage.tracker.due(at(600));
    let of = |jobs: &[Job], rule| jobs.iter().filter(|job| job.rule == rule).count();
    assert_eq!((of(&jobs, 0), of(&jobs, 1)), (AT_A_TIME, AT_A_TIME));
    for job in jobs.iter().filter(|job| job.rule == 1) {
        stage.tracker.done(at(700), job, Done::Well);
    }
    let more = stage.tracker.due(at(700));
    assert_eq!((of(&more, 0), of(&more, 1)), (0, AT_A_TIME), "the slow one has not answered");
    assert_eq!(stage.tracker.next(at(700)), None, "nothing is due until a job ends");
    let job = jobs.iter().find(|job| job.rule == 0).expect("a job");
    stage.tracker.done(at(800), job, Done::Failed { pause: 0, unsure: true });
    let again = stage.tracker.due(at(1_801)).into_iter().find(|again| again.episode == job.episode);
    assert!(again.is_some_and(|again| again.unsure && again.number == 1), "after a pause, and with the same number");
}

#[test]
fn a_target_that_is_gone_is_given_up() {
    let mut stage = Stage::new(&[notify("a")]);
    stage.shows(0, &[asking("ops", "Go on?", 0)], 5_000).shows(5_001, &[idle("ops")], 5_002);
    let mut attempts = 0;
    let mut ms = 5_003;
    while !stage.tracker.kept().is_empty() {
        ms = stage.tracker.next(at(ms)).expect("due").saturating_sub(BEGIN).max(ms);
        for job in stage.tracker.due(at(ms)) {
            assert_eq!(job.act, Act::Settle);
            attempts += 1;
            stage.tracker.done(at(ms), &job, Done::Failed { pause: 0, unsure: false });
        }
    }
    assert_eq!(attempts, SETTLING);
}

#[test]
fn a_kill_at_any_point_neither_repeats_nor_loses() {
    // Killed while a ring is being sent.
    let mut stage = Stage::new(&[notify("a")]);
    stage.rows = vec![asking("ops", "Go on?", 0)];
    stage.look(0);
    assert_eq!(stage.tracker.due(at(600)).len(), 1);
    stage.restart();
    stage.look(5_000);
    let jobs = stage.tracker.due(at(5_000));
    assert!(jobs.len() == 1 && jobs[0].unsure && jobs[0].number == 1, "its result is unknown: {jobs:?}");
    stage.tracker.done(at(5_100), &jobs[0], Done::Well);
    // Killed between ring and settle.
    stage.restart();
    stage.shows(10_000, &[asking("ops", "Go on?", 0)], 60_000);
    assert_eq!(stage.counts(), (0, 0), "it is the same episode");
    // Answered while the service was down.
    stage.restart();
    stage.shows(60_001, &[idle("ops")], 70_000);
    assert_eq!(stage.counts(), (0, 1));
    // Killed while it is being settled.
    let mut stage = Stage::new(&[notify("a")]);
    stage.shows(0, &[asking("ops", "Go on?", 0)], 5_000).shows(5_001, &[idle("ops")], 5_001);
    assert_eq!(stage.tracker.due(at(8_000)).len(), 1);
    stage.restart();
    stage.shows(9_000, &[idle("ops")], 20_000);
    assert_eq!(stage.counts(), (1, 1));
    assert!(stage.tracker.kept().is_empty());
}
