//! Problems of a config file, each with its position.

use std::{fmt, path::PathBuf};

/// Problem in a config file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigProblem {
    /// Path of the file.
    pub file: PathBuf,
    /// Line, from 1, if it is known.
    pub line: Option<usize>,
    /// Column, from 1, if it is known.
    pub column: Option<usize>,
    /// Key path, as in `standingSessions.sessions[2].name`; empty for the file as a whole.
    pub key: String,
    /// Value found, and the values allowed.
    pub message: String,
}

impl fmt::Display for ConfigProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let (Some(line), Some(column)) = (self.line, self.column) {
            write!(f, ":{line}:{column}")?;
        }
        if !self.key.is_empty() {
            write!(f, ": `{}`", self.key)?;
        }
        write!(f, ": {}", self.message)
    }
}

/// Problems of a config file: never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigProblems(Vec<ConfigProblem>);

impl ConfigProblems {
    /// Wraps problems; `None` if there are none.
    pub fn new(problems: Vec<ConfigProblem>) -> Option<Self> {
        (!problems.is_empty()).then_some(Self(problems))
    }

    /// Iterates over the problems in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = &ConfigProblem> {
        self.0.iter()
    }
}

impl fmt::Display for ConfigProblems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.0.iter().enumerate() {
            let newline = if index == 0 { "" } else { "\n" };
            write!(f, "{newline}{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigProblems {}
