//! The verbs, done by this process or by another one.
//!
//! An [`Actor`] is this test program, started again: it reads orders from its standard input, a JSON list a line, does
//! those of a line side by side, and prints the answers as a line.

use std::{
    env,
    io::{self, BufRead as _, BufReader, Write as _},
    os::unix::process::ExitStatusExt as _,
    process::{Child, ChildStdin, ChildStdout, ExitStatus, Stdio},
    thread,
};

use serde::{Deserialize, Serialize};
use standing::{
    ControlRequest, ControlVerb, CreateRequest, DeleteRequest, Error, Outcome, ProblemCode, Row, SayReceipt,
    SayRequest, TheLoop,
};
use testkit::TestHome;

use crate::scene::LAUNCHER;

/// Tells this program that it is an actor.
const ROLE: &str = "THE_LOOP_TEST_ACTOR";

/// Prefix of an actor's answers, which share the stream with the output of the test runner.
const MARK: &str = "ACTOR ";

/// One verb.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Order {
    List,
    Create(CreateRequest),
    Delete(String),
    Start(String),
    Stop(String),
    Restart(String),
    Say(SayRequest),
    /// One after the other.
    Series(Vec<Order>),
}

/// Result of an order.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Answer {
    Rows(Vec<Row>),
    Said(SayReceipt),
    Series(Vec<Answer>),
    Refused(ProblemCode, String),
}

impl Order {
    /// Does it in this process.
    pub(crate) fn done_by(&self, the_loop: &TheLoop) -> Answer {
        let standing = the_loop.standing();
        let control = |name: &String, verb| {
            standing.control(&ControlRequest { name: name.clone(), verb }).map(|report| Answer::Rows(report.sessions))
        };
        let answer = match self {
            Self::List => standing.list().map(Answer::Rows),
            Self::Create(request) => standing.create(request).map(|report| Answer::Rows(report.sessions)),
            Self::Delete(name) => {
                standing.delete(&DeleteRequest { name: name.clone() }).map(|report| Answer::Rows(report.sessions))
            }
            Self::Start(name) => control(name, ControlVerb::Start),
            Self::Stop(name) => control(name, ControlVerb::Stop),
            Self::Restart(name) => control(name, ControlVerb::Restart),
            Self::Say(request) => standing.say(request).map(Answer::Said),
            Self::Series(orders) => Ok(Answer::Series(orders.iter().map(|order| order.done_by(the_loop)).collect())),
        };
        answer.unwrap_or_else(|error: Error| Answer::Refused(error.code(), error.problem().detail))
    }
}

impl Answer {
    /// Returns the outcome of a verb that acted on one session.
    pub(crate) fn outcome(&self) -> Option<Outcome> {
        match self {
            Self::Rows(rows) => rows.first().and_then(|row| row.outcome),
            Self::Said(_) | Self::Series(_) | Self::Refused(..) => None,
        }
    }

    /// Why it was refused, if it was.
    pub(crate) fn refusal(&self) -> Option<ProblemCode> {
        match self {
            Self::Refused(code, _) => Some(*code),
            Self::Rows(_) | Self::Said(_) | Self::Series(_) => None,
        }
    }

    /// The receipt of a message that was taken.
    #[track_caller]
    pub(crate) fn receipt(&self) -> &SayReceipt {
        match self {
            Self::Said(receipt) => receipt,
            _ => panic!("no receipt: {self:?}"),
        }
    }
}

/// Another process of the-loop.
pub(crate) struct Actor {
    child: Child,
    orders: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Actor {
    /// Starts one in a home.
    pub(crate) fn start(home: &TestHome) -> Self {
        Self::within(home, &[])
    }

    /// Starts one that is killed, or stopped, at a point: `start.spawned=kill`.
    pub(crate) fn ending_at(home: &TestHome, point: &str) -> Self {
        Self::within(home, &[("THE_LOOP_FAILPOINT", point)])
    }

    /// Starts one with more in its environment.
    pub(crate) fn within(home: &TestHome, environment: &[(&str, &str)]) -> Self {
        let mut command = home.command(env::current_exe().expect("this program"));
        command.args(["--exact", "--ignored", "actor_process", "--nocapture"]).env(ROLE, LAUNCHER);
        command.envs(environment.iter().copied());
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
        let answers = BufReader::new(child.stdout.take().expect("piped"));
        Self { orders: child.stdin.take(), child, answers }
    }

    pub(crate) fn pid(&self) -> i32 {
        self.child.id().try_into().expect("a pid")
    }

    /// Has it begin with all of these, side by side.
    pub(crate) fn send(&mut self, orders: &[Order]) {
        let line = serde_json::to_string(orders).expect("JSON");
        writeln!(self.orders.as_mut().expect("open"), "{line}").expect("it listens");
    }

    /// Waits for the answers; none if it ended without.
    pub(crate) fn answers(&mut self) -> Option<Vec<Answer>> {
        loop {
            let mut line = String::new();
            if self.answers.read_line(&mut line).expect("text") == 0 {
                return None;
            }
            if let Some((_, answers)) = line.split_once(MARK) {
                return Some(serde_json::from_str(answers).expect("answers"));
            }
        }
    }

    /// Has it do one verb in the midst of which it is killed.
    pub(crate) fn dies_doing(mut self, order: &Order) {
        self.send(std::slice::from_ref(order));
        let answers = self.answers();
        let status = self.end();
        assert_eq!(status.signal(), Some(9), "it was to be killed in the midst of {order:?}: {status}, {answers:?}");
    }

    fn end(&mut self) -> ExitStatus {
        drop(self.orders.take());
        self.child.wait().expect("it ends")
    }
}

impl Drop for Actor {
    fn drop(&mut self) {
        if thread::panicking() {
            let _ = self.child.kill();
        }
        self.end();
    }
}

/// Is an actor.
pub(crate) fn serve() {
    let launcher = env::var_os(ROLE).expect("the test that runs it gives it its role");
    let surroundings = standing::Surroundings::of_process().without_var(ROLE).with_exe(launcher);
    let the_loop = TheLoop::open_in(None, surroundings, "actor");
    for line in io::stdin().lines() {
        let orders: Vec<Order> = serde_json::from_str(&line.expect("text")).expect("orders");
        let answers: Vec<Answer> = thread::scope(|threads| {
            let doing: Vec<_> = orders.iter().map(|order| threads.spawn(|| order.done_by(&the_loop))).collect();
            doing.into_iter().map(|done| done.join().expect("no panic")).collect()
        });
        let mut out = io::stdout();
        writeln!(out, "{MARK}{}", serde_json::to_string(&answers).expect("JSON")).expect("somebody reads");
        out.flush().expect("somebody reads");
    }
}
