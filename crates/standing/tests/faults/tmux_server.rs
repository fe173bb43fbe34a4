//! Rows 8 to 10: the tmux server is killed, stands still, or cannot be reached any more.

use std::{
    fs,
    path::PathBuf,
    time::{Duration, Instant},
};

use nix::sys::signal::Signal;
use standing::{Outcome, ProblemCode, State, TheLoop};
use testkit::{TestHome, wait_for};
use wire::Verdict;

use crate::{
    actor::{Actor, Answer, Order},
    scene::{
        each, harness, harnesses, home, lives, record, record_file, request, say, session, signal, stands_still,
        submitted, tmux_server, with_faults, written,
    },
};

fn create(home: &TestHome, the_loop: &TheLoop, name: &str) {
    let answer = Order::Create(request(home, name)).done_by(the_loop);
    assert_eq!(answer.outcome(), Some(Outcome::Started), "{answer:?}");
    written(home, name);
}

/// Returns the text of an answer that a person reads.
fn told(answer: &Answer) -> String {
    match answer {
        Answer::Rows(rows) => rows.iter().filter_map(|row| row.detail.clone()).collect::<Vec<_>>().join("\n"),
        Answer::Said(receipt) => receipt.messages.iter().map(|message| message.text.clone()).collect(),
        Answer::Series(answers) => answers.iter().map(told).collect(),
        Answer::Refused(_, said) => said.clone(),
    }
}

#[test]
fn row_08_after_the_death_of_the_server_the_status_says_why_and_a_start_resumes() {
    let home = home();
    let the_loop = home.the_loop();
    create(&home, &the_loop, "x");
    Order::Create(with_faults(&home, "stubborn", &["ignore-hup"])).done_by(&the_loop);
    written(&home, "stubborn");
    let conversation = |name: &str| record(&home, name).expect("a record")["harnessSessionId"].clone();
    let before = (conversation("x"), conversation("stubborn"));
    signal(tmux_server(&home), Signal::SIGKILL);
    wait_for("the hang-up to be heard", || harnesses(&home, "x").is_empty().then_some(()));

    let row = the_loop.standing().get("x").expect("known");
    assert_eq!((row.state, row.running), (State::Stopped, false));
    assert!(row.reason.contains("tmux session no longer exists; its conversation is kept"), "{}", row.reason);
    let answer = Order::Start("x".to_owned()).done_by(&the_loop);
    assert_eq!(answer.outcome(), Some(Outcome::Resumed), "{answer:?}");

    // One that did not hear it lives on, and is not started twice.
    let survivor = harness(&home, "stubborn");
    assert_eq!(the_loop.standing().get("stubborn").expect("known").state, State::Orphaned);
    let answer = Order::Start("stubborn".to_owned()).done_by(&the_loop);
    assert_eq!(answer.outcome(), Some(Outcome::Failed), "{answer:?}");
    assert!(told(&answer).contains("the-loop standing stop stubborn"), "{answer:?}");
    assert_eq!(harness(&home, "stubborn"), survivor);
    assert_eq!(Order::Stop("stubborn".to_owned()).done_by(&the_loop).outcome(), Some(Outcome::Stopped));
    assert_eq!(Order::Start("stubborn".to_owned()).done_by(&the_loop).outcome(), Some(Outcome::Resumed));
    assert_eq!((conversation("x"), conversation("stubborn")), before);
    Order::Stop("stubborn".to_owned()).done_by(&the_loop);
}

/// A server that stands still until this is dropped.
struct Still(i32);

impl Still {
    fn make(home: &TestHome) -> Self {
        let server = tmux_server(home);
        signal(server, Signal::SIGSTOP);
        stands_still(server);
        Self(server)
    }
}

impl Drop for Still {
    fn drop(&mut self) {
        signal(self.0, Signal::SIGCONT);
    }
}

/// No verb may take longer while tmux is silent: one vain wait of five seconds, and what the machine needs besides.
const BUDGET: Duration = Duration::from_secs(10);

#[test]
fn row_09_while_the_server_stands_still_every_verb_ends_in_time_and_changes_nothing() {
    let home = home();
    let the_loop = home.the_loop();
    for name in ["say", "stop", "delete", "restart", "start"] {
        create(&home, &the_loop, name);
    }
    Order::Stop("start".to_owned()).done_by(&the_loop);
    let records = || {
        let read = |name| fs::read_to_string(record_file(&home, name)).expect("a record");
        ["say", "stop", "delete", "restart", "start"].map(read)
    };
    let before = (records(), home.tmux().sessions());
    let still = Still::make(&home);
    let orders = [
        Order::List,
        Order::Create(request(&home, "create")),
        Order::Say(say("say", "hello")),
        Order::Stop("stop".to_owned()),
        Order::Delete("delete".to_owned()),
        Order::Restart("restart".to_owned()),
        Order::Start("start".to_owned()),
    ];
    each(
        &orders,
        |order| format!("{order:?}"),
        |order| {
            let begun = Instant::now();
            let answer = order.clone().done_by(&the_loop);
            assert!(begun.elapsed() < BUDGET, "it took {:?}: {answer:?}", begun.elapsed());
            match order {
                Order::List => {
                    let Answer::Rows(rows) = &answer else { panic!("{answer:?}") };
                    let silent = rows.iter().filter(|row| row.name != "create");
                    assert!(silent.clone().all(|row| row.state == State::Unknown), "{answer:?}");
                    assert!(silent.clone().all(|row| row.reason.contains("tmux did not answer")), "{answer:?}");
                }
                Order::Say(_) => assert_eq!(answer.refusal(), Some(ProblemCode::TmuxSilent), "{answer:?}"),
                _ => {
                    assert_eq!(answer.outcome(), Some(Outcome::Failed), "{answer:?}");
                    assert!(told(&answer).contains("tmux did not answer"), "{answer:?}");
                }
            }
        },
    );
    drop(still);
    wait_for("tmux to answer", || (!home.tmux().sessions().is_empty()).then_some(()));
    assert_eq!((records(), home.tmux().sessions()), before);
    assert!(record(&home, "create").is_none());
    for name in ["say", "stop", "delete", "restart"] {
        harness(&home, name);
    }
    for name in ["create", "start"] {
        assert_eq!(harnesses(&home, name), [] as [i32; 0]);
    }
}

/// Has another process do a verb up to a point, stops the server, and lets the verb go on.
fn with_the_server_stopped_at(home: &TestHome, point: &str, order: Order) -> (Answer, Still) {
    let mut actor = Actor::ending_at(home, &format!("{point}=stop"));
    actor.send(&[order]);
    stands_still(actor.pid());
    let still = Still::make(home);
    signal(actor.pid(), Signal::SIGCONT);
    (actor.answers().expect("it answers").remove(0), still)
}

#[test]
fn row_09_a_spawn_that_was_not_answered_leaves_no_ghost() {
    let home = home();
    let the_loop = home.the_loop();
    create(&home, &the_loop, "x");
    create(&home, &the_loop, "other");
    Order::Stop("x".to_owned()).done_by(&the_loop);
    let before = record(&home, "x");
    let (answer, still) = with_the_server_stopped_at(&home, "start.intended", Order::Start("x".to_owned()));
    assert_eq!(answer.outcome(), Some(Outcome::Failed), "{answer:?}");
    assert!(told(&answer).contains("tmux did not answer"), "{answer:?}");
    assert_eq!(record(&home, "x"), before, "the record is as it was");
    drop(still);
    // What tmux was asked for it does now, and the pane finds that nobody wants it any more.
    let specs = home.records().join(".launch");
    let asked = || fs::read_dir(&specs).expect("there").flatten().next().is_some();
    wait_for("the late pane to be gone", || {
        (!asked() && !home.tmux().sessions().contains(&session("x"))).then_some(())
    });
    assert_eq!(harnesses(&home, "x"), [] as [i32; 0]);
    assert_eq!(the_loop.standing().get("x").expect("known").state, State::Stopped);
    assert_eq!(Order::Start("x".to_owned()).done_by(&the_loop).outcome(), Some(Outcome::Resumed));
}

#[test]
fn row_09_a_say_that_was_not_answered_arrives_whole_or_not_at_all_and_says_that_it_may() {
    let home = home();
    let the_loop = home.the_loop();
    create(&home, &the_loop, "x");
    let text = "a line of a message\n".repeat(2000);
    let (answer, still) = with_the_server_stopped_at(&home, "say.intended", Order::Say(say("x", &text)));
    let Answer::Said(receipt) = &answer else { panic!("{answer:?}") };
    assert_eq!((receipt.verdict, receipt.delivered), (Verdict::Unconfirmed, false), "{answer:?}");
    assert!(told(&answer).contains("tmux did not answer"), "{answer:?}");
    drop(still);
    wait_for("tmux to answer", || (!home.tmux().sessions().is_empty()).then_some(()));
    // A second message is a mark: what stands before it is all that came of the first.
    let Answer::Said(receipt) = Order::Say(say("x", "the second")).done_by(&the_loop) else { panic!("refused") };
    assert_eq!(receipt.verdict, Verdict::Submitted);
    let said: Vec<_> = submitted(&home, "x").into_iter().skip(1).collect();
    let whole = |said: &String| said.ends_with(text.trim_end()) || said.ends_with("\n\nthe second");
    assert!(said.iter().all(whole), "half a message, or two in one: {said:?}");
}

#[test]
fn row_09_a_stop_whose_end_was_not_answered_is_done_by_the_next() {
    let home = home();
    let the_loop = home.the_loop();
    create(&home, &the_loop, "x");
    let (answer, still) = with_the_server_stopped_at(&home, "stop.ended", Order::Stop("x".to_owned()));
    assert_eq!(answer.outcome(), Some(Outcome::Failed), "{answer:?}");
    assert!(told(&answer).contains("stop it with `the-loop standing stop"), "{answer:?}");
    drop(still);
    let answer = Order::Stop("x".to_owned()).done_by(&the_loop);
    assert!(answer.outcome().is_some_and(Outcome::is_ok), "{answer:?}");
    wait_for("the session to be gone", || home.tmux().sessions().is_empty().then_some(()));
    assert_eq!(Order::Start("x".to_owned()).done_by(&the_loop).outcome(), Some(Outcome::Resumed));
}

/// The path of the server's socket.
fn socket(home: &TestHome) -> PathBuf {
    let said = home.tmux().run(&["display-message", "-p", "#{socket_path}"]).stdout;
    PathBuf::from(String::from_utf8_lossy(&said).trim())
}

/// The servers that were started for this home's socket.
fn servers(home: &TestHome) -> Vec<i32> {
    let pids = fs::read_dir("/proc").expect("read").flatten();
    let pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let ours = |pid: &i32| {
        let command = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        let named = command.split(|&byte| byte == 0).any(|argument| argument == home.tmux().name().as_bytes());
        named && name.starts_with("tmux: server") && lives(*pid)
    };
    pids.filter(ours).collect()
}

#[test]
fn row_10_with_its_socket_deleted_the_server_is_found_again_and_no_second_one_is_started() {
    let home = home();
    let the_loop = home.the_loop();
    create(&home, &the_loop, "x");
    create(&home, &the_loop, "stopped");
    Order::Stop("stopped".to_owned()).done_by(&the_loop);
    let (server, socket) = (tmux_server(&home), socket(&home));
    let alive = harness(&home, "x");
    fs::remove_file(&socket).expect("removed");
    let remedy = format!("kill -USR1 {server}");

    let row = the_loop.standing().get("x").expect("known");
    assert_eq!((row.state, row.running), (State::Orphaned, false));
    assert!(row.reason.contains(&remedy), "{}", row.reason);
    let orders = [
        Order::Start("x".to_owned()),
        // A session that has nothing to do with it would bring the second server up.
        Order::Start("stopped".to_owned()),
        Order::Create(request(&home, "new")),
        Order::Say(say("x", "hello")),
    ];
    for order in orders {
        let answer = order.clone().done_by(&the_loop);
        assert!(told(&answer).contains(&remedy), "{order:?}: {answer:?}");
        assert!(!answer.outcome().is_some_and(Outcome::is_ok), "{order:?}: {answer:?}");
        assert_eq!(servers(&home), [server], "after {order:?}");
    }
    assert_eq!(harness(&home, "x"), alive);
    assert!(record(&home, "new").is_none());

    signal(server, Signal::SIGUSR1);
    wait_for("the socket", || socket.exists().then_some(()));
    assert_eq!(the_loop.standing().get("x").expect("known").state, State::Running);
    let Answer::Said(receipt) = Order::Say(say("x", "hello")).done_by(&the_loop) else { panic!("refused") };
    assert_eq!(receipt.verdict, Verdict::Submitted);
    assert_eq!(Order::Start("stopped".to_owned()).done_by(&the_loop).outcome(), Some(Outcome::Resumed));
}

#[test]
fn row_10_a_harness_behind_a_deleted_socket_can_be_stopped() {
    let home = home();
    let the_loop = home.the_loop();
    create(&home, &the_loop, "x");
    let (server, socket) = (tmux_server(&home), socket(&home));
    fs::remove_file(&socket).expect("removed");
    let answer = Order::Stop("x".to_owned()).done_by(&the_loop);
    assert_eq!(answer.outcome(), Some(Outcome::Stopped), "{answer:?}");
    assert_eq!(harnesses(&home, "x"), [] as [i32; 0]);
    let answer = Order::Start("x".to_owned()).done_by(&the_loop);
    assert!(told(&answer).contains(&format!("kill -USR1 {server}")), "{answer:?}");
    assert_eq!(servers(&home), [server]);
    signal(server, Signal::SIGUSR1);
    wait_for("the socket", || socket.exists().then_some(()));
    assert_eq!(Order::Start("x".to_owned()).done_by(&the_loop).outcome(), Some(Outcome::Resumed));
}
