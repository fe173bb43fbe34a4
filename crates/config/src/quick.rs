//! Quick validation: accepts a document that certainly matches the schema, without compiling the schema.
//!
//! Compiling takes longer than all other work of most commands, and nearly every config is valid. This check reads the
//! schema document itself, so there is no second list of keys. It knows only the keywords and patterns that are written
//! here. Anything else is not accepted, which means nothing about the document: the compiled schema decides then.

use serde_json::Value;

/// Numbers below this are exact as `f64`.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// True if `value` certainly matches `schema`. False does not mean that it does not match.
pub(super) fn accepts(schema: &Value, value: &Value) -> bool {
    let Some(keywords) = schema.as_object() else { return *schema == Value::Bool(true) };
    keywords.iter().all(|(keyword, wanted)| match keyword.as_str() {
        "type" => match wanted {
            Value::Array(several) => several.iter().any(|one| is_of(value, one)),
            one => is_of(value, one),
        },
        "enum" => wanted.as_array().is_some_and(|options| options.contains(value)),
        "items" | "required" | "minimum" | "maximum" | "minLength" | "minItems" | "pattern" => {
            holds(keyword, wanted, value)
        }
        // The last two are checked below, where it is known which keys have a schema of their own.
        "$schema" | "title" | "description" | "default" | "examples" | "properties" | "additionalProperties" => true,
        _ => false,
    }) && keys_match(schema, value)
}

/// True if each key of a block matches its own schema, or that of the other keys.
fn keys_match(schema: &Value, value: &Value) -> bool {
    let Value::Object(block) = value else { return true };
    let others = schema.get("additionalProperties");
    block.iter().all(|(key, below)| match schema.get("properties").and_then(|known| known.get(key)).or(others) {
        Some(schema) => accepts(schema, below),
        None => true,
    })
}

/// True if a value certainly satisfies one keyword. A keyword applies to values of its own type only.
fn holds(keyword: &str, wanted: &Value, value: &Value) -> bool {
    match (keyword, value) {
        ("required", Value::Object(block)) => {
            let keys = wanted.as_array().map(Vec::as_slice).unwrap_or_default();
            keys.iter().all(|key| key.as_str().is_some_and(|key| block.contains_key(key)))
        }
        ("items", Value::Array(items)) => items.iter().all(|item| accepts(wanted, item)),
        ("minItems", Value::Array(items)) => wanted.as_u64().is_some_and(|least| items.len() as u64 >= least),
        ("minLength", Value::String(text)) => wanted.as_u64().is_some_and(|least| text.chars().count() as u64 >= least),
        ("pattern", Value::String(text)) => wanted.as_str().is_some_and(|pattern| matches(pattern, text)),
        ("minimum" | "maximum", Value::Number(number)) => {
            let (Some(limit), Some(number)) = (wanted.as_f64(), number.as_f64()) else { return false };
            let within = if keyword == "minimum" { number >= limit } else { number <= limit };
            limit.abs() < EXACT && within
        }
        _ => true,
    }
}

fn is_of(value: &Value, kind: &Value) -> bool {
    match kind.as_str() {
        Some("null") => value.is_null(),
        Some("boolean") => value.is_boolean(),
        Some("string") => value.is_string(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        Some("number") => value.is_number(),
        // `1.0` is one as well, and left to the compiled schema.
        Some("integer") => value.is_i64() || value.is_u64(),
        _ => false,
    }
}

/// True if a text certainly matches a pattern: the usual texts of the patterns that the schema uses.
fn matches(pattern: &str, text: &str) -> bool {
    let only = |text: &str, others: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || others.contains(c));
    let is_host = |text: &str| {
        let (host, port) = text.split_once(':').unwrap_or((text, "0"));
        let is_port = (1..=5).contains(&port.len()) && port.chars().all(|c| c.is_ascii_digit());
        !host.is_empty() && only(host, "._-") && is_port
    };
    match pattern {
        r"\S" => text.chars().any(|c| c.is_ascii_graphic()),
        "^[A-Za-z0-9._-]*$" => only(text, "._-"),
        "^[a-z0-9][a-z0-9-]{0,39}$" => {
            let small = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
            text.starts_with(small) && text.len() <= 40 && text.chars().all(|c| small(c) || c == '-')
        }
        "^([A-Za-z_][A-Za-z0-9_]*)?$" => !text.starts_with(|c: char| c.is_ascii_digit()) && only(text, "_"),
        times if times.starts_with("^([01][0-9]|2[0-3]):[0-5][0-9]-") => {
            let is_time = |text: &str| {
                let number = |part: &str| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
                text.split_once(':').is_some_and(|(h, m)| number(h) && number(m) && h < "24" && m < "60")
            };
            text.split_once('-').is_some_and(|(from, to)| is_time(from) && is_time(to))
        }
        // A host name, and then every other way to write an address.
        hosts if hosts.starts_with("^([A-Za-z0-9._-]+(:[0-9]{1,5})?|") => is_host(text),
        origins if origins.starts_with("^[A-Za-z][A-Za-z0-9+.-]*://([A-Za-z0-9._-]+|") => {
            let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
            rest.is_some_and(|rest| is_host(rest.strip_suffix('/').unwrap_or(rest)))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{schema::SCHEMA_DOCUMENT, validate::VALIDATOR};

    /// Values of every kind, at and beside every limit of the schema.
    fn odd_values() -> Vec<Value> {
        let texts = [
            "",
            " ",
            "\u{a0}",
            "\n",
            "x",
            "X",
            "x\n",
            "ä",
            "1",
            "-",
            "_a",
            "a_b",
            "a b",
            "a.b",
            "A-1",
            "0-a",
            "-a",
            "a:1",
            "a:",
            ":1",
            "a:123456",
            "a:b",
            "a:1:2",
            "::1",
            "[::1]:80",
            "https://a",
            "https://a/",
            "https://a//",
            "http://",
            "ftp://a:1",
            "https://a:99999/",
            "https://ä",
            "https://a/b",
            "off",
            "poll",
            "demo",
            "claude",
            "always",
            "none",
            "token",
            "true",
            "0.5.0",
            "\0",
            "yes",
            "22:00-07:00",
            "24:00-07:00",
            "22:60-07:00",
            "2:00-07:00",
            "22:00-07:00\n",
        ];
        let mut values: Vec<Value> = texts.map(Value::from).to_vec();
        values.extend([40, 41, 300].map(|length| Value::from("a".repeat(length))));
        values.extend([json!(null), json!(true), json!(false), json!(1.0), json!(1.5), json!(-0.0), json!(1e300)]);
        values.extend([-1_i64, 0, 1, 4, 5, 3600, 3601, 65535, 65536, i64::MAX, i64::MIN].map(Value::from));
        values.extend([
            json!(u64::MAX),
            json!([]),
            json!([null]),
            json!([1]),
            json!([""]),
            json!(["a"]),
            json!(["a", 1]),
        ]);
        values.extend([json!({}), json!({"a": null}), json!({"a": "b"}), json!({"a": {}}), json!({"name": "a"})]);
        values.extend([
            json!([{}]),
            json!([{"name": "a"}]),
            json!({"a": {"command": ["b"]}}),
            json!({"a": {"file": "b"}}),
        ]);
        values
    }

    /// Calls `each` with documents that differ from `document` in one value below `path`, at every key of the schema.
    fn with_each_value(schema: &Value, path: &str, make: &dyn Fn(Value) -> Value, each: &mut dyn FnMut(&str, Value)) {
        for odd in odd_values() {
            each(path, make(odd));
        }
        for (key, below) in schema["properties"].as_object().into_iter().flatten() {
            with_each_value(below, &format!("{path}/{key}"), &|value| make(json!({ key: value })), each);
        }
        if schema["additionalProperties"].is_object() {
            let make = |value| make(json!({ "other": value }));
            with_each_value(&schema["additionalProperties"], &format!("{path}/*"), &make, each);
        }
        if schema["items"].is_object() {
            // Entries of the sessions need a name to be valid at all.
            let make = |value: Value| match value {
                Value::Object(mut entry) if !entry.contains_key("name") => {
                    entry.insert("name".to_owned(), json!("a"));
                    make(json!([entry]))
                }
                value => make(json!([value])),
            };
            with_each_value(&schema["items"], &format!("{path}[]"), &make, each);
        }
    }

    #[test]
    fn what_the_schema_refuses_is_never_accepted() {
        let (mut valid, mut quick, mut refused) = (0, 0, 0);
        with_each_value(&SCHEMA_DOCUMENT, "", &|value| value, &mut |path, document| {
            let (is_valid, accepted) = (VALIDATOR.is_valid(&document), accepts(&SCHEMA_DOCUMENT, &document));
            assert!(is_valid || !accepted, "{path}: {document} is accepted, and the schema refuses it");
            valid += usize::from(is_valid);
            quick += usize::from(accepted);
            refused += usize::from(!is_valid);
        });
        assert!(refused > 2000 && valid > 2000, "{refused} refused, {valid} valid: the documents test too little");
        assert!(quick * 100 > valid * 95, "only {quick} of {valid} valid documents are accepted quickly");
    }

    #[test]
    fn unknown_keywords_and_patterns_accept_nothing() {
        assert!(!accepts(&json!({"multipleOf": 2}), &json!(4)));
        assert!(!accepts(&json!({"pattern": "^a$"}), &json!("a")));
        assert!(!accepts(&json!(false), &json!(1)));
        assert!(!accepts(&json!({"type": "number", "maximum": 1e17}), &json!(1)));
    }
}
