//! One suite for every implementation of `StandingApi`: the engine in this process, and the client over a port and over
//! the Unix socket. Each case asserts on its own, and the answers of all implementations must be the same.

use std::time::Duration;

use client::{Client, StandingApi};
use engine::Engine;
use serde_json::{Value, json};
use testkit::{TestHome, TestService};
use wire::{
    AnswerRequest, ControlRequest, ControlVerb, CreateRequest, DeleteRequest, Outcome, Problem, ProblemCode, Row,
    SayRequest, State, Status, TurnState, Verdict,
};

use crate::app::THE_LOOP;

/// Fields that differ between two runs that do the same.
const VOLATILE: [&str; 11] = [
    "pid",
    "startedAt",
    "lastMessageAt",
    "createdAt",
    "since",
    "harnessSessionId",
    "cwd",
    "cpu",
    "memory",
    "messageId",
    "socket",
];

/// The answers of one implementation, without what differs from run to run.
#[derive(Debug, Default, PartialEq, Eq)]
struct Told(Vec<(String, Value)>);

impl Told {
    fn take(&mut self, case: &str, answer: &impl serde::Serialize) {
        let mut answer = serde_json::to_value(answer).expect("JSON");
        steady(&mut answer);
        self.0.push((case.to_owned(), answer));
    }
}

fn steady(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|key, _| {
                !VOLATILE.contains(&key.as_str()) && !["asOf", "instance"].contains(&key.as_str()) && key != "lastLine"
            });
            fields.values_mut().for_each(steady);
        }
        Value::Array(items) => items.iter_mut().for_each(steady),
        Value::String(text) => *text = without_places(text),
        _ => {}
    }
}

/// The text without process ids, paths and names of tmux servers.
fn without_places(text: &str) -> String {
    let mut last = "";
    let steady = text.split(' ').map(|word| {
        let known = std::mem::replace(&mut last, word);
        if word.contains('/')
            || known.ends_with("(pid")
            || known == "-L"
            || known == "`-L"
            || word.starts_with("loop-test-")
        {
            "…"
        } else {
            word
        }
    });
    steady.collect::<Vec<_>>().join(" ")
}

fn control(name: &str, verb: ControlVerb) -> ControlRequest {
    ControlRequest { name: name.to_owned(), verb }
}

fn say(name: &str, text: &str) -> SayRequest {
    SayRequest { name: name.to_owned(), text: text.to_owned(), actor: "suite".to_owned(), ..SayRequest::default() }
}

fn answer(name: &str, choice: &str) -> AnswerRequest {
    AnswerRequest { name: name.to_owned(), choice: choice.to_owned(), ..AnswerRequest::default() }
}

/// A refusal of that code; nothing else is an answer here.
fn refused<T: std::fmt::Debug, E: wire::Refusal>(answer: Result<T, E>, code: ProblemCode) -> Problem {
    let problem = answer.expect_err("a refusal").problem().expect("a problem");
    assert_eq!(problem.code, code, "{problem:?}");
    problem
}

async fn lifecycle<A: StandingApi>(api: &A, told: &mut Told) -> Result<(), A::Error> {
    assert_eq!(api.list().await?, []);
    let made = api.create(&CreateRequest { description: "é".to_owned(), ..CreateRequest::named("ops") }).await?;
    assert!(made.ok && made.sessions[0].outcome == Some(Outcome::Started), "{made:?}");
    told.take("create", &made);
    let recorded = api.create(&CreateRequest { start: false, ..CreateRequest::named("idle") }).await?;
    told.take("create without a start", &recorded);

    let rows = api.list().await?;
    let words: Vec<_> = rows.iter().map(|row| (row.name.as_str(), row.running, row.status)).collect();
    assert_eq!(words, [("idle", false, Status::Stopped), ("ops", true, Status::Running)]);
    told.take("get", &api.get("ops").await?);

    let again = api.control(&control("ops", ControlVerb::Start)).await?;
    assert_eq!(again.sessions[0].outcome, Some(Outcome::AlreadyRunning), "{again:?}");
    told.take("start of a running session", &again);

    let receipt = api.say(&say("ops", "hello there")).await?;
    assert_eq!(receipt.verdict, Verdict::Submitted, "{receipt:?}");
    let keyed = SayRequest { idempotency_key: "k".to_owned(), ..say("ops", "only once") };
    let (first, second) = (api.say(&keyed).await?, api.say(&keyed).await?);
    assert_eq!((first.verdict, second.verdict), (Verdict::Submitted, Verdict::Submitted));
    let asked = api.say(&SayRequest { wait: 60, ..say("ops", "and the answer?") }).await?;
    let turn = asked.turn.as_ref().expect("waited for");
    assert!(turn.state == TurnState::Answered && turn.answer.ends_with("and the answer?"), "{turn:?}");
    assert_eq!(api.turn("ops", &asked.message_id, Duration::ZERO).await?, *turn);
    told.take("no turn", &refused(api.turn("ops", "none", Duration::ZERO).await, ProblemCode::UnknownMessage));
    told.take(
        "too long a wait",
        &refused(api.say(&SayRequest { wait: 601, ..say("ops", "x") }).await, ProblemCode::InvalidRequest),
    );
    let screen = api.screen("ops", 100).await?;
    assert!(screen.contains("hello there"), "{screen}");
    // Typed once, and repeated once by the agent.
    assert_eq!(screen.lines().filter(|line| line.trim() == "only once").count(), 2, "{screen}");
    assert_eq!(api.screen("idle", 10).await?, "", "no pane, no lines");
    let explained = api.explain("idle").await?;
    assert_eq!((explained.state, explained.decided_by), (api.get("idle").await?.state, Some(wire::Source::Tmux)));
    assert_eq!(api.explain("ops").await?.decided_by, Some(wire::Source::Screen));

    let conversation = api.get("ops").await?.harness_session_id;
    let restarted = api.control(&control("ops", ControlVerb::Restart)).await?;
    told.take("restart", &restarted);
    assert_eq!(api.get("ops").await?.harness_session_id, conversation, "the conversation goes on");

    let stopped = api.stop_all().await?;
    assert!(stopped.ok && stopped.sessions.len() == 2, "{stopped:?}");
    told.take("stop all", &stopped);
    let started = api.start_all().await?;
    assert!(started.ok && started.sessions.iter().all(|row| row.running), "{started:?}");
    told.take("start all", &started);
    let stopped = api.control(&control("idle", ControlVerb::Stop)).await?;
    assert_eq!(stopped.sessions[0].outcome, Some(Outcome::Stopped));
    told.take("stop", &stopped);
    told.take("delete", &api.delete(&DeleteRequest { name: "idle".to_owned() }).await?);
    assert_eq!(api.list().await?.len(), 1);
    Ok(())
}

/// A session that waits on a question: refused, answered, and refused again.
async fn question<A: StandingApi>(api: &A, told: &mut Told) -> Result<(), A::Error> {
    let asks = ["--fault", "dialog=Overwrite it?"].map(str::to_owned).to_vec();
    let asking = CreateRequest { harness_args: Some(asks), ..CreateRequest::named("asks") };
    assert!(api.create(&asking).await?.ok);
    let row: Row = api.get("asks").await?;
    assert_eq!(row.activity, wire::Activity::Waiting, "{row:?}");
    told.take("a question", &row);
    told.take("say to a question", &refused(api.say(&say("asks", "hello")).await, ProblemCode::Waiting));
    told.take("answer what is not offered", &refused(api.answer(&answer("asks", "9")).await, ProblemCode::NotWaiting));
    let chosen = api.answer(&AnswerRequest { question: row.question, ..answer("asks", "1") }).await?;
    assert!(chosen.delivered, "{chosen:?}");
    told.take("answer", &chosen);
    api.delete(&DeleteRequest { name: "asks".to_owned() }).await?;
    Ok(())
}

async fn refusals<A: StandingApi>(api: &A, told: &mut Told) -> Result<(), A::Error> {
    use ProblemCode as Code;
    assert!(api.create(&CreateRequest::named("ops")).await?.ok);
    told.take("a name that is none", &refused(api.get("a&name=b").await, Code::InvalidName));
    told.take("screen of nothing", &refused(api.screen("none", 3).await, Code::UnknownSession));
    told.take("explain of nothing", &refused(api.explain("none").await, Code::UnknownSession));
    told.take("get of nothing", &refused(api.get("none").await, Code::UnknownSession));
    told.take("say to nothing", &refused(api.say(&say("none", "x")).await, Code::UnknownSession));
    told.take("answer to nothing", &refused(api.answer(&answer("none", "1")).await, Code::UnknownSession));
    told.take(
        "delete of nothing",
        &refused(api.delete(&DeleteRequest { name: "none".to_owned() }).await, Code::UnknownSession),
    );
    told.take(
        "start of nothing",
        &refused(api.control(&control("none", ControlVerb::Start)).await, Code::UnknownSession),
    );
    told.take("create twice", &refused(api.create(&CreateRequest::named("ops")).await, Code::NameTaken));
    told.take("create a declared one", &refused(api.create(&CreateRequest::named("declared")).await, Code::NameTaken));
    told.take(
        "delete a declared one",
        &refused(api.delete(&DeleteRequest { name: "declared".to_owned() }).await, Code::Declared),
    );
    told.take("say nothing", &refused(api.say(&say("ops", "")).await, Code::InvalidRequest));
    told.take("say too much", &refused(api.say(&say("ops", &"x".repeat((1 << 20) + 1))).await, Code::TooLarge));
    let keyed = |text: &str| SayRequest { idempotency_key: "one".to_owned(), ..say("ops", text) };
    api.say(&keyed("first")).await?;
    told.take("a key for another message", &refused(api.say(&keyed("second")).await, Code::KeyReused));
    told.take("answer without a question", &refused(api.answer(&answer("ops", "1")).await, Code::NotWaiting));
    api.control(&control("ops", ControlVerb::Stop)).await?;
    let problem = refused(api.say(&say("ops", "x")).await, Code::NotRunning);
    assert!(problem.detail.contains("the-loop standing start ops"), "{problem:?}");
    told.take("say to a stopped one", &problem);
    assert_eq!(api.get("ops").await?.state, State::Stopped, "a message starts nothing");
    for verb in [ControlVerb::Start, ControlVerb::Stop, ControlVerb::Restart] {
        refused(api.control(&control("", verb)).await, Code::InvalidRequest);
    }
    api.delete(&DeleteRequest { name: "ops".to_owned() }).await?;
    Ok(())
}

/// The half of the suite that is for a home with, or without, a declared session.
async fn conform<A: StandingApi>(api: &A, declared: bool) -> Told {
    let mut told = Told::default();
    let done = async {
        if declared {
            return refusals(api, &mut told).await;
        }
        lifecycle(api, &mut told).await?;
        question(api, &mut told).await
    };
    if let Err(error) = done.await {
        panic!("refused: {error}");
    }
    told
}

fn home(declared: bool) -> TestHome {
    let builder = TestHome::builder().exe(THE_LOOP);
    if declared { builder.declare(json!({ "name": "declared", "autoStart": false })) } else { builder }.build()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_implementation_gives_the_same_answers() {
    for declared in [false, true] {
        let of_engine = conform(&Engine::new(home(declared).the_loop()), declared).await;
        assert!(of_engine.0.len() > 8, "{of_engine:?}");
        for over_socket in [false, true] {
            let home = home(declared);
            let service = TestService::start(THE_LOOP, &home);
            let socket = format!("unix:{}", home.project().join(".the-loop/local/service.sock").display());
            let address = if over_socket { socket } else { format!("http://{}", service.http().authority()) };
            let of_client = conform(&Client::new(&address).expect("an address"), declared).await;
            for (ours, theirs) in of_engine.0.iter().zip(&of_client.0) {
                assert_eq!(ours, theirs, "{address}");
            }
            assert_eq!(of_engine.0.len(), of_client.0.len());
        }
    }
}
