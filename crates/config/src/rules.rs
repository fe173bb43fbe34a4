//! Rules that a schema cannot express.

mod notify;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::Value;

use process::variables;
use wire::SessionName;

use super::{
    explain,
    position::{At, KeyPath, Mark, Mistake},
    schema::MAX_MISTAKES,
    tree::Node,
};

/// Finds every mistake against these rules. Entries that are unusable even alone join the `bad_sessions`.
pub(super) fn check(root: &Node, value: &Value, bad_sessions: &mut BTreeSet<usize>) -> Vec<Mistake> {
    let mut mistakes = near_misses(value);
    let sessions = value.pointer("/standingSessions/sessions").and_then(Value::as_array);
    let sessions = sessions.map_or(&[] as &[Value], Vec::as_slice);
    mistakes.extend(repeated_names(root, sessions));
    let briefs = two_briefs(root, sessions);
    bad_sessions.extend(briefs.iter().filter_map(|mistake| mistake.path.session()));
    mistakes.extend(briefs);
    let variables = variables(sessions);
    bad_sessions.extend(variables.iter().filter_map(|mistake| mistake.path.session()));
    mistakes.extend(variables);
    mistakes.extend(notify::check(value));
    mistakes.extend(claude(value));
    mistakes
}

/// Finds unknown keys of `routing.harnesses.claude`, which is either the settings of the built-in harness or a custom one.
fn claude(value: &Value) -> Vec<Mistake> {
    const KEYS: [&str; 6] = ["crossSession", "command", "newArgs", "resumeArgs", "sessionId", "like"];
    let path = ["routing", "harnesses", "claude"];
    let block = path.iter().try_fold(value, |block, key| block.get(key)).and_then(Value::as_object);
    let unknown = block.into_iter().flatten().filter(|(key, _)| !KEYS.contains(&key.as_str()));
    let mistake = |(key, _): (&String, &Value)| Mistake {
        path: KeyPath::of_keys(path).key(key),
        at: At::Key,
        message: format!("unknown key; allowed are {}", KEYS.map(|key| format!("`{key}`")).join(", ")),
    };
    unknown.map(mistake).collect()
}

/// Returns the line of each declared session. The first entry of a name counts.
pub(super) fn lines(root: &Node, value: &Value) -> BTreeMap<SessionName, usize> {
    let mut lines = BTreeMap::new();
    let sessions = value.pointer("/standingSessions/sessions").and_then(Value::as_array);
    for (index, entry) in sessions.into_iter().flatten().enumerate() {
        let name = entry["name"].as_str().and_then(|name| SessionName::parse(name).ok());
        if let (Some(name), Some(mark)) = (name, mark(root, &session(index).key("name"))) {
            lines.entry(name).or_insert(mark.line);
        }
    }
    lines
}

fn session(index: usize) -> KeyPath {
    KeyPath::of_keys(["standingSessions", "sessions"]).index(index)
}

fn mark(root: &Node, path: &KeyPath) -> Option<Mark> {
    root.find(path).map(|(key, node)| key.unwrap_or(node.mark))
}

/// Finds repeated names. Names are compared before any lookup: no entry of the block may win over another.
fn repeated_names(root: &Node, sessions: &[Value]) -> Vec<Mistake> {
    let mut first: HashMap<&str, usize> = HashMap::new();
    let mut mistakes = Vec::new();
    for (index, entry) in sessions.iter().enumerate() {
        let Some(name) = entry["name"].as_str() else { continue };
        let Some(&earlier) = first.get(name) else {
            first.insert(name, index);
            continue;
        };
        let line = |index| {
            let line = mark(root, &session(index).key("name")).map(|mark| format!(" (line {})", mark.line));
            line.unwrap_or_default()
        };
        if mistakes.len() <= MAX_MISTAKES {
            mistakes.push(Mistake {
                path: session(index).key("name"),
                at: At::Value,
                message: format!(
                    "`sessions[{earlier}]`{} and `sessions[{index}]`{} are both named {}: names must be unique",
                    line(earlier),
                    line(index),
                    super::position::shortened(name)
                ),
            });
        }
    }
    mistakes
}

fn two_briefs(root: &Node, sessions: &[Value]) -> Vec<Mistake> {
    let has = |entry: &Value, key: &str| entry[key].as_str().is_some_and(|text| !text.is_empty());
    let both = sessions.iter().enumerate().filter(|(_, entry)| has(entry, "prompt") && has(entry, "promptFile"));
    let mistake = |(index, _)| {
        let line = mark(root, &session(index).key("prompt")).map(|mark| format!(" (line {})", mark.line));
        let message = format!("`prompt`{} and `promptFile` are both set: keep one", line.unwrap_or_default());
        Mistake { path: session(index).key("promptFile"), at: At::Key, message }
    };
    both.map(mistake).collect()
}

/// Finds variables that a session cannot set.
fn variables(sessions: &[Value]) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    for (index, entry) in sessions.iter().enumerate() {
        for block in ["env", "secrets"] {
            for (name, value) in entry[block].as_object().into_iter().flatten() {
                let path = session(index).key(block).key(name);
                let twice = block == "secrets" && entry["env"].get(name).is_some();
                let why = if twice {
                    Err("also set in `env`: keep one".to_owned())
                } else if block == "secrets" && value.as_object().is_some_and(|source| source.len() != 1) {
                    Err("a secret needs either a `command` or a `file`".to_owned())
                } else {
                    variables::check_name(name)
                };
                if let Err(message) = why
                    && mistakes.len() <= MAX_MISTAKES
                {
                    mistakes.push(Mistake { path, at: At::Key, message });
                }
            }
        }
    }
    mistakes
}

/// Finds misspelt blocks. Blocks of other products pass, so a misspelt block of this product would pass as one of them
/// and be silently ignored.
fn near_misses(value: &Value) -> Vec<Mistake> {
    let levels = [
        (KeyPath::default(), "", Some(value)),
        (KeyPath::of_keys(["routing"]), "/properties/routing", value.get("routing")),
        (KeyPath::of_keys(["channels"]), "/properties/channels", value.get("channels")),
    ];
    let mut mistakes = Vec::new();
    for (path, level, block) in levels {
        let blocks = block.and_then(Value::as_object).into_iter().flatten();
        for (key, _) in blocks.filter(|(_, value)| value.is_object() || value.is_null()) {
            if let Some(message) = explain::near_miss(level, key)
                && mistakes.len() <= MAX_MISTAKES
            {
                mistakes.push(Mistake { path: path.key(key), at: At::Key, message });
            }
        }
    }
    mistakes
}
