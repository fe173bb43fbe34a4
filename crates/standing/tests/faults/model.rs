//! The model: verbs of three actors in three processes, and faults, in any order, against what must always hold.
//!
//! Invariants, after any order of steps: at most one harness of a name is alive. A listing shows the actual state. A
//! verb that reports success has done its work. The record knows every conversation that was held. A message is typed
//! once if it is reported as submitted, and never if it is reported as not submitted. Unmanaged sessions are left
//! alone.
//!
//! `THE_LOOP_MODEL_CASES=5000` runs it for longer than a test run should take.

mod mishaps;

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs, thread,
    time::Duration,
};

use nix::sys::signal::Signal;
use proptest::{collection::vec, prelude::*, sample::select, test_runner::Config};
use proptest_state_machine::{ReferenceStateMachine, StateMachineTest, prop_state_machine};
use standing::{CreateRequest, Outcome, State, TheLoop};
use testkit::{TestHome, wait_for};
use wire::Verdict;

use crate::{
    actor::{Actor, Answer, Order},
    scene::{
        conversations, harnesses, home, known_conversations, record, record_file, request, say, signal, submitted,
    },
};

const NAMES: [&str; 2] = ["a", "b"];

/// Points at which a verb is cut short; one that it does not pass does nothing.
const POINTS: [&str; 16] = [
    "create.recorded",
    "start.permitted",
    "start.intended",
    "start.spawned",
    "start.found",
    "start.probed",
    "start.recorded",
    "stop.intended",
    "stop.termed",
    "stop.ended",
    "stop.closed",
    "stop.recorded",
    "delete.stopped",
    "delete.removed",
    "restart.stopped",
    "say.pasted",
];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Verb {
    Create,
    Record,
    Start,
    Stop,
    Restart,
    Delete,
    Say,
    List,
}

/// One thing that happens.
#[derive(Clone, Debug)]
enum Step {
    /// Verbs at once, each by the actor of that number.
    Verbs(Vec<(usize, Verb, &'static str)>),
    /// Verbs at once, as in `Verbs`, while the tmux server is suspended for a moment.
    Frozen(Vec<(usize, Verb, &'static str)>, u64),
    /// A verb whose process is killed at a point.
    CutShort(Verb, &'static str, &'static str),
    KillHarness(&'static str),
    KillServer,
    LoseRecord(&'static str),
    SpoilRecord(&'static str),
    MendRecord(&'static str),
    Foreign(&'static str),
}

/// State that the order of steps depends on: the names whose record is spoiled.
#[derive(Clone, Debug, Default)]
struct Plan {
    spoiled: BTreeSet<&'static str>,
}

struct World;

impl ReferenceStateMachine for World {
    type State = Plan;
    type Transition = Step;

    fn init_state() -> BoxedStrategy<Plan> {
        Just(Plan::default()).boxed()
    }

    fn transitions(_: &Plan) -> BoxedStrategy<Step> {
        let name = || select(&NAMES[..]);
        let verb = || {
            prop_oneof![
                3 => Just(Verb::Create), 1 => Just(Verb::Record), 4 => Just(Verb::Start), 3 => Just(Verb::Stop),
                2 => Just(Verb::Restart), 2 => Just(Verb::Delete), 3 => Just(Verb::Say), 1 => Just(Verb::List),
            ]
        };
        let verbs = |count| vec((0..3_usize, verb(), name()), count);
        prop_oneof![
            6 => verbs(1..=1).prop_map(Step::Verbs),
            6 => verbs(2..=4).prop_map(Step::Verbs),
            1 => (verbs(1..=3), 0..120_u64).prop_map(|(verbs, millis)| Step::Frozen(verbs, millis)),
            4 => (verb(), name(), select(&POINTS[..])).prop_map(|(verb, name, point)| Step::CutShort(verb, name, point)),
            2 => name().prop_map(Step::KillHarness),
            1 => Just(Step::KillServer),
            1 => name().prop_map(Step::LoseRecord),
            1 => name().prop_map(Step::SpoilRecord),
            2 => name().prop_map(Step::MendRecord),
            1 => name().prop_map(Step::Foreign),
        ]
        .boxed()
    }

    fn apply(mut plan: Plan, step: &Step) -> Plan {
        match step {
            Step::SpoilRecord(name) => drop(plan.spoiled.insert(*name)),
            Step::MendRecord(name) => drop(plan.spoiled.remove(name)),
            _ => {}
        }
        plan
    }

    fn preconditions(plan: &Plan, step: &Step) -> bool {
        match step {
            Step::SpoilRecord(name) | Step::LoseRecord(name) => !plan.spoiled.contains(name),
            Step::MendRecord(name) => plan.spoiled.contains(name),
            _ => true,
        }
    }
}

/// Facts about one name that cannot be read from the machine.
#[derive(Default)]
struct Known {
    /// The record as it was before it was spoiled.
    whole: Option<Vec<u8>>,
    /// Conversations that nobody has to remember any more: deleted, or lost with their record.
    forgotten: BTreeSet<String>,
    /// The pane's process of an unmanaged session.
    foreign: Option<String>,
    /// True once a record went away under a living harness: from then on that one is nobody's.
    lost: bool,
}

struct Real {
    the_loop: TheLoop,
    others: [Actor; 2],
    known: BTreeMap<&'static str, Known>,
    /// Messages sent: session name, text, and the verdict that was reported.
    said: Vec<(&'static str, String, Option<Verdict>)>,
    messages: usize,
    // Last: actors and sessions live in it.
    home: TestHome,
}

impl StateMachineTest for World {
    type SystemUnderTest = Real;
    type Reference = Self;

    fn init_test(_: &Plan) -> Real {
        let home = home();
        Real {
            the_loop: home.the_loop(),
            others: [Actor::start(&home), Actor::start(&home)],
            known: NAMES.iter().map(|&name| (name, Known::default())).collect(),
            said: Vec::new(),
            messages: 0,
            home,
        }
    }

    fn apply(mut real: Real, plan: &Plan, step: Step) -> Real {
        match step {
            Step::Verbs(verbs) => real.all(plan, &verbs, None),
            Step::Frozen(verbs, millis) => real.all(plan, &verbs, Some(Duration::from_millis(millis))),
            Step::CutShort(verb, name, point) => real.cut_short(verb, name, point),
            Step::KillHarness(name) => real.kill_harness(name),
            Step::KillServer => real.kill_server(),
            Step::LoseRecord(name) => real.lose_record(name),
            Step::SpoilRecord(name) => real.spoil_record(name),
            Step::MendRecord(name) => real.mend_record(name),
            Step::Foreign(name) => real.make_foreign(name),
        }
        real.agrees(plan);
        real
    }

    fn teardown(real: Real, _: Plan) {
        let Real { others, the_loop, home, .. } = real;
        drop((others, the_loop));
        drop(home);
    }
}

impl Real {
    fn order(&mut self, verb: Verb, name: &'static str) -> Order {
        let named = name.to_owned();
        match verb {
            Verb::Create => Order::Create(request(&self.home, name)),
            Verb::Record => Order::Create(CreateRequest { start: false, ..request(&self.home, name) }),
            Verb::Start => Order::Start(named),
            Verb::Stop => Order::Stop(named),
            Verb::Restart => Order::Restart(named),
            Verb::Delete => Order::Delete(named),
            Verb::Say => {
                self.messages += 1;
                Order::Say(say(name, &format!("message {} of the model", self.messages)))
            }
            Verb::List => Order::List,
        }
    }

    /// Has all actors do theirs at once, and judges each answer.
    fn all(&mut self, plan: &Plan, verbs: &[(usize, Verb, &'static str)], frozen: Option<Duration>) {
        let mut orders: [Vec<Order>; 3] = Default::default();
        let mut asked: [Vec<(Verb, &'static str)>; 3] = Default::default();
        for &(actor, verb, name) in verbs {
            orders[actor].push(self.order(verb, name));
            asked[actor].push((verb, name));
        }
        let server = frozen.and_then(|_| self.server());
        if let Some(server) = server {
            signal(server, Signal::SIGSTOP);
        }
        for (actor, orders) in self.others.iter_mut().zip(&orders[1..]) {
            actor.send(orders);
        }
        let thaw = || {
            thread::sleep(frozen.unwrap_or_default());
            if let Some(server) = server {
                signal(server, Signal::SIGCONT);
            }
        };
        let (the_loop, own) = (&self.the_loop, &orders[0]);
        let own: Vec<Answer> = thread::scope(|threads| {
            let doing: Vec<_> = own.iter().map(|order| threads.spawn(|| order.done_by(the_loop))).collect();
            thaw();
            doing.into_iter().map(|done| done.join().expect("no panic")).collect()
        });
        let mut answers = vec![own];
        answers.extend(self.others.iter_mut().map(|actor| actor.answers().expect("it answers")));
        let alone = |name| verbs.iter().filter(|(_, verb, other)| *other == name && *verb != Verb::List).count() == 1;
        for (actor, answers) in answers.into_iter().enumerate() {
            for (order, ((verb, name), answer)) in orders[actor].iter().zip(asked[actor].iter().zip(answers)) {
                self.note(order, name, &answer);
                let lone = alone(*name) && frozen.is_none();
                if lone && !plan.spoiled.contains(name) {
                    self.did_what_it_says(*verb, name, &answer);
                }
            }
        }
    }

    /// Keeps what an answer means for later.
    fn note(&mut self, order: &Order, name: &'static str, answer: &Answer) {
        if let Order::Say(said) = order {
            let verdict = match answer {
                Answer::Said(receipt) => receipt.verdict,
                // Refused is not delivered.
                _ => Verdict::NotDelivered,
            };
            self.said.push((name, said.text.clone(), Some(verdict)));
        }
        if answer.outcome() == Some(Outcome::Deleted) {
            self.forget(name);
        }
    }

    /// Marks conversations that are not in the record now as forgotten: the record need not know them any more.
    fn forget(&mut self, name: &'static str) {
        let held = conversations(&self.home, name);
        let known = record(&self.home, name).map(|record| known_conversations(&record)).unwrap_or_default();
        self.known(name).forgotten.extend(held.into_iter().filter(|id| !known.contains(id)));
    }

    fn known(&mut self, name: &'static str) -> &mut Known {
        self.known.entry(name).or_default()
    }

    /// A verb that nobody interfered with.
    fn did_what_it_says(&mut self, verb: Verb, name: &'static str, answer: &Answer) {
        if self.known(name).lost {
            return;
        }
        let alive = harnesses(&self.home, name).len();
        match answer.outcome() {
            Some(Outcome::Started | Outcome::Resumed | Outcome::AlreadyRunning) => {
                assert_eq!(alive, 1, "after {verb:?} of {name}: {answer:?}");
            }
            Some(Outcome::Stopped | Outcome::NotRunning | Outcome::Deleted) => {
                assert_eq!(alive, 0, "after {verb:?} of {name}: {answer:?}");
            }
            Some(Outcome::Failed) => {
                let excused = self.known(name).foreign.is_some();
                assert!(excused, "{verb:?} of {name} failed for no reason: {answer:?}");
            }
            _ => {}
        }
        if answer.outcome() == Some(Outcome::Deleted) {
            assert!(!record_file(&self.home, name).exists());
        }
    }

    fn cut_short(&mut self, verb: Verb, name: &'static str, point: &'static str) {
        let order = self.order(verb, name);
        let mut actor = Actor::ending_at(&self.home, &format!("{point}=kill"));
        actor.send(std::slice::from_ref(&order));
        let answers = actor.answers();
        drop(actor);
        match (answers, &order) {
            (Some(answers), _) => self.note(&order, name, &answers[0]),
            (None, Order::Say(said)) => self.said.push((name, said.text.clone(), None)),
            (None, Order::Delete(_)) => {
                self.forget(name);
                // Whatever verb comes next finishes it, and a create goes on to a session of its own.
                if let Some(record) = record(&self.home, name).filter(|record| record["phase"] == "deleting") {
                    self.known(name).forgotten.extend(known_conversations(&record));
                }
            }
            (None, _) => {}
        }
    }

    /// Checks the invariants that hold whenever no actor is at work.
    fn agrees(&mut self, plan: &Plan) {
        let rows = self.the_loop.standing().list().expect("a listing");
        // A verb that was cut short may leave a pane that runs, and is about to become its harness.
        for pid in rows.iter().filter_map(|row| row.pid) {
            wait_for("the launch to be over", || (!launches(pid)).then_some(()));
        }
        for name in NAMES {
            let alive = harnesses(&self.home, name);
            assert!(alive.len() <= 1, "{name} has several harnesses: {alive:?}");
            if let Some(pane) = self.known(name).foreign.clone() {
                assert_eq!(self.pane(name), pane, "the session that is not ours was touched");
            }
            let row = rows.iter().find(|row| row.name == name);
            let spoiled = plan.spoiled.contains(name) && record_file(&self.home, name).exists();
            match (row, record(&self.home, name)) {
                (Some(row), None) if spoiled => assert_eq!(row.state, State::Unreadable, "{row:?}"),
                (Some(row), Some(record)) => {
                    if !self.known(name).lost {
                        assert_eq!(row.running, alive.len() == 1, "{alive:?} live, and {row:?}");
                    }
                    let known = known_conversations(&record);
                    let forgotten = &self.known[name].forgotten;
                    let held = conversations(&self.home, name);
                    let lost: Vec<_> =
                        held.iter().filter(|id| !known.contains(id) && !forgotten.contains(*id)).collect();
                    assert!(lost.is_empty(), "conversations {lost:?} of {name} are not in {record}");
                }
                // Its record was lost and its harness lives on: nothing else is listed without a record.
                (Some(row), None) if row.state == State::Unrecorded => {
                    assert!(!alive.is_empty() && self.known(name).lost, "{alive:?} live, and {row:?}");
                }
                (None, None) => assert!(alive.is_empty() || self.known(name).lost, "{name} lives without a record"),
                (row, record) => panic!("{row:?} for the record {record:?}"),
            }
        }
        for (name, text, verdict) in &self.said {
            let typed = submitted(&self.home, name).iter().filter(|turn| turn.ends_with(text.as_str())).count();
            match verdict {
                Some(Verdict::Submitted) => assert_eq!(typed, 1, "{text}: it was said to be submitted"),
                Some(Verdict::NotDelivered) => assert_eq!(typed, 0, "{text}: it was said not to be delivered"),
                Some(Verdict::Queued | Verdict::Unconfirmed) | None => {
                    assert!(typed <= 1, "{text}: typed {typed} times");
                }
            }
        }
    }
}

/// Returns true if a pane's process is still tmux's own or the launcher, and will soon become the command that it was
/// spawned for.
fn launches(pid: u32) -> bool {
    let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let words: Vec<_> = line.split(|&byte| byte == 0).collect();
    words[0].ends_with(b"tmux") || words.contains(&b"launch".as_slice())
}

/// How many cases each of the two halves runs.
fn config() -> Config {
    let cases = env::var("THE_LOOP_MODEL_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(200_u32);
    Config { cases: cases.div_ceil(2), max_shrink_iters: 40, failure_persistence: None, ..Config::default() }
}

prop_state_machine! {
    #![proptest_config(config())]

    #[test]
    fn model_one_half(sequential 1..7 => World);

    #[test]
    fn model_other_half(sequential 1..7 => World);
}
