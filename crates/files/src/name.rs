//! Kernel locks by name, for a file system that has no locks on files.
//!
//! A name is an abstract socket. It excludes the processes of one machine and one network namespace.

use std::{
    io,
    os::{
        linux::net::SocketAddrExt,
        unix::net::{SocketAddr, UnixListener, UnixStream},
    },
    thread,
    time::{Duration, Instant},
};

use crate::{
    lock::{Lock, LockError},
    wait,
};

/// Pause before another attempt where the holder cannot be watched.
const PAUSE: Duration = Duration::from_millis(6);

/// Locks a name, and waits for its holder if there is one.
pub fn lock(name: &str, limit: Duration) -> Result<Lock, LockError> {
    let address = SocketAddr::from_abstract_name(name).map_err(LockError::Failed)?;
    let deadline = Instant::now() + limit;
    loop {
        match UnixListener::bind_addr(&address) {
            Ok(listener) => return Ok(Lock::by_name(listener)),
            Err(error) if error.kind() != io::ErrorKind::AddrInUse => return Err(LockError::Failed(error)),
            Err(_) => {}
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(LockError::Busy);
        }
        // The connection closes when the holder ends.
        match UnixStream::connect_addr(&address) {
            Ok(connection) => wait::readable(&connection, left),
            Err(_) => thread::sleep(PAUSE.min(left)),
        }
    }
}

/// True if a process holds a name. The check takes no lock.
pub fn is_held(name: &str) -> bool {
    SocketAddr::from_abstract_name(name).is_ok_and(|address| UnixStream::connect_addr(&address).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_waited_for_until_its_holder_ends() {
        let name = format!("files/test/{}", std::process::id());
        let held = lock(&name, Duration::ZERO).expect("free");
        assert!(is_held(&name));
        assert!(matches!(lock(&name, Duration::from_millis(5)), Err(LockError::Busy)));
        thread::scope(|scope| {
            let next = scope.spawn(|| lock(&name, Duration::from_mins(1)).expect("its turn"));
            drop(held);
            drop(next.join().expect("no panic"));
        });
        assert!(!is_held(&name));
    }
}
