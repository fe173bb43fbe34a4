//! Notifications, from a session that needs somebody to a target and back: the real service, real sessions with the
//! built-in agent, and a fake ntfy server and webhook on loopback.

mod stub;

use std::{fs, os::unix::fs::PermissionsExt as _, path::PathBuf, thread, time::Duration};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde_json::{Value, json};
use standing::{Activity, CreateRequest, Row};
use testkit::{Answer, Http, TestHome, TestService, wait_for};

use crate::app::{SESSIONS, Said, THE_LOOP};
use stub::{KEY, Stub, TOKEN};

const QUESTION: &str = "May I delete the folder build?";

/// A home with targets of each kind.
struct Stage {
    home: TestHome,
    stub: Stub,
}

impl Stage {
    fn new() -> Self {
        let stage = Self { home: TestHome::builder().exe(THE_LOOP).build(), stub: Stub::start() };
        for (file, secret) in [("ntfy", TOKEN), ("hook", KEY)] {
            let path = stage.secret(file);
            fs::write(&path, format!("{secret}\n")).expect("written");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("private");
        }
        stage
    }

    fn secret(&self, file: &str) -> PathBuf {
        self.home.path().join(format!("{file}.secret"))
    }

    /// Starts the service and makes its own address the public one.
    fn serve(&self) -> TestService {
        let service = TestService::start(THE_LOOP, &self.home);
        self.home.reconfigure("/service/publicUrl", json!(format!("http://{}", service.http().authority())));
        service
    }

    fn ntfy(&self) -> Value {
        json!({ "to": { "ntfy": { "url": self.stub.ntfy(), "token": { "file": self.secret("ntfy") } } } })
    }

    fn hook(&self) -> Value {
        let key = json!({ "command": ["cat", self.secret("hook")] });
        json!({ "to": { "webhook": { "url": self.stub.hook(), "key": key } } })
    }

    /// A program that adds what it reads to a file.
    fn command(&self) -> Value {
        let script = format!("cat >> {0}; echo >> {0}", self.told().display());
        json!({ "to": { "command": { "argv": ["/bin/sh", "-c", script] } } })
    }

    fn told(&self) -> PathBuf {
        self.home.path().join("told.jsonl")
    }

    /// The events that the program was told of, by session.
    fn events(&self, session: &str) -> Vec<String> {
        let text = fs::read_to_string(self.told()).unwrap_or_default();
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let of_session = lines.filter(|line| line["sessions"][0] == session);
        of_session.map(|line| line["event"].as_str().unwrap_or_default().to_owned()).collect()
    }

    fn notify(&self, targets: &[Value]) {
        self.home.reconfigure("/notify", json!(targets));
    }

    /// Creates a session that asks a question, and returns its row.
    fn asking(&self, name: &str) -> Row {
        let args = vec!["--fault".to_owned(), format!("dialog={QUESTION}")];
        let request = CreateRequest { harness_args: Some(args), ..CreateRequest::named(name) };
        assert!(self.home.the_loop().standing().create(&request).expect("created").ok, "{name}");
        self.once(name, Activity::Waiting)
    }

    fn once(&self, name: &str, activity: Activity) -> Row {
        wait_for(&format!("{name} to be {activity:?}"), || {
            let row = self.home.the_loop().standing().get(name).expect("a row");
            (row.activity == activity).then_some(row)
        })
    }

    fn end(&self) {
        self.home.the_loop().standing().stop_all().expect("a report");
    }

    fn run(&self, args: &[&str]) -> Said {
        Said::of(&self.home.command(THE_LOOP).args(args).output().expect("the binary runs"))
    }
}

/// Address of the action with this digit, below the service.
fn action(message: &Value, key: &str) -> String {
    let actions = message["actions"].as_array().unwrap_or_else(|| panic!("no actions: {message}"));
    let of_key = |action: &&Value| action["url"].as_str().is_some_and(|url| url.ends_with(&format!("/{key}")));
    let url = actions.iter().find(of_key).expect("an action")["url"].as_str().expect("an address").to_owned();
    url.splitn(4, '/').nth(3).map(|path| format!("/{path}")).expect("a path")
}

fn tap(http: &Http, path: &str) -> Answer {
    http.raw(&format!(
        "POST {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n",
        http.authority()
    ))
}

fn browse(http: &Http, path: &str) -> Answer {
    let accept = "accept: text/html\r\nsec-fetch-mode: navigate";
    http.raw(&format!("GET {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n{accept}\r\n\r\n", http.authority()))
}

#[test]
fn a_prompt_reaches_every_target_and_a_tap_answers_it_once() {
    let stage = Stage::new();
    let service = stage.serve();
    stage.notify(&[stage.ntfy(), stage.hook(), stage.command()]);
    let row = stage.asking("ops");
    let message = stage.stub.ring("ops");
    assert!(message["message"] == QUESTION && message["title"] == "ops is waiting for an answer", "{message}");
    wait_for("the webhook", || stage.stub.arrival("ops"));
    wait_for("the program", || (stage.events("ops") == ["needed"]).then_some(()));
    let hook = &stage.stub.hooks("ops", "needed")[0];
    assert_eq!((&hook["kind"], &hook["since"], &hook["text"]), (&json!("prompt"), &json!(row.since), &json!(QUESTION)));

    let needs = service.http().get("/api/v1/needs").json();
    assert_eq!((&needs[0]["kind"], &needs[0]["reason"]), (&json!("prompt"), &json!(QUESTION)), "{needs}");

    // A link preview, a browser and a wrong token answer nothing.
    let http = service.http();
    let path = action(&message, "2");
    let page = browse(&http, &path);
    assert!(
        page.status == 200 && page.body.matches("<button").count() == 1 && page.body.contains(QUESTION),
        "{page:?}"
    );
    let all = browse(&http, path.rsplit_once('/').expect("a path").0);
    assert_eq!(all.body.matches("<button").count(), row.choices.len(), "{all:?}");
    assert_eq!(tap(&http, &format!("/answer/{}/2", "0".repeat(64))).status, 410);
    assert_eq!(tap(&http, &path.replace("/2", "/9")).status, 410, "not one of its answers");
    assert_eq!(stage.once("ops", Activity::Waiting).question, QUESTION);

    let answered = tap(&http, &path);
    assert!(answered.status == 200 && answered.body.contains("ops: answered"), "{answered:?}");
    stage.once("ops", Activity::Idle);
    assert_eq!(tap(&http, &path).status, 410, "used");
    assert_eq!(tap(&http, &path.replace("/2", "/1")).status, 410, "and so is every answer of it");
    stage.stub.deleted(&message);
    wait_for("the webhook to be settled", || (stage.stub.hooks("ops", "settled").len() == 1).then_some(()));
    wait_for("the program to be told", || (stage.events("ops") == ["needed", "settled"]).then_some(()));
    assert_eq!((stage.stub.published("ops").len(), stage.stub.hooks("ops", "needed").len()), (1, 1));
    assert_eq!(stage.stub.refused(), [""; 0]);

    // Who answered is in the log; no secret is anywhere.
    let events = wait_for("the events", || {
        let events: String = stage.home.events().iter().map(Value::to_string).collect();
        let words = ["notify.sent", "notify.settled", "answer link"];
        words.iter().all(|word| events.contains(word)).then_some(events)
    });
    let token = path.split('/').nth(2).expect("a token");
    let kept: String = ["episodes.json", "links.json"]
        .map(|file| stage.home.project().join(".the-loop/notify").join(file))
        .map(|file| {
            assert_eq!(fs::metadata(&file).expect("there").permissions().mode() & 0o777, 0o600);
            fs::read_to_string(file).expect("read")
        })
        .concat();
    for place in [events, service.log(), kept] {
        for secret in [TOKEN, KEY, token, stub::TOPIC, QUESTION] {
            assert!(!place.contains(secret), "{secret} in {place}");
        }
    }
    stage.end();
}

#[test]
fn a_prompt_that_is_answered_elsewhere_is_withdrawn_and_its_link_says_so() {
    let stage = Stage::new();
    let service = stage.serve();
    stage.notify(&[stage.ntfy(), stage.hook()]);
    stage.asking("ops");
    let message = stage.stub.ring("ops");
    let path = action(&message, "2");
    let answer = service.http().post(&format!("{SESSIONS}/answer"), &json!({ "name": "ops", "choice": "2" }));
    assert_eq!(answer.status, 200, "{answer:?}");
    let late = tap(&service.http(), &path);
    assert!(late.status == 409 && late.body.contains("was answered or has changed"), "{late:?}");
    assert!(browse(&service.http(), &path).body.contains("was answered or has changed"));
    stage.stub.deleted(&message);
    wait_for("the webhook to be settled", || (stage.stub.hooks("ops", "settled").len() == 1).then_some(()));
    stage.end();
}

#[test]
fn a_killed_service_rings_nobody_twice_and_settles_what_ended_meanwhile() {
    let stage = Stage::new();
    let mut service = stage.serve();
    stage.notify(&[stage.ntfy(), stage.hook()]);
    for name in ["stays", "ends"] {
        stage.asking(name);
        stage.stub.ring(name);
        wait_for("the webhook", || (stage.stub.hooks(name, "needed").len() == 1).then_some(()));
    }
    let recorded = || {
        let file = stage.home.project().join(".the-loop/notify/episodes.json");
        !fs::read_to_string(file).expect("read").contains("\"busy\":true")
    };
    wait_for("both to be recorded", || recorded().then_some(()));
    service.kill();
    service.wait();
    let request = json!({ "name": "ends", "choice": "2" });
    let request = serde_json::from_value(request).expect("a request");
    assert_eq!(stage.home.the_loop().standing().answer(&request).expect("answered").exit_code, 0);
    let rung = stage.stub.published("ends").remove(0);

    let mut service = stage.serve();
    stage.stub.deleted(&rung);
    stage.asking("new");
    stage.stub.ring("new");
    wait_for("the webhook", || (stage.stub.hooks("new", "needed").len() == 1).then_some(()));
    for name in ["stays", "ends"] {
        assert_eq!((stage.stub.published(name).len(), stage.stub.hooks(name, "needed").len()), (1, 1), "{name}");
    }
    assert_eq!(stage.stub.hooks("stays", "settled").len(), 0);
    wait_for("its end", || (stage.stub.hooks("ends", "settled").len() == 1).then_some(()));
    service.stop();
    stage.end();
}

#[test]
fn killed_before_the_answer_of_a_target_the_service_asks_it_and_does_not_repeat() {
    let stage = Stage::new();
    let mut service = stage.serve();
    stage.notify(&[stage.ntfy()]);
    stage.stub.keep_silent(true);
    stage.asking("ops");
    let message = stage.stub.ring("ops");
    service.kill();
    service.wait();
    stage.stub.keep_silent(false);

    let _service = stage.serve();
    let settled = || {
        let file = stage.home.project().join(".the-loop/notify/episodes.json");
        fs::read_to_string(file).expect("read").contains("\"rings\":1")
    };
    wait_for("the service to know of it", || settled().then_some(()));
    assert_eq!(stage.stub.published("ops").len(), 1, "it was there already");
    let request = serde_json::from_value(json!({ "name": "ops", "choice": "2" })).expect("a request");
    assert_eq!(stage.home.the_loop().standing().answer(&request).expect("answered").exit_code, 0);
    stage.stub.deleted(&message);
    stage.end();
}

#[test]
fn a_target_that_hangs_or_fails_delays_no_other_and_gets_its_notification_later() {
    let stage = Stage::new();
    let _service = stage.serve();
    stage.stub.hang(true);
    stage.notify(&[stage.hook(), stage.ntfy()]);
    for name in ["one", "two", "three", "four", "five", "six"] {
        stage.asking(name);
        stage.stub.ring(name);
    }
    assert_eq!(stage.stub.arrival("one"), None);
    stage.stub.fail(2);
    stage.stub.hang(false);
    for name in ["one", "two", "three", "four", "five", "six"] {
        wait_for("the late notification", || stage.stub.arrival(name));
    }
    let keys: Vec<String> =
        ["one", "two"].iter().map(|name| stage.stub.hooks(name, "needed")[0]["key"].to_string()).collect();
    assert_ne!(keys[0], keys[1]);
    stage.end();
}

#[test]
fn a_tmux_server_that_stops_for_a_moment_rings_nobody_and_settles_nothing() {
    let stage = Stage::new();
    let _service = stage.serve();
    stage.notify(&[stage.ntfy()]);
    stage.asking("ops");
    let message = stage.stub.ring("ops");
    let said = stage.home.tmux().run(&["display-message", "-p", "#{pid}"]);
    let pid: i32 = String::from_utf8_lossy(&said.stdout).trim().parse().expect("a pid");
    kill(Pid::from_raw(pid), Signal::SIGSTOP).expect("stopped");
    // The list through the service makes its watcher look.
    wait_for("silence to be seen", || {
        let rows = stage.home.the_loop().standing().list().expect("rows");
        rows.iter().any(|row| row.state == standing::State::Unknown).then_some(())
    });
    thread::sleep(Duration::from_secs(6));
    kill(Pid::from_raw(pid), Signal::SIGCONT).expect("continued");
    stage.once("ops", Activity::Waiting);
    stage.asking("web");
    stage.stub.ring("web");
    assert_eq!((stage.stub.published("ops").len(), stage.stub.deletions(&message["sequence_id"])), (1, 0));
    stage.end();
}

#[test]
fn a_test_reaches_each_target_and_the_check_names_the_broken_ones() {
    let stage = Stage::new();
    let said = stage.run(&["notify", "test"]);
    assert!(said.code == 0 && said.out.starts_with("No target"), "{said:?}");
    stage.notify(&[stage.ntfy(), stage.hook(), stage.command()]);
    let said = stage.run(&["notify", "test"]);
    assert!(said.code == 0 && said.out.lines().count() == 3 && said.out.matches("sent in").count() == 3, "{said:?}");
    assert!(said.err.contains("`service.publicUrl` is not set"), "{said:?}");
    let findings = |stage: &Stage| -> Vec<String> {
        let said = stage.run(&["doctor", "--format", "json"]);
        let report: Value = serde_json::from_str(&said.out).expect("JSON");
        let of_check = |finding: &&Value| finding["check"] == "notify";
        let found = report["findings"].as_array().expect("a list").iter().filter(of_check);
        found.map(|finding| format!("{}: {}", finding["place"], finding["what"])).collect()
    };
    assert_eq!(findings(&stage), [""; 0]);

    let refused = json!({ "to": { "webhook": { "url": "http://127.0.0.1:1/x-path", "key": { "file": "none" } } } });
    let plain = json!({ "to": { "ntfy": { "url": "http://192.0.2.1:9/x-path", "token": { "file": "none" } } } });
    let missing = json!({ "to": { "command": { "argv": ["no-such-program"] } } });
    stage.notify(&[refused, plain, missing]);
    stage.home.reconfigure("/service/publicUrl", json!("https://loop.example.org"));
    let said = stage.run(&["notify", "test"]);
    assert!(said.code == 1 && said.out.matches("failed").count() == 3 && !said.out.contains("x-path"), "{said:?}");
    let found = findings(&stage);
    for (at, words) in [("notify[0]", "could not connect"), ("notify[1]", "without TLS"), ("notify[2]", "not found")] {
        assert!(found.iter().any(|line| line.contains(at) && line.contains(words)), "{at} {words}: {found:#?}");
    }
    assert!(found.iter().any(|line| line.contains("loop.example.org")), "{found:#?}");
    assert!(!found.concat().contains("x-path"), "{found:#?}");
}

#[test]
fn the_documentation_explains_every_need() {
    let page = include_str!("../../docs/notify.md");
    for kind in standing::Need::ALL {
        let line = format!("| `{}` | {} | {} |", kind.as_str(), kind.label(), kind.about());
        assert!(page.contains(&line), "{line}");
    }
}

#[test]
fn answer_links_need_no_sign_in_and_open_nothing_else() {
    let stage = Stage::new();
    stage.home.reconfigure("/service/auth/mode", json!("token"));
    let service = stage.serve();
    stage.notify(&[stage.ntfy()]);
    stage.asking("ops");
    let path = action(&stage.stub.ring("ops"), "2");
    let http = service.http();
    assert_eq!(http.get(SESSIONS).status, 401);
    let token = path.split('/').nth(2).expect("a token");
    let bearer = format!(
        "GET {SESSIONS} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\nauthorization: Bearer {token}\r\n\r\n",
        http.authority()
    );
    assert_eq!(http.raw(&bearer).status, 401, "it is a token of one prompt alone");
    let elsewhere =
        format!("POST {path} HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
    assert_eq!(http.raw(&elsewhere).status, 403, "host names are checked");
    assert_eq!(tap(&http, &path).status, 200);
    stage.once("ops", Activity::Idle);
    // Guesses are slowed down.
    let slowed = (0..60).find(|_| tap(&http, &format!("/answer/{}/1", "0".repeat(64))).status == 429);
    assert!(slowed.is_some());
    stage.end();
}
