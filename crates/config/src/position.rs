//! Positions in the file: line and column for editors, key path for people.

use std::fmt;

use jsonschema::paths::{Location, LocationSegment};

/// Line and column in the file, both counted from 1 and the column in characters, as editors do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Mark {
    pub(super) line: usize,
    pub(super) column: usize,
}

impl Mark {
    /// Returns the position of a byte of the text.
    pub(super) fn of_byte(text: &str, byte: usize) -> Self {
        let before = text.get(..byte).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self { line: 1 + before.matches('\n').count(), column: 1 + before[line_start..].chars().count() }
    }
}

/// Step down into a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Key(String),
    Index(usize),
}

/// Path to a value, as in `standingSessions.sessions[2].name`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct KeyPath(Vec<Step>);

impl KeyPath {
    pub(super) fn of_keys<const N: usize>(keys: [&str; N]) -> Self {
        Self(keys.into_iter().map(|key| Step::Key(key.to_owned())).collect())
    }

    pub(super) fn steps(&self) -> &[Step] {
        &self.0
    }

    pub(super) fn key(&self, key: &str) -> Self {
        self.step(Step::Key(key.to_owned()))
    }

    pub(super) fn index(&self, index: usize) -> Self {
        self.step(Step::Index(index))
    }

    fn step(&self, step: Step) -> Self {
        let mut steps = self.0.clone();
        steps.push(step);
        Self(steps)
    }

    /// Removes the last step.
    pub(super) fn pop(&mut self) {
        self.0.pop();
    }

    /// Iterates over the keys of the path, without list positions.
    pub(super) fn keys(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.iter().filter_map(|step| match step {
            Step::Key(key) => Some(key.as_str()),
            Step::Index(_) => None,
        })
    }

    /// Returns the last key of the path.
    pub(super) fn last_key(&self) -> Option<&str> {
        self.keys().next_back()
    }

    /// Returns the index of the entry of `standingSessions.sessions` that the path leads into.
    pub(super) fn session(&self) -> Option<usize> {
        match self.0.as_slice() {
            [Step::Key(block), Step::Key(list), Step::Index(index), ..]
                if block == "standingSessions" && list == "sessions" =>
            {
                Some(*index)
            }
            _ => None,
        }
    }
}

impl From<&Location> for KeyPath {
    fn from(location: &Location) -> Self {
        let step = |segment: LocationSegment<'_>| match segment {
            LocationSegment::Property(key) => Step::Key(key.into_owned()),
            LocationSegment::Index(index) => Step::Index(index),
        };
        Self(location.into_iter().map(step).collect())
    }
}

impl fmt::Display for KeyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.0.iter().enumerate() {
            match step {
                Step::Index(at) => write!(f, "[{at}]")?,
                Step::Key(key) if !is_plain(key) => write!(f, "[{}]", shortened(key))?,
                Step::Key(key) if index == 0 => write!(f, "{key}")?,
                Step::Key(key) => write!(f, ".{key}")?,
            }
        }
        Ok(())
    }
}

/// True if a key needs no quotes in a path.
fn is_plain(key: &str) -> bool {
    (1..=60).contains(&key.len()) && key.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-$".contains(&b))
}

/// Quotes a text, with control characters escaped and a maximum length: enough to find it, too little to leak it.
pub(super) fn shortened(text: &str) -> String {
    const SHOWN: usize = 60;
    if text.chars().count() <= SHOWN {
        return format!("{text:?}");
    }
    let beginning: String = text.chars().take(12).collect();
    format!("{beginning:?} and {} more characters", text.chars().count() - 12)
}

/// Mistake without its position in the file.
#[derive(Clone, Debug)]
pub(super) struct Mistake {
    pub(super) path: KeyPath,
    pub(super) at: At,
    pub(super) message: String,
}

/// Part of the file that a mistake points at.
#[derive(Clone, Copy, Debug)]
pub(super) enum At {
    /// Value of the path.
    Value,
    /// Key that the path ends in.
    Key,
    /// Known position.
    Mark(Mark),
    /// File as a whole.
    File,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_read_as_one_would_write_them() {
        let path = KeyPath::of_keys(["standingSessions", "sessions"]).index(2).key("name");
        assert_eq!(path.to_string(), "standingSessions.sessions[2].name");
        assert_eq!(path.session(), Some(2));
        assert_eq!(KeyPath::of_keys(["a", "b.c", ""]).to_string(), r#"a["b.c"][""]"#);
        assert_eq!(KeyPath::default().to_string(), "");
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(shortened("x"), r#""x""#);
        assert_eq!(shortened(&"s".repeat(70)), format!("{:?} and 58 more characters", "s".repeat(12)));
    }

    #[test]
    fn bytes_have_a_line_and_a_column() {
        assert_eq!(Mark::of_byte("é: 1\nab", 6), Mark { line: 2, column: 1 });
        assert_eq!(Mark::of_byte("é: 1\nab", 7), Mark { line: 2, column: 2 });
        assert_eq!(Mark::of_byte("", 0), Mark { line: 1, column: 1 });
    }
}
