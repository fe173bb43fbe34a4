//! Looks up one socket in the kernel, over netlink. This takes microseconds however many sockets there are.

use std::{
    io,
    net::{IpAddr, SocketAddr},
    sync::atomic::{AtomicBool, Ordering},
};

use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType,
    netlink::{self, SocketAddrNetlink},
    recv, sendto, socket_with,
};

use super::socket::Socket;

/// The kernel does not support this lookup here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unavailable;

/// Sizes in bytes of the message header, the request and the answer.
const HEAD: usize = 16;
const QUESTION: usize = HEAD + 56;
const ANSWER: usize = HEAD + 72;

/// `SOCK_DIAG_BY_FAMILY` and `NLMSG_ERROR`.
const BY_FAMILY: u16 = 20;
const ERROR: u16 = 2;

/// Offset of the ports and addresses of a socket, in the request and in the answer.
const ID_ASKED: usize = HEAD + 8;
const ID_TOLD: usize = HEAD + 4;
/// Length in bytes from the local port to the end of the remote address.
const ID: usize = 36;

/// True once the kernel has answered. A kernel without this feature says "not found", as for a missing socket.
static ANSWERS: AtomicBool = AtomicBool::new(false);

/// Returns the socket from `from` to `to`, if a process has it open.
pub(super) fn find(from: SocketAddr, to: SocketAddr) -> Result<Option<Socket>, Unavailable> {
    let question = question(from, to);
    let answer = ask(&question).map_err(|_| Unavailable)?;
    match kind(&answer) {
        Some(BY_FAMILY) if answer.len() >= ANSWER => {
            ANSWERS.store(true, Ordering::Relaxed);
            // If no connection matches, the kernel may answer with a socket that listens there.
            let same = answer[ID_TOLD..ID_TOLD + ID] == question[ID_ASKED..ID_ASKED + ID];
            let (uid, inode) = (number(&answer, HEAD + 64), number(&answer, HEAD + 68));
            Ok((same && inode != 0).then_some(Socket { uid, inode: inode.into() }))
        }
        Some(ERROR) if ANSWERS.load(Ordering::Relaxed) => Ok(None),
        _ => Err(Unavailable),
    }
}

fn ask(question: &[u8]) -> io::Result<Vec<u8>> {
    let flags = SocketFlags::CLOEXEC;
    let socket = socket_with(AddressFamily::NETLINK, SocketType::DGRAM, flags, Some(netlink::SOCK_DIAG))?;
    sendto(&socket, question, SendFlags::empty(), &SocketAddrNetlink::new(0, 0))?;
    let mut answer = vec![0; 1024];
    // The kernel answers before `sendto` returns.
    let (_, length) = recv(&socket, answer.as_mut_slice(), RecvFlags::DONTWAIT)?;
    answer.truncate(length);
    Ok(answer)
}

fn question(from: SocketAddr, to: SocketAddr) -> [u8; QUESTION] {
    let mut text = [0; QUESTION];
    let length = u32::try_from(QUESTION).unwrap_or_default();
    text[..4].copy_from_slice(&length.to_ne_bytes());
    text[4..6].copy_from_slice(&BY_FAMILY.to_ne_bytes());
    // `NLM_F_REQUEST`
    text[6..8].copy_from_slice(&1_u16.to_ne_bytes());
    let family = if from.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    text[HEAD] = family.as_raw().to_ne_bytes()[usize::from(cfg!(target_endian = "big"))];
    // `IPPROTO_TCP`, in every state.
    text[HEAD + 1] = 6;
    text[HEAD + 4..HEAD + 8].fill(0xff);
    let id = &mut text[ID_ASKED..];
    id[..2].copy_from_slice(&from.port().to_be_bytes());
    id[2..4].copy_from_slice(&to.port().to_be_bytes());
    address(&mut id[4..20], from.ip());
    address(&mut id[20..36], to.ip());
    // On every interface, with any cookie.
    id[40..48].fill(0xff);
    text
}

fn address(place: &mut [u8], ip: IpAddr) {
    match ip {
        IpAddr::V4(ip) => place[..4].copy_from_slice(&ip.octets()),
        IpAddr::V6(ip) => place.copy_from_slice(&ip.octets()),
    }
}

fn kind(message: &[u8]) -> Option<u16> {
    Some(u16::from_ne_bytes(message.get(4..6)?.try_into().ok()?))
}

/// Returns the number at an offset; the message must be long enough.
fn number(message: &[u8], at: usize) -> u32 {
    message.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map_or(0, u32::from_ne_bytes)
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn an_open_connection_is_found_and_a_closed_or_absent_one_is_not() {
        for name in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(listener) = TcpListener::bind(name) else { continue };
            let at = listener.local_addr().expect("an address");
            let client = TcpStream::connect(at).expect("connected");
            let from = client.local_addr().expect("an address");
            let Ok(found) = find(from, at) else { return };
            assert_eq!(found.map(|socket| socket.uid), Some(rustix::process::geteuid().as_raw()), "{name}");
            assert_eq!(find(from, SocketAddr::new(at.ip(), 1)), Ok(None), "another far end");
            // A listener at the local end is not a connection.
            assert_eq!(find(at, SocketAddr::new(at.ip(), 1)), Ok(None), "only a listener");
            let (held, _) = listener.accept().expect("accepted");
            drop(client);
            assert_eq!(find(from, at), Ok(None), "closed by its process");
            drop(held);
        }
    }
}
