//! Rows 16 to 18: unmanaged sessions are left alone. Managed sessions are ended, gracefully first.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Child, Stdio},
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde_json::{Value, json};
use standing::{ControlVerb, CreateRequest, DeleteRequest, Error, Outcome, ProblemCode, State};
use testkit::{TestHome, assert_nothing_spawned, wait_for};

use crate::stage::{
    LAUNCHER, begin, builder, control, create, event_names, faulty, home, id_of, living, message, said, say, shows,
    transcript, transcript_path,
};

/// A time that no test outlives.
const FOREVER: &str = "hold=3600000";

/// A process of the same user that is none of ours.
struct Bystander(Child);

impl Bystander {
    fn of(home: &TestHome) -> Self {
        Self(home.command("sleep").arg("600").stdin(Stdio::null()).spawn().expect("sleep starts"))
    }

    #[track_caller]
    fn lives(&mut self) {
        assert!(self.0.try_wait().expect("asked").is_none(), "a bystander was ended");
    }
}

impl Drop for Bystander {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn row_16_a_live_session_without_a_record_is_refused_and_never_touched() {
    let home = builder().declare(json!({"name": "ops"})).build();
    let the_loop = home.the_loop();
    let standing = the_loop.standing();
    // It tells of everything that reaches it, keys as lines and signals by their names, and ends with its terminal.
    let log = home.path().join("foreign.log");
    let script = format!(
        "exec >>'{}' 2>&1; for s in TERM HUP INT CONT; do trap \"echo SIG$s\" $s; done; echo ready; \
         while read -r line; do echo \"got $line\"; done",
        log.display()
    );
    let made = home.tmux().run(&["new-session", "-d", "-s", "loop-standing-ops", "--", "sh", "-c", &script]);
    assert!(made.status.success());
    wait_for("the foreign program", || fs::read_to_string(&log).ok().filter(|text| text.contains("ready")));

    assert_nothing_spawned(&home, || {
        let row = standing.get("ops").expect("known");
        assert_eq!((row.state, row.running), (State::Foreign, false));
        for verb in [ControlVerb::Start, ControlVerb::Restart] {
            let row = control(&the_loop, "ops", verb);
            assert_eq!(row.outcome, Some(Outcome::Failed), "{verb:?}");
            let detail = row.detail.unwrap_or_default();
            assert!(detail.contains("tmux attach -r -t '=loop-standing-ops'"), "{verb:?}: {detail}");
        }
        let row = control(&the_loop, "ops", ControlVerb::Stop);
        assert_eq!(row.outcome, Some(Outcome::Failed));
        assert!(row.detail.unwrap_or_default().contains("no record"));
        for force in [false, true] {
            let request = standing::SayRequest { force, ..message("ops", "astray") };
            let error = standing.say(&request).expect_err("refused");
            assert_eq!(error.code(), ProblemCode::NotRunning);
            assert!(error.problem().detail.contains("tmux attach -r -t"), "{error}");
        }
        standing.delete(&DeleteRequest { name: "ops".to_owned() }).expect_err("declared");
        // The same where nothing declares it.
        home.reconfigure("/standingSessions/sessions", json!([]));
        standing.delete(&DeleteRequest { name: "ops".to_owned() }).expect_err("never created");
        let row = create(&the_loop, &CreateRequest::named("ops"));
        assert_eq!(row.outcome, Some(Outcome::Failed));
        assert!(row.detail.unwrap_or_default().contains("tmux attach -r -t"));
        assert!(matches!(standing.get("ops"), Err(Error::Unknown { .. })), "its record was rolled back");
    });
    assert_eq!(fs::read_to_string(&log).expect("there"), "ready\n", "something reached it");
}

#[test]
fn row_17_neighbours_of_a_name_are_left_alone_by_every_verb() {
    let home = home();
    let the_loop = home.the_loop();
    let standing = the_loop.standing();
    let neighbours: Vec<_> = ["x-2", "x-20", "x2", "xx"]
        .into_iter()
        .map(|name| {
            let row = begin(&the_loop, &CreateRequest::named(name));
            shows(&home, name, "You own no work item");
            row
        })
        .collect();
    let alone = || {
        for row in &neighbours {
            let now = standing.get(&row.name).expect("known");
            assert_eq!(
                (now.running, now.pid, &now.harness_session_id),
                (true, row.pid, &row.harness_session_id),
                "{}",
                row.name
            );
            assert!(said(&home, row).is_empty(), "{} was spoken to", row.name);
        }
    };
    // First while there is no `x` that a prefix could stand for, then while there is one.
    assert_eq!(standing.say(&message("x", "astray")).expect_err("unknown").code(), ProblemCode::UnknownSession);
    standing.control(&standing::ControlRequest { name: "x".to_owned(), verb: ControlVerb::Stop }).expect_err("unknown");
    standing.delete(&DeleteRequest { name: "x".to_owned() }).expect_err("unknown");
    alone();
    let row = begin(&the_loop, &CreateRequest::named("x"));
    say(&the_loop, "x", "only for x");
    assert_eq!(said(&home, &row).len(), 1);
    assert!(standing.screen("x", 50).expect("shown").contains("only for x"));
    alone();
    assert_eq!(control(&the_loop, "x", ControlVerb::Restart).outcome, Some(Outcome::Resumed));
    alone();
    assert_eq!(control(&the_loop, "x", ControlVerb::Stop).outcome, Some(Outcome::Stopped));
    assert_eq!(standing.say(&message("x", "astray")).expect_err("stopped").code(), ProblemCode::NotRunning);
    assert_eq!(standing.screen("x", 50).expect("nothing to show"), "");
    alone();
    assert_eq!(control(&the_loop, "x", ControlVerb::Start).outcome, Some(Outcome::Resumed));
    standing.delete(&DeleteRequest { name: "x".to_owned() }).expect("deleted");
    alone();
}

#[test]
fn row_18_what_ignores_term_or_leaves_its_group_is_ended_and_a_bystander_lives() {
    let home = home();
    home.reconfigure("/routing/tmux/harnessKillGraceSeconds", json!(0.5));
    let the_loop = home.the_loop();
    let mut bystander = Bystander::of(&home);
    let neighbour = begin(&the_loop, &CreateRequest::named("neighbour"));
    let cases: [(&str, &[&str], usize); 6] = [
        ("term", &["ignore-term"], 1),
        ("both", &["ignore-term", "ignore-hup"], 1),
        ("fork", &["fork"], 2),
        ("setsid", &["setsid"], 2),
        ("twice", &["double-fork"], 2),
        ("all", &["ignore-term", "ignore-hup", "fork", "setsid", "double-fork"], 4),
    ];
    for (name, faults, processes) in cases {
        let row = begin(&the_loop, &faulty(name, faults));
        let id = id_of(&home, name);
        shows(&home, name, "You own no work item");
        wait_for("everything it starts", || (living(&id).len() == processes).then_some(()));
        let stopped = control(&the_loop, name, ControlVerb::Stop);
        assert_eq!(stopped.outcome, Some(Outcome::Stopped), "{name}: {stopped:?}");
        assert!(living(&id).is_empty(), "{name} left something alive");
        let detail = stopped.detail.unwrap_or_default();
        assert!(detail.starts_with("SIGTERM to "), "{name}: {detail}");
        assert_eq!(detail.contains("SIGKILL"), faults[0] == "ignore-term", "{name}: {detail}");
        if faults[0] == "ignore-term" {
            let signals: Vec<_> = transcript(&home, &row).into_iter().filter(|(kind, _)| kind == "signal").collect();
            assert_eq!(signals, [("signal".to_owned(), "SIGTERM".to_owned())], "{name}");
        }
        bystander.lives();
    }
    assert_eq!(the_loop.standing().get("neighbour").expect("known").pid, neighbour.pid);
    assert!(!event_names(&home).contains(&"standing.stop_failed".to_owned()));
}

/// A harness that is the demo, run by something.
fn wrapped(command: &Value) -> Value {
    json!({
        "command": command,
        "newArgs": ["demo", "--session-id", "{id}", "--fault", FOREVER, "{prompt}"],
        "resumeArgs": ["demo", "--resume", "{id}"],
        "sessionId": "minted",
    })
}

fn script(path: &Path, text: &str) {
    fs::write(path, text).expect("a file");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("permissions");
}

#[test]
fn row_18_the_harness_hears_term_first_whatever_wraps_it() {
    let home = home();
    let by_name = home.path().join("bin/agent");
    script(&by_name, &format!("#!/bin/sh\n\"{LAUNCHER}\" \"$@\"\nexit $?\n"));
    let deaf = home.path().join("bin/deaf");
    script(&deaf, &format!("#!/bin/bash\ntrap '' TERM HUP\n\"{LAUNCHER}\" \"$@\"\nsleep 600\n"));
    let wrappers = [
        ("sh", json!(["/bin/sh", "-c", "\"$0\" \"$@\"; exit $?", LAUNCHER])),
        ("nested", json!(["/bin/sh", "-c", "sh -c '\"$0\" \"$@\"; true' \"$0\" \"$@\"; true", LAUNCHER])),
        ("script", json!([by_name])),
        ("deaf", json!([deaf])),
    ];
    for (name, command) in &wrappers {
        home.reconfigure(&format!("/routing/harnesses/{name}"), wrapped(command));
    }
    let the_loop = home.the_loop();
    let mut bystander = Bystander::of(&home);
    for (name, _) in wrappers {
        let request = CreateRequest { harness: name.to_owned(), ..CreateRequest::named(name) };
        let args = vec!["--fault".to_owned(), "ignore-hup".to_owned()];
        // The arguments follow the prompt, where the demo takes options as well.
        let row = begin(&the_loop, &CreateRequest { harness_args: Some(args), ..request });
        let id = id_of(&home, name);
        shows(&home, name, "• you said");
        let stopped = control(&the_loop, name, ControlVerb::Stop);
        assert_eq!(stopped.outcome, Some(Outcome::Stopped), "{name}: {stopped:?}");
        assert!(living(&id).is_empty(), "{name} left something alive");
        // It had the time to write what it held, and no hang-up came before the SIGTERM that it heeds.
        let kinds: Vec<_> = transcript(&home, &row).into_iter().map(|(kind, _)| kind).collect();
        assert_eq!(kinds, ["user", "assistant"], "{name}: {stopped:?}");
        bystander.lives();
    }
}

#[test]
fn row_18_a_harness_behind_another_program_gets_its_grace_too() {
    let home = home();
    let perl = json!(["/usr/bin/perl", "-e", "system(@ARGV); exit 1", LAUNCHER]);
    home.reconfigure("/routing/harnesses/perl", wrapped(&perl));
    let the_loop = home.the_loop();
    let row = begin(&the_loop, &CreateRequest { harness: "perl".to_owned(), ..CreateRequest::named("behind") });
    let id = id_of(&home, "behind");
    shows(&home, "behind", "• you said");
    // Held still while the program before it goes, so that it is surely found alive after that.
    let (harness, _) = testkit::marked(&id).into_iter().find(|(_, line)| line.starts_with(LAUNCHER)).expect("the demo");
    kill(Pid::from_raw(harness), Signal::SIGSTOP).expect("stopped");
    let stopped = control(&the_loop, "behind", ControlVerb::Stop);
    assert_eq!(stopped.outcome, Some(Outcome::Stopped), "{stopped:?}");
    assert!(living(&id).is_empty());
    let kinds: Vec<_> = transcript(&home, &row).into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, ["user", "assistant"], "{stopped:?}");
}

#[test]
fn row_18_a_harness_that_was_stopped_is_woken_to_go() {
    let home = home();
    let the_loop = home.the_loop();
    let row = begin(&the_loop, &faulty("ops", &[FOREVER]));
    shows(&home, "ops", "• you said");
    kill(Pid::from_raw(row.pid.expect("alive").cast_signed()), Signal::SIGSTOP).expect("stopped");
    let stopped = control(&the_loop, "ops", ControlVerb::Stop);
    assert!(!stopped.detail.as_deref().unwrap_or_default().contains("SIGKILL"), "{stopped:?}");
    assert!(transcript_path(&home, &row).exists());
    assert_eq!(transcript(&home, &row).len(), 2, "what it held was written");
}
