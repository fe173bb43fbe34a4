//! Fixtures of the fault tests: a home, readers of its actual state, and faults.

use std::{
    collections::BTreeSet,
    fs,
    io::{self, Write as _},
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    process::Child,
    sync::{Mutex, PoisonError},
    thread,
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde_json::{Value, json};
use standing::{CreateRequest, SayRequest};
use testkit::{TestHome, TestHomeBuilder, marked, wait_for};

/// The program that new panes run first.
pub(crate) const LAUNCHER: &str = env!("CARGO_BIN_EXE_loop-launch");

/// A home whose harness is trusted after a moment.
pub(crate) fn home() -> TestHome {
    builder().build()
}

/// The same, to be changed.
pub(crate) fn builder() -> TestHomeBuilder {
    TestHome::builder().exe(LAUNCHER).set("/routing/tmux/resumeProbeSeconds", json!(0.05))
}

/// Says aloud that a row is not tested here. It is not captured as a test's output is.
pub(crate) fn skipped(row: u32, why: &str) {
    let _ = writeln!(io::stderr(), "SKIPPED row {row:02}: {why}");
}

/// A session with a directory of its own, so that its transcripts can be told from others'.
pub(crate) fn request(home: &TestHome, name: &str) -> CreateRequest {
    let cwd = home.work().join(name);
    fs::create_dir_all(&cwd).expect("a folder");
    CreateRequest { cwd: cwd.display().to_string(), ..CreateRequest::named(name) }
}

pub(crate) fn with_faults(home: &TestHome, name: &str, faults: &[&str]) -> CreateRequest {
    let args = faults.iter().flat_map(|fault| ["--fault".to_owned(), (*fault).to_owned()]).collect();
    CreateRequest { harness_args: Some(args), ..request(home, name) }
}

pub(crate) fn say(name: &str, text: &str) -> SayRequest {
    SayRequest { name: name.to_owned(), text: text.to_owned(), ..SayRequest::default() }
}

/// The tmux session of a name.
pub(crate) fn session(name: &str) -> String {
    format!("loop-standing-{name}")
}

/// The file of a record.
pub(crate) fn record_file(home: &TestHome, name: &str) -> PathBuf {
    home.records().join(format!("{name}.json"))
}

/// A record as it stands, if there is one that can be read.
pub(crate) fn record(home: &TestHome, name: &str) -> Option<Value> {
    serde_json::from_str(&fs::read_to_string(record_file(home, name)).ok()?).ok()
}

/// Changes a record behind the-loop's back.
pub(crate) fn edit_record(home: &TestHome, name: &str, change: impl FnOnce(&mut Value)) {
    let mut value = record(home, name).expect("a record");
    change(&mut value);
    fs::write(record_file(home, name), format!("{value:#}\n")).expect("written");
}

/// The living demo agents of a session, whatever tmux or a record says of them.
pub(crate) fn harnesses(home: &TestHome, name: &str) -> Vec<i32> {
    let of_session = format!("THE_LOOP_SESSION={name}");
    let ours = |pid: i32| {
        let environ = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environ.split(|&byte| byte == 0).any(|variable| variable == of_session.as_bytes())
    };
    let agents =
        marked(home.marker()).into_iter().filter(|(_, line)| line.contains(" demo ") && !line.contains("--sleeper"));
    agents.map(|(pid, _)| pid).filter(|&pid| ours(pid)).collect()
}

/// The only living harness of a session.
#[track_caller]
pub(crate) fn harness(home: &TestHome, name: &str) -> i32 {
    let found = harnesses(home, name);
    assert_eq!(found.len(), 1, "living harnesses of {name}: {found:?}");
    found[0]
}

/// The conversations that a session's harness has written down, whatever the record says.
pub(crate) fn conversations(home: &TestHome, name: &str) -> BTreeSet<String> {
    let folder = transcripts(home, name);
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter_map(|file| Some(file.path().file_stem()?.to_str()?.to_owned())).collect()
}

/// The folder of a session's transcripts.
pub(crate) fn transcripts(home: &TestHome, name: &str) -> PathBuf {
    let cwd = home.work().join(name).display().to_string();
    let folder: String = cwd.chars().map(|char| if char.is_ascii_alphanumeric() { char } else { '-' }).collect();
    home.home().join(".the-loop-demo/projects").join(folder)
}

/// Returns the messages submitted to a session, in all its conversations.
pub(crate) fn submitted(home: &TestHome, name: &str) -> Vec<String> {
    let files = fs::read_dir(transcripts(home, name)).into_iter().flatten().flatten();
    let text: String = files.map(|file| fs::read_to_string(file.path()).unwrap_or_default()).collect();
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines
        .filter(|line| line["type"] == "user")
        .map(|line| line["text"].as_str().unwrap_or_default().to_owned())
        .collect()
}

/// Waits until a session's conversation is written down, from when on it can be resumed.
#[track_caller]
pub(crate) fn written(home: &TestHome, name: &str) {
    wait_for("the conversation to be written down", || (!conversations(home, name).is_empty()).then_some(()));
}

/// Returns the conversations that a record knows. The one that a start resumes comes first.
pub(crate) fn known_conversations(record: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let former = record["formerSessionIds"].as_array().into_iter().flatten();
    let current = [&record["harnessSessionId"], &record["pending"]["sessionId"]];
    current.into_iter().chain(former).filter_map(text).collect()
}

/// The process of a home's tmux server.
pub(crate) fn tmux_server(home: &TestHome) -> i32 {
    let said = home.tmux().run(&["display-message", "-p", "#{pid}"]).stdout;
    String::from_utf8_lossy(&said).trim().parse().expect("a server")
}

pub(crate) fn signal(pid: i32, signal: Signal) {
    kill(Pid::from_raw(pid), signal).expect("it lives");
}

/// Returns true if the process is alive. A zombie is not.
pub(crate) fn lives(pid: i32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

/// Waits until a process is stopped by SIGSTOP.
#[track_caller]
pub(crate) fn stands_still(pid: i32) {
    wait_for("the process to stand still", || {
        fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| stat.contains(") T ")).then_some(())
    });
}

/// Plays every case, several side by side, and fails with those that failed.
#[track_caller]
pub(crate) fn each<T: Sync>(cases: &[T], label: impl Fn(&T) -> String + Sync, play: impl Fn(&T) + Sync) {
    const SIDE_BY_SIDE: usize = 6;
    let (queue, failed) = (Mutex::new(cases.iter()), Mutex::new(Vec::new()));
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    thread::scope(|threads| {
        for _ in 0..SIDE_BY_SIDE {
            threads.spawn(|| {
                while let Some(case) = next() {
                    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| play(case))) {
                        let said = panic.downcast_ref::<String>().cloned();
                        let said = said.or_else(|| panic.downcast_ref::<&str>().map(|&said| said.to_owned()));
                        let told = format!("{}: {}", label(case), said.unwrap_or_default());
                        failed.lock().unwrap_or_else(PoisonError::into_inner).push(told);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    assert!(failed.is_empty(), "{} of {} cases failed:\n{}", failed.len(), cases.len(), failed.join("\n\n"));
}

/// How often a race is run: a few times, or as often as the row asks with `THE_LOOP_FAULTS=long`.
pub(crate) fn rounds(few: usize, many: usize) -> usize {
    if std::env::var_os("THE_LOOP_FAULTS").is_some_and(|set| set == "long") { many } else { few }
}

/// A process of ours that no verb has any business with.
pub(crate) struct Bystander(Child);

impl Bystander {
    pub(crate) fn start(home: &TestHome) -> Self {
        let child = home.command("/bin/sleep").arg("600").spawn().expect("sleep runs");
        Self(child)
    }

    pub(crate) fn pid(&self) -> i32 {
        self.0.id().try_into().expect("a pid")
    }
}

impl Drop for Bystander {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
