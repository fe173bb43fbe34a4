//! Every key says what it should, in YAML new and old and in JSON.

use std::{collections::BTreeMap, time::Duration};

use standing::{
    Need, SecretSource, SessionName,
    config::{
        AuthMode, BypassPermissions, CrossSession, CustomHarness, Declaration, EventLog, HarnessTrust, Notify,
        NotifyTarget, Quiet, Routing, Service, SessionIds, Slack, SlackRead, TmuxSettings, TrustScope, Verbosity,
        WebTerminal,
    },
};

use crate::{Project, assert_problem};

pub(crate) fn name(text: &str) -> SessionName {
    SessionName::parse(text).expect("a name")
}

pub(crate) fn texts<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.map(str::to_owned).to_vec()
}

pub(crate) const EVERY_KEY: &str = r#"
version: "0.5.0"
state: {root: ~/state}
standingSessions:
  enabled: true
  keepMessages: false
  sessions:
    - {name: a, description: d, harness: h, harnessArgs: [-x], cwd: ~/w, prompt: p, autoStart: false}
    - {name: b, harnessArgs: [], promptFile: p.md, slack: {enabled: true, channel: C1},
       env: {A: "1", B: null}, secrets: {C: {command: [c, d]}, D: {file: ~/d}}}
    - {name: c, harnessArgs: null, harness: "", cwd: "", promptFile: ""}
routing:
  defaultHarness: codex
  spawnWorkdir: ~/wd
  harnessArgs: {codex: [-a, -b], claude: null}
  harnesses:
    claude: {crossSession: ask}
    mine: {command: [m], newArgs: ["{prompt}"], resumeArgs: ["{id}"], sessionId: minted}
    bare: {command: [n, o]}
    wrapper: {command: [w], like: claude}
  stalledAfter: 90.5
  harnessTrust: {enabled: false, scope: directory, acceptBypassPermissions: never}
  tmux:
    {socket: s, remainOnExit: false, resumeOnRespawn: false, resumeProbeSeconds: 0.25, harnessKillGraceSeconds: 0}
  webTerminal: {enabled: true, write: true, host: h, port: 1}
channels:
  slack:
    enabled: true
    botTokenEnv: B
    appTokenEnv: A
    channel: C
    authorizedUsers: [U1, U2]
    verbosity: quiet
    read: {mode: socket, intervalSeconds: 5}
    events: []
notify:
  - to: {ntfy: {url: "https://n.example/t", token: {file: ~/t}}}
    kinds: [prompt, answer]
    after: 1.5
    quiet: 22:00-07:00
    sessions: [a, b-*]
    repeat: 60
  - to: {webhook: {url: "https://w.example/w", key: {command: [k]}}}
  - to: {command: {argv: [c, -x], timeoutSeconds: 2}}
eventLog: {enabled: false, path: e.jsonl}
service:
  enabled: false
  host: 0.0.0.0
  port: 1.0
  exposed: true
  autoStart: false
  allowedHosts: [x.example]
  publicUrl: https://x.example/
  auth: {mode: token}
  mcp: {enabled: false}
  stream: {enabled: false, maxSubscribers: 3, keepAliveSeconds: 1.5}
  cors: {allowOrigins: ["https://o.example"]}
"#;

#[test]
fn every_key_is_read() {
    let project = Project::with(EVERY_KEY);
    let loaded = project.load();
    let settings = loaded.standing().expect("valid");
    let home = project.dir.path().join("home");
    assert_eq!(settings.state_root, home.join("state"));
    assert_eq!(settings.event_log, EventLog { enabled: false, path: project.dir.path().join("e.jsonl") });
    assert!(settings.standing_enabled && !settings.keep_messages);
    assert_eq!(
        settings.slack,
        Slack {
            enabled: true,
            bot_token_env: "B".to_owned(),
            app_token_env: "A".to_owned(),
            channel: "C".to_owned(),
            authorized_users: texts(["U1", "U2"]),
            verbosity: Verbosity::Quiet,
            read: SlackRead::Socket,
            read_interval: Duration::from_secs(5),
            events: vec![],
        }
    );
    assert_eq!(
        settings.service,
        Service {
            enabled: false,
            host: "0.0.0.0".to_owned(),
            port: 1,
            exposed: true,
            auto_start: false,
            mcp_enabled: false,
            stream_enabled: false,
            stream_max_subscribers: 3,
            stream_keep_alive: Duration::from_millis(1500),
            cors_allow_origins: texts(["https://o.example"]),
            auth_mode: AuthMode::Token,
            allowed_hosts: texts(["x.example"]),
            public_url: "https://x.example".to_owned(),
        }
    );
}

#[test]
fn every_key_of_a_notification_is_read() {
    let project = Project::with(EVERY_KEY);
    let notify = project.load().settings.notify;
    let home = project.dir.path().join("home");
    let token = Some(SecretSource::File(home.join("t").display().to_string()));
    assert_eq!(
        notify[0],
        Notify {
            to: NotifyTarget::Ntfy { url: "https://n.example/t".to_owned(), token },
            kinds: vec![Need::Prompt, Need::Answer],
            after: Duration::from_millis(1500),
            quiet: Some(Quiet { from: 22 * 60, to: 7 * 60 }),
            sessions: texts(["a", "b-*"]),
            repeat: Some(Duration::from_mins(1)),
        }
    );
    let key = SecretSource::Command(texts(["k"]));
    assert_eq!(notify[1].to, NotifyTarget::Webhook { url: "https://w.example/w".to_owned(), key });
    let NotifyTarget::Command { argv, limit, dir } = &notify[2].to else { panic!("{:?}", notify[2]) };
    assert_eq!((argv, *limit), (&texts(["c", "-x"]), Duration::from_secs(2)));
    assert_eq!(dir.components().as_path(), project.dir.path());
    let (kinds, plain) = (&notify[1].kinds, &notify[2]);
    assert!(kinds.contains(&Need::Prompt) && !kinds.contains(&Need::Answer) && !kinds.contains(&Need::Unknown));
    assert_eq!((plain.after, plain.quiet, plain.repeat), (Duration::ZERO, None, None));
    assert_eq!(plain.sessions, texts(["*"]));
}

#[test]
fn each_declared_session_has_its_line() {
    let lines = Project::with(EVERY_KEY).load().lines;
    for session in ["a", "b", "c"] {
        let written = EVERY_KEY.lines().position(|line| line.contains(&format!("{{name: {session},")));
        assert_eq!(lines.get(&name(session)).copied(), written.map(|line| line + 1), "{session}");
    }
    assert_eq!(lines.len(), 3);
}

#[test]
fn every_session_key_is_read() {
    let project = Project::with(EVERY_KEY);
    let sessions = project.load().settings.sessions;
    let plain = Declaration {
        name: name("c"),
        description: String::new(),
        harness: None,
        harness_args: None,
        cwd: None,
        prompt: String::new(),
        prompt_file: None,
        auto_start: true,
        slack_enabled: false,
        slack_answers: false,
        slack_channel: String::new(),
        env: BTreeMap::new(),
        secrets: BTreeMap::new(),
    };
    let first = Declaration {
        name: name("a"),
        description: "d".to_owned(),
        harness: Some("h".to_owned()),
        harness_args: Some(texts(["-x"])),
        cwd: Some("~/w".to_owned()),
        prompt: "p".to_owned(),
        auto_start: false,
        ..plain.clone()
    };
    let second = Declaration {
        name: name("b"),
        harness_args: Some(vec![]),
        prompt_file: Some(project.dir.path().join("p.md")),
        slack_enabled: true,
        slack_answers: false,
        slack_channel: "C1".to_owned(),
        env: BTreeMap::from([("A".to_owned(), Some("1".to_owned())), ("B".to_owned(), None)]),
        secrets: BTreeMap::from([
            ("C".to_owned(), SecretSource::Command(texts(["c", "d"]))),
            ("D".to_owned(), SecretSource::File("~/d".to_owned())),
        ]),
        ..plain.clone()
    };
    assert_eq!(sessions, [first, second, plain]);
}

#[test]
fn every_routing_key_is_read() {
    let mine = CustomHarness {
        command: texts(["m"]),
        new_args: texts(["{prompt}"]),
        resume_args: texts(["{id}"]),
        session_id: SessionIds::Minted,
        like: None,
    };
    let bare = CustomHarness {
        command: texts(["n", "o"]),
        new_args: vec![],
        resume_args: vec![],
        session_id: SessionIds::None,
        like: None,
    };
    let wrapper = CustomHarness { command: texts(["w"]), like: Some("claude".to_owned()), ..bare.clone() };
    assert_eq!(
        Project::with(EVERY_KEY).load().settings.routing,
        Routing {
            default_harness: "codex".to_owned(),
            spawn_workdir: "~/wd".to_owned(),
            harness_args: BTreeMap::from([("codex".to_owned(), texts(["-a", "-b"]))]),
            harnesses: BTreeMap::from([
                ("mine".to_owned(), mine),
                ("bare".to_owned(), bare),
                ("wrapper".to_owned(), wrapper)
            ]),
            cross_session: CrossSession::Ask,
            stalled_after: Duration::from_millis(90_500),
            harness_trust: HarnessTrust {
                enabled: false,
                scope: TrustScope::Directory,
                accept_bypass_permissions: BypassPermissions::Never,
            },
            tmux: TmuxSettings {
                socket: "s".to_owned(),
                remain_on_exit: false,
                resume_on_respawn: false,
                probe: Duration::from_millis(250),
                kill_grace: Duration::ZERO,
            },
            web_terminal: WebTerminal { enabled: true, write: true, host: "h".to_owned(), port: 1 },
        }
    );
}

#[test]
fn blocks_of_other_parts_pass() {
    let text = r"
webhooks: {port: 1}
polling: {}
collaborators: [a, b]
notifications:
integrations: {x: [1, {y: 2}]}
selfDiagnosis: true
reviews: {critics: [{name: x}]}
routing:
  enabled: true
  registryDir: x
  spawnOnUnmatched: false
  autoExecuteLabel: go
  control: {}
  interaction: {mode: x}
  graph: {}
  authorizedUsers: [a]
  workspace: {}
  maxConcurrentDispatches: 3
  dedupCacheSize: 10
  dispatchTimeoutSeconds: 1.5
  promptTemplate: x
  spawnPromptTemplate: y
  harnessPlugins: []
  reactions: {}
  announce: {}
  tmux: {keepSessionOnClose: true, killHarnessOnClose: false, sessionPerPr: x}
channels: {github: {enabled: true}, mail: {}}
service:
  hostIngresses: []
  cors: {allowMethods: [GET], allowHeaders: [], allowCredentials: true, allowPrivateNetwork: false}
";
    let project = Project::with(text);
    assert_eq!(project.load().standing(), Ok(&project.defaults()));
}

#[test]
fn json_is_read_too() {
    let text = "{\n\t\"state\":\t{\"root\": \"s\\/t\"},\n\t\"standingSessions\": {\n\t\t\"sessions\": [\n\t\t\t{\"name\": \
                \"a\", \"prompt\": \"\\ud83d\\ude00 \\\"x\\\"\\n\\\\ud83d\"}\n\t\t]\n\t}\n}\n";
    let project = Project::with(text);
    let loaded = project.load();
    let settings = loaded.standing().expect("valid");
    assert_eq!(settings.state_root, project.dir.path().join("s/t"));
    assert_eq!(settings.sessions[0].prompt, "\u{1f600} \"x\"\n\\ud83d");
    assert_problem(
        "{\n\t\"standingSessions\": {\n\t\t\"enabled\": 1\n\t}\n}",
        "3:14 standingSessions.enabled: expected `true` or `false`, found the number 1",
    );
}

#[test]
fn anchors_and_words_of_older_yaml_work() {
    let text = "x: &shared {harness: codex, cwd: /a, slack: &slack {enabled: yes}}\nstandingSessions:\n  enabled: On\n  \
                sessions:\n    - {<<: *shared, name: one}\n    - {<<: [{cwd: /b}, *shared], name: two, autoStart: no}\n    \
                - {name: three, slack: *slack}\n";
    let loaded = Project::with(text).load();
    let sessions = &loaded.standing().expect("valid").sessions;
    let seen: Vec<_> = sessions.iter().map(|s| (s.cwd.as_deref(), s.auto_start, s.slack_enabled)).collect();
    assert_eq!(seen, [(Some("/a"), true, true), (Some("/b"), false, true), (None, true, true)]);
    assert_eq!(sessions[1].harness.as_deref(), Some("codex"));
    // Through an alias, the place is where the text stands.
    assert_problem(
        "x: &s\n  enabled: 3\nstandingSessions:\n  sessions:\n    - {name: a, slack: *s}\n",
        "2:12 standingSessions.sessions[0].slack.enabled: expected `true` or `false`, found the number 3",
    );
}

#[test]
fn an_unknown_mode_of_reading_is_off() {
    for mode in ["off", "pol", "'false'", "false", "no"] {
        let project = Project::with(format!("channels: {{slack: {{read: {{mode: {mode}}}}}}}"));
        let loaded = project.load();
        assert_eq!((loaded.problems, loaded.settings.slack.read), (vec![], SlackRead::Off), "{mode}");
    }
}
