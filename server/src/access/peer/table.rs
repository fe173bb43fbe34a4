//! Reads the kernel's text list of TCP sockets: all of it, where the kernel cannot look up one socket.

use std::{
    fmt::Write as _,
    fs,
    net::{IpAddr, SocketAddr},
};

use super::socket::Socket;

/// Returns the socket from `from` to `to`, both on this machine.
pub(super) fn find(from: SocketAddr, to: SocketAddr) -> Option<Socket> {
    ["/proc/net/tcp", "/proc/net/tcp6"].iter().find_map(|table| {
        let text = fs::read_to_string(table).ok()?;
        text.lines().skip(1).find_map(|line| socket_in(line, from, to))
    })
}

/// Returns the socket that listens at exactly that address.
pub(super) fn listening(address: SocketAddr) -> Option<Socket> {
    ["/proc/net/tcp", "/proc/net/tcp6"].iter().find_map(|table| {
        let text = fs::read_to_string(table).ok()?;
        text.lines().skip(1).find_map(|line| listener_in(line, address))
    })
}

/// Parses a line of a listening socket at an address.
fn listener_in(line: &str, address: SocketAddr) -> Option<Socket> {
    let mut fields = line.split_ascii_whitespace();
    let (at, state) = (fields.nth(1)?, fields.nth(1)?);
    let (uid, inode) = (fields.nth(3)?.parse().ok()?, fields.nth(1)?.parse().ok()?);
    (state == "0A" && stands_for(at, address)).then_some(Socket { uid, inode })
}

/// Parses a line. Its fields are: number, local address, remote address, state, queues, timer, retransmits, uid,
/// probes, inode.
fn socket_in(line: &str, from: SocketAddr, to: SocketAddr) -> Option<Socket> {
    let mut fields = line.split_ascii_whitespace();
    let (near, far) = (fields.nth(1)?, fields.next()?);
    if !stands_for(near, from) || !stands_for(far, to) {
        return None;
    }
    let state = fields.next()?;
    let (uid, inode) = (fields.nth(3)?.parse().ok()?, fields.nth(1)?.parse().ok()?);
    // A socket that its process has closed has no owner any more, and is listed as root's.
    (state != "06" && inode != 0).then_some(Socket { uid, inode })
}

/// True if the table's hexadecimal `ADDRESS:PORT` is that address.
fn stands_for(written: &str, address: SocketAddr) -> bool {
    let port = |hex: &str| u16::from_str_radix(hex, 16).is_ok_and(|port| port == address.port());
    let Some((ip, written_port)) = written.split_once(':') else { return false };
    let matches = match address.ip() {
        IpAddr::V4(ip4) => ip == hex_words(&ip4.octets()) || ip == hex_words(&ip4.to_ipv6_mapped().octets()),
        IpAddr::V6(ip6) => ip == hex_words(&ip6.octets()),
    };
    matches && port(written_port)
}

/// Formats an address. Each word of four bytes is a number in this machine's byte order.
fn hex_words(octets: &[u8]) -> String {
    octets.chunks_exact(4).fold(String::new(), |mut text, word| {
        let number = u32::from_ne_bytes([word[0], word[1], word[2], word[3]]);
        let _ = write!(text, "{number:08X}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(owner(&line("0100007F:9C40", "0100007F:1012", "06")), None, "closed");
        let closed = line("0100007F:9C40", "0100007F:1012", "05").replace("1000        0 77", "   0        0 0");
        assert_eq!(owner(&closed), None, "closed by its process, and then listed as root's");
        let mapped = "0000000000000000FFFF00000100007F:9C40";
        assert_eq!(owner(&line(mapped, "0000000000000000FFFF00000100007F:1012", "01")), Some(1000));
    }
}
