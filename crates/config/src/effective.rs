//! Values in force: what the file sets, with its line, and the default of every other key. For people; nothing acts on it.

use std::rc::Rc;

use serde_json::Value;

use super::{
    locate::ConfigPath,
    parse,
    position::KeyPath,
    read::{self, Text},
    schema::SCHEMA_DOCUMENT,
    tree::Node,
};

/// Key of the config, with its value in force.
#[derive(Clone, Debug, PartialEq)]
pub struct EffectiveValue {
    /// Path of the key, as in `service.port`.
    pub key: String,
    /// Value; `None` for a variable that the file sets, which may be secret.
    pub value: Option<Value>,
    /// Line of the value in the file; `None` for a default.
    pub line: Option<usize>,
}

/// Returns the values in force, in the order of the schema. The file must be one without problems: what it has that cannot be
/// understood is shown as it is.
pub fn effective(path: &ConfigPath) -> Vec<EffectiveValue> {
    let root = match read::read(path) {
        Text::Read(text, _) => parse::parse(&text, 0).ok().and_then(|document| document.root),
        Text::Missing | Text::Unusable(_) => None,
    };
    let document = root.as_ref().map(|root| root.value());
    let mut found = Values { root, values: Vec::new() };
    found.block(&SCHEMA_DOCUMENT, &KeyPath::default(), document.as_ref());
    found.values
}

struct Values {
    root: Option<Rc<Node>>,
    values: Vec<EffectiveValue>,
}

impl Values {
    /// Adds the keys of a block: those of the schema, then those that only the file has.
    fn block(&mut self, schema: &Value, path: &KeyPath, block: Option<&Value>) {
        let known = schema["properties"].as_object();
        for (key, of_key) in known.into_iter().flatten() {
            let (path, set) = (path.key(key), block.and_then(|block| block.get(key)).filter(|set| !set.is_null()));
            match (of_key.get("properties"), set) {
                (Some(_), _) => self.block(of_key, &path, set),
                (None, Some(set)) => self.set(&path, set),
                (None, None) => {
                    if let Some(default) = of_key.get("default") {
                        let value = Some(default.clone());
                        self.values.push(EffectiveValue { key: path.to_string(), value, line: None });
                    }
                }
            }
        }
        let others = block.and_then(Value::as_object).into_iter().flatten();
        for (key, value) in others.filter(|(key, _)| known.is_none_or(|known| !known.contains_key(*key))) {
            self.set(&path.key(key), value);
        }
    }

    /// Adds what the file sets, down to scalars and to lists of scalars.
    fn set(&mut self, path: &KeyPath, value: &Value) {
        match value {
            Value::Object(fields) if !fields.is_empty() => {
                for (key, value) in fields {
                    self.set(&path.key(key), value);
                }
            }
            Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
                for (index, item) in items.iter().enumerate() {
                    self.set(&path.index(index), item);
                }
            }
            value => {
                let line = self.root.as_ref().map(|root| root.nearest(path).value.line);
                let private = path.keys().rev().nth(1) == Some("env");
                let value = (!private).then(|| value.clone());
                self.values.push(EffectiveValue { key: path.to_string(), value, line });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::*;

    #[test]
    fn a_key_has_its_line_or_its_default_and_no_variable_is_shown() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("cli-config.yaml");
        let text = "service:\n  port: 4200\nstandingSessions:\n  sessions:\n  - name: ops\n    env: {KEY: hidden}\n";
        fs::write(&file, text).expect("written");
        let values = effective(&ConfigPath::new(file));
        let of =
            |key: &str| values.iter().find(|found| found.key == key).unwrap_or_else(|| panic!("{key}: {values:?}"));
        assert_eq!((of("service.port").value.clone(), of("service.port").line), (Some(json!(4200)), Some(2)));
        assert_eq!((of("service.host").value.clone(), of("service.host").line), (Some(json!("127.0.0.1")), None));
        let name = of("standingSessions.sessions[0].name");
        assert_eq!((name.value.clone(), name.line), (Some(json!("ops")), Some(5)));
        assert_eq!(of("standingSessions.sessions[0].env.KEY").value, None);
        assert!(!format!("{values:?}").contains("hidden"));
    }

    #[test]
    fn without_a_file_every_key_has_its_default() {
        let values = effective(&ConfigPath::new("/nonexistent/cli-config.yaml".into()));
        assert!(values.len() > 30 && values.iter().all(|found| found.line.is_none()), "{values:?}");
    }
}
