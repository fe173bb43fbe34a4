//! Harnesses: the programs that host a conversation, behind one trait.
//!
//! An adapter knows how its program is started and resumed, where it writes its transcript, what must be trusted before
//! a start, and how to read its screen. It starts nothing and types nothing.
//!
//! This crate must not know tmux or records: a caller passes the screen, the directory and the environment of a session.

pub mod account;
mod adapter;
mod args;
mod claude;
mod codex;
#[cfg(test)]
mod corpus;
mod cursor;
mod demo;
mod gemini;
mod launch;
mod opencode;
mod program;
mod retention;
mod screen;
pub mod signal;
mod styled;
mod trust;
mod turn;

use std::{
    borrow::Cow,
    ops::Range,
    path::{Path, PathBuf},
    time::Duration,
};

pub use adapter::Adapter;
use config::{HarnessTrust, Routing};
use jiff::Timestamp;
pub use launch::{Launch, LaunchSettings, quoted};
use process::{ProcessIdentity, Surroundings};
pub use program::find_program;
pub use retention::Retention;
pub use signal::{News, Obstacle, Signal};
pub use styled::Styled;
pub use trust::{Act, Trust};
pub use turn::{Answer, Follow, Lost, Progress, Said};
use wire::{Activity, Choice, SessionName};

/// Environment and folder in which a session's program runs, or will run. An adapter looks nothing up elsewhere.
#[derive(Clone, Debug)]
pub struct Place<'a> {
    /// Session's own environment, which its program was given or will be given. It is not the caller's.
    pub environment: Cow<'a, Surroundings>,
    /// Absolute working directory.
    pub cwd: &'a Path,
    /// Variables that are hidden from every harness.
    pub secrets: Vec<&'a str>,
}

impl Place<'_> {
    /// Returns the path that a variable names. A relative path is below the working directory, as for the program.
    pub fn path(&self, key: &str) -> Option<PathBuf> {
        self.environment.var(key).map(|path| self.cwd.join(path))
    }

    /// Returns the home directory, if one is set.
    pub fn home(&self) -> Option<PathBuf> {
        self.path("HOME")
    }
}

impl<'a> Place<'a> {
    /// Creates a place without secrets from an environment and a folder.
    pub fn of(environment: &'a Surroundings, cwd: &'a Path) -> Self {
        Self { environment: Cow::Borrowed(environment), cwd, secrets: Vec::new() }
    }
}

/// Screen at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Screen<'a> {
    /// Visible lines, as plain text.
    pub text: &'a str,
    /// Title that the program set.
    pub title: &'a str,
}

/// State that a screen shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Activity of the conversation.
    pub activity: Activity,
    /// Text of the prompt, if the harness waits for an answer.
    pub question: String,
}

/// Running spawn whose conversation is looked for.
#[derive(Clone, Copy, Debug)]
pub struct Spawned<'a> {
    /// Beginning of the session's boot prompt, which differs for every session.
    pub opening: &'a str,
    /// Process of the pane; `None` if it has ended.
    pub pid: Option<u32>,
    /// Id that its processes carry.
    pub loop_id: &'a str,
    /// Time of the spawn in a record's format; empty if unknown.
    pub since: &'a str,
    /// Conversation on record; empty if there is none yet.
    pub known: &'a str,
    /// True if the search may look at every process of the machine. A listing of hundreds of sessions looks only at the
    /// pane's process and its descendants.
    pub thorough: bool,
}

impl Spawned<'_> {
    /// Iterates over its living processes, the pane's own first: a wrapper script may run between the pane and the
    /// harness.
    pub fn processes(&self) -> impl Iterator<Item = u32> {
        let below = self.pid.map(process::descendants).unwrap_or_default();
        let carrying =
            || self.pid.filter(|_| self.thorough).map(|_| process::carrying(self.loop_id)).unwrap_or_default();
        let known = below.clone();
        let others = std::iter::once_with(carrying).flatten().map(|held| held.identity.pid);
        let others = others.filter(move |pid| Some(*pid) != self.pid && !known.contains(pid));
        self.pid.into_iter().chain(below).chain(others)
    }
}

/// Ended spawn whose last conversation is looked for in the files and output that its harness left behind.
#[derive(Clone, Copy, Debug)]
pub struct Ended<'a> {
    /// Name of the session.
    pub session: &'a SessionName,
    /// Process of the pane before its end.
    pub process: &'a ProcessIdentity,
    /// Time of the spawn in a record's format; empty if unknown.
    pub since: &'a str,
    /// Conversation on record.
    pub known: &'a str,
    /// Last content of its pane; empty if the pane is gone.
    pub last_words: &'a str,
}

/// Meaning of a transcript entry for the delivery of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// A text in it was accepted as a turn.
    Turn,
    /// A text in it waits in the harness's own queue.
    Queued,
    /// A person removed queued text from the queue.
    TakenBack,
    /// The entry may quote a text, and proves nothing.
    Note,
}

/// Fresh conversation.
#[derive(Clone, Copy, Debug)]
pub struct Fresh<'a> {
    /// Id generated for it; empty if the harness makes its own.
    pub id: &'a str,
    /// Arguments of the operator.
    pub args: &'a [String],
    /// Boot prompt; it never begins with `-`.
    pub prompt: &'a str,
}

/// Kind of harness.
pub trait Harness {
    /// Returns the program: a name that is looked for on PATH, or an absolute path.
    fn program(&self) -> &str;

    /// Lists the variables that decide where the program keeps its conversations, trust and settings. All are among
    /// [`account::ALL`]; for an unknown program, any of them may count.
    fn account(&self) -> &'static [&'static str] {
        account::ALL
    }

    /// Lists variables that the program gets unless the operator has set them.
    fn vars(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// Generates the id of a new conversation; empty if the harness makes its own.
    fn new_id(&self, place: &Place<'_>) -> Result<String, String> {
        let _ = place;
        Ok(uuid::Uuid::new_v4().to_string())
    }

    /// True if the harness makes its own ids, and reports them some time after its start.
    fn makes_its_ids(&self) -> bool {
        false
    }

    /// Finds the conversation of a running spawn. It is needed for a harness that makes its own ids, or that a user can
    /// move to another conversation by typing. The conversation must be proven to be that spawn's own: the newest one
    /// is never taken merely for being the newest.
    fn discover(&self, place: &Place<'_>, spawned: &Spawned<'_>) -> Option<String> {
        let _ = (place, spawned);
        None
    }

    /// Finds the conversation that a spawn was in when it ended, if it differs from the one on record. It must be
    /// proven to be that spawn's own.
    fn left_in(&self, place: &Place<'_>, ended: &Ended<'_>) -> Option<String> {
        let _ = (place, ended);
        None
    }

    /// Lists the conversations that a spawn passed through between two others, where the harness records them.
    fn between(&self, place: &Place<'_>, since: &str, from: &str, to: &str) -> Vec<String> {
        let _ = (place, since, from, to);
        Vec::new()
    }

    /// Reads the state that the harness reports in a file of its own, and the time since which it does.
    fn told(&self, place: &Place<'_>, pid: u32) -> Option<(Reading, Option<Timestamp>)> {
        let _ = (place, pid);
        None
    }

    /// Refuses arguments with which the conversation or the prompt would not reach the harness; the error says why.
    fn check_args(&self, args: &[String]) -> Result<(), String> {
        let _ = args;
        Ok(())
    }

    /// Returns the arguments after the program that start a fresh conversation.
    fn fresh(&self, fresh: &Fresh<'_>) -> Vec<String>;

    /// Returns the arguments after the program that resume a conversation; `None` if the harness cannot resume.
    fn resume(&self, id: &str, args: &[String]) -> Option<Vec<String>>;

    /// Trusts the working directory before a start, so that no dialog meets an unattended session; or only checks the
    /// trust. The caller decides whether it is to be trusted at all (`routing.harnessTrust.enabled`).
    fn trust(&self, place: &Place<'_>, args: &[String], settings: HarnessTrust, act: Act) -> Result<Trust, String> {
        let _ = (place, args, settings, act);
        Ok(Trust::Given)
    }

    /// Returns the file that a conversation's turns are written to, if it is known.
    fn transcript(&self, place: &Place<'_>, id: &str) -> Option<PathBuf> {
        let _ = (place, id);
        None
    }

    /// Returns the transcript of a conversation that a living process is in, found at less cost: a list asks for it for
    /// every session.
    fn conversation_file(&self, place: &Place<'_>, id: &str, pid: u32) -> Option<PathBuf> {
        let _ = pid;
        self.transcript(place, id)
    }

    /// Returns the time at which a turn began, if this transcript line begins one. `None` for every other line, and for
    /// harnesses where that is not known.
    fn begins_turn(&self, line: &serde_json::Value) -> Option<String> {
        let _ = line;
        None
    }

    /// Reads the signal in an entry of the transcript: what it says about the progress of the turns.
    fn signal(&self, entry: &serde_json::Value) -> Option<Signal> {
        let _ = entry;
        None
    }

    /// Makes the settings of a launch: `None` if the harness has none, an error if the operator's own could not be read.
    fn launch_settings(
        &self,
        place: &Place<'_>,
        args: &[String],
        launch: &Launch<'_>,
    ) -> Option<Result<LaunchSettings, String>> {
        let _ = (place, args, launch);
        None
    }

    /// True if the harness reports events through hooks of its launch.
    fn has_hooks(&self) -> bool {
        false
    }

    /// Reduces an event of a hook to the conversation that it is about and what is kept of it.
    fn hook_event(&self, event: &serde_json::Value) -> Option<(String, serde_json::Value)> {
        let _ = event;
        None
    }

    /// Reads what a kept event of a hook says about the progress of the turns.
    fn hook_news(&self, event: &serde_json::Value) -> Option<News> {
        let _ = event;
        None
    }

    /// Reads the activity that begins with a kept event of a hook.
    fn hook_activity(&self, event: &serde_json::Value) -> Option<Activity> {
        let _ = event;
        None
    }

    /// Reads the obstacle that the screen shows, outside the words of the conversation.
    fn obstacle(&self, screen: Screen<'_>) -> Option<Obstacle> {
        let _ = screen;
        None
    }

    /// Reads the failure of the last turn, where the screen shows it in the place of an answer. Its words could be those of
    /// an answer, so it counts only until the transcript has one.
    fn failed_turn(&self, screen: Screen<'_>) -> Option<Obstacle> {
        let _ = screen;
        None
    }

    /// Returns the file that a login changes, if the harness has one.
    fn credentials(&self, place: &Place<'_>) -> Option<PathBuf> {
        let _ = place;
        None
    }

    /// Classifies an entry of the transcript.
    fn written(&self, entry: &serde_json::Value) -> Written {
        let _ = entry;
        Written::Turn
    }

    /// Returns a parser that follows the turn of a message through the transcript; `None` if the transcript does not
    /// tell which answer belongs to which message.
    fn follow(&self, message_id: &str) -> Option<Box<dyn Follow>> {
        let _ = message_id;
        None
    }

    /// Returns the text that a person or the agent said in an entry of the transcript; `None` for every other entry.
    fn said(&self, entry: &serde_json::Value) -> Option<Said> {
        let _ = entry;
        None
    }

    /// True if the screen shows a message in the harness's own queue.
    fn in_queue(&self, screen: Screen<'_>, message: &str) -> bool {
        let _ = (screen, message);
        false
    }

    /// Returns the screen lines of the input box; `None` if no box is visible.
    fn input_lines(&self, screen: Screen<'_>) -> Option<Range<usize>> {
        let _ = screen;
        None
    }

    /// Returns the characters that open an empty input box.
    fn prompt_marks(&self) -> &'static [char] {
        &[]
    }

    /// Lists the hints that the harness shows in an empty input box, or their beginnings. On a terminal without colours
    /// they look like text.
    fn hints(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns how long the harness keeps a conversation that is not resumed.
    fn retention(&self, place: &Place<'_>) -> Retention {
        let _ = place;
        Retention::Forever
    }

    /// Returns the delay after a paste from which Enter counts as Enter.
    fn enter_gap(&self) -> Duration {
        Duration::from_millis(200)
    }

    /// Returns the maximum time until a first screen that [`Harness::is_up`] recognises. A start that survived its
    /// probe waits at most that long: the program may still fail at the conversation it resumes.
    fn draws_within(&self) -> Duration {
        Duration::ZERO
    }

    /// Reads the state that the screen shows.
    fn read(&self, screen: Screen<'_>) -> Reading {
        let _ = screen;
        Reading::default()
    }

    /// Lists the answers of a prompt on the screen, where the digit alone selects one; empty for any other prompt.
    fn choices(&self, screen: Screen<'_>) -> Vec<Choice> {
        let _ = screen;
        Vec::new()
    }

    /// Returns how long a prompt must have been on the screen before a key answers it. Some harnesses ignore keys right
    /// after a prompt appears, to prevent accidental answers.
    fn question_settles(&self) -> Duration {
        Duration::ZERO
    }

    /// True if the program is up and accepts input: a paste before that could not be proven to arrive. `None` if its
    /// screen does not tell.
    fn is_up(&self, screen: Screen<'_>) -> Option<bool> {
        let _ = screen;
        None
    }

    /// True if the input box still shows that message unsent; `None` if no box is visible.
    fn holds_input(&self, screen: Screen<'_>, message: &str) -> Option<bool> {
        let _ = (screen, message);
        None
    }
}

/// Names of the built-in harnesses, the demo for newcomers last.
pub const BUILT_IN: [&str; 6] = ["claude", "codex", "cursor", "gemini", "opencode", "demo"];

/// Finds the adapter of a harness by its name; the error lists the known names.
pub fn by_name(name: &str, routing: &Routing, surroundings: &Surroundings) -> Result<Adapter, String> {
    if let Some(custom) = routing.harnesses.get(name) {
        let like = custom.like.as_deref().and_then(|like| built_in(like, surroundings));
        return Adapter::custom(name, custom, like);
    }
    built_in(name, surroundings).map(Adapter::built_in).ok_or_else(|| {
        let known: Vec<&str> = BUILT_IN.into_iter().chain(routing.harnesses.keys().map(String::as_str)).collect();
        format!(
            "unknown harness `{name}`: use one of {}, or define it under `routing.harnesses`",
            known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        )
    })
}

fn built_in(name: &str, surroundings: &Surroundings) -> Option<Box<dyn Harness>> {
    Some(match name {
        "claude" => Box::new(claude::Claude),
        "codex" => Box::new(codex::Codex),
        "cursor" => Box::new(cursor::Cursor),
        "gemini" => Box::new(gemini::Gemini),
        "opencode" => Box::new(opencode::OpenCode),
        "demo" => Box::new(demo::Demo::new(surroundings.exe())),
        _ => return None,
    })
}
