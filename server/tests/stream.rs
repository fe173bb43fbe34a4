//! The stream of a real service, as a client that stays on the line reads it.

use std::{
    fs::OpenOptions,
    io::{BufRead as _, BufReader, Write as _},
    net::TcpStream,
    time::Duration,
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde_json::{Value, json};
use standing::{ControlRequest, ControlVerb, config::Service};
use testkit::{Http, TestHome, TestService, wait_for};

use crate::app::{App, SESSIONS, THE_LOOP, problem};

const STREAM: &str = "/api/v1/stream";

/// A client that reads event by event.
struct Listener {
    lines: BufReader<TcpStream>,
    status: u16,
    head: Vec<String>,
}

/// One event, or a comment, or an id alone.
#[derive(Debug, Default)]
struct Event {
    name: String,
    id: Option<u64>,
    data: Option<Value>,
    comment: bool,
}

impl Listener {
    fn open(http: &Http, last_seen: Option<&str>) -> Self {
        let mut stream = TcpStream::connect(http.authority()).expect("the service listens");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a read timeout");
        let last_seen = last_seen.map(|id| format!("last-event-id: {id}\r\n")).unwrap_or_default();
        let head = format!("GET {STREAM} HTTP/1.1\r\nhost: {}\r\naccept: text/event-stream\r\n", http.authority());
        stream.write_all(format!("{head}{last_seen}\r\n").as_bytes()).expect("asked");
        let mut listener = Self { lines: BufReader::new(stream), status: 0, head: Vec::new() };
        let first = listener.line().expect("an answer");
        listener.status = first.split(' ').nth(1).and_then(|word| word.parse().ok()).expect("a status");
        while let Some(line) = listener.line().filter(|line| !line.is_empty()) {
            listener.head.push(line.to_ascii_lowercase());
        }
        listener
    }

    /// A line without its end; none once the service has closed.
    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = self.lines.read_line(&mut line).expect("the service writes or closes");
        (read > 0).then(|| line.trim_end_matches(['\r', '\n']).to_owned())
    }

    fn next(&mut self) -> Option<Event> {
        let mut event = Event::default();
        let mut begun = false;
        loop {
            let line = self.line()?;
            // Between two events stand the sizes of the chunks that carry them.
            let Some((field, value)) = line.split_once(':') else {
                if begun && line.is_empty() {
                    return Some(event);
                }
                continue;
            };
            begun = true;
            let value = value.trim();
            match field {
                "" => event.comment = true,
                "event" => value.clone_into(&mut event.name),
                "id" => event.id = value.parse().ok(),
                "data" => event.data = Some(serde_json::from_str(value).expect("JSON")),
                "retry" => {}
                other => panic!("unknown field {other}"),
            }
        }
    }

    /// The data and id of the next event that is wanted; those before it are passed over.
    fn until(&mut self, name: &str, wanted: impl Fn(&Value) -> bool) -> (Value, Option<u64>) {
        loop {
            let event = self.next().expect("the stream goes on");
            if let Some(data) = event.data.filter(|data| event.name == name && wanted(data)) {
                return (data, event.id);
            }
        }
    }

    fn until_it_begins(&mut self) {
        self.until("resync", |data| data["reason"] == "begin");
    }
}

fn create(http: &Http, name: &str) {
    let answer = http.post(&format!("{SESSIONS}/create"), &json!({ "name": name, "start": false }));
    assert_eq!(answer.status, 200, "{answer:?}");
}

fn append(home: &TestHome, text: &str) {
    let path = home.project().join(".the-loop/logs/events.jsonl");
    let mut file = OpenOptions::new().append(true).open(path).expect("the log is there");
    file.write_all(text.as_bytes()).expect("appended");
}

#[test]
fn what_happens_is_told_and_a_client_that_comes_back_misses_nothing() {
    let home = TestHome::builder().exe(THE_LOOP).build();
    let service = TestService::start(THE_LOOP, &home);
    let http = service.http();
    create(&http, "before");
    let mut first = Listener::open(&http, None);
    assert_eq!(first.status, 200);
    for header in ["content-type: text/event-stream", "cache-control: no-store", "x-accel-buffering: no"] {
        assert!(first.head.iter().any(|line| line == header), "{:?}", first.head);
    }
    let begin = first.next().expect("an id to come back with");
    assert!(begin.id.is_some() && begin.data.is_none(), "{begin:?}");
    first.until_it_begins();
    create(&http, "ops");
    let (change, id) = first.until("session", |data| data["name"] == "ops");
    assert_eq!((&change["listed"], &change["state"], id), (&json!(true), &json!("stopped"), None));
    drop(first);

    // Missed while nobody listened, and replayed: all of it, once, in order.
    create(&http, "missed");
    http.post(&format!("{SESSIONS}/delete"), &json!({ "name": "missed" }));
    let mut second = Listener::open(&http, begin.id.map(|id| id.to_string()).as_deref());
    let mut told = Vec::new();
    while told.len() < 3 {
        let (line, id) = second.until("log", |line| line["event"] != "log.rotated");
        told.push((line["event"].clone(), line["standing"].clone(), id.expect("an id")));
    }
    let events: Vec<_> = told.iter().map(|(event, standing, _)| (event.clone(), standing.clone())).collect();
    let expected = [("standing.created", "ops"), ("standing.created", "missed"), ("standing.deleted", "missed")];
    assert_eq!(events, expected.map(|(event, standing)| (json!(event), json!(standing))));
    assert!(told.windows(2).all(|pair| pair[0].2 < pair[1].2), "{told:?}");

    http.post(&format!("{SESSIONS}/delete"), &json!({ "name": "ops" }));
    let (change, _) = second.until("session", |data| data["name"] == "ops");
    assert_eq!((&change["listed"], &change["state"]), (&json!(false), &json!("absent")));
}

#[test]
fn a_place_in_the_log_that_is_not_kept_is_told_of() {
    let home = TestHome::builder().exe(THE_LOOP).build();
    let service = TestService::start(THE_LOOP, &home);
    create(&service.http(), "ops");
    for unknown in ["99999999", "nonsense"] {
        let mut listener = Listener::open(&service.http(), Some(unknown));
        listener.until("resync", |data| data["reason"] == "log");
    }
}

#[test]
fn a_config_that_breaks_is_told_of_and_so_is_its_mending() {
    let home = TestHome::builder().exe(THE_LOOP).build();
    let service = TestService::start(THE_LOOP, &home);
    let mut listener = Listener::open(&service.http(), None);
    listener.until_it_begins();
    let good = home.config().to_string();
    home.write_config("standingSessions: nonsense\n");
    let (told, _) = listener.until("problem", |_| true);
    assert_eq!(told["code"], "misconfigured");
    home.write_config(&good);
    listener.until("resync", |data| data["reason"] == "listed");
}

#[test]
fn there_is_room_for_so_many_and_a_client_that_leaves_makes_room() {
    let home = TestHome::builder().exe(THE_LOOP).set("/service/stream/maxSubscribers", json!(2)).build();
    let service = TestService::start(THE_LOOP, &home);
    let http = service.http();
    let open = [Listener::open(&http, None), Listener::open(&http, None)];
    assert_eq!(open.each_ref().map(|listener| listener.status), [200, 200]);
    let refused = http.get(STREAM);
    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("10")), "{refused:?}");
    assert_eq!(refused.json()["code"], "too-many");
    drop(open);
    wait_for("room", || (Listener::open(&http, None).status == 200).then_some(()));
}

#[test]
fn five_hundred_idle_clients_do_not_stop_it() {
    let home = TestHome::builder().exe(THE_LOOP).set("/service/stream/maxSubscribers", json!(500)).build();
    let service = TestService::start(THE_LOOP, &home);
    let http = service.http();
    let mut idle: Vec<Listener> = (0..500).map(|_| Listener::open(&http, None)).collect();
    assert!(idle.iter().all(|listener| listener.status == 200));
    assert_eq!(http.get(STREAM).status, 503, "there is an end to it");
    create(&http, "ops");
    assert_eq!(http.get(&format!("{SESSIONS}/one?name=ops")).status, 200);
    append(&home, "{\"event\":\"last\"}\n");
    for listener in [0, 499] {
        idle[listener].until("log", |line| line["event"] == "last");
    }
}

#[test]
fn a_silent_stream_says_that_it_is_alive_and_ends_with_the_service() {
    let home = TestHome::builder().exe(THE_LOOP).set("/service/stream/keepAliveSeconds", json!(1)).build();
    let mut service = TestService::start(THE_LOOP, &home);
    let mut listener = Listener::open(&service.http(), None);
    listener.until_it_begins();
    assert!(listener.next().expect("a comment").comment);
    assert_eq!(service.stop().code(), Some(0));
    while listener.next().is_some() {}
    assert!(!service.log().contains("requests still open"), "{}", service.log());
}

#[test]
fn nothing_piles_up_for_a_client_that_does_not_read() {
    let home = TestHome::builder().exe(THE_LOOP).build();
    let service = TestService::start(THE_LOOP, &home);
    let http = service.http();
    create(&http, "ops");
    let mut deaf = Listener::open(&http, None);
    deaf.until_it_begins();
    let mut listener = Listener::open(&http, None);
    listener.until_it_begins();
    let before = resident(service.pid());
    let line = json!({ "event": "test", "pad": "x".repeat(1000) }).to_string() + "\n";
    for _ in 0..24 {
        append(&home, &line.repeat(1000));
    }
    append(&home, "{\"event\":\"last\"}\n");
    listener.until("log", |line| line["event"] == "last");
    let grown = resident(service.pid()).saturating_sub(before);
    assert!(grown < 12 * 1024, "24 MB were read by one client and not by another, and {grown} KiB were kept");
}

/// The memory of a process, in KiB.
fn resident(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("it lives");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a size");
    line.trim().trim_end_matches(" kB").trim().parse().expect("a number")
}

#[tokio::test]
async fn it_can_be_switched_off() {
    let app = App::over(
        TestHome::builder().exe(THE_LOOP).set("/service/stream/enabled", json!(false)).build(),
        &Service::default(),
    );
    problem(&app.get(STREAM).await, 404, "no-route");
}

/// A service with a session that runs, and a client that is told of it.
fn watched() -> (TestHome, TestService, Listener) {
    let home = TestHome::builder().exe(THE_LOOP).build();
    let service = TestService::start(THE_LOOP, &home);
    let answer = service.http().post(&format!("{SESSIONS}/create"), &json!({ "name": "ops" }));
    assert_eq!(answer.json()["ok"], true, "{answer:?}");
    let mut listener = Listener::open(&service.http(), None);
    listener.until_it_begins();
    (home, service, listener)
}

fn row(http: &Http, name: &str) -> Value {
    let rows = http.get(SESSIONS).json();
    rows.as_array().expect("rows").iter().find(|row| row["name"] == name).cloned().unwrap_or_default()
}

// Each of these is told by tmux or the kernel: a survey would find it only after the minute that a client waits in vain.

#[test]
fn what_happens_in_tmux_is_told() {
    let (home, service, mut listener) = watched();
    let before = row(&service.http(), "ops");
    assert!(before["memory"].as_u64() > Some(0) && before["lastLine"].is_string(), "{before:#}");
    let pid = i32::try_from(before["pid"].as_i64().expect("it runs")).expect("a pid fits");
    kill(Pid::from_raw(pid), Signal::SIGKILL).expect("killed");
    listener.until("session", |data| data["name"] == "ops" && data["state"] == "ended");
    home.tmux().run(&["kill-session", "-t", "=loop-standing-ops"]);
    listener.until("session", |data| data["name"] == "ops" && data["state"] == "stopped");
    // By another process, which writes a record and makes a session.
    let start = ControlRequest { name: "ops".to_owned(), verb: ControlVerb::Start };
    assert!(home.the_loop().standing().control(&start).expect("a report").ok);
    listener.until("session", |data| data["name"] == "ops" && data["state"] == "running");
    let works = json!({ "name": "works", "harnessArgs": ["--fault", "busy=600000"] });
    assert_eq!(service.http().post(&format!("{SESSIONS}/create"), &works).status, 200);
    listener.until("session", |data| data["name"] == "works" && data["activity"] == "busy");
}

#[test]
fn a_list_beside_a_stream_holds_what_was_done_before_it() {
    let (home, service, _listener) = watched();
    let http = service.http();
    for verb in ["stop", "start"] {
        let answer = http.post(&format!("{SESSIONS}/control"), &json!({ "name": "ops", "verb": verb }));
        assert_eq!(answer.json()["ok"], true, "{answer:?}");
        assert_eq!(row(&http, "ops")["running"], verb == "start", "by this process: {verb}");
    }
    for (number, verb) in [ControlVerb::Stop, ControlVerb::Start].into_iter().enumerate() {
        let request = ControlRequest { name: "ops".to_owned(), verb };
        assert!(home.the_loop().standing().control(&request).expect("a report").ok);
        assert_eq!(row(&http, "ops")["running"], number == 1, "by another process: {verb:?}");
    }
}

#[test]
fn a_server_that_stands_still_makes_every_row_unknown_until_it_goes_on() {
    let (home, service, mut listener) = watched();
    let said = home.tmux().run(&["display-message", "-p", "#{pid}"]);
    let server = Pid::from_raw(String::from_utf8_lossy(&said.stdout).trim().parse().expect("a server"));
    kill(server, Signal::SIGSTOP).expect("stopped");
    let blind = wait_for("an unknown row", || {
        let row = row(&service.http(), "ops");
        (row["state"] == "unknown").then_some(row)
    });
    assert!(!blind["since"].as_str().expect("a time").is_empty() && blind["status"] == "running", "{blind:#}");
    listener.until("session", |data| data["state"] == "unknown" && data["status"] == "running");
    kill(server, Signal::SIGCONT).expect("goes on");
    listener.until("session", |data| data["state"] == "running");
    assert_eq!(row(&service.http(), "ops")["state"], "running");
}

#[test]
fn a_server_that_is_killed_is_seen_and_so_is_the_next_one() {
    let (home, service, mut listener) = watched();
    let said = home.tmux().run(&["display-message", "-p", "#{pid}"]);
    let server = Pid::from_raw(String::from_utf8_lossy(&said.stdout).trim().parse().expect("a server"));
    kill(server, Signal::SIGKILL).expect("killed");
    listener.until("session", |data| data["state"] == "stopped");
    let answer = service.http().post(&format!("{SESSIONS}/control"), &json!({ "name": "ops", "verb": "start" }));
    assert_eq!(answer.json()["ok"], true, "{answer:?}");
    listener.until("session", |data| data["state"] == "running");
    home.tmux().run(&["kill-session", "-t", "=loop-standing-ops"]);
    listener.until("session", |data| data["state"] == "stopped");
}

#[test]
fn nothing_of_the_watcher_is_left_when_its_service_is_killed() {
    let (home, mut service, _listener) = watched();
    let watches = || home.tmux().sessions().iter().any(|name| name.starts_with("loop-watch-"));
    wait_for("the watcher's session", || watches().then_some(()));
    service.kill();
    wait_for("its end", || (!watches()).then_some(()));
    assert_eq!(home.tmux().sessions(), ["loop-standing-ops"]);
}
