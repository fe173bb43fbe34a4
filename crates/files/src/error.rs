//! Error of a file operation, and the errors that mean a missing feature.

use std::{
    io,
    path::{Path, PathBuf},
};

use rustix::io::Errno;

/// Failed operation on a file or folder.
#[derive(Debug, thiserror::Error)]
#[error("{}: {doing}: {source}", path.display())]
pub struct Error {
    /// File or folder.
    pub path: PathBuf,
    /// Failed operation, as a clause: "it cannot be written".
    pub doing: &'static str,
    /// Cause.
    #[source]
    pub source: io::Error,
}

impl Error {
    /// Converts an I/O error, as a function for `map_err`.
    pub fn at(path: &Path, doing: &'static str) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self { path, doing, source }
    }
}

/// True if the file system does not offer the call, as opposed to a failing disk.
pub fn is_unsupported(error: &io::Error) -> bool {
    let known = [Errno::INVAL, Errno::NOTSUP, Errno::OPNOTSUPP, Errno::NOSYS, Errno::NOTTY, Errno::BADF, Errno::NOLCK];
    error.raw_os_error().is_some_and(|code| known.iter().any(|errno| errno.raw_os_error() == code))
}
