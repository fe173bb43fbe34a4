//! Measures the idle service: its memory, the processes that it starts, and its wake-ups.

use std::{
    env, fs,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use serde_json::json;
use testkit::{StubSlack, TestHome, TestService, wait_within};

use crate::{
    rest::begun,
    table::{Aim, Table},
};

/// Duration of the measurement.
const MINUTE: Duration = Duration::from_mins(1);

/// Time for the effects of starting sessions and streams to end.
const SETTLE: Duration = Duration::from_secs(15);

const SESSIONS: usize = 5;

/// Streams that are open during a measurement.
#[derive(Clone, Copy, Debug, Default)]
struct Open {
    pages: usize,
    streams: usize,
    slack: bool,
}

pub(crate) fn run(exe: &Path, table: &mut Table) {
    let home = TestHome::builder().exe(exe).build();
    let service = TestService::start(exe, &home);
    println!(
        "idle service: {:.1} MiB resident, {:.1} MiB of it its own",
        field(&service, "VmRSS"),
        field(&service, "RssAnon")
    );
    drop(service);
    at_rest(exe, "nothing open", Open::default(), &Aim::Most(10.0, ""), table);
    at_rest(exe, "a page open", Open { pages: 1, ..Open::default() }, &Aim::Most(30.0, ""), table);
    let all = Open { pages: 1, streams: 1, slack: true };
    at_rest(exe, "a page, a stream and Slack", all, &Aim::None, table);
    at_rest(exe, "Slack and 20 streams", Open { pages: 0, streams: 20, slack: true }, &Aim::None, table);
}

/// Returns a field of the process's status, in MiB.
fn field(service: &TestService, key: &str) -> f64 {
    let status = fs::read_to_string(format!("/proc/{}/status", service.pid())).expect("it lives");
    let line = status.lines().find(|line| line.starts_with(key)).unwrap_or_default();
    line.split_ascii_whitespace().nth(1).and_then(|kilobytes| kilobytes.parse::<f64>().ok()).unwrap_or_default()
        / 1024.0
}

/// Measures the activity of a service with some sessions during an idle minute.
fn at_rest(exe: &Path, what: &str, open: Open, wakeups_aim: &Aim, table: &mut Table) {
    let Open { pages, streams, slack } = open;
    let home = TestHome::builder()
        .exe(exe)
        .set("/channels/slack/enabled", json!(slack))
        .set("/channels/slack/channel", json!("#ops"))
        .set("/channels/slack/authorizedUsers", json!(["U0ANN"]))
        .set("/channels/slack/read/mode", json!("socket"))
        .set("/service/stream/maxSubscribers", json!((pages + streams).max(1)))
        .build();
    let stub = StubSlack::start();
    let calls = home.path().join("calls");
    let path = counted(&home, &calls);
    let service = TestService::start_with(exe, &home, |command| {
        // Other servers of this user must not count, nor wake it.
        command.envs(stub.vars()).env("PATH", path).env("TMUX_TMPDIR", home.path());
    });
    for number in 0..SESSIONS {
        let body = json!({ "name": format!("s{number}"), "harness": "demo", "slackEnabled": slack });
        let answer = service.http().post("/api/v1/standing-sessions/create", &body);
        assert_eq!(answer.json()["ok"], true, "{answer:?}");
    }
    let announced = |number| {
        let text = fs::read_to_string(home.records().join(format!("s{number}.json"))).unwrap_or_default();
        !text.contains("\"slackThread\":\"\"") && text.contains("slackThread")
    };
    if slack {
        wait_within(MINUTE, "the announcements", || (0..SESSIONS).all(announced).then_some(()));
    }
    let first = |path| begun(&service, path, "event: resync");
    let mut open: Vec<_> = (0..streams).map(|_| first("/api/v1/stream")).collect();
    open.extend((0..pages).map(|_| begun(&service, "/app/stream?after=0", "event: mode")));
    thread::sleep(SETTLE);
    let count = || fs::read_to_string(&calls).unwrap_or_default().lines().count();
    let (calls_before, wakeups_before, since) = (count(), wakeups(&service), Instant::now());
    thread::sleep(MINUTE);
    let minutes = since.elapsed().as_secs_f64() / 60.0;
    #[expect(clippy::cast_precision_loss, reason = "a few thousand")]
    let a_minute = |number: usize| number as f64 / minutes;
    let (calls, wakeups) =
        (a_minute(count() - calls_before), a_minute(wakeups(&service).saturating_sub(wakeups_before)));
    let row = |table: &mut Table, of: &str, value: f64, aim: &Aim| {
        let what = format!("{of} a minute at rest, {SESSIONS} sessions, {what}");
        table.row(&what, value, &format!("{value:.0}"), "-", aim);
    };
    row(table, "processes", calls, &Aim::Most(0.0, ""));
    row(table, "wakeups", wakeups, wakeups_aim);
    drop(open);
}

/// Installs a `tmux` that logs its calls, and returns the PATH that has it first.
fn counted(home: &TestHome, calls: &Path) -> String {
    let (folder, path) = (home.path().join("counted"), env::var("PATH").expect("a PATH"));
    let real = env::split_paths(&path).map(|dir| dir.join("tmux")).find(|tmux| tmux.exists()).expect("installed");
    fs::create_dir(&folder).expect("a folder");
    let script = format!("#!/bin/sh\necho \"$*\" >> '{}'\nexec '{}' \"$@\"\n", calls.display(), real.display());
    fs::write(folder.join("tmux"), script).expect("a program");
    fs::set_permissions(folder.join("tmux"), fs::Permissions::from_mode(0o755)).expect("permissions");
    format!("{}:{path}", folder.display())
}

/// Counts the waits of the service's threads for an event so far.
fn wakeups(service: &TestService) -> usize {
    let tasks = fs::read_dir(format!("/proc/{}/task", service.pid())).expect("it lives");
    let of_thread = tasks.flatten().map(|task| {
        let status = fs::read_to_string(task.path().join("status")).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
        line.and_then(|count| count.trim().parse::<usize>().ok()).unwrap_or_default()
    });
    of_thread.sum()
}
