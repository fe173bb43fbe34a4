//! Measures the memory of one service with 500 running sessions and 50 open streams, during minutes of keyed messages.
//!
//! The end of the series matters: memory that is kept per message keeps growing, and bounded memory levels off.

use std::{
    fs,
    io::Read as _,
    path::Path,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use serde_json::json;
use standing::CreateRequest;
use testkit::{Http, TestHome, TestService};

use crate::{
    rest::{begun, sleepers, start_sleepers},
    table::{Aim, Table},
};

const SESSIONS: usize = 500;

/// Number of sessions that get messages in parallel, within the service's rate limit.
const SPEAKING: usize = 6;

const STREAMS: usize = 50;
const LISTS: usize = 4000;

/// Interval at which the memory is read.
const LOOK: Duration = Duration::from_secs(30);

pub(crate) fn run(exe: &Path, minutes: u64, table: &mut Table) {
    let builder = TestHome::builder().exe(exe).set("/routing/tmux/resumeProbeSeconds", json!(0));
    let home = sleepers(builder.set("/service/stream/maxSubscribers", json!(STREAMS)));
    let the_loop = start_sleepers(&home, 0, SESSIONS - SPEAKING);
    for number in 0..SPEAKING {
        assert!(the_loop.standing().create(&CreateRequest::named(speaker(number))).expect("created").ok);
    }
    let service = TestService::start(exe, &home);
    figure(&service, &format!("RSS, {SESSIONS} sessions, at first"), table);
    let open: Vec<_> = (0..STREAMS).map(|_| begun(&service, "/api/v1/stream", "event: resync")).collect();
    for mut stream in open {
        // Reads until the service closes the stream.
        thread::spawn(move || while stream.read(&mut [0; 4096]).is_ok_and(|read| read > 0) {});
    }
    for _ in 0..LISTS {
        assert_eq!(service.http().get("/api/v1/standing-sessions").status, 200);
    }
    figure(&service, &format!("RSS, {SESSIONS} sessions, {STREAMS} streams, after {LISTS} lists"), table);
    messages(&service, minutes);
    figure(&service, &format!("RSS, {SESSIONS} sessions, {STREAMS} streams, after {minutes} min of messages"), table);
}

fn speaker(number: usize) -> String {
    format!("speaker{number}")
}

/// Sends messages for some minutes, and prints the memory meanwhile.
fn messages(service: &TestService, minutes: u64) {
    let http = service.http();
    let (over, said, odd) = (AtomicBool::new(false), AtomicU64::new(0), AtomicU64::new(0));
    let begun = Instant::now();
    thread::scope(|threads| {
        for session in 0..SPEAKING {
            let (http, over, said, odd) = (&http, &over, &said, &odd);
            threads.spawn(move || {
                for number in 0.. {
                    if over.load(Ordering::Relaxed) {
                        return;
                    }
                    if say(http, session, number) {
                        said.fetch_add(1, Ordering::Relaxed);
                    } else {
                        odd.fetch_add(1, Ordering::Relaxed);
                        thread::sleep(Duration::from_millis(200));
                    }
                }
            });
        }
        while begun.elapsed() < Duration::from_secs(minutes * 60) {
            thread::sleep(LOOK);
            tell(service, begun, &said, &odd);
        }
        over.store(true, Ordering::Relaxed);
    });
}

/// Sends a message with its own key, and checks that it is submitted.
fn say(http: &Http, session: usize, number: u64) -> bool {
    let name = speaker(session);
    let text = format!("message {number}: {}", "words ".repeat(40));
    let body = json!({ "name": name, "text": text, "idempotencyKey": format!("{name}-{number}") });
    let answer = http.exchange(&http.posting("/api/v1/standing-sessions/say", &body));
    answer.is_some_and(|answer| answer.status == 200 && answer.json()["verdict"] == "submitted")
}

/// Returns a field of the service's status, in megabytes or as a number.
fn field(service: &TestService, key: &str) -> f64 {
    let status = fs::read_to_string(format!("/proc/{}/status", service.pid())).expect("it lives");
    let line = status.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default();
    let number: f64 = line.trim().trim_end_matches(" kB").parse().unwrap_or_default();
    if line.ends_with("kB") { number * 1024.0 / 1e6 } else { number }
}

fn figure(service: &TestService, what: &str, table: &mut Table) {
    let (resident, own, file) = (field(service, "VmRSS:"), field(service, "RssAnon:"), field(service, "RssFile:"));
    let reference = format!("its own {own:.1} MB, the program's file {file:.1} MB");
    table.row(what, resident, &format!("{resident:.1} MB"), &reference, &Aim::Most(30.0, "MB"));
}

fn tell(service: &TestService, begun: Instant, said: &AtomicU64, odd: &AtomicU64) {
    println!(
        "{:>5} s: {:>6} messages, {} not submitted; {:>5.1} MB resident, {:>5.1} MB of it its own, {} threads",
        begun.elapsed().as_secs(),
        said.load(Ordering::Relaxed),
        odd.load(Ordering::Relaxed),
        field(service, "VmRSS:"),
        field(service, "RssAnon:"),
        field(service, "Threads:"),
    );
}
