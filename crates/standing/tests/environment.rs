//! Environment of a session besides the caller's: `env`, `secrets`, a wrapper's own variables, and the variables that
//! are withheld.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::{fs::PermissionsExt, net::UnixListener},
    path::{Path, PathBuf},
};

use serde_json::{Value, json};
use standing::{ControlRequest, ControlVerb, CreateRequest, Outcome, Row, SecretSource, Surroundings, TheLoop};
use testkit::{TestHome, TestHomeBuilder};

/// Tells its environment and its arguments, and keeps its conversations in the folder that its variable names.
const CLAUDE: &str = r#"#!/bin/sh
dir="${CLAUDE_CONFIG_DIR:-$HOME/.claude}"
mkdir -p "$dir"
env > "$HOME/seen.env"
for word; do printf '%s\n' "$word" | head -n 1; done > "$HOME/seen.args"
case "$1" in
--session-id) : > "$dir/$2" ;;
--resume) [ -e "$dir/$2" ] || { echo "no conversation $2"; exit 1; } ;;
esac
if grep -q '"hasTrustDialogAccepted": true' "${CLAUDE_CONFIG_DIR:-$HOME}/.claude.json" 2>/dev/null; then
    printf '────────────────────\n❯ \n────────────────────\n'
else
    printf '────────────────────\n Do you trust the files in this folder?\n\n ❯ 1. No, exit\n   2. Yes\n\n Enter to confirm\n'
fi
while IFS= read -r line; do :; done
"#;

struct Machine {
    home: TestHome,
}

fn builder() -> TestHomeBuilder {
    TestHome::builder().exe(env!("CARGO_BIN_EXE_loop-launch"))
}

impl Machine {
    fn new() -> Self {
        Self::of(builder().build())
    }

    fn of(home: TestHome) -> Self {
        script(&home.path().join("bin/claude"), CLAUDE);
        Self { home }
    }

    fn caller(&self, vars: &[(&str, &str)]) -> TheLoop {
        let path = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{path}", self.home.path().join("bin").display());
        let here = self.home.surroundings().with_var("PATH", path);
        let here = vars.iter().fold(here, |here: Surroundings, (key, value)| here.with_var(key, value));
        TheLoop::open_in(None, here, "test")
    }

    fn folder(&self, name: &str) -> PathBuf {
        let dir = self.home.path().join(name);
        fs::create_dir_all(&dir).expect("made");
        dir
    }

    /// Returns the environment that the stub received.
    fn seen(&self) -> BTreeMap<String, String> {
        let text = fs::read_to_string(self.home.home().join("seen.env")).expect("it was started");
        text.lines().filter_map(|line| line.split_once('=')).map(|(k, v)| (k.to_owned(), v.to_owned())).collect()
    }

    fn record(&self) -> Value {
        serde_json::from_str(&self.record_text()).expect("JSON")
    }

    fn record_text(&self) -> String {
        fs::read_to_string(self.home.records().join("ops.json")).expect("a record")
    }
}

fn script(path: &Path, text: &str) {
    fs::write(path, text).expect("a script");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("permissions");
}

fn claude() -> CreateRequest {
    CreateRequest { harness: "claude".to_owned(), ..CreateRequest::named("ops") }
}

fn create(the_loop: &TheLoop, request: &CreateRequest) -> Row {
    the_loop.standing().create(request).expect("a report").sessions.into_iter().next().expect("a row")
}

fn control(the_loop: &TheLoop, verb: ControlVerb) -> Row {
    let request = ControlRequest { name: "ops".to_owned(), verb };
    the_loop.standing().control(&request).expect("a report").sessions.into_iter().next().expect("a row")
}

fn env(vars: &[(&str, Option<&str>)]) -> BTreeMap<String, Option<String>> {
    vars.iter().map(|(key, value)| ((*key).to_owned(), value.map(str::to_owned))).collect()
}

fn command(words: &[&str]) -> SecretSource {
    SecretSource::Command(words.iter().map(|&word| word.to_owned()).collect())
}

fn secrets(sources: &[(&str, SecretSource)]) -> BTreeMap<String, SecretSource> {
    sources.iter().map(|(key, source)| ((*key).to_owned(), source.clone())).collect()
}

fn detail(row: &Row) -> &str {
    row.detail.as_deref().unwrap_or_default()
}

#[test]
fn env_reaches_the_agent_at_every_start_and_a_row_shows_only_its_names() {
    let machine = Machine::new();
    let the_loop = machine.caller(&[("EDITOR", "vi"), ("MINE", "callers"), ("COLORTERM", "no")]);
    let vars = [("MINE", Some("theirs")), ("DIR", Some("~/below")), ("EDITOR", None), ("COLORTERM", Some("truecolor"))];
    let row = create(&the_loop, &CreateRequest { env: env(&vars), ..claude() });
    assert_eq!(row.outcome, Some(Outcome::Started), "{row:?}");
    assert_eq!(row.env, ["COLORTERM", "DIR", "EDITOR", "MINE"]);
    let below = machine.home.home().join("below").display().to_string();
    for round in 0..2 {
        let seen = machine.seen();
        let value = |key: &str| seen.get(key).map(String::as_str);
        let values = (value("MINE"), value("DIR"), value("EDITOR"), value("COLORTERM"));
        assert_eq!(values, (Some("theirs"), Some(below.as_str()), None, Some("truecolor")), "round {round}");
        control(&machine.caller(&[]), ControlVerb::Restart);
    }
    let row = serde_json::to_string(&the_loop.standing().get("ops").expect("a row")).expect("JSON");
    assert!(!row.contains("theirs") && !row.contains("truecolor"), "{row}");
}

#[test]
fn a_declared_session_gets_its_env_and_a_change_takes_effect_at_the_next_start() {
    let declared = |value: &str| json!({"name": "ops", "harness": "claude", "env": {"MINE": value}});
    let machine = Machine::of(builder().declare(declared("one")).build());
    let the_loop = machine.caller(&[]);
    control(&the_loop, ControlVerb::Start);
    assert_eq!(machine.seen()["MINE"], "one");
    machine.home.reconfigure("/standingSessions/sessions", json!([declared("two")]));
    let row = control(&the_loop, ControlVerb::Restart);
    assert_eq!((row.outcome, machine.seen()["MINE"].as_str()), (Some(Outcome::Resumed), "two"), "{row:?}");
}

#[test]
fn an_account_that_is_declared_is_the_sessions_and_a_change_of_it_is_told() {
    let machine = Machine::of(builder().build());
    let (first, second) = (machine.folder("first"), machine.folder("second"));
    let declare = |dir: &Path| {
        let session = json!({"name": "ops", "harness": "claude", "env": {"CLAUDE_CONFIG_DIR": dir}});
        machine.home.reconfigure("/standingSessions", json!({"enabled": true, "sessions": [session]}));
    };
    declare(&first);
    let the_loop = machine.caller(&[]);
    let begun = control(&the_loop, ControlVerb::Start).harness_session_id;
    assert_eq!(machine.record()["account"]["CLAUDE_CONFIG_DIR"], json!(first));
    assert!(first.join(".claude.json").exists() && !machine.home.home().join(".claude.json").exists());
    let again = control(&the_loop, ControlVerb::Restart);
    assert_eq!((again.outcome, detail(&again)), (Some(Outcome::Resumed), ""), "what is declared is no news");
    // The harness says where its conversation is by its transcript.
    let folder = fs::canonicalize(machine.home.work()).expect("there");
    let folder: String =
        folder.to_str().expect("UTF-8").chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let transcript = first.join("projects").join(folder).join(format!("{begun}.jsonl"));
    fs::create_dir_all(transcript.parent().expect("a folder")).expect("made");
    fs::write(transcript, "{}\n").expect("written");
    declare(&second);
    let moved = control(&the_loop, ControlVerb::Restart);
    assert_eq!(moved.outcome, Some(Outcome::Started), "{moved:?}");
    assert!(detail(&moved).contains("CLAUDE_CONFIG_DIR") && detail(&moved).contains(&begun), "{moved:?}");
    assert_eq!(machine.record()["formerSessionIds"], json!([begun]));
    assert_eq!(machine.record()["account"]["CLAUDE_CONFIG_DIR"], json!(second));
}

#[test]
fn a_name_that_a_session_cannot_set_is_refused_with_the_name() {
    let machine = Machine::new();
    let the_loop = machine.caller(&[]);
    for name in ["THE_LOOP_ID", "CLAUDECODE", "CODEX_SANDBOX", "TMUX", "1X", "A-B", "PWD"] {
        for request in [
            CreateRequest { env: env(&[(name, Some("v4lue"))]), ..claude() },
            CreateRequest { secrets: secrets(&[(name, command(&["echo", "v4lue"]))]), ..claude() },
        ] {
            let error = the_loop.standing().create(&request).expect_err(name).to_string();
            assert!(error.contains(name) && !error.contains("v4lue"), "{error}");
        }
    }
    assert!(!machine.home.records().join("ops.json").exists());
}

#[test]
fn a_secret_is_in_the_environment_of_the_agent_and_nowhere_else() {
    let machine = Machine::new();
    let file = machine.home.path().join("key");
    fs::write(&file, "f1le-value\n").expect("written");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("set");
    script(&machine.home.path().join("bin/vault"), "#!/bin/sh\necho \"c0mmand-value-$1-$MINE\"\n");
    let request = CreateRequest {
        env: env(&[("MINE", Some("mine"))]),
        secrets: secrets(&[
            ("FROM_COMMAND", command(&["vault", "arg"])),
            ("FROM_FILE", SecretSource::File(file.display().to_string())),
        ]),
        ..claude()
    };
    let the_loop = machine.caller(&[]);
    let row = create(&the_loop, &request);
    assert_eq!(
        (row.outcome, row.secrets.as_slice()),
        (Some(Outcome::Started), ["FROM_COMMAND", "FROM_FILE"].map(str::to_owned).as_slice()),
        "{row:?}"
    );
    for _ in 0..2 {
        assert_eq!(machine.seen()["FROM_COMMAND"], "c0mmand-value-arg-mine");
        assert_eq!(machine.seen()["FROM_FILE"], "f1le-value");
        control(&the_loop, ControlVerb::Restart);
    }
    let told = [
        machine.record_text(),
        fs::read_to_string(machine.home.home().join("seen.args")).expect("told"),
        format!("{:?}", machine.home.events()),
        String::from_utf8_lossy(&machine.home.tmux().run(&["show-environment", "-g"]).stdout).into_owned(),
        serde_json::to_string(&the_loop.standing().list().expect("rows")).expect("JSON"),
    ];
    assert!(told.iter().all(|text| !text.contains("-value")), "{told:?}");
    let launch = machine.home.project().join(".the-loop/local/standing/.launch");
    let left: Vec<_> = fs::read_dir(launch).expect("a folder").flatten().map(|entry| entry.file_name()).collect();
    assert!(left.is_empty(), "{left:?}");
    let copy = machine.home.project().join(".the-loop/local/standing/.copies/ops.json");
    assert!(!fs::read_to_string(copy).expect("the copy of the record").contains("-value"));
}

#[test]
fn a_secret_that_cannot_be_read_fails_the_start_with_its_name_and_keeps_the_conversation() {
    let machine = Machine::new();
    let the_loop = machine.caller(&[]);
    let gate = machine.home.path().join("open");
    fs::write(&gate, "").expect("made");
    let script = format!("test -e {} && echo v4lue || {{ echo v4lue; exit 3; }}", gate.display());
    let request = CreateRequest { secrets: secrets(&[("KEY", command(&["sh", "-c", &script]))]), ..claude() };
    let begun = create(&the_loop, &request);
    assert_eq!(begun.outcome, Some(Outcome::Started), "{begun:?}");
    fs::remove_file(&gate).expect("closed");
    let row = control(&the_loop, ControlVerb::Restart);
    assert_eq!((row.outcome, &row.harness_session_id), (Some(Outcome::Failed), &begun.harness_session_id), "{row:?}");
    assert!(detail(&row).contains("`KEY`") && !detail(&row).contains("v4lue"), "{row:?}");
    assert!(!format!("{:?}", machine.home.events()).contains("v4lue"));
    assert_eq!(machine.home.tmux().sessions(), Vec::<String>::new());
    fs::write(&gate, "").expect("opened");
    let row = control(&the_loop, ControlVerb::Start);
    assert_eq!((row.outcome, row.harness_session_id), (Some(Outcome::Resumed), begun.harness_session_id));

    let missing = CreateRequest {
        name: "other".to_owned(),
        secrets: secrets(&[("OTHER", command(&["no-such-program"]))]),
        ..claude()
    };
    let row = create(&the_loop, &missing);
    assert_eq!(row.outcome, Some(Outcome::Failed));
    assert!(detail(&row).contains("`OTHER`") && detail(&row).contains("no-such-program"), "{row:?}");
}

#[test]
fn a_slow_secret_is_waited_for_before_a_start_is_reported() {
    let machine = Machine::new();
    let request =
        CreateRequest { secrets: secrets(&[("KEY", command(&["sh", "-c", "sleep 1; echo late"]))]), ..claude() };
    let row = create(&machine.caller(&[]), &request);
    assert_eq!((row.outcome, machine.seen()["KEY"].as_str()), (Some(Outcome::Started), "late"), "{row:?}");
}

#[test]
fn arguments_that_would_keep_the_brief_from_the_agent_are_refused_and_others_pass() {
    let machine = Machine::new();
    let the_loop = machine.caller(&[]);
    let with = |args: &[&str]| CreateRequest {
        harness_args: Some(args.iter().map(|&arg| arg.to_owned()).collect()),
        prompt: "-x /help @file !ls".to_owned(),
        ..claude()
    };
    for args in [
        ["--allowedTools", "Read"].as_slice(),
        &["--debug"],
        &["--add-dir", "../lib"],
        &["--worktree"],
        &["--mcp-config", "m.json", "--"],
    ] {
        let row = create(&the_loop, &with(args));
        assert_eq!(row.outcome, Some(Outcome::Started), "{row:?}");
        let seen = fs::read_to_string(machine.home.home().join("seen.args")).expect("told");
        let words: Vec<&str> = seen.lines().collect();
        assert_eq!(words[words.len() - 2], "--", "{words:?}");
        assert!(words[words.len() - 1].starts_with("You are the standing session `ops`"), "{words:?}");
        the_loop.standing().delete(&standing::DeleteRequest { name: "ops".to_owned() }).expect("deleted");
    }
    for args in [["-p"].as_slice(), &["mcp", "list"], &["--", "hello"], &["--model"], &["--resume", "x"]] {
        let row = create(&the_loop, &with(args));
        assert_eq!(row.outcome, Some(Outcome::Failed), "{row:?}");
        assert!(detail(&row).contains("`harnessArgs`"), "{row:?}");
    }
}

#[test]
fn a_wrapper_is_trusted_read_and_resumed_as_what_it_runs() {
    let machine = Machine::new();
    let (account, script_account) = (machine.folder("account"), machine.folder("script-account"));
    script(
        &machine.home.path().join("bin/glm"),
        &format!("#!/bin/sh\nexport CLAUDE_CONFIG_DIR={}\nclaude \"$@\"\n", script_account.display()),
    );
    let set = format!("CLAUDE_CONFIG_DIR={}", account.display());
    machine.home.reconfigure(
        "/routing/harnesses",
        json!({
            "work": {"command": ["env", set, "claude"], "like": "claude"},
            "glm": {"command": ["glm"], "like": "claude"},
        }),
    );
    let the_loop = machine.caller(&[]);
    let work = CreateRequest { harness: "work".to_owned(), ..CreateRequest::named("ops") };
    let row = create(&the_loop, &work);
    assert_eq!(row.outcome, Some(Outcome::Started), "{row:?}");
    assert!(!detail(&row).contains("routing.harnesses") && !detail(&row).contains("CLAUDE_CONFIG_DIR"), "{row:?}");
    assert!(account.join(".claude.json").exists(), "trusted in the account that its command sets");
    assert_eq!(machine.record()["account"]["CLAUDE_CONFIG_DIR"], json!(account));
    let again = control(&the_loop, ControlVerb::Restart);
    assert_eq!((again.outcome, &again.harness_session_id), (Some(Outcome::Resumed), &row.harness_session_id));
    the_loop.standing().delete(&standing::DeleteRequest { name: "ops".to_owned() }).expect("deleted");

    // Nobody can tell beforehand what a script sets: its dialog is read, and the next start trusts the right folder.
    let row = create(&the_loop, &CreateRequest { harness: "glm".to_owned(), ..CreateRequest::named("ops") });
    assert_eq!(row.outcome, Some(Outcome::Started), "{row:?}");
    assert_eq!(machine.record()["account"]["CLAUDE_CONFIG_DIR"], json!(script_account));
    let request = standing::SayRequest { name: "ops".to_owned(), text: "hello".to_owned(), ..Default::default() };
    let refused = the_loop.standing().say(&request).expect_err("a dialog stands there").to_string();
    assert!(refused.contains("trust"), "{refused}");
    let again = control(&the_loop, ControlVerb::Restart);
    assert_eq!(again.outcome, Some(Outcome::Resumed), "{again:?}");
    assert!(script_account.join(".claude.json").exists(), "{again:?}");
}

#[test]
fn a_command_that_seems_to_run_a_known_agent_gets_a_hint() {
    let machine = Machine::new();
    let custom = json!({"command": ["env", "A=b", "claude"], "newArgs": ["--session-id", "{id}", "{prompt}"], "sessionId": "minted"});
    machine.home.reconfigure("/routing/harnesses", json!({"glm": custom}));
    let row = create(&machine.caller(&[]), &CreateRequest { harness: "glm".to_owned(), ..CreateRequest::named("ops") });
    assert_eq!(row.outcome, Some(Outcome::Started), "{row:?}");
    assert!(detail(&row).contains("`routing.harnesses.glm.like: claude`"), "{row:?}");
}

#[test]
fn a_socket_that_is_gone_is_left_out_and_told() {
    let machine = Machine::new();
    let at = |name: &str| machine.home.path().join(name).display().to_string();
    let _listens = UnixListener::bind(at("live")).expect("bound");
    let docker = format!("unix://{}", at("no-docker"));
    let the_loop =
        machine.caller(&[("SSH_AUTH_SOCK", &at("gone")), ("DOCKER_HOST", &docker), ("GPG_SOCK", &at("live"))]);
    let row = create(&the_loop, &claude());
    let seen = machine.seen();
    assert!(!seen.contains_key("SSH_AUTH_SOCK") && !seen.contains_key("DOCKER_HOST"), "{seen:?}");
    assert_eq!(seen["GPG_SOCK"], at("live"));
    assert!(detail(&row).contains("SSH_AUTH_SOCK") && detail(&row).contains("DOCKER_HOST"), "{row:?}");
    let events = machine.home.events();
    let started = events.iter().find(|event| event["event"] == "standing.started").expect("an event");
    assert_eq!(started["left_out"], json!(["DOCKER_HOST", "SSH_AUTH_SOCK"]));
}

#[test]
fn the_settings_of_the_operator_reach_the_agent_and_the_marks_of_another_do_not() {
    let machine = Machine::new();
    let settings =
        ["CLAUDE_CODE_SUBAGENT_MODEL", "CLAUDE_CODE_EFFORT_LEVEL", "CLAUDE_CODE_SHELL", "CLAUDE_CODE_TMPDIR"];
    let marks = [
        "CLAUDECODE",
        "CLAUDE_EFFORT",
        "CLAUDE_CODE_SSE_PORT",
        "CODEX_SANDBOX",
        "CODEX_CI",
        "CODEX_THREAD_ID",
        "GEMINI_CLI",
        "OPENCODE",
        "AI_AGENT",
    ];
    let vars: Vec<(&str, &str)> = settings.iter().chain(&marks).map(|&key| (key, "x")).collect();
    create(&machine.caller(&vars), &claude());
    let seen = machine.seen();
    let global = machine.home.tmux().run(&["show-environment", "-g"]).stdout;
    let global = String::from_utf8_lossy(&global);
    assert!(settings.iter().all(|key| seen.contains_key(*key)), "{seen:?}");
    for mark in marks {
        assert!(!seen.contains_key(mark) && !global.contains(&format!("{mark}=")), "{mark}");
    }
}
