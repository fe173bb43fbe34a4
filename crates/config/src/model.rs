//! The settings a config file comes down to, with every default filled in and every path absolute.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

use wire::{SecretSource, SessionName};

use process::Surroundings;

/// Everything this product reads from the config.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Absolute folder of all state (`state.root`).
    pub state_root: PathBuf,
    /// `standingSessions.enabled`: whether `the-loop start` starts declared sessions.
    pub standing_enabled: bool,
    /// `standingSessions.agentsMayControl`: whether a process inside a session may create, delete and control sessions.
    pub agents_may_control: bool,
    /// `standingSessions.sessions`, in the order of the file.
    pub sessions: Vec<Declaration>,
    /// `routing`.
    pub routing: Routing,
    /// `channels.slack`.
    pub slack: Slack,
    /// `eventLog`.
    pub event_log: EventLog,
    /// `service`.
    pub service: Service,
}

/// One entry of `standingSessions.sessions`. `None` means "not written there".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// Its name.
    pub name: SessionName,
    /// Free text for people.
    pub description: String,
    /// The harness; `None` inherits `routing.defaultHarness`.
    pub harness: Option<String>,
    /// `None` inherits `routing.harnessArgs.<harness>`; an empty list means none.
    pub harness_args: Option<Vec<String>>,
    /// As written, `~` and all; `None` inherits `routing.spawnWorkdir`.
    pub cwd: Option<String>,
    /// The operator's brief.
    pub prompt: String,
    /// A file with the operator's brief, absolute; read when the session starts.
    pub prompt_file: Option<PathBuf>,
    /// Whether `the-loop start` starts it.
    pub auto_start: bool,
    /// Whether it is announced in Slack.
    pub slack_enabled: bool,
    /// Its channel; empty means `channels.slack.channel`.
    pub slack_channel: String,
    /// Variables of its environment; `None` for one that is not to be set.
    pub env: BTreeMap<String, Option<String>>,
    /// Variables whose values are secret, and where each value comes from.
    pub secrets: BTreeMap<String, SecretSource>,
}

/// `routing`: how harnesses are hosted.
#[derive(Clone, Debug, PartialEq)]
pub struct Routing {
    /// The harness of a session that names none.
    pub default_harness: String,
    /// The working directory of a session that names none, as written.
    pub spawn_workdir: String,
    /// Default arguments by harness.
    pub harness_args: BTreeMap<String, Vec<String>>,
    /// Custom harnesses by name.
    pub harnesses: BTreeMap<String, CustomHarness>,
    /// Pre-trusting of working directories.
    pub harness_trust: HarnessTrust,
    /// tmux.
    pub tmux: TmuxSettings,
    /// A ttyd that shows the sessions, run by others.
    pub web_terminal: WebTerminal,
}

/// `routing.harnesses.<name>`: a harness made of a command and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomHarness {
    /// The program and its fixed arguments; never empty.
    pub command: Vec<String>,
    /// Arguments of a fresh conversation, with `{id}` and `{prompt}`.
    pub new_args: Vec<String>,
    /// Arguments that resume one, with `{id}`; empty means that it cannot resume.
    pub resume_args: Vec<String>,
    /// Where the conversation id comes from.
    pub session_id: SessionIds,
    /// The built-in harness that the command runs.
    pub like: Option<String>,
}

/// Where a custom harness's conversation id comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SessionIds {
    /// Made by us before the spawn.
    Minted,
    /// It has none.
    #[default]
    None,
}

/// `routing.harnessTrust`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HarnessTrust {
    /// Whether working directories are trusted before a spawn.
    pub enabled: bool,
    /// What is trusted.
    pub scope: TrustScope,
    /// Whether the warning about skipped permissions is accepted beforehand.
    pub accept_bypass_permissions: BypassPermissions,
}

/// What a trust entry covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrustScope {
    /// The root of the repository that holds the working directory.
    WorkspaceRoot,
    /// The working directory alone.
    Directory,
}

/// When the warning about skipped permissions is accepted beforehand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BypassPermissions {
    /// Only if the arguments ask for skipped permissions.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// `routing.tmux`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TmuxSettings {
    /// The server's `-L` name; empty for the user's default server.
    pub socket: String,
    /// Whether the pane of a harness that ended is kept.
    pub remain_on_exit: bool,
    /// Whether a start resumes the recorded conversation.
    pub resume_on_respawn: bool,
    /// How long a resumed harness, or a fresh one without evidence, must live to be trusted.
    pub probe: Duration,
    /// How long a harness may take to leave after SIGTERM.
    pub kill_grace: Duration,
}

/// `routing.webTerminal`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebTerminal {
    /// Whether there is one.
    pub enabled: bool,
    /// Its host.
    pub host: String,
    /// Its port.
    pub port: u16,
}

/// `channels.slack`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slack {
    /// Whether Slack is used at all.
    pub enabled: bool,
    /// The environment variable that holds the bot token.
    pub bot_token_env: String,
    /// The environment variable that holds the app token.
    pub app_token_env: String,
    /// The channel of a session that names none.
    pub channel: String,
    /// Member ids that may speak; empty means nobody.
    pub authorized_users: Vec<String>,
    /// How much is said.
    pub verbosity: Verbosity,
    /// How replies are read.
    pub read: SlackRead,
    /// How often they are polled.
    pub read_interval: Duration,
    /// Which events of other parts are posted.
    pub events: Vec<String>,
}

/// `channels.slack.verbosity`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the words are the config's own")]
pub enum Verbosity {
    Quiet,
    Normal,
    Verbose,
}

/// `channels.slack.read.mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlackRead {
    /// Replies are asked for at an interval.
    Poll,
    /// Replies are pushed over Socket Mode.
    Socket,
    /// Replies are not read; an unknown mode counts as this.
    Off,
}

/// `eventLog`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventLog {
    /// Whether events are written.
    pub enabled: bool,
    /// The absolute file.
    pub path: PathBuf,
}

/// `service`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    /// Whether `the-loop start` starts the service.
    pub enabled: bool,
    /// The address it binds.
    pub host: String,
    /// The port it binds.
    pub port: u16,
    /// Whether a host other than loopback is meant.
    pub exposed: bool,
    /// Whether it is started with the rest.
    pub auto_start: bool,
    /// Whether `/mcp` is served.
    pub mcp_enabled: bool,
    /// Whether `/api/v1/stream` is served.
    pub stream_enabled: bool,
    /// How many may listen to it at once.
    pub stream_max_subscribers: usize,
    /// How often a silent stream says that it is alive.
    pub stream_keep_alive: Duration,
    /// Origins besides its own that may call it.
    pub cors_allow_origins: Vec<String>,
    /// Who is let in.
    pub auth_mode: AuthMode,
    /// Host names besides its own that it answers to.
    pub allowed_hosts: Vec<String>,
}

/// `service.auth.mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthMode {
    /// Processes of our own user (or root), on loopback.
    SameUser,
    /// Whoever holds the token.
    Token,
    /// Everyone who can connect.
    None,
}

impl Settings {
    /// What a missing file means, for a project in `project_dir`.
    pub fn defaults(project_dir: &Path, surroundings: &Surroundings) -> Self {
        let state_root = surroundings.resolve(".the-loop", project_dir);
        Self {
            event_log: EventLog { enabled: true, path: state_root.join("logs/events.jsonl") },
            state_root,
            standing_enabled: false,
            agents_may_control: false,
            sessions: Vec::new(),
            routing: Routing::default(),
            slack: Slack::default(),
            service: Service::default(),
        }
    }
}

impl Default for Routing {
    fn default() -> Self {
        Self {
            default_harness: "claude".to_owned(),
            spawn_workdir: ".".to_owned(),
            harness_args: BTreeMap::new(),
            harnesses: BTreeMap::new(),
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
            web_terminal: WebTerminal { enabled: false, host: "127.0.0.1".to_owned(), port: 7681 },
        }
    }
}

impl Default for Slack {
    fn default() -> Self {
        Self {
            enabled: false,
            bot_token_env: "THE_LOOP_SLACK_BOT_TOKEN".to_owned(),
            app_token_env: "THE_LOOP_SLACK_APP_TOKEN".to_owned(),
            channel: String::new(),
            authorized_users: Vec::new(),
            verbosity: Verbosity::Normal,
            read: SlackRead::Poll,
            read_interval: Duration::from_secs(30),
            events: vec!["session.awaiting_input".to_owned()],
        }
    }
}

impl Default for Service {
    fn default() -> Self {
        Self {
            enabled: true,
            host: "127.0.0.1".to_owned(),
            port: 4114,
            exposed: false,
            auto_start: true,
            mcp_enabled: true,
            stream_enabled: true,
            stream_max_subscribers: 8,
            stream_keep_alive: Duration::from_secs(15),
            cors_allow_origins: Vec::new(),
            auth_mode: AuthMode::SameUser,
            allowed_hosts: Vec::new(),
        }
    }
}
