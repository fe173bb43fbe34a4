//! The documentation shows what works, and all of it.

use serde_json::Value;
use standing::config::{self, SessionIds};

use crate::{Project, problems};

const DOCUMENTATION: &str = include_str!("../../../../docs/config.md");

/// The examples in the documentation, their indentation taken away.
fn examples() -> Vec<String> {
    let mut examples = Vec::new();
    let mut lines = DOCUMENTATION.lines();
    while let Some(line) = lines.next() {
        if let Some(indent) = line.strip_suffix("```yaml") {
            let body = lines.by_ref().take_while(|line| line.trim() != "```");
            examples.push(body.map(|line| line.strip_prefix(indent).unwrap_or(line)).collect::<Vec<_>>().join("\n"));
        }
    }
    examples
}

#[test]
fn the_documentation_shows_what_works() {
    let examples = examples();
    assert_eq!(examples.len(), 4);
    for example in &examples {
        assert_eq!(problems(example), [""; 0], "{example}");
    }
    let whole = Project::with(&examples[1]).load().settings;
    assert_eq!(whole.sessions.len(), 3);
    assert_eq!(whole.sessions[1].harness_args, Some(vec![]));
    assert_eq!(whole.routing.harnesses["mine"].session_id, SessionIds::Minted);
}

/// Every key of ours has a row in a table with its default, and stands in the big example.
#[test]
fn the_documentation_knows_every_key() {
    fn keys(schema: &Value, path: &str, found: &mut Vec<(String, Option<Value>)>) {
        for (key, below) in schema["properties"].as_object().into_iter().flatten() {
            let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            if below.get("type").is_none() && below.get("enum").is_none() {
                continue;
            }
            if below.get("properties").is_none() {
                found.push((path.clone(), below.get("default").cloned()));
            }
            keys(below, &path, found);
            keys(&below["items"], &format!("{path}[]"), found);
            keys(&below["additionalProperties"], &format!("{path}.<name>"), found);
        }
    }
    let schema: Value = serde_json::from_str(config::SCHEMA).expect("JSON");
    let mut found = Vec::new();
    keys(&schema, "", &mut found);
    assert!(found.len() > 50, "{}", found.len());
    for (key, default) in found {
        let row = DOCUMENTATION.lines().find(|line| line.starts_with(&format!("| `{key}` |")));
        let row = row.unwrap_or_else(|| panic!("`{key}` has no row in docs/config.md"));
        if let Some(default) = default {
            assert!(row.contains(&format!("| `{default}` |")), "{row}\nshould have the default {default}");
        }
        let last = key.rsplit('.').next().expect("a key").trim_end_matches("[]");
        assert!(key == "$schema" || examples()[1].contains(&format!("{last}:")), "{key} is not in the big example");
    }
}
