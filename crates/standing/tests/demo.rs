//! The demo harness as a person and the core meet it: the real program in a real tmux on a private socket.

#[path = "demo/stage.rs"]
mod stage;

use std::{fs, thread, time::Duration};

use nix::sys::signal::Signal;
use stage::{Stage, until};
use standing::demo::checksum;

const ID: &str = "0b0c5d0e-2f57-4a3c-9d6a-5f1f7c7a9b11";
const FRESH: [&str; 2] = ["--session-id", ID];

/// A time that no test outlives.
const FOREVER_MS: &str = "3600000";

/// `--session-id ID`, then faults, then the prompt `boot`.
fn fresh(faults: &[&str]) -> Vec<String> {
    let faults = faults.iter().flat_map(|fault| ["--fault", fault]);
    FRESH.into_iter().chain(faults).chain(["boot"]).map(str::to_owned).collect()
}

fn turn(kind: &str, text: &str) -> (String, String) {
    (kind.to_owned(), text.to_owned())
}

#[test]
fn a_prompt_is_answered_on_the_screen_and_kept() {
    let stage = Stage::new();
    let pane = stage.open(&[&FRESH[..], &["look here"]].concat());
    pane.shows("• you said: look here");
    pane.shows(ID);
    pane.has_title("demo: idle");
    until("the reply is kept", || stage.transcript(ID).len() == 2);
    assert_eq!(stage.transcript(ID), [turn("user", "look here"), turn("assistant", "you said: look here")]);
}

#[test]
fn nothing_said_leaves_no_transcript() {
    let stage = Stage::new();
    let pane = stage.open(&FRESH);
    pane.has_title("demo: idle");
    pane.signal(Signal::SIGTERM);
    assert_eq!(pane.ended(), "0");
    assert!(!stage.transcript_path(ID).exists());
    let pane = stage.open(&["--resume", ID]);
    assert_eq!(pane.ended(), "1");
}

#[test]
fn a_framed_paste_of_many_lines_is_one_turn() {
    let stage = Stage::new();
    let pane = stage.open(&fresh(&[]));
    pane.shows("you said: boot");
    let text = "first\n\tsecond `x`; rm -rf build;\n\n--help 日本語 👩‍👩‍👧\nlast";
    pane.paste(text);
    pane.shows("> [pasted 5 lines]");
    pane.key("Enter");
    until("the turn is kept", || stage.said(ID) == ["boot", text]);
    pane.shows("last");
}

#[test]
fn a_megabyte_arrives_as_it_was() {
    let stage = Stage::new();
    let pane = stage.open(&fresh(&[]));
    pane.shows("you said: boot");
    let text: String = (0..80_000).map(|line| format!("line {line} é\n")).collect::<Vec<_>>().concat();
    assert!(text.len() > 1_000_000);
    pane.paste(&text);
    pane.shows("> [pasted 80000 lines]");
    pane.key("Enter");
    pane.shows(&format!("{:016x}", checksum(text.as_bytes())));
    assert_eq!(stage.said(ID), ["boot".to_owned(), text]);
}

#[test]
fn without_frames_every_line_is_a_turn() {
    let stage = Stage::new();
    let pane = stage.open(&fresh(&["no-bracketed-paste"]));
    pane.shows("you said: boot");
    // Without `-r`, tmux turns line feeds into Enters.
    stage.tmux_with("one\ntwo\n", &["load-buffer", "-", ";", "paste-buffer", "-p", "-d", "-t", &pane.target()]);
    until("both are kept", || stage.said(ID) == ["boot", "one", "two"]);
}

#[test]
fn typed_keys_edit_the_box() {
    let stage = Stage::new();
    let pane = stage.open(&FRESH);
    pane.has_title("demo: idle");
    for key in ["a", "é", "x", "BSpace", "C-j", "b", "Enter"] {
        pane.key(key);
    }
    until("the turn is kept", || stage.said(ID) == ["aé\nb"]);
    pane.type_text("/exit");
    pane.key("Enter");
    assert_eq!(pane.ended(), "0");
}

#[test]
fn control_c_twice_leaves() {
    let stage = Stage::new();
    let pane = stage.open(&FRESH);
    pane.has_title("demo: idle");
    pane.type_text("half");
    pane.shows("> half");
    pane.key("C-c");
    pane.shows("ctrl-c again to leave");
    pane.type_text("other");
    pane.shows("> other");
    pane.key("C-c");
    pane.key("C-c");
    assert_eq!(pane.ended(), "0");
}

#[test]
fn a_conversation_goes_on_where_it_was() {
    let stage = Stage::new();
    let pane = stage.open(&[&FRESH[..], &["remember the heron"]].concat());
    pane.shows("you said: remember the heron");
    pane.signal(Signal::SIGTERM);
    assert_eq!(pane.ended(), "0");
    let pane = stage.open(&["--resume", ID]);
    pane.shows("› remember the heron");
    pane.shows("• you said: remember the heron");
    pane.type_text("more");
    pane.key("Enter");
    until("the turn is kept", || stage.said(ID) == ["remember the heron", "more"]);
}

#[test]
fn what_cannot_be_opened_exits_with_1_and_says_why() {
    let stage = Stage::new();
    let pane = stage.open(&["--resume", ID]);
    assert_eq!(pane.ended(), "1");

    let pane = stage.open(&fresh(&[]));
    pane.shows("you said: boot");
    pane.signal(Signal::SIGTERM);
    assert_eq!(pane.ended(), "0");
    let unknown = "0b0c5d0e-2f57-4a3c-9d6a-5f1f7c7a9b12";
    for (args, why) in [
        (&["--resume", unknown][..], "no conversation found with session id 0b0c5d0e-2f57-4a3c-9d6a-5f1f7c7a9b12"),
        (&["--resume", ID, "--fault", "resume-fails"], "no conversation found with session id"),
        (&["--session-id", ID, "boot"], "is already in use"),
        (&["--session-id", unknown, "-5"], "unknown option `-5`"),
        (&["--session-id", unknown], "it needs a terminal"),
    ] {
        let (code, words) = stage.without_terminal(args);
        assert_eq!(code, Some(1), "{words}");
        assert!(words.contains(why), "{args:?}: {words}");
    }
}

#[test]
fn asked_to_go_it_flushes_and_killed_it_cannot() {
    let hold = format!("hold={FOREVER_MS}");
    for (signal, exit, kept) in [(Signal::SIGTERM, "0", 2), (Signal::SIGHUP, "0", 2), (Signal::SIGKILL, "", 1)] {
        let stage = Stage::new();
        let pane = stage.open(&fresh(&[&hold]));
        pane.shows("you said: boot");
        assert_eq!(stage.transcript(ID).len(), 1, "the reply is held");
        pane.signal(signal);
        assert_eq!(pane.ended(), exit, "{signal}");
        assert_eq!(stage.transcript(ID).len(), kept, "{signal}");
    }
}

#[test]
fn a_closed_session_flushes_too() {
    let stage = Stage::new();
    let pane = stage.open(&fresh(&[&format!("hold={FOREVER_MS}")]));
    pane.shows("you said: boot");
    stage.tmux(&["kill-session", "-t", pane.session()]);
    until("the reply is kept", || stage.transcript(ID).len() == 2);
    until("it is gone", || !pane.lives());
}

#[test]
fn an_early_enter_is_swallowed() {
    for fault in ["quiet", "burst"] {
        let stage = Stage::new();
        let pane = stage.open(&fresh(&[&format!("{fault}={FOREVER_MS}")]));
        pane.shows("you said: boot");
        pane.paste("ab");
        pane.key("Enter");
        pane.key("z");
        pane.shows("> ab\n  z");
        assert_eq!(stage.said(ID), ["boot"], "{fault}");
    }
}

#[test]
fn an_enter_in_time_submits() {
    let stage = Stage::new();
    let pane = stage.open(&fresh(&["quiet=100", "burst=120"]));
    pane.shows("you said: boot");
    pane.paste("ab");
    until("an Enter is taken", || {
        // Each Enter that is too early restarts the wait.
        thread::sleep(Duration::from_millis(200));
        pane.key("Enter");
        stage.said(ID).len() == 2
    });
    assert_eq!(stage.said(ID)[1].trim_end(), "ab");
}

#[test]
fn a_dialog_takes_a_digit_and_loses_the_rest() {
    let stage = Stage::new();
    let pane = stage.open(&fresh(&["dialog=Do you trust this folder?"]));
    pane.shows("Do you trust this folder?");
    pane.shows("❯ 1. No, exit");
    pane.has_title("demo: waiting: Do you trust this folder?");
    pane.paste("lost words");
    pane.key("2");
    pane.shows("you said: boot");
    assert_eq!(stage.said(ID), ["boot"]);
}

#[test]
fn a_pasted_enter_on_a_dialog_leaves() {
    let stage = Stage::new();
    let pane = stage.open(&fresh(&["dialog=Do you trust this folder?"]));
    pane.shows("Do you trust this folder?");
    pane.paste("lost words");
    pane.key("Enter");
    assert_eq!(pane.ended(), "1");
    assert!(!stage.transcript_path(ID).exists());
}

#[test]
fn escape_cancels_the_work_and_is_noted() {
    let stage = Stage::new();
    let pane = stage.open(&fresh(&[&format!("busy={FOREVER_MS}")]));
    pane.has_title("demo: working");
    pane.key("Escape");
    pane.has_title("demo: idle");
    assert_eq!(stage.transcript(ID), [turn("user", "boot"), turn("interrupt", "")]);
    pane.key("Escape");
    until("that one is noted too", || stage.transcript(ID).len() == 3);
}

#[test]
fn turns_said_meanwhile_wait_their_turn() {
    let stage = Stage::new();
    let pane = stage.open(&fresh(&["busy=500", "hold=0"]));
    pane.shows("› boot");
    pane.type_text("next");
    pane.key("Enter");
    pane.shows("you said: next");
    until("all are kept", || stage.transcript(ID).len() == 4);
    let replies: Vec<_> = stage.transcript(ID).into_iter().filter(|(kind, _)| kind == "assistant").collect();
    assert_eq!(replies, [turn("assistant", "you said: boot"), turn("assistant", "you said: next")]);
}

#[test]
fn ignored_signals_are_noted_and_outlived() {
    let stage = Stage::new();
    let pane = stage.open(&fresh(&["ignore-term", "ignore-hup", "hold=0"]));
    pane.shows("you said: boot");
    pane.signal(Signal::SIGTERM);
    until("TERM is noted", || stage.transcript(ID).contains(&turn("signal", "SIGTERM")));
    stage.tmux(&["kill-session", "-t", pane.session()]);
    until("HUP is noted", || stage.transcript(ID).contains(&turn("signal", "SIGHUP")));
    assert!(pane.lives());
    pane.signal(Signal::SIGKILL);
    until("it is gone", || !pane.lives());
}

#[test]
fn children_outlive_it() {
    let stage = Stage::new();
    let pane = stage.open(&fresh(&["fork", "setsid", "double-fork"]));
    pane.shows("you said: boot");
    // Each detaches in its own time.
    until("all three sleep where they belong", || {
        let sleepers = stage.sleepers();
        sleepers.len() == 3
            && sleepers.iter().filter(|child| child.parent == pane.pid()).count() == 2
            && sleepers.iter().filter(|child| child.group == pane.pid()).count() == 1
    });
    let sleepers = stage.sleepers();
    assert!(sleepers.iter().all(|child| child.blocked == 0), "{sleepers:?}");
    pane.signal(Signal::SIGTERM);
    until("the one in its group goes with the terminal", || stage.sleepers().len() == 2);
    assert!(!pane.lives());
}

#[test]
fn children_ignore_what_it_ignores() {
    let stage = Stage::new();
    let pane = stage.open(&fresh(&["fork", "ignore-hup"]));
    pane.shows("you said: boot");
    until("it sleeps", || stage.sleepers().len() == 1);
    stage.tmux(&["kill-session", "-t", pane.session()]);
    pane.signal(Signal::SIGKILL);
    until("the parent is gone", || !pane.lives());
    assert_eq!(stage.sleepers().len(), 1);
}

#[test]
fn it_leaves_and_crashes_as_told() {
    let stage = Stage::new();
    let pane = stage.open(&fresh(&["exit-after=10:42", &format!("busy={FOREVER_MS}")]));
    assert_eq!(pane.ended(), "42");

    let counter = stage.folder().join("crashes");
    let crash = format!("crash-times=2:{}", counter.display());
    let resume = ["--resume", ID, "--fault", &crash];
    for _ in 0..2 {
        let (code, words) = stage.without_terminal(&resume);
        assert_eq!(code, Some(1));
        assert!(words.contains("crashed on purpose"), "{words}");
    }
    stage.open(&resume).shows("› boot");
    assert_eq!(fs::read_to_string(counter).expect("the counter").trim(), "2");
}

#[test]
fn a_slow_start_loses_nothing_and_can_be_ended() {
    let stage = Stage::new();
    let pane = stage.open(&[&FRESH[..], &["--fault", "slow-start=300"]].concat());
    pane.type_text("early");
    pane.key("Enter");
    // A terminal that is still in line mode turns Enter into a line feed; one that is not takes it for a submit.
    until("the early words are there", || {
        let screen = pane.screen();
        screen.contains("> early\n") || screen.contains("you said: early\n")
    });
    let pane = stage.open(&[&FRESH[..], &["--fault", &format!("slow-start={FOREVER_MS}")]].concat());
    pane.signal(Signal::SIGTERM);
    pane.ended();
}

#[test]
fn noise_drowns_nothing() {
    let stage = Stage::new();
    let pane = stage.open(&fresh(&["noisy", "title=a <b>title</b>"]));
    pane.has_title("a <b>title</b>");
    pane.type_text("still here");
    pane.key("Enter");
    until("the turn is kept", || stage.said(ID) == ["boot", "still here"]);
    pane.signal(Signal::SIGTERM);
    assert_eq!(pane.ended(), "0");
}

#[test]
fn the_picture_follows_the_window() {
    let stage = Stage::new();
    let pane = stage.open(&fresh(&[]));
    pane.shows("you said: boot");
    stage.tmux(&["resize-window", "-t", &pane.target(), "-x", "40", "-y", "10"]);
    until("it is drawn anew", || {
        let screen = pane.screen();
        screen.lines().count() == 10 && screen.lines().any(|line| line == "─".repeat(40)) && screen.contains("› boot")
    });
}
