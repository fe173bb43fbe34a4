//! Socket opened by systemd: connections wait in it while the service restarts.

use std::{io, net::TcpListener};

use listenfd::ListenFd;

/// Returns the socket, if systemd passed one.
pub(crate) fn tcp() -> io::Result<Option<TcpListener>> {
    let Some(listener) = ListenFd::from_env().take_tcp_listener(0)? else { return Ok(None) };
    listener.set_nonblocking(true)?;
    Ok(Some(listener))
}
