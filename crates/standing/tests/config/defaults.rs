//! Defaults: the settings that an empty file gives.

use std::{collections::BTreeMap, time::Duration};

use serde_json::{Map, Value, json};
use standing::config::{
    self, AuthMode, BypassPermissions, CrossSession, Declaration, EventLog, HarnessTrust, Routing, Service, Settings,
    Slack, SlackRead, TmuxSettings, TrustScope, Verbosity, WebTerminal,
};

use crate::{
    Project,
    keys::{name, texts},
};

#[test]
fn nothing_written_means_every_default() {
    let project = Project::new();
    assert_eq!(project.load().standing(), Ok(&project.defaults()));
    let empty = ["", "\n\n", "# nothing yet\n", "---\n", "{}", "null", "\u{feff}", "\t\n"];
    for text in empty {
        assert_eq!(Project::with(text).load().problems, [], "{text:?}");
    }
    let blocks = "state:\nstandingSessions:\nrouting:\n  tmux:\nchannels:\n  slack:\n    read:\nservice:\n  cors:\n";
    for text in [blocks, "standingSessions:\n  sessions:\n  # - name: later\n"] {
        let project = Project::with(text);
        assert_eq!(project.load().standing(), Ok(&project.defaults()), "{text:?}");
    }
}

/// The defaults of the contract, one by one.
#[test]
fn the_defaults_are_these() {
    let project = Project::new();
    let root = project.dir.path().join(".the-loop");
    let expected = Settings {
        event_log: EventLog { enabled: true, path: root.join("logs/events.jsonl") },
        state_root: root,
        standing_enabled: false,
        agents_may_control: false,
        keep_messages: true,
        sessions: vec![],
        routing: Routing {
            default_harness: "claude".to_owned(),
            spawn_workdir: ".".to_owned(),
            harness_args: BTreeMap::new(),
            harnesses: BTreeMap::new(),
            cross_session: CrossSession::Refuse,
            stalled_after: Duration::from_mins(30),
            harness_trust: HarnessTrust {
                enabled: true,
                scope: TrustScope::WorkspaceRoot,
                accept_bypass_permissions: BypassPermissions::Auto,
            },
            tmux: TmuxSettings {
                socket: String::new(),
                remain_on_exit: true,
                resume_on_respawn: true,
                probe: Duration::from_secs(2),
                kill_grace: Duration::from_secs(5),
            },
            web_terminal: WebTerminal { enabled: false, write: false, host: "127.0.0.1".to_owned(), port: 7681 },
        },
        slack: Slack {
            enabled: false,
            bot_token_env: "THE_LOOP_SLACK_BOT_TOKEN".to_owned(),
            app_token_env: "THE_LOOP_SLACK_APP_TOKEN".to_owned(),
            channel: String::new(),
            authorized_users: vec![],
            verbosity: Verbosity::Normal,
            read: SlackRead::Poll,
            read_interval: Duration::from_secs(30),
            events: texts(["session.awaiting_input"]),
        },
        notify: vec![],
        service: Service {
            enabled: true,
            host: "127.0.0.1".to_owned(),
            port: 4114,
            exposed: false,
            auto_start: true,
            mcp_enabled: true,
            stream_enabled: true,
            stream_max_subscribers: 8,
            stream_keep_alive: Duration::from_secs(15),
            cors_allow_origins: vec![],
            auth_mode: AuthMode::SameUser,
            allowed_hosts: vec![],
            public_url: String::new(),
        },
    };
    assert_eq!(project.load().settings, expected);

    let declared = Project::with("standingSessions: {sessions: [{name: a}]}").load().settings.sessions;
    assert_eq!(
        declared,
        [Declaration {
            name: name("a"),
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
        }]
    );
}

/// A file that writes out every default of the schema says nothing new.
#[test]
fn the_schema_and_the_program_agree_on_the_defaults() {
    fn defaults(schema: &Value) -> Option<Value> {
        if let Some(default) = schema.get("default") {
            return Some(default.clone());
        }
        let properties = schema.get("properties")?.as_object()?;
        let pairs = properties.iter().filter_map(|(key, schema)| Some((key.clone(), defaults(schema)?)));
        Some(Value::Object(pairs.collect::<Map<_, _>>()))
    }
    let schema: Value = serde_json::from_str(config::SCHEMA).expect("JSON");
    let written = defaults(&schema).expect("defaults");
    assert_eq!(written["service"]["port"], 4114);
    let project = Project::with(written.to_string());
    assert_eq!(project.load().standing(), Ok(&project.defaults()));
    let mut entry =
        defaults(&schema["properties"]["standingSessions"]["properties"]["sessions"]["items"]).expect("them");
    entry["name"] = json!("a");
    let long = Project::with(json!({"standingSessions": {"sessions": [entry]}}).to_string()).load();
    let short = Project::with("standingSessions: {sessions: [{name: a}]}").load();
    assert_eq!(long.standing().expect("valid").sessions, short.settings.sessions);
}
