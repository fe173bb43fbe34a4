//! At rest: with Slack on and many streams open, nothing that a person would call work is done.

use std::{
    env, fs,
    io::{BufRead as _, BufReader, Write as _},
    net::TcpStream,
    os::unix::fs::PermissionsExt as _,
    path::PathBuf,
    thread,
    time::{Duration, Instant},
};

use serde_json::json;
use testkit::{TestService, wait_within};

use crate::stage::{Stage, THE_LOOP, done, in_slack};

const STREAMS: usize = 20;

/// How long nothing may happen: the pollers of old started a process each second and two each third.
const REST: Duration = Duration::from_secs(8);

/// A `tmux` that writes down its calls, for the service alone.
fn counted(stage: &Stage) -> (PathBuf, String) {
    let (folder, calls) = (stage.home.path().join("counted"), stage.home.path().join("calls"));
    let path = env::var("PATH").expect("a PATH");
    let real = env::split_paths(&path).map(|dir| dir.join("tmux")).find(|tmux| tmux.exists()).expect("installed");
    fs::create_dir(&folder).expect("a folder");
    let script = format!("#!/bin/sh\necho \"$*\" >> '{}'\nexec '{}' \"$@\"\n", calls.display(), real.display());
    fs::write(folder.join("tmux"), script).expect("a program");
    fs::set_permissions(folder.join("tmux"), fs::Permissions::from_mode(0o755)).expect("permissions");
    (calls, format!("{}:{path}", folder.display()))
}

fn stream(service: &TestService) -> BufReader<TcpStream> {
    let http = service.http();
    let mut stream = TcpStream::connect(http.authority()).expect("the service listens");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a read timeout");
    write!(stream, "GET /api/v1/stream HTTP/1.1\r\nhost: {}\r\n\r\n", http.authority()).expect("asked");
    let mut lines = BufReader::new(stream);
    until(&mut lines, "event: resync");
    lines
}

fn until(lines: &mut BufReader<TcpStream>, wanted: &str) {
    let mut line = String::new();
    while !line.contains(wanted) {
        line.clear();
        assert!(lines.read_line(&mut line).expect("the stream goes on") > 0);
    }
}

#[test]
fn no_process_is_started_and_every_change_is_told_all_the_same() {
    let stage = Stage::of(Stage::builder().set("/service/stream/maxSubscribers", json!(STREAMS)));
    let (calls, path) = counted(&stage);
    let service = TestService::start_with(THE_LOOP, &stage.home, |command| {
        command.envs(stage.slack.vars()).env("PATH", path);
    });
    stage.until_it_hears();
    for name in ["ops", "more"] {
        done(&service.http(), "create", &in_slack(name));
        stage.thread(name);
    }
    let mut streams: Vec<_> = (0..STREAMS).map(|_| stream(&service)).collect();
    let count = || fs::read_to_string(&calls).unwrap_or_default().lines().count();
    // What was begun by the starts comes to its end first.
    let rested = wait_within(REST * 8, "rest", || {
        let (before, begun) = (count(), Instant::now());
        while begun.elapsed() < REST {
            thread::sleep(Duration::from_millis(100));
        }
        (count() == before).then_some(before)
    });
    let listed = service.http().get("/api/v1/standing-sessions").json();
    assert!(listed.as_array().expect("rows").iter().all(|row| row["running"] == json!(true)), "{listed:#}");
    // A page that is open asks again and again, screens included.
    for _ in 0..5 {
        let page = service.http().get("/");
        assert!(page.status == 200 && page.body.contains("id=\"session-ops\""), "{}", page.body);
    }
    stage.home.tmux().run(&["kill-session", "-t", "=loop-standing-more"]);
    for stream in &mut streams {
        until(stream, r#""state":"stopped""#);
    }
    assert_eq!(count(), rested, "{}", fs::read_to_string(&calls).expect("calls"));
}
