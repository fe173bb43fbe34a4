//! A config file with every key, its description and its default, all of it commented out. It is made from the schema, so it
//! names no key that is not there.

use std::fmt::Write as _;

use serde_json::Value;

use super::schema::SCHEMA_DOCUMENT;

/// Width of a comment, in characters.
const WIDTH: usize = 100;

const HEAD: &str = "\
# Config of the-loop. Every key is optional; the values here are the defaults. To set one, remove `# ` in front of it and of
# the blocks that it is in. `the-loop config check` checks the file, and docs/config.md describes every key.

standingSessions:
  # Declared sessions start only if this is true.
  enabled: true
  # To declare a session, remove `# ` from these lines. Only `name` is required.
  sessions:
  # - name: supervisor
  #   description: Watches the builds
  #   harness: claude
  #   cwd: .
  #   prompt: Watch the builds, and report what fails.
";

/// Returns the text of a new config file.
pub fn template() -> String {
    let mut text = HEAD.to_owned();
    let blocks = SCHEMA_DOCUMENT["properties"].as_object();
    for (key, schema) in blocks.into_iter().flatten().filter(|(key, _)| *key != "standingSessions" && *key != "version")
    {
        let mut block = String::new();
        describe(&mut block, key, schema, 0);
        if !block.is_empty() {
            let _ = write!(text, "\n{block}");
        }
    }
    text
}

/// Appends a key with its description, if it has a default or keys that have one.
fn describe(text: &mut String, key: &str, schema: &Value, depth: usize) {
    let indent = "  ".repeat(depth);
    let mut value = String::new();
    match (schema["properties"].as_object(), schema.get("default")) {
        (Some(keys), _) => {
            for (key, schema) in keys {
                describe(&mut value, key, schema, depth + 1);
            }
            if value.is_empty() {
                return;
            }
        }
        (None, Some(_)) => {}
        (None, None) => return,
    }
    for line in wrapped(schema["description"].as_str().unwrap_or_default(), WIDTH - indent.len()) {
        let _ = writeln!(text, "# {indent}# {line}");
    }
    match schema.get("default") {
        Some(default) if value.is_empty() => drop(writeln!(text, "# {indent}{key}: {default}")),
        _ => drop(write!(text, "# {indent}{key}:\n{value}")),
    }
}

/// Breaks a text into lines between words.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use std::fs;

    use process::Surroundings;

    use super::*;
    use crate::{ConfigPath, load};

    fn problems(text: &str) -> Vec<crate::ConfigProblem> {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("cli-config.yaml");
        fs::write(&file, text).expect("written");
        load(ConfigPath::new(file), &Surroundings::of_process()).problems
    }

    #[test]
    fn the_template_is_valid_as_it_is_and_with_everything_in_it_set() {
        let text = template();
        assert_eq!(problems(&text), [], "{text}");
        let (head, keys) = text.split_at(HEAD.len());
        let set: String = keys.lines().flat_map(|line| [line.strip_prefix("# ").unwrap_or(line), "\n"]).collect();
        assert!(set.contains("\nservice:\n") && set.contains("  port: 4114\n"), "{set}");
        assert_eq!(problems(&format!("{head}{set}")), [], "{set}");
        let declared = head.replace("  # - name", "  - name").replace("  #   ", "    ");
        assert!(declared.contains("  - name: supervisor\n    description"), "{declared}");
        assert_eq!(problems(&declared), [], "{declared}");
    }
}
