//! Rows 21 and 22: text arrives as it was, once; and what is no text cannot leave the frame of its paste.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use serde_json::json;
use standing::{CreateRequest, Error, SayReceipt, SayRequest, TheLoop, text::MESSAGE_LIMIT};
use testkit::{TestHome, assert_nothing_spawned, wait_for};
use wire::{Evidence, Verdict};

use crate::stage::{begin, faulty, framed, home, message, said, say, transcript};

/// Text of exactly that many bytes: lines, tabs, characters of one to four bytes; no line feed at its end.
fn body(bytes: usize) -> String {
    const PIECE: &str = "line\té 日本語 👩‍👩‍👧; rm -rf build; $(no) `no` \"quotes\" 'quotes' \\ % #{no} ~\n\n  - ";
    let mut text = PIECE.repeat(bytes / PIECE.len() + 1);
    let end = (0..=bytes).rev().find(|&at| text.is_char_boundary(at)).unwrap_or_default();
    text.truncate(end);
    text.truncate(text.trim_end_matches('\n').len());
    let missing = bytes - text.len();
    text + &"x".repeat(missing)
}

#[track_caller]
fn submitted(receipt: &SayReceipt) {
    assert!(receipt.delivered, "{receipt:?}");
    assert_eq!((receipt.verdict, receipt.evidence), (Verdict::Submitted, Evidence::Transcript), "{receipt:?}");
}

#[test]
fn row_21_every_text_arrives_whole_and_once() {
    let home = home();
    let the_loop = home.the_loop();
    let row = begin(&the_loop, &CreateRequest::named("ops"));
    let texts = [
        "rm -rf build;",
        "--help",
        "-5",
        "日本語 👩‍👩‍👧",
        "one\n\n\n\tfour\t\n five",
        "  leading and trailing blanks  ",
        ";",
        "\\;",
        "Enter",
        "C-c",
        "~",
        "$HOME `id` $(id) #{pane_id} #(id) %1 %if",
        "'\"",
        "/clear",
        "!ls",
        "\u{feff}bom \u{202e}bidi\u{202c} \u{2028}",
    ];
    for text in texts {
        submitted(&say(&the_loop, "ops", text));
    }
    let expected: Vec<String> = texts.iter().map(|text| framed("ops", text)).collect();
    assert_eq!(said(&home, &row), expected);

    let receipt = say(&the_loop, "ops", "line ends\r\nof another\r\nsystem\r\n");
    submitted(&receipt);
    let told = format!("{:?}", receipt.messages);
    assert!(told.contains("3 carriage return(s)") && told.contains("1 line feed(s) at the end"), "{told}");
    assert_eq!(said(&home, &row).pop(), Some(framed("ops", "line ends\nof another\nsystem")));
    for text in ["/clear", "!ls"] {
        let told = format!("{:?}", say(&the_loop, "ops", text).messages);
        assert!(told.contains("like a command"), "{told}");
    }
    assert!(
        transcript(&home, &row).iter().all(|(kind, _)| kind != "interrupt"),
        "a key was sent that nobody asked for"
    );
}

#[test]
fn row_21_every_size_arrives_whole_and_once() {
    let home = home();
    let the_loop = home.the_loop();
    let row = begin(&the_loop, &CreateRequest::named("ops"));
    for bytes in [1, 4095, 4096, 4097, 16 * 1024, 64 * 1024, 1_000_000, MESSAGE_LIMIT] {
        let text = body(bytes);
        assert_eq!(text.len(), bytes);
        submitted(&say(&the_loop, "ops", &text));
        let arrived = said(&home, &row);
        let last = arrived.last().expect("a turn");
        assert!(*last == framed("ops", &text), "of {bytes} bytes, {} arrived", last.len());
    }
    assert_eq!(said(&home, &row).len(), 8, "one turn for each");
}

/// Has every call of tmux noted in a file.
fn spied(home: &TestHome) -> (TheLoop, std::path::PathBuf) {
    let (bin, log) = (home.path().join("spy"), home.path().join("calls"));
    fs::create_dir(&bin).expect("a folder");
    let path = std::env::var("PATH").expect("a PATH");
    let real = std::env::split_paths(&path).map(|dir| dir.join("tmux")).find(|tmux| tmux.exists()).expect("tmux");
    let spy = bin.join("tmux");
    fs::write(&spy, format!("#!/bin/sh\necho called >> '{}'\nexec '{}' \"$@\"\n", log.display(), real.display()))
        .expect("a file");
    fs::set_permissions(&spy, fs::Permissions::from_mode(0o755)).expect("permissions");
    let surroundings = home.surroundings().with_var("PATH", format!("{}:{path}", bin.display()));
    (TheLoop::open_in(None, surroundings, "test"), log)
}

#[test]
fn row_21_empty_and_too_long_are_refused_before_tmux_is_asked() {
    let home = home();
    let (the_loop, log) = spied(&home);
    let row = begin(&the_loop, &CreateRequest::named("ops"));
    let calls = || fs::read_to_string(&log).map(|text| text.lines().count()).unwrap_or_default();
    let before = calls();
    assert!(before > 0, "the spy sees calls");
    assert_nothing_spawned(&home, || {
        for text in ["", " \n\t ", "\r\n", "\u{1b}\u{7}\u{9b}\u{7f}"] {
            let error = the_loop.standing().say(&message("ops", text)).expect_err("refused");
            assert!(matches!(error, Error::InvalidRequest(_)), "{text:?}: {error}");
            assert_eq!(error.code().http_status(), 400);
        }
        let error = the_loop.standing().say(&message("ops", &body(MESSAGE_LIMIT + 1))).expect_err("refused");
        assert_eq!(error.code().http_status(), 413, "{error}");
    });
    assert_eq!(calls(), before, "tmux was asked");
    assert!(said(&home, &row).is_empty());
}

/// Texts that try to end the frame of a paste, or to act as a key inside it.
const BREAKERS: [&str; 12] = [
    "\x1b[201~",
    "\x1b[201\x1b[201~~",
    "\x1b\x1b[201~[201~",
    "\x1b[20\x001~",
    "\x1b[20\x1b[200~1~",
    "\u{9b}201~",
    "\u{9b}20\u{9b}1~",
    "\x1b",
    "\x03",
    "\x04\x1a\x1c",
    "\x7f\x08\x08",
    "\u{85}\u{90}\u{9c}\u{9d}\x07\x0b\x0c\x0e\x0f",
];

#[test]
fn row_22_what_is_no_text_is_taken_out_counted_and_told() {
    let home = home();
    let the_loop = home.the_loop();
    let row = begin(&the_loop, &faulty("ops", &[]));
    for breaker in BREAKERS {
        let text = format!("before{breaker}after");
        let removed = breaker.chars().filter(|char| char.is_control()).count();
        let kept: String = text.chars().filter(|char| !char.is_control()).collect();
        let receipt = say(&the_loop, "ops", &text);
        submitted(&receipt);
        assert_eq!(said(&home, &row).pop(), Some(framed("ops", &kept)), "{breaker:?}");
        let told = format!("{:?}", receipt.messages);
        assert!(told.contains(&format!("{removed} control character(s)")), "{breaker:?}: {told}");
    }
    // The sender's name goes the same way.
    let request = SayRequest { actor: format!("slack:U1{}\r\nx", BREAKERS[0]), ..message("ops", "hello") };
    submitted(&the_loop.standing().say(&request).expect("said"));
    let last = said(&home, &row).pop().expect("a turn");
    assert!(last.starts_with("[the-loop] A message from slack:U1[201~x for standing session `ops`:\n\n"), "{last:?}");
    assert_eq!(said(&home, &row).len(), BREAKERS.len() + 1, "one turn for each");
    assert!(transcript(&home, &row).iter().all(|(kind, _)| kind != "interrupt"));
}

/// A text that is a harmless argument inside of its frame, and a command once it got out.
fn trap(breaker: &str, canary: &Path) -> String {
    format!(": 'quoted{breaker}\x15touch {}\r'", canary.display())
}

#[test]
fn row_22_a_real_shell_runs_nothing_from_outside_the_frame() {
    let home = home();
    let shell = json!({"command": ["bash", "--norc", "--noprofile", "-i"], "sessionId": "none"});
    home.reconfigure("/routing/harnesses/shell", shell);
    let the_loop = home.the_loop();
    let request = CreateRequest { harness: "shell".to_owned(), ..CreateRequest::named("shell") };
    begin(&the_loop, &request);
    let file = |name: &str| home.work().join(name);

    for (number, breaker) in BREAKERS.iter().enumerate() {
        let canary = file(&format!("canary-{number}"));
        let actor = trap(breaker, &canary);
        let request = SayRequest { actor: actor.clone(), ..message("shell", &actor) };
        let receipt = the_loop.standing().say(&request).expect("said");
        // Nothing can prove what a program without a transcript made of it.
        assert_eq!((receipt.verdict, receipt.evidence), (Verdict::Unconfirmed, Evidence::None));
        let done = file(&format!("done-{number}"));
        say(&the_loop, "shell", &format!("touch {}", done.display()));
        wait_for("the shell to have come so far", || done.exists().then_some(()));
        assert!(!canary.exists(), "{breaker:?} got out of its frame");
    }

    // The same text, framed by hand and not cleaned, is what the trap is for.
    let canary = file("canary");
    let naive = format!("\x1b[200~{}\x1b[201~\r", trap(BREAKERS[0], &canary));
    let paste =
        ["set-buffer", "-b", "naive", &naive, ";", "paste-buffer", "-b", "naive", "-t", "=loop-standing-shell:"];
    assert!(home.tmux().run(&paste).status.success());
    wait_for("the trap to spring", || canary.exists().then_some(()));
}
