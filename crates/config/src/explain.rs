//! Messages for the validator's findings, for the author of the file: the value found, the values allowed, the value
//! probably meant.

use jsonschema::{ValidationError, error::ValidationErrorKind as Kind};
use serde_json::Value;
use wire::SessionName;

use super::{
    nearest::{alternatives, nearest},
    position::{At, KeyPath, Mistake, shortened},
    schema::{MAX_MISTAKES, SCHEMA_DOCUMENT},
};

/// Converts one finding of the validator to mistakes.
pub(super) fn explain(error: &ValidationError<'_>, path: KeyPath) -> Vec<Mistake> {
    let schema_path = error.schema_path().as_str();
    let found = || found(error.instance(), &path);
    let message = match error.kind() {
        Kind::AdditionalProperties { unexpected } => {
            let keys = unexpected.iter().take(MAX_MISTAKES + 1);
            return keys.map(|key| unknown_key(&path, key, schema_path)).collect();
        }
        Kind::Required { property } => {
            let property = property.as_str().unwrap_or_default();
            let message = "required key is missing".to_owned();
            return vec![Mistake { path: path.key(property), at: At::Value, message }];
        }
        Kind::Type { .. } if is_shared_level(schema_path) => unknown_scalar(&path, schema_path, &found()),
        Kind::Type { .. } => wrong_type(error.instance(), schema_path, &found()),
        Kind::Pattern { .. } => wrong_pattern(error.instance(), &path, &found()),
        Kind::Enum { options } => wrong_word(options, error.instance(), &found()),
        Kind::Minimum { .. } | Kind::Maximum { .. } => {
            format!("expected {}, found {}", number_at(schema_path), found())
        }
        Kind::MinLength { .. } => "expected a non-empty string; leave the key out for the default".to_owned(),
        Kind::MinItems { .. } => "expected a list with at least one item, found an empty one".to_owned(),
        _ => error.masked().to_string().to_lowercase(),
    };
    let at = if is_shared_level(schema_path) { At::Key } else { At::Value };
    vec![Mistake { path, at, message }]
}

/// Creates the mistake of an unknown key; `keyword` is the schema keyword that closes the level.
fn unknown_key(level: &KeyPath, key: &str, keyword: &str) -> Mistake {
    let allowed = known_keys(keyword.rsplit_once('/').map_or("", |(level, _)| level));
    let hint = match nearest(key, allowed.iter().copied()) {
        Some(meant) => format!(": did you mean `{meant}`? "),
        None => "; ".to_owned(),
    };
    let message = format!("unknown key{hint}allowed here: {}", alternatives(allowed));
    Mistake { path: level.key(key), at: At::Key, message }
}

/// Level of the harnesses, any of which may have settings. It is not shared with other products.
const HARNESSES: &str = "/properties/routing/properties/harnesses";

/// True for a level that this product shares with others: it allows any block, and no other value.
pub(super) fn is_shared_level(schema_path: &str) -> bool {
    schema_path
        .strip_suffix("/additionalProperties/type")
        .filter(|level| *level != HARNESSES)
        .and_then(|level| SCHEMA_DOCUMENT.pointer(level))
        .is_some_and(|level| level.get("properties").is_some())
}

fn unknown_scalar(path: &KeyPath, schema_path: &str, found: &str) -> String {
    let level = schema_path.strip_suffix("/additionalProperties/type").unwrap_or_default();
    let key = path.last_key().unwrap_or_default();
    match nearest(key, owned_keys(level)) {
        Some(meant) => format!("unknown key: did you mean `{meant}`?"),
        None => format!(
            "unknown key with {found}: only blocks may belong to other parts of the-loop; allowed here: {}",
            alternatives(owned_keys(level))
        ),
    }
}

/// Returns the message for a block that passes as another product's and is probably a misspelt one of this product.
pub(super) fn near_miss(level: &str, key: &str) -> Option<String> {
    let keys = known_keys(level);
    if keys.contains(&key) {
        return None;
    }
    let meant = nearest(key, owned_keys(level))?;
    Some(format!("unknown key: did you mean `{meant}`? If it is a block of another part, give it a less similar name"))
}

fn known_keys(level: &str) -> Vec<&'static str> {
    let properties = SCHEMA_DOCUMENT.pointer(level).and_then(|level| level["properties"].as_object());
    properties.into_iter().flatten().map(|(key, _)| key.as_str()).collect()
}

/// Lists the keys of a level that belong to this product: the others have no type in the schema.
fn owned_keys(level: &str) -> impl Iterator<Item = &'static str> {
    let properties = SCHEMA_DOCUMENT.pointer(level).and_then(|level| level["properties"].as_object());
    properties
        .into_iter()
        .flatten()
        .filter(|(key, schema)| schema.get("type").is_some() && !key.starts_with('$'))
        .map(|(key, _)| key.as_str())
}

fn wrong_type(value: &Value, schema_path: &str, found: &str) -> String {
    let types: Vec<&str> = match SCHEMA_DOCUMENT.pointer(schema_path) {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if let (Some(&"number" | &"integer"), Value::String(text)) = (types.first(), value)
        && let Some(found) = not_finite(text)
    {
        return format!("expected {}, found {found}", number_at(schema_path));
    }
    let named: Vec<&str> = types.iter().filter(|kind| **kind != "null").map(|kind| name_of_type(kind)).collect();
    let hint = match (types.first(), value) {
        (_, Value::Null) => ": write a value, or leave the key out for the default",
        (Some(&"string"), Value::Number(_) | Value::Bool(_)) => ": put it in quotes",
        (Some(&"array"), Value::String(_)) => ": put it in brackets, or on a line of its own after a `- `",
        (Some(&"boolean" | &"number" | &"integer"), Value::String(text))
            if serde_json::from_str::<Value>(text).is_ok_and(|value| value.is_boolean() || value.is_number()) =>
        {
            ": remove the quotes"
        }
        _ => "",
    };
    format!("expected {}, found {found}{hint}", named.join(" or "))
}

/// Names the numbers that a key takes; `keyword` is a schema keyword of the key. Every number has a range.
fn number_at(keyword: &str) -> String {
    let level = keyword.rsplit_once('/').and_then(|(level, _)| SCHEMA_DOCUMENT.pointer(level));
    let level = level.unwrap_or(&Value::Null);
    let kind = name_of_type(level["type"].as_str().unwrap_or("number"));
    format!("{kind} from {} to {}", level["minimum"], level["maximum"])
}

/// Names a text that YAML reads as a number without a value: infinity, or not a number.
fn not_finite(text: &str) -> Option<String> {
    let number: f64 = text.trim_start_matches(['+', '-', '.']).parse().ok()?;
    let why = if number.is_nan() { "not a number" } else { "infinite" };
    (!number.is_finite()).then(|| format!("`{text}`, which is {why}"))
}

fn name_of_type(kind: &str) -> &str {
    match kind {
        "object" => "a mapping",
        "array" => "a list",
        "string" => "a string",
        "boolean" => "`true` or `false`",
        "integer" => "an integer",
        "number" => "a number",
        other => other,
    }
}

fn wrong_pattern(value: &Value, path: &KeyPath, found: &str) -> String {
    let text = value.as_str().unwrap_or_default();
    match path.last_key() {
        Some("name") => match SessionName::parse(text) {
            Err(reason) => format!("found {found}, and {reason}"),
            Ok(_) => format!("found {found}, which is not a session name"),
        },
        Some("botTokenEnv" | "appTokenEnv") => {
            "expected the name of an environment variable (letters, digits and `_`), not the token itself".to_owned()
        }
        Some("root") => {
            "expected the path of a directory, found a blank one; leave the key out for the default".to_owned()
        }
        Some("socket") => format!("expected a tmux socket name of letters, digits, `.`, `_` and `-`, found {found}"),
        Some("allowedHosts") => {
            format!("expected a host name with an optional port, such as `loop.example:8443`, found {found}")
        }
        Some("publicUrl") => format!("expected an address such as `https://loop.example.org`, found {found}"),
        Some("quiet") => format!("expected a daily time such as `22:00-07:00`, found {found}"),
        Some("allowOrigins") => {
            format!("expected an origin such as `https://ops.example.org`, found {found}; wildcards are not supported")
        }
        _ => format!("found {found}, which has the wrong format"),
    }
}

fn wrong_word(options: &Value, value: &Value, found: &str) -> String {
    let words: Vec<&str> = options.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let message = format!("expected {}, found {found}", alternatives(words.iter().copied()));
    match value.as_str().and_then(|word| nearest(word, words)) {
        Some(meant) => format!("{message}: did you mean `{meant}`?"),
        None => message,
    }
}

/// Formats a value for a message: no possible secret, and nothing long.
fn found(value: &Value, path: &KeyPath) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Bool(value) => format!("`{value}`"),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) if is_secret(text, path) => "a string (not shown)".to_owned(),
        Value::String(text) => format!("the string {}", shortened(text)),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "a mapping".to_owned(),
    }
}

/// True if a value may be a secret. Secrets do not belong in this file, but an operator may put one there.
fn is_secret(text: &str, path: &KeyPath) -> bool {
    path.keys().any(|key| {
        let key = key.to_lowercase();
        key == "env" || ["token", "secret", "password", "args"].iter().any(|word| key.contains(word))
    }) || ["xoxb-", "xoxp-", "xapp-", "sk-", "ghp_", "github_pat_"].iter().any(|prefix| text.starts_with(prefix))
}
