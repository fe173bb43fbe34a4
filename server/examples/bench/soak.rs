//! Measures the memory of one service during minutes of keyed messages.
//!
//! `bench soak MINUTES`. Not part of a whole run. The end of the series matters: memory that is kept per message keeps
//! growing, and bounded memory levels off.

use std::{
    fs,
    path::Path,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use serde_json::json;
use standing::CreateRequest;
use testkit::{Http, TestHome, TestService};

/// Number of sessions that get messages in parallel, within the service's rate limit.
const SESSIONS: usize = 6;

/// Interval at which the memory is read.
const LOOK: Duration = Duration::from_secs(30);

pub(crate) fn run(exe: &Path, minutes: u64) {
    let home = TestHome::builder().exe(exe).build();
    for number in 0..SESSIONS {
        assert!(home.the_loop().standing().create(&CreateRequest::named(format!("s{number}"))).expect("created").ok);
    }
    let service = TestService::start(exe, &home);
    let http = service.http();
    let (over, said, odd) = (AtomicBool::new(false), AtomicU64::new(0), AtomicU64::new(0));
    let begun = Instant::now();
    thread::scope(|threads| {
        for session in 0..SESSIONS {
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
            tell(&service, begun, &said, &odd);
            thread::sleep(LOOK);
        }
        tell(&service, begun, &said, &odd);
        over.store(true, Ordering::Relaxed);
    });
}

/// Sends a message with its own key, and checks that it is submitted.
fn say(http: &Http, session: usize, number: u64) -> bool {
    let name = format!("s{session}");
    let text = format!("message {number}: {}", "words ".repeat(40));
    let body = json!({ "name": name, "text": text, "idempotencyKey": format!("{name}-{number}") });
    let answer = http.exchange(&http.posting("/api/v1/standing-sessions/say", &body));
    answer.is_some_and(|answer| answer.status == 200 && answer.json()["verdict"] == "submitted")
}

fn tell(service: &TestService, begun: Instant, said: &AtomicU64, odd: &AtomicU64) {
    let status = fs::read_to_string(format!("/proc/{}/status", service.pid())).expect("it lives");
    let field = |key: &str| {
        let line = status.lines().find(|line| line.starts_with(key)).unwrap_or_default();
        line.split_ascii_whitespace().nth(1).unwrap_or_default().parse::<u64>().unwrap_or_default()
    };
    println!(
        "{:>5} s: {:>6} messages, {} not submitted; {:>6} kB resident, {:>6} kB of it its own, {} threads",
        begun.elapsed().as_secs(),
        said.load(Ordering::Relaxed),
        odd.load(Ordering::Relaxed),
        field("VmRSS:"),
        field("RssAnon:"),
        field("Threads:"),
    );
}
