//! All of `/proc`, looked through.
//!
//! It costs a file for each process of the machine, so that callers who look at the same time share what they see: a
//! stop of five hundred sessions asks for a thousand looks and gets by with a few dozen. As with every shared look,
//! nobody is given one that began before they asked.

use std::{
    collections::BTreeSet,
    convert::Infallible,
    fs::{self, File},
    io::Read as _,
    sync::Arc,
};

use crate::{
    identity::{BOOT_ID, ProcessHold, ProcessIdentity, has_variable, state_and_start},
    marks::LOOP_ID_VAR,
    single_flight::SingleFlight,
};

/// More than nearly every file that is read here has.
const CHUNK: usize = 16 * 1024;

/// Which processes carry ids of ours, and which.
static CARRIERS: SingleFlight<Arc<Vec<(u32, String)>>> = SingleFlight::new();

/// Which processes there are, and where each stands.
static KIN: SingleFlight<Arc<Vec<(ProcessIdentity, Kin)>>> = SingleFlight::new();

/// Every live process whose environment carries that id: the harness and whatever it started, detached or not. This
/// process is none of them: an agent that stops its own session would not come to the end of it.
pub fn carrying(loop_id: &str) -> Vec<ProcessHold> {
    if loop_id.is_empty() {
        return Vec::new();
    }
    let Ok(carriers) = CARRIERS.share(|| Ok::<_, Infallible>(Arc::new(carriers())));
    let pids = carriers.iter().filter(|(_, id)| id == loop_id).map(|(pid, _)| *pid);
    held(pids, LOOP_ID_VAR, loop_id)
}

/// Every live process but this one that was started with a variable of that value.
pub fn with_variable(key: &str, value: &str) -> Vec<ProcessHold> {
    held(pids().into_iter().filter(|&pid| has_variable(pid, key, value)), key, value)
}

/// Order matters: held first, then its environment read once more, so that the hold is on the process that was read.
fn held(pids: impl Iterator<Item = u32>, key: &str, value: &str) -> Vec<ProcessHold> {
    let others = pids.filter(|&pid| pid != std::process::id());
    others.filter_map(ProcessHold::of).filter(|held| has_variable(held.identity.pid, key, value)).collect()
}

/// The household of a living process: what descends from it and what is in its terminal session, but for itself and
/// for this process. It finds what has written over its own environment, and is true of this moment only.
pub fn household(of: &ProcessHold) -> Vec<ProcessIdentity> {
    let head = of.identity.pid;
    let Ok(seen) = KIN.share(|| Ok::<_, Infallible>(Arc::new(kin())));
    let mut found: BTreeSet<u32> =
        seen.iter().filter(|(_, kin)| kin.session == head).map(|(process, _)| process.pid).collect();
    found.insert(head);
    // A child may be listed before its parent.
    loop {
        let before = found.len();
        let born = seen.iter().filter(|(_, kin)| found.contains(&kin.parent)).map(|(process, _)| process.pid);
        found.extend(born.collect::<Vec<_>>());
        if found.len() == before {
            break;
        }
    }
    let others = |pid: u32| pid != head && pid != std::process::id();
    // If it ended meanwhile, its pid may have become another's.
    if !of.identity.is_alive() {
        return Vec::new();
    }
    let household = seen.iter().map(|(process, _)| process);
    household.filter(|process| others(process.pid) && found.contains(&process.pid)).cloned().collect()
}

/// Where a process stands among the others.
#[derive(Debug)]
struct Kin {
    parent: u32,
    /// The pid of the leader of its terminal session.
    session: u32,
}

fn pids() -> Vec<u32> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

fn carriers() -> Vec<(u32, String)> {
    let (mut buffer, mut found) = (Vec::new(), Vec::new());
    for pid in pids() {
        let Some(environ) = contents(&format!("/proc/{pid}/environ"), &mut buffer) else { continue };
        let entries = environ.split(|&byte| byte == 0);
        let ids = entries.filter_map(|entry| entry.strip_prefix(LOOP_ID_VAR.as_bytes())?.strip_prefix(b"="));
        found.extend(ids.filter_map(|id| Some((pid, str::from_utf8(id).ok()?.to_owned()))));
    }
    found
}

fn kin() -> Vec<(ProcessIdentity, Kin)> {
    let mut buffer = Vec::new();
    pids().into_iter().filter_map(|pid| kin_of(pid, &mut buffer)).collect()
}

fn kin_of(pid: u32, buffer: &mut Vec<u8>) -> Option<(ProcessIdentity, Kin)> {
    let stat = String::from_utf8_lossy(contents(&format!("/proc/{pid}/stat"), buffer)?);
    let (state, start_ticks) = state_and_start(&stat)?;
    // After the state: parent, group, session.
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(1);
    let (parent, session) = (fields.next()?.parse().ok()?, fields.nth(1)?.parse().ok()?);
    let lives = state != 'Z' && state != 'X';
    lives.then(|| (ProcessIdentity { pid, start_ticks, boot_id: BOOT_ID.clone() }, Kin { parent, session }))
}

/// All of a file, in as few reads as can be: the kernel does not tell how long these are.
fn contents<'a>(path: &str, buffer: &'a mut Vec<u8>) -> Option<&'a [u8]> {
    let mut file = File::open(path).ok()?;
    let mut length = 0;
    loop {
        if buffer.len() < length + CHUNK {
            buffer.resize(length + CHUNK, 0);
        }
        match file.read(&mut buffer[length..]) {
            Ok(0) => return Some(&buffer[..length]),
            Ok(read) => length += read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
}
