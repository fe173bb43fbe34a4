//! Who is at the other end of a connection, asked of the kernel once as it is accepted.
//!
//! On loopback the kernel knows the user that owns the other socket; nobody has to paste a token to prove it. Over a
//! Unix socket it vouches for the peer as well. From another machine there is nobody to ask.

mod diag;
mod socket;
mod table;

use std::{fmt, fs, net::SocketAddr};

use socket::Socket;
use standing::Caller;
use tokio::net::{TcpStream, UnixStream};

/// The other end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer {
    /// The user it runs as, if the kernel could tell.
    uid: Option<u32>,
    /// How the connection came.
    way: Way,
}

/// How a connection came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Over a port: from one address to the other.
    Tcp(SocketAddr, SocketAddr),
    /// Over the Unix socket, which no browser can use, by a process of that id.
    Unix(Option<u32>),
    /// Not known.
    Unknown,
}

impl Peer {
    /// A peer of our own user: for a host that has found that out by itself, and for tests.
    pub fn ourselves() -> Self {
        Self { uid: Some(own_uid()), way: Way::Unknown }
    }

    /// A peer that nothing is known of.
    pub fn stranger() -> Self {
        Self { uid: None, way: Way::Unknown }
    }

    pub(crate) fn of_tcp(stream: &TcpStream) -> Self {
        let (Ok(peer), Ok(local)) = (stream.peer_addr(), stream.local_addr()) else { return Self::stranger() };
        let (peer, local) = (canonical(peer), canonical(local));
        let uid = if peer.ip().is_loopback() { Socket::between(peer, local).map(|socket| socket.uid) } else { None };
        Self { uid, way: Way::Tcp(peer, local) }
    }

    pub(crate) fn of_unix(stream: &UnixStream) -> Self {
        let cred = stream.peer_cred().ok();
        let pid = cred.and_then(|cred| u32::try_from(cred.pid()?).ok());
        Self { uid: cred.map(|cred| cred.uid()), way: Way::Unix(pid) }
    }

    /// Whether it runs as our user, or as root, who can do what we can anyway.
    pub(crate) fn is_us(self) -> bool {
        self.uid.is_some_and(|uid| uid == own_uid() || uid == 0)
    }

    pub(crate) fn uid(self) -> Option<u32> {
        self.uid
    }

    pub(crate) fn is_local_socket(self) -> bool {
        matches!(self.way, Way::Unix(_))
    }

    /// Who calls, for a verb that not everyone may do. Looks through all of our processes for one that came over a port.
    ///
    /// A process that cannot be looked at, such as a browser that hides its descriptors, is not known. One that closed
    /// its connection already is told from it: it would get around being known, and does not wait for an answer.
    pub(crate) fn caller(self) -> Caller {
        match self.way {
            Way::Unix(pid) => pid.map_or(Caller::Unidentified, Caller::Process),
            Way::Tcp(peer, local) => {
                let open = || Socket::between(peer, local);
                match open().map(|socket| (socket.holder(), socket)) {
                    Some((Some(pid), _)) => Caller::Process(pid),
                    // It may have been closed during the look.
                    Some((None, socket)) if open() == Some(socket) => Caller::Unidentified,
                    None if !peer.ip().is_loopback() => Caller::Unidentified,
                    _ => Caller::Gone,
                }
            }
            Way::Unknown => Caller::Unidentified,
        }
    }

    /// The process at the other end, if it is one of ours and still has the connection open. Looks through all of our
    /// processes for one that came over a port.
    pub(crate) fn process(self) -> Option<u32> {
        match self.way {
            Way::Unix(pid) => pid,
            Way::Tcp(peer, local) if peer.ip().is_loopback() => Socket::between(peer, local)?.holder(),
            Way::Tcp(..) | Way::Unknown => None,
        }
    }
}

/// Whoever listens at an address of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Listener {
    uid: u32,
    /// `None` if it may not be looked at, as another user's.
    pid: Option<u32>,
}

impl Listener {
    /// The one at just that address.
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

/// An IPv4 address that came in over an IPv6 socket, as the IPv4 address it is.
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
