//! Harnesses that make their own conversation ids, played by scripts that keep their files as the real ones do. The real
//! ones are in `tests/agents`.

use std::{fs, os::unix::fs::PermissionsExt};

use serde_json::{Value, json};
use standing::{
    ControlRequest, ControlVerb, CreateRequest, DeleteRequest, Outcome, Row, SayRequest, Surroundings, TheLoop,
};
use testkit::{TestHome, wait_for};

/// Starts a conversation at once, or at the first message if its arguments say `--late`. With `--gone` it exits after
/// the first message. Holds the conversation's file open, as Codex does.
const CODEX: &str = r#"#!/bin/sh
dir="$HOME/.codex/sessions/$(date +%Y/%m/%d)"
mkdir -p "$dir"
for last; do :; done
begin() {
    id=$(cat /proc/sys/kernel/random/uuid)
    exec 3>>"$dir/rollout-$(date +%FT%H-%M-%S)-$id.jsonl"
    printf '{"type":"session_meta","payload":{"id":"%s","cwd":"%s","timestamp":"%s","source":"cli"}}\n' \
        "$id" "$PWD" "$(date -u +%FT%T.999Z)" >&3
    printf '{"type":"response_item","payload":{"role":"user","content":[{"text":"%s"}]}}\n' \
        "$(printf '%s' "$last" | head -n 1)" >&3
}
case "$1" in
resume)
    file=$(ls "$HOME"/.codex/sessions/*/*/*/*-"$2".jsonl) || exit 1
    exec 3>>"$file" ;;
*) case " $* " in *" --late "*) ;; *) begin ;; esac ;;
esac
printf '\033[?2004h› Ask\n'
while IFS= read -r line; do
    [ -n "$id" ] || [ "$1" = resume ] || begin
    printf 'heard: %s\n› Ask\n' "$line"
    case " $* " in *" --gone "*) exit 3 ;; esac
done
"#;

/// Prints the id of a new conversation on demand, and opens it.
const CURSOR: &str = r#"#!/bin/sh
printf '%s\n' "$*" | head -n 1 >> "$HOME/cursor.log"
if [ "$1" = create-chat ]; then
    [ -e "$HOME/no-account" ] && exit 1
    echo "0190-chat"
    exit 0
fi
printf '→ Add a follow-up\n'
while IFS= read -r line; do :; done
"#;

/// Tells what it was started with.
const GEMINI: &str = r#"#!/bin/sh
printf '%s %s %s\n' "$GEMINI_CLI_NO_RELAUNCH" "$1" "$2" >> "$HOME/gemini.log"
printf '────────────────────\n > Type your message\n'
while IFS= read -r line; do :; done
"#;

fn home() -> (TestHome, TheLoop) {
    let home = TestHome::builder()
        .exe(env!("CARGO_BIN_EXE_loop-launch"))
        .set("/routing/defaultHarness", json!("codex"))
        .build();
    for (name, script) in [("codex", CODEX), ("cursor-agent", CURSOR), ("gemini", GEMINI)] {
        let path = home.path().join("bin").join(name);
        fs::write(&path, script).expect("a script");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("permissions");
    }
    let the_loop = TheLoop::open_in(None, surroundings(&home), "test");
    (home, the_loop)
}

fn surroundings(home: &TestHome) -> Surroundings {
    let path = std::env::var("PATH").unwrap_or_default();
    home.surroundings().with_var("PATH", format!("{}:{path}", home.path().join("bin").display()))
}

fn create(the_loop: &TheLoop, name: &str, harness: &str, args: &[&str]) -> Row {
    let request = CreateRequest {
        harness: harness.to_owned(),
        harness_args: Some(args.iter().map(|&arg| arg.to_owned()).collect()),
        ..CreateRequest::named(name)
    };
    the_loop.standing().create(&request).expect("a report").sessions.into_iter().next().expect("a row")
}

fn control(the_loop: &TheLoop, name: &str, verb: ControlVerb) -> Row {
    let report = the_loop.standing().control(&ControlRequest { name: name.to_owned(), verb }).expect("a report");
    report.sessions.into_iter().next().expect("a row")
}

fn say(the_loop: &TheLoop, name: &str) {
    let request = SayRequest { name: name.to_owned(), text: "words".to_owned(), ..SayRequest::default() };
    the_loop.standing().say(&request).expect("said");
}

fn record(home: &TestHome, name: &str) -> Value {
    let text = fs::read_to_string(home.records().join(format!("{name}.json"))).expect("a record");
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn each_session_is_in_the_conversation_that_its_own_process_holds_open() {
    let (home, the_loop) = home();
    let first = create(&the_loop, "ops", "codex", &[]).harness_session_id;
    let second = create(&the_loop, "ops-2", "codex", &[]).harness_session_id;
    assert!(!first.is_empty() && !second.is_empty() && first != second);
    for (name, conversation) in [("ops", &first), ("ops-2", &second)] {
        assert_eq!(control(&the_loop, name, ControlVerb::Stop).harness_session_id, *conversation);
        let row = control(&the_loop, name, ControlVerb::Start);
        assert_eq!((row.outcome, &row.harness_session_id), (Some(Outcome::Resumed), conversation), "{row:?}");
    }
    assert_eq!(record(&home, "ops").get("formerSessionIds"), None);
}

#[test]
fn a_conversation_that_is_told_late_is_recorded_by_the_next_verb() {
    let (home, the_loop) = home();
    let row = create(&the_loop, "ops", "codex", &["--late"]);
    assert_eq!((row.outcome, row.harness_session_id.as_str()), (Some(Outcome::Started), ""));
    assert!(row.detail.as_deref().is_some_and(|detail| detail.contains("not known yet")), "{row:?}");
    say(&the_loop, "ops");
    wait_for("its file", || home.home().join(".codex/sessions").exists().then_some(()));
    let stopped = control(&the_loop, "ops", ControlVerb::Stop);
    assert!(!stopped.harness_session_id.is_empty());
    let row = control(&the_loop, "ops", ControlVerb::Start);
    assert_eq!((row.outcome, row.harness_session_id), (Some(Outcome::Resumed), stopped.harness_session_id));
}

#[test]
fn a_conversation_that_ended_before_it_was_told_is_not_lost() {
    let (home, the_loop) = home();
    create(&the_loop, "ops", "codex", &["--late", "--gone"]);
    say(&the_loop, "ops");
    wait_for("its end", || (!the_loop.standing().get("ops").expect("a row").running).then_some(()));
    assert_eq!(record(&home, "ops")["harnessSessionId"], "");
    let row = control(&the_loop, "ops", ControlVerb::Start);
    assert_eq!(row.outcome, Some(Outcome::Resumed), "{row:?}");
    assert!(!row.harness_session_id.is_empty());
}

#[test]
fn an_id_made_on_demand_is_the_sessions_or_nothing_is_spawned() {
    let (home, the_loop) = home();
    let row = create(&the_loop, "ops", "cursor", &["-x"]);
    assert_eq!((row.outcome, row.harness_session_id.as_str()), (Some(Outcome::Started), "0190-chat"), "{row:?}");
    assert_eq!(control(&the_loop, "ops", ControlVerb::Restart).outcome, Some(Outcome::Resumed));
    let log = fs::read_to_string(home.home().join("cursor.log")).expect("a log");
    let opened = "--resume 0190-chat -x";
    let lines: Vec<&str> = log.lines().collect();
    assert!(lines[1].starts_with(&format!("{opened} -- You are the standing session `ops`")), "{lines:?}");
    assert_eq!([lines[0], lines[2]], ["create-chat", opened]);

    fs::write(home.home().join("no-account"), "").expect("a file");
    let row = create(&the_loop, "more", "cursor", &[]);
    assert_eq!(row.outcome, Some(Outcome::Failed));
    assert!(row.detail.as_deref().is_some_and(|detail| detail.contains("create-chat")), "{row:?}");
    assert_eq!(home.tmux().sessions(), ["loop-standing-ops"]);
    the_loop.standing().delete(&DeleteRequest { name: "ops".to_owned() }).expect("deleted");
}

#[test]
fn a_harness_gets_the_variables_that_its_adapter_wants_but_for_the_operators_own() {
    let (home, the_loop) = home();
    let conversation = create(&the_loop, "ops", "gemini", &[]).harness_session_id;
    let own = TheLoop::open_in(None, surroundings(&home).with_var("GEMINI_CLI_NO_RELAUNCH", "mine"), "test");
    create(&own, "more", "gemini", &[]);
    let log = fs::read_to_string(home.home().join("gemini.log")).expect("a log");
    assert!(log.starts_with(&format!("true --session-id {conversation}\nmine --session-id ")), "{log}");
}
