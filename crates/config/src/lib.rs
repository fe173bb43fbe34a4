//! Config file: found, read, checked, and converted to [`Settings`].
//!
//! There are two ways of reading. [`Loaded::standing`] is strict: it refuses an unusable block and reports every
//! mistake. A listing that answered "none" for a typo would be a wrong answer that looks like a fact.
//! [`Loaded::settings`] is tolerant: it holds every setting that can be understood. `stop` and the lookup of the state
//! folder use it, since both must work even with a broken declaration.

mod effective;
mod explain;
mod locate;
mod loopback;
mod model;
mod nearest;
mod nul;
mod parse;
mod position;
mod problem;
mod quick;
mod read;
mod rules;
mod salvage;
mod schema;
mod settings;
mod syntax;
mod template;
mod tree;
mod validate;

use std::{collections::BTreeMap, path::Path, rc::Rc};

pub use effective::{EffectiveValue, effective};
pub use locate::{ConfigPath, locate};
pub use loopback::is_loopback;
pub use model::{
    AuthMode, BypassPermissions, CrossSession, CustomHarness, Declaration, EventLog, HarnessTrust, Notify,
    NotifyTarget, Quiet, Routing, Service, SessionIds, Settings, Slack, SlackRead, TmuxSettings, TrustScope, Verbosity,
    WebTerminal,
};
pub use problem::{ConfigProblem, ConfigProblems};
use schema::MAX_MISTAKES;
pub use schema::SCHEMA;
pub use template::template;

use position::{At, KeyPath, Mistake};
use process::Surroundings;
use read::Text;
use tree::Node;
use validate::Verdict;
use wire::SessionName;

/// Config file after reading.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Path of the file, which may not exist.
    pub path: ConfigPath,
    /// Settings that could be understood, with defaults for the rest.
    pub settings: Settings,
    /// Problems of the file; empty for a good or missing file.
    pub problems: Vec<ConfigProblem>,
    /// False if the file was requested by name and could not be read: then even the state folder is unknown.
    pub state_is_known: bool,
    /// Line of each declared session in the file.
    pub lines: BTreeMap<SessionName, usize>,
}

impl Loaded {
    /// Returns the settings, if the file has no problems.
    pub fn standing(&self) -> Result<&Settings, ConfigProblems> {
        match ConfigProblems::new(self.problems.clone()) {
            None => Ok(&self.settings),
            Some(problems) => Err(problems),
        }
    }

    /// Returns the settings for `stop`: everything that could be understood. Refused if the state folder would be a
    /// guess, and "nothing to stop" not a fact.
    pub fn stopping(&self) -> Result<&Settings, ConfigProblems> {
        if self.state_is_known { Ok(&self.settings) } else { self.standing() }
    }
}

/// Reads the config. Never fails: problems are in [`Loaded::problems`].
pub fn load(path: ConfigPath, surroundings: &Surroundings) -> Loaded {
    let text = read::read(&path);
    let state_is_known = !(path.is_named() && matches!(text, Text::Unusable(_)));
    let mut lines = BTreeMap::new();
    let (settings, problems) = match text {
        Text::Missing => (Settings::defaults(path.project_dir(), surroundings), Vec::new()),
        Text::Unusable(mistake) => {
            (Settings::defaults(path.project_dir(), surroundings), located(vec![mistake], None, path.file()))
        }
        Text::Read(text, mistake) => understood(&text, mistake, &path, surroundings, &mut lines),
    };
    Loaded { path, settings, problems, state_is_known, lines }
}

fn understood(
    text: &str,
    mistake: Option<Mistake>,
    path: &ConfigPath,
    surroundings: &Surroundings,
    lines: &mut BTreeMap<SessionName, usize>,
) -> (Settings, Vec<ConfigProblem>) {
    let mut mistakes = Vec::from_iter(mistake);
    let root = match parse::parse(text, 0) {
        Ok(document) => {
            mistakes.extend(document.mistakes);
            document.root
        }
        Err(mistake) => {
            let (root, more) = salvage::blocks(text);
            mistakes.push(mistake);
            mistakes.extend(more);
            Some(Rc::new(root))
        }
    };
    let Some(root) = root else {
        let defaults = Settings::defaults(path.project_dir(), surroundings);
        return (defaults, located(mistakes, None, path.file()));
    };
    let mut document = root.value();
    let Verdict { mistakes: found, mut bad_sessions } = validate::validate(&root, &mut document);
    mistakes.extend(found);
    mistakes.extend(nul::take_out(&mut document, &mut bad_sessions));
    mistakes.extend(rules::check(&root, &document, &mut bad_sessions));
    root.repeated_keys(&KeyPath::default(), &mut mistakes);
    *lines = rules::lines(&root, &document);
    let settings = settings::of_document(&document, &bad_sessions, path.project_dir(), surroundings);
    (settings, located(mistakes, Some(&root), path.file()))
}

/// Adds places to the mistakes, in the order of the file, each once.
fn located(mistakes: Vec<Mistake>, root: Option<&Node>, file: &Path) -> Vec<ConfigProblem> {
    let mut problems: Vec<ConfigProblem> = Vec::new();
    for Mistake { path, at, message } in mistakes {
        let mark = match (at, root) {
            (At::Mark(mark), _) => Some(mark),
            (At::File, _) | (_, None) => None,
            (At::Key, Some(root)) => Some(root.nearest(&path).key),
            (At::Value, Some(root)) => Some(root.nearest(&path).value),
        };
        let (line, column) = mark.map(|mark| (mark.line, mark.column)).unzip();
        problems.push(ConfigProblem { file: file.to_owned(), line, column, key: path.to_string(), message });
    }
    problems.sort_by_key(|problem| (problem.line, problem.column));
    problems.dedup();
    if problems.len() > MAX_MISTAKES {
        problems.truncate(MAX_MISTAKES);
        let message = "there are more errors, not shown here".to_owned();
        problems.push(ConfigProblem { file: file.to_owned(), line: None, column: None, key: String::new(), message });
    }
    problems
}
