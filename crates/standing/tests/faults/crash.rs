//! Rows 2 and 3: the process ends at each step of each verb, and every verb is tried as the next one.

use standing::{CreateRequest, Outcome, ProblemCode, State, TheLoop};
use testkit::{TestHome, wait_for};
use wire::Verdict;

use crate::{
    actor::{Actor, Answer, Order},
    scene::{conversations, each, harnesses, home, known_conversations, record, request, say, session, written},
};

/// The steps of a start, in their order.
const START: [&str; 9] = [
    "start.planned",
    "start.permitted",
    "write.made",
    "write.synced",
    "start.intended",
    "start.spawned",
    "start.found",
    "start.probed",
    "start.recorded",
];

/// The steps of a stop.
const STOP: [&str; 7] =
    ["stop.begun", "write.synced", "stop.intended", "stop.termed", "stop.ended", "stop.closed", "stop.recorded"];

/// Verb that follows the crash.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Next {
    List,
    Start,
    Stop,
    Restart,
    Say,
    Delete,
    Create,
}

const NEXT: [Next; 7] = [Next::List, Next::Start, Next::Stop, Next::Restart, Next::Say, Next::Delete, Next::Create];

/// A verb that is killed at a point, and the one that follows.
struct Case {
    name: String,
    verb: Verb,
    point: &'static str,
    next: Next,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Verb {
    Create,
    Start,
    Stop,
    Delete,
    Restart,
}

fn cases(verb: Verb, points: &[&'static str]) -> Vec<Case> {
    let all = points.iter().flat_map(|&point| NEXT.map(|next| (point, next)));
    let case = |(number, (point, next))| Case { name: format!("{verb:?}-{number}").to_lowercase(), verb, point, next };
    all.enumerate().map(case).collect()
}

fn play(cases: &[Case]) {
    let home = home();
    let the_loop = home.the_loop();
    let label = |case: &Case| format!("{:?} killed at {}, then {:?}", case.verb, case.point, case.next);
    each(cases, label, |case| Play { home: &home, the_loop: &the_loop, name: &case.name }.case(case));
}

/// One case in the home of all.
struct Play<'a> {
    home: &'a TestHome,
    the_loop: &'a TheLoop,
    name: &'a str,
}

impl Play<'_> {
    fn case(&self, case: &Case) {
        let name = self.name.to_owned();
        let order = match case.verb {
            Verb::Create => Order::Create(request(self.home, &name)),
            Verb::Start => Order::Start(name),
            Verb::Stop => Order::Stop(name),
            Verb::Delete => Order::Delete(name),
            Verb::Restart => Order::Restart(name),
        };
        self.prepare(case.verb);
        Actor::ending_at(self.home, &format!("{}=kill", case.point)).dies_doing(&order);
        self.follow(case.next);
        self.agrees();
        if case.next != Next::Delete {
            self.goes_on(case.verb);
        }
        Order::Delete(self.name.to_owned()).done_by(self.the_loop);
        assert_eq!(harnesses(self.home, self.name), [] as [i32; 0], "after the last delete");
        assert!(record(self.home, self.name).is_none());
    }

    /// A session with a conversation, stopped for a start, running for what ends it; none for a create.
    fn prepare(&self, verb: Verb) {
        if verb == Verb::Create {
            return;
        }
        let made = Order::Create(request(self.home, self.name)).done_by(self.the_loop);
        assert_eq!(made.outcome(), Some(Outcome::Started), "{made:?}");
        written(self.home, self.name);
        if verb == Verb::Start {
            assert_eq!(Order::Stop(self.name.to_owned()).done_by(self.the_loop).outcome(), Some(Outcome::Stopped));
        }
    }

    fn follow(&self, next: Next) {
        let recorded = record(self.home, self.name).is_some();
        let name = self.name.to_owned();
        let ok = |answer: &Answer| answer.outcome().is_some_and(Outcome::is_ok);
        let unknown = |answer: &Answer| !recorded && answer.refusal() == Some(ProblemCode::UnknownSession);
        match next {
            Next::List => {
                // A harness that has heard its TERM may go just now, between the list and a look at the processes.
                wait_for("the list to say what is there", || {
                    let Answer::Rows(rows) = Order::List.done_by(self.the_loop) else { panic!("no list") };
                    let row = rows.iter().find(|row| row.name == self.name);
                    assert_eq!(row.is_some(), recorded);
                    let Some(row) = row else { return Some(()) };
                    assert!(!matches!(row.state, State::Starting | State::Stopping), "nobody is at work: {row:?}");
                    let alive = harnesses(self.home, self.name).len();
                    assert!(alive <= 1, "{alive} live, and the row says {row:?}");
                    (row.running == (alive == 1)).then_some(())
                });
            }
            Next::Start | Next::Restart => {
                let order = if next == Next::Start { Order::Start(name) } else { Order::Restart(name) };
                let answer = order.done_by(self.the_loop);
                // A delete that had begun is finished first, and then there is nothing to start.
                assert!(ok(&answer) || answer.refusal() == Some(ProblemCode::UnknownSession), "{answer:?}");
            }
            Next::Stop => {
                let answer = Order::Stop(name).done_by(self.the_loop);
                assert!(ok(&answer) || unknown(&answer), "{answer:?}");
                assert_eq!(harnesses(self.home, self.name), [] as [i32; 0], "{answer:?}");
            }
            Next::Say => match Order::Say(say(self.name, "after the crash")).done_by(self.the_loop) {
                Answer::Said(receipt) => assert_eq!(receipt.verdict, Verdict::Submitted, "{receipt:?}"),
                answer => {
                    let code = answer.refusal();
                    assert!(matches!(code, Some(ProblemCode::NotRunning | ProblemCode::UnknownSession)), "{answer:?}");
                    assert_eq!(harnesses(self.home, self.name), [] as [i32; 0], "{answer:?}");
                }
            },
            Next::Delete => {
                let answer = Order::Delete(name).done_by(self.the_loop);
                assert!(ok(&answer) || unknown(&answer), "{answer:?}");
                assert_eq!(harnesses(self.home, self.name), [] as [i32; 0], "{answer:?}");
                assert!(record(self.home, self.name).is_none());
            }
            Next::Create => {
                let answer = Order::Create(CreateRequest { start: false, ..request(self.home, self.name) })
                    .done_by(self.the_loop);
                // The name is free only if nothing was recorded, or a delete was finished on the way.
                assert!(ok(&answer) || recorded && answer.refusal() == Some(ProblemCode::NameTaken), "{answer:?}");
            }
        }
    }

    /// Never two harnesses, none without a record, and the row says what is there.
    fn agrees(&self) {
        let alive = harnesses(self.home, self.name);
        assert!(alive.len() <= 1, "two harnesses of one name: {alive:?}");
        match self.the_loop.standing().get(self.name) {
            Ok(row) => assert_eq!(row.running, alive.len() == 1, "{alive:?} live, and the row says {row:?}"),
            Err(_) => assert_eq!(alive, [] as [i32; 0], "a harness without a record"),
        }
    }

    /// It can be started, has one harness and one session then, and every conversation that was held is known.
    fn goes_on(&self, verb: Verb) {
        let answer = Order::Start(self.name.to_owned()).done_by(self.the_loop);
        if answer.refusal() == Some(ProblemCode::UnknownSession) {
            return;
        }
        assert!(answer.outcome().is_some_and(Outcome::is_ok), "{answer:?}");
        wait_for("one harness", || (harnesses(self.home, self.name).len() == 1).then_some(()));
        let sessions = self.home.tmux().sessions();
        assert_eq!(sessions.iter().filter(|&held| *held == session(self.name)).count(), 1);
        let known = known_conversations(&record(self.home, self.name).expect("a record"));
        let held = conversations(self.home, self.name);
        // What was deleted is forgotten on purpose.
        if verb == Verb::Delete {
            return;
        }
        assert!(held.iter().all(|id| known.contains(id)), "conversations {held:?}, and the record knows {known:?}");
    }
}

#[test]
fn row_02_start_killed_at_each_step_is_settled_by_whatever_comes_next() {
    play(&cases(Verb::Start, &START));
}

#[test]
fn row_02_create_killed_at_each_step_is_settled_by_whatever_comes_next() {
    play(&cases(Verb::Create, &["create.recorded", "start.intended", "start.spawned", "start.found", "start.probed"]));
}

#[test]
fn row_03_stop_killed_at_each_step_is_finished_by_whatever_comes_next() {
    play(&cases(Verb::Stop, &STOP));
}

#[test]
fn row_03_delete_killed_at_each_step_is_finished_by_whatever_comes_next() {
    play(&cases(
        Verb::Delete,
        &["stop.intended", "stop.termed", "stop.closed", "stop.recorded", "delete.stopped", "delete.removed"],
    ));
}

#[test]
fn row_03_restart_killed_at_each_step_is_finished_by_whatever_comes_next() {
    play(&cases(Verb::Restart, &["stop.termed", "stop.closed", "restart.stopped", "start.intended", "start.spawned"]));
}
