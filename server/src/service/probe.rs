//! Checks that a service answers: one request to its health route, over a plain socket.

use std::{
    io::{Read, Write},
    net::{TcpStream, ToSocketAddrs},
    time::Duration,
};

/// Timeout for an answer.
const LIMIT: Duration = Duration::from_secs(2);

/// True if the address answers in HTTP. The status does not matter, since this caller may not be authorised.
pub(crate) fn answers(address: &str) -> bool {
    authority(address).and_then(ask).is_some_and(|answer| answer.starts_with("HTTP/1."))
}

/// Returns `host:port` of `http://host:port/…`.
pub(crate) fn authority(address: &str) -> Option<&str> {
    address.strip_prefix("http://")?.split('/').next().filter(|authority| !authority.is_empty())
}

fn ask(authority: &str) -> Option<String> {
    let address = authority.to_socket_addrs().ok()?.next()?;
    let mut stream = TcpStream::connect_timeout(&address, LIMIT).ok()?;
    stream.set_read_timeout(Some(LIMIT)).ok()?;
    stream.set_write_timeout(Some(LIMIT)).ok()?;
    let request = format!("GET /api/v1/health HTTP/1.1\r\nhost: {authority}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = [0; 16];
    stream.read_exact(&mut answer).ok()?;
    Some(String::from_utf8_lossy(&answer).into_owned())
}
