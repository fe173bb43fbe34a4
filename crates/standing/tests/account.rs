//! The account of a session: it stays the one that the session was started in, whatever the environment of the caller.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, SystemTime},
};

use serde_json::{Value, json};
use standing::{ControlRequest, ControlVerb, CreateRequest, Outcome, Row, SayRequest, Surroundings, TheLoop};
use testkit::TestHome;
use wire::Evidence;

/// Keeps its conversations in the folder that its variable names, as the real ones do, and knows no others.
const AGENT: &str = r#"#!/bin/sh
case "${0##*/}" in
claude) dir="${CLAUDE_CONFIG_DIR:-$HOME/.claude}" ;;
gemini) dir="${GEMINI_CLI_HOME:-$HOME}/.gemini" ;;
esac
mkdir -p "$dir"
case "$1" in
--session-id) : > "$dir/$2" ;;
--resume) [ -e "$dir/$2" ] || { echo "no conversation $2"; exit 1; } ;;
esac
printf '%s\n' "$dir" >> "$HOME/seen"
case "${0##*/}" in
claude) printf '────────────────────\n❯ \n────────────────────\n' ;;
gemini) printf '────────────────────\n > Type your message\n' ;;
esac
while IFS= read -r line; do :; done
"#;

/// Holds the file of its conversation open, in the folder that its variable names.
const CODEX: &str = r#"#!/bin/sh
dir="${CODEX_HOME:-$HOME/.codex}/sessions/2026/01/02"
case "$1" in
resume) file=$(ls "$dir"/*-"$2".jsonl) || exit 1 ;;
*)
    mkdir -p "$dir"
    id=$(cat /proc/sys/kernel/random/uuid)
    file="$dir/rollout-2026-01-02T03-04-05-$id.jsonl"
    printf '{"type":"session_meta","payload":{"id":"%s","cwd":"%s","timestamp":"2099","source":"cli"}}\n' "$id" "$PWD" > "$file" ;;
esac
exec 3>>"$file"
printf '%s\n' "$dir" >> "$HOME/seen"
printf '\033[?2004h› Ask\n'
while IFS= read -r line; do :; done
"#;

struct Machine {
    home: TestHome,
}

impl Machine {
    fn new() -> Self {
        let home = TestHome::builder().exe(env!("CARGO_BIN_EXE_loop-launch")).build();
        for (name, script) in [("claude", AGENT), ("gemini", AGENT), ("codex", CODEX)] {
            let path = home.path().join("bin").join(name);
            fs::write(&path, script).expect("a script");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("permissions");
        }
        Self { home }
    }

    /// A folder of another account.
    fn folder(&self, name: &str) -> PathBuf {
        let dir = self.home.path().join(name);
        fs::create_dir_all(&dir).expect("made");
        dir
    }

    /// A caller whose environment has these variables besides.
    fn caller(&self, vars: &[(&str, &Path)]) -> TheLoop {
        let path = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{path}", self.home.path().join("bin").display());
        let here =
            vars.iter().fold(self.home.surroundings().with_var("PATH", path), |here: Surroundings, (key, value)| {
                here.with_var(key, value)
            });
        TheLoop::open_in(None, here, "test")
    }

    fn record(&self, name: &str) -> Value {
        let text = fs::read_to_string(self.home.records().join(format!("{name}.json"))).expect("a record");
        serde_json::from_str(&text).expect("JSON")
    }

    /// The folders that the stubs were started in, in their order.
    fn seen(&self) -> Vec<String> {
        let text = fs::read_to_string(self.home.home().join("seen")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}

fn create(the_loop: &TheLoop, name: &str, harness: &str) -> Row {
    let request = CreateRequest { harness: harness.to_owned(), ..CreateRequest::named(name) };
    the_loop.standing().create(&request).expect("a report").sessions.into_iter().next().expect("a row")
}

fn control(the_loop: &TheLoop, verb: ControlVerb) -> Row {
    let request = ControlRequest { name: "ops".to_owned(), verb };
    the_loop.standing().control(&request).expect("a report").sessions.into_iter().next().expect("a row")
}

fn detail(row: &Row) -> &str {
    row.detail.as_deref().unwrap_or_default()
}

#[test]
fn a_session_goes_on_in_its_own_account_whoever_starts_it() {
    let machine = Machine::new();
    let work = machine.folder("account");
    for (harness, key) in [
        ("claude", "CLAUDE_CONFIG_DIR"),
        ("gemini", "GEMINI_CLI_HOME"),
        ("codex", "CODEX_HOME"),
        ("demo", "THE_LOOP_DEMO_HOME"),
    ] {
        let (owner, other) = (machine.caller(&[(key, &work)]), machine.caller(&[]));
        let begun = create(&owner, "ops", harness);
        assert_eq!(begun.outcome, Some(Outcome::Started), "{harness}: {begun:?}");
        let conversation = begun.harness_session_id;
        assert_eq!(machine.record("ops")["account"][key], json!(work), "{harness}");

        for (caller, differs) in [(&other, true), (&owner, false), (&other, true)] {
            control(caller, ControlVerb::Stop);
            let row = control(caller, ControlVerb::Start);
            assert_eq!((row.outcome, &row.harness_session_id), (Some(Outcome::Resumed), &conversation), "{row:?}");
            assert_eq!(detail(&row).contains(key), differs, "{harness}: {row:?}");
            assert_eq!(detail(&row).contains(work.to_str().expect("UTF-8")), differs, "{harness}: {row:?}");
        }
        let row = control(&other, ControlVerb::Start);
        assert_eq!(row.outcome, Some(Outcome::AlreadyRunning));
        assert!(detail(&row).contains(key), "told of a running one too: {row:?}");
        let restarted = control(&other, ControlVerb::Restart);
        assert_eq!((restarted.outcome, restarted.harness_session_id), (Some(Outcome::Resumed), conversation));
        assert_eq!(machine.record("ops").get("formerSessionIds"), None, "{harness}: no conversation was left");
        let name = "ops".to_owned();
        owner.standing().delete(&standing::DeleteRequest { name }).expect("deleted");
    }
    assert!(machine.seen().iter().all(|dir| dir.starts_with(work.to_str().expect("UTF-8"))), "{:?}", machine.seen());
}

#[test]
fn a_session_of_the_usual_account_stays_there_when_the_caller_has_another() {
    let machine = Machine::new();
    let (usual, other) = (machine.caller(&[]), machine.caller(&[("CLAUDE_CONFIG_DIR", &machine.folder("other"))]));
    let conversation = create(&usual, "ops", "claude").harness_session_id;
    control(&other, ControlVerb::Stop);
    let row = control(&other, ControlVerb::Start);
    assert_eq!((row.outcome, &row.harness_session_id), (Some(Outcome::Resumed), &conversation), "{row:?}");
    assert!(detail(&row).contains("CLAUDE_CONFIG_DIR is not set for the session"), "{row:?}");
    assert!(!machine.folder("other").join(".claude.json").exists(), "nothing of it is trusted elsewhere");
}

#[test]
fn a_message_is_proven_by_the_transcript_of_the_sessions_account() {
    let machine = Machine::new();
    let owner = machine.caller(&[("THE_LOOP_DEMO_HOME", &machine.folder("account"))]);
    create(&owner, "ops", "demo");
    let request = SayRequest { name: "ops".to_owned(), text: "hello".to_owned(), ..SayRequest::default() };
    let receipt = machine.caller(&[]).standing().say(&request).expect("said");
    assert_eq!(receipt.evidence, Evidence::Transcript, "{receipt:?}");
}

#[test]
fn trust_is_written_in_the_sessions_account() {
    let machine = Machine::new();
    let work = machine.folder("account");
    create(&machine.caller(&[("CLAUDE_CONFIG_DIR", &work)]), "ops", "claude");
    let other = machine.caller(&[]);
    control(&other, ControlVerb::Stop);
    fs::remove_file(work.join(".claude.json")).expect("it was trusted there");
    control(&other, ControlVerb::Start);
    assert!(work.join(".claude.json").exists(), "and is again");
    assert!(!machine.home.home().join(".claude.json").exists());
}

#[test]
fn a_record_from_before_accounts_learns_that_of_the_living_process() {
    let machine = Machine::new();
    let work = machine.folder("account");
    create(&machine.caller(&[("THE_LOOP_DEMO_HOME", &work)]), "ops", "demo");
    let file = machine.home.records().join("ops.json");
    let mut record = machine.record("ops");
    record.as_object_mut().expect("an object").remove("account");
    fs::write(&file, record.to_string()).expect("written");
    let other = machine.caller(&[]);
    let request = SayRequest { name: "ops".to_owned(), text: "hello".to_owned(), ..SayRequest::default() };
    assert_eq!(other.standing().say(&request).expect("said").evidence, Evidence::Transcript);
    let row = control(&other, ControlVerb::Restart);
    assert_eq!(row.outcome, Some(Outcome::Resumed), "{row:?}");
}

#[test]
fn a_session_whose_account_is_gone_is_refused_with_the_name_of_the_variable() {
    let machine = Machine::new();
    let work = machine.folder("account");
    let conversation = create(&machine.caller(&[("CLAUDE_CONFIG_DIR", &work)]), "ops", "claude").harness_session_id;
    let other = machine.caller(&[]);
    control(&other, ControlVerb::Stop);
    fs::rename(&work, machine.home.path().join("moved")).expect("moved");
    let row = control(&other, ControlVerb::Start);
    assert_eq!((row.outcome, &row.harness_session_id), (Some(Outcome::Failed), &conversation), "{row:?}");
    assert!(detail(&row).contains("CLAUDE_CONFIG_DIR"), "{row:?}");
    fs::rename(machine.home.path().join("moved"), &work).expect("moved back");
    assert_eq!(control(&other, ControlVerb::Start).outcome, Some(Outcome::Resumed));
}

#[test]
fn a_record_holds_no_variable_but_the_listed_ones() {
    let machine = Machine::new();
    let key = Path::new("sk-secret");
    create(&machine.caller(&[("ANTHROPIC_API_KEY", key), ("CLAUDE_CODE_OAUTH_TOKEN", key)]), "ops", "claude");
    let text = fs::read_to_string(machine.home.records().join("ops.json")).expect("a record");
    assert!(!text.contains("sk-secret"), "{text}");
    let account = machine.record("ops")["account"].clone();
    assert_eq!(account, json!({ "HOME": machine.home.home(), "CLAUDE_CONFIG_DIR": null }));
}

/// Changes the file as another program does: reads it, counts up, writes a file beside it and renames that. Takes no
/// lock.
fn count_up(file: &Path) {
    let mut value: Value = serde_json::from_str(&fs::read_to_string(file).expect("read")).expect("JSON");
    value["counter"] = json!(value["counter"].as_u64().unwrap_or_default() + 1);
    let beside = file.with_extension("theirs");
    fs::write(&beside, value.to_string()).expect("written");
    fs::rename(&beside, file).expect("renamed");
}

#[test]
fn every_folder_of_sessions_that_start_together_is_trusted_and_no_write_of_another_program_is_lost() {
    const SESSIONS: usize = 32;
    let machine = Machine::new();
    let entries = (0..SESSIONS).map(|number| {
        let cwd = machine.folder(&format!("d{number}"));
        json!({"name": format!("s{number}"), "harness": "claude", "cwd": cwd})
    });
    let entries: Vec<Value> = entries.collect();
    machine.home.reconfigure("/standingSessions", json!({"enabled": true, "sessions": entries}));
    let file = machine.home.home().join(".claude.json");
    fs::write(&file, "{}").expect("written");
    let the_loop = machine.caller(&[]);
    let done = AtomicBool::new(false);
    let rounds = thread::scope(|scope| {
        let other = scope.spawn(|| {
            let mut rounds = 0_u64;
            while !done.load(Ordering::Relaxed) {
                count_up(&file);
                rounds += 1;
                thread::sleep(Duration::from_millis(10));
            }
            rounds
        });
        let report = the_loop.standing().start_all();
        // Before anything can fail: the other program must come to its end.
        done.store(true, Ordering::Relaxed);
        let report = report.expect("a report");
        assert!(report.ok, "{report:?}");
        assert_eq!(report.sessions.len(), SESSIONS);
        other.join().expect("ended")
    });
    let value: Value = serde_json::from_str(&fs::read_to_string(&file).expect("read")).expect("JSON");
    let projects = value["projects"].as_object().expect("projects");
    let trusted = projects.values().filter(|project| project["hasTrustDialogAccepted"] == true).count();
    assert_eq!((trusted, value["counter"].as_u64()), (SESSIONS, Some(rounds)));
    assert!(!machine.home.home().join(".claude.json.lock").exists());
}

#[test]
fn a_file_that_another_program_keeps_locked_is_left_alone_and_the_failure_is_told() {
    let machine = Machine::new();
    let lock = machine.home.home().join(".claude.json.lock");
    fs::create_dir(&lock).expect("made");
    let done = AtomicBool::new(false);
    let row = thread::scope(|scope| {
        // A holder touches its lock: it is not left behind.
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                fs::File::open(&lock).and_then(|dir| dir.set_modified(SystemTime::now())).expect("touched");
                thread::sleep(Duration::from_millis(200));
            }
        });
        let row = create(&machine.caller(&[]), "ops", "claude");
        done.store(true, Ordering::Relaxed);
        row
    });
    assert_eq!(row.outcome, Some(Outcome::Started), "{row:?}");
    assert!(detail(&row).contains("could not trust its directory"), "{row:?}");
    let events = machine.home.events();
    let failed = events.iter().find(|event| event["event"] == "workspace.trust_failed").expect("an event");
    assert!(failed["error"].as_str().is_some_and(|error| error.contains(".claude.json.lock")), "{failed}");
    assert!(!machine.home.home().join(".claude.json").exists() && lock.exists());
}
