//! Who is at the other end of a connection, asked of the kernel once as it is accepted.
//!
//! On loopback the kernel knows the user that owns the other socket; nobody has to paste a token to prove it. Over a
//! Unix socket it vouches for the peer as well. From another machine there is nobody to ask.

use std::{
    fmt::{self, Write as _},
    fs,
    net::{IpAddr, SocketAddr},
};

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

    pub(super) fn of_tcp(stream: &TcpStream) -> Self {
        let (Ok(peer), Ok(local)) = (stream.peer_addr(), stream.local_addr()) else { return Self::stranger() };
        let (peer, local) = (canonical(peer), canonical(local));
        let uid = if peer.ip().is_loopback() { socket(peer, local).map(|socket| socket.uid) } else { None };
        Self { uid, way: Way::Tcp(peer, local) }
    }

    pub(super) fn of_unix(stream: &UnixStream) -> Self {
        let cred = stream.peer_cred().ok();
        let pid = cred.and_then(|cred| u32::try_from(cred.pid()?).ok());
        Self { uid: cred.map(|cred| cred.uid()), way: Way::Unix(pid) }
    }

    /// Whether it runs as our user, or as root, who can do what we can anyway.
    pub(super) fn is_us(self) -> bool {
        self.uid.is_some_and(|uid| uid == own_uid() || uid == 0)
    }

    pub(super) fn is_local_socket(self) -> bool {
        matches!(self.way, Way::Unix(_))
    }

    /// The process at the other end, if it is one of ours and still has the connection open. Looks through all of our
    /// processes for one that came over a port.
    pub(crate) fn process(self) -> Option<u32> {
        match self.way {
            Way::Unix(pid) => pid,
            Way::Tcp(peer, local) if peer.ip().is_loopback() => holder(socket(peer, local)?.inode),
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
        ["/proc/net/tcp", "/proc/net/tcp6"].iter().find_map(|table| {
            let text = fs::read_to_string(table).ok()?;
            let socket = text.lines().skip(1).find_map(|line| listener_in(line, address))?;
            Some(Self { uid: socket.uid, pid: holder(socket.inode) })
        })
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

/// A socket as the kernel lists it.
#[derive(Clone, Copy, Debug)]
struct Socket {
    uid: u32,
    inode: u64,
}

/// The process that has a socket open; of several the one that runs the longest: the others have it from that one, as a
/// child has for the moment before it becomes another program.
fn holder(inode: u64) -> Option<u32> {
    let wanted = format!("socket:[{inode}]");
    let holds = |pid: &u32| {
        let open = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
        open.into_iter().any(|fd| fs::read_link(fd.path()).is_ok_and(|to| to.as_os_str() == wanted.as_str()))
    };
    let processes = fs::read_dir("/proc").ok()?.flatten();
    processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter(holds).min_by_key(|&pid| started(pid))
}

/// When a process was started, in clock ticks since the machine came up.
fn started(pid: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    after_name.split_ascii_whitespace().nth(19).and_then(|ticks| ticks.parse().ok()).unwrap_or(u64::MAX)
}

/// The socket from `peer` to `local`, both on this machine.
fn socket(peer: SocketAddr, local: SocketAddr) -> Option<Socket> {
    ["/proc/net/tcp", "/proc/net/tcp6"].iter().find_map(|table| {
        let text = fs::read_to_string(table).ok()?;
        text.lines().skip(1).find_map(|line| socket_in(line, peer, local))
    })
}

/// A socket that listens.
fn listener_in(line: &str, address: SocketAddr) -> Option<Socket> {
    let mut fields = line.split_ascii_whitespace();
    let (at, state) = (fields.nth(1)?, fields.nth(1)?);
    let (uid, inode) = (fields.nth(3)?.parse().ok()?, fields.nth(1)?.parse().ok()?);
    (state == "0A" && stands_for(at, address)).then_some(Socket { uid, inode })
}

/// Fields of such a line: number, local address, remote address, state, queues, timer, retransmits, uid, probes, inode.
fn socket_in(line: &str, peer: SocketAddr, local: SocketAddr) -> Option<Socket> {
    let mut fields = line.split_ascii_whitespace();
    let (from, to) = (fields.nth(1)?, fields.next()?);
    if !stands_for(from, peer) || !stands_for(to, local) {
        return None;
    }
    // A socket that waits out its end has no owner any more, and would be listed as root's.
    let state = fields.next()?;
    let (uid, inode) = (fields.nth(3)?.parse().ok()?, fields.nth(1)?.parse().ok()?);
    (state != "06").then_some(Socket { uid, inode })
}

/// Whether the table's `ADDRESS:PORT` in hexadecimal stands for that address.
fn stands_for(written: &str, address: SocketAddr) -> bool {
    let port = |hex: &str| u16::from_str_radix(hex, 16).is_ok_and(|port| port == address.port());
    let Some((ip, written_port)) = written.split_once(':') else { return false };
    let matches = match address.ip() {
        IpAddr::V4(ip4) => ip == hex_words(&ip4.octets()) || ip == hex_words(&ip4.to_ipv6_mapped().octets()),
        IpAddr::V6(ip6) => ip == hex_words(&ip6.octets()),
    };
    matches && port(written_port)
}

/// Each word of four bytes is written as a number of this machine's byte order.
fn hex_words(octets: &[u8]) -> String {
    octets.chunks_exact(4).fold(String::new(), |mut text, word| {
        let number = u32::from_ne_bytes([word[0], word[1], word[2], word[3]]);
        let _ = write!(text, "{number:08X}");
        text
    })
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

    #[test]
    fn only_the_very_connection_counts() {
        let peer = "127.0.0.1:40000".parse().expect("an address");
        let local = "127.0.0.1:4114".parse().expect("an address");
        let line = |from: &str, to: &str, state: &str| {
            format!("  7: {from} {to} {state} 00000000:00000000 00:00000000 00000000  1000        0 77 1 0 1 0 0")
        };
        let owner = |line: &str| {
            let socket = socket_in(line, peer, local)?;
            assert_eq!(socket.inode, 77);
            Some(socket.uid)
        };
        assert_eq!(owner(&line("0100007F:9C40", "0100007F:1012", "01")), Some(1000));
        assert_eq!(owner(&line("0100007F:1012", "0100007F:9C40", "01")), None, "the other end");
        assert_eq!(owner(&line("0100007F:9C41", "0100007F:1012", "01")), None, "another port");
        assert_eq!(owner(&line("0100007F:9C40", "0100007F:1012", "06")), None, "nobody's any more");
        let mapped = "0000000000000000FFFF00000100007F:9C40";
        assert_eq!(owner(&line(mapped, "0000000000000000FFFF00000100007F:1012", "01")), Some(1000));
    }
}
