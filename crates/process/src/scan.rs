//! Scans of all of `/proc`.
//!
//! A scan costs a file for each process of the machine, so concurrent callers share one: a stop of five hundred
//! sessions asks for a thousand scans and needs a few dozen. As with every single flight, no caller gets a scan that
//! began before its call.

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

/// Buffer size above nearly every file that is read here.
const CHUNK: usize = 16 * 1024;

/// Shared scan for processes that carry loop ids, with their ids.
static CARRIERS: SingleFlight<Arc<Vec<(u32, String)>>> = SingleFlight::new();

/// Shared scan for all processes and their parents and sessions.
static KIN: SingleFlight<Arc<Vec<(ProcessIdentity, Kin)>>> = SingleFlight::new();

/// Finds every live process whose environment carries that id: the harness and everything it started, detached or not.
/// This process is excluded: an agent that stops its own session would otherwise end before the stop does.
pub fn carrying(loop_id: &str) -> Vec<ProcessHold> {
    if loop_id.is_empty() {
        return Vec::new();
    }
    let Ok(carriers) = CARRIERS.share(|| Ok::<_, Infallible>(Arc::new(carriers())));
    let pids = carriers.iter().filter(|(_, id)| id == loop_id).map(|(pid, _)| *pid);
    held(pids, LOOP_ID_VAR, loop_id)
}

/// Finds every live process but this one that was started with a variable of that value.
pub fn with_variable(key: &str, value: &str) -> Vec<ProcessHold> {
    held(pids().into_iter().filter(|&pid| has_variable(pid, key, value)), key, value)
}

/// Opens handles of matching processes. Order matters: the handle first, then the environment is read once more, so
/// that the handle is of the process that was read.
fn held(pids: impl Iterator<Item = u32>, key: &str, value: &str) -> Vec<ProcessHold> {
    let others = pids.filter(|&pid| pid != std::process::id());
    others.filter_map(ProcessHold::of).filter(|held| has_variable(held.identity.pid, key, value)).collect()
}

/// Finds the household of a living process: its descendants and the members of its terminal session, without itself and
/// this process. It includes processes that overwrote their own environment, and is a snapshot only.
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
    // If it ended meanwhile, its pid may belong to another process.
    if !of.identity.is_alive() {
        return Vec::new();
    }
    let household = seen.iter().map(|(process, _)| process);
    household.filter(|process| others(process.pid) && found.contains(&process.pid)).cloned().collect()
}

/// Parent and session of a process.
#[derive(Debug)]
struct Kin {
    parent: u32,
    /// Pid of the leader of its terminal session.
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

/// Reads a whole file in as few reads as possible: the kernel does not report the length of these files.
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
