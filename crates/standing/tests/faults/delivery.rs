//! Rows 6, 11 and 26: messages of many senders at once, into panes that die, and twice the same.

use std::{
    collections::BTreeMap,
    io::Write as _,
    process::{Command, Stdio},
    thread,
};

use nix::sys::signal::Signal;
use standing::{Outcome, ProblemCode, SayRequest, TheLoop};
use testkit::{TestHome, wait_for};
use wire::Verdict;

use crate::{
    actor::{Actor, Answer, Order},
    scene::{
        harness, home, request, rounds, say, session, signal, stands_still, submitted, tmux_server, with_faults,
        written,
    },
};

fn create(home: &TestHome, the_loop: &TheLoop, name: &str) {
    let answer = Order::Create(request(home, name)).done_by(the_loop);
    assert_eq!(answer.outcome(), Some(Outcome::Started), "{answer:?}");
    written(home, name);
}

const WRITERS: usize = 8;

/// A message of 5 KB in lines, which says whose it is, which of theirs, and where it ends.
fn body(writer: usize, number: usize) -> String {
    let line = format!("writer {writer}, message {number}: so that a torn one is seen\n");
    let begin = format!("begin {writer}/{number}\n");
    let end = format!("end {writer}/{number}");
    let lines = (5 * 1024 - begin.len() - end.len()) / line.len();
    format!("{begin}{}{end}", line.repeat(lines))
}

/// The bodies of the turns that arrived whole, by writer, in the order they arrived in.
fn whole(turns: &[String], each: usize) -> BTreeMap<usize, Vec<usize>> {
    let mut found: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for turn in turns {
        let text = turn.split_once("\n\n").map_or(turn.as_str(), |(_, text)| text);
        for (writer, number) in (0..WRITERS).flat_map(|writer| (0..each).map(move |number| (writer, number))) {
            if text == body(writer, number) {
                found.entry(writer).or_default().push(number);
            }
        }
    }
    found
}

#[test]
fn row_06_messages_of_eight_writers_in_two_processes_arrive_once_each_whole_and_in_order() {
    let each = rounds(6, 125);
    let home = home();
    let the_loop = home.the_loop();
    create(&home, &the_loop, "x");
    let series = |writer: usize| {
        let says = (0..each).map(|number| {
            Order::Say(SayRequest { actor: format!("writer-{writer}"), ..say("x", &body(writer, number)) })
        });
        Order::Series(says.collect())
    };
    let (mut one, mut other) = (Actor::start(&home), Actor::start(&home));
    one.send(&(0..WRITERS / 2).map(series).collect::<Vec<_>>());
    other.send(&(WRITERS / 2..WRITERS).map(series).collect::<Vec<_>>());
    let answers = [one.answers().expect("answers"), other.answers().expect("answers")].concat();
    let receipts: Vec<_> = answers
        .iter()
        .flat_map(|answer| match answer {
            Answer::Series(answers) => answers.clone(),
            _ => panic!("{answer:?}"),
        })
        .collect();
    assert!(receipts.iter().all(|answer| answer.receipt().verdict == Verdict::Submitted), "{receipts:?}");
    let turns: Vec<_> = submitted(&home, "x").into_iter().skip(1).collect();
    assert_eq!(turns.len(), WRITERS * each, "each is a turn of its own");
    let wanted: BTreeMap<_, _> = (0..WRITERS).map(|writer| (writer, (0..each).collect::<Vec<_>>())).collect();
    assert_eq!(whole(&turns, each), wanted);
}

/// The three calls that one would think of: into a buffer, into the pane, Enter.
fn naive(home: &TestHome, session: &str, text: &str) {
    let call = |args: &[&str], input: &str| {
        let mut tmux = Command::new("tmux");
        tmux.args(["-u", "-L", home.tmux().name()]).args(args).stdin(Stdio::piped());
        let mut child = tmux.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("tmux runs");
        let _ = child.stdin.take().expect("piped").write_all(input.as_bytes());
        child.wait().expect("it ends");
    };
    let target = format!("={session}:");
    call(&["load-buffer", "-b", "message", "-"], text);
    call(&["paste-buffer", "-p", "-b", "message", "-t", &target], "");
    call(&["send-keys", "-t", &target, "Enter"], "");
}

/// It must fail: otherwise the test above proves nothing.
#[test]
fn row_06_the_three_calls_that_one_would_think_of_lose_messages_of_the_same_writers() {
    let each = rounds(6, 125);
    let home = home();
    let the_loop = home.the_loop();
    create(&home, &the_loop, "x");
    wait_for("the agent to be up", || home.tmux().screen(&session("x")).contains("enter sends").then_some(()));
    thread::scope(|writers| {
        for writer in 0..WRITERS {
            let home = &home;
            writers.spawn(move || (0..each).for_each(|number| naive(home, &session("x"), &body(writer, number))));
        }
    });
    // What is behind it in the pane's input is the last there is.
    let last = Order::Say(say("x", "the last")).done_by(&the_loop);
    assert!(matches!(last, Answer::Said(_)), "{last:?}");
    let turns: Vec<_> = submitted(&home, "x").into_iter().skip(1).collect();
    let arrived: usize = whole(&turns, each).values().map(Vec::len).sum();
    assert!(arrived < WRITERS * each, "all {arrived} arrived: the writers did not get in each other's way");
}

#[test]
fn row_11_a_message_to_a_dead_pane_is_refused_with_its_exit_and_nobody_else_is_harmed() {
    let home = home();
    let the_loop = home.the_loop();
    create(&home, &the_loop, "sibling");
    Order::Create(with_faults(&home, "x", &["exit-after=1500:7"])).done_by(&the_loop);
    create(&home, &the_loop, "killed");
    let server = tmux_server(&home);
    signal(harness(&home, "killed"), Signal::SIGKILL);
    for (name, how) in [("x", "status 7"), ("killed", "signal 9")] {
        wait_for("its end to be told", || {
            the_loop.standing().get(name).expect("known").reason.contains(how).then_some(())
        });
        for _ in 0..3 {
            let answer = Order::Say(say(name, "hello")).done_by(&the_loop);
            let Answer::Refused(ProblemCode::NotRunning, told) = &answer else { panic!("{answer:?}") };
            assert!(told.contains(how) && told.contains(&format!("the-loop standing start {name}")), "{told}");
        }
    }
    harness(&home, "sibling");
    assert_eq!(tmux_server(&home), server, "the server lives");
    assert_eq!(Order::Say(say("sibling", "hello")).done_by(&the_loop).receipt().verdict, Verdict::Submitted);
}

/// Has another process come as far as to paste, does something to the pane, and lets the paste go on.
fn says_while(home: &TestHome, name: &str, meanwhile: impl FnOnce()) -> Answer {
    let mut actor = Actor::ending_at(home, "say.intended=stop");
    actor.send(&[Order::Say(say(name, "hello"))]);
    stands_still(actor.pid());
    meanwhile();
    signal(actor.pid(), Signal::SIGCONT);
    actor.answers().expect("it answers").remove(0)
}

#[test]
fn row_11_a_pane_that_dies_between_the_check_and_the_paste_takes_nothing_and_nobody_with_it() {
    let home = home();
    let the_loop = home.the_loop();
    for name in ["sibling", "dies", "closed", "respawned"] {
        create(&home, &the_loop, name);
    }
    let server = tmux_server(&home);
    let dead = |name: &str| {
        let format =
            ["list-panes", "-s", "-t", &format!("={}", session(name)), "-F", "#{pane_dead}"].map(str::to_owned);
        let args: Vec<&str> = format.iter().map(String::as_str).collect();
        String::from_utf8_lossy(&home.tmux().run(&args).stdout).trim() == "1"
    };
    let dies = says_while(&home, "dies", || {
        signal(harness(&home, "dies"), Signal::SIGKILL);
        wait_for("the pane to be dead", || dead("dies").then_some(()));
    });
    let closed = says_while(&home, "closed", || {
        home.tmux().run(&["kill-session", "-t", &format!("={}", session("closed"))]);
    });
    // What an operator runs there instead is not ours to type into.
    let respawned = says_while(&home, "respawned", || {
        let target = format!("={}:", session("respawned"));
        home.tmux().run(&["respawn-pane", "-k", "-t", &target, "--", "sh", "-c", "echo another; exec cat"]);
        wait_for("the other program", || home.tmux().screen(&session("respawned")).contains("another").then_some(()));
    });
    for (name, answer) in [("dies", dies), ("closed", closed), ("respawned", respawned)] {
        let receipt = answer.receipt();
        assert_eq!((receipt.verdict, receipt.delivered), (Verdict::NotDelivered, false), "{name}: {receipt:?}");
        let told =
            receipt.messages.iter().any(|message| message.text.contains(&format!("the-loop standing start {name}")));
        assert!(told, "{receipt:?}");
        assert_eq!(submitted(&home, name).len(), 1, "{name}: the boot prompt and nothing else");
    }
    assert!(!home.tmux().screen(&session("respawned")).contains("hello"));
    assert_eq!(tmux_server(&home), server, "the server lives");
    assert_eq!(Order::Say(say("sibling", "hello")).done_by(&the_loop).receipt().verdict, Verdict::Submitted);
}

fn keyed(text: &str, key: &str) -> Order {
    Order::Say(SayRequest { idempotency_key: key.to_owned(), ..say("x", text) })
}

/// How often a text was submitted.
fn times(home: &TestHome, text: &str) -> usize {
    submitted(home, "x").iter().filter(|turn| turn.ends_with(text)).count()
}

#[test]
fn row_26_a_request_that_was_killed_anywhere_and_sent_again_is_typed_once() {
    let home = home();
    let the_loop = home.the_loop();
    create(&home, &the_loop, "x");
    for point in ["say.checked", "write.synced", "write.renamed", "say.intended", "say.pasted", "say.delivered"] {
        let (text, key) = (format!("killed at {point}"), format!("key of {point}"));
        Actor::ending_at(&home, &format!("{point}=kill")).dies_doing(&keyed(&text, &key));
        let first = keyed(&text, &key).done_by(&the_loop);
        assert_eq!(first.receipt().verdict, Verdict::Submitted, "{point}: {first:?}");
        let second = keyed(&text, &key).done_by(&the_loop);
        assert_eq!(second.receipt(), first.receipt(), "{point}");
        assert_eq!(times(&home, &text), 1, "{point}");
    }
}

#[test]
fn row_26_many_at_once_under_one_key_are_typed_once_and_another_text_is_refused() {
    let home = home();
    let the_loop = home.the_loop();
    create(&home, &the_loop, "x");
    let (mut one, mut other) = (Actor::start(&home), Actor::start(&home));
    let orders = vec![keyed("only once", "k"); 5];
    one.send(&orders);
    other.send(&orders);
    let answers = [one.answers().expect("answers"), other.answers().expect("answers")].concat();
    let first = answers[0].receipt();
    assert!(answers.iter().all(|answer| answer.receipt() == first), "{answers:?}");
    assert_eq!(times(&home, "only once"), 1);
    assert_eq!(keyed("something else", "k").done_by(&the_loop).refusal(), Some(ProblemCode::KeyReused));
    assert_eq!(times(&home, "something else"), 0);
    // A restart of the-loop and of the session forgets nothing.
    Order::Restart("x".to_owned()).done_by(&the_loop);
    assert_eq!(keyed("only once", "k").done_by(&home.the_loop()).receipt(), first);
    assert_eq!(times(&home, "only once"), 1);
}
