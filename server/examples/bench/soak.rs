//! Sends keyed messages for minutes while the service is killed again and again. Each message is sent until its receipt
//! says `submitted`. At the end each must be in its transcript exactly once.

use std::{
    collections::HashMap,
    fs,
    path::Path,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use standing::{CreateRequest, State, TheLoop};
use testkit::{Http, TestHome, TestService};

use crate::table::{Aim, Table};

const SESSIONS: usize = 6;

/// Shortest life of a service, and how much longer each next one lives, up to five times.
const LIFE: Duration = Duration::from_millis(1500);

/// Pause of a writer whose message was not submitted.
const PAUSE: Duration = Duration::from_millis(100);

/// Counts of a run.
#[derive(Default)]
struct Counts {
    /// True once no new message is to be sent.
    over: AtomicBool,
    submitted: AtomicU64,
    again: AtomicU64,
}

pub(crate) fn run(exe: &Path, minutes: u64, table: &mut Table) {
    let home = TestHome::builder().exe(exe).build();
    let the_loop = home.the_loop();
    for session in 0..SESSIONS {
        assert!(the_loop.standing().create(&CreateRequest::named(name(session))).expect("created").ok);
    }
    let before = pids(&the_loop);
    let (counts, up, mut kills) = (Counts::default(), Mutex::new(None), 0_u32);
    let start = || {
        let service = TestService::start(exe, &home);
        *up.lock().unwrap_or_else(PoisonError::into_inner) = Some(service.http());
        service
    };
    let begun = Instant::now();
    let sent: Vec<u64> = thread::scope(|threads| {
        let writers: Vec<_> = (0..SESSIONS)
            .map(|session| {
                threads.spawn({
                    let (up, counts) = (&up, &counts);
                    move || write(session, up, counts)
                })
            })
            .collect();
        while begun.elapsed() < Duration::from_secs(minutes * 60) {
            let mut service = start();
            thread::sleep(LIFE * (1 + kills % 5));
            service.kill();
            service.wait();
            kills += 1;
            if kills.is_multiple_of(20) {
                let submitted = counts.submitted.load(Ordering::Relaxed);
                println!("{:>5} s: {kills} kills, {submitted} messages", begun.elapsed().as_secs());
            }
        }
        // Each writer completes its last message with this service.
        let _last = start();
        counts.over.store(true, Ordering::Relaxed);
        writers.into_iter().map(|writer| writer.join().expect("a writer")).collect()
    });
    assert_eq!(pids(&the_loop), before, "a session ended with a service");
    let (lost, twice, other) = compare(&home, &sent);
    let again = counts.again.into_inner();
    let total: u64 = sent.iter().sum();
    let measured = format!("{lost} lost, {twice} twice, {other} other");
    let run = format!("{minutes} min, {kills} kills, {total} messages, {again} requests repeated");
    #[expect(clippy::cast_precision_loss, reason = "the aim is 0")]
    let wrong = (lost + twice + other) as f64;
    table.row("messages while the service is killed", wrong, &measured, &run, &Aim::Most(0.0, ""));
}

fn name(session: usize) -> String {
    format!("s{session}")
}

/// Returns one message. It has so many lines that a torn one is noticed.
fn text(session: usize, number: u64) -> String {
    format!("message {number} to {session} begins\n{}message {number} ends", "a line of it\n".repeat(40))
}

/// Returns the processes of the sessions.
fn pids(the_loop: &TheLoop) -> Vec<Option<u32>> {
    let rows = the_loop.standing().list().expect("listed");
    assert!(rows.iter().all(|row| row.state == State::Running), "{rows:?}");
    rows.into_iter().map(|row| row.pid).collect()
}

/// Sends one message after the other, each until it is submitted. Returns their number.
fn write(session: usize, up: &Mutex<Option<Http>>, counts: &Counts) -> u64 {
    let mut number = 0;
    while !counts.over.load(Ordering::Relaxed) {
        let (name, key) = (name(session), format!("{}-{number}", name(session)));
        let body = json!({ "name": name, "text": text(session, number), "idempotencyKey": key });
        loop {
            let http = up.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let answer =
                http.and_then(|http| http.exchange_if_up(&http.posting("/api/v1/standing-sessions/say", &body)));
            let receipt = answer.filter(|answer| answer.status == 200);
            if receipt.is_some_and(|answer| answer.json()["verdict"] == "submitted") {
                break;
            }
            counts.again.fetch_add(1, Ordering::Relaxed);
            thread::sleep(PAUSE);
        }
        counts.submitted.fetch_add(1, Ordering::Relaxed);
        number += 1;
    }
    number
}

/// Compares the transcripts with the messages: returns how many are lost, arrived twice, or were not sent like that.
fn compare(home: &TestHome, sent: &[u64]) -> (usize, usize, usize) {
    let mut turns: HashMap<String, usize> = HashMap::new();
    let folders = fs::read_dir(home.home().join(".the-loop-demo/projects")).into_iter().flatten().flatten();
    for file in folders.flat_map(|folder| fs::read_dir(folder.path()).into_iter().flatten().flatten()) {
        let transcript = fs::read_to_string(file.path()).expect("text");
        let lines = transcript.lines().map(|line| serde_json::from_str::<Value>(line).expect("whole lines"));
        // The first one is the brief.
        for line in lines.filter(|line| line["type"] == "user").skip(1) {
            let text = line["text"].as_str().unwrap_or_default();
            // A line that names the sender precedes the message.
            let text = text.split_once("\n\n").map_or(text, |(_, message)| message);
            *turns.entry(text.to_owned()).or_default() += 1;
        }
    }
    let (mut lost, mut twice) = (0, 0);
    for (session, count) in sent.iter().enumerate() {
        for number in 0..*count {
            match turns.remove(&text(session, number)) {
                None => lost += 1,
                Some(1) => {}
                Some(_) => twice += 1,
            }
        }
    }
    (lost, twice, turns.len())
}
