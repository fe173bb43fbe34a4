//! Rows 19 and 20: a harness that does not come to live, and directories of every kind and name.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use standing::{ControlVerb, CreateRequest, Error, Outcome, Row, State, TheLoop};
use testkit::{TestHome, assert_nothing_spawned, wait_for};
use wire::Verdict;

use crate::stage::{begin, builder, control, create, event_names, faulty, home, said, say};

fn record(home: &TestHome, name: &str) -> Option<Value> {
    let text = fs::read_to_string(home.records().join(format!("{name}.json"))).ok()?;
    Some(serde_json::from_str(&text).expect("JSON"))
}

/// Creates a session that must fail, and leave nothing but the reason.
#[track_caller]
fn fails(home: &TestHome, the_loop: &TheLoop, request: &CreateRequest) -> String {
    let row = assert_nothing_spawned(home, || create(the_loop, request));
    assert_eq!(row.outcome, Some(Outcome::Failed), "{row:?}");
    assert!(record(home, &request.name).is_none(), "its record was not rolled back");
    let events = event_names(home);
    assert_eq!(events[events.len() - 2..], ["standing.spawn_failed", "standing.create_failed"]);
    row.detail.unwrap_or_default()
}

fn program(home: &TestHome, name: &str, text: &str, mode: u32) -> PathBuf {
    let path = home.path().join("bin").join(name);
    fs::write(&path, text).expect("a file");
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("permissions");
    path
}

fn running(command: &Value) -> Value {
    json!({"command": command, "sessionId": "none"})
}

#[test]
fn row_19_a_harness_that_cannot_be_run_fails_with_the_reason() {
    let home = home();
    let cases = [
        ("missing", json!(["no-such-agent"]), "`no-such-agent` was not found on PATH"),
        ("gone", json!([home.path().join("bin/gone")]), "No such file"),
        ("plain", json!([program(&home, "plain", "#!/bin/sh\n", 0o644)]), "chmod +x"),
        ("folder", json!([home.work()]), "not a file"),
        ("unread", json!([program(&home, "unread", "#!/no/such/interpreter\n", 0o755)]), "status 127"),
        ("garbage", json!([program(&home, "garbage", "\u{1}\u{2}no program", 0o755)]), "status 127"),
    ];
    for (name, command, _) in &cases {
        home.reconfigure(&format!("/routing/harnesses/{name}"), running(command));
    }
    let the_loop = home.the_loop();
    for (name, _, reason) in cases {
        let request = CreateRequest { harness: name.to_owned(), ..CreateRequest::named(name) };
        let detail = fails(&home, &the_loop, &request);
        assert!(detail.contains(reason), "{name}: {detail}");
    }
}

#[test]
fn row_19_a_quick_end_is_told_with_its_exit_every_time_and_with_its_last_words() {
    let home = home();
    let many = "i=0; while [ $i -lt 120 ]; do i=$((i+1)); echo line $i; done; exit 9";
    let cases = [
        ("word", "echo boom; exit 7", "status 7", "boom"),
        ("error", "echo boom >&2; exit 255", "status 255", "boom"),
        ("kill", "echo boom; kill -9 $$", "signal 9", "boom"),
        ("many", many, "status 9", "line 117\nline 118\nline 119\nline 120"),
        ("fine", "echo bye", "status 0", "bye"),
    ];
    for (name, script, ..) in cases {
        home.reconfigure(&format!("/routing/harnesses/{name}"), running(&json!(["/bin/sh", "-c", script])));
    }
    let the_loop = home.the_loop();
    // Many times: tmux tells of an end in several ways, and of some of them not by itself.
    for _ in 0..6 {
        for (name, _, how, words) in cases {
            let request = CreateRequest { harness: name.to_owned(), ..CreateRequest::named(name) };
            let told_whole = || {
                let detail = fails(&home, &the_loop, &request);
                assert!(detail.contains(how), "{name}: {detail:?}");
                detail.ends_with(words)
            };
            assert!((0..TRIES).any(|_| told_whole()), "{name}: its last words were lost {TRIES} times running");
        }
    }
}

/// How often an end is brought about until its last words were told.
///
/// Once is enough 507 times of 510, measured with a load of 4 on two cores, and no more can be had from outside. What a
/// program writes right before its end may still be on its way through the kernel's terminal when tmux hears of the end:
/// tmux 3.3a then asks how much there is to read, is told of nothing, and closes its side. The kernel hands such bytes on
/// in its own time, and neither the program nor another reader can wait for that: they are for tmux's side alone.
const TRIES: usize = 3;

#[test]
fn row_19_an_end_within_the_probe_has_failed_whenever_it_comes() {
    let home = builder().set("/routing/tmux/resumeProbeSeconds", json!(2)).build();
    let the_loop = home.the_loop();
    // The second one never takes its brief: nothing shows that it is up, so its probe goes on to the end.
    for (name, faults) in [("soon", &["exit-after=10:3"][..]), ("late", &["deaf-box", "exit-after=1500:3"])] {
        let detail = fails(&home, &the_loop, &faulty(name, faults));
        assert!(detail.contains("status 3") && detail.contains("demo: left with 3"), "{name}: {detail}");
    }
}

#[test]
fn row_19_a_fresh_start_is_over_once_its_brief_was_taken_and_a_resume_waits_for_its_probe() {
    let probe = Duration::from_secs(20);
    let home = builder().set("/routing/tmux/resumeProbeSeconds", json!(probe.as_secs())).build();
    let the_loop = home.the_loop();
    let begun = Instant::now();
    let row = begin(&the_loop, &CreateRequest::named("ops"));
    assert_eq!(row.brief, Some(Verdict::Submitted), "{row:?}");
    assert!(begun.elapsed() < probe, "it waited for its probe though its transcript had the brief");
    assert!(the_loop.standing().stop_all().expect("a report").ok);
    home.reconfigure("/routing/tmux/resumeProbeSeconds", json!(1));
    let begun = Instant::now();
    let row = control(&the_loop, "ops", ControlVerb::Start);
    assert_eq!(row.outcome, Some(Outcome::Resumed), "{row:?}");
    assert!(begun.elapsed() >= Duration::from_secs(1), "a resume is trusted after its probe");
}

#[test]
fn row_19_a_later_end_is_told_with_its_exit_every_time_as_well() {
    let home = home();
    let gate = home.path().join("gate");
    let script = format!("echo up; while [ ! -e '{}' ]; do sleep 0.05; done; exit 5", gate.display());
    home.reconfigure("/routing/harnesses/brief", running(&json!(["/bin/sh", "-c", script])));
    let the_loop = home.the_loop();
    let names: Vec<String> = (0..12).map(|number| format!("s{number}")).collect();
    for name in &names {
        begin(&the_loop, &CreateRequest { harness: "brief".to_owned(), ..CreateRequest::named(name) });
    }
    fs::write(&gate, "").expect("written");
    for name in &names {
        let row = wait_for("its end", || {
            let row = the_loop.standing().get(name).expect("known");
            (row.state == State::Ended).then_some(row)
        });
        assert!(row.reason.contains("status 5"), "{name}: {row:?}");
    }
}

/// Creates a session, sends it a message and stops it.
fn stopped(home: &TestHome, the_loop: &TheLoop, request: &CreateRequest) -> Row {
    let row = begin(the_loop, request);
    say(the_loop, &request.name, "remember this");
    assert_eq!(said(home, &row).len(), 1);
    assert_eq!(control(the_loop, &request.name, ControlVerb::Stop).outcome, Some(Outcome::Stopped));
    row
}

#[test]
fn row_19_a_failed_resume_is_told_of_and_a_fresh_conversation_begun() {
    let home = home();
    let the_loop = home.the_loop();
    let row = stopped(&home, &the_loop, &faulty("ops", &["resume-fails"]));
    let begun = control(&the_loop, "ops", ControlVerb::Start);
    assert_eq!(begun.outcome, Some(Outcome::Started));
    assert_ne!(begun.harness_session_id, row.harness_session_id);
    let detail = begun.detail.unwrap_or_default();
    for part in [row.harness_session_id.as_str(), "status 1", "no conversation found"] {
        assert!(detail.contains(part), "{detail}");
    }
    let events = event_names(&home);
    assert_eq!(events[events.len() - 2..], ["standing.resume_failed", "standing.started"]);
    let panes = home.tmux().run(&["list-panes", "-a", "-F", "#{session_name}"]);
    assert_eq!(String::from_utf8_lossy(&panes.stdout), "loop-standing-ops\n", "one pane");
    let record = record(&home, "ops").expect("there");
    assert_eq!(record["harnessSessionId"], begun.harness_session_id.as_str());
    assert_eq!(record["formerSessionIds"], json!([row.harness_session_id]));
}

#[test]
fn row_19_an_attempt_that_fails_altogether_leaves_the_conversation_before_it() {
    let home = home();
    let the_loop = home.the_loop();
    let counter = home.path().join("crashes");
    fs::write(&counter, "2").expect("written");
    let row = stopped(&home, &the_loop, &faulty("ops", &[&format!("crash-times=2:{}", counter.display())]));
    fs::write(&counter, "0").expect("written");
    // The resume and the fresh conversation after it.
    let failed = control(&the_loop, "ops", ControlVerb::Start);
    assert_eq!((failed.outcome, failed.running), (Some(Outcome::Failed), false), "{failed:?}");
    assert!(failed.detail.as_deref().is_some_and(|detail| detail.contains("crashed on purpose")), "{failed:?}");
    assert!(home.tmux().sessions().is_empty());
    let kept = record(&home, "ops").expect("the record stays");
    assert_eq!(kept["harnessSessionId"], row.harness_session_id.as_str(), "{kept}");
    assert_eq!(kept["formerSessionIds"], Value::Null, "the failed attempt's id was kept: {kept}");
    let resumed = control(&the_loop, "ops", ControlVerb::Start);
    assert_eq!((resumed.outcome, resumed.harness_session_id), (Some(Outcome::Resumed), row.harness_session_id));
}

#[test]
fn row_20_a_directory_that_is_none_is_refused_before_the_spawn() {
    let home = builder()
        .declare(json!({"name": "absent", "cwd": "/no/such/directory"}))
        .declare(json!({"name": "file", "cwd": "/etc/hostname"}))
        .build();
    let the_loop = home.the_loop();
    let dangling = home.path().join("dangling");
    symlink("/no/such/directory", &dangling).expect("a link");
    let dangling = dangling.to_str().expect("UTF-8");
    assert_nothing_spawned(&home, || {
        for (name, cwd, reason) in
            [("absent", "/no/such/directory", "No such file"), ("file", "/etc/hostname", "is not a directory")]
        {
            let row = control(&the_loop, name, ControlVerb::Start);
            assert_eq!(row.outcome, Some(Outcome::Failed));
            let detail = row.detail.unwrap_or_default();
            assert!(detail.contains(cwd) && detail.contains(reason), "{detail}");
            let request = CreateRequest { cwd: cwd.to_owned(), ..CreateRequest::named("created") };
            let error = the_loop.standing().create(&request).expect_err("refused");
            assert!(matches!(error, Error::InvalidRequest(_)), "{error}");
            assert!(error.to_string().contains(cwd) && error.to_string().contains(reason), "{error}");
        }
        let request = CreateRequest { cwd: dangling.to_owned(), ..CreateRequest::named("created") };
        the_loop.standing().create(&request).expect_err("refused");
    });
    assert!(record(&home, "created").is_none());
}

#[test]
fn row_20_a_directory_that_went_away_is_told_of_and_the_conversation_kept() {
    let home = home();
    let the_loop = home.the_loop();
    let cwd = home.path().join("passing");
    fs::create_dir(&cwd).expect("a folder");
    let request = CreateRequest { cwd: cwd.display().to_string(), ..CreateRequest::named("ops") };
    let row = stopped(&home, &the_loop, &request);
    fs::remove_dir(&cwd).expect("removed");
    let failed = assert_nothing_spawned(&home, || control(&the_loop, "ops", ControlVerb::Start));
    assert_eq!(failed.outcome, Some(Outcome::Failed));
    let detail = failed.detail.unwrap_or_default();
    assert!(detail.contains("passing") && detail.contains("No such file"), "{detail}");
    assert_eq!(record(&home, "ops").expect("kept")["harnessSessionId"], row.harness_session_id.as_str());
    fs::create_dir(&cwd).expect("a folder");
    assert_eq!(control(&the_loop, "ops", ControlVerb::Start).outcome, Some(Outcome::Resumed));

    // Taken away under a running harness, it takes nothing else along.
    fs::remove_dir(&cwd).expect("removed");
    assert!(the_loop.standing().get("ops").expect("known").running);
    assert_eq!(say(&the_loop, "ops", "still here?").verdict, wire::Verdict::Submitted);
    assert_eq!(control(&the_loop, "ops", ControlVerb::Stop).outcome, Some(Outcome::Stopped));
}

#[test]
fn row_20_it_is_started_exactly_there_whatever_the_directory_is_called() {
    let home = home();
    let the_loop = home.the_loop();
    let names = [
        "d#(touch canary)",
        "#{pane_id} #[fg=red] ##",
        "with spaces ",
        "a\ttab",
        "a\nline",
        "é 日本語 👩‍👩‍👧",
        "-rf",
        "semicolon;",
        "backslash\\;",
        "$(touch canary) `touch canary` $HOME",
        "'quoted\" ~",
        "%if ; touch canary ;",
    ];
    for (number, name) in names.into_iter().enumerate() {
        let cwd = home.path().join("places").join(name);
        fs::create_dir_all(&cwd).expect("a folder");
        let session = format!("s{number}");
        let request = CreateRequest { cwd: cwd.to_str().expect("UTF-8").to_owned(), ..CreateRequest::named(&session) };
        let row = begin(&the_loop, &request);
        let there = |pid: u32| fs::read_link(format!("/proc/{pid}/cwd")).expect("it runs");
        assert_eq!(there(row.pid.expect("alive")), cwd, "{name:?}");
        assert_eq!(row.cwd, cwd.to_str().expect("UTF-8"));
        assert_eq!(say(&the_loop, &session, "where are you?").verdict, wire::Verdict::Submitted, "{name:?}");
        let row = control(&the_loop, &session, ControlVerb::Restart);
        assert_eq!(row.outcome, Some(Outcome::Resumed), "{name:?}: {row:?}");
        assert_eq!(there(row.pid.expect("alive")), cwd, "{name:?}");
        assert_eq!(control(&the_loop, &session, ControlVerb::Stop).outcome, Some(Outcome::Stopped));
    }
    let canaries = [home.work(), home.project(), home.home(), home.path().to_owned(), PathBuf::from("/")];
    let found: Vec<_> = canaries.iter().map(|dir| dir.join("canary")).filter(|canary| canary.exists()).collect();
    assert!(found.is_empty(), "a name was run: {found:?}");
    assert!(!Path::new("/tmp/canary").exists());
}
