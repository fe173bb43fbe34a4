//! The service is killed: sessions keep running, and the next service finds all of them unchanged.

use std::{
    collections::BTreeMap,
    fs,
    io::{Read as _, Write as _},
    net::TcpStream,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
    time::Duration,
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde_json::{Value, json};
use testkit::{TestHome, wait_for};

use super::Home;
use crate::app::{SESSIONS, THE_LOOP};

fn pids(home: &Home) -> BTreeMap<String, u64> {
    let rows = home.report(&["standing", "list"]).0;
    let pid = |row: &Value| Some((row["name"].as_str()?.to_owned(), row["pid"].as_u64()?));
    rows.as_array().expect("rows").iter().filter_map(pid).collect()
}

/// Kills the service and waits until the kernel has let go of its lock.
fn kill_service(home: &Home) {
    let pid = home.pid();
    kill(Pid::from_raw(i32::try_from(pid).expect("a pid fits")), Signal::SIGKILL).expect("it lived");
    wait_for("its end", || (home.report(&["status"]).0["services"][0]["running"] == false).then_some(()));
}

/// Returns the demo agent's transcripts, which hold the messages it received.
fn transcripts(home: &Home) -> String {
    fn walk(dir: &std::path::Path, text: &mut String) {
        for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
            if entry.path().is_dir() {
                walk(&entry.path(), text);
            } else {
                text.push_str(&fs::read_to_string(entry.path()).unwrap_or_default());
            }
        }
    }
    let mut text = String::new();
    walk(&home.home.home().join(".the-loop-demo"), &mut text);
    text
}

#[test]
fn killed_under_load_no_session_dies_and_no_message_is_half() {
    const NAMES: [&str; 3] = ["a", "b", "c"];
    let builder = TestHome::builder().exe(THE_LOOP);
    let home = Home::of(NAMES.iter().fold(builder, |home, name| home.declare(json!({ "name": name }))).build());
    home.start();
    let before = pids(&home);
    assert_eq!(before.len(), NAMES.len());
    let (done, sent) = (AtomicBool::new(false), AtomicUsize::new(0));
    thread::scope(|threads| {
        for name in NAMES {
            let (home, done, sent) = (&home, &done, &sent);
            threads.spawn(move || {
                while !done.load(Ordering::Relaxed) {
                    let http = home.http();
                    // Between a kill and the next start nobody listens.
                    let Ok(mut stream) = TcpStream::connect(http.authority()) else {
                        thread::sleep(Duration::from_millis(5));
                        continue;
                    };
                    let number = sent.fetch_add(1, Ordering::Relaxed);
                    let text = format!("begin-{number}; {} end-{number};", "word ".repeat(400));
                    let request = http.posting(&format!("{SESSIONS}/say"), &json!({ "name": name, "text": text }));
                    // Whether it was taken and answered is what the kill decides.
                    let _ = stream.write_all(request.as_bytes()).and_then(|()| stream.read_to_end(&mut Vec::new()));
                }
            });
        }
        for _ in 0..3 {
            let so_far = sent.load(Ordering::Relaxed);
            wait_for("some messages", || (sent.load(Ordering::Relaxed) > so_far + 9).then_some(()));
            kill_service(&home);
            home.start();
        }
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!(pids(&home), before, "every session is the one it was");
    let (status, code) = home.report(&["status"]);
    assert_eq!((code, &status["ok"]), (0, &json!(true)), "{status:#}");
    let written = transcripts(&home);
    let (mut whole, mut half) = (0, Vec::new());
    for number in 0..sent.load(Ordering::Relaxed) {
        match ["begin", "end"].map(|part| written.contains(&format!("{part}-{number};"))) {
            [true, true] => whole += 1,
            [false, false] => {}
            [..] => half.push(number),
        }
    }
    assert_eq!(half, Vec::<usize>::new(), "messages that came in half");
    assert!(whole > 9, "{whole} messages arrived");
    home.run(&["stop"]);
}

#[test]
fn what_was_cut_short_is_finished_when_it_comes_up() {
    let home = Home::of(TestHome::builder().exe(THE_LOOP).build());
    for name in ["stopping", "deleting", "kept"] {
        home.run(&["standing", "create", name]);
    }
    for phase in ["stopping", "deleting"] {
        let path = home.home.records().join(format!("{phase}.json"));
        let mut record: Value = serde_json::from_str(&fs::read_to_string(&path).expect("a record")).expect("JSON");
        record["phase"] = json!(phase);
        fs::write(&path, record.to_string()).expect("written");
    }
    assert_eq!(home.run(&["start", "--service-only", "--port", "0"]).code, 0);
    wait_for("the stop and the delete to be finished", || {
        (home.home.tmux().sessions() == ["loop-standing-kept"]).then_some(())
    });
    wait_for("it to be logged", || (home.log().matches("completed an interrupted command").count() == 2).then_some(()));
    assert!(!home.home.records().join("deleting.json").exists());
    home.run(&["stop"]);
}

#[test]
fn a_stopped_process_is_not_mistaken_for_a_healthy_one() {
    let home = Home::of(TestHome::builder().exe(THE_LOOP).build());
    home.start();
    let pid = Pid::from_raw(i32::try_from(home.pid()).expect("a pid fits"));
    kill(pid, Signal::SIGSTOP).expect("it lives");
    let (status, code) = home.report(&["status"]);
    kill(pid, Signal::SIGCONT).expect("it lives");
    let service = &status["services"][0];
    assert_eq!((code, &service["running"], &service["healthy"]), (1, &json!(true), &json!(false)), "{status:#}");
    assert_eq!(home.report(&["status"]).1, 0);
}
