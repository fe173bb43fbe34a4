//! A tmux server of one test's own, with a HOME of its own, gone without a trace when the test is over.

use std::{
    ffi::OsStr,
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::atomic::{AtomicU32, Ordering},
    thread,
    time::{Duration, Instant},
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use tempfile::TempDir;

/// The launcher under test.
const LAUNCHER: &str = env!("CARGO_BIN_EXE_loop-launch");
/// Facts are asked for this often, and for this long.
const INTERVAL: Duration = Duration::from_millis(20);
const LONGEST: Duration = Duration::from_mins(1);

static STAGES: AtomicU32 = AtomicU32::new(0);
static PANES: AtomicU32 = AtomicU32::new(0);

/// Waits for a fact.
pub(crate) fn until(fact: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < LONGEST, "waited in vain until {fact}");
        thread::sleep(INTERVAL);
    }
}

/// The server and the HOME.
pub(crate) struct Stage {
    folder: TempDir,
    socket: String,
}

/// One demo in its pane.
pub(crate) struct Pane<'a> {
    stage: &'a Stage,
    /// `=name`, exact.
    session: String,
    pid: i32,
}

/// A sleeping child of a demo.
#[derive(Debug)]
pub(crate) struct Sleeper {
    pid: i32,
    pub(crate) parent: i32,
    pub(crate) group: i32,
    pub(crate) blocked: u64,
}

impl Stage {
    pub(crate) fn new() -> Self {
        let number = STAGES.fetch_add(1, Ordering::Relaxed);
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("my project")).expect("a project");
        Self { folder, socket: format!("loop-test-{}-{number}", std::process::id()) }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Starts a demo with these arguments, in a pane that stays when it ends.
    pub(crate) fn open<S: AsRef<str>>(&self, args: &[S]) -> Pane<'_> {
        let name = format!("demo-{}", PANES.fetch_add(1, Ordering::Relaxed));
        let (session, target) = (format!("={name}"), format!("={name}:"));
        let cwd = self.folder().join("my project");
        let cwd = cwd.to_str().expect("UTF-8");
        let mut command =
            vec!["new-session", "-d", "-s", &name, "-x", "100", "-y", "30", "-c", cwd, "--", LAUNCHER, "demo"];
        command.extend(args.iter().map(AsRef::as_ref));
        command.extend([";", "set-option", "-w", "-t", &target, "remain-on-exit", "on"]);
        self.tmux(&command);
        let pid = self.tmux(&["display-message", "-p", "-t", &target, "#{pane_pid}"]);
        Pane { stage: self, session, pid: pid.trim().parse().expect("a pid") }
    }

    /// Runs a demo that cannot get as far as its screen; its exit code and what it said.
    pub(crate) fn without_terminal(&self, args: &[&str]) -> (Option<i32>, String) {
        let output = Command::new(LAUNCHER)
            .arg("demo")
            .args(args)
            .env("HOME", self.folder())
            .env_remove("THE_LOOP_DEMO_HOME")
            .current_dir(self.folder().join("my project"))
            .stdin(Stdio::null())
            .output()
            .expect("the launcher runs");
        (output.status.code(), String::from_utf8(output.stderr).expect("UTF-8"))
    }

    pub(crate) fn tmux<S: AsRef<OsStr>>(&self, args: &[S]) -> String {
        self.tmux_with("", args)
    }

    /// One tmux invocation, fed with `input`, that must succeed; what it printed.
    pub(crate) fn tmux_with<S: AsRef<OsStr>>(&self, input: &str, args: &[S]) -> String {
        let output = self.run(input, args);
        assert!(output.status.success(), "tmux: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    fn run<S: AsRef<OsStr>>(&self, input: &str, args: &[S]) -> Output {
        let mut child = Command::new("tmux")
            .args(["-u", "-L", &self.socket, "-f", "/dev/null"])
            .args(args)
            .env("HOME", self.folder())
            .env("TMUX_TMPDIR", self.folder())
            .env_remove("TMUX")
            .env_remove("THE_LOOP_DEMO_HOME")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("tmux");
        // One that does not read has failed, and its status tells.
        let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
        child.wait_with_output().expect("tmux ends")
    }

    pub(crate) fn transcript_path(&self, id: &str) -> PathBuf {
        let cwd = self.folder().join("my project").canonicalize().expect("the project");
        let cwd: String =
            cwd.to_string_lossy().chars().map(|char| if char.is_ascii_alphanumeric() { char } else { '-' }).collect();
        self.folder().join(".the-loop-demo/projects").join(cwd).join(format!("{id}.jsonl"))
    }

    /// The kinds and texts of a transcript's whole lines.
    pub(crate) fn transcript(&self, id: &str) -> Vec<(String, String)> {
        let text = fs::read_to_string(self.transcript_path(id)).unwrap_or_default();
        let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
        let line = |line| {
            let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
            assert!(line["at"].as_str().is_some_and(|at| at.ends_with('Z')), "{line}");
            let word = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
            (word("type"), word("text"))
        };
        whole.lines().map(line).collect()
    }

    /// The turns that were submitted.
    pub(crate) fn said(&self, id: &str) -> Vec<String> {
        self.transcript(id).into_iter().filter(|(kind, _)| kind == "user").map(|(_, text)| text).collect()
    }

    /// The sleeping children of this stage's demos, found as a stop finds them: by what they inherited.
    pub(crate) fn sleepers(&self) -> Vec<Sleeper> {
        let home = format!("HOME={}", self.folder().display());
        let sleeper = |entry: fs::DirEntry| {
            let pid = entry.file_name().to_str()?.parse().ok()?;
            let read = |file: &str| fs::read(entry.path().join(file)).ok();
            let (environ, cmdline) = (read("environ")?, read("cmdline")?);
            let mine = environ.split(|&byte| byte == 0).any(|variable| variable == home.as_bytes());
            let sleeps = cmdline.split(|&byte| byte == 0).any(|arg| arg == b"--sleeper");
            let status = String::from_utf8(read("status")?).ok()?;
            let blocked = status.lines().find_map(|line| line.strip_prefix("SigBlk:"))?;
            // After the name in parentheses: state, parent, group.
            let stat = String::from_utf8(read("stat")?).ok()?;
            let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(1).map(str::parse);
            let (parent, group) = (fields.next()?.ok()?, fields.next()?.ok()?);
            let blocked = u64::from_str_radix(blocked.trim(), 16).ok()?;
            (mine && sleeps).then_some(Sleeper { pid, parent, group, blocked })
        };
        fs::read_dir("/proc").expect("/proc").flatten().filter_map(sleeper).collect()
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // It fails when the last session has ended and the server with it.
        self.run("", &["kill-server"]);
        for sleeper in self.sleepers() {
            // It may have gone meanwhile.
            let _ = kill(Pid::from_raw(sleeper.pid), Signal::SIGKILL);
        }
    }
}

impl Pane<'_> {
    pub(crate) fn session(&self) -> &str {
        &self.session
    }

    pub(crate) fn target(&self) -> String {
        format!("{}:", self.session)
    }

    pub(crate) fn pid(&self) -> i32 {
        self.pid
    }

    /// All lines: those of a dead pane begin above its window, for tmux adds a line of its own.
    pub(crate) fn screen(&self) -> String {
        self.stage.tmux(&["capture-pane", "-p", "-S", "-", "-t", &self.target()])
    }

    /// Waits until the screen shows that.
    pub(crate) fn shows(&self, text: &str) {
        let mut screen = String::new();
        let begun = Instant::now();
        while !screen.contains(text) {
            assert!(begun.elapsed() < LONGEST, "waited in vain for `{text}` on\n{screen}");
            thread::sleep(INTERVAL);
            screen = self.screen();
        }
    }

    /// Waits for that title.
    pub(crate) fn has_title(&self, title: &str) {
        until(&format!("the title is `{title}`"), || self.ask("#{pane_title}") == title);
    }

    /// A key by tmux's name for it.
    pub(crate) fn key(&self, key: &str) {
        self.stage.tmux(&["send-keys", "-t", &self.target(), key]);
    }

    pub(crate) fn type_text(&self, text: &str) {
        self.stage.tmux(&["send-keys", "-l", "-t", &self.target(), text]);
    }

    /// A framed paste.
    pub(crate) fn paste(&self, text: &str) {
        self.stage.tmux_with(text, &["load-buffer", "-", ";", "paste-buffer", "-p", "-r", "-d", "-t", &self.target()]);
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.pid), signal).expect("it runs");
    }

    pub(crate) fn lives(&self) -> bool {
        fs::read_to_string(format!("/proc/{}/stat", self.pid)).is_ok_and(|stat| !stat.contains(") Z "))
    }

    /// Waits until it has ended; its exit status, empty if a signal killed it.
    pub(crate) fn ended(&self) -> String {
        // `pane_dead` can be set before the exit status is there; a signal leaves that empty and fills the other.
        let state = || self.ask("#{pane_dead},#{pane_dead_status},#{pane_dead_signal}");
        until("it has ended", || match state().as_str() {
            "0,," => false,
            "1,," => {
                self.nudge();
                false
            }
            _ => true,
        });
        state().split(',').nth(1).unwrap_or_default().to_owned()
    }

    /// Now and then tmux 3.3a misses that a child ended, until another does: this makes it look again.
    fn nudge(&self) {
        let server = self.ask("#{pid}").parse().expect("a pid");
        kill(Pid::from_raw(server), Signal::SIGCHLD).expect("the server runs");
    }

    fn ask(&self, format: &str) -> String {
        self.stage.tmux(&["display-message", "-p", "-t", &self.target(), format]).trim_end().to_owned()
    }
}
