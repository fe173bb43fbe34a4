//! Validation of a document against the schema.

use std::{collections::BTreeSet, sync::LazyLock};

use jsonschema::{Validator, error::ValidationErrorKind};
use serde_json::Value;

use super::{
    explain,
    position::{KeyPath, Mistake},
    quick,
    schema::{MAX_MISTAKES, SCHEMA_DOCUMENT},
    tree::{Kind, Node},
};

/// Compiled schema. Compiling takes longer than all other work of most commands.
pub(super) static VALIDATOR: LazyLock<Validator> =
    LazyLock::new(|| jsonschema::draft202012::new(&SCHEMA_DOCUMENT).expect("a test compiles the schema"));

/// Result of validating a document.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    /// Mistakes, at most as many as it takes to see that there are more than [`MAX_MISTAKES`].
    pub(super) mistakes: Vec<Mistake>,
    /// Entries of `standingSessions.sessions` with a mistake.
    pub(super) bad_sessions: BTreeSet<usize>,
}

/// Validates a document and keeps its usable values. A value that the schema refuses becomes null, which stands for its
/// default. A word of YAML 1.1 in place of a boolean becomes one.
pub(super) fn validate(root: &Node, value: &mut Value) -> Verdict {
    let mut verdict = Verdict::default();
    if quick::accepts(&SCHEMA_DOCUMENT, value) {
        return verdict;
    }
    let mut replaced = Vec::new();
    for error in VALIDATOR.iter_errors(value) {
        let path = KeyPath::from(error.instance_path());
        if let Some(word) = boolean_word(&error, root, &path) {
            replaced.push((error.instance_path().as_str().to_owned(), Value::Bool(word)));
            continue;
        }
        // A level with an unknown or a missing key is still usable for its other keys.
        let about_keys = matches!(
            error.kind(),
            ValidationErrorKind::AdditionalProperties { .. } | ValidationErrorKind::Required { .. }
        );
        if !about_keys && !explain::is_shared_level(error.schema_path().as_str()) {
            replaced.push((error.instance_path().as_str().to_owned(), Value::Null));
        }
        verdict.bad_sessions.extend(path.session());
        if verdict.mistakes.len() <= MAX_MISTAKES {
            verdict.mistakes.extend(explain::explain(&error, path));
        }
    }
    for (pointer, replacement) in replaced {
        if let Some(place) = value.pointer_mut(&pointer) {
            *place = replacement;
        }
    }
    verdict
}

/// Recognises `yes`, `on` and the like: they were booleans in YAML 1.1, and existing files may use them.
fn boolean_word(error: &jsonschema::ValidationError<'_>, root: &Node, path: &KeyPath) -> Option<bool> {
    let ValidationErrorKind::Type { .. } = error.kind() else { return None };
    let expected = SCHEMA_DOCUMENT.pointer(error.schema_path().as_str())?;
    let (_, node) = root.find(path)?;
    match &node.kind {
        Kind::Scalar { raw, bare: true, .. } if expected == "boolean" => match raw.to_lowercase().as_str() {
            "yes" | "on" => Some(true),
            "no" | "off" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_a_schema() {
        let schema = &*SCHEMA_DOCUMENT;
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
        jsonschema::meta::validate(schema).expect("valid draft 2020-12");
        assert!(VALIDATOR.is_valid(&serde_json::json!({})));
    }

    /// Every level has a description, and every level that this product owns is closed.
    #[test]
    fn the_schema_is_described_and_closed() {
        fn walk(schema: &Value, path: &str, closed: &mut Vec<String>) {
            let description = schema["description"].as_str().unwrap_or_default();
            assert!(description.len() > 8 && description.ends_with('.'), "{path} has no description");
            if let Some(properties) = schema["properties"].as_object() {
                if schema["additionalProperties"] == false {
                    closed.push(path.to_owned());
                }
                for (key, below) in properties {
                    walk(below, &format!("{path}/{key}"), closed);
                }
            }
            for (key, mark) in [("items", "[]"), ("additionalProperties", "/*")] {
                if schema[key].is_object() {
                    walk(&schema[key], &format!("{path}{mark}"), closed);
                }
            }
        }
        let mut closed = Vec::new();
        walk(&SCHEMA_DOCUMENT, "", &mut closed);
        closed.sort();
        let owned = [
            "/channels/slack",
            "/channels/slack/read",
            "/eventLog",
            "/notify[]",
            "/notify[]/to",
            "/notify[]/to/command",
            "/notify[]/to/ntfy",
            "/notify[]/to/ntfy/token",
            "/notify[]/to/webhook",
            "/notify[]/to/webhook/key",
            "/routing/harnessTrust",
            "/routing/harnesses/*",
            "/routing/tmux",
            "/routing/webTerminal",
            "/service",
            "/service/auth",
            "/service/cors",
            "/service/mcp",
            "/service/stream",
            "/standingSessions",
            "/standingSessions/sessions[]",
            "/standingSessions/sessions[]/secrets/*",
            "/standingSessions/sessions[]/slack",
            "/state",
        ];
        assert_eq!(closed, owned);
    }
}
