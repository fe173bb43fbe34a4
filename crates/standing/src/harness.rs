//! Harnesses: the programs that host a conversation, behind one trait.
//!
//! An adapter knows how its program is started and resumed, where it writes its transcript, what must be trusted
//! beforehand, and how its screen is read. It starts nothing and types nothing.

mod adapter;
mod args;
mod ask;
mod claude;
mod codex;
#[cfg(test)]
mod corpus;
mod cursor;
mod demo;
mod find;
mod gemini;
mod opencode;
mod retention;
mod screen;
mod styled;
mod trust;

use std::{
    borrow::Cow,
    ops::Range,
    path::{Path, PathBuf},
    time::Duration,
};

pub(crate) use adapter::Adapter;
pub(crate) use find::find_program;
pub(crate) use retention::Retention;
pub(crate) use styled::Styled;
pub(crate) use trust::{Act, Trust};
use wire::{Activity, Choice, SessionName};

use crate::{
    Surroundings, account,
    config::{HarnessTrust, Routing},
    process::{self, ProcessIdentity},
};

/// Where a session's program runs, or is to run. An adapter looks nothing up anywhere else.
#[derive(Clone, Debug)]
pub(crate) struct Place<'a> {
    /// The session's own environment: what its program was given, or is to be given. It is not the caller's.
    pub(crate) environment: Cow<'a, Surroundings>,
    /// The absolute working directory.
    pub(crate) cwd: &'a Path,
    /// The variables that no harness gets to see.
    pub(crate) secrets: Vec<&'a str>,
}

impl Place<'_> {
    /// A folder or file that a variable names. A relative one is below the working directory, as for the program.
    pub(crate) fn path(&self, key: &str) -> Option<PathBuf> {
        self.environment.var(key).map(|path| self.cwd.join(path))
    }

    /// The home directory, if one is set.
    pub(crate) fn home(&self) -> Option<PathBuf> {
        self.path("HOME")
    }
}

#[cfg(test)]
impl<'a> Place<'a> {
    /// A place in a given environment.
    pub(crate) fn of(environment: &'a Surroundings, cwd: &'a Path) -> Self {
        Self { environment: Cow::Borrowed(environment), cwd, secrets: Vec::new() }
    }
}

/// A screen as it stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen<'a> {
    /// The visible lines, plain.
    pub(crate) text: &'a str,
    /// The title the program set.
    pub(crate) title: &'a str,
}

/// What a screen says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reading {
    pub(crate) activity: Activity,
    /// The question, if it waits for an answer.
    pub(crate) question: String,
}

/// A spawn whose conversation is looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spawned<'a> {
    pub(crate) session: &'a SessionName,
    /// The pane's process; `None` if it has ended.
    pub(crate) pid: Option<u32>,
    /// The id that its processes carry.
    pub(crate) loop_id: &'a str,
    /// When it was spawned, as a record has it; empty if that is not known.
    pub(crate) since: &'a str,
    /// The conversation on record; empty if there is none yet.
    pub(crate) known: &'a str,
    /// Whether every process of the machine may be looked at. A listing of hundreds of sessions looks at the pane's process
    /// and at what descends from it.
    pub(crate) thorough: bool,
}

impl Spawned<'_> {
    /// Its living processes, the pane's own first: a wrapper script may stand between the pane and the harness.
    pub(crate) fn processes(&self) -> impl Iterator<Item = u32> {
        let below = self.pid.map(process::descendants).unwrap_or_default();
        let carrying =
            || self.pid.filter(|_| self.thorough).map(|_| process::carrying(self.loop_id)).unwrap_or_default();
        let known = below.clone();
        let others = std::iter::once_with(carrying).flatten().map(|held| held.identity.pid);
        let others = others.filter(move |pid| Some(*pid) != self.pid && !known.contains(pid));
        self.pid.into_iter().chain(below).chain(others)
    }
}

/// A spawn that has ended, whose last conversation is looked for in what its harness left behind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ended<'a> {
    pub(crate) session: &'a SessionName,
    /// The pane's process, as it was.
    pub(crate) process: &'a ProcessIdentity,
    /// When it was spawned, as a record has it; empty if that is not known.
    pub(crate) since: &'a str,
    /// The conversation on record.
    pub(crate) known: &'a str,
    /// What its pane last showed; empty if there is no pane any more.
    pub(crate) last_words: &'a str,
}

/// What an entry of a transcript is, as far as a message in it is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// A text in it was taken as a turn.
    Turn,
    /// A text in it waits in the harness's own queue.
    Queued,
    /// Queued text was taken out of the queue by a person.
    TakenBack,
    /// It may quote a text, and proves nothing.
    Note,
}

/// A fresh conversation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fresh<'a> {
    /// The id made for it; empty if the harness makes its own.
    pub(crate) id: &'a str,
    pub(crate) args: &'a [String],
    /// The boot prompt; it never begins with `-`.
    pub(crate) prompt: &'a str,
}

/// One kind of harness.
pub(crate) trait Harness {
    /// The program, as it is looked for on PATH, or an absolute path.
    fn program(&self) -> &str;

    /// The variables that decide where the program keeps its conversations, trust and settings. All are among
    /// [`account::ALL`]; of a program that nothing is known of, it may be any of them.
    fn account(&self) -> &'static [&'static str] {
        account::ALL
    }

    /// Variables that the program is to have, unless the operator has set them.
    fn vars(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// The id of a conversation that is about to be begun; empty if only its harness will know.
    fn new_id(&self, place: &Place<'_>) -> Result<String, String> {
        let _ = place;
        Ok(uuid::Uuid::new_v4().to_string())
    }

    /// Whether only the harness makes ids, and tells them some time after its start.
    fn makes_its_ids(&self) -> bool {
        false
    }

    /// The conversation that a spawn is in, for a harness that makes its own ids, or that may be moved to another
    /// conversation by whoever types into it. It must be proven to be that spawn's own: never merely the newest one.
    fn discover(&self, place: &Place<'_>, spawned: &Spawned<'_>) -> Option<String> {
        let _ = (place, spawned);
        None
    }

    /// The conversation that a spawn was in when it ended, if that is another one than the one on record. It must be
    /// proven to be that spawn's own.
    fn left_in(&self, place: &Place<'_>, ended: &Ended<'_>) -> Option<String> {
        let _ = (place, ended);
        None
    }

    /// The conversations that a spawn went through on its way from one to another, where the harness tells.
    fn between(&self, place: &Place<'_>, since: &str, from: &str, to: &str) -> Vec<String> {
        let _ = (place, since, from, to);
        Vec::new()
    }

    /// What the harness says of itself elsewhere than on its screen, for a look that has no screen at hand.
    fn told(&self, place: &Place<'_>, pid: u32) -> Option<Reading> {
        let _ = (place, pid);
        None
    }

    /// Why a session must not be started with these arguments: conversation or prompt would not arrive.
    fn check_args(&self, args: &[String]) -> Result<(), String> {
        let _ = args;
        Ok(())
    }

    /// The arguments, after the program, of a fresh conversation.
    fn fresh(&self, fresh: &Fresh<'_>) -> Vec<String>;

    /// The arguments, after the program, that resume a conversation; `None` if it cannot.
    fn resume(&self, id: &str, args: &[String]) -> Option<Vec<String>>;

    /// Trusts the working directory beforehand, so that no dialog meets an unattended session; or only looks whether it
    /// is trusted. Whether it is to be trusted at all (`routing.harnessTrust.enabled`) is the caller's to know.
    fn trust(&self, place: &Place<'_>, args: &[String], settings: HarnessTrust, act: Act) -> Result<Trust, String> {
        let _ = (place, args, settings, act);
        Ok(Trust::Given)
    }

    /// The file that a conversation's turns are written to, if it is known.
    fn transcript(&self, place: &Place<'_>, id: &str) -> Option<PathBuf> {
        let _ = (place, id);
        None
    }

    /// The same for one that a living process is in, where that is found at less cost: a list asks it of every session.
    fn conversation_file(&self, place: &Place<'_>, id: &str, pid: u32) -> Option<PathBuf> {
        let _ = pid;
        self.transcript(place, id)
    }

    /// When the turn was begun that a line of a transcript begins, as the line tells it; `None` for every other line, and
    /// where that is not known of the harness.
    fn begins_turn(&self, line: &serde_json::Value) -> Option<String> {
        let _ = line;
        None
    }

    /// What an entry of the transcript is.
    fn written(&self, entry: &serde_json::Value) -> Written {
        let _ = entry;
        Written::Turn
    }

    /// Whether the screen shows a message in the harness's own queue.
    fn in_queue(&self, screen: Screen<'_>, message: &str) -> bool {
        let _ = (screen, message);
        false
    }

    /// The lines of the screen that the input box takes up; `None` if no box is seen.
    fn input_lines(&self, screen: Screen<'_>) -> Option<Range<usize>> {
        let _ = screen;
        None
    }

    /// What opens the input box before anything stands in it.
    fn prompt_marks(&self) -> &'static [char] {
        &[]
    }

    /// What it writes into an empty input box for a hint, or how such a hint begins. On a terminal without colours it looks
    /// like text.
    fn hints(&self) -> &'static [&'static str] {
        &[]
    }

    /// How long it keeps a conversation that is not gone on with.
    fn retention(&self, place: &Place<'_>) -> Retention {
        let _ = place;
        Retention::Forever
    }

    /// How long after a paste Enter is taken as Enter.
    fn enter_gap(&self) -> Duration {
        Duration::from_millis(200)
    }

    /// How long it may take to show a first screen that [`Harness::is_up`] knows. A start that outlived its probe waits
    /// that long at the most: it may yet die of what it was asked to resume.
    fn draws_within(&self) -> Duration {
        Duration::ZERO
    }

    /// What the screen says.
    fn read(&self, screen: Screen<'_>) -> Reading {
        let _ = screen;
        Reading::default()
    }

    /// The answers that a question on the screen offers, where its digit alone chooses one; none for any other kind of
    /// question.
    fn choices(&self, screen: Screen<'_>) -> Vec<Choice> {
        let _ = screen;
        Vec::new()
    }

    /// For how long a question must have stood on the screen before a key answers it: some ignore what is typed right
    /// after a question came up, so that nobody answers it by accident.
    fn question_settles(&self) -> Duration {
        Duration::ZERO
    }

    /// Whether the program is up and takes input, which a paste before that could not be proven to reach; `None` if
    /// its screen does not tell.
    fn is_up(&self, screen: Screen<'_>) -> Option<bool> {
        let _ = screen;
        None
    }

    /// Whether the input box still shows that message unsent; `None` if the box cannot be seen.
    fn holds_input(&self, screen: Screen<'_>, message: &str) -> Option<bool> {
        let _ = (screen, message);
        None
    }
}

/// The names of the built-in harnesses, the one for newcomers last.
pub(crate) const BUILT_IN: [&str; 6] = ["claude", "codex", "cursor", "gemini", "opencode", "demo"];

/// The adapter of a harness by its name; the error says which there are.
pub(crate) fn by_name(name: &str, routing: &Routing, surroundings: &Surroundings) -> Result<Adapter, String> {
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
