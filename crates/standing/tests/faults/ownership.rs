//! Rows 16, 18 and 19: what is ours where two installations share a tmux server, an operator respawns a pane, an agent
//! stops its own session, a program hides its environment, and panes are not retained.

use std::{fs, os::unix::fs::PermissionsExt as _};

use nix::sys::signal::Signal;
use serde_json::json;
use standing::{CreateRequest, Outcome, ProblemCode, State, TheLoop};
use testkit::{TestHome, marked, wait_for};

use crate::{
    actor::{Actor, Answer, Order},
    scene::{
        Bystander, builder, harness, harnesses, home, lives, record, record_file, request, say, session, signal,
        skipped, with_faults, written,
    },
};

fn create(home: &TestHome, the_loop: &TheLoop, name: &str) {
    let answer = Order::Create(request(home, name)).done_by(the_loop);
    assert_eq!(answer.outcome(), Some(Outcome::Started), "{answer:?}");
    written(home, name);
}

fn outcome(the_loop: &TheLoop, order: &Order) -> Option<Outcome> {
    order.done_by(the_loop).outcome()
}

#[test]
fn row_16_two_state_roots_on_one_tmux_server_do_not_touch_each_other_s_session_of_one_name() {
    let (home, other_home) = (home(), home());
    other_home.reconfigure("/routing/tmux/socket", json!(home.tmux().name()));
    let (the_loop, other) = (home.the_loop(), other_home.the_loop());
    create(&home, &the_loop, "x");
    let ours = harness(&home, "x");

    let answer = Order::Create(request(&other_home, "x")).done_by(&other);
    assert_eq!(answer.outcome(), Some(Outcome::Failed), "{answer:?}");
    assert!(!record_file(&other_home, "x").exists());
    Order::Create(CreateRequest { start: false, ..request(&other_home, "x") }).done_by(&other);
    for order in [Order::Start("x".to_owned()), Order::Restart("x".to_owned())] {
        assert_eq!(outcome(&other, &order), Some(Outcome::Failed), "{order:?}");
    }
    assert_eq!(other.standing().get("x").expect("known").state, State::Foreign);
    assert_eq!(outcome(&other, &Order::Stop("x".to_owned())), Some(Outcome::NotRunning));
    assert_eq!(outcome(&other, &Order::Delete("x".to_owned())), Some(Outcome::Deleted));
    assert_eq!(harness(&home, "x"), ours);
    assert_eq!(the_loop.standing().get("x").expect("known").state, State::Running);

    // Nothing runs in a dead pane: it makes room, and from then on the session is the other's.
    signal(ours, Signal::SIGKILL);
    wait_for("the end to be seen", || {
        (the_loop.standing().get("x").expect("known").state == State::Ended).then_some(())
    });
    let answer = Order::Create(request(&other_home, "x")).done_by(&other);
    assert_eq!(answer.outcome(), Some(Outcome::Started), "{answer:?}");
    let theirs = harness(&other_home, "x");
    assert_eq!(outcome(&the_loop, &Order::Start("x".to_owned())), Some(Outcome::Failed));
    assert_eq!(outcome(&the_loop, &Order::Stop("x".to_owned())), Some(Outcome::NotRunning));
    assert_eq!(harness(&other_home, "x"), theirs);
    assert_eq!(outcome(&other, &Order::Stop("x".to_owned())), Some(Outcome::Stopped));
    assert_eq!(outcome(&the_loop, &Order::Start("x".to_owned())), Some(Outcome::Resumed));
}

#[test]
fn row_16_what_an_operator_respawned_in_our_pane_is_neither_ours_nor_running() {
    let home = home();
    let the_loop = home.the_loop();
    create(&home, &the_loop, "x");
    let target = format!("={}:", session("x"));
    home.tmux().run(&["respawn-pane", "-k", "-t", &target, "--", "sh", "-c", "echo another; exec sleep 600"]);
    wait_for("the other program", || home.tmux().screen(&session("x")).contains("another").then_some(()));
    let row = the_loop.standing().get("x").expect("known");
    assert_eq!((row.state, row.running), (State::Foreign, false), "{row:?}");
    assert!(row.reason.contains("another program"), "{}", row.reason);
    let answer = Order::Start("x".to_owned()).done_by(&the_loop);
    assert_eq!(answer.outcome(), Some(Outcome::Failed), "{answer:?}");
    let pane_pid = || {
        let output = home.tmux().run(&["list-panes", "-t", &target, "-F", "#{pane_pid} #{pane_dead}"]);
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let before = pane_pid();
    // However often it is asked: what a stop has left alone is no more ours after it.
    for _ in 0..2 {
        assert_eq!(outcome(&the_loop, &Order::Stop("x".to_owned())), Some(Outcome::NotRunning));
        assert_eq!(the_loop.standing().get("x").expect("known").state, State::Foreign);
        let said = Order::Say(say("x", "hello")).done_by(&the_loop);
        assert!(matches!(said, Answer::Refused(ProblemCode::NotRunning, _)), "{said:?}");
        assert_eq!(outcome(&the_loop, &Order::Start("x".to_owned())), Some(Outcome::Failed));
        assert_eq!(outcome(&the_loop, &Order::Restart("x".to_owned())), Some(Outcome::Failed));
    }
    assert_eq!(pane_pid(), before, "was not touched");
    assert!(home.tmux().screen(&session("x")).contains("another"));
    home.tmux().run(&["kill-session", "-t", &format!("={}", session("x"))]);
    assert_eq!(outcome(&the_loop, &Order::Start("x".to_owned())), Some(Outcome::Resumed));
}

#[test]
fn row_16_a_session_that_was_renamed_leaves_nothing_behind_and_what_joined_it_stays() {
    let home = home();
    let the_loop = home.the_loop();
    for (name, order) in [("x", Order::Stop("x".to_owned())), ("y", Order::Delete("y".to_owned()))] {
        create(&home, &the_loop, name);
        home.tmux().run(&["rename-session", "-t", &format!("={}", session(name)), &format!("mine-{name}")]);
        let done = outcome(&the_loop, &order);
        assert!(matches!(done, Some(Outcome::Stopped | Outcome::Deleted)), "{done:?}");
        assert_eq!(home.tmux().sessions(), Vec::<String>::new(), "{name}");
    }
    create(&home, &the_loop, "z");
    home.tmux().run(&["split-window", "-d", "-t", &format!("={}:", session("z")), "sleep 600"]);
    home.tmux().run(&["rename-session", "-t", &format!("={}", session("z")), "mine"]);
    assert_eq!(outcome(&the_loop, &Order::Stop("z".to_owned())), Some(Outcome::Stopped));
    let panes = home.tmux().run(&["list-panes", "-s", "-t", "=mine", "-F", "#{pane_dead} #{pane_current_command}"]);
    assert_eq!(String::from_utf8_lossy(&panes.stdout), "0 sleep\n", "the operator's own pane");
    home.tmux().run(&["kill-session", "-t", "=mine"]);
}

#[test]
fn row_18_an_agent_that_stops_its_own_session_comes_to_the_end_of_it() {
    let home = home();
    home.reconfigure("/standingSessions/agentsMayControl", serde_json::json!(true));
    let the_loop = home.the_loop();
    create(&home, &the_loop, "x");
    let id = record(&home, "x").expect("a record")["loopId"].as_str().expect("an id").to_owned();
    // As a tool that the agent calls: it has the agent's environment.
    let mut tool = Actor::within(&home, &[("THE_LOOP_ID", &id), ("THE_LOOP_SESSION", "x")]);
    tool.send(&[Order::Stop("x".to_owned())]);
    let answers = tool.answers().expect("it lives to answer");
    assert_eq!(answers[0].outcome(), Some(Outcome::Stopped), "{answers:?}");
    assert_eq!(record(&home, "x").expect("a record")["phase"], "stopped");
    drop(tool);
    assert_eq!(outcome(&the_loop, &Order::Start("x".to_owned())), Some(Outcome::Resumed));
}

/// A program that writes over its own environment, as setproctitle does, and has a child that does neither listen to
/// the terminal nor become another program.
const HIDER: &str = r#"#!/usr/bin/perl
$0 = "hidden " . ("x" x 20000);
unless (fork) { $SIG{HUP} = $SIG{TERM} = "IGNORE"; $0 = "child " . ("y" x 20000); sleep 600; exit }
print "up\n";
sleep 600;
"#;

#[test]
fn row_18_a_program_that_hides_its_environment_is_ended_with_its_children() {
    if !std::path::Path::new("/usr/bin/perl").exists() {
        skipped(18, "the program that hides its environment is written in perl, which is not here");
        return;
    }
    let home = home();
    let program = home.path().join("bin/hider");
    fs::write(&program, HIDER).expect("written");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("made executable");
    home.reconfigure("/routing/harnesses/hider", json!({ "command": [program] }));
    home.reconfigure("/routing/tmux/harnessKillGraceSeconds", json!(1));
    let the_loop = home.the_loop();
    let bystander = Bystander::start(&home);
    let answer = Order::Create(CreateRequest { harness: "hider".to_owned(), ..request(&home, "x") }).done_by(&the_loop);
    assert_eq!(answer.outcome(), Some(Outcome::Started), "{answer:?}");
    wait_for("it to be up", || home.tmux().screen(&session("x")).contains("up").then_some(()));
    let pane = the_loop.standing().get("x").expect("known").pid.expect("it runs");
    let of_session = || -> Vec<i32> {
        let pids = fs::read_dir("/proc").expect("read").flatten();
        let pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        // After the name in parentheses: state, parent, group, session.
        let session = |pid: i32| {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
            stat.rsplit_once(')')?.1.split_whitespace().nth(3)?.parse::<u32>().ok()
        };
        pids.filter(|&pid| session(pid) == Some(pane) && lives(pid)).collect()
    };
    wait_for("both to be there", || (of_session().len() == 2).then_some(()));
    let both = of_session();
    let answer = Order::Stop("x".to_owned()).done_by(&the_loop);
    assert_eq!(answer.outcome(), Some(Outcome::Stopped), "{answer:?}");
    assert!(both.iter().all(|&pid| !lives(pid)), "{both:?} after {answer:?}");
    assert!(lives(bystander.pid()));
}

#[test]
fn row_19_without_retained_panes_a_quick_end_has_failed_too_and_leaves_nothing() {
    // Long enough for the end to come within it on any machine.
    let home = builder()
        .set("/routing/tmux/remainOnExit", json!(false))
        .set("/routing/tmux/resumeProbeSeconds", json!(5))
        .build();
    let the_loop = home.the_loop();
    for after in ["exit-after=0:3", "exit-after=300:3"] {
        // It never takes its brief, so that nothing shows it to be up before its end.
        let answer = Order::Create(with_faults(&home, "x", &["deaf-box", after])).done_by(&the_loop);
        assert_eq!(answer.outcome(), Some(Outcome::Failed), "{after}: {answer:?}");
        assert!(!record_file(&home, "x").exists(), "{after}: the name is free for the retry");
        assert_eq!(home.tmux().sessions(), Vec::<String>::new(), "{after}");
    }
    let left = marked(home.marker());
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn row_19_without_a_probe_a_start_is_trusted_at_once_and_its_end_is_told_later() {
    let home = builder().set("/routing/tmux/resumeProbeSeconds", json!(0)).build();
    let the_loop = home.the_loop();
    let answer = Order::Create(with_faults(&home, "x", &["exit-after=400:3"])).done_by(&the_loop);
    let Answer::Rows(rows) = &answer else { panic!("{answer:?}") };
    assert_eq!(rows[0].outcome, Some(Outcome::Started), "{answer:?}");
    assert!(record(&home, "x").expect("a record")["process"]["pid"].is_u64());
    wait_for("its end to be told", || {
        let row = the_loop.standing().get("x").expect("known");
        (row.state == State::Ended && row.reason.contains("status 3")).then_some(())
    });
    assert_eq!(harnesses(&home, "x"), [] as [i32; 0]);
}
