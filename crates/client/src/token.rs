//! The token of token mode. It is never printed, not even by `Debug`.

use std::{fmt, fs, io, path::PathBuf};

use crate::Error;

/// Source of the token.
#[derive(Clone)]
pub(crate) enum Token {
    None,
    Given(String),
    File(PathBuf),
}

impl Token {
    pub(crate) fn read(&self) -> Result<Option<String>, Error> {
        match self {
            Self::None => Ok(None),
            Self::Given(token) => Ok(Some(token.clone())),
            Self::File(path) => match fs::read_to_string(path) {
                Ok(text) => Ok(Some(text.trim().to_owned())),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
                Err(source) => Err(Error::Token { path: path.clone(), source }),
            },
        }
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("None"),
            Self::Given(_) => f.write_str("Given"),
            Self::File(path) => write!(f, "File({})", path.display()),
        }
    }
}
