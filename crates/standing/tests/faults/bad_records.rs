//! Rows 13 and 15: what stands in a record is not believed where it cannot be so.

use std::{fs, os::unix::fs::symlink, path::Path};

use nix::{
    sys::{signal::Signal, stat::Mode},
    unistd::mkfifo,
};
use serde_json::{Value, json};
use standing::{Outcome, ProblemCode, State};
use testkit::wait_for;

use crate::{
    actor::{Answer, Order},
    scene::{
        Bystander, edit_record, harness, harnesses, home, lives, record, record_file, request, say, signal,
        tmux_server, written,
    },
};

/// A name, how its record is spoiled, and what must be said of that.
type Spoiled = (&'static str, fn(&Path), &'static str);

/// Every way that a record can be spoiled.
const SPOILED: [Spoiled; 12] = [
    ("empty", |file| put(file, b""), "empty"),
    ("blank", |file| put(file, b" \n\t "), "empty"),
    ("nul", |file| put(file, &[0; 700]), "line 1 column 1"),
    ("half", |file| cut(file), "line "),
    ("newer", |file| change(file, "format", json!(99)), "newer"),
    ("no-object", |file| put(file, b"[1, 2]"), "line 1"),
    ("other-name", |file| change(file, "name", json!("else")), "`else`"),
    ("wrong-type", |file| change(file, "autoStart", json!("yes")), "line "),
    ("no-utf8", |file| put(file, b"{\"name\": \"\xff\"}"), "UTF-8 at byte 10"),
    ("huge", |file| put(file, &vec![b' '; 5_000_000]), "more than 4194304 bytes"),
    ("link", |file| link(file), "oo many levels of symbolic links"),
    ("fifo", |file| fifo(file), "not a regular file"),
];

fn put(file: &Path, bytes: &[u8]) {
    fs::write(file, bytes).expect("written");
}

fn cut(file: &Path) {
    let text = fs::read(file).expect("a record");
    put(file, &text[..text.len() / 2]);
}

fn change(file: &Path, key: &str, value: Value) {
    let mut record: Value = serde_json::from_slice(&fs::read(file).expect("a record")).expect("JSON");
    record[key] = value;
    put(file, record.to_string().as_bytes());
}

fn link(file: &Path) {
    let elsewhere = file.with_extension("elsewhere");
    fs::rename(file, &elsewhere).expect("moved");
    symlink(elsewhere, file).expect("linked");
}

fn fifo(file: &Path) {
    fs::remove_file(file).expect("removed");
    mkfifo(file, Mode::from_bits_truncate(0o600)).expect("made");
}

#[test]
fn row_13_a_spoiled_record_says_so_keeps_its_name_is_never_overwritten_and_can_be_stopped() {
    let home = home();
    let the_loop = home.the_loop();
    Order::Create(request(&home, "fine")).done_by(&the_loop);
    for (name, spoil, told) in SPOILED {
        Order::Create(request(&home, name)).done_by(&the_loop);
        harness(&home, name);
        let file = record_file(&home, name);
        spoil(&file);
        let look = || (fs::symlink_metadata(&file).expect("there").file_type(), readable(&file));
        let spoiled = look();

        let rows = the_loop.standing().list().expect("the others are listed");
        let row = |wanted: &str| rows.iter().find(|row| row.name == wanted).expect("a row").clone();
        assert_eq!(row("fine").state, State::Running);
        assert_eq!(row(name).state, State::Unreadable, "{name}");
        assert!(row(name).reason.contains(told), "{name}: {}", row(name).reason);

        let named = name.to_owned();
        let refused = [
            Order::Create(request(&home, name)),
            Order::Start(named.clone()),
            Order::Restart(named.clone()),
            Order::Say(say(name, "hello")),
            Order::Delete(named.clone()),
        ];
        for order in refused {
            let answer = order.done_by(&the_loop);
            let Answer::Refused(ProblemCode::Registry, said) = &answer else { panic!("{order:?}: {answer:?}") };
            assert!(said.contains(&file.display().to_string()), "{order:?}: {said}");
            assert_eq!(look(), spoiled, "after {order:?}");
        }
        let still = harness(&home, name);
        let answer = Order::Stop(named.clone()).done_by(&the_loop);
        assert_eq!(answer.outcome(), Some(Outcome::Stopped), "{name}: {answer:?}");
        assert!(!lives(still));
        assert_eq!(look(), spoiled, "after the stop");
        assert_eq!(Order::Stop(named).done_by(&the_loop).outcome(), Some(Outcome::NotRunning), "a second time");
    }
    harness(&home, "fine");
    let rows = the_loop.standing().stop_all().expect("a report").sessions;
    assert_eq!(rows.len(), SPOILED.len() + 1, "a stop of all names them all");
    assert_eq!(harnesses(&home, "fine"), [] as [i32; 0]);
}

/// The bytes of a file that can be read without waiting for somebody to write it.
fn readable(file: &Path) -> Option<Vec<u8>> {
    fs::metadata(file).expect("there").is_file().then(|| fs::read(file).expect("read"))
}

/// When a process started, in ticks since boot.
fn start_ticks(pid: i32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).expect("it lives");
    let fields: Vec<_> = stat.rsplit_once(')').expect("a name").1.split_whitespace().collect();
    fields[19].parse().expect("a number")
}

#[test]
fn row_15_a_pid_that_was_given_to_another_process_is_never_signalled() {
    let home = home();
    let the_loop = home.the_loop();
    let bystander = Bystander::start(&home);
    let (pid, ticks) = (bystander.pid(), start_ticks(bystander.pid()));
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").expect("read").trim().to_owned();
    let strangers = [
        ("reused", json!({"pid": pid, "startTicks": ticks - 1, "bootId": boot})),
        ("rebooted", json!({"pid": pid, "startTicks": ticks, "bootId": "another boot"})),
        ("nonsense", json!({"pid": u32::MAX, "startTicks": 0, "bootId": ""})),
        ("init", json!({"pid": 1, "startTicks": 1, "bootId": boot})),
    ];
    for (name, process) in strangers {
        Order::Create(request(&home, name)).done_by(&the_loop);
        written(&home, name);
        let conversation = record(&home, name).expect("a record")["harnessSessionId"].clone();
        // As a power cut leaves it: the record says running, and everything is gone.
        signal(tmux_server(&home), Signal::SIGKILL);
        wait_for("the harness to be gone", || harnesses(&home, name).is_empty().then_some(()));
        edit_record(&home, name, |record| record["process"] = process.clone());

        let row = the_loop.standing().get(name).expect("known");
        assert_eq!((row.state, row.running), (State::Stopped, false), "{name}: {row:?}");
        assert_eq!(Order::Stop(name.to_owned()).done_by(&the_loop).outcome(), Some(Outcome::NotRunning), "{name}");
        edit_record(&home, name, |record| record["process"] = process.clone());
        let answer = Order::Start(name.to_owned()).done_by(&the_loop);
        assert_eq!(answer.outcome(), Some(Outcome::Resumed), "{name}: {answer:?}");
        assert_eq!(record(&home, name).expect("a record")["harnessSessionId"], conversation);
        Order::Stop(name.to_owned()).done_by(&the_loop);
        edit_record(&home, name, |record| record["process"] = process.clone());
        assert_eq!(Order::Delete(name.to_owned()).done_by(&the_loop).outcome(), Some(Outcome::Deleted), "{name}");
        assert!(lives(pid), "{name}: the bystander was signalled");
    }
}

#[test]
fn row_15_times_in_a_record_decide_nothing() {
    let home = home();
    let the_loop = home.the_loop();
    Order::Create(request(&home, "x")).done_by(&the_loop);
    written(&home, "x");
    for time in ["2099-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "yesterday", ""] {
        edit_record(&home, "x", |record| {
            for key in ["createdAt", "startedAt", "lastMessageAt"] {
                record[key] = json!(time);
            }
        });
        let outcome = |order: Order| order.done_by(&the_loop).outcome();
        assert_eq!(outcome(Order::Start("x".to_owned())), Some(Outcome::AlreadyRunning), "{time}");
        assert!(matches!(Order::Say(say("x", "hello")).done_by(&the_loop), Answer::Said(_)), "{time}");
        assert_eq!(outcome(Order::Stop("x".to_owned())), Some(Outcome::Stopped), "{time}");
        assert_eq!(outcome(Order::Start("x".to_owned())), Some(Outcome::Resumed), "{time}");
    }
}

/// The wall clock may jump while a verb waits, so nothing may wait by it: it is read in one file, for people.
#[test]
fn row_15_the_wall_clock_is_read_for_people_only() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a folder of crates");
    let mut found = Vec::new();
    // The demo agent stands in for a foreign program, so its crate is left out.
    let core = ["config", "files", "harness", "process", "standing", "tmux"];
    let mut folders: Vec<_> = core.iter().map(|name| crates.join(name).join("src")).collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("read").flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else {
                let text = fs::read_to_string(entry.path()).expect("text");
                let reads = ["SystemTime::now", "Timestamp::now", "Zoned::now"].iter().any(|read| text.contains(read));
                found.extend(reads.then(|| entry.file_name().to_string_lossy().into_owned()));
            }
        }
    }
    assert_eq!(found, ["clock.rs"]);
}
