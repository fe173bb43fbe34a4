//! Row 25: three verdicts, each with its evidence. Only Enter is ever pressed again; the text is never pasted twice.

use std::{fs, os::unix::fs::PermissionsExt};

use serde_json::json;
use standing::{CreateRequest, Row, SayReceipt};
use testkit::TestHome;
use wire::{Evidence, Verdict};

use crate::stage::{LAUNCHER, begin, builder, faulty, framed, home, said, say, shows};

/// A time that no test outlives, in milliseconds.
const FOREVER: u32 = 3_600_000;

fn rests_on(receipt: &SayReceipt) -> (bool, Verdict, Evidence) {
    (receipt.delivered, receipt.verdict, receipt.evidence)
}

const PROVEN: (bool, Verdict, Evidence) = (true, Verdict::Submitted, Evidence::Transcript);
const SEEN: (bool, Verdict, Evidence) = (true, Verdict::Submitted, Evidence::InputEmptied);
const OPEN: (bool, Verdict, Evidence) = (true, Verdict::Unconfirmed, Evidence::None);

/// Enough lines for the box to show them as one.
fn long() -> String {
    let lines: Vec<String> = (0..500).map(|line| format!("line {line} of a long message")).collect();
    lines.join("\n")
}

#[test]
fn row_25_an_enter_that_was_swallowed_is_pressed_again_and_the_text_is_not_pasted_again() {
    let home = home();
    let the_loop = home.the_loop();
    for (name, fault) in [("quiet", "quiet=700"), ("burst", "burst=700"), ("late", "redraw=400")] {
        let row = begin(&the_loop, &faulty(name, &[fault]));
        let long = long();
        for text in ["short", long.as_str()] {
            assert_eq!(rests_on(&say(&the_loop, name, text)), PROVEN, "{name}");
        }
        // The swallowed Enter is a line of its own at the end; of each text there is one.
        let turns: Vec<String> = said(&home, &row).iter().map(|turn| turn.trim_end().to_owned()).collect();
        assert_eq!(turns, [framed(name, "short"), framed(name, &long)], "{name}");
    }
}

#[test]
fn row_25_a_busy_harness_takes_a_message_for_later() {
    let home = home();
    let the_loop = home.the_loop();
    let busy = format!("busy={FOREVER}");
    let row = begin(&the_loop, &faulty("ops", &[&busy]));
    shows(&home, "ops", "working…");
    for text in ["one", "two"] {
        assert_eq!(rests_on(&say(&the_loop, "ops", text)), PROVEN);
    }
    assert_eq!(said(&home, &row), [framed("ops", "one"), framed("ops", "two")]);
}

#[test]
fn row_25_a_message_that_stays_in_the_box_is_unconfirmed_and_there_once() {
    let home = home();
    let the_loop = home.the_loop();
    let held = format!("quiet={FOREVER}");
    let row = begin(&the_loop, &faulty("ops", &[&held]));
    let receipt = say(&the_loop, "ops", "unheard of");
    assert_eq!(rests_on(&receipt), OPEN);
    assert!(receipt.messages[0].text.contains("still in its input box"), "{receipt:?}");
    assert!(said(&home, &row).is_empty());
    let screen = home.tmux().screen("loop-standing-ops");
    assert_eq!(screen.matches("unheard of").count(), 1, "{screen}");
    assert_eq!(screen.matches("[the-loop] A message").count(), 1, "{screen}");
}

/// A home in which the demo keeps its transcripts where the-loop does not look for them.
fn without_transcripts() -> TestHome {
    let home = TestHome::builder().build();
    let exe = home.path().join("bin/elsewhere");
    let elsewhere = home.path().join("elsewhere");
    fs::create_dir(&elsewhere).expect("a folder");
    // They are named after the directory that it is in.
    let script = format!("#!/bin/sh\n[ \"$1\" = demo ] && cd '{}'\nexec '{LAUNCHER}' \"$@\"\n", elsewhere.display());
    fs::write(&exe, script).expect("a file");
    fs::set_permissions(&exe, fs::Permissions::from_mode(0o755)).expect("permissions");
    home
}

/// The turns of a demo of that home, the boot prompt left out.
fn said_elsewhere(home: &TestHome, row: &Row) -> Vec<String> {
    let folders = fs::read_dir(home.home().join(".the-loop-demo/projects")).expect("transcripts");
    let path = folders
        .map(|folder| folder.expect("a folder").path().join(format!("{}.jsonl", row.harness_session_id)))
        .find(|path| path.exists())
        .expect("the transcript");
    let lines = fs::read_to_string(path).expect("read");
    let lines = lines.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let turns = lines.filter(|line| line["type"] == "user");
    turns.map(|line| testkit::without_id(line["text"].as_str().unwrap_or_default())).skip(1).collect()
}

#[test]
fn row_25_without_a_transcript_an_emptied_box_is_evidence_and_an_empty_one_is_not() {
    let home = without_transcripts();
    let exe = home.path().join("bin/elsewhere");
    let the_loop = standing::TheLoop::open_in(None, home.surroundings().with_exe(exe), "test");

    let row = begin(&the_loop, &CreateRequest::named("plain"));
    assert_eq!(rests_on(&say(&the_loop, "plain", "seen to go")), SEEN);
    assert_eq!(rests_on(&say(&the_loop, "plain", &long())), SEEN);
    assert_eq!(said_elsewhere(&home, &row), [framed("plain", "seen to go"), framed("plain", &long())]);

    let row = begin(&the_loop, &faulty("quiet", &["quiet=700"]));
    assert_eq!(rests_on(&say(&the_loop, "quiet", "seen to go")), SEEN);
    let turns: Vec<String> = said_elsewhere(&home, &row).iter().map(|turn| turn.trim_end().to_owned()).collect();
    assert_eq!(turns, [framed("quiet", "seen to go")]);

    // The box that is seen is the empty one from before the paste: the Enter was swallowed all the same.
    let (held, slow) = (format!("quiet={FOREVER}"), format!("redraw={}", 60_000));
    begin(&the_loop, &faulty("stale", &[&held, &slow, "title=demo: idle"]));
    assert_eq!(rests_on(&say(&the_loop, "stale", "not seen")), OPEN);
}

#[test]
fn row_25_a_harness_that_is_still_starting_is_waited_for() {
    let home = builder().build();
    let the_loop = home.the_loop();
    // Longer than the probe: until it is up, what is typed ahead has no frame, and the terminal drops what is too much.
    let row = begin(&the_loop, &faulty("ops", &["slow-start=1500"]));
    let long = "x".repeat(64 * 1024);
    assert_eq!(rests_on(&say(&the_loop, "ops", &long)), PROVEN);
    assert!(said(&home, &row) == [framed("ops", &long)]);
}

#[test]
fn row_25_without_paste_frames_nothing_is_claimed_that_is_not_proven() {
    let home = home();
    // Reads line by line in a plain terminal: every line of a message is an input of its own.
    let lines = home.path().join("lines");
    let reader = format!("exec cat >> '{}'", lines.display());
    home.reconfigure("/routing/harnesses/reader", json!({"command": ["sh", "-c", reader], "sessionId": "none"}));
    let the_loop = home.the_loop();
    begin(&the_loop, &CreateRequest { harness: "reader".to_owned(), ..CreateRequest::named("reader") });
    assert_eq!(rests_on(&say(&the_loop, "reader", "one\ntwo")), OPEN);
    testkit::wait_for("all lines", || {
        fs::read_to_string(&lines)
            .ok()
            .filter(|read| testkit::without_id(read) == format!("{}\n", framed("reader", "one\ntwo")))
    });

    // This one takes a line feed for a new line, so that the message is whole even so.
    let row = begin(&the_loop, &faulty("ops", &["no-bracketed-paste"]));
    assert_eq!(rests_on(&say(&the_loop, "ops", "one\ntwo\n\nthree")), PROVEN);
    assert_eq!(said(&home, &row), [framed("ops", "one\ntwo\n\nthree")]);
}
