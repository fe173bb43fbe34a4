//! The process in the background: one at a time, on its own, and honest about how it came up.

use std::{fs, net::TcpListener, os::unix::fs::PermissionsExt as _, process::Stdio, thread};

use serde_json::{Value, json};
use testkit::{TestHome, assert_nothing_spawned, marked, wait_for};

use super::{Home, stat};
use crate::app::{Said, THE_LOOP};

fn home() -> Home {
    Home::of(TestHome::builder().exe(THE_LOOP).build())
}

#[test]
fn it_is_on_its_own() {
    let home = home();
    let mut start = home.home.command(THE_LOOP);
    start.args(["start", "--service-only", "--port", "0"]).stdin(Stdio::null());
    // As it is where an agent in a session of ours types it: the service must outlive that session's stop.
    start.envs([("THE_LOOP_ID", "someone"), ("THE_LOOP_SESSION", "ops"), ("TMUX", "/tmp/x,1,0"), ("CLAUDECODE", "1")]);
    let said = Said::of(&start.output().expect("runs"));
    assert_eq!(said.code, 0, "{said:#?}");
    let pid = home.pid();
    assert_eq!(stat(pid, 6), i64::from(pid), "it leads a session of its own");
    assert_eq!(stat(pid, 7), 0, "it has no terminal");
    assert_eq!(fs::read_link(format!("/proc/{pid}/cwd")).expect("its folder"), std::path::Path::new("/"));
    let open = |fd: u32| fs::read_link(format!("/proc/{pid}/fd/{fd}")).expect("open").display().to_string();
    assert_eq!(open(0), "/dev/null");
    wait_for("it to let go of the pipe", || (open(1) == "/dev/null").then_some(()));
    assert!(open(2).ends_with(".the-loop/logs/service.log"), "{}", open(2));
    let environment = fs::read_to_string(format!("/proc/{pid}/environ")).expect("its environment");
    for mark in ["THE_LOOP_ID=", "THE_LOOP_SESSION=", "TMUX=", "CLAUDECODE="] {
        assert!(!environment.contains(mark), "{mark} in {environment:?}");
    }
    // It says that it is ready before it logs so.
    wait_for("its first line", || home.log().contains("listening").then_some(()));
    assert!(!home.log().contains('\u{1b}'), "no colours in a file");
    for file in ["local/service.pid", "local/service.json", "logs/service.log"] {
        let path = home.home.project().join(".the-loop").join(file);
        assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600, "{file}");
    }
    assert_eq!(fs::read_to_string(home.local("service.pid")).expect("there"), format!("{pid}\n"));
}

#[test]
fn open_tells_where_it_really_is() {
    let home = home();
    let idle = home.run(&["open"]);
    assert_eq!((idle.code, idle.out.as_str()), (0, "http://127.0.0.1:4114/#/standing\n"));
    assert!(idle.err.contains("the-loop start"), "{}", idle.err);
    home.start();
    let told = home.run(&["open"]);
    let address = home.details()["address"].as_str().expect("an address").to_owned();
    assert_eq!((told.code, told.out.trim_end(), told.err.as_str()), (0, address.as_str(), ""));
    home.home.reconfigure("/service/auth/mode", json!("token"));
    let told = home.run(&["open"]).out;
    assert!(told.starts_with(&format!("{}#code=", address.trim_end_matches("#/standing"))), "{told}");
}

#[test]
fn row_14_a_second_one_leaves_before_any_side_effect() {
    let home = home();
    home.start();
    let pid = home.pid();
    let seen = || (fs::read_to_string(home.local("service.json")).expect("there"), home.home.events(), home.log());
    wait_for("it to have told of itself", || {
        (home.log().contains("listening") && !home.home.events().is_empty()).then_some(())
    });
    let before = seen();
    assert_nothing_spawned(&home.home, || {
        let said = home.run(&["serve", "--port", "0"]);
        assert_eq!((said.code, said.out.as_str()), (1, ""), "{said:#?}");
        assert!(said.err.contains(&format!("already running (pid {pid})")), "{}", said.err);
    });
    assert_eq!(seen(), before);
}

#[test]
fn many_starts_at_once_make_one_service() {
    let home = home();
    let rows: Vec<Value> = thread::scope(|threads| {
        let start = || home.report(&["start", "--port", "0"]).0["services"][0].clone();
        let starting: Vec<_> = (0..8).map(|_| threads.spawn(start)).collect();
        starting.into_iter().map(|one| one.join().expect("no panic")).collect()
    });
    let count = |outcome: &str| rows.iter().filter(|row| row["outcome"] == outcome).count();
    assert_eq!((count("started"), count("already-running")), (1, 7), "{rows:#?}");
    assert!(rows.iter().all(|row| row["pid"] == home.pid() && row["running"] == true), "{rows:#?}");
    wait_for("those that came too late to be gone", || (marked(home.home.marker()).len() == 1).then_some(()));
}

#[test]
fn what_keeps_it_from_coming_up_is_said_and_the_sessions_start_all_the_same() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port();
    let home = TestHome::builder().exe(THE_LOOP).declare(json!({ "name": "ops" })).set("/service/port", json!(port));
    let home = Home::of(home.build());
    let (report, code) = home.report(&["start"]);
    let row = &report["services"][0];
    assert_eq!((code, &row["outcome"], &report["ok"]), (1, &json!("failed"), &json!(false)), "{report:#}");
    assert!(row["detail"].as_str().expect("text").contains(&format!("port {port}")), "{row:#}");
    assert_eq!(report["standingSessions"][0]["outcome"], "started");
    let said = home.run(&["start"]);
    assert!(said.err.contains("service  failed  port"), "{}", said.err);
    home.run(&["stop"]);
    let exposed = home.report(&["start", "--service-only", "--host", "0.0.0.0"]);
    assert!(exposed.1 == 2 && exposed.0["services"][0]["detail"].as_str().expect("text").contains("service.exposed"));
}

#[test]
fn a_lock_that_cannot_be_had_is_named() {
    let home = home();
    fs::create_dir_all(home.local("service.pid")).expect("a folder in its place");
    let (report, code) = home.report(&["start", "--service-only", "--port", "0"]);
    let row = &report["services"][0];
    assert_eq!((code, &row["outcome"]), (1, &json!("failed")), "{report:#}");
    assert!(row["detail"].as_str().expect("text").contains("local/service.pid"), "{row:#}");
    fs::remove_dir(home.local("service.pid")).expect("removed");
}

#[test]
fn a_pid_in_the_file_means_nothing_without_the_lock() {
    let home = home();
    fs::create_dir_all(home.home.project().join(".the-loop/local")).expect("made");
    // A stranger that got the pid of a service that was killed: this test.
    let me = std::process::id();
    fs::write(home.local("service.pid"), format!("{me}\n")).expect("written");
    fs::write(
        home.local("service.json"),
        json!({ "pid": me, "address": "http://127.0.0.1:1/", "version": "0", "startedAt": "" }).to_string(),
    )
    .expect("written");
    assert_eq!(home.report(&["status"]).0["services"][0]["running"], false);
    assert_eq!(home.report(&["stop"]).0["services"][0]["outcome"], "not-running");
    home.start();
    assert_ne!(home.pid(), me);
}

#[test]
fn a_lock_that_another_program_holds_is_respected_and_its_process_left_alone() {
    let home = home();
    fs::create_dir_all(home.home.project().join(".the-loop/local")).expect("made");
    fs::write(home.local("service.pid"), "999999999\n").expect("written");
    let file = fs::File::options().read(true).write(true).open(home.local("service.pid")).expect("opened");
    file.try_lock().expect("free");
    let (report, _) = home.report(&["start", "--service-only", "--port", "0"]);
    assert_eq!(report["services"][0]["outcome"], "already-running", "{report:#}");
    let (report, code) = home.report(&["status"]);
    let row = &report["services"][0];
    assert_eq!((code, &row["running"], row.get("healthy")), (0, &json!(true), None), "as the start has it: {report:#}");
    let (report, code) = home.report(&["stop"]);
    assert_eq!((code, &report["services"][0]["outcome"]), (1, &json!("failed")), "{report:#}");
    drop(file);
    assert_eq!(home.report(&["stop"]).1, 0);
}

#[test]
fn its_log_makes_room() {
    let home = home();
    let log = home.home.project().join(".the-loop/logs/service.log");
    fs::create_dir_all(log.parent().expect("a folder")).expect("made");
    fs::write(&log, "old\n".repeat(9 * 1024 * 1024 / 4)).expect("written");
    home.start();
    wait_for("a new log", || home.log().contains("listening").then_some(()));
    assert!(!home.log().contains("old"), "the old lines made room");
    assert!(fs::metadata(log.with_extension("log.1")).expect("kept").len() > 8 * 1024 * 1024);
    let open = fs::read_link(format!("/proc/{}/fd/2", home.pid())).expect("open");
    assert_eq!(open, log, "panics go to the new one as well");
}

#[test]
fn a_link_in_place_of_its_log_is_not_followed() {
    let home = home();
    let victim = home.home.path().join("victim");
    fs::write(&victim, "theirs\n").expect("written");
    let logs = home.home.project().join(".the-loop/logs");
    fs::create_dir_all(&logs).expect("made");
    std::os::unix::fs::symlink(&victim, logs.join("service.log")).expect("linked");
    let (report, code) = home.report(&["start", "--service-only", "--port", "0"]);
    let row = &report["services"][0];
    assert_eq!((code, &row["outcome"]), (1, &json!("failed")), "{report:#}");
    assert!(row["detail"].as_str().expect("text").contains("logs/service.log: could not open the log"), "{row:#}");
    assert_eq!(fs::read_to_string(&victim).expect("there"), "theirs\n");
}
