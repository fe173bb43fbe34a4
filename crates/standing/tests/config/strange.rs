//! Whatever stands in the file, reading it ends well.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::{Project, keys::EVERY_KEY};

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_are_too_strange(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let loaded = Project::with(bytes).load();
        prop_assert_eq!(loaded.standing().is_err(), !loaded.problems.is_empty());
    }

    #[test]
    fn no_edit_is_too_strange(edits in prop::collection::vec((any::<prop::sample::Index>(), 0..9_usize, edit()), 1..6)) {
        let mut bytes = EVERY_KEY.as_bytes().to_vec();
        for (at, cut, inserted) in edits {
            let at = at.index(bytes.len());
            let end = (at + cut).min(bytes.len());
            bytes.splice(at..end, inserted.into_bytes());
        }
        let lines = String::from_utf8_lossy(&bytes).lines().count();
        let loaded = Project::with(bytes).load();
        for problem in &loaded.problems {
            let line = problem.line.unwrap_or(1);
            prop_assert!(line <= lines + 1, "{problem}");
            prop_assert!(!problem.to_string().contains('\n'), "{problem}");
        }
    }

    /// Any value, and any name of a key, in any place of a config in JSON: what is wrong is told with its line, and what
    /// is right in it is taken.
    #[test]
    fn no_value_is_too_strange(
        changes in prop::collection::vec((any::<prop::sample::Index>(), value(), prop::option::of("[a-zA-Z. \\PC]{0,12}")), 1..4),
        pretty in any::<bool>(),
    ) {
        let mut config = in_json();
        for (at, value, renamed) in changes {
            change(&mut config, at, value, renamed);
        }
        let text = if pretty { format!("{config:#}") } else { config.to_string() };
        let loaded = Project::with(&text).load();
        prop_assert_eq!(loaded.standing().is_err(), !loaded.problems.is_empty());
        for problem in &loaded.problems {
            prop_assert!(problem.line.is_some_and(|line| line <= text.lines().count()), "{problem} in {text}");
            prop_assert!(problem.column.is_some() && !problem.message.is_empty(), "{problem} in {text}");
            prop_assert!(!problem.to_string().contains('\n'), "{problem}");
        }
        if config == in_json() {
            prop_assert_eq!(loaded.settings.sessions.len(), 2);
        }
    }

    /// Whatever stands in the block of the sessions, the blocks around it count.
    #[test]
    fn no_block_spoils_another(lines in prop::collection::vec("[ -~]{0,30}", 0..6)) {
        let body = lines.iter().fold(String::new(), |body, line| body + "  " + line + "\n");
        let project = Project::with(format!("state: {{root: kept}}\nstandingSessions:\n{body}routing: {{tmux: {{socket: kept}}}}\n"));
        let settings = project.load().settings;
        prop_assert_eq!(settings.state_root, project.dir.path().join("kept"));
        prop_assert_eq!(settings.routing.tmux.socket, "kept");
    }

    /// The place of a mistake is where it was put, in either style and whatever stands around it.
    #[test]
    fn mistakes_are_where_they_are(before in 0..20_usize, blank in 0..5_usize, flow in any::<bool>(), deep in 4..12_usize) {
        let indent = " ".repeat(deep);
        let entry = |name: String| if flow { format!("{indent}- {{name: {name}}}\n") } else { format!("{indent}- name: {name}\n") };
        let good: String = (0..before).map(|index| entry(format!("s{index}"))).collect();
        let text = format!("standingSessions:\n  sessions:\n{good}{}{}{}", "# é\n".repeat(blank), entry("Bad".to_owned()), entry("z".to_owned()));
        let loaded = Project::with(text).load();
        prop_assert_eq!(loaded.problems.len(), 1);
        let problem = &loaded.problems[0];
        let column = deep + 9 + usize::from(flow);
        prop_assert_eq!((problem.line, problem.column), (Some(3 + before + blank), Some(column)));
        prop_assert_eq!(&problem.key, &format!("standingSessions.sessions[{before}].name"));
    }
}

/// Text that an edit inserts: words and marks that mean something in YAML, and some that mean nothing.
fn edit() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "\t", "\n", "- ", ": ", "? ", "{", "}", "[", "]", "&a ", "*a", "<<: ", "!!int ", "|\n", "\"", "'", "#",
            "---\n", ".nan", "1e999", "null", "name: ", "\u{feff}", "\r", "%", "\\", "é",
        ])
        .prop_map(str::to_owned),
        ".{0,5}",
    ]
}

/// A config with a key of each kind.
fn in_json() -> Value {
    json!({
        "version": "0.5.0",
        "state": {"root": "kept"},
        "standingSessions": {"enabled": true, "sessions": [
            {"name": "a", "description": "d", "harnessArgs": ["-x"], "cwd": "~/w", "prompt": "p", "autoStart": false},
            {"name": "b", "harnessArgs": null, "promptFile": "p.md", "slack": {"enabled": true, "channel": "C1"}},
        ]},
        "routing": {
            "defaultHarness": "mine", "harnessArgs": {"codex": ["-a"], "claude": null},
            "harnesses": {"mine": {"command": ["m"], "newArgs": ["{prompt}"], "sessionId": "minted"}},
            "harnessTrust": {"enabled": false, "scope": "directory"},
            "tmux": {"socket": "s", "resumeProbeSeconds": 0.25, "harnessKillGraceSeconds": 0},
        },
        "channels": {"slack": {"enabled": true, "authorizedUsers": ["U1"], "read": {"mode": "socket"}}},
        "eventLog": {"enabled": true, "path": "e.jsonl"},
        "service": {"port": 1, "allowedHosts": ["x.example"], "auth": {"mode": "token"}},
    })
}

/// A value of any kind and shape.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,50}".prop_map(Value::from),
        prop::sample::select(vec!["", "a", "b", "Sup", "~", "/", "socket", "../x", "\u{0}", "\n", "{id}", "-1", "yes"])
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z]{0,6}|name|enabled", inner, 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// Puts a value in the place of another one, or a key in the place of another one.
fn change(config: &mut Value, at: prop::sample::Index, value: Value, renamed: Option<String>) {
    let mut places = Vec::new();
    collect(config, &mut String::new(), &mut places);
    let place = at.get(&places).clone();
    match (renamed, place.rsplit_once('/')) {
        (Some(new), Some((parent, key))) => {
            let Some(Value::Object(fields)) = config.pointer_mut(parent) else { return };
            let taken: Map<String, Value> = std::mem::take(fields);
            fields.extend(taken.into_iter().map(|(old, value)| (if old == key { new.clone() } else { old }, value)));
        }
        _ => *config.pointer_mut(&place).expect("it is there") = value,
    }
}

/// The places of a value and of all that stands in it, as JSON pointers.
fn collect(value: &Value, place: &mut String, places: &mut Vec<String>) {
    places.push(place.clone());
    let length = place.len();
    let mut enter = |key: &str, value: &Value| {
        place.push('/');
        place.push_str(&key.replace('~', "~0").replace('/', "~1"));
        collect(value, place, places);
        place.truncate(length);
    };
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, value)| enter(key, value)),
        Value::Array(items) => items.iter().enumerate().for_each(|(index, value)| enter(&index.to_string(), value)),
        _ => {}
    }
}
