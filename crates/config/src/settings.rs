//! Converts a document to [`Settings`].
//!
//! Every value is independent: a missing or unusable value gives its default and affects no other. This module does not
//! decide if the file may be used at all.

mod notify;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    time::Duration,
};

use serde_json::Value;
use wire::SessionName;

use super::model::{
    AuthMode, BypassPermissions, CrossSession, CustomHarness, Declaration, EventLog, HarnessTrust, Routing, Service,
    SessionIds, Settings, Slack, SlackRead, TmuxSettings, TrustScope, Verbosity, WebTerminal,
};
use process::Surroundings;

/// Returns the settings of a document, without the entries of `standingSessions.sessions` that are `bad`.
pub(super) fn of_document(
    document: &Value,
    bad: &BTreeSet<usize>,
    project_dir: &Path,
    surroundings: &Surroundings,
) -> Settings {
    let defaults = Settings::defaults(project_dir, surroundings);
    let root = Part(Some(document));
    let path = |text: String| surroundings.resolve(&text, project_dir);
    let state_root = root.part("state").filled("root").map_or(defaults.state_root, path);
    let event_log = root.part("eventLog");
    let standing = root.part("standingSessions");
    Settings {
        event_log: EventLog {
            enabled: event_log.flag("enabled", defaults.event_log.enabled),
            path: event_log.filled("path").map_or_else(|| state_root.join("logs/events.jsonl"), path),
        },
        state_root,
        standing_enabled: standing.flag("enabled", defaults.standing_enabled),
        agents_may_control: standing.flag("agentsMayControl", defaults.agents_may_control),
        keep_messages: standing.flag("keepMessages", defaults.keep_messages),
        sessions: sessions(&standing, bad, &path),
        routing: routing(&root.part("routing"), defaults.routing),
        slack: slack(&root.part("channels").part("slack"), defaults.slack),
        notify: notify::targets(&root, &path),
        service: service(&root.part("service"), defaults.service),
    }
}

fn sessions(
    standing: &Part<'_>,
    bad: &BTreeSet<usize>,
    path: &impl Fn(String) -> std::path::PathBuf,
) -> Vec<Declaration> {
    let mut names = BTreeSet::new();
    let entries = standing.0.and_then(|block| block["sessions"].as_array()).into_iter().flatten().enumerate();
    entries
        .filter(|(index, _)| !bad.contains(index))
        .filter_map(|(_, entry)| {
            let entry = Part(Some(entry));
            let name = SessionName::parse(&entry.filled("name")?).ok()?;
            let slack = entry.part("slack");
            // The first entry of a name is kept: with two of them the file is refused anyway where it matters.
            names.insert(name.clone()).then(|| Declaration {
                description: entry.text("description", ""),
                harness: entry.filled("harness"),
                harness_args: entry.texts("harnessArgs"),
                cwd: entry.filled("cwd"),
                prompt: entry.text("prompt", ""),
                prompt_file: entry.filled("promptFile").map(path),
                auto_start: entry.flag("autoStart", true),
                slack_enabled: slack.flag("enabled", false),
                slack_channel: slack.text("channel", ""),
                slack_answers: slack.flag("answers", false),
                env: entry.map("env", |value| Some(value.0?.as_str().map(str::to_owned))),
                secrets: entry.map("secrets", |source| serde_json::from_value(source.0?.clone()).ok()),
                name,
            })
        })
        .collect()
}

fn routing(routing: &Part<'_>, defaults: Routing) -> Routing {
    let trust = routing.part("harnessTrust");
    let terminal = routing.part("webTerminal");
    Routing {
        default_harness: routing.filled("defaultHarness").unwrap_or(defaults.default_harness),
        spawn_workdir: routing.filled("spawnWorkdir").unwrap_or(defaults.spawn_workdir),
        harness_args: routing.map("harnessArgs", texts),
        cross_session: routing.part("harnesses").part("claude").word("crossSession", defaults.cross_session, |word| {
            match word {
                "refuse" => Some(CrossSession::Refuse),
                "accept" => Some(CrossSession::Accept),
                "ask" => Some(CrossSession::Ask),
                _ => None,
            }
        }),
        harnesses: routing.map("harnesses", custom_harness),
        stalled_after: routing.span("stalledAfter", 0.0, defaults.stalled_after),
        harness_trust: HarnessTrust {
            enabled: trust.flag("enabled", defaults.harness_trust.enabled),
            scope: trust.word("scope", defaults.harness_trust.scope, |word| match word {
                "workspace-root" => Some(TrustScope::WorkspaceRoot),
                "directory" => Some(TrustScope::Directory),
                _ => None,
            }),
            accept_bypass_permissions: trust.word(
                "acceptBypassPermissions",
                defaults.harness_trust.accept_bypass_permissions,
                |word| match word {
                    "auto" => Some(BypassPermissions::Auto),
                    "always" => Some(BypassPermissions::Always),
                    "never" => Some(BypassPermissions::Never),
                    _ => None,
                },
            ),
        },
        tmux: tmux(&routing.part("tmux"), &defaults.tmux),
        web_terminal: WebTerminal {
            enabled: terminal.flag("enabled", defaults.web_terminal.enabled),
            write: terminal.flag("write", defaults.web_terminal.write),
            host: terminal.filled("host").unwrap_or(defaults.web_terminal.host),
            port: terminal.port("port", defaults.web_terminal.port),
        },
    }
}

fn tmux(tmux: &Part<'_>, defaults: &TmuxSettings) -> TmuxSettings {
    TmuxSettings {
        socket: tmux.text("socket", &defaults.socket),
        remain_on_exit: tmux.flag("remainOnExit", defaults.remain_on_exit),
        resume_on_respawn: tmux.flag("resumeOnRespawn", defaults.resume_on_respawn),
        probe: tmux.span("resumeProbeSeconds", 0.0, defaults.probe),
        kill_grace: tmux.span("harnessKillGraceSeconds", 0.0, defaults.kill_grace),
    }
}

fn custom_harness(harness: &Part<'_>) -> Option<CustomHarness> {
    let command = harness.texts("command").filter(|command| !command.is_empty())?;
    Some(CustomHarness {
        command,
        new_args: harness.texts("newArgs").unwrap_or_default(),
        resume_args: harness.texts("resumeArgs").unwrap_or_default(),
        session_id: harness.word("sessionId", SessionIds::default(), |word| match word {
            "minted" => Some(SessionIds::Minted),
            "none" => Some(SessionIds::None),
            _ => None,
        }),
        like: harness.filled("like"),
    })
}

fn slack(slack: &Part<'_>, defaults: Slack) -> Slack {
    let read = slack.part("read");
    Slack {
        enabled: slack.flag("enabled", defaults.enabled),
        bot_token_env: slack.filled("botTokenEnv").unwrap_or(defaults.bot_token_env),
        app_token_env: slack.filled("appTokenEnv").unwrap_or(defaults.app_token_env),
        channel: slack.text("channel", &defaults.channel),
        authorized_users: slack.texts("authorizedUsers").unwrap_or(defaults.authorized_users),
        verbosity: slack.word("verbosity", defaults.verbosity, |word| match word {
            "quiet" => Some(Verbosity::Quiet),
            "normal" => Some(Verbosity::Normal),
            "verbose" => Some(Verbosity::Verbose),
            _ => None,
        }),
        read: match read.value("mode") {
            None | Some(Value::Null) => defaults.read,
            Some(Value::String(word)) if word == "poll" => SlackRead::Poll,
            Some(Value::String(word)) if word == "socket" => SlackRead::Socket,
            // Not to read is the safe choice for an unknown word.
            Some(_) => SlackRead::Off,
        },
        read_interval: read.span("intervalSeconds", 5.0, defaults.read_interval),
        events: slack.texts("events").unwrap_or(defaults.events),
    }
}

fn service(service: &Part<'_>, defaults: Service) -> Service {
    let stream = service.part("stream");
    Service {
        enabled: service.flag("enabled", defaults.enabled),
        host: service.filled("host").unwrap_or(defaults.host),
        port: service.port("port", defaults.port),
        exposed: service.flag("exposed", defaults.exposed),
        auto_start: service.flag("autoStart", defaults.auto_start),
        mcp_enabled: service.part("mcp").flag("enabled", defaults.mcp_enabled),
        stream_enabled: stream.flag("enabled", defaults.stream_enabled),
        stream_max_subscribers: stream.count("maxSubscribers", defaults.stream_max_subscribers),
        stream_keep_alive: stream.span("keepAliveSeconds", 1.0, defaults.stream_keep_alive),
        cors_allow_origins: service.part("cors").texts("allowOrigins").unwrap_or(defaults.cors_allow_origins),
        auth_mode: service.part("auth").word("mode", defaults.auth_mode, |word| match word {
            "same-user" => Some(AuthMode::SameUser),
            "token" => Some(AuthMode::Token),
            "none" => Some(AuthMode::None),
            _ => None,
        }),
        allowed_hosts: service.texts("allowedHosts").unwrap_or(defaults.allowed_hosts),
        public_url: service.text("publicUrl", &defaults.public_url).trim_end_matches('/').to_owned(),
    }
}

/// Returns the texts of a list; `None` if it is not a list of texts.
fn texts(list: &Part<'_>) -> Option<Vec<String>> {
    let items = list.0?.as_array()?;
    items.iter().map(|item| item.as_str().map(str::to_owned)).collect()
}

/// Part of the document, which may be missing.
struct Part<'a>(Option<&'a Value>);

impl Part<'_> {
    fn value(&self, key: &str) -> Option<&Value> {
        self.0.and_then(|block| block.get(key))
    }

    fn part(&self, key: &str) -> Part<'_> {
        Part(self.value(key))
    }

    fn flag(&self, key: &str, default: bool) -> bool {
        self.value(key).and_then(Value::as_bool).unwrap_or(default)
    }

    fn text(&self, key: &str, default: &str) -> String {
        self.value(key).and_then(Value::as_str).unwrap_or(default).to_owned()
    }

    /// Returns a text that is not empty; an empty one stands for its default.
    fn filled(&self, key: &str) -> Option<String> {
        self.value(key).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
    }

    fn word<T>(&self, key: &str, default: T, meaning: impl Fn(&str) -> Option<T>) -> T {
        self.value(key).and_then(Value::as_str).and_then(meaning).unwrap_or(default)
    }

    /// Returns a list of texts; `None` if it is missing or an item is not a text.
    fn texts(&self, key: &str) -> Option<Vec<String>> {
        texts(&self.part(key))
    }

    fn map<T>(&self, key: &str, read: impl Fn(&Part<'_>) -> Option<T>) -> BTreeMap<String, T> {
        let entries = self.value(key).and_then(Value::as_object).into_iter().flatten();
        entries.filter_map(|(key, value)| Some((key.clone(), read(&Part(Some(value)))?))).collect()
    }

    /// Returns a whole number; `8.0` is one.
    fn whole(&self, key: &str) -> Option<u32> {
        let number = self.value(key)?.as_f64()?;
        let in_range = number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole and in range, see above")]
        in_range.then_some(number as u32)
    }

    fn port(&self, key: &str, default: u16) -> u16 {
        self.whole(key).and_then(|port| port.try_into().ok()).unwrap_or(default)
    }

    fn count(&self, key: &str, default: usize) -> usize {
        self.whole(key).and_then(|count| count.try_into().ok()).unwrap_or(default)
    }

    fn span(&self, key: &str, least: f64, default: Duration) -> Duration {
        match self.value(key).and_then(Value::as_f64) {
            // The schema refuses what is too long for a duration.
            Some(seconds) if seconds >= least => Duration::try_from_secs_f64(seconds).unwrap_or(default),
            _ => default,
        }
    }
}
