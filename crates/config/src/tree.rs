//! Document with the position of every key and value.

use std::{collections::HashMap, rc::Rc};

use serde_json::{Map, Value};

use super::{
    position::{At, KeyPath, Mark, Mistake, Step},
    schema::MAX_MISTAKES,
};

/// Value with its position.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) mark: Mark,
    pub(super) kind: Kind,
    /// Number of values it holds, including itself, with aliases at full size.
    pub(super) size: usize,
    /// Nesting depth, 1 for a scalar.
    pub(super) depth: usize,
}

/// Positions of a key and its value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) key: Mark,
    pub(super) value: Mark,
}

#[derive(Debug)]
pub(super) enum Kind {
    /// Scalar; `bare` if it was written without quotes.
    Scalar {
        value: Value,
        raw: String,
        bare: bool,
    },
    List(Vec<Rc<Node>>),
    Block(Vec<Entry>),
}

/// Key with its value. If a key is repeated, all of its entries are kept and the last one counts.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) mark: Mark,
    pub(super) value: Rc<Node>,
    /// True if the key was written without quotes.
    pub(super) bare: bool,
    /// True if the entry came from a `<<`.
    pub(super) merged: bool,
}

impl Node {
    /// Creates a block from entries.
    pub(super) fn of_entries(entries: Vec<Entry>) -> Self {
        let size = 1 + entries.iter().map(|entry| 1 + entry.value.size).sum::<usize>();
        Self { mark: Mark { line: 1, column: 1 }, kind: Kind::Block(entries), size, depth: 1 }
    }

    /// Returns the value without positions.
    pub(super) fn value(&self) -> Value {
        match &self.kind {
            Kind::Scalar { value, .. } => value.clone(),
            Kind::List(items) => Value::Array(items.iter().map(|item| item.value()).collect()),
            Kind::Block(entries) => {
                let pairs = entries.iter().map(|entry| (entry.key.clone(), entry.value.value()));
                Value::Object(pairs.collect::<Map<_, _>>())
            }
        }
    }

    /// Finds the node at the end of a path, with the position of its key.
    pub(super) fn find(&self, path: &KeyPath) -> Option<(Option<Mark>, &Node)> {
        let mut found = (None, self);
        for step in path.steps() {
            found = match (step, &found.1.kind) {
                (Step::Index(index), Kind::List(items)) => (None, &**items.get(*index)?),
                (Step::Key(key), Kind::Block(entries)) => {
                    let entry = entries.iter().rev().find(|entry| entry.key == *key)?;
                    (Some(entry.mark), &*entry.value)
                }
                _ => return None,
            };
        }
        Some(found)
    }

    /// Returns the position of a path, or of its longest existing part.
    pub(super) fn nearest(&self, path: &KeyPath) -> Place {
        let mut steps = path.clone();
        loop {
            if let Some((key, node)) = self.find(&steps) {
                let is_nothing = matches!(&node.kind, Kind::Scalar { value: Value::Null, raw, .. } if raw.is_empty());
                // A value that is not written has no position of its own.
                let value = if is_nothing { key.unwrap_or(node.mark) } else { node.mark };
                return Place { key: key.unwrap_or(node.mark), value };
            }
            steps.pop();
        }
    }

    /// Finds every key that appears twice in the same block.
    pub(super) fn repeated_keys(&self, path: &KeyPath, mistakes: &mut Vec<Mistake>) {
        match &self.kind {
            Kind::Scalar { .. } => {}
            Kind::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    item.repeated_keys(&path.index(index), mistakes);
                }
            }
            Kind::Block(entries) => {
                let mut first: HashMap<&str, Mark> = HashMap::new();
                for entry in entries {
                    let path = path.key(&entry.key);
                    match first.get(entry.key.as_str()) {
                        None => {
                            first.insert(&entry.key, entry.mark);
                        }
                        Some(_) if mistakes.len() > MAX_MISTAKES => return,
                        Some(Mark { line, column }) => mistakes.push(Mistake {
                            at: At::Mark(entry.mark),
                            message: format!("already set at {line}:{column}: keep one"),
                            path: path.clone(),
                        }),
                    }
                    entry.value.repeated_keys(&path, mistakes);
                }
            }
        }
    }
}
