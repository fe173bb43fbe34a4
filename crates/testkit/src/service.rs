//! The real service, in its own process and on its own port.

use std::{
    io::{BufRead as _, BufReader, Read},
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    sync::{Arc, Mutex, mpsc},
    thread,
    time::{Duration, Instant},
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};

use crate::{CAP, Http, TestHome};

/// A `the-loop serve` in a home. Dropping it sends SIGTERM and waits for the end.
#[derive(Debug)]
pub struct TestService {
    child: Child,
    address: String,
    log: Arc<Mutex<String>>,
}

impl TestService {
    /// Starts `program serve --port 0` and waits for the line with its address.
    ///
    /// # Panics
    ///
    /// If the service does not start; its log is in the message.
    pub fn start(program: impl AsRef<Path>, home: &TestHome) -> Self {
        Self::start_with(program, home, |_| ())
    }

    /// Starts the service after `adjust` has changed the command, for example its arguments or environment.
    ///
    /// # Panics
    ///
    /// If the service does not start; its log is in the message.
    pub fn start_with(program: impl AsRef<Path>, home: &TestHome, adjust: impl FnOnce(&mut Command)) -> Self {
        let mut command = home.command(program);
        command.args(["serve", "--port", "0"]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        adjust(&mut command);
        let mut child = command.spawn().expect("the service is started");
        let log = Arc::new(Mutex::new(String::new()));
        collect(child.stderr.take().expect("piped above"), Arc::clone(&log), None);
        let (sender, lines) = mpsc::channel();
        collect(child.stdout.take().expect("piped above"), Arc::clone(&log), Some(sender));
        let mut service = Self { child, address: String::new(), log };
        let Some(address) = lines.recv_timeout(CAP).ok().and_then(|line| address(&line)) else {
            panic!("the service did not come up:\n{}", service.log());
        };
        service.address = address;
        service
    }

    /// Returns the page's address, as the service printed it.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Returns a client of its REST interface.
    pub fn http(&self) -> Http {
        let authority = self.address.trim_start_matches("http://").split('/').next().unwrap_or_default();
        Http::to(authority)
    }

    /// Returns its process ID.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Returns its whole output so far.
    ///
    /// # Panics
    ///
    /// If a thread that collects it panicked.
    pub fn log(&self) -> String {
        self.log.lock().expect("collecting threads do not panic").clone()
    }

    /// Sends SIGTERM, if it has not ended yet.
    ///
    /// # Panics
    ///
    /// Never in practice: a PID fits.
    pub fn terminate(&mut self) {
        let pid = i32::try_from(self.child.id()).expect("a pid fits");
        if let Ok(None) = self.child.try_wait() {
            // The child is not reaped yet, so the PID is still its own.
            let _ = kill(Pid::from_raw(pid), Signal::SIGTERM);
        }
    }

    /// Sends SIGKILL, if it has not ended yet: the service cannot clean up.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
    }

    /// Sends SIGTERM and waits for the end.
    ///
    /// # Panics
    ///
    /// If it does not end.
    pub fn stop(&mut self) -> ExitStatus {
        self.terminate();
        self.wait()
    }

    /// Waits for its end, whatever the cause.
    ///
    /// # Panics
    ///
    /// If it does not end.
    pub fn wait(&mut self) -> ExitStatus {
        let begun = Instant::now();
        while begun.elapsed() < CAP {
            if let Ok(Some(status)) = self.child.try_wait() {
                return status;
            }
            thread::sleep(Duration::from_millis(10));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        panic!("the service did not end:\n{}", self.log());
    }
}

impl Drop for TestService {
    fn drop(&mut self) {
        if thread::panicking() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        } else {
            self.stop();
        }
    }
}

/// Collects the lines of a stream, and passes them on to a receiver.
fn collect(stream: impl Read + Send + 'static, log: Arc<Mutex<String>>, lines: Option<mpsc::Sender<String>>) {
    thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            if let Ok(mut log) = log.lock() {
                log.push_str(&line);
                log.push('\n');
            }
            if let Some(lines) = &lines {
                let _ = lines.send(line);
            }
        }
    });
}

fn address(line: &str) -> Option<String> {
    line.split_whitespace().find(|word| word.starts_with("http://")).map(str::to_owned)
}
