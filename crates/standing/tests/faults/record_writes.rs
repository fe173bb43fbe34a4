//! Rows 1 and 12: a record is written whole or not at all, and where it cannot be written nothing is started.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use nix::unistd::geteuid;
use standing::{CreateRequest, Outcome, ProblemCode, SayRequest, State, TheLoop, timeline::TimelineQuery};
use testkit::{TestHome, assert_nothing_spawned};
use wire::Verdict;

use crate::{
    actor::{Actor, Answer, Order},
    scene::{harness, harnesses, home, record, record_file, request, skipped, written},
};

#[test]
fn row_01_kill_in_the_midst_of_a_write_leaves_the_old_record_or_the_new_one() {
    let home = home();
    let the_loop = home.the_loop();
    Order::Create(request(&home, "x")).done_by(&the_loop);
    written(&home, "x");
    Order::Stop("x".to_owned()).done_by(&the_loop);
    let old = fs::read_to_string(record_file(&home, "x")).expect("a record");
    for (point, replaced) in
        [("write.made", false), ("write.written", false), ("write.synced", false), ("write.renamed", true)]
    {
        Actor::ending_at(&home, &format!("{point}=kill")).dies_doing(&Order::Start("x".to_owned()));
        let found = fs::read_to_string(record_file(&home, "x")).expect("a record");
        assert_eq!(found != old, replaced, "killed at {point}: {found}");
        let mode = fs::metadata(record_file(&home, "x")).expect("a record").permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "killed at {point}");
        let row = the_loop.standing().get("x").expect("it is read");
        assert_eq!(row.state, State::Stopped, "killed at {point}: {row:?}");
    }
    let leftovers = fs::read_dir(home.records())
        .expect("there")
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(".writing-"));
    for left in leftovers {
        assert_eq!(left.metadata().expect("there").permissions().mode() & 0o777, 0o600, "private from the first byte");
    }
    assert_eq!(Order::Start("x".to_owned()).done_by(&the_loop).outcome(), Some(Outcome::Resumed));
}

#[test]
fn row_01_a_reader_never_sees_half_a_record() {
    let home = home();
    let the_loop = home.the_loop();
    let done = AtomicBool::new(false);
    let read = thread::scope(|threads| {
        let reader = threads.spawn(|| {
            let mut read = 0;
            while !done.load(Ordering::Relaxed) {
                if let Ok(text) = fs::read_to_string(record_file(&home, "x")) {
                    serde_json::from_str::<serde_json::Value>(&text).expect("a whole record");
                    read += 1;
                }
            }
            read
        });
        for _ in 0..30 {
            let create = CreateRequest { prompt: "x".repeat(50_000), start: false, ..request(&home, "x") };
            assert_eq!(Order::Create(create).done_by(&the_loop).refusal(), None);
            assert_eq!(Order::Delete("x".to_owned()).done_by(&the_loop).outcome(), Some(Outcome::Deleted));
        }
        done.store(true, Ordering::Relaxed);
        reader.join().expect("no half record")
    });
    assert!(read > 0, "it was read at all");
}

/// A small file system of its own in place of the folder of records; gone when this is dropped.
struct SmallDisk {
    at: PathBuf,
}

impl SmallDisk {
    /// Mounts it, if this user may.
    fn mount(home: &TestHome, row: u32) -> Option<Self> {
        if !geteuid().is_root() {
            skipped(row, "a small file system can only be mounted by root");
            return None;
        }
        let at = home.records();
        fs::create_dir_all(&at).expect("a folder");
        let disk = Self { at };
        if let Err(said) = disk.run("mount", &["-t", "tmpfs", "-o", "size=128k,mode=0700", "tmpfs"]) {
            skipped(row, &format!("a small file system cannot be mounted here: {said}"));
            std::mem::forget(disk);
            return None;
        }
        Some(disk)
    }

    fn run(&self, program: &str, args: &[&str]) -> Result<(), String> {
        let output = Command::new(program).args(args).arg(&self.at).output().map_err(|error| error.to_string())?;
        if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()) }
    }

    /// Takes all the room there is.
    fn fill(&self) -> PathBuf {
        let filler = self.at.join("filler");
        for block in [4096, 1] {
            let mut held = fs::read(&filler).unwrap_or_default();
            while fs::write(&filler, &held).is_ok() && held.len() < 1_000_000 {
                held.extend(vec![0; block]);
            }
        }
        assert!(fs::write(self.at.join("more"), "x").is_err(), "it is full");
        filler
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily: a failed test may have left something open in it.
        self.run("umount", &["-l"]).expect("unmounted");
    }
}

/// Checks the behaviour where records cannot be written: nothing is started, existing sessions can be listed and
/// stopped, and the old record is unchanged.
fn nothing_is_begun_and_stop_works(home: &TestHome, the_loop: &TheLoop, place: &Path) {
    let names_the_place = |answer: &Answer| match answer {
        Answer::Refused(ProblemCode::Registry, said) => said.contains(&place.display().to_string()),
        _ => false,
    };
    let old = fs::read(record_file(home, "stopped")).expect("a record");
    assert_nothing_spawned(home, || {
        for order in [Order::Start("stopped".to_owned()), Order::Create(request(home, "new"))] {
            let answer = order.clone().done_by(the_loop);
            assert!(names_the_place(&answer), "{order:?}: {answer:?}");
        }
    });
    assert_eq!(fs::read(record_file(home, "stopped")).expect("a record"), old, "the old record is as it was");
    assert!(!record_file(home, "new").exists());
    let rows = the_loop.standing().list().expect("listed");
    let states: Vec<_> = rows.iter().map(|row| (row.name.as_str(), row.state)).collect();
    assert_eq!(states, [("runs", State::Running), ("stopped", State::Stopped)]);
    let conversation = record(home, "runs").expect("a record")["harnessSessionId"].clone();
    let answer = Order::Stop("runs".to_owned()).done_by(the_loop);
    assert_eq!(answer.outcome(), Some(Outcome::Stopped), "{answer:?}");
    assert_eq!(harnesses(home, "runs"), [] as [i32; 0]);
    assert_eq!(record(home, "runs").expect("a record")["harnessSessionId"], conversation);
}

/// Two sessions with a conversation each, `runs` and `stopped`.
fn two_sessions(home: &TestHome, the_loop: &TheLoop) {
    for name in ["runs", "stopped"] {
        Order::Create(request(home, name)).done_by(the_loop);
        written(home, name);
    }
    assert_eq!(Order::Stop("stopped".to_owned()).done_by(the_loop).outcome(), Some(Outcome::Stopped));
    harness(home, "runs");
}

fn both_resume(the_loop: &TheLoop) {
    for name in ["runs", "stopped"] {
        let answer = Order::Start(name.to_owned()).done_by(the_loop);
        assert_eq!(answer.outcome(), Some(Outcome::Resumed), "{answer:?}");
    }
}

#[test]
fn row_12_full_disk() {
    let home = home();
    let Some(disk) = SmallDisk::mount(&home, 12) else { return };
    let the_loop = home.the_loop();
    two_sessions(&home, &the_loop);
    let filler = disk.fill();
    let message = SayRequest { name: "runs".to_owned(), text: "on a full disk".to_owned(), ..SayRequest::default() };
    let receipt = the_loop.standing().say(&message).expect("a receipt");
    assert_eq!(receipt.verdict, Verdict::Submitted, "{receipt:?}");
    let runs = TimelineQuery::of(standing::SessionName::parse("runs").expect("a name"));
    let told = the_loop.timeline(&runs).expect("read").entries;
    let entry = told.iter().find(|entry| entry.message_id == receipt.message_id).expect("it is in the log");
    assert_eq!(entry.text, None, "its text was not kept");
    nothing_is_begun_and_stop_works(&home, &the_loop, &home.records());
    fs::remove_file(filler).expect("removed");
    both_resume(&the_loop);
    Order::Stop("runs".to_owned()).done_by(&the_loop);
}

#[test]
fn row_12_read_only_state_folder() {
    let home = home();
    let Some(disk) = SmallDisk::mount(&home, 12) else { return };
    let the_loop = home.the_loop();
    two_sessions(&home, &the_loop);
    disk.run("mount", &["-o", "remount,ro"]).expect("remounted");
    nothing_is_begun_and_stop_works(&home, &the_loop, &home.records());
    disk.run("mount", &["-o", "remount,rw"]).expect("remounted");
    both_resume(&the_loop);
}

#[test]
fn row_12_state_folder_that_others_may_write_in() {
    let home = home();
    let the_loop = home.the_loop();
    two_sessions(&home, &the_loop);
    for mode in [0o770, 0o702] {
        fs::set_permissions(home.records(), Permissions::from_mode(mode)).expect("changed");
        nothing_is_begun_and_stop_works(&home, &the_loop, &home.records());
        fs::set_permissions(home.records(), Permissions::from_mode(0o700)).expect("changed");
        both_resume(&the_loop);
        Order::Stop("stopped".to_owned()).done_by(&the_loop);
    }
    // Nor in a folder above, in which another one could be put in its place.
    for above in home.records().ancestors().skip(1).take(2) {
        let before = fs::metadata(above).expect("there").permissions();
        fs::set_permissions(above, Permissions::from_mode(0o777)).expect("changed");
        nothing_is_begun_and_stop_works(&home, &the_loop, above);
        fs::set_permissions(above, before).expect("changed back");
        both_resume(&the_loop);
        Order::Stop("stopped".to_owned()).done_by(&the_loop);
    }
}
