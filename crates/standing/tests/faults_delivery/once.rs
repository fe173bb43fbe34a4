//! Row 26: the same request twice is typed once, also when the process that typed it was killed in the midst of it.

use std::{env, fs, os::unix::process::ExitStatusExt as _, process::Stdio, thread};

use serde_json::json;
use standing::{ControlVerb, CreateRequest, DeleteRequest, Error, Outcome, SayReceipt, SayRequest, TheLoop};
use testkit::{TestHome, wait_for};
use wire::{Evidence, Verdict};

use crate::stage::{LAUNCHER, begin, control, framed, home, message, said};

/// Tells this program that it is to say something, and what.
const ORDER: &str = "THE_LOOP_TEST_SAY";

/// Says what it was told to; it is killed on the way.
#[test]
#[ignore = "a program that other tests run"]
fn driver() {
    let order = env::var(ORDER).expect("the test that runs it says what to say");
    let request: SayRequest = serde_json::from_str(&order).expect("a request");
    let surroundings = standing::Surroundings::of_process().without_var(ORDER).with_exe(LAUNCHER);
    let receipt = TheLoop::open_in(None, surroundings, "driver").standing().say(&request);
    unreachable!("it was to be killed: {receipt:?}");
}

fn keyed(name: &str, text: &str, key: &str) -> SayRequest {
    SayRequest { idempotency_key: key.to_owned(), ..message(name, text) }
}

/// Has another process of the-loop say it, and be killed at that point.
#[track_caller]
pub(crate) fn killed_at(home: &TestHome, point: &str, request: &SayRequest) {
    let mut command = home.command(env::current_exe().expect("this program"));
    command.args(["--exact", "--ignored", "once::driver", "--nocapture"]).stdin(Stdio::null()).stdout(Stdio::null());
    command.env(ORDER, serde_json::to_string(request).expect("JSON"));
    let status = command.env("THE_LOOP_FAILPOINT", format!("{point}=kill")).status().expect("it starts");
    assert_eq!(status.signal(), Some(9), "{point}: {status}");
}

#[track_caller]
fn repeat(the_loop: &TheLoop, request: &SayRequest) -> SayReceipt {
    the_loop.standing().say(request).expect("a receipt")
}

#[test]
fn row_26_the_same_request_twice_is_typed_once_and_answered_twice() {
    let home = home();
    let the_loop = home.the_loop();
    let row = begin(&the_loop, &CreateRequest::named("ops"));
    begin(&the_loop, &CreateRequest::named("other"));
    let request = keyed("ops", "only once", "key-1");
    let first = repeat(&the_loop, &request);
    assert_eq!((first.verdict, first.evidence), (Verdict::Submitted, Evidence::Transcript));
    for the_loop in [the_loop.clone(), home.the_loop()] {
        assert_eq!(repeat(&the_loop, &request), first);
    }
    assert_eq!(said(&home, &row), [framed("ops", "only once")]);

    let with_actor = SayRequest { actor: "somebody".to_owned(), ..request.clone() };
    for other in [keyed("ops", "something else", "key-1"), with_actor] {
        let error = the_loop.standing().say(&other).expect_err("refused");
        assert!(matches!(error, Error::KeyReused { .. }), "{error}");
        assert_eq!(error.code().http_status(), 409);
    }
    for key in ["x".repeat(256), "a\nb".to_owned()] {
        let error = the_loop.standing().say(&keyed("ops", "hello", &key)).expect_err("refused");
        assert_eq!(error.code().http_status(), 400, "{error}");
    }
    // A key counts for its session, and without one everything is said as often as it is asked for.
    assert_ne!(repeat(&the_loop, &keyed("other", "only once", "key-1")).message_id, first.message_id);
    for _ in 0..2 {
        repeat(&the_loop, &message("ops", "twice"));
    }
    assert_eq!(said(&home, &row).len(), 3);

    // What is known is answered also when nothing runs any more.
    assert_eq!(control(&the_loop, "ops", ControlVerb::Stop).outcome, Some(Outcome::Stopped));
    assert_eq!(repeat(&the_loop, &request), first);
    the_loop.standing().delete(&DeleteRequest { name: "ops".to_owned() }).expect("deleted");
    let row = begin(&the_loop, &CreateRequest::named("ops"));
    assert_ne!(repeat(&the_loop, &request).message_id, first.message_id, "it is another session");
    assert_eq!(said(&home, &row), [framed("ops", "only once")]);
}

#[test]
fn row_26_many_at_once_with_one_key_type_it_once() {
    let home = home();
    let the_loop = home.the_loop();
    let row = begin(&the_loop, &CreateRequest::named("ops"));
    let request = keyed("ops", "all at once", "slack:1700000000.000100");
    let receipts: Vec<SayReceipt> = thread::scope(|threads| {
        let asking: Vec<_> = (0..6).map(|_| threads.spawn(|| repeat(&home.the_loop(), &request))).collect();
        asking.into_iter().map(|asking| asking.join().expect("no panic")).collect()
    });
    assert!(receipts.iter().all(|receipt| *receipt == receipts[0]), "{receipts:?}");
    assert_eq!(said(&home, &row), [framed("ops", "all at once")]);
}

#[test]
fn row_26_a_repetition_after_a_kill_is_typed_once_wherever_it_struck() {
    let home = home();
    let the_loop = home.the_loop();
    let row = begin(&the_loop, &CreateRequest::named("ops"));
    let mut expected = Vec::new();
    for point in ["say.checked", "say.intended", "say.pasted", "say.delivered"] {
        let request = keyed("ops", &format!("killed at {point}"), point);
        killed_at(&home, point, &request);
        // Another message in between takes nothing away.
        let between = format!("after {point}");
        let typed = ["say.pasted", "say.delivered"].contains(&point);
        repeat(&the_loop, &message("ops", &between));
        let receipt = repeat(&the_loop, &request);
        assert_eq!((receipt.verdict, receipt.evidence), (Verdict::Submitted, Evidence::Transcript), "{point}");
        assert_eq!(repeat(&the_loop, &request), receipt, "{point}");
        let (own, between) = (framed("ops", &request.text), framed("ops", &between));
        expected.extend(if typed { [own, between] } else { [between, own] });
        assert_eq!(said(&home, &row), expected, "{point}");
    }
    let options = home.tmux().run(&["show-options", "-p", "-t", "=loop-standing-ops:"]);
    let options = String::from_utf8_lossy(&options.stdout);
    assert!(!options.contains("loop_said"), "a mark was left behind: {options}");
}

#[test]
fn row_26_what_no_transcript_can_tell_is_told_by_the_pane() {
    let home = home();
    let lines = home.path().join("lines");
    let reader = format!("exec cat >> '{}'", lines.display());
    home.reconfigure("/routing/harnesses/reader", json!({"command": ["sh", "-c", reader], "sessionId": "none"}));
    let the_loop = home.the_loop();
    begin(&the_loop, &CreateRequest { harness: "reader".to_owned(), ..CreateRequest::named("ops") });
    let mut expected = String::new();
    for point in ["say.intended", "say.pasted"] {
        let request = keyed("ops", point, point);
        killed_at(&home, point, &request);
        let receipt = repeat(&the_loop, &request);
        assert_eq!((receipt.delivered, receipt.verdict), (true, Verdict::Unconfirmed), "{point}");
        assert_eq!(repeat(&the_loop, &request), receipt, "{point}");
        expected += &(framed("ops", point) + "\n");
        wait_for("the lines", || fs::read_to_string(&lines).ok().filter(|read| testkit::without_id(read) == expected));
    }

    // Where the pane that could tell is gone, it is did not type it again, and said so.
    let request = keyed("ops", "into another life", "last");
    killed_at(&home, "say.intended", &request);
    control(&the_loop, "ops", ControlVerb::Restart);
    let receipt = repeat(&the_loop, &request);
    assert_eq!(receipt.verdict, Verdict::Unconfirmed);
    assert!(receipt.messages[0].text.contains("did not type it again"), "{receipt:?}");
    repeat(&the_loop, &message("ops", "the end"));
    expected += &(framed("ops", "the end") + "\n");
    wait_for("the lines", || fs::read_to_string(&lines).ok().filter(|read| testkit::without_id(read) == expected));
}
