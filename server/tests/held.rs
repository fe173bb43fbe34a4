//! A session that is held for long must not hold up others. A caller that waits for it takes no thread.

use std::{
    fs::File,
    io::{Read as _, Write as _},
    net::Shutdown,
    os::unix::net::UnixStream,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use serde_json::{Value, json};
use standing::CreateRequest;
use testkit::{Http, TestHome, TestService, wait_for};

use crate::app::{SESSIONS, THE_LOOP};

/// A service with two sessions that run, one of which another program holds.
struct Scene {
    // Order matters: the service ends before its home is looked through for what was left.
    service: TestService,
    home: TestHome,
    lock: File,
}

impl Scene {
    fn new() -> Self {
        let home = TestHome::builder().exe(THE_LOOP).build();
        for name in ["held", "other"] {
            assert!(home.the_loop().standing().create(&CreateRequest::named(name)).expect("created").ok);
        }
        let service = TestService::start(THE_LOOP, &home);
        let lock = File::options()
            .read(true)
            .write(true)
            .open(home.project().join(".the-loop/local/standing/.locks/held.lock"))
            .expect("there from the create");
        lock.lock().expect("free");
        Self { service, home, lock }
    }

    /// Verbs that have begun or wait for their session, as the service counts them.
    fn under_way(&self) -> usize {
        let metrics = self.service.http().get("/metrics").body;
        let line = metrics.lines().find_map(|line| line.strip_prefix("the_loop_verbs_under_way "));
        line.and_then(|count| count.trim().parse().ok()).expect("a count")
    }

    /// Threads of the service.
    fn threads(&self) -> usize {
        std::fs::read_dir(format!("/proc/{}/task", self.service.pid())).expect("it lives").count()
    }
}

fn say(http: &Http, name: &str, number: usize) -> Answered {
    let body = json!({ "name": name, "text": format!("message {number}.") });
    let answer = http.raw(&http.posting(&format!("{SESSIONS}/say"), &body));
    (answer.status, answer.header("retry-after").map(str::to_owned), answer.json())
}

/// Answer to a message: the status, `Retry-After`, and the body.
type Answered = (u16, Option<String>, Value);

/// As many messages to the held session, each by a caller of its own, and how many were answered so far.
fn messages(http: &Http, count: usize) -> (Vec<thread::JoinHandle<Answered>>, Arc<AtomicUsize>) {
    let answered = Arc::new(AtomicUsize::new(0));
    let callers = (0..count).map(|number| {
        let (http, answered) = (http.clone(), Arc::clone(&answered));
        thread::spawn(move || {
            let answer = say(&http, "held", number);
            answered.fetch_add(1, Ordering::SeqCst);
            answer
        })
    });
    (callers.collect(), answered)
}

#[test]
fn while_64_messages_wait_for_one_held_session_the_others_are_listed_read_and_spoken_to() {
    let scene = Scene::new();
    let http = scene.service.http();
    let (callers, answered) = messages(&http, 64);
    // One of them has the turn and waits for the lock; the rest need no thread.
    wait_for("all of them to have come", || (scene.under_way() == 64).then_some(()));
    for _ in 0..10 {
        assert_eq!(http.get(SESSIONS).json().as_array().map(Vec::len), Some(2));
        assert_eq!(http.get(&format!("{SESSIONS}/one?name=held")).status, 200);
        assert_eq!(http.get(&format!("{SESSIONS}/screen?name=held")).status, 200);
        assert_eq!(http.get("/").status, 200);
        assert_eq!(http.get("/metrics").status, 200);
        assert_eq!(http.get("/health/ready").status, 200);
    }
    let (status, _, receipt) = say(&http, "other", 0);
    assert_eq!((status, &receipt["verdict"]), (200, &json!("submitted")), "{receipt:#}");
    assert_eq!(answered.load(Ordering::SeqCst), 0, "the messages still wait");
    assert!(scene.threads() < 48, "a thread for each of them: {}", scene.threads());
    scene.lock.unlock().expect("let go of");
    for caller in callers {
        let (status, _, receipt) = caller.join().expect("answered");
        // The last of them may have waited for too long on a slow machine; none is lost without a word.
        assert!(
            status == 200 && receipt["verdict"] == "submitted" || receipt["code"] == "busy",
            "{status} {receipt:#}"
        );
    }
    assert!(answered.load(Ordering::SeqCst) == 64);
    assert_eq!(scene.home.tmux().sessions().len(), 2);
}

/// Sends a message over the Unix socket of the service, without reading the answer.
fn say_by_socket(scene: &Scene, text: &str) -> UnixStream {
    let path = scene.home.project().join(".the-loop/local/service.sock");
    let mut stream = UnixStream::connect(path).expect("the service listens");
    let request = scene.service.http().posting(&format!("{SESSIONS}/say"), &json!({ "name": "held", "text": text }));
    stream.write_all(request.as_bytes()).expect("sent");
    stream
}

#[test]
fn a_client_of_the_unix_socket_that_leaves_while_it_waits_types_nothing_and_a_half_closed_one_gets_its_answer() {
    let scene = Scene::new();
    let first = say_by_socket(&scene, "the first.");
    wait_for("the first to wait for the lock", || (scene.under_way() == 1).then_some(()));
    let gone = say_by_socket(&scene, "of a client that left.");
    wait_for("the second to wait behind it", || (scene.under_way() == 2).then_some(()));
    let mut half = say_by_socket(&scene, "of a half-closed client.");
    half.shutdown(Shutdown::Write).expect("closed");
    wait_for("the third to wait behind them", || (scene.under_way() == 3).then_some(()));
    drop(gone);
    wait_for("the second to be cancelled", || (scene.under_way() == 2).then_some(()));
    scene.lock.unlock().expect("let go of");
    let mut answer = String::new();
    half.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("\"submitted\""), "{answer}");
    drop(first);
    let screen = scene.service.http().get(&format!("{SESSIONS}/screen?name=held")).body;
    assert!(screen.contains("the first.") && screen.contains("of a half-closed client."), "{screen}");
    assert!(!screen.contains("of a client that left."), "{screen}");
}

#[test]
fn more_than_a_hundred_that_wait_for_one_session_are_told_to_come_later() {
    let scene = Scene::new();
    let http = scene.service.http();
    let (callers, answered) = messages(&http, 130);
    // One is at work and a hundred wait behind it.
    wait_for("those above the bound to be refused", || (answered.load(Ordering::SeqCst) == 29).then_some(()));
    assert_eq!(http.get(SESSIONS).status, 200);
    scene.lock.unlock().expect("let go of");
    let answers: Vec<_> = callers.into_iter().map(|caller| caller.join().expect("answered")).collect();
    let crowded: Vec<_> = answers
        .iter()
        .filter(|(_, _, body)| body["detail"].as_str().is_some_and(|detail| detail.contains("requests are waiting")))
        .collect();
    assert_eq!(crowded.len(), 29);
    for (status, retry, body) in crowded {
        assert_eq!((*status, &body["code"]), (503, &json!("busy")), "{body:#}");
        assert!(retry.as_ref().is_some_and(|seconds| seconds.parse::<u32>().is_ok()), "{retry:?}");
    }
}

#[test]
fn verbs_that_wait_when_the_service_shuts_down_are_told_and_the_one_that_began_is_done() {
    let mut scene = Scene::new();
    let http = scene.service.http();
    let (callers, answered) = messages(&http, 20);
    wait_for("all of them to have come", || (scene.under_way() == 20).then_some(()));
    scene.service.terminate();
    wait_for("those that wait to be told", || (answered.load(Ordering::SeqCst) == 19).then_some(()));
    scene.lock.unlock().expect("let go of");
    let answers: Vec<_> = callers.into_iter().map(|caller| caller.join().expect("answered")).collect();
    let (done, told): (Vec<_>, Vec<_>) = answers.iter().partition(|(status, ..)| *status == 200);
    assert!(done.len() == 1 && done[0].2["verdict"] == "submitted", "{done:?}");
    for (status, retry, body) in &told {
        assert_eq!((*status, &body["code"], retry.is_some()), (503, &json!("busy"), true), "{body:#}");
        assert!(body["detail"].as_str().is_some_and(|detail| detail.contains("shutting down")), "{body:#}");
    }
    assert!(scene.service.wait().success());
}
