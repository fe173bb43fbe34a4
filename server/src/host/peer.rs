//! Who is at the other end of a connection, asked of the kernel once as it is accepted.
//!
//! On loopback the kernel knows the user that owns the other socket; nobody has to paste a token to prove it. Over a
//! Unix socket it vouches for the peer as well. From another machine there is nobody to ask.

use std::{
    fmt::Write as _,
    fs,
    net::{IpAddr, SocketAddr},
};

use tokio::net::{TcpStream, UnixStream};

/// The other end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer {
    /// The user it runs as, if the kernel could tell.
    uid: Option<u32>,
    /// True over a Unix socket, which no browser can use.
    local_socket: bool,
}

impl Peer {
    /// A peer of our own user: for a host that has found that out by itself, and for tests.
    pub fn ourselves() -> Self {
        Self { uid: Some(own_uid()), local_socket: false }
    }

    /// A peer that nothing is known of.
    pub fn stranger() -> Self {
        Self { uid: None, local_socket: false }
    }

    pub(super) fn of_tcp(stream: &TcpStream) -> Self {
        let uid = match (stream.peer_addr(), stream.local_addr()) {
            (Ok(peer), Ok(local)) if canonical(peer).ip().is_loopback() => owner(canonical(peer), canonical(local)),
            _ => None,
        };
        Self { uid, local_socket: false }
    }

    pub(super) fn of_unix(stream: &UnixStream) -> Self {
        Self { uid: stream.peer_cred().ok().map(|cred| cred.uid()), local_socket: true }
    }

    /// Whether it runs as our user, or as root, who can do what we can anyway.
    pub(super) fn is_us(self) -> bool {
        self.uid.is_some_and(|uid| uid == own_uid() || uid == 0)
    }

    pub(super) fn is_local_socket(self) -> bool {
        self.local_socket
    }
}

fn own_uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// An IPv4 address that came in over an IPv6 socket, as the IPv4 address it is.
fn canonical(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(address.ip().to_canonical(), address.port())
}

/// The user that owns the socket from `peer` to `local`, both on this machine.
fn owner(peer: SocketAddr, local: SocketAddr) -> Option<u32> {
    ["/proc/net/tcp", "/proc/net/tcp6"].iter().find_map(|table| {
        let text = fs::read_to_string(table).ok()?;
        text.lines().skip(1).find_map(|line| owner_in(line, peer, local))
    })
}

/// Fields of such a line: number, local address, remote address, state, queues, timer, retransmits, uid.
fn owner_in(line: &str, peer: SocketAddr, local: SocketAddr) -> Option<u32> {
    let mut fields = line.split_ascii_whitespace();
    let (from, to) = (fields.nth(1)?, fields.next()?);
    if !stands_for(from, peer) || !stands_for(to, local) {
        return None;
    }
    // A socket that waits out its end has no owner any more, and would be listed as root's.
    let state = fields.next()?;
    let uid = fields.nth(3)?.parse().ok()?;
    (state != "06").then_some(uid)
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
            assert_eq!(Peer::of_tcp(&stream).uid, Some(own_uid()), "{name}");
        }
    }

    #[test]
    fn only_the_very_connection_counts() {
        let peer = "127.0.0.1:40000".parse().expect("an address");
        let local = "127.0.0.1:4114".parse().expect("an address");
        let line = |from: &str, to: &str, state: &str| {
            format!("  7: {from} {to} {state} 00000000:00000000 00:00000000 00000000  1000        0 1 1 0 1 0 0")
        };
        assert_eq!(owner_in(&line("0100007F:9C40", "0100007F:1012", "01"), peer, local), Some(1000));
        assert_eq!(owner_in(&line("0100007F:1012", "0100007F:9C40", "01"), peer, local), None, "the other end");
        assert_eq!(owner_in(&line("0100007F:9C41", "0100007F:1012", "01"), peer, local), None, "another port");
        assert_eq!(owner_in(&line("0100007F:9C40", "0100007F:1012", "06"), peer, local), None, "nobody's any more");
        let mapped = "0000000000000000FFFF00000100007F:9C40";
        assert_eq!(owner_in(&line(mapped, "0000000000000000FFFF00000100007F:1012", "01"), peer, local), Some(1000));
    }
}
