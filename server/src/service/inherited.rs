//! A socket that systemd opened for us: connections wait in it while the service is restarted.

use std::{io, net::TcpListener};

use listenfd::ListenFd;

/// The socket, if one was handed over.
pub(crate) fn tcp() -> io::Result<Option<TcpListener>> {
    let Some(listener) = ListenFd::from_env().take_tcp_listener(0)? else { return Ok(None) };
    listener.set_nonblocking(true)?;
    Ok(Some(listener))
}
