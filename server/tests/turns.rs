//! Turns of messages: each asker gets the answer to its own message, or none, on every surface.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use engine::{Engine, StandingApi as _};
use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde_json::{Value, json};
use standing::{ControlRequest, ControlVerb, CreateRequest, SayRequest, TheLoop};
use testkit::{Http, TestHome, TestService, wait_for, wait_within};
use tokio::sync::Mutex;
use wire::{ProblemCode, Turn, TurnState, Verdict};

use crate::app::{SESSIONS, Said, THE_LOOP};

const MINUTES: Duration = Duration::from_mins(3);

fn home() -> TestHome {
    TestHome::builder().exe(THE_LOOP).build()
}

/// Creates a session of the demo agent with faults.
fn create(the_loop: &TheLoop, name: &str, faults: &[&str]) {
    let args = faults.iter().flat_map(|fault| ["--fault".to_owned(), (*fault).to_owned()]).collect();
    let request = CreateRequest { harness_args: Some(args), ..CreateRequest::named(name) };
    let report = the_loop.standing().create(&request).expect("a report");
    assert!(report.ok, "{report:?}");
    wait_for("it to rest", || (the_loop.standing().get(name).ok()?.activity == wire::Activity::Idle).then_some(()));
}

fn control(the_loop: &TheLoop, name: &str, verb: ControlVerb) {
    let report = the_loop.standing().control(&ControlRequest { name: name.to_owned(), verb }).expect("a report");
    assert!(report.ok, "{report:?}");
}

fn say(name: &str, text: &str, wait: u32) -> SayRequest {
    SayRequest { name: name.to_owned(), text: text.to_owned(), wait, ..SayRequest::default() }
}

fn keys(home: &TestHome, name: &str, keys: &[&str]) {
    let target = format!("=loop-standing-{name}:");
    home.tmux().run(&[&["send-keys", "-t", &target], keys].concat());
}

/// Asks once, and again while the session cannot take the message.
async fn ask(engine: &Engine, keyboard: &Mutex<()>, text: &str) -> Turn {
    let begun = Instant::now();
    loop {
        assert!(begun.elapsed() < MINUTES, "{text:?} was never taken");
        let hands = keyboard.lock().await;
        let said = engine.say(&say("ops", text, 0)).await;
        drop(hands);
        match said {
            Ok(receipt) if receipt.verdict != Verdict::NotDelivered => {
                let turn = engine.turn("ops", &receipt.message_id, Duration::from_mins(2)).await;
                return turn.expect("its turn");
            }
            Ok(_) => {}
            Err(error) => {
                let code = error.code();
                assert!(matches!(code, ProblemCode::NotRunning | ProblemCode::UnsentText), "{text:?}: {error}");
            }
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Interrupts the session in every way, once each time that so many questions were answered.
fn interfere(home: &TestHome, the_loop: &TheLoop, keyboard: &Mutex<()>, answered: &AtomicUsize) {
    let after = |number: usize| {
        wait_within(MINUTES, "answers", || (answered.load(Ordering::SeqCst) >= number).then_some(()));
        let busy = || the_loop.standing().get("ops").is_ok_and(|row| row.activity == wire::Activity::Busy);
        wait_for("it to work", || busy().then_some(()));
    };
    after(8);
    keys(home, "ops", &["Escape"]);
    after(16);
    // A person who types into a box while a message is pasted there would change that message.
    let hands = keyboard.blocking_lock();
    keys(home, "ops", &["/clear", "Enter"]);
    let typed = || !home.tmux().screen("loop-standing-ops").contains("> /clear");
    wait_for("the command to be taken", || typed().then_some(()));
    drop(hands);
    after(24);
    for (pid, _) in testkit::marked(&format!("THE_LOOP_ID={}", loop_id(home))) {
        let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
    }
    wait_for("its end", || (!the_loop.standing().get("ops").expect("a row").running).then_some(()));
    control(the_loop, "ops", ControlVerb::Start);
    after(32);
    control(the_loop, "ops", ControlVerb::Restart);
}

fn loop_id(home: &TestHome) -> String {
    let text = std::fs::read_to_string(home.records().join("ops.json")).expect("a record");
    let record: Value = serde_json::from_str(&text).expect("JSON");
    record["loopId"].as_str().expect("an id").to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_of_50_questions_of_8_writers_gets_its_own_answer_or_none() {
    for queue in [false, true] {
        let home = Arc::new(home());
        let the_loop = home.the_loop();
        let faults: &[&str] = if queue { &["busy=120", "hold=20", "queue"] } else { &["busy=120", "hold=20"] };
        create(&the_loop, "ops", faults);
        let engine = Engine::new(the_loop.clone());
        let answered = Arc::new(AtomicUsize::new(0));
        let keyboard = Arc::new(Mutex::new(()));
        let disturbing = {
            let (home, keyboard, answered) = (Arc::clone(&home), Arc::clone(&keyboard), Arc::clone(&answered));
            thread::spawn(move || interfere(&home, &home.the_loop(), &keyboard, &answered))
        };
        let writers: Vec<_> = (0..8)
            .map(|writer| {
                let (engine, keyboard, answered) = (engine.clone(), Arc::clone(&keyboard), Arc::clone(&answered));
                tokio::spawn(async move {
                    let mut turns = Vec::new();
                    for number in (writer..50).step_by(8) {
                        let text = format!("question {number}.");
                        let turn = ask(&engine, &keyboard, &text).await;
                        answered.fetch_add(1, Ordering::SeqCst);
                        turns.push((text, turn));
                    }
                    turns
                })
            })
            .collect();
        let mut count = BTreeMap::<TurnState, usize>::new();
        for writer in writers {
            for (text, turn) in writer.await.expect("no panic") {
                *count.entry(turn.state).or_default() += 1;
                match turn.state {
                    TurnState::Answered => {
                        assert!(turn.answer.ends_with(&text), "{text:?}: {turn:?}");
                        assert!(turn.answer.contains(&turn.message_id), "{turn:?}");
                    }
                    TurnState::LostTrack => assert!(!turn.reason.is_empty() && turn.answer.is_empty(), "{turn:?}"),
                    other => panic!("{other:?}: {text:?} {turn:?}"),
                }
            }
        }
        disturbing.join().expect("interfered");
        let (own, lost) = (count[&TurnState::Answered], count.get(&TurnState::LostTrack).copied().unwrap_or_default());
        assert_eq!(own + lost, 50);
        assert!(lost >= 3, "an interrupt, a kill and a restart each cost one: {count:?}");
        assert!(own >= 25, "{count:?}");
        // The ends are in the event log, without a text.
        let ended = || home.events().into_iter().filter(|event| event["event"] == "standing.turn_ended").count();
        wait_for("the events", || (ended() >= 50).then_some(()));
        assert_eq!(ended(), 50, "one for each");
        let log = std::fs::read_to_string(home.project().join(".the-loop/logs/events.jsonl")).expect("a log");
        assert!(!log.contains("you said"), "{log}");
    }
}

fn turn(http: &Http, query: &str) -> Value {
    let answer = http.get(&format!("{SESSIONS}/turn?name=ops&{query}"));
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

#[test]
fn sixty_four_callers_wait_for_one_answer_and_delay_nothing() {
    let home = home();
    let service = TestService::start(THE_LOOP, &home);
    let http = service.http();
    create(&home.the_loop(), "ops", &["busy=4000", "hold=20"]);
    let said = http.post(&format!("{SESSIONS}/say"), &json!({ "name": "ops", "text": "the question." })).json();
    assert!(said.get("turn").is_none(), "{said}");
    let id = said["messageId"].as_str().expect("an id").to_owned();
    assert_eq!(turn(&http, &format!("id={id}"))["state"], "working");
    let query = format!("id={id}&wait=60");
    let waiting: Vec<_> = (0..64)
        .map(|_| {
            let (http, query) = (http.clone(), query.clone());
            thread::spawn(move || turn(&http, &query))
        })
        .collect();
    let threads = || std::fs::read_dir(format!("/proc/{}/task", service.pid())).expect("it lives").count();
    for _ in 0..10 {
        let begun = Instant::now();
        assert_eq!(http.get(SESSIONS).json().as_array().map(Vec::len), Some(1));
        assert_eq!(http.get(&format!("{SESSIONS}/one?name=ops")).status, 200);
        assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
        assert!(threads() < 48, "a thread for each of them: {}", threads());
    }
    // A verb on the session does not wait for those who wait for an answer.
    let next = http.post(&format!("{SESSIONS}/say"), &json!({ "name": "ops", "text": "next." }));
    assert_eq!(next.status, 200, "{next:?}");
    for caller in waiting {
        let turn = caller.join().expect("no panic");
        assert_eq!(turn["state"], "answered", "{turn}");
        assert!(turn["answer"].as_str().is_some_and(|answer| answer.ends_with("the question.")), "{turn}");
    }
    // A message with `wait` returns its turn.
    let body = json!({ "name": "ops", "text": "last.", "wait": 60 });
    let said = http.post(&format!("{SESSIONS}/say"), &body).json();
    assert!(said["turn"]["answer"].as_str().is_some_and(|answer| answer.ends_with("last.")), "{said}");
    let unknown = http.get(&format!("{SESSIONS}/turn?name=ops&id=none"));
    assert_eq!((unknown.status, &unknown.json()["code"]), (404, &json!("unknown-message")));
    for bad in ["wait=601", "wait=-1", "wait=x"] {
        assert_eq!(http.get(&format!("{SESSIONS}/turn?name=ops&id={id}&{bad}")).status, 422, "{bad}");
    }
    let long = http.post(&format!("{SESSIONS}/say"), &json!({ "name": "ops", "text": "x", "wait": 601 }));
    assert_eq!(long.status, 400, "{long:?}");
}

fn run(home: &TestHome, args: &[&str]) -> Said {
    Said::of(&home.command(THE_LOOP).arg("standing").args(args).output().expect("the binary runs"))
}

#[test]
fn ask_prints_the_answer_and_exits_as_the_turn_ended() {
    let home = home();
    let the_loop = home.the_loop();
    create(&the_loop, "ops", &["busy=1500", "hold=20"]);
    let answered = run(&home, &["ask", "ops", "are", "you", "there?"]);
    assert_eq!((answered.code, answered.err.as_str()), (0, ""), "{answered:?}");
    assert!(answered.out.starts_with("you said: [the-loop]") && answered.out.ends_with("are you there?\n"));

    let working = run(&home, &["ask", "ops", "--timeout", "0", "and now?"]);
    assert_eq!((working.code, working.out.as_str()), (3, ""), "{working:?}");
    let again = working.err.split('`').find(|word| word.starts_with("the-loop standing ask")).expect("a command");
    let args: Vec<&str> = again.split(' ').skip(2).collect();
    let answered = run(&home, &args);
    assert!(answered.code == 0 && answered.out.ends_with("and now?\n"), "{answered:?}");

    let lost = thread::scope(|threads| {
        let asking = threads.spawn(|| run(&home, &["ask", "ops", "interrupted?", "--format", "json"]));
        let busy = || the_loop.standing().get("ops").is_ok_and(|row| row.activity == wire::Activity::Busy);
        wait_for("it to work", || busy().then_some(()));
        keys(&home, "ops", &["Escape"]);
        asking.join().expect("no panic")
    });
    let turn: Value = serde_json::from_str(&lost.out).expect("JSON");
    assert_eq!((lost.code, &turn["state"]), (5, &json!("lost-track")), "{lost:?}");

    let none = run(&home, &["ask", "ops", "--id", "none"]);
    assert_eq!(none.code, 1, "{none:?}");
    control(&the_loop, "ops", ControlVerb::Stop);
    assert_eq!(run(&home, &["ask", "ops", "x"]).code, 1);
}

#[test]
fn scripts_wait_for_a_state_and_read_the_screen_and_the_history() {
    let home = home();
    let the_loop = home.the_loop();
    create(&the_loop, "ops", &["busy=1500", "hold=20"]);
    assert_eq!(run(&home, &["ask", "ops", "--actor", "me", "the question"]).code, 0);
    let late = run(&home, &["wait", "ops", "--until", "waiting", "--timeout", "0"]);
    assert_eq!((late.code, late.out.as_str()), (3, ""), "{late:?}");
    assert_eq!(run(&home, &["say", "ops", "next"]).code, 0);
    let busy = || the_loop.standing().get("ops").is_ok_and(|row| row.activity == wire::Activity::Busy);
    wait_for("it to work", || busy().then_some(()));
    let idle = run(&home, &["wait", "ops", "--until", "waiting,idle", "--timeout", "60"]);
    assert_eq!((idle.code, idle.out.as_str()), (0, "idle\n"), "{idle:?}");

    let screen = run(&home, &["screen", "ops"]);
    assert!(screen.code == 0 && screen.out.contains("the question"), "{screen:?}");
    assert_eq!(run(&home, &["attach", "ops"]).code, 2, "there is no terminal");

    // The history goes on over a change of the conversation.
    keys(&home, "ops", &["/clear", "Enter"]);
    assert_eq!(run(&home, &["ask", "ops", "after the change"]).code, 0);
    let history = run(&home, &["history", "ops", "--format", "json"]);
    let history: Value = serde_json::from_str(&history.out).expect("JSON");
    let texts = history["texts"].as_array().expect("texts");
    let asked = texts.iter().find(|said| said["text"] == "the question").expect("the message");
    assert_eq!((&asked["actor"], &asked["speaker"]), (&json!("me"), &json!("user")));
    let last = texts.last().expect("an answer");
    assert!(last["speaker"] == "agent" && last["text"].as_str().is_some_and(|text| text.ends_with("after the change")));
    assert_ne!(asked["conversation"], last["conversation"]);
    let shown = run(&home, &["history", "ops", "--limit", "2"]);
    assert!(shown.out.contains("after the change") && !shown.out.contains("the question"), "{shown:?}");

    let waiting = thread::scope(|threads| {
        let waiting = threads.spawn(|| run(&home, &["wait", "ops", "--until", "exited"]));
        control(&the_loop, "ops", ControlVerb::Stop);
        waiting.join().expect("no panic")
    });
    assert_eq!((waiting.code, waiting.out.as_str()), (0, "stopped\n"), "{waiting:?}");
    assert_eq!(run(&home, &["wait", "ops", "--until", "idle"]).code, 1);
}

#[test]
fn a_harness_whose_turns_are_not_recorded_says_so_at_once() {
    let home = home();
    let reader = json!({"command": ["sh", "-c", "exec cat > /dev/null"], "sessionId": "none"});
    home.reconfigure("/routing/harnesses/reader", reader);
    let the_loop = home.the_loop();
    let request = CreateRequest { harness: "reader".to_owned(), ..CreateRequest::named("ops") };
    assert!(the_loop.standing().create(&request).expect("a report").ok);
    let begun = Instant::now();
    let told = run(&home, &["ask", "ops", "hello"]);
    assert_eq!((told.code, told.out.as_str()), (5, ""), "{told:?}");
    assert!(told.err.contains("not followed: `reader` does not record"), "{told:?}");
    assert!(begun.elapsed() < Duration::from_secs(20));
}
