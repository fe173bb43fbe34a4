//! Unix sockets that only this user can connect to.

use std::{
    fs, io,
    os::unix::{
        fs::PermissionsExt,
        net::{UnixListener, UnixStream},
    },
    path::Path,
};

use crate::folder;

/// Listens on a socket file. A file that an ended process left is replaced; a socket with a listener is an error.
pub fn listen(path: &Path) -> io::Result<UnixListener> {
    folder::make_for(path)?;
    if UnixStream::connect(path).is_ok() {
        return Err(io::Error::new(io::ErrorKind::AddrInUse, "another service listens on it"));
    }
    // Bound under a temporary name and then renamed: other users can never connect to it.
    let fresh = path.with_extension(format!("{}", std::process::id()));
    let _ = fs::remove_file(&fresh);
    let listener = UnixListener::bind(&fresh)?;
    fs::set_permissions(&fresh, fs::Permissions::from_mode(0o600))?;
    fs::rename(&fresh, path)?;
    Ok(listener)
}
