//! Identifies the service of a state folder by a name in the kernel that outlives the folder.
//!
//! The lock on the PID file belongs to a file, and a folder that was removed and recreated has another one. So a
//! service also listens on an abstract socket whose name is derived from the path of the folder. The kernel drops the
//! name with the process. The name counts only if its socket provably belongs to a process of this user that sees the
//! same files: another user, or another container with the same network, may hold the same name.

use std::{
    fs,
    io::{self, Read, Write},
    os::{
        linux::net::SocketAddrExt,
        unix::{
            fs::MetadataExt,
            net::{SocketAddr, UnixListener, UnixStream},
        },
    },
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};

use standing::state_folder;

use super::holder::{Details, LockHolder};

/// Timeout for a service to send its details.
const ANSWERS_WITHIN: Duration = Duration::from_secs(1);

/// Limit of an answer in bytes, larger than any real one.
const ANSWER_LIMIT: u64 = 64 * 1024;

/// Name of a state folder, held until the process ends.
#[derive(Debug)]
pub(super) struct Presence {
    told: Arc<Mutex<String>>,
}

/// Result of an attempt to take the name.
pub(super) enum Asked {
    Ours(Presence),
    /// The service of this folder holds it.
    Held(LockHolder),
    /// It is not available, and no service of this folder holds it.
    Unavailable,
}

/// Takes the name of a state folder.
pub(super) fn take(state_root: &Path) -> Asked {
    let Ok(address) = address(state_root) else { return Asked::Unavailable };
    match UnixListener::bind_addr(&address) {
        Ok(listener) => {
            let told = Arc::<Mutex<String>>::default();
            let answer = Arc::clone(&told);
            let answers = move || answer_all(&listener, &answer);
            match thread::Builder::new().name("presence".to_owned()).spawn(answers) {
                Ok(_) => Asked::Ours(Presence { told }),
                Err(_) => Asked::Unavailable,
            }
        }
        Err(_) => who(state_root).map_or(Asked::Unavailable, Asked::Held),
    }
}

impl Presence {
    /// Sends the service's address to every process that connects.
    pub(super) fn tell(&self, details: &Details) {
        let text = serde_json::to_string(details).unwrap_or_default();
        *self.told.lock().unwrap_or_else(PoisonError::into_inner) = text;
    }
}

fn answer_all(listener: &UnixListener, told: &Mutex<String>) {
    for connection in listener.incoming() {
        let Ok(mut connection) = connection else {
            // Usually no descriptor is left. That passes, and must not be polled without a pause.
            thread::sleep(ANSWERS_WITHIN);
            continue;
        };
        let text = told.lock().unwrap_or_else(PoisonError::into_inner).clone();
        // The text fits into the socket's buffer, so a client cannot block this.
        let _ = connection.write_all(text.as_bytes());
    }
}

/// Returns the service of a state folder, even if the folder was recreated since the service started.
pub(super) fn who(state_root: &Path) -> Option<LockHolder> {
    let stream = UnixStream::connect_addr(&address(state_root).ok()?).ok()?;
    let pid = owner_of(&name(state_root))?;
    let details = answer(stream).ok().filter(|details| details.is_of(pid));
    Some(LockHolder { pid, details })
}

fn answer(stream: UnixStream) -> io::Result<Details> {
    stream.set_read_timeout(Some(ANSWERS_WITHIN))?;
    let mut text = String::new();
    stream.take(ANSWER_LIMIT).read_to_string(&mut text)?;
    serde_json::from_str(&text).map_err(io::Error::other)
}

fn name(state_root: &Path) -> String {
    format!("the-loop/service/{}/{}", rustix::process::geteuid().as_raw(), state_folder::mark(state_root))
}

fn address(state_root: &Path) -> io::Result<SocketAddr> {
    SocketAddr::from_abstract_name(name(state_root))
}

/// Returns the process of this user, with the same view of the files, that listens at a name.
fn owner_of(name: &str) -> Option<u32> {
    let inodes = listening(&fs::read_to_string("/proc/net/unix").ok()?, name);
    let ourselves = (rustix::process::geteuid().as_raw(), mounts("self")?);
    let pids = fs::read_dir("/proc").ok()?.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid: &u32| owned(*pid) == Some(ourselves.0) && mounts(&pid.to_string()).as_ref() == Some(&ourselves.1))
        .find(|pid| {
            let open = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
            let mut links =
                open.filter_map(|entry| fs::read_link(entry.path()).ok()?.into_os_string().into_string().ok());
            links.any(|link| inodes.iter().any(|inode| link == format!("socket:[{inode}]")))
        })
}

/// Returns the sockets that listen at an abstract name, from `/proc/net/unix`.
fn listening(table: &str, name: &str) -> Vec<String> {
    let lines = table.lines().filter_map(|line| {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let [_, _, _, flags, _, _, inode, path] = fields[..] else { return None };
        // This flag marks a socket that accepts connections.
        (flags == "00010000" && path.strip_prefix('@') == Some(name)).then(|| inode.to_owned())
    });
    lines.collect()
}

fn owned(pid: u32) -> Option<u32> {
    fs::metadata(format!("/proc/{pid}")).ok().map(|meta| meta.uid())
}

fn mounts(pid: &str) -> Option<std::path::PathBuf> {
    fs::read_link(format!("/proc/{pid}/ns/mnt")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_listening_socket_of_the_name_counts() {
        let table = "Num       RefCount Protocol Flags    Type St Inode Path\n\
                     0000: 00000002 00000000 00010000 0001 01 11 @the-loop/service/0/a\n\
                     0000: 00000003 00000000 00000000 0001 03 12 @the-loop/service/0/a\n\
                     0000: 00000002 00000000 00010000 0001 01 13 /run/the-loop/service/0/a\n\
                     0000: 00000003 00000000 00000000 0001 03 14\n";
        assert_eq!(listening(table, "the-loop/service/0/a"), ["11"]);
    }

    #[test]
    fn a_name_is_held_by_one_and_tells_who_holds_it() {
        let dir = tempfile::tempdir().expect("made");
        assert_eq!(who(dir.path()), None);
        let Asked::Ours(presence) = take(dir.path()) else { panic!("it is free") };
        let details = Details::of_this_process("http://127.0.0.1:1/");
        presence.tell(&details);
        let Asked::Held(holder) = take(dir.path()) else { panic!("it is held") };
        assert_eq!(holder, LockHolder { pid: std::process::id(), details: Some(details) });
    }
}
