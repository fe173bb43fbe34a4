//! Check for texts that no program can receive: a NUL ends a text for the kernel, so the rest of it would be lost.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    position::{At, KeyPath, Mistake},
    schema::{MAX_MISTAKES, SCHEMA_DOCUMENT},
};

/// Finds every text of this product with a NUL, and replaces it by null, which stands for the default. Entries of
/// `standingSessions.sessions` with one join the `bad_sessions`.
pub(super) fn take_out(value: &mut Value, bad_sessions: &mut BTreeSet<usize>) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    look(&SCHEMA_DOCUMENT, value, &KeyPath::default(), &mut mistakes);
    bad_sessions.extend(mistakes.iter().filter_map(|mistake| mistake.path.session()));
    mistakes
}

fn look(schema: &Value, value: &mut Value, path: &KeyPath, mistakes: &mut Vec<Mistake>) {
    // A value without a type in the schema belongs to another product.
    if schema.get("type").is_none() || mistakes.len() > MAX_MISTAKES {
        return;
    }
    match value {
        Value::String(text) if text.contains('\0') => {
            let message = "contains a NUL character".to_owned();
            mistakes.push(Mistake { path: path.clone(), at: At::Value, message });
            *value = Value::Null;
        }
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                look(&schema["items"], item, &path.index(index), mistakes);
            }
        }
        Value::Object(block) => {
            for (key, below) in block {
                let of_key = schema["properties"].get(key).unwrap_or(&schema["additionalProperties"]);
                look(of_key, below, &path.key(key), mistakes);
            }
        }
        _ => {}
    }
}
