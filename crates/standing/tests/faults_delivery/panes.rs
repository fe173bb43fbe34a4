//! Rows 23 and 24: a message goes into the harness's own pane, whatever an operator does beside it, and never answers
//! a question that nobody has read.

use std::fs;

use serde_json::json;
use standing::{Activity, ControlVerb, CreateRequest, Error, Outcome, ProblemCode, SayReceipt, SayRequest};
use testkit::{PrivateTmux, TestHome, wait_for};
use wire::{Evidence, Verdict};

use crate::stage::{begin, control, faulty, framed, home, message, said, say, shows, transcript};

const WINDOW: &str = "=loop-standing-ops:";

#[track_caller]
fn submitted(receipt: &SayReceipt) {
    assert_eq!((receipt.verdict, receipt.evidence), (Verdict::Submitted, Evidence::Transcript), "{receipt:?}");
}

/// Runs a tmux command that must succeed, and gives what it printed.
#[track_caller]
fn tmux(home: &TestHome, args: &[&str]) -> String {
    let ran = home.tmux().run(args);
    assert!(ran.status.success(), "{args:?}: {}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8_lossy(&ran.stdout).trim_end().to_owned()
}

#[test]
fn row_23_a_message_reaches_the_pane_of_its_harness_whatever_an_operator_does() {
    let home = home();
    let the_loop = home.the_loop();
    let row = begin(&the_loop, &CreateRequest::named("ops"));
    shows(&home, "ops", "You own no work item");
    let pane = tmux(&home, &["display-message", "-p", "-t", WINDOW, "#{pane_id}"]);
    let log = home.path().join("operator.log");
    let shell = format!("exec cat >> '{}'", log.display());
    let mut expected = Vec::new();
    let mut delivered = |what: &str| {
        submitted(&say(&the_loop, "ops", what));
        expected.push(framed("ops", what));
        assert_eq!(said(&home, &row), expected, "{what}");
        let now = the_loop.standing().get("ops").expect("known");
        assert_eq!((now.running, now.pid), (true, row.pid), "{what}");
    };
    tmux(&home, &["copy-mode", "-t", &pane]);
    delivered("in copy mode");
    tmux(&home, &["copy-mode", "-t", &pane, ";", "send-keys", "-X", "-t", &pane, "page-up"]);
    tmux(&home, &["send-keys", "-X", "-t", &pane, "search-forward", "x"]);
    delivered("scrolled back, in a search");
    tmux(&home, &["clock-mode", "-t", &pane]);
    delivered("in clock mode");
    tmux(&home, &["choose-tree", "-t", &pane]);
    delivered("in a tree of sessions");
    tmux(&home, &["split-window", "-b", "-t", WINDOW, &shell]);
    delivered("split, another pane first and selected");
    tmux(&home, &["set-option", "-w", "-t", WINDOW, "synchronize-panes", "on"]);
    delivered("synchronised with another pane");
    tmux(&home, &["set-option", "-w", "-t", WINDOW, "synchronize-panes", "off"]);
    tmux(&home, &["resize-pane", "-Z", "-t", WINDOW]);
    delivered("another pane zoomed");
    tmux(&home, &["swap-pane", "-d", "-s", &pane, "-t", WINDOW]);
    delivered("swapped");
    tmux(&home, &["new-window", "-t", WINDOW, &shell]);
    delivered("a second window, selected");
    tmux(&home, &["break-pane", "-d", "-s", &pane, "-t", "=loop-standing-ops:9"]);
    delivered("moved into a window of its own");
    tmux(&home, &["rename-window", "-t", WINDOW, "loop-standing-other"]);
    tmux(&home, &["rename-window", "-t", "=loop-standing-ops:9", "=ops: ##(touch canary)"]);
    delivered("windows renamed");
    tmux(&home, &["new-session", "-d", "-s", "loop-standing-ops-2", "-t", "=loop-standing-ops"]);
    delivered("a second session on the same windows");
    tmux(&home, &["kill-session", "-t", "=loop-standing-ops-2"]);
    tmux(&home, &["set-buffer", "-b", "mine", "the operator's own"]);
    delivered("beside an operator's buffer");
    assert_eq!(tmux(&home, &["list-buffers", "-F", "#{buffer_name}"]), "mine", "a buffer was left behind");
    assert_eq!(fs::read_to_string(&log).unwrap_or_default(), "", "an operator's pane was typed into");
    assert!(transcript(&home, &row).iter().all(|(kind, _)| kind != "interrupt"));
    assert_eq!(control(&the_loop, "ops", ControlVerb::Stop).outcome, Some(Outcome::Stopped));
    assert!(home.tmux().sessions().is_empty());
}

#[test]
fn row_23_a_pane_that_takes_no_input_or_is_another_program_s_is_not_typed_into() {
    let home = home();
    let the_loop = home.the_loop();
    let row = begin(&the_loop, &CreateRequest::named("ops"));
    let pane = tmux(&home, &["display-message", "-p", "-t", WINDOW, "#{pane_id}"]);
    tmux(&home, &["select-pane", "-d", "-t", &pane]);
    let receipt = say(&the_loop, "ops", "into the void");
    assert_eq!((receipt.delivered, receipt.exit_code, receipt.verdict), (false, 1, Verdict::NotDelivered));
    assert!(receipt.messages[0].text.contains("tmux select-pane -e"), "{receipt:?}");
    tmux(&home, &["select-pane", "-e", "-t", &pane]);
    submitted(&say(&the_loop, "ops", "heard"));
    assert_eq!(said(&home, &row), [framed("ops", "heard")]);

    let log = home.path().join("other.log");
    tmux(&home, &["respawn-pane", "-k", "-t", &pane, &format!("exec cat >> '{}'", log.display())]);
    wait_for("the other program", || log.exists().then_some(()));
    let error = the_loop.standing().say(&message("ops", "astray")).expect_err("refused");
    assert_eq!(error.code(), ProblemCode::NotRunning);
    let request = SayRequest { force: true, ..message("ops", "astray") };
    assert_eq!(the_loop.standing().say(&request).expect_err("refused").code(), ProblemCode::NotRunning);
    assert_eq!(fs::read_to_string(&log).expect("there"), "");
}

/// A client of that size, in a terminal of its own.
fn attach(home: &TestHome, terminal: &PrivateTmux, name: &str, columns: &str, rows: &str) {
    let attach = format!("exec env -u TMUX tmux -u -L {} attach -t =loop-standing-ops", home.tmux().name());
    let made = terminal.run(&["new-session", "-d", "-s", name, "-x", columns, "-y", rows, &attach]);
    assert!(made.status.success());
    let size = format!("{columns}x{rows}");
    wait_for(&format!("a client of {size}"), || {
        let clients = home.tmux().run(&["list-clients", "-F", "#{client_width}x#{client_height}"]);
        String::from_utf8_lossy(&clients.stdout).lines().any(|line| line == size).then_some(())
    });
}

#[test]
fn row_23_a_small_client_does_not_make_the_screen_collapse() {
    let home = home();
    let the_loop = home.the_loop();
    let row = begin(&the_loop, &CreateRequest::named("ops"));
    let size = || tmux(&home, &["display-message", "-p", "-t", WINDOW, "#{window_width}x#{window_height}"]);
    let has_size = |wanted: &str| wait_for(&format!("a size of {wanted}"), || (size() == wanted).then_some(()));
    has_size("200x50");
    let terminal = PrivateTmux::new();
    attach(&home, &terminal, "large", "200", "50");
    attach(&home, &terminal, "small", "30", "10");
    // One line is the status line.
    has_size("200x49");
    submitted(&say(&the_loop, "ops", "seen by two"));
    assert_eq!(size(), "200x49");
    tmux_in(&terminal, &["kill-session", "-t", "=large"]);
    has_size("30x9");
    submitted(&say(&the_loop, "ops", &"seen by a small one\n".repeat(40)));
    tmux_in(&terminal, &["kill-session", "-t", "=small"]);
    has_size("200x50");
    submitted(&say(&the_loop, "ops", "seen by nobody"));
    assert_eq!(said(&home, &row).len(), 3);
    attach(&home, &terminal, "middle", "100", "40");
    has_size("100x39");
}

fn tmux_in(terminal: &PrivateTmux, args: &[&str]) {
    assert!(terminal.run(args).status.success(), "{args:?}");
}

#[test]
fn row_24_a_dialog_is_told_of_and_not_answered() {
    let home = home();
    let the_loop = home.the_loop();
    let question = "Do you trust the files in this folder?";
    // With its own title, and with one that tells nothing, so that only the screen does.
    for (name, title) in [("titled", None), ("bare", Some("title=something else"))] {
        let dialog = format!("dialog={question}");
        let faults: Vec<&str> = std::iter::once(dialog.as_str()).chain(title).collect();
        let row = begin(&the_loop, &faulty(name, &faults));
        shows(&home, name, "1. No, exit");
        let now = the_loop.standing().get(name).expect("known");
        assert_eq!((now.activity, now.question.as_str()), (Activity::Waiting, question), "{name}");
        for text in ["hello", "2", "y"] {
            let error = the_loop.standing().say(&message(name, text)).expect_err("refused");
            let code = error.code();
            assert_eq!((code, code.http_status()), (ProblemCode::Waiting, 409), "{error}");
            let Error::Waiting { question: asked, .. } = &error else { panic!("{error}") };
            assert_eq!(asked, question);
            for part in [question, "--force", "tmux attach -t"] {
                assert!(error.problem().detail.contains(part), "{error}");
            }
        }
        let screen = the_loop.standing().screen(name, 50).expect("shown");
        assert!(screen.contains("❯ 1. No, exit"), "{screen}");
        let now = the_loop.standing().get(name).expect("known");
        assert_eq!((now.running, now.pid), (true, row.pid), "{name}: no key was sent");
        // Once a person has answered, it goes on.
        tmux(&home, &["send-keys", "-t", &format!("=loop-standing-{name}:"), "2"]);
        shows(&home, name, "You own no work item");
        submitted(&say(&the_loop, name, "hello"));
        assert_eq!(said(&home, &row), [framed(name, "hello")]);
    }
}

#[test]
fn row_24_force_delivers_all_the_same_and_tells_what_came_of_it() {
    let home = home();
    let the_loop = home.the_loop();
    // It says that it waits, and takes input.
    let row = begin(&the_loop, &faulty("ops", &["title=demo: waiting: Really?"]));
    shows(&home, "ops", "You own no work item");
    assert_eq!(the_loop.standing().say(&message("ops", "hello")).expect_err("refused").code(), ProblemCode::Waiting);
    let request = SayRequest { force: true, ..message("ops", "hello") };
    submitted(&the_loop.standing().say(&request).expect("forced"));
    assert_eq!(said(&home, &row), [framed("ops", "hello")]);

    // On a real dialog the Enter takes the answer that is preselected, which leaves.
    begin(&the_loop, &faulty("gone", &["dialog=Leave?"]));
    shows(&home, "gone", "1. No, exit");
    let request = SayRequest { force: true, ..message("gone", "hello") };
    let receipt = the_loop.standing().say(&request).expect("forced");
    assert_eq!((receipt.verdict, receipt.evidence), (Verdict::Unconfirmed, Evidence::None));
    assert!(receipt.messages[0].text.contains("the harness exited"), "{receipt:?}");
}

#[test]
fn row_24_a_dialog_of_an_echoing_program_is_none() {
    let home = home();
    let the_loop = home.the_loop();
    let row = begin(&the_loop, &CreateRequest::named("ops"));
    // What a message or an answer looks like does not make it one.
    for text in ["❯ 1. No, exit\n  2. Yes, go on", "────────────\nTrust?\n\n❯ 1. Yes\n\nenter confirms"]
    {
        submitted(&say(&the_loop, "ops", text));
        submitted(&say(&the_loop, "ops", "and on"));
    }
    assert_eq!(said(&home, &row).len(), 4);
    home.reconfigure("/routing/defaultHarness", json!("echoer"));
    begin(&the_loop, &CreateRequest::named("echoer"));
    say(&the_loop, "echoer", "❯ 1. No, exit");
    shows(&home, "echoer", "echo: ❯ 1. No, exit");
    let receipt = say(&the_loop, "echoer", "still");
    assert_eq!(receipt.verdict, Verdict::Unconfirmed, "{receipt:?}");
    shows(&home, "echoer", "echo: still");
}
