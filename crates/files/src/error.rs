//! The error of a file operation, and the errors that mean a missing feature.

use std::{
    io,
    path::{Path, PathBuf},
};

use rustix::io::Errno;

/// An operation on a file or folder that failed.
#[derive(Debug, thiserror::Error)]
#[error("{}: {doing}: {source}", path.display())]
pub struct Error {
    /// The file or folder.
    pub path: PathBuf,
    /// What failed, as a clause: "it cannot be written".
    pub doing: &'static str,
    /// The cause.
    #[source]
    pub source: io::Error,
}

impl Error {
    /// Makes an error of an I/O error, as a function for `map_err`.
    pub fn at(path: &Path, doing: &'static str) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self { path, doing, source }
    }
}

/// Tells a call that the file system does not offer from a disk that fails.
pub fn is_unsupported(error: &io::Error) -> bool {
    let known = [Errno::INVAL, Errno::NOTSUP, Errno::OPNOTSUPP, Errno::NOSYS, Errno::NOTTY, Errno::BADF, Errno::NOLCK];
    error.raw_os_error().is_some_and(|code| known.iter().any(|errno| errno.raw_os_error() == code))
}
