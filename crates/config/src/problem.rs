//! What is wrong with a config file, with the place of each mistake.

use std::{fmt, path::PathBuf};

/// One mistake in a config file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigProblem {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1, if it is known.
    pub line: Option<usize>,
    /// The column, from 1, if it is known.
    pub column: Option<usize>,
    /// The key path, as in `standingSessions.sessions[2].name`; empty for the file as a whole.
    pub key: String,
    /// What was found and what is allowed.
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

/// All mistakes of a config file: never none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigProblems(Vec<ConfigProblem>);

impl ConfigProblems {
    /// These mistakes, if there are any.
    pub fn new(problems: Vec<ConfigProblem>) -> Option<Self> {
        (!problems.is_empty()).then_some(Self(problems))
    }

    /// Each of them, in the order of the file.
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
