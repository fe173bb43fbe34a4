//! The service is killed under load: the sessions are nobody's children, and messages are whole or not there at all.

use std::{
    collections::BTreeMap,
    env, fs,
    io::{self, Write as _},
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde_json::{Value, json};
use standing::{CreateRequest, Outcome, Row, State, TheLoop};
use testkit::{Http, TestHome, TestService, wait_for};

use crate::app::{SESSIONS, THE_LOOP};

const SESSIONS_KEPT: [&str; 2] = ["ops", "watch"];
const WRITERS: usize = 4;

/// Number of kills. With `THE_LOOP_FAULTS=long` the test continues for at least `LONG`.
const KILLS: usize = 10;
const LONG: Duration = Duration::from_mins(5);

/// Returns the text of one message. It has so many lines that a torn one is noticed.
fn text(number: usize) -> String {
    format!("message {number} begins\n{}message {number} ends", "a line of it\n".repeat(150))
}

/// One request, with a key that makes it the same one when it is sent again.
fn request(http: &Http, number: usize) -> String {
    let name = SESSIONS_KEPT[number % SESSIONS_KEPT.len()];
    let body = json!({ "name": name, "text": text(number) });
    let head = format!("POST {SESSIONS}/say HTTP/1.1\r\nidempotency-key: message-{number}");
    http.posting(&format!("{SESSIONS}/say"), &body).replacen(&format!("POST {SESSIONS}/say HTTP/1.1"), &head, 1)
}

/// Returns the messages submitted to each session, without the boot prompts.
fn submitted(home: &TestHome) -> Vec<String> {
    let mut turns = Vec::new();
    let folders = fs::read_dir(home.home().join(".the-loop-demo/projects")).into_iter().flatten().flatten();
    for file in folders.flat_map(|folder| fs::read_dir(folder.path()).into_iter().flatten().flatten()) {
        let transcript = fs::read_to_string(file.path()).expect("text");
        let lines = transcript.lines().map(|line| serde_json::from_str::<Value>(line).expect("whole lines"));
        let said = lines.filter(|line| line["type"] == "user");
        turns.extend(said.map(|line| line["text"].as_str().unwrap_or_default().to_owned()).skip(1));
    }
    turns
}

fn rows(the_loop: &TheLoop) -> BTreeMap<String, Row> {
    let rows = the_loop.standing().list().expect("listed");
    rows.into_iter().map(|row| (row.name.clone(), row)).collect()
}

/// Says one message after the other until it is told to end; what was answered is noted by its number.
fn write(http: &Http, next: &AtomicUsize, over: &AtomicBool, answered: &Mutex<BTreeMap<usize, bool>>) {
    while !over.load(Ordering::Relaxed) {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let submitted =
            http.exchange_if_up(&request(http, number)).map(|answer| answer.json()["verdict"] == "submitted");
        answered.lock().expect("no panic").insert(number, submitted == Some(true));
        if submitted.is_none() {
            // It is down: the message goes again once it is up.
            return;
        }
    }
}

/// Sends every message again that was not answered as submitted, to a restarted service.
fn send_again(http: &Http, answered: &Mutex<BTreeMap<usize, bool>>) {
    for (number, submitted) in answered.lock().expect("no panic").iter_mut().filter(|(_, submitted)| !**submitted) {
        let answer = http.raw(&request(http, *number));
        assert_eq!(answer.json()["verdict"], "submitted", "message {number}: {answer:?}");
        *submitted = true;
    }
}

#[test]
fn row_07_a_service_that_is_killed_under_load_harms_no_session_and_no_message() {
    let home = TestHome::builder().exe(THE_LOOP).build();
    let the_loop = home.the_loop();
    for name in SESSIONS_KEPT {
        let report = the_loop.standing().create(&CreateRequest::named(name)).expect("created");
        assert_eq!(report.sessions[0].outcome, Some(Outcome::Started));
    }
    let pids = |rows: &BTreeMap<String, Row>| rows.values().map(|row| row.pid.expect("it runs")).collect::<Vec<_>>();
    let before = pids(&rows(&the_loop));
    let (next, answered) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let long = env::var_os("THE_LOOP_FAULTS").is_some_and(|set| set == "long");
    let begun = Instant::now();
    let mut kills = 0;
    while kills < KILLS || (long && begun.elapsed() < LONG) {
        let mut service = TestService::start(THE_LOOP, &home);
        let (http, over) = (service.http(), AtomicBool::new(false));
        send_again(&http, &answered);
        thread::scope(|writers| {
            for _ in 0..WRITERS {
                writers.spawn(|| write(&http, &next, &over, &answered));
            }
            // In the midst of it: some are done, some are under way.
            let done = || answered.lock().expect("no panic").len();
            let some = done() + 3 + kills % WRITERS;
            wait_for("messages to be said", || (done() >= some).then_some(()));
            kill(Pid::from_raw(service.pid().try_into().expect("a pid")), Signal::SIGKILL).expect("killed");
            service.wait();
            over.store(true, Ordering::Relaxed);
        });
        kills += 1;
        assert_eq!(pids(&rows(&the_loop)), before, "a session died with the service");
    }

    // One pass finishes what was cut short, and then the rows say what is there.
    the_loop.standing().reconcile().expect("settled");
    let after = rows(&the_loop);
    assert!(after.values().all(|row| row.state == State::Running), "{after:?}");

    let service = TestService::start(THE_LOOP, &home);
    send_again(&service.http(), &answered);
    let answered = answered.into_inner().expect("no panic");
    let turns = submitted(&home);
    for number in answered.into_keys() {
        let times = turns.iter().filter(|turn| turn.ends_with(&format!("\n\n{}", text(number)))).count();
        let near: Vec<_> = turns
            .iter()
            .filter(|turn| turn.contains(&format!("message {number} ")))
            .map(|turn| turn.replace("a line of it\n", ""))
            .collect();
        assert_eq!(times, 1, "message {number}, and {near:#?}");
    }
    if long {
        let told = format!("row 07: {kills} kills, {} messages", turns.len());
        writeln!(io::stderr(), "{told}").expect("told");
    }
    assert_eq!(turns.len(), next.into_inner(), "nothing but whole messages, each a turn of its own");
    assert_eq!(pids(&rows(&the_loop)), before);
}
