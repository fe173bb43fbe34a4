//! Identity of the other end of a connection. The kernel is asked once, when the connection is accepted.
//!
//! On loopback the kernel knows the user that owns the other socket, so no user has to paste a token. It also
//! identifies the peer of a Unix socket. The peer on another machine cannot be identified.

mod diag;
mod socket;
mod table;

use std::{fmt, fs, net::SocketAddr};

use socket::Socket;
use standing::Caller;
use tokio::net::{TcpStream, UnixStream};

/// Other end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer {
    /// User of the peer, if the kernel knows it.
    uid: Option<u32>,
    /// Transport of the connection.
    way: Way,
}

/// Transport of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// TCP, from the first address to the second.
    Tcp(SocketAddr, SocketAddr),
    /// The Unix socket, by a process of that ID. Browsers cannot use it.
    Unix(Option<u32>),
    /// Unknown.
    Unknown,
}

impl Peer {
    /// Returns a peer of the service's own user: for a host that has identified the user itself, and for tests.
    pub fn ourselves() -> Self {
        Self { uid: Some(own_uid()), way: Way::Unknown }
    }

    /// Returns an unidentified peer.
    pub fn stranger() -> Self {
        Self { uid: None, way: Way::Unknown }
    }

    pub(crate) fn of_tcp(stream: &TcpStream) -> Self {
        let (Ok(peer), Ok(local)) = (stream.peer_addr(), stream.local_addr()) else { return Self::stranger() };
        let (peer, local) = (canonical(peer), canonical(local));
        let uid = if peer.ip().is_loopback() { socket_between(peer, local).map(|socket| socket.uid) } else { None };
        Self { uid, way: Way::Tcp(peer, local) }
    }

    pub(crate) fn of_unix(stream: &UnixStream) -> Self {
        let cred = stream.peer_cred().ok();
        let pid = cred.and_then(|cred| u32::try_from(cred.pid()?).ok());
        Self { uid: cred.map(|cred| cred.uid()), way: Way::Unix(pid) }
    }

    /// True if the peer runs as the service's user, or as root, which can do the same anyway.
    pub(crate) fn is_us(self) -> bool {
        self.uid.is_some_and(|uid| uid == own_uid() || uid == 0)
    }

    pub(crate) fn uid(self) -> Option<u32> {
        self.uid
    }

    pub(crate) fn is_local_socket(self) -> bool {
        matches!(self.way, Way::Unix(_))
    }

    /// Returns the caller, for verbs with restricted callers. For a TCP peer this searches all processes of this user.
    ///
    /// A process that cannot be inspected, such as a browser that hides its descriptors, is unidentified. A process
    /// that has closed its connection is a case of its own: it would evade identification, and does not wait for an
    /// answer.
    pub(crate) fn caller(self) -> Caller {
        match self.way {
            Way::Unix(pid) => pid.map_or(Caller::Unidentified, Caller::Process),
            Way::Tcp(peer, local) => {
                let open = || socket_between(peer, local);
                match open().map(|socket| (socket.holder(), socket)) {
                    Some((Some(pid), _)) => Caller::Process(pid),
                    // The connection may have been closed during the search.
                    Some((None, socket)) if open() == Some(socket) => Caller::Unidentified,
                    None if !peer.ip().is_loopback() => Caller::Unidentified,
                    _ => Caller::Gone,
                }
            }
            Way::Unknown => Caller::Unidentified,
        }
    }

    /// Returns the process at the other end, if it runs as this user and still has the connection open. For a TCP peer
    /// this searches all processes of this user.
    pub(crate) fn process(self) -> Option<u32> {
        match self.way {
            Way::Unix(pid) => pid,
            Way::Tcp(peer, local) if peer.ip().is_loopback() => socket_between(peer, local)?.holder(),
            Way::Tcp(..) | Way::Unknown => None,
        }
    }
}

/// Process that listens at an address of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Listener {
    uid: u32,
    /// Process ID; `None` if it cannot be inspected, as for another user's process.
    pid: Option<u32>,
}

impl Listener {
    /// Returns the listener at exactly that address.
    pub(crate) fn at(address: SocketAddr) -> Option<Self> {
        let socket = table::listening(address)?;
        Some(Self { uid: socket.uid, pid: socket.holder() })
    }
}

impl fmt::Display for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(pid) = self.pid else { return write!(f, "a program of the user with uid {}", self.uid) };
        let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        write!(f, "`{}` (pid {pid})", name.trim())
    }
}

fn own_uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Returns the socket from `from` to `to`, both on this machine, while a process has it open.
fn socket_between(from: SocketAddr, to: SocketAddr) -> Option<Socket> {
    match diag::find(from, to) {
        Ok(found) => found,
        Err(diag::Unavailable) => table::find(from, to),
    }
}

/// Converts an IPv4 address of an IPv6 socket to plain IPv4.
fn canonical(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(address.ip().to_canonical(), address.port())
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn our_own_connection_is_found_over_both_families() {
        for name in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(listener) = TcpListener::bind(name).await else { continue };
            let address = listener.local_addr().expect("an address");
            let (_client, accepted) = tokio::join!(TcpStream::connect(address), listener.accept());
            let (stream, _) = accepted.expect("accepted");
            let peer = Peer::of_tcp(&stream);
            assert_eq!((peer.uid, peer.process()), (Some(own_uid()), Some(std::process::id())), "{name}");
        }
    }
}
