use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    sync::mpsc,
};

use super::*;

const LONG: Duration = Duration::from_mins(1);

fn file(path: &Path) -> LockFile {
    LockFile::create(path).expect("opened")
}

fn in_line(key: Key) -> usize {
    lines().get(&key).map_or(0, VecDeque::len)
}

fn until(condition: impl Fn() -> bool) {
    while !condition() {
        thread::yield_now();
    }
}

fn threads() -> usize {
    fs::read_dir("/proc/self/task").expect("listed").count()
}

#[test]
fn a_caller_that_gives_up_leaves_no_thread_and_no_place_behind() {
    let root = tempfile::tempdir().expect("a folder");
    let path = root.path().join("l");
    let held = file(&path).try_lock(Mode::Exclusive).expect("free");
    let key = key_of(&file(&path).0).expect("looked at");
    let names = || fs::read_dir("/proc/self/task").expect("listed").flatten().map(|task| task.file_name());
    let before: Vec<_> = names().collect();
    for _ in 0..20 {
        let busy = file(&path).lock(Mode::Exclusive, Duration::from_millis(2)).expect_err("it is held");
        assert!(matches!(busy, LockError::Busy));
        assert_eq!(in_line(key), 0);
    }
    // Other tests may start threads; twenty waits that left one each would show.
    let more = names().filter(|task| !before.contains(task)).count();
    assert!(more < 20 && threads() > 0, "{more} threads more");
    drop(held);
    file(&path).try_lock(Mode::Exclusive).expect("the lock is free");
}

#[test]
fn the_lock_goes_round_in_the_order_in_which_it_was_asked_for() {
    let root = tempfile::tempdir().expect("a folder");
    let path = root.path().join("l");
    let held = file(&path).try_lock(Mode::Exclusive).expect("free");
    let key = key_of(&file(&path).0).expect("looked at");
    let (sender, order) = mpsc::channel();
    thread::scope(|threads| {
        for number in 0..8_usize {
            let (sender, path) = (sender.clone(), &path);
            threads.spawn(move || {
                let locked = file(path).lock(Mode::Exclusive, LONG).expect("its turn");
                file(path).try_lock(Mode::Exclusive).expect_err("it is held");
                sender.send(number).expect("told");
                drop(locked);
            });
            until(|| in_line(key) == number + 1);
        }
        drop(held);
    });
    drop(sender);
    assert_eq!(order.into_iter().collect::<Vec<_>>(), (0..8).collect::<Vec<_>>());
    assert_eq!(in_line(key), 0);
}

#[test]
fn a_lock_is_seen_without_being_taken() {
    let root = tempfile::tempdir().expect("a folder");
    let path = root.path().join("l");
    assert!(!file(&path).is_held());
    let held = file(&path).try_lock(Mode::Exclusive).expect("free");
    let looking = LockFile::existing(&path).expect("there");
    assert!(looking.is_held() && looking.is_held_by_any().expect("asked"));
    drop(held);
    assert!(!looking.is_held() && !looking.is_held_by_any().expect("asked"));
    let _taken = file(&path).try_lock(Mode::Exclusive).expect("looking takes nothing");
    // A read-only folder can be locked and checked as well.
    let _folder = LockFile::folder(root.path()).expect("there").try_lock(Mode::Exclusive).expect("free");
    assert!(LockFile::folder(root.path()).expect("there").is_held());
}

#[test]
fn a_lock_of_another_program_shows_in_an_attempt_alone() {
    let root = tempfile::tempdir().expect("a folder");
    let path = root.path().join("l");
    let theirs = file(&path).0;
    theirs.lock().expect("free");
    assert!(!file(&path).is_held() && file(&path).is_held_by_any().expect("asked"));
}

/// Starts a process that holds a lock until its input ends: this test binary, run again.
fn holder(path: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("this test"));
    command.args(["--exact", "--ignored", "--nocapture", "lock::tests::holder_process"]);
    command.env("LOOP_TEST_LOCK", path).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("spawned");
    let lines = BufReader::new(child.stdout.as_mut().expect("piped")).lines();
    assert!(lines.map_while(Result::ok).any(|line| line.contains("it is held")), "it ended");
    child
}

#[test]
#[ignore = "a program that other tests run"]
#[expect(clippy::print_stdout, reason = "the test that runs it reads this")]
fn holder_process() {
    let path = std::env::var_os("LOOP_TEST_LOCK").expect("the test that runs it says which file");
    let _held = file(path.as_ref()).lock(Mode::Exclusive, LONG).expect("its turn");
    println!("it is held");
    let _ = io::stdin().read_line(&mut String::new());
}

#[test]
fn a_lock_of_a_killed_process_is_free_at_once_for_the_caller_that_waits() {
    let root = tempfile::tempdir().expect("a folder");
    let path = root.path().join("l");
    let mut other = holder(&path);
    let looking = LockFile::existing(&path).expect("there");
    assert!(looking.is_held(), "the mark of another process is seen");
    thread::scope(|threads| {
        let waits = threads.spawn(|| file(&path).lock(Mode::Exclusive, LONG).map(drop));
        until(|| is_marked(&looking.0, AWAITED));
        let killed = Instant::now();
        other.kill().expect("killed");
        waits.join().expect("no panic").expect("its turn");
        // Woken by the kernel, not by the poll for file systems without notification.
        assert!(killed.elapsed() < Duration::from_millis(400), "{:?}", killed.elapsed());
    });
    other.wait().expect("ended");
    assert!(!looking.is_held() && !is_marked(&looking.0, AWAITED));
}
